"""Changes to real matches, chosen by bytes: so a fuzzer gets past the signatures and into the checks behind them."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final

from pbem.game import Json
from tests.forge import Forge
from tests.record.golden import one_of_each
from tests.world import World


@cache
def _short() -> World:
    return World("wyatt-earp", ("anna", "burt"), seed="fuzz").start().play(14)


@cache
def _rolled() -> World:
    return World("way-out-west", ("anna", "burt", "curt"), seed="fuzz").start().play(24)


@cache
def _kinds() -> World:
    return one_of_each()


MATCHES: Final[tuple[Callable[[], World], ...]] = (_short, _rolled, _kinds)
"""A start of each game, and a match with every kind of record that people agree to."""


def match_of(data: bytes) -> World:
    """The match that the first byte chooses."""
    return MATCHES[data[0] % len(MATCHES) if data else 0]()


def spliced(whole: bytes, data: bytes) -> bytes:
    """``whole`` with pieces of ``data`` in it: place (3 bytes), how much is left out, how much is put in, and what."""
    edited = bytearray(whole)
    while len(data) >= 5:
        at = int.from_bytes(data[:3], "big") % (len(edited) + 1)
        out, size = data[3] % 64, data[4] % 32
        edited[at : at + out] = data[5 : 5 + size]
        data = data[5 + size :]
    return bytes(edited)


@cache
def _places(which: int) -> list[tuple[int, tuple[str | int, ...]]]:
    """Every value of a match: record and path."""
    bodies = Forge(MATCHES[which]()).bodies()
    return [(index, path) for index, body in enumerate(bodies) for path in _paths(body)]


def _paths(value: Json, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if path:
        yield path
    if isinstance(value, dict):
        for name, member in value.items():
            if not name.startswith("_"):
                yield from _paths(member, (*path, name))
    elif isinstance(value, list):
        for index, item in enumerate(value[:4]):
            yield from _paths(item, (*path, index))


_WORDS: Final = (
    "", "anna", "burt", "curt", "dora", "table", "main", "public", "jesse-james", "wyatt-earp", "file", "order",
    "game", "default", "sealed", "turn", "open", "epoch", "end", "rewind", "pause", "2026-11-21T18:00:00Z",
    "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z",
)  # fmt: skip
_NUMBERS: Final = (0, 1, 2, 3, 5, 77, 78, 1024, 65535, 2**31, 2**32 - 1, 2**53 - 1, -1)


def _other(old: Json, data: bytes, which: int) -> Json:
    """Another value for ``old``: a near one, one of the usual words, one from elsewhere, or JSON in ``data``."""
    how, rest = (data[0], data[1:]) if data else (0, b"")
    pick = rest[0] if rest else 0
    match how % 8:
        case 0:
            return (old + pick - 128) if isinstance(old, int) else _WORDS[pick % len(_WORDS)]
        case 1:
            return _NUMBERS[pick % len(_NUMBERS)]
        case 2:
            index, path = _places(which)[int.from_bytes(rest[:2], "big") % len(_places(which))]
            return _at(Forge(MATCHES[which]()).bodies()[index], path)
        case 3 if isinstance(old, list) and old:
            at = pick % len(old)
            return [old[:at] + old[at + 1 :], [*old, old[at]], old[::-1], old[:at]][how // 8 % 4]
        case 4 if isinstance(old, dict) and old:
            name = sorted(old)[pick % len(old)]
            return {key: value for key, value in old.items() if key != name}
        case 5 if isinstance(old, str) and old:
            at = pick % len(old)
            return old[:at] + ("A" if old[at] != "A" else "Q") + old[at + 1 :]
        case 6 if isinstance(old, dict):
            return {**old, "seat": _WORDS[pick % 6]}
        case _:
            try:
                return json.loads(rest)
            except (ValueError, RecursionError):
                return pick


def _at(value: Json, path: tuple[str | int, ...]) -> Json:
    for part in path:
        value = value[part]
    return value


def resigned(data: bytes) -> list[bytes] | None:
    """A match with up to three values or records changed, signed again by everybody; None if nobody could sign that."""
    if len(data) < 4:
        return None
    which = data[0] % len(MATCHES)
    forge = Forge(MATCHES[which]())
    bodies = forge.bodies()
    rest = data[1:]
    for _ in range(1 + data[1] % 3):
        size = 3 + rest[0] % 24 if rest else 0
        piece, rest = rest[1 : 1 + size], rest[1 + size :]
        if len(piece) >= 3:
            _change(bodies, piece, which)
    try:
        return forge.write(bodies)
    except (KeyError, TypeError, AttributeError, ValueError, IndexError):
        return None  # no program can sign what is no file at all


def _change(bodies: list[Any], piece: bytes, which: int) -> None:
    at = int.from_bytes(piece[:2], "big")
    if piece[2] % 16 == 0 and len(bodies) > 2:  # a record is dropped, repeated or moved
        index = 1 + at % (len(bodies) - 2)
        record = bodies.pop(index)
        if piece[2] // 16 % 3:
            bodies.insert(1 + piece[2] % (len(bodies) - 1), record)
        if piece[2] // 16 % 3 == 1:
            bodies.insert(index, copy.deepcopy(record))
        return
    index, path = _places(which)[at % len(_places(which))]
    if index >= len(bodies):
        return
    try:
        holder = _at(bodies[index], path[:-1])
        holder[path[-1]] = copy.deepcopy(_other(holder[path[-1]], piece[3:], which))
    except (KeyError, IndexError, TypeError):
        return  # an earlier change took it away
