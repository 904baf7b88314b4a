"""What the page asks and what it is told: JSON in, JSON out, one question after the other.

A question is ``{"do": name, …}``. The answer is ``{"ok": true, …}`` or ``{"ok": false, "fault": text, "hint": text}``;
nothing is half done where a fault is told. Answers may hold ``keep``: secrets that the browser is to keep before
it shows anything (``Shelf.fresh``). Bytes travel as base64. What is shown is words in the reader's language, an SVG
picture with the places in it that can be touched, and rows to choose from; the page knows no more of any game.

Here the device and practice are asked about; ``arriving``, ``choosing`` and ``leaving`` answer the rest.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from pathlib import Path

from pbem.base.errors import PbemError
from pbem.base.language import language_of
from pbem.game import JsonObject
from pbem.player.practice import PracticePlan
from pbem.player.practice.match import Practice, fresh
from pbem.player.seat.moments import now
from pbem.web.arriving import Arriving
from pbem.web.choosing import Choosing
from pbem.web.device import Answer, Clock, Device
from pbem.web.known import KnownMatches
from pbem.web.leaving import Leaving
from pbem.web.shelf import PRACTICE, Entropy, Shelf
from pbem.web.words import PAGE_WORDS


class Worker:
    """Answers every question about one device.

    Args:
        root: the folder that outlives the page.
        secrets: of each match, as they were kept.
        entropy: fresh random bytes.
        clock: the time now, UTC as records write it.
        lang: what is spoken until another language is asked for (``hello``).
        known: what the browser kept of matches that were verified before (``pbem.web.known``).
    """

    def __init__(
        self,
        root: Path,
        secrets: dict[str, bytes],
        entropy: Entropy,
        clock: Clock = now,
        *,
        lang: str = "en",
        known: Mapping[str, bytes] | None = None,
    ) -> None:
        self._known = KnownMatches(known or {})
        self._device = Device(Shelf(root, secrets, entropy, self._known), clock, language_of(lang))
        rooms = (Arriving(self._device), Choosing(self._device), Leaving(self._device))
        self._answers: dict[str, Answer] = {
            "hello": self._hello, "words": self._words, "matches": self._matches, "open": self._open,
            "practice": self._practice,
        }  # fmt: skip
        for room in rooms:
            self._answers |= room.answers()

    def ask(self, text: str) -> str:
        """One question and its answer, both JSON."""
        language, shelf = self._device.language, self._device.shelf
        try:
            question: JsonObject = json.loads(text)
            answer = {"ok": True, **self._answers[question["do"]](question)}
        except PbemError as fault:
            answer = {"ok": False, "fault": language.tell(fault), "hint": language.tell(fault.hint)}
        if shelf.fresh:
            answer["keep"] = {
                name: None if secret is None else base64.b64encode(secret).decode()
                for name, secret in shelf.fresh.items()
            }
            shelf.fresh = {}
        return json.dumps(answer, ensure_ascii=False)

    def verified(self) -> dict[str, bytes | None]:
        """What was verified since it was last asked, for the browser to keep if it can; None: to be forgotten."""
        fresh, self._known.fresh = self._known.fresh, {}
        return fresh

    def _hello(self, asked: JsonObject) -> JsonObject:
        """``lang``: what is spoken from now on."""
        self._device.language = language_of(str(asked.get("lang", "en")))
        if self._device.open:
            self._device.show(self._device.open)
        return self._device.matches()

    def _words(self, asked: JsonObject) -> JsonObject:
        language = language_of(str(asked["lang"]))
        return {"words": {key: language.gettext(text) for key, text in PAGE_WORDS.items()}}

    def _matches(self, _: JsonObject) -> JsonObject:
        return self._device.matches()

    def _open(self, asked: JsonObject) -> JsonObject:
        """``match``: open it and show it."""
        return self._device.show(str(asked["match"]))

    def _practice(self, asked: JsonObject) -> JsonObject:
        """``game``, ``against``, ``level``, ``name``: a new practice match, opened."""
        shelf, game = self._device.shelf, str(asked["game"])
        plan = PracticePlan(
            game,
            int(asked.get("against", 2)),
            str(asked.get("level", "medium")),
            str(asked.get("name") or "Anna"),
        )
        folder = fresh(shelf.root / PRACTICE, game)
        Practice.begin(folder, plan, shelf.entropy, self._device.clock)
        return self._device.show(folder.name)
