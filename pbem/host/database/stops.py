"""The rows of a match that stands still because its record is not the newest one that its host has signed.

``proven`` holds the records that somebody has shown by the host's own signature; ``copies`` records that people have
sent in, each signed by the host for this match, so that nothing foreign can lie here; ``pieces`` what is to become
such records. ``eras`` counts how often a history was given up for another one, and up to which number that was.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pbem.base.values import dataclass
from pbem.host.database.database import Transaction

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
        rows = self._tx.run("SELECT game, state, since FROM stops ORDER BY since, game")
        return [Stop(str(game), str(state), str(since)) for game, state, since in rows]

    def of(self, game: str) -> Stop | None:
        """Why this match stands still; None if it does not."""
        return next((stop for stop in self.all() if stop.game == game), None)

    def begin(self, game: str, state: str, at: str) -> bool:
        """The match stands still; whether that is news. A fork stays one."""
        before = self.of(game)
        if before is None:
            self._tx.run("INSERT INTO stops (game, state, since) VALUES (?, ?, ?)", game, state, at)
        elif before.state == state or before.state == FORKED:
            return False
        else:
            self._tx.run("UPDATE stops SET state = ? WHERE game = ?", state, game)
        return True

    def end(self, game: str) -> None:
        """The match goes on."""
        for table in ("stops", "proven", "copies", "pieces"):
            self._tx.run(f"DELETE FROM {table} WHERE game = ?", game)  # noqa: S608 - the names stand here

    # --- what was shown ----------------------------------------------------------------------------------

    def prove(self, game: str, seq: int, line: str) -> bool:
        """Somebody has shown that the host signed this record (hash in hex); whether that is news."""
        return bool(
            self._tx.run(
                "INSERT INTO proven (game, seq, line) VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING seq",
                game,
                seq,
                line,
            )
        )

    def proven(self, game: str) -> list[tuple[int, str]]:
        """Number and hash of every record that was shown."""
        rows = self._tx.run("SELECT seq, line FROM proven WHERE game = ? ORDER BY seq, line", game)
        return [(int(seq), str(line)) for seq, line in rows]

    def keep_copy(self, game: str, copy: CopyRow) -> bool:
        """Keep a record that the host signed; whether it is new."""
        return bool(
            self._tx.run(
                "INSERT INTO copies (game, line, seq, prev, raw) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT DO NOTHING RETURNING line",
                game,
                copy.line,
                copy.seq,
                copy.prev,
                copy.raw,
            )
        )

    def copies(self, game: str) -> list[CopyRow]:
        """All of them, by number."""
        rows = self._tx.run("SELECT line, seq, prev, raw FROM copies WHERE game = ? ORDER BY seq, line", game)
        return [CopyRow(str(line), int(seq), str(prev), bytes(raw)) for line, seq, prev, raw in rows]

    # --- pieces ------------------------------------------------------------------------------------------

    def keep_piece(self, game: str, bundle: str, number: int, raw: bytes) -> None:
        """Keep a piece; where too many are kept, the other bundle of which fewest have come makes room.

        Nobody signs pieces, so whoever sends many that belong to nothing must not keep the right ones out.
        """
        while int(self._tx.run("SELECT COUNT(*) FROM pieces WHERE game = ?", game)[0][0]) >= MOST_PIECES:
            least = self._tx.run(
                "SELECT bundle FROM pieces WHERE game = ? AND bundle <> ? GROUP BY bundle"
                " ORDER BY COUNT(*), bundle LIMIT 1",
                game,
                bundle,
            )
            self.drop_pieces(game, str(least[0][0]))
        self._tx.run(
            "INSERT INTO pieces (game, bundle, number, raw) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            game,
            bundle,
            number,
            raw,
        )

    def kept_pieces(self, game: str, bundle: str) -> set[int]:
        """The numbers of the pieces of one bundle that have come."""
        rows = self._tx.run("SELECT number FROM pieces WHERE game = ? AND bundle = ?", game, bundle)
        return {int(number) for (number,) in rows}

    def pieces(self, game: str, bundle: str) -> Mapping[int, bytes]:
        """The pieces of one bundle that have come, by number."""
        rows = self._tx.run("SELECT number, raw FROM pieces WHERE game = ? AND bundle = ?", game, bundle)
        return {int(number): bytes(raw) for number, raw in rows}

    def drop_pieces(self, game: str, bundle: str) -> None:
        """What they held is kept as records now, or was nothing."""
        self._tx.run("DELETE FROM pieces WHERE game = ? AND bundle = ?", game, bundle)

    # --- histories that were given up --------------------------------------------------------------------

    def era(self, game: str) -> tuple[int, int]:
        """How often a history of this match was given up; the newest number at the last time, -1 if never."""
        rows = self._tx.run("SELECT era, upto FROM eras WHERE game = ?", game)
        return (int(rows[0][0]), int(rows[0][1])) if rows else (0, -1)

    def new_era(self, game: str, upto: int) -> None:
        """A history was given up; every other record with a number up to ``upto`` belongs to such a one."""
        self._tx.run(
            "INSERT INTO eras (game, era, upto) VALUES (?, 1, ?) ON CONFLICT (game) DO UPDATE"
            " SET era = eras.era + 1, upto = excluded.upto",
            game,
            upto,
        )
