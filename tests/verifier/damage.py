"""Damaging two small matches: bits, bytes and pieces of lines; or one value at a time, signed again by everybody."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import sha256

from pbem.game import Json, JsonObject
from tests.forge import Forge
from tests.world import World


@cache
def small() -> World:
    return World("wyatt-earp", ("anna", "burt"), seed="small").start().play(10)


@cache
def rolled() -> World:
    return World("way-out-west", ("anna", "burt", "curt"), seed="small").start().play(14)


def pick(count: int, *key: object) -> int:
    """A number below ``count`` that follows from ``key``: the same damage in every run."""
    return int.from_bytes(sha256(repr(key).encode()).digest()[:8], "big") % count


def damaged(lines: list[bytes], number: int) -> list[bytes]:
    """One bit, one byte, or a piece of a line changed, left out or put in twice."""
    index = pick(len(lines), number, "line")
    raw = bytearray(lines[index])
    at = pick(len(raw), number, "at")
    match number % 5:
        case 0 | 1:
            raw[at] ^= 1 << pick(8, number, "bit")
        case 2:
            del raw[at]
        case 3:
            raw[at:at] = raw[at : at + 1]
        case _:
            del raw[at : at + 1 + pick(40, number, "length")]
    changed = b"\n".join([*lines[:index], bytes(raw), *lines[index + 1 :]])
    return changed.split(b"\n")


def byte_damage(world: World, numbers: Iterable[int]) -> dict[str, list[bytes]]:
    """The files with these numbers of damage, but for what changed nothing."""
    files = {str(number): damaged(world.lines, number) for number in numbers}
    return {name: lines for name, lines in files.items() if lines != world.lines}


# --- one value at a time, signed by the host -----------------------------------------------------------------


def paths(value: Json, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Where every value in this JSON stands."""
    if path:
        yield path
    if isinstance(value, dict):
        for name, member in value.items():
            if not name.startswith("_"):
                yield from paths(member, (*path, name))
    elif isinstance(value, list):
        for index, item in enumerate(value[:3]):
            yield from paths(item, (*path, index))


def others(value: Json) -> list[Json]:
    """Values to put there instead."""
    if isinstance(value, bool):
        return [not value, 1]
    if isinstance(value, int):
        return [value + 1, value - 1, 0, str(value)]
    if isinstance(value, str):
        swapped = ("B" if value[:1] == "A" else "A") + value[1:]
        return [swapped, value + "A", "", "anna", 7]
    if isinstance(value, list):
        return [value[1:], [*value, *value[:1]], value[::-1], {}]
    return [{}, {**value, "more": 1}, []]


SKIPPED = {"genesis", "public", "events", "sig"}
"""Left alone: the match's own name, and what only the rules engine can judge."""


def changed_values(world: World) -> dict[str, tuple[int, tuple[str | int, ...], Json]]:
    """Every place of a match with another value for it."""
    changes: dict[str, tuple[int, tuple[str | int, ...], Json]] = {}
    for index, body in enumerate(Forge(world).bodies()):
        if body["kind"] == "genesis":
            continue
        for path in paths(body):
            if not SKIPPED & set(map(str, path)):
                honest: Json = body
                for part in path:
                    honest = honest[part]
                for number, value in enumerate(others(honest)):
                    changes[f"{index} {'/'.join(map(str, path))} {number}"] = (index, path, value)
    return changes


def in_action(name: str) -> bool:
    """Whether the damage of this name changed a result's action, or a value in one."""
    return re.search(r"steps/\d+/action\b", name) is not None


def forged(world: World, index: int, path: tuple[str | int, ...], value: Json) -> list[bytes] | None:
    """The file with this one value in place, signed by everybody who would have signed it."""
    forge = Forge(world)
    bodies = forge.bodies()
    holder: Json = bodies[index]
    for part in path[:-1]:
        holder = holder[part]
    if holder[path[-1]] == value:
        return None
    holder[path[-1]] = copy.deepcopy(value)
    overrides: JsonObject = {"seq": "_seq", "prev": "_prev"}
    if len(path) == 1 and path[0] in overrides:
        bodies[index][overrides[str(path[0])]] = value
    try:
        return forge.write(bodies)
    except (KeyError, TypeError, AttributeError, ValueError, IndexError):
        return None  # players' programs cannot sign what is no file at all


def some_values(world: World, count: int, salt: str) -> dict[str, list[bytes]]:
    places = changed_values(world)
    names = sorted(places, key=lambda name: sha256(f"{salt} {name}".encode()).digest())[:count]
    files = {name: forged(world, *places[name]) for name in names}
    return {name: lines for name, lines in files.items() if lines is not None}
