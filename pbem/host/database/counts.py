"""What ``pbem.host.budgets`` counts, in the database: the same for all workers, and after a restart."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import case, delete, or_, select

from pbem.host.budgets import Counts
from pbem.host.database.database import Transaction
from pbem.host.database.tables import COUNTS


class DatabaseCounts(Counts):
    """See ``Counts``; ``later`` says which time it is so many seconds from now."""

    def __init__(self, transaction: Transaction, later: Callable[[float], str]) -> None:
        super().__init__(lambda: 0.0)
        self._tx = transaction
        self._later = later

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """See ``Storage``."""
        now, until = self._later(0), self._later(expiry)
        made = self._tx.insert(COUNTS).values(name=key, count=amount, until=until)
        passed = or_(COUNTS.c.until <= now, COUNTS.c.until > until)  # or a wrong clock wrote it
        again = {
            "count": case((passed, amount), else_=COUNTS.c.count + amount),
            "until": case((passed, until), else_=COUNTS.c.until),
        }
        counted = made.on_conflict_do_update(index_elements=["name"], set_=again)
        return int(self._tx.one(counted.returning(COUNTS.c.count)))

    def get(self, key: str) -> int:
        """See ``Storage``."""
        query = select(COUNTS.c.count).where(COUNTS.c.name == key, COUNTS.c.until > self._later(0))
        return int(self._tx.one(query) or 0)

    def get_expiry(self, key: str) -> float:
        """See ``Storage``: nobody here asks when it begins anew."""
        raise LookupError(key)

    def clear(self, key: str) -> None:
        """See ``Storage``."""
        self._tx.run(delete(COUNTS).where(COUNTS.c.name == key))


def forget_person(transaction: Transaction, person: str) -> None:
    """What is counted for an address."""
    transaction.run(delete(COUNTS).where(COUNTS.c.name.contains(f"/{person}/", autoescape=True)))
