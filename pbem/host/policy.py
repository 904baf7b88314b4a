"""Who may be answered, and how often: what a host is given beside the store.

A service limits what a seat or a stranger may cause (``pbem.host.service.policy``); a host who hands in every file by
hand limits nobody.
"""

from __future__ import annotations

from typing import Protocol

from pbem.game import Seat
from pbem.host.store import Caller
from pbem.protocol.formats.messages import Message


class Policy(Protocol):
    """What one match may cause."""

    def may_answer(
        self, seat: Seat, kind: str, caller: Caller, limit: str = "", *, pays: bool = True
    ) -> bool:
        """Whether a seat gets one more answer of this kind (``limit``: how many of them in a time).

        It is the seat that ``pays``, or else the address that the mail came from.
        """

    def may_talk(self, seat: Seat) -> bool:
        """Whether the others are written to at once about one more word of this seat."""

    def may_repeat(self, seat: Seat, message: Message, caller: Caller) -> bool:
        """Whether somebody who sent a file again gets its receipt again: its own seat, now and then."""


class Unlimited:
    """A host who hands in every file."""

    def may_answer(
        self, seat: Seat, kind: str, caller: Caller, limit: str = "", *, pays: bool = True
    ) -> bool:
        """Answer always; see ``Policy``."""
        del seat, kind, caller, limit, pays
        return True

    def may_talk(self, seat: Seat) -> bool:
        """Write at once; see ``Policy``."""
        del seat
        return True

    def may_repeat(self, seat: Seat, message: Message, caller: Caller) -> bool:
        """Repeat always; see ``Policy``."""
        del seat, message, caller
        return True
