"""Shapes of JSON values: small compiled checkers for record lines.

A record is re-read far more often than it is written, so its members are checked by these closures and not by
JSON Schema (``schemas/record.schema.json`` says the same in words a stranger reads; a test holds the two together).
A checker is a function ``check(value, where)`` that raises ``FormatError`` at the first thing out of place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from pbem.errors import FormatError
from pbem.game import Json

Where: TypeAlias = "str | tuple[Where, str | int]"
"""A place in a value: a JSON Pointer, or a place and one step further; spelled out only for a fault."""
Check: TypeAlias = Callable[[Json, Where], None]

_SEAT = re.compile(r"[a-z][a-z0-9-]{0,15}\Z")
_WORD = re.compile(r"[a-z][a-z0-9-]{0,31}\Z")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*\Z")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z\Z")
_B64 = re.compile(r"[A-Za-z0-9_-]*\Z")


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
instant: Check = _matching(_TIME, "a time YYYY-MM-DDThh:mm:ssZ")


def text(value: Json, where: Where) -> None:
    """Any string."""
    if type(value) is not str:
        raise _fail(where, "text", value)


def bounded(most: int) -> Check:
    """Text of 1 to ``most`` characters."""

    def check(value: Json, where: Where) -> None:
        if type(value) is not str or not 1 <= len(value) <= most:
            raise _fail(where, f"text of 1 to {most} characters", value)

    return check


def anything(value: Json, where: Where) -> None:
    """Any JSON value: what stands here is checked by somebody else."""


def any_object(value: Json, where: Where) -> None:
    """An object whose members somebody else checks."""
    if type(value) is not dict:
        raise _fail(where, "an object", value)


def integer(minimum: int = 0) -> Check:
    """A whole number, at least ``minimum``."""

    def check(value: Json, where: Where) -> None:
        if type(value) is not int or value < minimum:
            raise _fail(where, f"an integer of at least {minimum}", value)

    return check


def boolean(value: Json, where: Where) -> None:
    """True or false."""
    if type(value) is not bool:
        raise _fail(where, "true or false", value)


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


def b64_any(value: Json, where: Where) -> None:
    """Base64url text of any size."""
    if type(value) is not str or _B64.match(value) is None or len(value) % 4 == 1:
        raise _fail(where, "base64url text", value)


def b64_some(value: Json, where: Where) -> None:
    """Base64url text of at least one byte."""
    b64_any(value, where)
    if not value:
        raise _fail(where, "sealed bytes", value)


def const(*allowed: Json) -> Check:
    """One of a few fixed values."""

    def check(value: Json, where: Where) -> None:
        for known in allowed:
            if value == known and type(value) is type(known):
                return
        raise _fail(where, " or ".join(map(repr, allowed)), value)

    return check


def listof(item: Check) -> Check:
    """A list whose items all pass ``item``."""

    def check(value: Json, where: Where) -> None:
        if type(value) is not list:
            raise _fail(where, "a list", value)
        for index, element in enumerate(value):
            item(element, (where, index))

    return check


def mapof(key: Check, item: Check) -> Check:
    """An object used as a map."""

    def check(value: Json, where: Where) -> None:
        if type(value) is not dict:
            raise _fail(where, "an object", value)
        for name, element in value.items():
            key(name, (where, name))
            item(element, (where, name))

    return check


def obj(required: Mapping[str, Check], optional: Mapping[str, Check] | None = None) -> Check:
    """An object with exactly these members, the optional ones present or left out."""
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
            if item is None:
                raise FormatError(f"unknown member {name!r}", where=place(where))
            item(element, (where, name))

    return check
