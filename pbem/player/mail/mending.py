"""JSON in a text: found among other words, and mended where mail programs have changed it.

The mendings are few and fixed, and each is made on the whole text at once. No mending can be silently wrong: a file
counts only if its signature fits the key that it names; whose key that is, the record decides later.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from pbem.base.errors import FormatError, PbemError
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.game import Json
from pbem.protocol.crypto.digest import unb64
from pbem.protocol.formats.messages import Message, message_of
from pbem.protocol.formats.signed import verify_file
from pbem.protocol.formats.strict_json import MAX_FILE, canon, parse

MOST_OBJECTS: Final = 8
"""JSON objects of one text that are looked at."""
_TRYING: Final = 2
"""A character that is tried as JSON takes as long as so many that are only looked through, …"""
_READING: Final = 6
"""… one that is JSON as long as so many more, …"""
_JUDGING: Final = 16 * 1024
"""… and a shape and a signature as long as this many."""
_MENDING: Final = 4
_QUOTE: Final = re.compile(r"(?m)^[ \t]*+(?:[>|][ \t]?)++")
_QUOTES: Final = str.maketrans(dict.fromkeys("“”„‟«»″", '"'))
_DASHES: Final = str.maketrans({"–": "--", "—": "--", "…": "..."})
_START: Final = re.compile(r'\{[\s>|]*+["“”„«»″][\s>|]*+(?:body|sig)')
_TOKEN: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[{}\[\]]', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Paper:
    """Whole JSON; ``message`` if it is a player's file whose signature fits the key that it names."""

    raw: bytes
    message: Message | None = None
    unfit: bool = False
    """Whether it is a player's file, but its signature does not fit."""


@dataclass(frozen=True, slots=True)
class DamagedPart:
    """Something that should have been a signed file and is not; ``kind`` is stable, for limits and the log."""

    kind: str
    sentence: str


Item: TypeAlias = Paper | DamagedPart
Spend = Callable[[int], object]


def read_paper(text: str, spend: Spend) -> Item | None:
    """What a text is that should be JSON from end to end; None if it is not whole."""
    spend(len(text) * _TRYING)
    try:
        value = parse(text.encode("utf-8", "replace"), limit=MAX_FILE)
    except (FormatError, UnicodeError):
        return None
    spend(len(text) * _READING)
    return _judged(text, value, spend)


def _judged(text: str, value: Json, spend: Spend) -> Item:
    body = value.get("body") if isinstance(value, dict) else None
    if not isinstance(body, dict) or "sig" not in value or "kind" in body or "code" in body:
        return Paper(text.encode())
    spend(_JUDGING)
    try:
        message = message_of(value)
        verify_file(message.kind, message.file, unb64(message.file["sig"]["key"], 32))
    except FormatError as fault:
        return DamagedPart("malformed", str(fault))
    except PbemError:
        return Paper(text.encode(), unfit=True)
    return Paper(canon(message.file), message)


def pasted(text: str, spend: Spend) -> Iterator[Item]:
    """JSON among other words, as it stands or mended: the first way to read all of it ends the search."""
    if _START.search(text) is None:
        return
    tried: dict[str, Item | None] = {}
    sure: dict[bytes, Paper] = {}
    unfit: list[Paper] = []
    for number, reading in enumerate(_readings(text, spend)):
        pieces = list(_objects(reading, spend))
        for piece in pieces:
            if piece not in tried:
                tried[piece] = read_paper(piece, spend) if piece else None
            item = tried[piece]
            if isinstance(item, Paper) and not item.unfit:
                sure.setdefault(item.raw, item)
            elif isinstance(item, Paper) and number == 0:
                unfit.append(item)
        if pieces and all(_is_good(tried[piece]) for piece in pieces):
            yield from sure.values()
            return
    yield from (*sure.values(), *unfit)
    told = sentence("there is JSON in this email, but it was changed on its way: its signature does not fit")
    yield DamagedPart("json", told)


def _is_good(item: Item | None) -> bool:
    return isinstance(item, Paper) and not item.unfit


def _readings(text: str, spend: Spend) -> Iterator[str]:
    """The text as it stands, then with what mail programs do to it undone, one after the other; each once."""
    seen: set[int] = set()
    spend(len(text) * _MENDING)
    for base in (text, _QUOTE.sub("", text)):
        straight = base.translate(_QUOTES)
        for plain in (base, straight, straight.translate(_DASHES)):
            if (name := hash(plain)) not in seen:
                seen.add(name)
                for reading in _joined(plain):
                    spend(len(reading))
                    yield reading


def _joined(plain: str) -> Iterator[str]:
    """A text with its line ends, then without them: as after flowed, trimmed, wrapped and cut lines."""
    yield plain
    if "\n" in plain:
        lines = plain.replace("\r\n", "\n").split("\n")
        yield "".join(line[:-1] if line.endswith(" ") else f"{line}\n" for line in lines)
        bare = [line.strip(" \t") for line in lines]
        yield "".join(bare)
        yield " ".join(bare)
        yield "".join(lines)


def _objects(text: str, spend: Spend) -> Iterator[str]:
    """The objects of a text that seem to be signed files; an empty text for one that has no end."""
    behind = 0
    for count, start in enumerate(_START.finditer(text)):
        if count >= MOST_OBJECTS:
            return
        if start.start() >= behind:
            end = _end_of_object(text, start.start())
            spend((end or min(len(text), start.start() + MAX_FILE)) - start.start())
            behind = end or behind
            yield text[start.start() : end] if end else ""


def _end_of_object(text: str, start: int) -> int:
    """Where the object that begins there ends; 0 if it does not within the longest file."""
    depth = 0
    for token in _TOKEN.finditer(text, start, start + MAX_FILE):
        if token[0] in "{[":
            depth += 1
        elif token[0] in "}]":
            depth -= 1
            if depth == 0:
                return token.end()
    return 0
