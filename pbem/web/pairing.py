"""A seat goes along to another device by a code of six signs: what the two pages ask (``player.seat.pairing``).

It comes in a file of its own (``pairing.zip``), which the page loads when somebody asks for it. What is begun here
lives in memory only: a page that is closed has ended it.
"""

from __future__ import annotations

import base64
from datetime import datetime, timedelta

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.game import JsonObject
from pbem.player.seat.pairing import CHANNEL_SIGNS, LASTS, Giver, Taker, new_code, read_code
from pbem.web.device import Answer, Device
from pbem.web.shelf import decoded


class Pairing:
    """One exchange at a time; another one that is begun ends it."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._side: Giver | Taker | None = None
        self._until = ""
        self._about = ""
        """The giver's match, the taker's name for itself."""
        self._heard = 0
        self._sure = False
        """Whether the other device has shown that it has the code."""

    def answers(self) -> dict[str, Answer]:
        """By the name of the question."""
        return {
            "pair-give": self._give, "pair-take": self._take, "pair-hear": self._hear, "pair-yes": self._yes,
            "pair-end": self._end,
        }  # fmt: skip

    def _begin(self, side: Giver | Taker, about: str) -> None:
        now = datetime.fromisoformat(self._device.clock())
        self._side, self._about, self._heard, self._sure = side, about, 0, False
        self._until = (now + timedelta(seconds=LASTS)).isoformat()

    def _give(self, asked: JsonObject) -> JsonObject:
        """``match``, ``channel`` of the host's mailbox: the code that the player reads on this device."""
        device, match = self._device, str(asked["match"])
        device.shelf.identity(match)  # a seat whose keys are lost goes nowhere
        code = new_code(str(asked["channel"]), device.shelf.entropy)
        self._begin(Giver(code, device.shelf.entropy), match)
        return {"code": code, "seconds": LASTS}

    def _take(self, asked: JsonObject) -> JsonObject:
        """``code`` as it was typed, ``device``: the mailbox's channel, and the first message."""
        code = read_code(str(asked["code"]))
        side = Taker(code, self._device.shelf.entropy)
        self._begin(side, str(asked["device"]))
        return {"channel": code[:CHANNEL_SIGNS], **_sent(side.first())}

    def _hear(self, asked: JsonObject) -> JsonObject:
        """``data``: the other device's message. ``send``: what is said to it; ``device``: who asks for the seat.

        A message that does not fit ends the exchange: the code is used up. ``done``: the seat is on the other device;
        with a ``scene`` it is here.
        """
        side, about = self._now(), self._about
        self._heard += 1
        try:
            data = decoded(asked["data"])
            if isinstance(side, Giver):
                return self._giver_hears(side, data)
            if self._heard == 1:
                return _sent(side.asks(data, about))
            shown = self._device.restore(side.takes(data))
            self._side = None
            return {**_sent(side.keeps()), "done": True, **shown}
        except Exception:
            self._side = None
            raise

    def _giver_hears(self, side: Giver, data: bytes) -> JsonObject:
        if self._heard == 1:
            return _sent(side.answers(data))
        if self._heard == 2:
            device = side.device(data)
            self._sure = True
            return {"device": device}
        side.kept(data)
        self._side = None
        return {"done": True}

    def _yes(self, _: JsonObject) -> JsonObject:
        """The player has said yes to the device that asks: the seat, sealed for it."""
        side = self._now()
        if not isinstance(side, Giver) or not self._sure:
            raise UsageProblem(sentence("no device asks for this seat"))
        return _sent(side.gives(self._device.shelf.backup(self._about)))

    def _end(self, _: JsonObject) -> JsonObject:
        self._side = None
        return {}

    def _now(self) -> Giver | Taker:
        if self._side is None or datetime.fromisoformat(self._device.clock()) > datetime.fromisoformat(
            self._until
        ):
            self._side = None
            raise UsageProblem(
                sentence("this code is over"),
                hint=sentence("Ask for a new code on the device that has the seat."),
            )
        return self._side


def _sent(message: bytes) -> JsonObject:
    return {"send": base64.b64encode(message).decode()}


def answers(device: Device) -> dict[str, Answer]:
    """What the worker answers with this module (``Worker.add``)."""
    return Pairing(device).answers()
