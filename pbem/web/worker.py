"""What the page asks and what it is told: JSON in, JSON out, one question after the other.

A question is ``{"do": name, …}``. The answer is ``{"ok": true, …}`` or ``{"ok": false, "fault": text, "hint": text,
"help": name}``; nothing is half done where a fault is told, and ``help`` names the button that helps
(``pbem.web.helping``). Answers may hold ``keep``: secrets that the browser is to keep before
it shows anything (``Shelf.fresh``). Bytes travel as base64. What is shown is words in the reader's language, an SVG
picture with the places in it that can be touched, and rows to choose from; the page knows no more of any game.

Here the device and practice are asked about; ``arriving``, ``choosing`` and ``leaving`` answer the rest.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from traceback import extract_tb

from pbem.base.errors import PbemError
from pbem.base.language import Language, language_of
from pbem.base.sentences import sentence
from pbem.game import JsonObject
from pbem.player.letters.hosting import host_serves
from pbem.player.practice import PracticePlan
from pbem.player.practice.match import Practice, fresh
from pbem.player.seat.moments import now
from pbem.web.arriving import Arriving
from pbem.web.choosing import Choosing
from pbem.web.device import Answer, Clock, Device
from pbem.web.group import group_of
from pbem.web.helping import help_for
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
            "practice": self._practice, "again-plan": self._again, "quiet": self._quiet,
            "group": self._group, "push": self._push,
            "served": self._served,
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
            told = {"fault": language.tell(fault), "hint": language.tell(fault.hint)}
            answer = {"ok": False, **told, "help": help_for(fault)}
        except Exception as fault:  # noqa: BLE001 - whatever it is, the page says a sentence and offers a button
            answer = {"ok": False, **_broken(language, fault)}
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
        game = str(asked["game"])
        plan = PracticePlan(
            game,
            int(asked.get("against", 2)),
            str(asked.get("level", "medium")),
            str(asked.get("name") or "Anna"),
        )
        return self._begun(plan)

    def _begun(self, plan: PracticePlan) -> JsonObject:
        shelf = self._device.shelf
        folder = fresh(shelf.root / PRACTICE, plan.game)
        Practice.begin(folder, plan, shelf.entropy, self._device.clock)
        return self._device.show(folder.name)

    def _again(self, _: JsonObject) -> JsonObject:
        """The same people once more: practice begins, the host of a match is asked in a text to share."""
        scene, device = self._device.now, self._device
        if device.shelf.is_practice(scene.name):
            plan = Practice(device.shelf.folder(scene.name), device.shelf.entropy, device.clock).plan
            return self._begun(replace(plan, lesson=False))
        record = scene.session.record
        names = device.language.listed([record.names[seat] for seat in record.seats])
        told = sentence("Shall we play {title} again: {names}?", title=record.game_info.title, names=names)
        return {"text": device.language.tell(told)}

    def _served(self, asked: JsonObject) -> JsonObject:
        """``host``: what ``host.json`` beside the page says of who serves it; the sentence about that, in one line."""
        self._device.serve(asked["host"])
        return {"told": self._device.language.tell(host_serves(self._device.served["name"]))}

    def _group(self, _: JsonObject) -> JsonObject:
        """Everybody one plays with, over all matches of people on this device (``pbem.web.group``)."""
        device, records = self._device, []
        for name in device.shelf.names():
            if not device.shelf.is_practice(name):
                with suppress(PbemError):  # one that is damaged keeps nobody from the others
                    records.append(device.client(name).record)
        return {"group": group_of(records, device.language)}

    def _push(self, asked: JsonObject) -> JsonObject:
        """``match``, ``subscription`` (None: no more), ``named``: what this device has asked a host's API for."""
        shelf, name = self._device.shelf, str(asked["match"])
        note = {key: value for key, value in shelf.note(name).items() if key != "push"}
        if asked.get("subscription"):
            note["push"] = {"named": bool(asked.get("named"))}
        shelf.keep_note(name, note)
        return {"push": note.get("push")}

    def _quiet(self, asked: JsonObject) -> JsonObject:
        """``set``: whether lists tell how a match ended."""
        shelf = self._device.shelf
        shelf.keep_wishes({**shelf.wishes, "quiet": bool(asked["set"])})
        return self._device.matches()


def _broken(language: Language, fault: Exception) -> JsonObject:
    """A fault of ours: a sentence, and for whoever reports it what a developer needs; nothing of the match is in it."""
    told = sentence("That did not work, because of a bug in this page. Nothing was sent.")
    hint = sentence("Load the page again. If it happens again, report it with the details.")
    where = [
        f"{frame.name} {Path(frame.filename).name}:{frame.lineno}"
        for frame in extract_tb(fault.__traceback__)
    ]
    trace = "\n".join([type(fault).__name__, *where])
    return {"fault": language.tell(told), "hint": language.tell(hint), "help": "reload", "trace": trace}
