"""Lists of matches: which there are in a state, of a player or a game, late, or waiting for their host; by pages.

What only the records say stands in ``glances``: of which game a match is, by when it waits for an answer, whether its
host has to carry something out. A glance is made when records are appended, and again by whoever asks for a list when
it is of another record than the newest one, or when what it says was good until then. So a page costs what stands on
it, and of the other matches a few steps of the database.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pbem.base.values import dataclass
from pbem.host.database.database import Transaction
from pbem.host.database.matches import MATCH, MatchRow, match_row

STATES: Final = ("running", "stopped", "over")
"""The states of matches; one that is over does not stand still."""
_STATE: Final = {
    "running": "(matches.over = 0 AND matches.game NOT IN (SELECT game FROM stops))",
    "stopped": "(matches.over = 0 AND matches.game IN (SELECT game FROM stops))",
    "over": "matches.over = 1",
}
_HEARD: Final = "(SELECT MAX(heard) FROM seats WHERE seats.game = matches.game)"
ORDERS: Final = {
    "created": "created, matches.game",
    "due": "(COALESCE(due, '') = ''), due, short",
    "heard": f"({_HEARD} = ''), {_HEARD}, short",
    "name": "short",
    "records": "seq DESC, short",
}
"""How lists are sorted; what has no time comes last."""
_WAITS_FOR_HOST: Final = (
    "((matches.over = 0 AND matches.game IN (SELECT game FROM stops)) OR by_hand = 1"
    " OR matches.game IN (SELECT game FROM consents)"
    " OR matches.game IN (SELECT game FROM seats WHERE pending IS NOT NULL OR suspended <> ''))"
)
_FROM: Final = " FROM matches LEFT JOIN glances ON glances.game = matches.game"


@dataclass(frozen=True, slots=True)
class Gist:
    """What the records of a match say of it in a list.

    ``head`` is the hash (hex) of the record it was made at, ``due`` by when an answer is awaited, ``good`` until when
    that is right if no record comes (empty: for ever), ``by_hand`` whether its host has to carry something out.
    """

    head: str
    rules: str
    due: str = ""
    good: str = ""
    by_hand: bool = False


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which matches a list shows: in one of ``states``; the rest narrows it down, or nothing if left out."""

    states: Sequence[str] = STATES
    address: str = ""
    rules: str = ""
    late_at: str = ""
    """Only where an answer was awaited before this moment."""
    for_host: bool = False
    order: str = "created"

    @property
    def by_records(self) -> bool:
        """Whether what is wanted stands in glances."""
        return bool(self.rules or self.late_at or self.for_host or self.order == "due")


class Lists:
    """Lists of matches, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    def note(self, game: str, glance: Gist) -> None:
        """What a list says of a match from now on."""
        self._tx.run(
            "INSERT INTO glances (game, head, rules, due, good, by_hand) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (game)"
            " DO UPDATE SET head = excluded.head, rules = excluded.rules, due = excluded.due, good = excluded.good,"
            " by_hand = excluded.by_hand",
            game,
            glance.head,
            glance.rules,
            glance.due,
            glance.good,
            int(glance.by_hand),
        )

    def stale(self, now: str) -> list[MatchRow]:
        """The matches without a glance that is right at ``now``."""
        query = (
            f"{MATCH} LEFT JOIN glances AS seen ON seen.game = matches.game WHERE seen.game IS NULL"
            " OR seen.head <> matches.head OR (seen.good <> '' AND seen.good <= ? AND over = 0)"
        )
        return [match_row(row) for row in self._tx.run(query, now)]

    def page(self, wanted: Wanted, first: int, size: int) -> list[str]:
        """The short names of ``size`` such matches from number ``first`` (0) on."""
        where, values = _where(wanted)
        order = ORDERS[wanted.order]
        query = f"SELECT short{_FROM} WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?"
        return [str(row[0]) for row in self._tx.run(query, *values, size, first)]

    def count(self, wanted: Wanted) -> int:
        """How many there are."""
        where, values = _where(wanted)
        return int(self._tx.run(f"SELECT COUNT(*){_FROM} WHERE {where}", *values)[0][0])


def _where(wanted: Wanted) -> tuple[str, list[Any]]:
    parts = [f"({' OR '.join(_STATE[state] for state in wanted.states)})"]
    values: list[Any] = []
    if wanted.address:
        parts.append(
            "matches.game IN (SELECT game FROM seats WHERE address = ? OR (address = '' AND invited = ?))"
        )
        values += [wanted.address, wanted.address]
    if wanted.rules:
        parts.append("rules = ?")
        values.append(wanted.rules)
    if wanted.late_at:
        parts.append("due <> '' AND due < ?")
        values.append(wanted.late_at)
    if wanted.for_host:
        parts.append(_WAITS_FOR_HOST)
    return " AND ".join(parts), values
