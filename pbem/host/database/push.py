"""The rows of Web Push: which browsers a seat wants to be called in, and what they were called for last."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, delete, select, update

from pbem.base.values import dataclass
from pbem.host.database.database import Transaction
from pbem.host.database.tables import MATCHES, PUSHES


@dataclass(frozen=True, slots=True)
class PushRow:
    """A browser of a seat: where it is called (RFC 8030), its keys (RFC 8291), and how far it was.

    ``looked`` is the newest record that was looked at for it, ``rung`` its player's newest own record when it was
    called last (-2: never), ``later`` the time before which it is not called.
    """

    game: str
    seat: str
    endpoint: str
    p256dh: str
    auth: str
    named: bool
    zone: str
    looked: int = -1
    rung: int = -2
    later: str = ""


class PushRows:
    """Registrations within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    def keep(self, row: PushRow, most: int) -> None:
        """A browser is to be called; of too many of one seat the one that is called for longest goes."""
        self.drop(row.game, row.seat, row.endpoint)
        mine = select(PUSHES.c.endpoint).where(PUSHES.c.game == row.game, PUSHES.c.seat == row.seat)
        rows = self._tx.run(mine.order_by(PUSHES.c.looked.desc(), PUSHES.c.endpoint))
        for (endpoint,) in rows[most - 1 :]:
            self.drop(row.game, row.seat, endpoint)
        values = {name: getattr(row, name) for name in PushRow.__annotations__} | {"named": int(row.named)}
        self._tx.add(PUSHES, **values)

    def drop(self, game: str, seat: str, endpoint: str = "") -> None:
        """One browser, or without ``endpoint`` every one of the seat, is called no more."""
        gone = delete(PUSHES).where(PUSHES.c.game == game, PUSHES.c.seat == seat)
        self._tx.run(gone.where(PUSHES.c.endpoint == endpoint) if endpoint else gone)

    def due(self, now: str, most: int) -> list[PushRow]:
        """Browsers whose match has records that were not looked at for them, and which may be called now."""
        query = select(PUSHES).join(MATCHES, MATCHES.c.game == PUSHES.c.game)
        query = query.where(MATCHES.c.seq > PUSHES.c.looked, PUSHES.c.later <= now)
        return self._rows(query.order_by(PUSHES.c.later, PUSHES.c.game).limit(most))

    def any(self, game: str) -> bool:
        """Whether a browser of this match wants to be called."""
        return bool(self._tx.run(select(1).where(PUSHES.c.game == game).limit(1)))

    def of(self, game: str, seat: str) -> list[PushRow]:
        """The browsers of a seat."""
        mine = select(PUSHES).where(PUSHES.c.game == game, PUSHES.c.seat == seat)
        return self._rows(mine.order_by(PUSHES.c.endpoint))

    def _rows(self, query: Select[Any]) -> list[PushRow]:
        return [PushRow(**{**row._mapping, "named": bool(row.named)}) for row in self._tx.run(query)]  # noqa: SLF001

    def note(self, row: PushRow, *, looked: int, rung: int, later: str) -> None:
        """What was done for a browser; it is noted before anything leaves, so that nothing leaves twice."""
        mine = update(PUSHES).where(
            PUSHES.c.game == row.game, PUSHES.c.seat == row.seat, PUSHES.c.endpoint == row.endpoint
        )
        self._tx.run(mine.values(looked=looked, rung=rung, later=later))
