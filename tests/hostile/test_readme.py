"""The tables of rows: no row of the attacks is missing, every test that they name is there, and so is its case."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any, Final

import pytest

HERE = Path(__file__).parent
TESTS = HERE.parent
TEXT = (HERE / "README.md").read_text(encoding="utf-8")
FINDINGS: Final = {
    *("C1", "C2", "C3", "C4", "M1", "M2", "M3", "M4", "S1", "S2", "S3", "S4", "K1", "K2", "L1", "L2"),
    *("class 5", "class 6", "class 7", "torsion", "24", "25"),
    *(f"prose {number}" for number in range(1, 11)),
}
HOSTED: Final = {"N3", "N4", "N6", "N7", "O1", "O2", "O4", "O5", "O6", "O7", "O11"}
NAMED: Final = re.compile(r"`((?:\.\./)?[\w/]+\.py)::(\w+)(?:\[([^]`]*)\])?`")


def rows(text: str) -> list[list[str]]:
    """The cells of every line of tables, without their heads."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def cases_of(test: Any) -> set[str]:
    """What a test is called with, as its parametrization names it."""
    cases: set[str] = set()
    for mark in getattr(test, "pytestmark", ()):
        if mark.name == "parametrize":
            cases |= {str(value) for value in mark.kwargs.get("ids") or list(mark.args[1])}
    return cases


@pytest.mark.parametrize(("module", "name", "case"), sorted(set(NAMED.findall(TEXT))))
def test_a_test_that_a_table_names_is_there(module: str, name: str, case: str) -> None:
    path = (HERE / module).resolve().relative_to(TESTS).with_suffix("")
    test = getattr(importlib.import_module(".".join(("tests", *path.parts))), name)
    assert name.startswith("test_")
    assert callable(test)
    assert not any(mark.name in ("skip", "skipif", "xfail") for mark in getattr(test, "pytestmark", ()))
    assert not case or case in cases_of(test)


def test_every_attack_is_a_row_with_a_test() -> None:
    first, _, rest = TEXT.partition("## Members of a class")
    table = {cells[0]: NAMED.findall(cells[2]) for cells in rows(first) if cells[0] != "row"}
    assert set(table) == FINDINGS
    assert all(table.values()), table
    classes = {
        cells[0][0]: cells[1] for cells in rows(rest.partition("## Lines")[0]) if cells[0][0].isdigit()
    }
    assert sorted(classes) == list("1234567")
    assert all(len(NAMED.findall(cls)) >= 5 or "search: " in cls for cls in classes.values())


def test_what_a_host_met_is_a_row_with_a_test() -> None:
    section = TEXT.partition("## A week of a host")[2]
    table = {cells[0]: NAMED.findall(cells[2]) for cells in rows(section) if cells[0] != "row"}
    assert set(table) == HOSTED
    assert all(table.values()), table
