"""Shapes of JSON values: small compiled checkers for record lines.

A record is re-read far more often than it is written, so its members are checked by these closures and not by
JSON Schema (``schemas/record.schema.json`` says the same in words a stranger reads; a test holds the two together).
A checker is a function ``check(value, where)`` that raises ``FormatError`` at the first thing out of place.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Mapping
from typing import TypeAlias

from pbem.errors import FormatError
from pbem.game import Json

Where: TypeAlias = "str | tuple[Where, str | int]"
"""A place in a value: a JSON Pointer, or a place and one step further; spelled out only for a fault."""
Check: TypeAlias = Callable[[Json, Where], None]

_SEAT = re.compile(r"(?!(?:table|public|farmer|both|nobody|supply)\Z)[a-z][a-z0-9-]{0,15}\Z")
_WORD = re.compile(r"[a-z][a-z0-9-]{0,31}\Z")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*\Z")
_TIME = re.compile(
    r"(?!0000)[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z\Z"
)
_NAME = re.compile(r"[a-z][a-z-]{0,39}\Z")
_TOKEN = re.compile(r"[a-z0-9-]{1,40}\Z")
_B64 = re.compile(r"[A-Za-z0-9_-]*\Z")
_UNSPEAKABLE = re.compile("[\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_SPARE = {1: "", 2: "AQgw", 3: "AEIMQUYcgkosw048"}
"""Last characters whose unused bits are zero, by the length of the text modulo 4."""
MOST = 2**32 - 1
"""The largest number in a record: it must fit into 4 bytes."""


def place(where: Where) -> str:
    """The JSON Pointer of a place."""
    steps: list[str] = []
    while not isinstance(where, str):
        where, step = where
        steps.insert(0, f"/{step}")
    return where + "".join(steps) or "/"


def _fail(where: Where, expected: str, found: Json) -> FormatError:
    shown = repr(found)
    return FormatError(f"expected {expected}, found {shown[:60]}", where=place(where))


def _matching(pattern: re.Pattern[str], expected: str) -> Check:
    def check(value: Json, where: Where) -> None:
        if type(value) is not str or pattern.match(value) is None:
            raise _fail(where, expected, value)

    return check


seat_id: Check = _matching(_SEAT, "a seat id")
word: Check = _matching(_WORD, "a lower-case word")
language: Check = _matching(_LANGUAGE, "a language tag")
token: Check = _matching(_TOKEN, "lower-case letters, digits and hyphens")


def instant(value: Json, where: Where) -> None:
    """A moment that the calendar has."""
    if type(value) is not str or _TIME.match(value) is None or (value[8:10] > "28" and not _dated(value)):
        raise _fail(where, "a time YYYY-MM-DDThh:mm:ssZ", value)


def _dated(time: str) -> bool:
    """Whether the month has that day."""
    return int(time[8:10]) <= monthrange(int(time[:4]), int(time[5:7]))[1]


def text(value: Json, where: Where) -> None:
    """Any string."""
    if type(value) is not str:
        raise _fail(where, "text", value)


def spoken(most: int) -> Check:
    """Text of 1 to ``most`` characters without line separators and direction controls."""

    def check(value: Json, where: Where) -> None:
        if type(value) is not str or not 1 <= len(value) <= most or _UNSPEAKABLE.search(value):
            raise _fail(where, f"text of 1 to {most} characters without direction controls", value)

    return check


def person(value: Json, where: Where) -> None:
    """A name: ``spoken``, without blanks at its ends."""
    spoken(60)(value, where)
    if value != value.strip():
        raise _fail(where, "a name without blanks at its ends", value)


def any_object(value: Json, where: Where) -> None:
    """An object whose members somebody else checks."""
    if type(value) is not dict:
        raise _fail(where, "an object", value)


def named(member: str) -> Check:
    """An object that is called by this member (``do`` of an action, ``event``); the rest is the game's."""

    def check(value: Json, where: Where) -> None:
        any_object(value, where)
        name = value.get(member)
        if type(name) is not str or _NAME.match(name) is None:
            raise _fail(where, f"an object with a name in {member!r}", value)

    return check


