"""The rows behind what the operator is told by mail: how far each cause has been told, and when.

The log itself is ``notes``. A cause has at most one mail in its time; what is noted in between is told by the next one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlalchemy import func, or_, select, update

from pbem.base.values import dataclass
from pbem.host.database.database import Transaction
from pbem.host.database.tables import ALARMS, NOTES

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
        made = self._tx.insert(ALARMS).values(kind=kind, mailed=now)
        free = or_(ALARMS.c.mailed <= before, ALARMS.c.mailed > now)
        taken = made.on_conflict_do_update(index_elements=["kind"], set_={"mailed": now}, where=free)
        return bool(self._tx.run(taken.returning(ALARMS.c.kind)))

    def told_since(self, kind: str, before: str, now: str) -> bool:
        """Whether a mail of this cause left after that time, and not in the future."""
        mine = select(1).where(ALARMS.c.kind == kind)
        return bool(self._tx.run(mine.where(ALARMS.c.mailed > before, ALARMS.c.mailed <= now)))

    def untold(self, kind: str) -> tuple[list[Note], int]:
        """The first lines of this cause that no mail has told, and how many there are; they count as told now."""
        upto = select(ALARMS.c.told).where(ALARMS.c.kind == kind).scalar_subquery()
        mine = (NOTES.c.kind == kind, NOTES.c.id > upto)
        rows = self._tx.run(select(NOTES).where(*mine).order_by(NOTES.c.id).limit(MOST_LINES))
        ((count, last),) = self._tx.run(select(func.count(), func.max(NOTES.c.id)).where(*mine))
        if rows:
            self._tx.run(update(ALARMS).where(ALARMS.c.kind == kind).values(told=last))
        return [Note(*row) for row in rows], count

    def late(self, now: str, before: str) -> list[str]:
        """Causes of which lines are untold although their time is up."""
        more = select(1).where(NOTES.c.kind == ALARMS.c.kind, NOTES.c.id > ALARMS.c.told).exists()
        free = or_(ALARMS.c.mailed <= before, ALARMS.c.mailed > now)
        return [
            kind for (kind,) in self._tx.run(select(ALARMS.c.kind).where(free, more).order_by(ALARMS.c.kind))
        ]

    def noted(self, since: str, kinds: Sequence[str]) -> list[Note]:
        """The lines of these kinds since a time, oldest first."""
        query = select(NOTES).where(NOTES.c.at >= since, NOTES.c.kind.in_(kinds)).order_by(NOTES.c.id)
        return [Note(*row) for row in self._tx.run(query)]
