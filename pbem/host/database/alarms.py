"""The rows behind what the operator is told by mail: how far each cause has been told, and when.

The log itself is ``notes``. A cause has at most one mail in its time; what is noted in between is told by the next one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pbem.base.values import dataclass
from pbem.host.database.database import Transaction

MOST_LINES: Final = 20
"""Lines of the log that one mail tells; the others are in the log."""


@dataclass(frozen=True, slots=True)
class Note:
    """A line of the log."""

    id: int
    at: str
    kind: str
    game: str
    text: str


class AlarmRows:
    """What the operator was told, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    def claim(self, kind: str, now: str, before: str) -> bool:
        """Take the one mail of this cause, if the last one left before that time, or in the future by a wrong clock."""
        return bool(
            self._tx.run(
                "INSERT INTO alarms (kind, mailed) VALUES (?, ?) ON CONFLICT (kind) DO UPDATE"
                " SET mailed = excluded.mailed WHERE alarms.mailed <= ? OR alarms.mailed > ? RETURNING kind",
                kind,
                now,
                before,
                now,
            )
        )

    def told_since(self, kind: str, before: str, now: str) -> bool:
        """Whether a mail of this cause left after that time, and not in the future."""
        query = "SELECT 1 FROM alarms WHERE kind = ? AND mailed > ? AND mailed <= ?"
        return bool(self._tx.run(query, kind, before, now))

    def untold(self, kind: str) -> tuple[list[Note], int]:
        """The first lines of this cause that no mail has told, and how many there are; they count as told now."""
        told = "(SELECT told FROM alarms WHERE kind = ?)"
        rows = self._tx.run(
            f"SELECT id, at, kind, game, text FROM notes WHERE kind = ? AND id > {told} ORDER BY id LIMIT ?",  # noqa: S608 - a constant
            kind,
            kind,
            MOST_LINES,
        )
        count = self._tx.run(
            f"SELECT COUNT(*), COALESCE(MAX(id), 0) FROM notes WHERE kind = ? AND id > {told}",  # noqa: S608
            kind,
            kind,
        )[0]
        if rows:
            self._tx.run("UPDATE alarms SET told = ? WHERE kind = ?", int(count[1]), kind)
        return [_note(row) for row in rows], int(count[0])

    def late(self, now: str, before: str) -> list[str]:
        """Causes of which lines are untold although their time is up."""
        rows = self._tx.run(
            "SELECT kind FROM alarms WHERE (mailed <= ? OR mailed > ?) AND EXISTS"
            " (SELECT 1 FROM notes WHERE notes.kind = alarms.kind AND notes.id > alarms.told) ORDER BY kind",
            before,
            now,
        )
        return [str(row[0]) for row in rows]

    def noted(self, since: str, kinds: Sequence[str]) -> list[Note]:
        """The lines of these kinds since a time, oldest first."""
        marks = ", ".join("?" for _ in kinds)
        rows = self._tx.run(
            f"SELECT id, at, kind, game, text FROM notes WHERE at >= ? AND kind IN ({marks}) ORDER BY id",  # noqa: S608 - marks
            since,
            *kinds,
        )
        return [_note(row) for row in rows]


def _note(row: tuple[object, ...]) -> Note:
    number, at, kind, game, text = row
    return Note(int(str(number)), str(at), str(kind), str(game), str(text))
