"""A match by touch alone: a finger on the link, on cards, on the table, on the action bar; every tap is counted.

Nobody types but the own name, and no list is used. The others act at once, at an API as a host has it. What is chosen
is drawn by chance among what is marked, so that every kind of decision comes up; each touch must lead on.
"""

from __future__ import annotations

import time
from collections import defaultdict
from random import Random
from statistics import median
from typing import Any, Final, Protocol

from tests.web.api import CODE, Api, opened
from tests.web.device import Phone
from tests.web.friends import ME, Friends
from tests.web.three import judged

SIZES: Final = ((360, 560), (390, 844))
_MOST_TAPS: Final = 60
"""More taps than any decision can need."""
_STRAIGHT: Final = 2
"""Taps of a draw and of a discard: one touch and the yes."""
_NEWS: Final = "dialog.ending, .game[data-news=yes]"
"""What has happened, and the screen of an end."""
_SOMETHING_TO_DO: Final = f"""() => document.documentElement.dataset.busy !== 'yes' &&
  document.querySelector("{_NEWS}, .game .can, #yes")"""
_ALL_DONE: Final = """(before) => {
  const said = document.getElementById("status")?.textContent ?? "";
  const drafted = document.querySelectorAll("section.choosing .tray ol li").length;
  return document.documentElement.dataset.busy !== "yes"
    && (said.startsWith("Accepted") || drafted > before || document.querySelector(".notice.trouble"));
}"""
_TEXT: Final = (
    """(selector) => [...document.querySelectorAll(selector)].map((one) => one.innerText).join(" | ")"""
)
_MORE: Final = ".stepper button:last-of-type:not([disabled])"
_UNDER: Final = """(part) => {
  const box = document.querySelector(`.game [data-part="${CSS.escape(part)}"]`)?.getBoundingClientRect();
  return box ? document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)?.outerHTML.slice(0, 200) : "";
}"""
"""What a finger would meet there."""
_LOOK: Final = """() => ({
  marked: [...new Set([...document.querySelectorAll(".game .can")].map((one) => one.dataset.part).filter(Boolean))],
  number: document.querySelector(".stepper .number.can") !== null,
  chosen: [...new Set([...document.querySelectorAll(".game .chosen")].map((one) => one.dataset.part ?? "number"))],
  touches: document.querySelector(".game")?.dataset.touches,
  offered: document.querySelector("#yes .label")?.textContent ?? "",
})"""

_CHANGED: Final = f"""(seen) => document.querySelector("{_NEWS}")
  || JSON.stringify(({_LOOK})()) !== JSON.stringify(seen)"""
"""Whether the last touch has led somewhere by now."""


def _first_word(offered: str) -> str:
    return offered.partition(" ")[0]


class Touched(Protocol):
    """The page under a finger, in whatever browser."""

    def open(self, rest: str = "") -> Any: ...

    def wait(self, screen: str) -> None: ...

    def rest(self) -> None: ...

    def play(self) -> None: ...

    def post(self) -> None: ...

    def tap(self, selector: str, text: str = "") -> None: ...

    def type(self, text: str) -> None: ...

    def touch(self, part: str) -> None: ...

    def yes(self) -> None: ...

    def ask(self, script: str, given: Any = None) -> Any: ...

    def until(self, script: str, given: Any = None) -> None: ...

    @property
    def status(self) -> str: ...

    @property
    def signed(self) -> bool: ...

    @property
    def trouble(self) -> str: ...


