"""The rows of Web Push: which browsers a seat wants to be called in, and what they were called for last."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

from sqlalchemy import Select, bindparam, case, delete, select, update

from pbem.base.values import dataclass
from pbem.host.database.database import Transaction
from pbem.host.database.tables import ACCESS, MATCHES, POSTED, PUSHES


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


_BROUGHT: Final = select(1).where(POSTED.c.mail == bindparam("mail")).limit(1)
_ACCESS: Final = select(ACCESS).where(ACCESS.c.game == bindparam("game"))
_ANY: Final = select(1).where(PUSHES.c.game == bindparam("game")).limit(1)
_DUE: Final = (
    select(PUSHES)
    .join(MATCHES, MATCHES.c.game == PUSHES.c.game)
    .where(MATCHES.c.seq > PUSHES.c.looked, PUSHES.c.later <= bindparam("now"))
    .order_by(PUSHES.c.later, PUSHES.c.game)
    .limit(bindparam("most"))
)


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
        return self._rows(_DUE, now=now, most=most)

    def any(self, game: str) -> bool:
        """Whether a browser of this match wants to be called."""
        return bool(self._tx.run(_ANY, game=game))

    def of(self, game: str, seat: str) -> list[PushRow]:
        """The browsers of a seat."""
        mine = select(PUSHES).where(PUSHES.c.game == game, PUSHES.c.seat == seat)
        return self._rows(mine.order_by(PUSHES.c.endpoint))

    def _rows(self, query: Select[Any], **named: object) -> list[PushRow]:
        rows = self._tx.run(query, **named)
        return [PushRow(**{**row._mapping, "named": bool(row.named)}) for row in rows]  # noqa: SLF001

    def note(self, row: PushRow, *, looked: int, rung: int, later: str) -> None:
        """What was done for a browser; it is noted before anything leaves, so that nothing leaves twice."""
        mine = update(PUSHES).where(
            PUSHES.c.game == row.game, PUSHES.c.seat == row.seat, PUSHES.c.endpoint == row.endpoint
        )
        self._tx.run(mine.values(looked=looked, rung=rung, later=later))


# --- the rows of the HTTP API: words that were withdrawn, and files that were posted there ----------------

OPEN: Final = 0
"""A typed invite code opens the API for its seat, and so does the code of the seat's link."""
CLOSED: Final = 1
"""Neither does any longer."""
RENEWED: Final = 2
"""A new link was given for one that was withdrawn, and so on upwards: its code opens, a typed invite code does not."""


@dataclass(frozen=True, slots=True)
class Posted:
    """A file that came by the API: its message's hash, the signature to find it by, what it had seen, its mail."""

    hash: str
    mark: str
    seen: int
    mail: int


class ApiRows:
    """Words and posted files within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    def counters(self, game: str) -> dict[str, tuple[int, int]]:
        """Of every seat that has a row: how often its access code was changed, and what of its invitation opens."""
        rows = self._tx.once(ACCESS, game, lambda: self._tx.run(_ACCESS, game=game))
        return {row.seat: (row.counter, row.invitation) for row in rows}

    def counter(self, game: str, seat: str) -> int:
        """How often the access code of a seat was changed."""
        query = select(ACCESS.c.counter).where(ACCESS.c.game == game, ACCESS.c.seat == seat)
        return int(self._tx.scalar(query) or 0)

    def withdraw(self, game: str, seat: str, *, invitation: int) -> None:
        """The seat's access code opens nothing any more, its invite code and its link only as ``invitation`` says."""
        self._count(game, seat, invitation, {"invitation": invitation})

    def renew(self, game: str, seat: str) -> None:
        """Another link from now on: the seat's access code, its invite code and the link before open nothing."""
        invitation = case((ACCESS.c.invitation >= RENEWED, ACCESS.c.invitation + 1), else_=RENEWED)
        self._count(game, seat, RENEWED, {"invitation": invitation})

    def count_on(self, game: str, seat: str) -> None:
        """Somebody else sits there by the same link: the seat's access code is another one."""
        self._count(game, seat, OPEN, {})

    def _count(self, game: str, seat: str, first: int, again: dict[str, Any]) -> None:
        """One change more; ``first``: what opens in a new row, ``again``: what else changes in the one there is."""
        stmt = self._tx.insert(ACCESS).values(game=game, seat=seat, counter=1, invitation=first)
        changes = {"counter": ACCESS.c.counter + 1, **again}
        self._tx.run(stmt.on_conflict_do_update(index_elements=["game", "seat"], set_=changes))

    def close(self, game: str, seat: str) -> None:
        """Word and code of the seat's invitation have done their work."""
        self._tx.put(ACCESS, {"game": game, "seat": seat}, invitation=CLOSED)

    def invite(self, game: str, seat: str) -> None:
        """A new invite code opens again; a link that was withdrawn does not."""
        mine = update(ACCESS).where(
            ACCESS.c.game == game, ACCESS.c.seat == seat, ACCESS.c.invitation == CLOSED
        )
        self._tx.run(mine.values(invitation=OPEN))

    def keep(self, game: str, seat: str, receipt: str, file: Posted) -> None:
        """A posted file; the same bytes again change nothing."""
        self._tx.add(POSTED, game=game, seat=seat, receipt=receipt, **asdict(file))

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
        return bool(self._tx.run(_BROUGHT, mail=mail))
