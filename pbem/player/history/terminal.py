"""Stepping through a match on a terminal: keys in, pages out.

``step_through`` knows neither the match nor the terminal: pages, keys and the screen are given. ``keys_from`` reads a
real terminal one key at a time and puts it back as it was, whatever happens.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from pbem.base import system
from pbem.base.language import ENGLISH, Language
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.player.history.stepper import Stepper

_CLEAR = "\x1b[H\x1b[2J"
_ENTER, _LEAVE = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"
_KEYS = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|\x1bO[A-Za-z]|.", re.DOTALL)
_NAMES = {
    "\x1b": "escape",
    "\r": "enter",
    "\n": "enter",
    "\x7f": "backspace",
    "\x08": "backspace",
    "\x03": "ctrl-c",
    "\x04": "ctrl-d",
}
_ENDINGS = {"A": "up", "B": "down", "C": "right", "D": "left", "H": "home", "F": "end"}
_NUMBERS = {"1": "home", "7": "home", "4": "end", "8": "end", "5": "page-up", "6": "page-down"}


def keys_in(chunk: str) -> Iterator[str]:
    """The keys that a terminal sent in one go, by name (ECMA-48 and xterm sequences)."""
    for raw in _KEYS.findall(chunk):
        if len(raw) > 1:
            number = raw[2:-1].partition(";")[0]
            yield _NUMBERS.get(number, "?") if raw[-1] == "~" else _ENDINGS.get(raw[-1], "?")
        else:
            yield _NAMES.get(raw, raw)


@dataclass(frozen=True, slots=True)
class HistoryScreen:
    """Where pages go: how to write, and how large it is now (columns, lines)."""

    write: Callable[[str], None]
    size: Callable[[], tuple[int, int]]
    bold: bool = True
    language: Language = ENGLISH


def step_through(
    stepper: Stepper, page: Callable[[int, int, int], str], keys: Iterable[str], screen: HistoryScreen
) -> None:
    """Show pages until a key means to go, or there are no more keys.

    ``page`` is called with the record, which eyes, and how many columns there are.
    """
    screen.write(_ENTER)
    try:
        height = _show(stepper, page, screen)
        for key in keys:
            if not stepper.press(key, height):
                break
            height = _show(stepper, page, screen)
    finally:
        screen.write(_LEAVE)


def _show(stepper: Stepper, page: Callable[[int, int, int], str], screen: HistoryScreen) -> int:
    """Draw the screen; how many lines of a page it has room for."""
    columns, lines = screen.size()
    height = max(lines - 1, 1)
    text = page(stepper.at, stepper.viewpoint, columns).splitlines()
    stepper.scroll = min(stepper.scroll, max(len(text) - height, 0))
    part = text[stepper.scroll : stepper.scroll + height]
    below = len(text) - stepper.scroll - len(part)
    tell = screen.language.tell
    more = tell(sentence("{below} more ↓", below=below)) + "  " if below and stepper.typed is None else ""
    foot = (more + tell(stepper.prompt))[: columns - 1]
    shown = f"\x1b[7m{foot}\x1b[0m" if screen.bold else foot
    screen.write(_CLEAR + "\r\n".join([*part, *[""] * (height - len(part)), shown]))
    return height


def keys_from(descriptor: int) -> Iterator[str]:
    """The keys pressed on this terminal, one by one, until it is closed."""
    for chunk in system.keys(descriptor):
        yield from keys_in(chunk.decode("utf-8", "replace"))
