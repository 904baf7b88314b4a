"""What the page asks and what it is shown: JSON in, JSON out, one question after the other.

A question is ``{"do": name, …}``. The answer is ``{"ok": true, …}`` or ``{"ok": false, "fault": text, "hint": text,
"help": name}``; nothing is half done where a fault is shown, and ``help`` names the button that helps
(``pbem.web.shelf``). Answers may hold ``keep``: secrets that the browser is to keep before
it shows anything (``Shelf.fresh``). Bytes travel as base64. What is shown is words in the reader's language, an SVG
picture with the places in it that can be touched, and rows to choose from; the page knows no more of any game.

Here the device, practice and the open table are asked about, all that a first table takes; ``later`` answers the rest.
"""

from __future__ import annotations

import base64
import gc
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from traceback import extract_tb

from pbem.base.errors import PbemError, UsageProblem
from pbem.base.language import CODES, Language, language_of
from pbem.base.sentences import sentence
from pbem.game import JsonObject, Seat
from pbem.games.rulebook import games_with_rules, rows_text, rulebook_of
from pbem.player.letters.hosting import host_serves
from pbem.player.pictures.rules import board_picture, explained
from pbem.player.play.choices import Choices, Do
from pbem.player.play.leaving import travels
from pbem.player.play.orders import StandingOrders
from pbem.player.practice import PracticePlan
from pbem.player.practice.interactive import PracticeSession
from pbem.player.practice.match import Practice, fresh
from pbem.player.seat.moments import now
from pbem.protocol.record.check_messages import REACTIONS
from pbem.web import touch
from pbem.web.device import Answer, Device
from pbem.web.scene import Scene
from pbem.web.shelf import PRACTICE, Clock, Entropy, KnownMatches, Shelf, group_of, help_for


