"""The form of records: our compiled shapes, the second verifier's table and the JSON Schema refuse the same values."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import cache

import pytest

from pbem.errors import FormatError
from pbem.formats.schema import validate
from pbem.game import Json, JsonObject
from pbem.record.kinds import check_file
from tests.record.golden import WALKS
from tests.verifier.damage import paths
from tests.verifier.node import HERE, node

Path = tuple[str | int, ...]
_SEATS = {"anna", "burt", "curt"}
_LONG = ("x" * size for size in (16, 17, 32, 33, 60, 61, 80, 81, 280, 281, 300))
WORDS = ["", "a", "Z", " a", "a ", "\u2028", "a\u200eb", "\u0085a", "ä", "table", "anna", "a--", *_LONG]
WORDS += ["A" * size for size in (746, 747, 748, 749, 750)]
WORDS += ["2026-02-30T00:00:00Z", "0000-01-01T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T18:00:60Z"]
NUMBERS = [-1, 0, 1, 7, 64, 65, 127, 128, 129, 65536, 65537, 2**32 - 1, 2**32, 2**53 - 1]


def others(value: Json) -> list[Json]:
    """Values to put there instead: near misses of its own kind, and every other kind."""
    kinds: list[Json] = [7, "x", True, [], {}, [7], [{}]]
    if isinstance(value, bool):
        return [not value, *kinds]
    if isinstance(value, int):
        return [*NUMBERS, *kinds]
    if isinstance(value, str):
        near = [value + "A", value[:-1] + "A", value[:-1] + "_", value[:-1], value * 2, value.upper()]
        return [*near, *WORDS, *kinds]
    if isinstance(value, list):
        return [value + value[:1], *(value[:1] * size for size in (8, 9, 64, 65)), *kinds]
    less = [{name: member for name, member in value.items() if name != left_out} for left_out in value]
    return [*less, {**value, "more": 1}, {**value, "a b": 1}, *kinds]


@cache
def places() -> list[tuple[JsonObject, Path]]:
    """Every kind of place in every kind of record, once."""
    found: dict[tuple[object, ...], tuple[JsonObject, Path]] = {}
    for walk in WALKS.values():
        for line in walk().record.lines:
            for path in paths(line.file):
                games = {"public", "setup", "options"} & set(path) and len(path) > 2
                first = line.kind == "genesis" and path[-1] in (
                    "seq",
                    "prev",
                )  # "a second genesis": not its form
                if games or first or "deadlines" in path or "events" in path[:-1]:
                    continue  # the game's own, and deadlines, are read by others
                general = tuple("*" if isinstance(part, int) or part in _SEATS else part for part in path)
                found.setdefault((line.kind, general, type(at(line.file, path))), (line.file, path))
    return list(found.values())


def at(value: Json, path: Path) -> Json:
    for part in path:
        value = value[part]
    return value


def changed() -> Iterator[tuple[str, JsonObject]]:
    """Every place with every other value."""
    for file, path in places():
        for value in others(at(file, path)):
            made = copy.deepcopy(file)
            at(made, path[:-1])[path[-1]] = value
            yield f"{file['body']['kind']} {'/'.join(map(str, path))} {json.dumps(value)[:40]}", made


def ours(file: JsonObject) -> bool:
    try:
        check_file(file)
    except FormatError:
        return False
    return True


@pytest.mark.slow
def test_both_verifiers_refuse_the_same_forms() -> None:
    files = list(changed())
    assert len(files) > 10_000
    text = "\n".join(json.dumps(file) for _, file in files)
    theirs = node(HERE / "form.mjs", stdin=text).removesuffix("\n").split("\n")
    assert len(theirs) == len(files)
    apart = [
        (name, wrong) for (name, file), wrong in zip(files, theirs, strict=True) if ours(file) == bool(wrong)
    ]
    assert apart == []


@pytest.mark.slow
def test_what_has_the_form_is_as_the_schema_says() -> None:
    """Not the other way round: where the page asks for more (canonical base64, seats called table) so do we."""
    good = [file for _, file in list(changed())[::5] if ours(file)]
    assert len(good) > 200
    for file in good:
        validate("record", file)


def test_the_honest_records_have_the_form() -> None:
    for file, _ in places():
        assert ours(file)
        validate("record", file)
