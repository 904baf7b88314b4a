"""The schemas: what they allow and refuse, what a refusal says, and that the quick check is ``jsonschema``'s."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator

import pytest

from pbem.base.errors import FormatError
from pbem.base.resources import data_dir
from pbem.base.shapes.compiled import UnknownKeyword, compile_schema
from pbem.base.shapes.schema import load, validate
from pbem.game import Json, JsonObject
from tests.formats.examples import MESSAGES, RECORDS, TERMS
from tests.world import World

NAMES = sorted(
    path.relative_to(data_dir("schemas")).as_posix().removesuffix(".schema.json")
    for path in data_dir("schemas").rglob("*.schema.json")
)
SAMPLES = [(kind, file) for kind, file in MESSAGES.items()] + [("record", file) for file in RECORDS.values()]
IDS = [*MESSAGES, *(f"record {kind}" for kind in RECORDS)]
ODD: list[Json] = [
    None,
    True,
    -1,
    2**53 - 1,
    1,
    "",
    "Anna",
    "x" * 300,
    [],
    {},
    ["anna", "anna"],
    [{}],
    {"x": 1},
]


def places(value: Json, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The path of every value inside."""
    yield path
    items: Json = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, inner in items:
        yield from places(inner, (*path, key))


def at(value: Json, path: tuple[str | int, ...]) -> Json:
    for key in path:
        value = value[key]
    return value


def variants(value: Json) -> Iterator[Json]:
    """Copies of ``value`` with one thing changed: a member left out or added, a value of another kind."""
    for path in places(value):
        here = at(value, path)
        if isinstance(here, dict):
            changed = copy.deepcopy(value)
            at(changed, path)["extra"] = 1
            yield changed
        if path and isinstance(path[-1], str):
            changed = copy.deepcopy(value)
            del at(changed, path[:-1])[path[-1]]
            yield changed
        for odd in ODD if path else ():
            changed = copy.deepcopy(value)
            at(changed, path[:-1])[path[-1]] = odd
            yield changed


def refuses(name: str, obj: Json) -> FormatError:
    with pytest.raises(FormatError) as caught:
        validate(name, obj)
    return caught.value


@pytest.mark.parametrize("name", NAMES)
def test_every_schema_is_one_and_allows_nothing_it_does_not_name(name: str) -> None:
    from jsonschema import Draft202012Validator

    schema = load(name)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    for path in places(schema):
        here = at(schema, path)
        if (
            isinstance(here, dict)
            and isinstance(here.get("properties"), dict)
            and here.get("type") == "object"
        ):
            closed = "additionalProperties" in here
            known = {"do", "event", "winners", "kind", "by"}  # the game's own, or distinguished further on
            assert closed or set(here["properties"]) <= known, path


@pytest.mark.parametrize(("name", "file"), SAMPLES, ids=IDS)
def test_an_example_of_each_kind_is_valid(name: str, file: JsonObject) -> None:
    from jsonschema import Draft202012Validator

    validate(name, file)
    Draft202012Validator(load(name)).validate(file)


@pytest.mark.parametrize(("name", "file"), SAMPLES, ids=IDS)
def test_the_quick_check_says_what_jsonschema_says(name: str, file: JsonObject) -> None:
    """Every 7th variant of every example: a few hundred each, which is what the slow one can do in a second."""
    from jsonschema import Draft202012Validator

    quick, slow = compile_schema(load(name)), Draft202012Validator(load(name))
    valid = 0
    for variant in [*variants(file)][:: 7 if name == "record" else 2]:
        said = quick(variant)
        assert said == slow.is_valid(variant), json.dumps(variant)[:300]
        valid += said
    assert quick(file)


@pytest.mark.parametrize("kind", ["join", "ready", "turn", "rekey", "consent"])
def test_messages_in_records_are_judged_by_the_same_words_as_alone(kind: str) -> None:
    alone = {key: value for key, value in load(kind).items() if not key.startswith("$")}
    assert load("record")["$defs"][kind] == alone


def test_an_invitation_is_record_0_and_nothing_else() -> None:
    validate("invite", RECORDS["genesis"])
    for kind, file in RECORDS.items():
        if kind != "genesis":
            refuses("invite", file)


@pytest.mark.parametrize("game", ["wyatt-earp", "way-out-west"])
def test_every_line_of_a_real_match_is_a_record(game: str) -> None:
    world = World(game, ("anna", "burt", "curt"), seed="schemas").start().play(40)
    for line in world.lines:
        validate("record", json.loads(line))
    for file in world.files:
        validate(
            "join" if "anchor" in file["body"] else "turn" if "actions" in file["body"] else "ready", file
        )


