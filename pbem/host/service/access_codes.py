"""The access codes of a host's HTTP API, each for one seat of one match, and the links that carry them.

A code is a MAC of the host's secret over match, seat and a counter: it is withdrawn by counting on. No email holds
it: a join that is recorded brings it, and whoever holds the seat's keys is given it (``Api.by_keys``). The invite code
of an invitation opens the API too, and so does the code of its link: whoever joins by it goes on at once, and may
take the seat again from another browser until the seat's first turn. A new player in the seat makes all codes of the
old one void.
"""

from __future__ import annotations

from pbem.host.database.database import Transaction
from pbem.host.database.matches import Matches, SeatRow
from pbem.host.database.push import CLOSED, OPEN, ApiRows
from pbem.host.service.context import ServiceContext
from pbem.player.letters.letter import Link
from pbem.protocol.crypto import digest as base32
from pbem.protocol.crypto.digest import lp, mac


class AccessCodes:
    """The access codes of all seats, within one transaction."""

    def __init__(self, context: ServiceContext, transaction: Transaction) -> None:
        self._context = context
        self._matches = Matches(transaction)
        self._rows = ApiRows(transaction)

    def good(self, game: str) -> dict[str, list[str]]:
        """Every code that opens this match, by seat; for a match that is not here one that nobody is given."""
        counters = self._rows.counters(game)
        codes: dict[str, list[str]] = {}
        for name, seat in self._matches.seats(game).items():
            counter, invitation = counters.get(name, (0, OPEN))
            codes[name] = [self._access_code(game, name, counter)]
            if seat.invited and invitation == OPEN:
                codes[name].append(self._context.invite_code(game, name, seat.invited))
            if seat.invited and invitation != CLOSED:
                codes[name].append(self._context.code(game, name, seat.invited, invitation))
        return codes or {"": [self._access_code("", "", 0)]}

    def of(self, game: str, seat: str, *, new: bool = False) -> str:
        """The access code of a seat; a ``new`` one makes the old one and the invite code void."""
        if new:
            self._rows.withdraw(game, seat, invitation=CLOSED)
        return self._access_code(game, seat, self._rows.counter(game, seat))

    def code(self, seat: SeatRow) -> str:
        """The code of a seat's link as long as it takes the seat; empty from the seat's first turn on."""
        _, invitation = self._rows.counters(seat.game).get(seat.seat, (0, OPEN))
        return (
            ""
            if invitation == CLOSED or not seat.invited
            else self._context.code(seat.game, seat.seat, seat.invited, invitation)
        )

    def renew(self, seat: SeatRow) -> None:
        """Another link takes the seat from now on; the one before and what came with it opens nothing."""
        self._rows.renew(seat.game, seat.seat)

    def spend(self, game: str, seat: str) -> None:
        """The seat has played: its link takes it no more."""
        self._rows.close(game, seat)

    def link(self, seat: SeatRow, *, joined: bool) -> Link | None:
        """What an email to a seat says of the API; None if this host has none.

        ``joined`` is false for somebody who is still to join: the link carries the code that takes the seat. Later
        links hold no secret.
        """
        code = "" if joined else self.code(seat)
        if not self._context.api or not (joined or code):
            return None
        return Link(self._context.page, self._context.api, seat.game, seat.seat, code=code)

    def _access_code(self, game: str, seat: str, counter: int) -> str:
        """130 bits that nobody can guess."""
        return base32.encode(mac(self._context.key, lp("pbem/1 door", game, seat, str(counter))))[:26].lower()
