"""The joins that wait for a seat until a person says yes: each with its key, which is what is said yes to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlalchemy import delete, insert, select

from pbem.base.errors import UsageProblem
from pbem.base.sentences import Sentence, joined, sentence
from pbem.base.values import dataclass
from pbem.host.database.database import Transaction
from pbem.host.database.tables import JOINS
from pbem.protocol.crypto.digest import fingerprint, unb64
from pbem.protocol.formats.messages import Message, read_message
from pbem.protocol.formats.strict_json import canon

MOST: Final = 4
"""Joins that wait for one seat, whoever they are from."""
_SHORTEST: Final = 5
"""Letters of a fingerprint that name a join."""


@dataclass(frozen=True, slots=True)
class WaitingJoin:
    """One of them; ``number`` stays its own until the seat is taken, ``sender`` is what its email said."""

    number: int
    key: str
    sender: str
    file: bytes

    @property
    def message(self) -> Message:
        """The signed file."""
        return read_message(self.file)

    def words(self) -> Sentence:
        """For the one who chooses."""
        return sentence(
            "{number}: key {key}, from {sender}", number=self.number, key=self.key, sender=self.sender
        )


def key_of(message: Message) -> str:
    """The fingerprint of the key that a join brings."""
    return fingerprint(unb64(message.body["sign"], 32))


class WaitingJoins:
    """All of them, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    def of(self, game: str, seat: str) -> list[WaitingJoin]:
        """Those for a seat, in the order in which they came first."""
        query = select(JOINS.c.number, JOINS.c.key, JOINS.c.sender, JOINS.c.file)
        query = query.where(JOINS.c.game == game, JOINS.c.seat == seat).order_by(JOINS.c.number)
        return [
            WaitingJoin(number, key, sender, bytes(file)) for number, key, sender, file in self._tx.run(query)
        ]

    def keep(self, game: str, seat: str, message: Message, sender: str) -> bool:
        """One more, or the same key's again, which takes the place of its own; False if too many wait already."""
        waiting, key = self.of(game, seat), key_of(message)
        number = next((join.number for join in waiting if join.key == key), 0)
        if not number and len(waiting) >= MOST:
            return False
        if number:
            self._tx.run(delete(JOINS).where(JOINS.c.game == game, JOINS.c.seat == seat, JOINS.c.key == key))
        number = number or 1 + max((join.number for join in waiting), default=0)
        row = {"game": game, "seat": seat, "key": key, "number": number, "sender": sender}
        self._tx.run(insert(JOINS).values(row | {"file": canon(message.file)}))
        return True

    def drop(self, game: str, seat: str, key: str = "") -> None:
        """They wait no more: the one with this key, or all."""
        gone = delete(JOINS).where(JOINS.c.game == game, JOINS.c.seat == seat)
        self._tx.run(gone.where(JOINS.c.key == key) if key else gone)


def chosen(waiting: Sequence[WaitingJoin], which: str) -> WaitingJoin:
    """The one that a person names, by its number or the beginning of its key's fingerprint.

    Raises:
        UsageProblem: none is named so, or several are; it lists all.
    """
    named = which.upper().replace("-", "")
    chosen_joins = [
        join
        for join in waiting
        if which == str(join.number)
        or (len(named) >= _SHORTEST and join.key.replace("-", "").startswith(named))
    ]
    if len(chosen_joins) == 1:
        return chosen_joins[0]
    raise UsageProblem(
        sentence("say which join is meant, by its number or its key fingerprint"),
        hint=joined([join.words() for join in waiting], "\n"),
    )
