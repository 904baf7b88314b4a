"""The words that open a host's HTTP door, each for one seat of one match, and the links that carry them.

A word is a MAC of the host's secret over match, seat and a counter: a letter that is made again holds the same word,
and a word is withdrawn by counting on. The one-time word of an invitation opens the door too, so that whoever joins by
its link can go on without waiting for the next letter; a new player in the seat makes all words of the old one void.
"""

from __future__ import annotations

from pbem.base.errors import UsageProblem
from pbem.base.resources import PAGE
from pbem.base.sentences import sentence
from pbem.host.database.database import Transaction
from pbem.host.database.door import DoorRows
from pbem.host.database.matches import Matches, SeatRow
from pbem.host.service.office import Office
from pbem.player.letters import Link
from pbem.protocol.crypto import base32
from pbem.protocol.crypto.digest import lp, mac


class DoorWords:
    """The words of all seats, within one transaction."""

    def __init__(self, office: Office, transaction: Transaction) -> None:
        self._office = office
        self._matches = Matches(transaction)
        self._rows = DoorRows(transaction)

    def good(self, game: str) -> dict[str, list[str]]:
        """Every word that opens this match, by seat; for a match that is not here one that is told nobody."""
        counters = self._rows.counters(game)
        found: dict[str, list[str]] = {}
        for name, seat in self._matches.seats(game).items():
            counter, shut = counters.get(name, (0, False))
            found[name] = [self._word(game, name, counter)]
            if seat.invited and not shut:
                found[name].append(self._office.word(game, name, seat.invited))
        return found or {"": [self._word("", "", 0)]}

    def of(self, game: str, seat: str, *, new: bool = False) -> str:
        """The word of a seat as letters carry it; a ``new`` one makes the old one and the invitation's void.

        Raises:
            UsageProblem: the match has no such seat.
        """
        if seat not in self._matches.seats(game):
            raise UsageProblem(sentence("the match has no seat {seat!r}", seat=seat))
        if new:
            self._rows.withdraw(game, seat, shut=True)
        return self._word(game, seat, self._rows.counters(game).get(seat, (0, False))[0])

    def link(self, seat: SeatRow, *, joined: bool) -> Link | None:
        """What a letter to a seat says of the door; None if this host has none.

        ``joined`` is false for somebody who is still to join: his link carries the invitation's one-time word.
        """
        if not self._office.door or not (joined or seat.word):
            return None
        word = self.of(seat.game, seat.seat) if joined else seat.word
        return Link(PAGE, self._office.door, seat.game, seat.seat if joined else "", word)

    def _word(self, game: str, seat: str, counter: int) -> str:
        """130 bits that nobody can guess."""
        return base32.encode(mac(self._office.key, lp("pbem/1 door", game, seat, str(counter))))[:26].lower()