@pytest.mark.parametrize("kind", TERMS)
def test_a_consent_holds_exactly_the_members_of_its_record(kind: str) -> None:
    consent = copy.deepcopy(MESSAGES["consent"])
    consent["body"]["what"] = dict(TERMS[kind])
    validate("consent", consent)
    consent["body"]["what"]["reason"] = "x"
    assert "reason" in str(refuses("consent", consent))
    consent["body"]["what"] = {"kind": "revolution"}
    assert refuses("consent", consent).where == "/body/what/kind"


def turned(path: tuple[str | int, ...], value: Json) -> JsonObject:
    file = copy.deepcopy(MESSAGES["turn"])
    at(file, path[:-1])[path[-1]] = value
    return file


FAULTS: list[tuple[tuple[str | int, ...], Json, str, str]] = [
    (("body", "n"), "3", "/body/n", 'expected an integer, found text "3"'),
    (("body", "n"), -1, "/body/n", "expected at least 0, found a number -1"),
    (("body", "n"), 2**32, "/body/n", "expected at most 4294967295"),
    (("body", "seat"), "Anna", "/body/seat", 'expected a seat id: .* found text "Anna"'),
    (("body", "extra"), 1, "/body", 'unexpected member "extra"; known here: game, seat, n'),
    (("body", "actions"), {}, "/body/actions", "expected a list, found an object of 0"),
    (("body", "actions", 1), {"on": "x"}, "/body/actions/1", "member 'do' is missing"),
    (("body", "actions", 1, "do"), "Lay!", "/body/actions/1/do", "expected the name of an action"),
    (
        ("body", "actions"),
        [{"do": "pass"}] * 65,
        "/body/actions",
        "expected at most 64 entries, found a list of 65",
    ),
    (("body", "game"), "AA", "/body/game", "expected 32 bytes in base64url"),
    (("body", "game"), "A" * 42 + "B", "/body/game", "expected 32 bytes in base64url"),
    (
        ("body", "say"),
        "x" * 281,
        "/body/say",
        "expected at most 280 characters, found text of 281 characters",
    ),
    (("body", "link", "epoch"), 0, "/body/link/epoch", "expected at least 1, found a number 0"),
    (("body", "sealed"), None, "/body/sealed", "expected an object, found null"),
    (("body", "seen", "line"), 1, "/body/seen/line", "expected text, found a number 1"),
    (
        ("sig", "value"),
        "A" * 86 + "==",
        "/sig/value",
        "expected 64 bytes in base64url, found text of 88 characters",
    ),
]


@pytest.mark.parametrize(("path", "value", "where", "says"), FAULTS, ids=[fault[3][:40] for fault in FAULTS])
def test_a_refusal_names_place_expectation_and_finding(
    path: tuple[str | int, ...], value: Json, where: str, says: str
) -> None:
    fault = refuses("turn", turned(path, value))
    assert fault.where == where
    with pytest.raises(FormatError, match=says):
        raise fault


@pytest.mark.parametrize(
    ("order", "says"),
    [
        (["anna", "anna"], "expected every entry only once, found a list of 2 with one of them twice"),
        ([], "expected at least 1 entry, found a list of 0"),
        (["anna", "burt", "curt", "dora"], "expected at most 3 entries, found a list of 4"),
    ],
)
def test_limits_are_shown_in_words(order: list[str], says: str) -> None:
    fault = refuses(
        "wyatt-earp/action",
        {"do": "most-wanted", "ask": "jesse-james", "direction": "clockwise", "order": order},
    )
    assert str(fault) == f"order: {says}"


def test_steps_and_chance_are_kept_apart() -> None:
    def steps(change: JsonObject, index: int) -> JsonObject:
        file = copy.deepcopy(RECORDS["open"])
        file["body"]["steps"][index] |= change
        return file

    fault = refuses("record", steps({"seat": "anna"}, 0))
    assert fault.where == "/body/steps/0"
    assert 'unexpected member "seat"' in str(fault)
    assert 'unexpected member "n"' in str(refuses("record", steps({"n": 3}, 1)))
    file = copy.deepcopy(RECORDS["open"])
    del file["body"]["steps"][2]["n"]
    assert "member 'n' is missing" in str(refuses("record", file))
    file = copy.deepcopy(RECORDS["open"])
    file["body"]["steps"][0]["chance"][0] |= {"card": "hideout"}  # a card dealt into a hand, in public
    fault = refuses("record", file)
    assert fault.where == "/body/steps/0/chance/0"
    assert 'unexpected member "card"' in str(fault)


