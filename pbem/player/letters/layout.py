"""Plain text at a fixed width: wrapping, tables and names that cannot break anything.

An email's text part is complete at 76 columns (RFC 5322 recommends at most 78), whatever the names are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from pbem.protocol.formats.strict_json import harmless

WIDTH = 76
_NAME_LIMIT = 60

_BETWEEN = "[^0-9a-z]*"
_ARMOUR = re.compile(
    "|".join(
        _BETWEEN.join(("p", "b", "e", "m", "[1il]", *end)) for end in (("b", "e", "g", "[1il]", "n"), "end")
    ),
    re.IGNORECASE,
)
BLANKS = re.compile("[ \\t\\n\\r\\f\\v]+")
"""Where a line may be broken: not at a fixed blank (``4.000 $``)."""
_SIGNATURE = "-- "
"""What mail programs cut off when they quote (RFC 3676 §4.3)."""
_HELD, _ALONE = "\x1f", "\x02"
"""A blank that no line is broken at, and what stands around a line of its own. No text of a person holds them."""
_INDENT = "   "
_TYPED = re.compile(r"'pbem [^'\n]+'")
"""A command as sentences name it."""
_LINK = re.compile(r"(?:https?://|#)\S+")
"""What is of no use in pieces."""
_LEAD = re.compile(r"^( *)([-*] +|\d+\. +)?")


def clean(text: str, limit: int = 280) -> str:
    """One line of harmless text: no control or direction characters, no armour marker, blanks put together.

    A marker inside somebody's words would make every reply that quotes them hold a second armour block.
    """
    flat = harmless(text)
    while _ARMOUR.search(flat):  # what is left may make a new one
        flat = _ARMOUR.sub(" ", flat)
    flat = " ".join(flat.split())
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"


def capital(text: str) -> str:
    """``text`` with a capital letter first."""
    return text[:1].upper() + text[1:]


def stopped(text: str) -> str:
    """A sentence with a capital and a full stop, whoever wrote it without; nothing stays nothing."""
    if not text:
        return ""
    return capital(text) + ("" if text[-1] in ".!?…:" else ".")


@lru_cache(maxsize=1024)
def clean_name(name: str) -> str:
    """A player's name as emails show it."""
    return clean(name, _NAME_LIMIT)


def cells(text: str) -> int:
    """How many columns ``text`` takes: wide East Asian characters two, combining marks none."""
    return len(text) if text.isascii() else sum(_cell(character) for character in text)


