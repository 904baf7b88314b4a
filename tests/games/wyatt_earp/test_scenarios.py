"""The scenario files of this game, one test for each file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pbem.protocol.scenario import find_scenarios, run_file

FOLDER = Path(__file__).resolve().parents[2] / "scenarios" / "wyatt-earp"
FILES = list(find_scenarios([FOLDER]))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_scenarios_are_answered_as_they_expect(path: Path) -> None:
    results = list(run_file(path))
    assert [result.line() for result in results if not result.ok] == []
    assert all(result.rules and result.title for result in results)


def test_there_are_many() -> None:
    assert sum(len(json.loads(path.read_bytes())) for path in FILES) > 200
