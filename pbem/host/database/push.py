"""The rows of Web Push: which browsers a seat wants to be called in, and what they were called for last."""

from __future__ import annotations

from pbem.base.values import dataclass
from pbem.host.database.database import Transaction


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
        rows = self._tx.run(
            "SELECT endpoint FROM pushes WHERE game = ? AND seat = ? ORDER BY looked DESC, endpoint",
            row.game,
            row.seat,
        )
        for (endpoint,) in rows[most - 1 :]:
            self.drop(row.game, row.seat, str(endpoint))
        self._tx.run(
            "INSERT INTO pushes (game, seat, endpoint, p256dh, auth, named, zone, looked, rung, later)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            row.game,
            row.seat,
            row.endpoint,
            row.p256dh,
            row.auth,
            int(row.named),
            row.zone,
            row.looked,
            row.rung,
            row.later,
        )

    def drop(self, game: str, seat: str, endpoint: str = "") -> None:
        """One browser, or without ``endpoint`` every one of the seat, is called no more."""
        if endpoint:
            self._tx.run(
                "DELETE FROM pushes WHERE game = ? AND seat = ? AND endpoint = ?", game, seat, endpoint
            )
        else:
            self._tx.run("DELETE FROM pushes WHERE game = ? AND seat = ?", game, seat)

    def due(self, now: str, most: int) -> list[PushRow]:
        """Browsers whose match has records that were not looked at for them, and which may be called now."""
        rows = self._tx.run(
            "SELECT p.game, p.seat, p.endpoint, p.p256dh, p.auth, p.named, p.zone, p.looked, p.rung, p.later"
            " FROM pushes p JOIN matches m ON m.game = p.game WHERE m.seq > p.looked AND p.later <= ?"
            " ORDER BY p.later, p.game LIMIT ?",
            now,
            most,
        )
        return [_row(row) for row in rows]

    def of(self, game: str, seat: str) -> list[PushRow]:
        """The browsers of a seat."""
        rows = self._tx.run(
            "SELECT game, seat, endpoint, p256dh, auth, named, zone, looked, rung, later FROM pushes"
            " WHERE game = ? AND seat = ? ORDER BY endpoint",
            game,
            seat,
        )
        return [_row(row) for row in rows]

    def note(self, row: PushRow, *, looked: int, rung: int, later: str) -> None:
        """What was done for a browser; it is noted before anything leaves, so that nothing leaves twice."""
        self._tx.run(
            "UPDATE pushes SET looked = ?, rung = ?, later = ? WHERE game = ? AND seat = ? AND endpoint = ?",
            looked,
            rung,
            later,
            row.game,
            row.seat,
            row.endpoint,
        )


def _row(row: tuple[object, ...]) -> PushRow:
    game, seat, endpoint, p256dh, auth, named, zone, looked, rung, later = row
    texts = (str(game), str(seat), str(endpoint), str(p256dh), str(auth))
    return PushRow(*texts, bool(named), str(zone), int(str(looked)), int(str(rung)), str(later))