class Worker:
    """Answers every question about one device.

    Args:
        root: the folder that outlives the page.
        secrets: of each match, as they were kept.
        entropy: fresh random bytes.
        clock: the time now, UTC as records write it.
        lang: what is spoken until another language is asked for (``hello``).
        known: what the browser kept of matches that were verified before (``pbem.web.shelf``).
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
        gc.set_threshold(200_000)  # verifying makes many objects and hardly any garbage
        self._known = KnownMatches(known or {})
        self._device = Device(Shelf(root, secrets, entropy, clock, self._known), clock, language_of(lang))
        self._answers: dict[str, Answer] = {
            "hello": self._hello, "matches": self._matches, "open": self._open,
            "practice": self._practice, "again-plan": self._again, "quiet": self._quiet,
            "group": self._group, "push": self._push,
            "served": self._served,
        }  # fmt: skip
        self._answers |= Choosing(self._device).answers()

    def ask(self, text: str) -> str:
        """One question and its answer, both JSON."""
        language, shelf = self._device.language, self._device.shelf
        try:
            question: JsonObject = json.loads(text)
            answer = {"ok": True, **self._answers[question["do"]](question)}
        except PbemError as fault:
            words = {"fault": language.translate(fault), "hint": language.translate(fault.hint)}
            answer = {"ok": False, **words, "help": help_for(fault)}
        except Exception as fault:  # noqa: BLE001 - whatever it is, the page says a sentence and offers a button
            answer = {"ok": False, **_broken(language, fault)}
        if shelf.fresh:
            answer["keep"] = {
                name: None if secret is None else base64.b64encode(secret).decode()
                for name, secret in shelf.fresh.items()
            }
            shelf.fresh = {}
        return json.dumps(answer, ensure_ascii=False)

    def add(self, answers: Callable[[Device], Mapping[str, Answer]]) -> None:
        """Answer more questions: those of a module that the page loads behind the first table, or when it needs it."""
        self._answers |= answers(self._device)

    def renew(self) -> None:
        """Read the catalogues again: more of them has come."""
        for code in CODES:
            language_of(code).renew()

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
            str(asked.get("level", "easy")),
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
        text = sentence("Shall we play {title} again: {names}?", title=record.game_info.title, names=names)
        return {"text": device.language.translate(text)}

    def _served(self, asked: JsonObject) -> JsonObject:
        """``host``: what ``host.json`` beside the page says of who serves it; the sentence about that, and its API.

        Both are empty where nobody has ever said so here.
        """
        self._device.serve(asked["host"])
        served = self._device.served
        text = self._device.language.translate(host_serves(served["name"])) if served else ""
        return {"says": text, "api": served.get("api", "")}

    def _group(self, _: JsonObject) -> JsonObject:
        """Everybody one plays with, over all matches of people on this device (``pbem.web.shelf``)."""
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
        """``set``: whether lists show how a match ended."""
        shelf = self._device.shelf
        shelf.keep_wishes({**shelf.wishes, "quiet": bool(asked["set"])})
        return self._device.matches()


def _broken(language: Language, fault: Exception) -> JsonObject:
    """A fault of ours: a sentence, and for whoever reports it what a developer needs; nothing of the match is in it."""
    text = sentence("That did not work, because of a bug in this web app. Nothing was sent.")
    hint = sentence("Reload the web app. If it happens again, report it with the details.")
    where = [
        f"{frame.name} {Path(frame.filename).name}:{frame.lineno}"
        for frame in extract_tb(fault.__traceback__)
    ]
    trace = "\n".join([type(fault).__name__, *where])
    return {
        "fault": language.translate(text),
        "hint": language.translate(hint),
        "help": "reload",
        "trace": trace,
    }


# --- what is done at the open table: choices, words, standing orders; and looking back at what happened ---


class Choosing:
    """Answers to questions about the open match; nothing of them leaves the device."""

    def __init__(self, device: Device) -> None:
        self._device = device

    def answers(self) -> dict[str, Answer]:
        """By the name of the question."""
        return {
            "take": self._take, "more": self._more, "back": self._back, "undo": self._undo,
            "talk": self._talk, "orders": self._orders, "order": self._order, "look": self._look,
            "looked": self._looked, "moment": self._moment, "hint": self._hint,
            "review": self._review, "rules": self._rules, "branch": self._branch, "weigh": self._weigh,
            "picture": self._picture, "card": self._card, "news": self._news,
            "ending": self._ending, "react": self._react,
        }  # fmt: skip

    @property
    def _now(self) -> Scene:
        return self._device.now

    @property
    def _choices(self) -> Choices:
        return self._now.choices

    def _take(self, asked: JsonObject) -> JsonObject:
        """``row``, ``at``: take a row of the scene of that number; ``screen`` says what is left for the page."""
        row = self._now.row(asked)
        left = self._choices.take(row)
        return {"screen": "" if left is Do.NOTE else left.value, **self._device.shown()}

    def _more(self, asked: JsonObject) -> JsonObject:
        self._choices.more(self._now.row(asked))
        return self._device.shown()

    def _back(self, _: JsonObject) -> JsonObject:
        self._choices.back()
        return self._device.shown()

    def _undo(self, asked: JsonObject) -> JsonObject:
        session = self._now.session
        undone = session.take_back(int(asked.get("index", -1)))
        self._choices.clear()
        note = ""
        if undone is not None:
            action, more = undone
            note = session.words("undone", label=session.phrases.label(action))
            note += "\n" + session.words("undone-more", n=more) if more else ""
        return {"note": note, **self._device.shown()}

    def _talk(self, asked: JsonObject) -> JsonObject:
        """``say``, ``tell``, ``nudge``: words that travel with the file, and whether it calls who is waited for."""
        say = str(asked.get("say", "")).strip()
        tell = {Seat(seat): str(text).strip() for seat, text in dict(asked.get("tell", {})).items()}
        if not all(map(travels, (say, *tell.values()))):
            raise UsageProblem(sentence("No line breaks or control characters, please."))
        session = self._now.session
        session.speak(say, {seat: text for seat, text in tell.items() if text})
        session.call(off=not asked.get("nudge"))
        return self._device.shown()

    def _react(self, asked: JsonObject) -> JsonObject:
        """``seq``, ``with``: a reaction under a record; the same again takes it back."""
        session, seq, word = self._now.session, int(asked["seq"]), str(asked["with"])
        if word not in REACTIONS or not 0 <= seq <= session.record.head.seq:
            raise UsageProblem(sentence("there is no such choice"))
        session.gesture(seq, word)
        return self._device.shown()

    def _orders(self, _: JsonObject) -> JsonObject:
        standing = StandingOrders(self._now.session)
        lines = [
            {"label": line.label, "effect": line.effect, "can": line.change is not None, "send": line.send}
            for line in standing.lines()
        ]
        return {
            "orders": {"lines": lines, "answers": standing.answers(), "vocabulary": standing.vocabulary()}
        }

    def _order(self, asked: JsonObject) -> JsonObject:
        """``line`` of the orders shown, or ``text`` of a rule: change what the next file carries."""
        standing = StandingOrders(self._now.session)
        if "text" in asked:
            standing.session.plan_orders(standing.typed(str(asked["text"])))
        else:
            change = standing.lines()[int(asked["line"])].change
            if change is not None:
                standing.session.plan_orders(change())
        return {**self._orders(asked), **self._device.shown()}

    def _branch(self, asked: JsonObject) -> JsonObject:
        """``at``, ``parts``: the tree from where these touches lead."""
        self._now.newest(asked)
        return {"node": self._now.touched.branch(_parts(asked))}

    def _weigh(self, asked: JsonObject) -> JsonObject:
        """``at``, ``parts``: the action of these touches, what follows, and whether its yes lets the draft leave."""
        self._now.newest(asked)
        return {"offer": self._now.touched.weigh(_parts(asked))}

    def _picture(self, asked: JsonObject) -> JsonObject:
        """``form``: ``portrait`` or ``wide``, the roomy table."""
        scene = self._now
        view = scene.session.shown
        drawn = None if view is None else scene.picture_of(view, portrait=asked.get("form") != "wide")
        return {"picture": None if drawn is None else touch.picture_json(drawn)}

    def _card(self, asked: JsonObject) -> JsonObject:
        """``part``: its name, and the rows of the rules about it."""
        return {"card": self._now.touched.card(str(asked["part"]))}

    def _look(self, _: JsonObject) -> JsonObject:
        """The scene, opened again."""
        return self._device.show(self._device.open)

    def _news(self, _: JsonObject) -> JsonObject:
        """Each turn since the player looked last, on the table (``pbem.web.news``); it stays news until ``looked``."""
        return {"news": self._now.news.to_json()}

    def _ending(self, _: JsonObject) -> JsonObject:
        """The end of the match as a picture to show others: nothing in it that only this seat knows."""
        return {"picture": self._now.news.ending()}

    def _looked(self, asked: JsonObject) -> JsonObject:
        """``upto``: what was shown ended there; what came meanwhile is still ``news``. The scene stays what it was."""
        session = self._now.session
        head = session.record.head.seq
        session.mark_looked(max(session.looked, min(head, int(asked.get("upto", head)))))
        return {"news": self._now.unseen}

    def _moment(self, asked: JsonObject) -> JsonObject:
        """``index``: one record that shows something, with the table as it was; -1 is the last one."""
        return {"moment": self._now.moment(int(asked.get("index", -1)))}

    def _rules(self, asked: JsonObject) -> JsonObject:
        """``rows`` that a refusal names, as they read; without it the whole rulebook of the match."""
        game = self._now.session.record.game_info.id
        language = self._device.language
        if "rows" in asked:
            return {"text": rows_text(game, list(map(str, asked["rows"])), language.translate)}
        if game not in games_with_rules():
            return {"sections": [], "opening": [], "board": [], "picture": None}
        rules, setup = rulebook_of(game), self._now.session.record.rules.setup
        picture = board_picture(rules, language, setup, portrait=True)
        return explained(rules, language, setup) | {"picture": picture and touch.picture_json(picture)}

    def _hint(self, _: JsonObject) -> JsonObject:
        session = self._now.session
        return {"text": session.hint() if isinstance(session, PracticeSession) else ""}

    def _review(self, _: JsonObject) -> JsonObject:
        session = self._now.session
        return {"text": session.review() if isinstance(session, PracticeSession) else ""}


def _parts(asked: JsonObject) -> list[str]:
    """The parts that were touched, in order."""
    return [str(part) for part in asked["parts"]]
