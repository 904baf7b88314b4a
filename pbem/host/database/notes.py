"""What a service notes beside its mail: log, settings, leases, who reads a mailbox, alerts to the operator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

from sqlalchemy import Table, bindparam, delete, func, or_, select, update

from pbem.base.values import dataclass
from pbem.host.database.database import Transaction
from pbem.host.database.driver import Rows
from pbem.host.database.tables import ALARMS, COUNTS, META, NOTES

_READER: Final = "reader/"
_REMEMBERED: Final = select(META.c.value).where(META.c.name == bindparam("name"))
_SEVERAL: Final = select(META.c.name, META.c.value).where(META.c.name.in_(bindparam("names", expanding=True)))
_BEGINNING: Final = (
    select(META.c.name, META.c.value, META.c.until)
    .where(META.c.name.startswith(bindparam("prefix")))
    .order_by(META.c.name)
)
_ONE_BEGINNING: Final = select(1).where(META.c.name.startswith(bindparam("prefix"))).limit(1)
_TAKEN: Final = select(META.c.value, META.c.until).where(META.c.name == bindparam("name"))
_GIVEN_UP: Final = (
    update(META).where(META.c.name == bindparam("name_"), META.c.value == bindparam("owner")).values(until="")
)
_OVER: Final = delete(COUNTS).where(COUNTS.c.until <= bindparam("now"))
_MAY_BE_MAILED = or_(ALARMS.c.mailed <= bindparam("before"), ALARMS.c.mailed > bindparam("now"))
_LATE: Final = (
    select(ALARMS.c.kind)
    .where(
        _MAY_BE_MAILED,
        select(1).where(NOTES.c.kind == ALARMS.c.kind, NOTES.c.id > ALARMS.c.reported).exists(),
    )
    .order_by(ALARMS.c.kind)
)


@cache
def _leasing(insert: Callable[[Table], Any]) -> Any:
    """Take a task, unless somebody else has it still."""
    stmt = insert(META)
    free = or_(META.c.value == stmt.excluded.value, META.c.until < bindparam("now"))
    taken = {"value": stmt.excluded.value, "until": stmt.excluded.until}
    return stmt.on_conflict_do_update(index_elements=["name"], set_=taken, where=free).returning(META.c.name)


class LogLine(NamedTuple):
    """A line of the service's log; ``game`` is empty if it is about no match."""

    at: str
    kind: str
    game: str
    text: str


class MailNotes:
    """Counts, leases and what the host should know, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    def forget_counts(self, now: str) -> None:
        """Counts whose time is over limit nothing any more."""
        self._tx.run(_OVER, now=now)

    def write(self, at: str, kind: str, text: str, game: str = "") -> int:
        """A line of the service's log; its number."""
        stmt = self._tx.insert(NOTES).values(at=at, kind=kind, game=game, text=text[:1000])
        return int(self._tx.scalar(stmt.returning(NOTES.c.id)))

    def newest(self, limit: int = 100) -> list[LogLine]:
        """The newest lines, newest first."""
        query = select(NOTES.c.at, NOTES.c.kind, NOTES.c.game, NOTES.c.text).order_by(NOTES.c.id.desc())
        return [LogLine(*row) for row in self._tx.run(query.limit(limit))]

    def after(self, number: int) -> list[tuple[int, str]]:
        """Number and text of every line behind this one, oldest first."""
        query = select(NOTES.c.id, NOTES.c.text).where(NOTES.c.id > number).order_by(NOTES.c.id)
        return [(number, text) for number, text in self._tx.run(query)]

    def last(self) -> int:
        """The number of the newest line; 0 if there is none."""
        return int(self._tx.scalar(select(func.max(NOTES.c.id))) or 0)

    def get(self, name: str) -> str:
        """A setting that the service remembers."""
        return str(self._tx.scalar(_REMEMBERED, name=name) or "")

    def any(self, prefix: str) -> bool:
        """Whether something is remembered under a name that begins so."""
        return bool(self._tx.run(_ONE_BEGINNING, prefix=prefix))

    def several(self, *names: str) -> dict[str, str]:
        """Several of them, empty where nothing is remembered."""
        return dict.fromkeys(names, "") | dict(self._tx.run(_SEVERAL, names=names))

    def set(self, name: str, value: str) -> None:
        """Remember a setting."""
        self._tx.put(META, {"name": name}, value=value)

    def locked(self, name: str) -> str:
        """A setting that no other transaction changes until this one ends, also where there was none."""
        self._tx.add(META, name=name)
        self._tx.run(update(META).where(META.c.name == name).values(value=META.c.value))
        return self.get(name)

    def lease(self, name: str, owner: str, now: str, until: str) -> bool:
        """Take a task for ``owner`` alone until a time, unless somebody else has it still."""
        return bool(self._tx.run(_leasing(self._tx.insert), name=name, value=owner, until=until, now=now))

    def taken(self, name: str) -> tuple[str, str]:
        """Who has taken a task last, and until when; that is empty if it was given up."""
        rows = self._tx.run(_TAKEN, name=name)
        return (rows[0].value, rows[0].until) if rows else ("", "")

    def shorten(self, until: str) -> None:
        """No task is taken for longer than that."""
        self._tx.run(update(META).where(META.c.until > until).values(until=until))

    def release(self, name: str, owner: str) -> None:
        """Give a task up, if ``owner`` has it."""
        self._tx.run(_GIVEN_UP, name_=name, owner=owner)


