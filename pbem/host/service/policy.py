"""The limits of a service at one match: answers, talk and repeated receipts, counted in the database."""

from __future__ import annotations

from typing import Final

from pbem.game import Seat
from pbem.host.service.letters import Letterbox
from pbem.host.store import Caller
from pbem.protocol.crypto.digest import b64
from pbem.protocol.formats.messages import Message

_TALK: Final = "20/hour; 100/day"
_REPEATED: Final = "1/hour"


class Limited:
    """Counts within one transaction what each seat and each sender causes; see ``Policy``."""

    def __init__(self, letters: Letterbox, game: str) -> None:
        self._letters = letters
        self._game = game

    def may_answer(
        self, seat: Seat, kind: str, caller: Caller, limit: str = "", *, pays: bool = True
    ) -> bool:
        """Spend one answer of the seat, or of the address that the mail came from."""
        game, row = self._game, self._letters.seat(self._game, seat)
        person = f"{game}/{seat}" if pays else caller.sender or f"{game}/{seat}"
        to = "" if row.suspended else row.reach
        return self._letters.may_answer(person, kind, limit, to=to, answered=caller, game=game)

    def may_talk(self, seat: Seat) -> bool:
        """Spend one word of the seat."""
        return self._letters.budgets.take(_TALK, "talk", self._game, seat)

    def may_repeat(self, seat: Seat, message: Message, caller: Caller) -> bool:
        """Spend one repeated receipt, if the seat itself asks."""
        row = self._letters.seat(self._game, seat)
        return caller.sender == row.reach and self._letters.budgets.take(
            _REPEATED, "repeated", self._game, b64(message.hash)
        )
