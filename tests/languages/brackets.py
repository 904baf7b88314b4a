"""A language that puts every message into ‹brackets›, so that what is no message is left outside."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pbem.base.language import UTC_CLOCK, Clock, Language


class Bracketed(Language):
    """Every message between brackets."""

    def gettext(self, message: str) -> str:
        return f"‹{message}›"

    def ngettext(self, singular: str, many: str, n: int) -> str:
        return f"‹{singular if n == 1 else many}›"

    def pgettext(self, context: str, message: str) -> str:
        del context
        return f"‹{message}›"

    def npgettext(self, context: str, singular: str, many: str, n: int) -> str:
        del context
        return f"‹{singular if n == 1 else many}›"

    def dollars(self, amount: int) -> str:
        return f"‹${amount}›"

    def when(self, time: str) -> str:
        return f"‹{time}›"

    def moment(self, time: str, now: str, clock: Clock = UTC_CLOCK) -> str:
        return f"‹{time} {now} {clock.name}›"

    def until(self, time: str, now: str, clock: Clock = UTC_CLOCK) -> str:
        return f"‹{time} {now} {clock.name}›"

    def brief(self, time: str, now: str, clock: Clock = UTC_CLOCK) -> str:
        return f"‹{time} {now} {clock.name}›"

    def day_hour(self, time: str, now: str, clock: Clock = UTC_CLOCK) -> str:
        return f"‹{time} {now} {clock.name}›"

    def number(self, number: float, places: int = 0) -> str:
        return f"‹{number:.{places}f}›"

    def day(self, day: str) -> str:
        return f"‹{day}›"

    def listed(self, items: object) -> str:
        assert isinstance(items, list)
        return type(items[0])("‹" + ", ".join(map(str, items)) + "›") if items else ""


BRACKETED = Bracketed("xx")


def outside(text: str) -> str:
    """What no bracket holds."""
    depth, left = 0, []
    for character in text:
        if character == "‹":
            depth += 1
        elif character == "›":
            depth -= 1
        elif not depth:
            left.append(character)
    return "".join(left)


def unmarked(text: str, names: Iterable[str] = ()) -> list[str]:
    """The words of a sentence that are in no message; ``names`` are the same in every language."""
    known = set(names)
    return [
        word for word in re.findall(r"[^\W\d_]{2,}", outside(BRACKETED.translate(text))) if word not in known
    ]