def _cell(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def wrap(text: str, width: int) -> list[str]:
    """``text`` broken between words, and within a word only if it alone is too long."""
    lines = [""]
    for word in filter(None, BLANKS.split(text)):
        for piece in _pieces(word, width):
            line = f"{lines[-1]} {piece}" if lines[-1] else piece
            if cells(line) <= width or not lines[-1]:
                lines[-1] = line
            else:
                lines.append(piece)
    return lines


def _pieces(word: str, width: int) -> Iterator[str]:
    """A word in pieces that fit; one piece if it fits as it is, or is a command."""
    if cells(word) <= width or _HELD in word:
        yield word
        return
    piece, used = "", 0
    for character in word:
        size = _cell(character)
        if used + size > width and piece:
            yield piece
            piece, used = "", 0
        piece += character
        used += size
    yield piece


def held(command: str) -> str:
    """A command in a sentence that ``fill`` does not break."""
    return command.replace(" ", _HELD)


def alone(command: str) -> str:
    """A command that ``fill`` puts on a line of its own, however long it is: whoever pastes it takes it whole."""
    return f"{_ALONE}{held(command)}{_ALONE}"


def fill(text: str, width: int = WIDTH) -> str:
    """Every line of ``text`` within ``width``; what is wrapped keeps its indentation, behind a bullet if it has one.

    A line that is nothing but a link stays whole, and so does a command.
    """
    lines: list[str] = []
    blank = 0
    for raw in _TYPED.sub(lambda match: held(match[0]), _apart(text)).splitlines():
        line = raw if raw == _SIGNATURE else raw.rstrip()
        blank = blank + 1 if not line else 0
        if blank > 1 or (not line and not lines):
            continue
        whole = cells(line) <= width or _LINK.fullmatch(line) is not None
        lines.extend([line] if whole else _hang(line, width))
    return "\n".join(lines).rstrip("\n").replace(_HELD, " ") + "\n"


def _apart(text: str) -> str:
    """Every command that is to stand alone on a line of its own."""
    first, *parts = text.split(_ALONE)
    out = [first.rstrip(" ")] if parts else [first]
    for command, behind in zip(parts[::2], parts[1::2], strict=True):
        prose = behind.strip(" ")
        out += ["" if out[-1].endswith("\n") else "\n", _INDENT + command]
        out += [prose if not prose or prose.startswith("\n") else "\n" + prose]
    return "".join(out)


def _hang(line: str, width: int) -> list[str]:
    lead = _LEAD.match(line)
    first = lead.group(0) if lead else ""
    rest = " " * len(first)
    body = wrap(line[len(first) :], width - len(first))
    return [first + body[0], *(rest + more for more in body[1:])]


def grid(
    rows: Sequence[Sequence[object]],
    align: str = "",
    head: Sequence[object] | None = None,
    width: int = WIDTH,
    gap: int = 2,
    indent: int = 0,
) -> str:
    """A table of text. ``align`` has a letter for each column, ``l`` or ``r``; too wide cells are wrapped.

    Columns stand closer to each other if a word of the head would be broken otherwise.
    """
    table = [[str(cell) for cell in row] for row in ([head, *rows] if head else rows)]
    if not table:
        return ""
    widths = column_widths(table, width - indent, gap)
    if head and gap > 1 and _breaks_a_word(table[0], widths):
        gap = 1
        widths = column_widths(table, width - indent, gap)
    sides = (align + "l" * len(widths))[: len(widths)]
    out = []
    for number, row in enumerate(table):
        out.extend(_row(row, widths, sides, gap, indent))
        if head and number == 0:
            out.append(" " * indent + (" " * gap).join("-" * size for size in widths))
    return "\n".join(out)


def _breaks_a_word(row: Sequence[str], widths: Sequence[int]) -> bool:
    return any(
        cells(word) > size for cell, size in zip(row, widths, strict=False) for word in BLANKS.split(cell)
    )


def column_widths(
    table: Sequence[Sequence[str]], width: int, gap: int, whole: int | None = None
) -> list[int]:
    """How wide each column is; where they do not fit, the widest gives way, but for the column ``whole``."""
    columns = max(len(row) for row in table)
    widths = [max((cells(row[i]) for row in table if i < len(row)), default=0) for i in range(columns)]
    yielding = [column for column in range(columns) if column != whole]
    while sum(widths) + gap * (columns - 1) > width and max(widths[column] for column in yielding) > 4:
        widest = max(yielding, key=lambda column: widths[column])
        widths[widest] -= 1
    return [max(size, 1) for size in widths]


def _row(row: list[str], widths: list[int], sides: str, gap: int, indent: int) -> list[str]:
    wrapped = [wrap(cell, size) for cell, size in zip(row, widths, strict=False)]
    lines = []
    for level in range(max(len(cell) for cell in wrapped)):
        parts = []
        for cell, size, side in zip(wrapped, widths, sides, strict=False):
            text = cell[level] if level < len(cell) else ""
            space = " " * (size - cells(text))
            parts.append(space + text if side == "r" else text + space)
        lines.append((" " * indent + (" " * gap).join(parts)).rstrip())
    return lines


# --- subject ----------------------------------------------------------------------------------------------
#
# The subject of an email: what the reader has to do or what happened, by when, and the title of the match
# last.
#
# In: what it says, by when, the title. Out: one line of at most ``LONGEST`` characters, in every language
# and with the longest names. The title is shortened first, then what is said; the time never is.

LONGEST: Final = 60
"""Characters; a phone's list of emails shows about so many."""
SHORTEST_TITLE: Final = 8
"""A title keeps so many characters, the mark of what was cut included."""
LONGEST_NAME: Final = 14
"""Characters of a player's name in a subject."""


def subject_line(subject: str, by: str = "", title: str = "") -> str:
    """``what, by (title)``; ``by`` and ``title`` may be empty.

    >>> subject_line("Your turn: draw", "by Fri 18:56 CET", "Friends 2026")
    'Your turn: draw, by Fri 18:56 CET (Friends 2026)'
    """
    subject, title = clean(subject, 200), clean(title, 200)
    tail = f", {by}" if by else ""
    space = LONGEST - len(tail)
    if title:
        shortest = min(len(title), SHORTEST_TITLE)
        said = shortened(subject, space - shortest - 3)
        return f"{said}{tail} ({shortened(title, space - len(said) - 3)})"
    return shortened(subject, space) + tail


def shortened(text: str, most: int) -> str:
    """``text`` in at most ``most`` characters; what is cut is marked by ``…``."""
    return text if len(text) <= most else text[: most - 1].rstrip(" ,.;:") + "…"
