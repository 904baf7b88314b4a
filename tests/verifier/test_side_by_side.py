"""A slice of ``python -m tests.verifier.side_by_side``: golden walks, random matches, attacks; and what it wrote."""

from __future__ import annotations

from itertools import islice

import pytest

from pbem.game import JsonObject
from tests.record.golden import WALKS
from tests.verifier.node import verify_all
from tests.verifier.random_files import kinds, random_match
from tests.verifier.side_by_side import PAGE, Row, attacked, page, run


def test_the_golden_walks_are_fine_for_both() -> None:
    row = run(Row("walks", True), ((name, walk().lines) for name, walk in WALKS.items()))
    assert row.apart == []
    assert row.count["fine"] == len(WALKS)
    assert row.only_engine == []


def test_random_matches_are_fine_for_both() -> None:
    """One of each game with each number of seats, with talk, orders, defaults, pauses and absences among the moves."""
    worlds = [random_match(number) for number in range(9, 9 + len(kinds()))]
    assert {(world.game, len(world.seats)) for world in worlds} == set(kinds())
    row = run(Row("random", True), ((str(n), world.lines) for n, world in enumerate(worlds)))
    assert row.apart == []
    assert row.count["fine"] == len(worlds)


@pytest.mark.slow
def test_on_what_attacks_leave_both_say_the_same() -> None:
    row = run(Row("attacks", None), islice(attacked(), 70))
    assert row.apart == []
    assert row.elsewhere == []
    assert row.count["refused"] > 10


def test_a_disagreement_is_shown() -> None:
    lines = WALKS["one-of-each"]().lines
    honest: JsonObject = verify_all({"x": lines})["x"]
    row = Row("lies", None)
    row.judge(
        "lied about", lines, {**honest, "ok": False, "faults": [{"record": 1, "step": 2, "code": "lie"}]}
    )
    row.judge("another head", lines, {**honest, "head": "x"})
    assert [difference.split(":")[0] for difference in row.apart] == ["lied about", "another head"]
    assert "Where they disagree:" in page([row], "test")


def test_the_page_holds_a_whole_run_without_disagreement() -> None:
    """The numbers that the page must reach; it is written by the command alone."""
    text = PAGE.read_text(encoding="utf-8")
    assert "They disagree nowhere." in text
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line[:1] == "|"
    ][2:]
    files = {row[0]: int(row[1].replace(",", "")) for row in rows}
    assert files["golden matches"] >= 20
    assert files["random matches"] >= 500
    assert files["attacks of `python -m tests.attacks`"] >= 100
    assert files["damaged bytes"] + files["values changed and signed again"] >= 2000
    assert all(row[6] == "0" for row in rows)
