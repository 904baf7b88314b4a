"""Lists of matches: which there are in a state, of a player or a game, late, or waiting for their host; by pages.

What only the records say stands in ``summaries``: of which game a match is, by when it waits for an answer, whether its
host has to carry something out. A summary is made when records are appended, and again by whoever asks for a list when
it is of another record than the newest one, or when what it says was good until then. So a page costs what stands on
it, and of the other matches a few steps of the database.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, Final

from sqlalchemy import ColumnElement, Table, and_, bindparam, case, delete, func, or_, select, union

from pbem.base.values import dataclass
from pbem.host.budgets import Counts
from pbem.host.database.database import Transaction
from pbem.host.database.matches import MATCH, STOPPED, MatchRow, is_reached_at, match_row
from pbem.host.database.tables import CONSENTS, COUNTS, JOINS, MATCHES, SEATS, SUMMARIES

_AT_ONCE: Final = 500
"""Names in one question."""
STATES: Final = ("running", "stopped", "over")
"""The states of matches; one that is over does not stand still."""
_STATE: Final[dict[str, ColumnElement[bool]]] = {
    "running": and_(MATCHES.c.over == 0, MATCHES.c.game.not_in(STOPPED)),
    "stopped": and_(MATCHES.c.over == 0, MATCHES.c.game.in_(STOPPED)),
    "over": MATCHES.c.over == 1,
}
_HEARD: Final = select(func.max(SEATS.c.heard)).where(SEATS.c.game == MATCHES.c.game).scalar_subquery()
ORDERS: Final[dict[str, Sequence[Any]]] = {
    "created": (MATCHES.c.created, MATCHES.c.game),
    "due": (func.coalesce(SUMMARIES.c.due, "") == "", SUMMARIES.c.due, MATCHES.c.short),
    "heard": (_HEARD == "", _HEARD, MATCHES.c.short),
    "name": (MATCHES.c.short,),
    "records": (MATCHES.c.seq.desc(), MATCHES.c.short),
}
"""How lists are sorted; what has no time comes last."""
_WAITS_FOR_HOST: Final = or_(
    _STATE["stopped"],
    SUMMARIES.c.by_hand == 1,
    MATCHES.c.game.in_(select(CONSENTS.c.game)),
    MATCHES.c.game.in_(union(select(JOINS.c.game), select(SEATS.c.game).where(SEATS.c.suspended != ""))),
)
_FROM: Final = MATCHES.outerjoin(SUMMARIES, SUMMARIES.c.game == MATCHES.c.game)


@dataclass(frozen=True, slots=True)
class MatchSummary:
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
        """Whether what is wanted stands in the summaries."""
        return bool(self.rules or self.late_at or self.for_host or self.order == "due")


class Lists:
    """Lists of matches, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    def note(self, game: str, compact_view: MatchSummary) -> None:
        """What a list says of a match from now on."""
        values = {name: getattr(compact_view, name) for name in ("head", "rules", "due", "good")}
        self._tx.put(SUMMARIES, {"game": game}, **values, by_hand=int(compact_view.by_hand))

    def stale(self, now: str) -> list[MatchRow]:
        """The matches without a summary that is right at ``now``."""
        old = and_(SUMMARIES.c.good != "", SUMMARIES.c.good <= now, MATCHES.c.over == 0)
        wrong = or_(SUMMARIES.c.game.is_(None), SUMMARIES.c.head != MATCHES.c.head, old)
        return [match_row(row) for row in self._tx.run(MATCH.select_from(_FROM).where(wrong))]

    def page(self, wanted: Wanted, first: int, size: int) -> list[str]:
        """The short names of ``size`` such matches from number ``first`` (0) on."""
        query = (
            select(MATCHES.c.short).select_from(_FROM).where(*_where(wanted)).order_by(*ORDERS[wanted.order])
        )
        return [short for (short,) in self._tx.run(query.limit(size).offset(first))]

    def count(self, wanted: Wanted) -> int:
        """How many there are."""
        return int(self._tx.scalar(select(func.count()).select_from(_FROM).where(*_where(wanted))))


def _where(wanted: Wanted) -> Iterator[ColumnElement[bool]]:
    yield or_(*(_STATE[state] for state in wanted.states))
    if wanted.address:
        yield MATCHES.c.game.in_(select(SEATS.c.game).where(is_reached_at(wanted.address)))
    if wanted.rules:
        yield SUMMARIES.c.rules == wanted.rules
    if wanted.late_at:
        yield and_(SUMMARIES.c.due != "", SUMMARIES.c.due < wanted.late_at)
    if wanted.for_host:
        yield _WAITS_FOR_HOST


# --- what ``pbem.host.budgets`` counts, in the database: the same for all workers, and after a restart ----


_COUNT: Final = select(COUNTS.c.count).where(
    COUNTS.c.name == bindparam("name"), COUNTS.c.until > bindparam("now")
)


@cache
def _counted(insert: Callable[[Table], Any]) -> Any:
    stmt = insert(COUNTS)
    new = stmt.excluded
    passed = or_(COUNTS.c.until <= bindparam("now"), COUNTS.c.until > new.until)  # or a wrong clock wrote it
    again = {
        "count": case((passed, new.count), else_=COUNTS.c.count + new.count),
        "until": case((passed, new.until), else_=COUNTS.c.until),
    }
    return stmt.on_conflict_do_update(index_elements=["name"], set_=again).returning(COUNTS.c.count)


class DatabaseCounts(Counts):
    """See ``Counts``; ``later`` says which time it is so many seconds from now."""

    def __init__(self, transaction: Transaction, later: Callable[[float], str]) -> None:
        super().__init__(lambda: 0.0)
        self._tx = transaction
        self._later = later

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """See ``Storage``."""
        counted = _counted(self._tx.insert)
        return int(
            self._tx.scalar(counted, name=key, count=amount, until=self._later(expiry), now=self._later(0))
        )

    def get(self, key: str) -> int:
        """See ``Storage``."""
        return int(self._tx.scalar(_COUNT, name=key, now=self._later(0)) or 0)

    def several(self, keys: Sequence[str]) -> dict[str, int]:
        """See ``Counts``."""
        query = select(COUNTS.c.name, COUNTS.c.count).where(COUNTS.c.until > self._later(0))
        counts: dict[str, int] = {}
        for start in range(0, len(keys), _AT_ONCE):
            counts |= dict(self._tx.run(query.where(COUNTS.c.name.in_(keys[start : start + _AT_ONCE]))))
        return counts

    def get_expiry(self, key: str) -> float:
        """See ``Storage``: nobody here asks when it begins again."""
        raise LookupError(key)

    def clear(self, key: str) -> None:
        """See ``Storage``."""
        self._tx.run(delete(COUNTS).where(COUNTS.c.name == key))


def forget_person(transaction: Transaction, person: str) -> None:
    """What is counted for an address."""
    transaction.run(delete(COUNTS).where(COUNTS.c.name.contains(f"/{person}/", autoescape=True)))
