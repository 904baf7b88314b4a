"""Every scenario of this repository holds, and every registered game has some."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.games import GAMES
from pbem.protocol.scenario import find_scenarios, run_file

FOLDER = Path(__file__).resolve().parent.parent
FILES = list(find_scenarios([FOLDER / "scenarios", FOLDER / "scenario" / "spec"]))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(FOLDER)))
def test_a_scenario_file_holds(path: Path) -> None:
    results = list(run_file(path))
    assert results
    assert [result.line() for result in results if not result.ok] == []


def test_every_game_has_scenarios_and_each_has_a_title_and_rows() -> None:
    results = [result for path in FILES for result in run_file(path)]
    assert {game.info.id for game in GAMES} == {result.game for result in results}
    assert [result.place for result in results if not result.title or not result.rules] == []
