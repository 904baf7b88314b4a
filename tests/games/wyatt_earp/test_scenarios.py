"""The scenario files of this game, one test for each."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.scenario import Result, run_paths

FOLDER = Path(__file__).resolve().parents[2] / "scenarios" / "wyatt-earp"
RESULTS = list(run_paths([FOLDER]))


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: f"{Path(result.place).name} {result.title}")
def test_a_scenario_is_answered_as_it_expects(result: Result) -> None:
    assert result.ok, result.line()


def test_there_are_many_and_each_names_its_rows() -> None:
    assert len(RESULTS) > 200
    assert all(result.rules and result.title for result in RESULTS)
