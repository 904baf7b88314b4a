"""The prose of the format names what its schemas take: kinds of record, messages, consents, codes, files, vectors."""

from __future__ import annotations

import json
import re
from typing import Any, Final

import pytest

from tests.docs.layers import ROOT

SCHEMAS: Final = ROOT / "schemas"
PROSE: Final = (SCHEMAS / "README.md").read_text(encoding="utf-8")
RESULT: Final = frozenset({"steps", "public", "packets", "due"})
"""What a row calls *result*; section 8 names them."""
OF_ALL_RECORDS: Final = frozenset({"seq", "prev", "kind", "at"})
OF_ALL_MESSAGES: Final = frozenset({"game", "seat", "n", "seen"})


def schema(name: str) -> Any:
    return json.loads((SCHEMAS / f"{name}.schema.json").read_bytes())


def members(form: Any) -> set[str]:
    """Every member that an object of this form may have, in whichever of its cases."""
    cases = [case for word in ("oneOf", "anyOf", "allOf") for case in form.get(word, ())]
    return set(form.get("properties", ())).union(*map(members, cases))


def names(text: str) -> set[str]:
    """The names between backticks."""
    return {name for code in re.findall(r"`([^`]+)`", text) for name in re.findall(r"[a-z]+", code)}


def rows(begin: str, end: str) -> dict[str, str]:
    """The tables between two lines: the name that each pair of cells begins with, and what the second one says."""
    text = PROSE.split(f"\n{begin}")[1].split(f"\n{end}")[0]
    rows: dict[str, str] = {}
    for line in re.findall(r"^\| (`.*) \|$", text, re.MULTILINE):
        cells = line.split("|")
        for first, second in zip(cells[::2], cells[1::2], strict=True):
            rows |= dict.fromkeys(re.findall(r"`([a-z]+)`", first), second)
    return rows


RECORDS: Final = {
    kind: schema("record")["$defs"][f"record-{kind}"]
    for kind in schema("record")["properties"]["body"]["properties"]["kind"]["enum"]
}
ROWS: Final = {
    "record": rows("## 7 ", "## 8 "),
    "message": rows("## 6 ", "`what` of a consent"),
    "consent": rows("`what` of a consent", "## 7 "),
}
MESSAGES: Final = ("join", "ready", "turn", "rekey", "consent", "channel")


@pytest.mark.parametrize("kind", RECORDS)
def test_each_kind_of_record_has_a_row_with_all_its_members(kind: str) -> None:
    row = ROWS["record"][kind]
    expected = members(RECORDS[kind]) - OF_ALL_RECORDS - (RESULT if "result" in row else set())
    assert expected <= names(row)


@pytest.mark.parametrize("kind", MESSAGES)
def test_each_kind_of_message_has_a_row_with_all_its_members(kind: str) -> None:
    assert members(schema(kind)["properties"]["body"]) - OF_ALL_MESSAGES <= names(ROWS["message"][kind])


def test_each_kind_of_consent_has_a_cell_with_exactly_its_members() -> None:
    cases = schema("consent")["properties"]["body"]["properties"]["what"]["allOf"]
    forms = {case["then"]["properties"]["kind"]["const"]: case["then"] for case in cases}
    for kind, form in forms.items():
        assert names(ROWS["consent"][kind]) - {"seq", "line"} == members(form) - {"kind"}, kind


def test_the_codes_of_refusals_are_those_of_the_schema() -> None:
    (listed,) = re.findall(r"Codes: ([^.]+)\.", PROSE)
    assert sorted(re.findall(r"`([a-z-]+)`", listed)) == sorted(
        schema("reject")["properties"]["body"]["properties"]["code"]["enum"]
    )


def test_every_schema_and_every_vector_has_a_row() -> None:
    first, last = PROSE.split("Contents:")[0], PROSE.split("## 15 ")[1].split("## 16 ")[0]
    files = {path.name.removesuffix(".schema.json") for path in SCHEMAS.glob("*.schema.json")}
    assert files <= {name for code in re.findall(r"`([a-z.-]+)`", first) for name in [code.split(".")[0]]}
    vectors = json.loads((SCHEMAS / "vectors.json").read_bytes())
    assert set(vectors) <= set(re.findall(r"`([a-z_]+)`", last))