def some_object(value: Json, where: Where) -> None:
    """An object that holds something."""
    any_object(value, where)
    if not value:
        raise _fail(where, "an object that is not empty", value)


def container(value: Json, where: Where) -> None:
    """A list or an object whose content somebody else checks."""
    if type(value) is not dict and type(value) is not list:
        raise _fail(where, "a list or an object", value)


def integer(minimum: int = 0, maximum: int = MOST) -> Check:
    """A whole number within these bounds."""

    def check(value: Json, where: Where) -> None:
        if type(value) is not int or not minimum <= value <= maximum:
            raise _fail(where, f"an integer from {minimum} to {maximum}", value)

    return check


def b64(size: int) -> Check:
    """Base64url text of exactly ``size`` bytes, canonical (no stray bits)."""
    length = -(-size * 4 // 3)
    spare = {1: "AQgw", 2: "AEIMQUYcgkosw048"}.get(size % 3)

    def check(value: Json, where: Where) -> None:
        if (
            type(value) is not str
            or len(value) != length
            or _B64.match(value) is None
            or (spare is not None and value[-1] not in spare)
        ):
            raise _fail(where, f"base64url of {size} bytes", value)

    return check


def b64_from(least: int, most: int) -> Check:
    """Base64url text of so many bytes, canonical."""
    shortest, longest = -(-least * 4 // 3), -(-most * 4 // 3)

    def check(value: Json, where: Where) -> None:
        if (
            type(value) is not str
            or not shortest <= len(value) <= longest
            or _B64.match(value) is None
            or (len(value) % 4 and value[-1] not in _SPARE[len(value) % 4])
        ):
            raise _fail(where, f"base64url of {least} to {most} bytes", value)

    return check


def const(*allowed: Json) -> Check:
    """One of a few fixed values."""

    def check(value: Json, where: Where) -> None:
        for known in allowed:
            if value == known and type(value) is type(known):
                return
        raise _fail(where, " or ".join(map(repr, allowed)), value)

    return check


def listof(item: Check, most: int, least: int = 0, *, unique: bool = False) -> Check:
    """A list of ``least`` to ``most`` items that all pass ``item``; ``unique``: and all differ."""

    def check(value: Json, where: Where) -> None:
        if type(value) is not list:
            raise _fail(where, "a list", value)
        if not least <= len(value) <= most:
            raise _fail(where, f"a list of {least} to {most} items", value)
        for index, element in enumerate(value):
            item(element, (where, index))
        if unique and len(set(value)) != len(value):
            raise _fail(where, "items that differ", value)

    return check


def mapof(key: Check, item: Check, most: int, least: int = 0) -> Check:
    """An object used as a map, with ``least`` to ``most`` members."""

    def check(value: Json, where: Where) -> None:
        if type(value) is not dict:
            raise _fail(where, "an object", value)
        if not least <= len(value) <= most:
            raise _fail(where, f"{least} to {most} members", value)
        for name, element in value.items():
            key(name, (where, name))
            item(element, (where, name))

    return check


def by_member(member: str, shapes: Mapping[str, Check]) -> Check:
    """An object whose shape follows from one of its members."""

    def check(value: Json, where: Where) -> None:
        any_object(value, where)
        found = value.get(member)
        shape = shapes.get(found) if type(found) is str else None
        if shape is None:
            raise _fail((where, member), "one of " + ", ".join(shapes), found)
        shape(value, where)

    return check


def obj(
    required: Mapping[str, Check], optional: Mapping[str, Check] | None = None, *, rest: bool = False
) -> Check:
    """An object with exactly these members, the optional ones present or left out; ``rest``: others are free."""
    extra = optional or {}
    known = {**required, **extra}

    def check(value: Json, where: Where) -> None:
        if type(value) is not dict:
            raise _fail(where, "an object", value)
        for name in required:
            if name not in value:
                raise FormatError(f"member {name!r} is missing", where=place(where))
        for name, element in value.items():
            item = known.get(name)
            if item is not None:
                item(element, (where, name))
            elif not rest:
                raise FormatError(f"unknown member {name!r}", where=place(where))

    return check
