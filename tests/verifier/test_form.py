"""The form of records: the JSON Schema and the second verifier's table refuse the same values."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import cache

import pytest

from pbem.base.errors import FormatError
from pbem.base.shapes.schema import validate
from pbem.game import Json, JsonObject
from pbem.protocol.crypto.digest import b64
from pbem.protocol.draws import MAX_LENGTH
from pbem.protocol.record.line import check_form
from tests.record.golden import WALKS
from tests.verifier.damage import paths
from tests.verifier.node import HERE, node, said_of

Path = tuple[str | int, ...]
_SEATS = {"anna", "burt", "curt"}
_LONG = ("x" * size for size in (16, 17, 32, 33, 60, 61, 80, 81, 280, 281, 300))
WORDS = ["", "a", "Z", " a", "a ", "\u00a0a", "a\u3000", "ä", "table", "anna", "a--", *_LONG]
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
    by_place: dict[tuple[object, ...], tuple[JsonObject, Path]] = {}
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
                by_place.setdefault((line.kind, general, type(at(line.file, path))), (line.file, path))
    return list(by_place.values())


def at(value: Json, path: Path) -> Json:
    for part in path:
        value = value[part]
    return value


def changed() -> Iterator[tuple[str, JsonObject]]:
    """Every place with every other value."""
    for file, path in places():
        for value in others(at(file, path)):
            name = f"{file['body']['kind']} {'/'.join(map(str, path))} {json.dumps(value)[:40]}"
            yield name, with_value(file, path, value)


def with_value(file: Json, path: Path, value: Json) -> Json:
    """What holds the value, copied with it; the rest is the file's own."""
    if not path:
        return value
    copied = copy.copy(file)
    copied[path[0]] = with_value(copied[path[0]], path[1:], value)
    return copied


def ours(file: JsonObject) -> bool:
    try:
        check_form(file)
    except FormatError:
        return False
    return True


def test_both_verifiers_refuse_the_same_forms() -> None:
    count, apart = 0, []
    for name, file, wrong in said_of(changed(), HERE / "form.mjs"):
        count += 1
        if ours(file) == bool(wrong):
            apart.append((name, wrong))
    assert apart == []
    assert count > 10_000


def test_the_honest_records_have_the_form() -> None:
    for file, _ in places():
        validate("record", file)


# --- where lists, maps, lengths and months end ----------------------------------------------------------------

HASH = b64(bytes(32))
DECK: JsonObject = {"gen": 0, "leaves": [HASH]}
TAPE: JsonObject = {"anchor": HASH, "length": 1}
PACKET: JsonObject = {"commit": HASH, "ct": b64(bytes(560))}
STEP: JsonObject = {"by": "game", "chance": [], "events": []}
SHUFFLE: JsonObject = {"shuffle": "main", "gen": 1, "leaves": []}
STOPPED: JsonObject = {"at": 0, "why": "illegal", "code": "illegal", "rules": ["D4"]}
FACTS: JsonObject = {"seq": 1, "seat": "anna", "facts": [{"found": "hideout"}]}


def _words(count: int, value: Json) -> JsonObject:
    return {f"a{number}": value for number in range(count)}


def _times(*days: str) -> list[Json]:
    return [f"{day}T00:00:00Z" for day in days]


def _plain_end(**members: object) -> JsonObject:
    """An end by the rules: nobody had to agree."""
    return {"what": None, "consents": None, **members}