class Finger:
    """Whoever plays so; ``taps`` by the kind of what was decided."""

    def __init__(self, phone: Touched, friends: Friends, seed: str) -> None:
        self.phone = phone
        self.friends = friends
        self.taps: dict[str, list[int]] = defaultdict(list)
        self.endings: list[str] = []
        """What the screens at the end of a hand or of the match said."""
        self._random = Random(seed)
        self._touched = ""
        self._straight: dict[str, int] = {}
        """Of what the action bar names, by its first word: the fewest taps so far."""
        self._decisions: list[int] = []
        """Taps of what was decided since the last file left."""

    # --- the way in ---------------------------------------------------------------------------------------

    def come_in(self, api: Api, url: str) -> None:
        """The link of the invitation, a name, one button."""
        phone = self.phone
        phone.open(f"#join={api.match}&seat={ME}&api={url}&code={CODE}")
        phone.wait("invitation")
        phone.tap("#name")
        phone.type("Anna")
        phone.tap("button", "Join")
        phone.post()
        self.taps["from the link to the table"].append(3)
        phone.play()  # the page is ready by itself, and the cards are dealt

    # --- a turn -------------------------------------------------------------------------------------------

    def play(self, until: str) -> None:
        """Decide again and again: ``part`` (the screen of the end of a hand or game turn was seen) or ``match``.

        The host has the end sooner than the page; and who has begun to choose is shown it after that choice.
        """
        record = self.friends.world
        while not record.record.over and not (until == "part" and self.endings):
            self._decide()
        self._see_what_happened()

    def _decide(self) -> None:
        taps, last = 0, None
        while taps < _MOST_TAPS:
            if self._see_what_happened():
                last = None
            seen = self.phone.ask(_LOOK)
            if seen == last:  # on a busy machine a touch may take its time
                try:
                    self.phone.until(_CHANGED, seen)
                except Exception as fault:
                    fault.add_note(f"{self._touched} led nowhere: {self._hint}: {seen}")
                    raise
                seen = self.phone.ask(_LOOK)
            last = seen
            taps += 1
            if seen["offered"] and not self._goes_on(seen):
                if self._yes(taps):
                    word = _first_word(seen["offered"])
                    self._straight[word] = min(taps, self._straight.get(word, taps))
                    return
                last = None
            elif seen["number"]:
                taps += self._number()
            else:
                self._touched = self._random.choice(seen["marked"])
                self.phone.touch(self._touched)
                self.phone.rest()
        raise AssertionError(f"{_MOST_TAPS} taps came to no decision: {self.phone.ask(_TEXT, 'main')}")

    def _goes_on(self, seen: Any) -> bool:
        """Whether something more is touched before the yes: the first touch on a card offers its discard.

        What has not been taken by the fewest taps yet is taken at once.
        """
        if self._straight.get(_first_word(seen["offered"]), _MOST_TAPS) > _STRAIGHT:
            return False
        more = [part for part in seen["marked"] if part not in seen["chosen"]]
        if not seen["chosen"]:  # a draft that could leave, or one action that needs no touch
            return bool(more) and self._random.random() < 0.7
        return bool(more) and self._random.random() < 0.6

    def _number(self) -> int:
        """The stepper: some steps up, and the number itself; how many taps more than one."""
        steps = 0
        while steps < self._random.randrange(3) and self._count(_MORE):
            self.phone.tap(_MORE)
            steps += 1
        if self._count(".stepper .number.can"):
            self.phone.tap(".stepper .number")
            steps += 1
        self.phone.rest()
        return max(0, steps - 1)

    def _yes(self, taps: int) -> bool:
        """What the action bar names; whether it was taken (what happened may have come between)."""
        drafted = self._count("section.choosing .tray ol li")
        self.phone.yes()
        if self._shows_news and not self.phone.signed:
            return False
        self.phone.until(_ALL_DONE, drafted)
        assert self.phone.trouble == ""
        self._decisions.append(taps)
        if self.phone.status.startswith("Accepted"):
            self._note()
        return True

    def _note(self) -> None:
        """The file is recorded: its actions say what kinds of decisions it was made of."""
        line = next(
            line
            for line in reversed(self.friends.world.record.lines)
            if line.kind == "turn" and line.body["msg"]["body"]["seat"] == ME
        )
        kinds = [
            step["action"]["do"]
            for step in line.body.get("steps", ())
            if step["seat"] == ME and "action" in step
        ]
        for kind, taps in zip(kinds, self._decisions, strict=False):
            self.taps[kind].append(taps)
        if len(self._decisions) > len(kinds):  # the yes that sends what was drafted before
            self.taps["send what was drafted"].append(self._decisions[-1])
        self._decisions.clear()

    # --- what happened ------------------------------------------------------------------------------------

    @property
    def _hint(self) -> str:
        return f"{self.phone.ask(_TEXT, '.actions, dialog')} | {self.phone.ask(_UNDER, self._touched)}"

    def _count(self, selector: str) -> int:
        return int(self.phone.ask("(selector) => document.querySelectorAll(selector).length", selector))

    @property
    def _shows_news(self) -> bool:
        return bool(self._count(_NEWS))

    def _see_what_happened(self) -> bool:
        """Skip to the own turn, and go on from the screen of an end; whether there was anything."""
        any_ = False
        self.phone.until(_SOMETHING_TO_DO)
        while self._shows_news:
            any_ = True
            if self._count("dialog.ending"):
                self.endings.append(str(self.phone.ask(_TEXT, "dialog.ending")))
                self.phone.tap("dialog.ending .ways button")
                self.taps["go on from the end of a hand"].append(1)
            else:
                self.phone.tap("#yes")
                self.taps["skip what happened"].append(1)
            self.phone.rest()
        return any_


def by_touch(browser: Any, url: str, game: str, size: tuple[int, int], until: str = "match") -> Finger:
    """From the link of an invitation to the end in Chromium; ``until``: ``part`` or ``match``."""
    width, height = size
    phone = Phone(browser, url, width=width, height=height, reduced_motion="no-preference")
    finger = touched(phone, game, f"{game} {width}", until)
    assert phone.said == []
    phone.close()
    return finger


def touched(phone: Touched, game: str, seed: str, until: str) -> Finger:
    """The same in whatever browser."""
    friends = Friends(game)
    api = Api(friends)
    finger = Finger(phone, friends, seed)
    with opened(api) as place:
        finger.come_in(api, place)
        finger.play(until)
    return finger


def log_line(finger: Finger, game: str, size: tuple[int, int], seconds: float) -> str:
    """A line for the log, and the taps by kind as a table's rows."""
    lines = finger.friends.world.lines
    rows = [
        f"| {kind} | {len(taps)} | {min(taps)} | {median(taps):.0f} | {max(taps)} |"
        for kind, taps in sorted(finger.taps.items())
    ]
    wide, high = size
    head = f"{game}, {wide} × {high}, by touch alone: {len(lines)} records, {judged(lines)}; {seconds:.0f} s in all"
    ended = " / ".join(finger.endings[-1].split("\n")) if finger.endings else "no screen of an end"
    return "\n".join([head, f"its last screen: {ended}", "| kind | times | fewest | median | most |", *rows])


def run(browser: Any, url: str, game: str, size: tuple[int, int], until: str) -> str:
    """One match of the command."""
    began = time.monotonic()
    return log_line(by_touch(browser, url, game, size, until), game, size, time.monotonic() - began)
