"""Every scenario of this game holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.protocol.scenario import find_scenarios, run_file

FILES = list(find_scenarios([Path(__file__).parents[2] / "scenarios" / "way-out-west"]))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_scenarios_hold(path: Path) -> None:
    assert [result.line() for result in run_file(path) if result.difference] == []


def test_there_are_scenarios() -> None:
    assert len(FILES) > 10
