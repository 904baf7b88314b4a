"""Where a scenario and the engine part: the place, what was expected and what was found."""

from __future__ import annotations

import json

from pbem.game import Json

_LONGEST = 300


class Mismatch(Exception):
    """The first difference of a scenario; all three parts are text for one line."""

    def __init__(self, where: str, expected: str, got: str) -> None:
        super().__init__(
            f"{where}: expected {expected}, got {got}" if where else f"expected {expected}, got {got}"
        )
        self.where = where
        self.expected = expected
        self.got = got

    def within(self, place: str) -> Mismatch:
        """The same difference, told from further outside (``step 2: position.money``)."""
        return Mismatch(": ".join(part for part in (place, self.where) if part), self.expected, self.got)


def shown(value: Json) -> str:
    """A value as one line of JSON, cut short if it is long; what is not there is ``nothing``."""
    if value is None:
        return "nothing"
    return one_line(text_of(value))


def text_of(value: Json) -> str:
    """Compact JSON with sorted members: equal text means equal values, and 1 is not true."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def one_line(text: str) -> str:
    """``text`` without line breaks and not longer than a reader wants."""
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST else flat[: _LONGEST - 1] + "…"