class ReaderRows:
    """The processes that read a mailbox, within one transaction."""

    def __init__(self, transaction: Transaction, mailbox: str) -> None:
        self._tx = transaction
        self._prefix = f"{_READER}{mailbox}/"

    @staticmethod
    def mailboxes(transaction: Transaction) -> list[str]:
        """The mailboxes that somebody reads, or has read within a day without saying that they have ended."""
        rows = transaction.run(_BEGINNING, prefix=_READER)
        return sorted({row.name.removeprefix(_READER).partition("/")[0] for row in rows})

    def join(self, owner: str, until: str) -> None:
        """``owner`` reads, and is there until then at least."""
        self._tx.put(META, {"name": self._prefix + owner}, until=until)

    def _rows(self) -> Rows:
        return self._tx.run(_BEGINNING, prefix=self._prefix)

    def all(self) -> list[tuple[str, str]]:
        """Who reads, and until when they are there."""
        return [(row.name.removeprefix(self._prefix), row.until) for row in self._rows()]

    def note(self, owner: str, words: str) -> None:
        """What ``owner`` says of how far they have read; nothing, if they are not there any more."""
        self._tx.run(update(META).where(META.c.name == self._prefix + owner).values(value=words))

    def noted(self) -> dict[str, str]:
        """What each of them has said."""
        return {row.name.removeprefix(self._prefix): row.value for row in self._rows()}

    def leave(self, owner: str) -> None:
        """``owner`` reads no more."""
        self._tx.run(delete(META).where(META.c.name == self._prefix + owner))


# --- the rows behind what the operator is alerted to by mail: how far each cause was sent, and when ---------
#
# The log itself is ``notes``. A cause has at most one mail in its time; what is noted in between is sent
# by the next one.

MOST_LINES: Final = 20
"""Lines of the log that one mail shows; the others are in the log."""


@dataclass(frozen=True, slots=True)
class Note:
    """A line of the log."""

    id: int
    at: str
    kind: str
    game: str
    text: str


class AlarmRows:
    """What the operator was alerted to, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    def claim(self, kind: str, now: str, before: str) -> bool:
        """Take the one mail of this cause, if the last one left before that time, or in the future by a wrong clock."""
        stmt = self._tx.insert(ALARMS).values(kind=kind, mailed=now)
        free = or_(ALARMS.c.mailed <= before, ALARMS.c.mailed > now)
        taken = stmt.on_conflict_do_update(index_elements=["kind"], set_={"mailed": now}, where=free)
        return bool(self._tx.run(taken.returning(ALARMS.c.kind)))

    def notified_since(self, kind: str, before: str, now: str) -> bool:
        """Whether an email of this cause left after that time, and not in the future."""
        mine = select(1).where(ALARMS.c.kind == kind)
        return bool(self._tx.run(mine.where(ALARMS.c.mailed > before, ALARMS.c.mailed <= now)))

    def unreported(self, kind: str) -> tuple[list[Note], int]:
        """The first lines of this cause that no mail has shown, and how many there are; they count as shown now."""
        upto = select(ALARMS.c.reported).where(ALARMS.c.kind == kind).scalar_subquery()
        mine = (NOTES.c.kind == kind, NOTES.c.id > upto)
        rows = self._tx.run(select(NOTES).where(*mine).order_by(NOTES.c.id).limit(MOST_LINES))
        ((count, last),) = self._tx.run(select(func.count(), func.max(NOTES.c.id)).where(*mine))
        if rows:
            self._tx.run(update(ALARMS).where(ALARMS.c.kind == kind).values(reported=last))
        return [Note(*row) for row in rows], count

    def late(self, now: str, before: str) -> list[str]:
        """Causes of which lines are unreported although their time is up."""
        return [kind for (kind,) in self._tx.run(_LATE, now=now, before=before)]

    def noted(self, since: str, kinds: Sequence[str]) -> list[Note]:
        """The lines of these kinds since a time, oldest first."""
        query = select(NOTES).where(NOTES.c.at >= since, NOTES.c.kind.in_(kinds)).order_by(NOTES.c.id)
        return [Note(*row) for row in self._tx.run(query)]
