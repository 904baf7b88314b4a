"""A seat goes along to another device by a code of six signs: what the two pages ask (``player.seat.pairing``).

It comes in a file of its own, ``pairing.zip``. What is begun lives in memory only: a page that is closed has ended it.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from datetime import datetime, timedelta

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.game import JsonObject
from pbem.player.seat.pairing import CHANNEL_SIGNS, LASTS, Giver, Taker, new_code, read_code
from pbem.web.device import Answer, Device
from pbem.web.shelf import decoded

Step = Callable[[bytes], JsonObject]


class Pairing:
    """One exchange at a time; another one that is begun ends it."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._steps: list[Step] = []
        """What each message that is still to come leads to: ``send`` is said to the other device. Empty: none is on."""
        self._gives: Callable[[], bytes] | None = None
        """What the player's yes sends, once the other device has shown that it has the code."""
        self._until = self._now()

    def _now(self) -> datetime:
        return datetime.fromisoformat(self._device.clock())

    def _begin(self, *steps: Step) -> None:
        self._steps, self._gives = list(steps), None
        self._until = self._now() + timedelta(seconds=LASTS)

    def give(self, asked: JsonObject) -> JsonObject:
        """``match``, ``channel`` of the host's mailbox: the code that the player reads on this device.

        The second message shows that the other device has it, and is answered by how that ``device`` calls itself.
        """
        shelf, match = self._device.shelf, str(asked["match"])
        shelf.identity(match)  # a seat whose keys are lost goes nowhere
        code = new_code(str(asked["channel"]), shelf.entropy)
        side = Giver(code, shelf.entropy)

        def asks(third: bytes) -> JsonObject:
            device = side.device(third)
            self._gives = lambda: side.gives(shelf.backup(match))
            return {"device": device}

        def kept(fifth: bytes) -> JsonObject:
            side.kept(fifth)
            return {"done": True}

        self._begin(lambda first: _sent(side.answers(first)), asks, kept)
        return {"code": code, "seconds": LASTS}

    def take(self, asked: JsonObject) -> JsonObject:
        """``code`` as it was typed, ``device``: the mailbox's channel, and the first message."""
        device, name, code = self._device, str(asked["device"]), read_code(str(asked["code"]))
        side = Taker(code, device.shelf.entropy)

        def takes(fourth: bytes) -> JsonObject:
            shown = device.restore(side.takes(fourth))
            return {**_sent(side.keeps()), "done": True, **shown}

        self._begin(lambda second: _sent(side.asks(second, name)), takes)
        return {"channel": code[:CHANNEL_SIGNS], **_sent(side.first())}

    def hear(self, asked: JsonObject) -> JsonObject:
        """``data``: the other device's message. One that does not fit ends the exchange: the code is used up."""
        self._check_on()
        try:
            return self._steps.pop(0)(decoded(asked["data"]))
        except Exception:
            self.end({})
            raise

    def yes(self, _: JsonObject) -> JsonObject:
        """The player has said yes to the device that asks: the seat, sealed for it."""
        self._check_on()
        if self._gives is None:
            raise UsageProblem(sentence("no device asks for this seat"))
        return _sent(self._gives())

    def end(self, _: JsonObject) -> JsonObject:
        """No exchange is on any more."""
        self._steps, self._gives = [], None
        return {}

    def _check_on(self) -> None:
        if not self._steps or self._now() > self._until:
            self.end({})
            raise UsageProblem(
                sentence("this code is over"),
                hint=sentence("Ask for a new code on the device that has the seat."),
            )


def _sent(message: bytes) -> JsonObject:
    return {"send": base64.b64encode(message).decode()}


def answers(device: Device) -> dict[str, Answer]:
    """What the worker answers with this module (``Worker.add``)."""
    pairing = Pairing(device)
    return {
        "pair-give": pairing.give, "pair-take": pairing.take, "pair-hear": pairing.hear, "pair-yes": pairing.yes,
        "pair-end": pairing.end,
    }  # fmt: skip