LIMITS: list[tuple[str, dict[str, list[Json]], dict[str, list[Json]]]] = [
    (
        "open",
        {
            "at": _times("2026-11-30", "2026-12-31", "2026-10-31", "2026-01-31", "2028-02-29", "2000-02-29"),
            "steps": [[STEP] * 10_000, [{**STEP, "chance": [SHUFFLE]}]],
            "packets": [{"anna": PACKET}],
        },
        {
            "at": _times("2026-11-31", "2026-04-31", "2026-02-29", "2100-02-29", "2026-02-30", "2026-12-32"),
            "steps": [[STEP] * 10_001, [{**STEP, "chance": [{**SHUFFLE, "gen": 0}]}]],
            "packets": [{"table": PACKET}, {"Anna": PACKET}, _words(9, PACKET)],
        },
    ),
    (
        "announce",
        {
            "decks": [_words(1, DECK), _words(16, DECK), {"a": {**DECK, "leaves": [HASH] * 10_000}}],
            "tapes": [_words(1, TAPE), _words(16, TAPE), {"a": {**TAPE, "length": MAX_LENGTH}}],
        },
        {
            "decks": [
                *({}, _words(17, DECK), {"Main": DECK}, {"a": {**DECK, "leaves": []}}),
                {"a": {**DECK, "leaves": [HASH] * 10_001}},
            ],
            "tapes": [
                *({}, _words(17, TAPE), {"1": TAPE}, {"a": {**TAPE, "length": 0}}),
                {"a": {**TAPE, "length": MAX_LENGTH + 1}},
            ],
        },
    ),
    ("genesis", {"nonce": [b64(bytes(16)), b64(bytes(64))]}, {"nonce": [b64(bytes(15)), b64(bytes(65))]}),
    (
        "turn",
        {"stopped": [{**STOPPED, "rules": ["D4"] * 32}]},
        {"stopped": [{**STOPPED, "rules": ["D4"] * 33}]},
    ),
    (
        "close",
        {
            "facts": [[{**FACTS, "facts": [{"found": "hideout"}] * 1000}]],
            "": [{"what": {"kind": "end"}, "consents": []}, {"what": None, "consents": None}],
        },
        {
            "facts": [[{**FACTS, "facts": [{"found": "hideout"}] * 1001}], [{**FACTS, "facts": []}]],
            "": [{"what": {"kind": "end"}, "consents": None}, {"what": None, "consents": []}],
        },
    ),
    (
        "end",
        {
            "": [
                *(_plain_end(), _plain_end(outcome={"winners": ["anna", "burt"]})),
                {"what": {"kind": "end"}, "consents": None},  # a close before it may hold them
            ]
        },
        {
            "": [
                *({"what": None, "consents": []}, _plain_end(why="x")),
                *(_plain_end(outcome={"winners": ["anna", "anna"]}), {"outcome": {}}),
            ]
        },
    ),
]
"""By kind and member: what has the form, and what has not. With no member: several at once; None is left out."""


def limits() -> Iterator[tuple[JsonObject, bool]]:
    for kind, *sides in LIMITS:
        file = next(file for file, _ in places() if file["body"]["kind"] == kind and _full(file["body"]))
        for good, side in zip((True, False), sides, strict=True):
            for member, values in side.items():
                for value in values:
                    given = {member: value} if member else value
                    body = {**file["body"], **given}
                    kept = {name: held for name, held in body.items() if held is not None}
                    yield {**file, "body": kept}, good


def _full(body: JsonObject) -> bool:
    return body["kind"] != "turn" or "steps" in body


def test_lists_maps_lengths_and_months_end_where_they_should_for_both_verifiers() -> None:
    cases = list(limits())
    assert [ours(file) for file, _ in cases] == [good for _, good in cases]
    said = node(HERE / "form.mjs", stdin="\n".join(json.dumps(file) for file, _ in cases))
    theirs = said.removesuffix("\n").split("\n")
    assert [not wrong for wrong in theirs] == [good for _, good in cases]


def test_a_fault_of_form_shows_where_and_what() -> None:
    file = next(file for file, _ in places() if file["body"]["kind"] == "close")
    long = {**file, "body": {**file["body"], "seed": "x" * 100}}
    with pytest.raises(FormatError) as refused:
        validate("record", long)
    assert str(refused.value) == "seed: expected 32 bytes in base64url, found text of 100 characters"
    with pytest.raises(FormatError, match=r'^unexpected member "more"; known here: body, sig'):
        validate("record", {**file, "more": 1})
