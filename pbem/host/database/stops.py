"""The rows of a match that stands still because its record is not the newest one that its host has signed.

``proven`` holds the records that somebody has shown by the host's own signature; ``copies`` records that people have
sent in, each signed by the host for this match, so that nothing foreign can lie here; ``pieces`` what is to become
such records. ``eras`` counts how often a history was given up for another one, and up to which number that was.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sqlalchemy import delete, func, select, update

from pbem.base.values import dataclass
from pbem.host.database.database import Transaction
from pbem.host.database.tables import COPIES, ERAS, PIECES, PROVEN, STOPS

OLDER: Final = "older"
FORKED: Final = "forked"

MOST_PIECES: Final = 512
"""Pieces that are kept for one match: they are foreign bytes until the last one has come."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Why a match stands still, and since when."""

    game: str
    state: str
    since: str


@dataclass(frozen=True, slots=True)
class CopyRow:
    """A record that somebody has sent in: its hash and its forerunner's in hex."""

    line: str
    seq: int
    prev: str
    raw: bytes


class Stops:
    """Matches that stand still, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    # --- which -------------------------------------------------------------------------------------------

    def all(self) -> list[Stop]:
        """Every match that stands still."""
        return [Stop(*row) for row in self._tx.run(select(STOPS).order_by(STOPS.c.since, STOPS.c.game))]

    def of(self, game: str) -> Stop | None:
        """Why this match stands still; None if it does not."""
        rows = self._tx.run(select(STOPS).where(STOPS.c.game == game))
        return Stop(*rows[0]) if rows else None

    def begin(self, game: str, state: str, at: str) -> bool:
        """The match stands still; whether that is news. A fork stays one."""
        before = self.of(game)
        if before is not None and before.state in (state, FORKED):
            return False
        if not self._tx.add(STOPS, game=game, state=state, since=at):
            self._tx.run(update(STOPS).where(STOPS.c.game == game).values(state=state))
        return True

    def end(self, game: str) -> None:
        """The match goes on."""
        for table in (STOPS, PROVEN, COPIES, PIECES):
            self._tx.run(delete(table).where(table.c.game == game))

    # --- what was shown ----------------------------------------------------------------------------------

    def prove(self, game: str, seq: int, line: str) -> bool:
        """Somebody has shown that the host signed this record (hash in hex); whether that is news."""
        return self._tx.add(PROVEN, game=game, seq=seq, line=line)

    def proven(self, game: str) -> list[tuple[int, str]]:
        """Number and hash of every record that was shown."""
        query = select(PROVEN.c.seq, PROVEN.c.line).where(PROVEN.c.game == game)
        return [(seq, line) for seq, line in self._tx.run(query.order_by(PROVEN.c.seq, PROVEN.c.line))]

    def keep_copy(self, game: str, copy: CopyRow) -> bool:
        """Keep a record that the host signed; whether it is new."""
        return self._tx.add(COPIES, game=game, line=copy.line, seq=copy.seq, prev=copy.prev, raw=copy.raw)

    def copies(self, game: str) -> list[CopyRow]:
        """All of them, by number."""
        query = select(COPIES.c.line, COPIES.c.seq, COPIES.c.prev, COPIES.c.raw).where(COPIES.c.game == game)
        return [CopyRow(*row) for row in self._tx.run(query.order_by(COPIES.c.seq, COPIES.c.line))]

    # --- pieces ------------------------------------------------------------------------------------------

    def keep_piece(self, game: str, bundle: str, number: int, raw: bytes) -> None:
        """Keep a piece; where too many are kept, the other bundle of which fewest have come makes room.

        Nobody signs pieces, so whoever sends many that belong to nothing must not keep the right ones out.
        """
        all_kept = select(func.count()).where(PIECES.c.game == game)
        fewest = (
            select(PIECES.c.bundle)
            .where(PIECES.c.game == game, PIECES.c.bundle != bundle)
            .group_by(PIECES.c.bundle)
            .order_by(func.count(), PIECES.c.bundle)
            .limit(1)
        )
        while self._tx.one(all_kept) >= MOST_PIECES:
            self.drop_pieces(game, self._tx.one(fewest))
        self._tx.add(PIECES, game=game, bundle=bundle, number=number, raw=raw)

    def pieces(self, game: str, bundle: str) -> Mapping[int, bytes]:
        """The pieces of one bundle that have come, by number."""
        query = select(PIECES.c.number, PIECES.c.raw).where(PIECES.c.game == game, PIECES.c.bundle == bundle)
        return dict(self._tx.run(query))

    def drop_pieces(self, game: str, bundle: str) -> None:
        """What they held is kept as records now, or was nothing."""
        self._tx.run(delete(PIECES).where(PIECES.c.game == game, PIECES.c.bundle == bundle))

    # --- histories that were given up --------------------------------------------------------------------

    def era(self, game: str) -> tuple[int, int]:
        """How often a history of this match was given up; the newest number at the last time, -1 if never."""
        rows = self._tx.run(select(ERAS.c.era, ERAS.c.upto).where(ERAS.c.game == game))
        return (rows[0].era, rows[0].upto) if rows else (0, -1)

    def new_era(self, game: str, upto: int) -> None:
        """A history was given up; every other record with a number up to ``upto`` belongs to such a one."""
        made = self._tx.insert(ERAS).values(game=game, era=1, upto=upto)
        again = {"era": ERAS.c.era + 1, "upto": upto}
        self._tx.run(made.on_conflict_do_update(index_elements=["game"], set_=again))
