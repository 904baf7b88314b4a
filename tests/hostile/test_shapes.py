"""One language of shapes: a value is judged alike as a file, inside a record, by the schema, and in JavaScript.

Class: two statements of what a value may look like, and a value that one takes and the other refuses. M2 (``tell`` to
``nobody``: taken as a file, refused in the record that the host made of it) was found. Further members: a seat called
``table``, ciphertext with stray bits, ciphertext of an impossible length, a 30th of February, a year 0000, a name with
blanks at its ends, a rewind to a record that is none. And a search: every kind of place in every player's file of the
golden matches, with every near miss that ``tests.verifier.test_form`` knows (some thousands), read as a loose file, as
part of its record, and by the second verifier; the three answers are equal.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator

import pytest

from pbem.base.errors import FormatError
from pbem.base.shapes.schema import load
from pbem.game import Json, JsonObject
from pbem.protocol.formats.messages import kind_of, read_message
from pbem.protocol.record.line import check_form, write_line
from tests.verifier.node import HERE, node
from tests.verifier.test_form import at, others, places
from tests.world import World, accepted

BOX = "A" * 747


def alone(file: JsonObject) -> bool:
    """Whether the file is taken as a file."""
    try:
        read_message(json.dumps(file).encode())
    except FormatError:
        return False
    return True


def inside(record: JsonObject) -> bool:
    """Whether the record is taken."""
    try:
        check_form(record)
    except FormatError:
        return False
    return True


def in_javascript(records: list[JsonObject]) -> list[bool]:
    """Whether the second verifier takes each of these records."""
    said = node(HERE / "form.mjs", stdin="\n".join(map(json.dumps, records)))
    return [not wrong for wrong in said.removesuffix("\n").split("\n")]


def record_of(kind: str, member: str = "") -> JsonObject:
    """A golden record of this kind, to be changed; with that member in its message."""
    file = next(
        file
        for file, _ in places()
        if file["body"]["kind"] == kind and member in ("", *file["body"].get("msg", {}).get("body", ()))
    )
    return copy.deepcopy(file)


Change = Callable[[JsonObject], object]
MEMBERS: dict[str, tuple[str, Change]] = {
    "M2: a word to nobody": ("turn", lambda body: body.update(tell=[{"to": "nobody", "ct": BOX}])),
    "a word to the table": ("turn", lambda body: body.update(tell=[{"to": "table", "ct": BOX}])),
    "a seat called farmer": ("ready", lambda body: body.update(seat="farmer")),
    "ciphertext with stray bits": (
        "turn",
        lambda body: body.update(tell=[{"to": "anna", "ct": BOX[:-1] + "B"}]),
    ),
    "ciphertext of no length": ("turn", lambda body: body.update(tell=[{"to": "anna", "ct": BOX + "AA"}])),
    "a name with a blank behind": ("join", lambda body: body.update(name="Anna ")),
    "a name with a fixed blank before": ("join", lambda body: body.update(name="\u00a0Anna")),
    "a name of 61 characters": ("join", lambda body: body.update(name="\U0001f920" * 61)),
    "talk of 281 characters": ("turn", lambda body: body.update(say="x" * 281)),
}
TAKEN: dict[str, tuple[str, Change]] = {
    "a word to anna": ("turn", lambda body: body.update(tell=[{"to": "anna", "ct": BOX}])),
    "a name of 60 characters beyond the basic plane": (
        "join",
        lambda body: body.update(name="\U0001f920" * 60),
    ),
    "talk of 280 characters": ("turn", lambda body: body.update(say="\u2764\ufe0f" * 140)),
}


@pytest.mark.parametrize("member", [*MEMBERS, *TAKEN])
def test_a_file_a_record_and_the_second_verifier_say_the_same(member: str) -> None:
    kind, change = {**MEMBERS, **TAKEN}[member]
    record = record_of(kind)
    change(record["body"]["msg"]["body"])
    said = [alone(record["body"]["msg"]), inside(record), *in_javascript([record])]
    assert said == [member in TAKEN] * 3


@pytest.mark.parametrize(
    "when", ["2026-02-30T00:00:00Z", "2026-02-29T00:00:00Z", "0000-01-01T00:00:00Z", "2026-11-31T00:00:00Z"]
)
def test_a_day_that_no_calendar_has_is_refused_everywhere(when: str) -> None:
    record = record_of("absence")
    terms = {**record["body"]["what"], "from": when}
    record["body"]["what"] = terms
    for file in record["body"]["consents"]:
        file["body"]["what"] = terms
    said = [alone(record["body"]["consents"][0]), inside(record), *in_javascript([record])]
    assert said == [False] * 3


def messages() -> Iterator[tuple[JsonObject, JsonObject, str]]:
    """Every place of every player's file with every other value: the record, the file in it, what was done."""
    for file, path in places():
        if path[:2] != ("body", "msg") or "events" in path:
            continue
        for value in others(at(file, path)):
            if isinstance(value, dict) and "a b" in value:
                continue  # no name of a member: strict JSON refuses it before any schema is asked
            changed = copy.deepcopy(file)
            at(changed, path[:-1])[path[-1]] = value
            yield changed, changed["body"]["msg"], f"{path} {json.dumps(value)[:40]}"


def test_no_mutant_of_a_file_is_judged_in_two_ways() -> None:
    tried = [(record, file, name) for record, file, name in messages() if _same_kind(record, file)]
    assert len(tried) > 3000
    theirs = in_javascript([record for record, _, _ in tried])
    apart = [
        name
        for (record, file, name), said in zip(tried, theirs, strict=True)
        if not alone(file) == inside(record) == said
    ]
    assert apart == []


def _same_kind(record: JsonObject, file: Json) -> bool:
    """Whether the file is still of the kind that its record wants: a loose file is called by its members."""
    kind: str = record["body"]["kind"]
    try:
        return kind_of(file) == ("join" if kind == "substitute" else kind)
    except FormatError:
        return False


def test_a_record_says_of_messages_what_their_own_schemas_say() -> None:
    for kind in ("join", "ready", "turn", "rekey", "consent"):
        own = {name: value for name, value in load(kind).items() if not name.startswith("$")}
        assert load("record")["$defs"][kind] == own


def test_a_host_signs_no_line_that_his_own_readers_refuse() -> None:
    """C1 and its kin: what lies too deep, is too long, or of no known form is refused before it is signed and sent."""
    world = World("wyatt-earp", ("anna", "burt"), seed="shapes")
    accepted(world.join("anna"))
    deep: Json = "x"
    for _ in range(40):
        deep = [deep]
    for members in (
        {"seat": "anna", "due": "2026-02-30T00:00:00Z"},
        {"seat": "nobody", "due": world.now},
        {"seat": "anna", "due": world.now, "note": "x"},
    ):
        with pytest.raises(FormatError):
            write_line("extend", members, world.host, game=world.record.game, after=world.head, at=world.now)
    opening = {
        "seat": "anna",
        "n": 1,
        "part": "sealed",
        "salt": "A" * 22,
        "content": [{"do": "x", "deep": deep}],
    }
    close = {"epoch": 1, "seed": "A" * 43, "opened": [opening], "facts": []}
    with pytest.raises(FormatError, match="nested too deeply"):
        write_line("close", close, world.host, game=world.record.game, after=world.head, at=world.now)
    close["opened"] = [{**opening, "content": [{"do": "x" * 1024}] * 1100}]
    with pytest.raises(FormatError, match="too long"):
        write_line("close", close, world.host, game=world.record.game, after=world.head, at=world.now)
