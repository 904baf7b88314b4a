"""The rows of the HTTP API: words that were withdrawn, and files that were posted there."""

from __future__ import annotations

from typing import Final

from sqlalchemy import case, select, update

from pbem.base.values import dataclass
from pbem.host.database.database import Transaction
from pbem.host.database.tables import DOORS, POSTED

OPEN: Final = 0
"""The typed word of a seat's invitation opens the API, and so does the code of its link."""
SHUT: Final = 1
"""Neither does any longer."""
RENEWED: Final = 2
"""A new link was given for one that was withdrawn, and so on upwards: its code opens, a typed word does not."""


@dataclass(frozen=True, slots=True)
class Posted:
    """A file that came by the door: its message's hash, the signature to find it by, what it had seen, its mail."""

    hash: str
    mark: str
    seen: int
    mail: int


class ApiRows:
    """Words and posted files within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    def counters(self, game: str) -> dict[str, tuple[int, int]]:
        """Of every seat that has a row: how often its word was changed, and what of its invitation opens."""
        rows = self._tx.run(select(DOORS).where(DOORS.c.game == game))
        return {row.seat: (row.counter, row.shut) for row in rows}

    def counter(self, game: str, seat: str) -> int:
        """How often the word of a seat was changed."""
        query = select(DOORS.c.counter).where(DOORS.c.game == game, DOORS.c.seat == seat)
        return int(self._tx.one(query) or 0)

    def withdraw(self, game: str, seat: str, *, shut: int) -> None:
        """The seat's word opens nothing any more, nor do word and code of its invitation but as ``shut`` says."""
        made = self._tx.insert(DOORS).values(game=game, seat=seat, counter=1, shut=shut)
        again = {"counter": DOORS.c.counter + 1, "shut": shut}
        self._tx.run(made.on_conflict_do_update(index_elements=["game", "seat"], set_=again))

    def renew(self, game: str, seat: str) -> None:
        """Another link from now on: the seat's word, its invitation's and the code of the link before open nothing."""
        made = self._tx.insert(DOORS).values(game=game, seat=seat, counter=1, shut=RENEWED)
        shut = case((DOORS.c.shut >= RENEWED, DOORS.c.shut + 1), else_=RENEWED)
        again = {"counter": DOORS.c.counter + 1, "shut": shut}
        self._tx.run(made.on_conflict_do_update(index_elements=["game", "seat"], set_=again))

    def count_on(self, game: str, seat: str) -> None:
        """Somebody else sits there by the same link: the seat's word is another one."""
        made = self._tx.insert(DOORS).values(game=game, seat=seat, counter=1, shut=OPEN)
        again = {"counter": DOORS.c.counter + 1}
        self._tx.run(made.on_conflict_do_update(index_elements=["game", "seat"], set_=again))

    def shut(self, game: str, seat: str) -> None:
        """Word and code of the seat's invitation have done their work."""
        self._tx.put(DOORS, {"game": game, "seat": seat}, shut=SHUT)

    def invite(self, game: str, seat: str) -> None:
        """A new invitation's word opens again; a link that was withdrawn does not."""
        mine = update(DOORS).where(DOORS.c.game == game, DOORS.c.seat == seat, DOORS.c.shut == SHUT)
        self._tx.run(mine.values(shut=OPEN))

    def keep(self, game: str, seat: str, receipt: str, file: Posted) -> None:
        """A posted file; the same bytes again change nothing."""
        values = {"hash": file.hash, "mark": file.mark, "seen": file.seen, "mail": file.mail}
        self._tx.add(POSTED, game=game, seat=seat, receipt=receipt, **values)

    def find(self, game: str, seat: str, receipt: str) -> Posted | None:
        """The file that a receipt was given for."""
        rows = self._tx.run(
            select(POSTED.c.hash, POSTED.c.mark, POSTED.c.seen, POSTED.c.mail).where(
                POSTED.c.game == game, POSTED.c.seat == seat, POSTED.c.receipt == receipt
            )
        )
        return Posted(*rows[0]) if rows else None

    def brought(self, mail: int) -> bool:
        """Whether this row of the inbox came by the API."""
        return bool(self._tx.run(select(1).where(POSTED.c.mail == mail).limit(1)))