def test_a_turn_has_a_whole_result_or_none() -> None:
    for name in ("epoch", "applied", "steps", "public"):
        file = copy.deepcopy(RECORDS["turn"])
        del file["body"][name]
        assert f"member '{name}' is missing" in str(refuses("record", file))


def test_a_game_without_its_own_compiler_words_is_judged_by_jsonschema() -> None:
    for unknown in ({"format": "date"}, {"$ref": "other.json"}, {"const": {"a": 1}}, {"enum": [[1]]}):
        with pytest.raises(UnknownKeyword):
            compile_schema(unknown)
    loop = {"$defs": {"a": {"items": {"$ref": "#/$defs/a"}}}, "$ref": "#/$defs/a"}
    with pytest.raises(UnknownKeyword):
        compile_schema(loop)


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"const": 1}, [1], [True, "1", [1]]),
        ({"const": True}, [True], [1, False]),
        ({"enum": ["a", 1, False]}, ["a", 1, False], ["b", True, 0, {}]),
        ({"type": ["integer", "null"]}, [1, None], [True, "", []]),
        (
            {"uniqueItems": True},
            [[1, 2], ["a", "b"], [1, True], "aa"],
            [[1, 1], ["a", "a"], [{"a": 1}, {"a": 1}]],
        ),
        ({"oneOf": [{"minimum": 3}, {"maximum": 5}]}, [1, 9], [4, "text"]),
        ({"not": {"enum": ["table"]}}, ["anna"], ["table"]),
        ({"minLength": 2, "maxLength": 3}, ["ab", "\U0001f920bc", 7], ["a", "abcd"]),
        ({"pattern": "^a"}, ["ab", 3], ["ba"]),
        ({"minProperties": 1, "maxProperties": 1}, [{"a": 1}, 3], [{}, {"a": 1, "b": 1}]),
        ({"propertyNames": {"pattern": "^a"}}, [{"ab": 1}], [{"b": 1}]),
        (
            {"if": {"type": "string"}, "then": {"minLength": 1}, "else": {"type": "integer"}},
            ["a", 1],
            ["", None],
        ),
        ({"dependentRequired": {"a": ["b"]}}, [{}, {"a": 1, "b": 1}, {"b": 1}], [{"a": 1}]),
    ],
)
def test_each_keyword_means_what_jsonschema_means(schema: Json, good: list[Json], bad: list[Json]) -> None:
    from jsonschema import Draft202012Validator

    quick, slow = compile_schema(schema), Draft202012Validator(schema)
    for value in good + bad:
        assert quick(value) == slow.is_valid(value), value
    assert all(map(quick, good))
    assert not any(map(quick, bad))


@pytest.mark.parametrize("name", NAMES)
def test_the_quick_check_knows_every_word_of_our_schemas(name: str) -> None:
    compile_schema(load(name))


SCENARIO: JsonObject = {
    "pbem": "scenario/1",
    "game": "wyatt-earp",
    "title": "Cards laid under a Hideout still pay",
    "rules": ["N4", "D9"],
    "options": {},
    "seats": ["anna", "burt", "curt"],
    "position": {"active": "anna", "phase": "play", "hands": {"anna": ["belle-starr"]}},
    "chance": {"shuffles": [["bob-dalton", "wyatt-earp"]], "rolls": [5, 2]},
    "steps": [
        {
            "seat": "anna",
            "action": {"do": "lay", "outlaw": "belle-starr", "count": 2},
            "expect": {
                "position": {"posters": {"belle-starr": 4000}},
                "events": [{"event": "laid", "reward": 1000}],
                "not_events": [{"event": "shot"}],
                "legal": [{"do": "hideout"}],
                "not_legal": [{"do": "pass"}],
                "view": [{"seat": "public", "lacks": ["belle"]}],
                "waiting": {"seat": "anna", "phase": "play"},
            },
        },
        {"seat": "anna", "action": {"do": "photo"}, "expect": {"refused": True, "rule": "J1"}},
    ],
}


def test_a_scenario_as_the_format_shows_it_is_valid() -> None:
    validate("scenario", SCENARIO)
    refuses("scenario", SCENARIO | {"pbem": "scenario/2"})
    refuses("scenario", SCENARIO | {"more": 1})
    refuses("scenario", SCENARIO | {"steps": [{"seat": "anna"}]})
    refuses("scenario", SCENARIO | {"chance": {"rolls": [0]}})
