"""Every row of the rules has a scenario or a test that names it, and the tool that says so can be trusted."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pbem.games import GAMES
from tests.rule_coverage import ROOT, Claim, claims, games, rows_of, strangers, table


@pytest.mark.parametrize("game", games())
def test_every_row_is_asked_for_by_a_scenario_or_a_test(game: str) -> None:
    rows = table(game, claims())
    assert [row for row, places in rows.items() if not places] == []


@pytest.mark.parametrize("game", games())
def test_no_scenario_or_test_names_a_row_that_there_is_not(game: str) -> None:
    assert strangers(game, claims()) == []


def test_every_registered_game_has_its_rows_and_every_option_value_and_profile_is_one() -> None:
    assert {game.info.id for game in GAMES} == set(games())
    for game in GAMES:
        rows = [row.id for row in rows_of(game.info.id)]
        assert len(rows) == len(set(rows))
        values = [f"{key}={value}" for key, listed in game.info.options.items() for value in listed]
        values = [
            row.replace("=True", "=true").replace("=False", "=false").replace("=None", "=none")
            for row in values
        ]
        values += [f"profile={profile}" for profile in game.info.profiles]
        assert sorted(row for row in rows if "=" in row) == sorted(values)


def test_a_row_nobody_names_stays_empty_and_a_default_is_shown_by_its_rows(tmp_path: Path) -> None:
    folder = tmp_path / "wyatt_earp"
    folder.mkdir()
    scenario = {
        "pbem": "scenario/1",
        "game": "wyatt-earp",
        "rules": ["G7"],
        "options": {"tie_payment": "split"},
    }
    (folder / "one.json").write_text(json.dumps([scenario, {**scenario, "rules": ["G8"], "options": {}}]))
    code = 'def test_x():\n    """Says.\n\n    Rows: D4,\n    zero_cp_shares=true. Not D5.\n    """\n'
    (folder / "test_one.py").write_text(code + 'def not_a_test():\n    """Rows: D6."""\n')
    known = claims([tmp_path])
    rows = table("wyatt-earp", known)
    asked = {row for row, places in rows.items() if places} - {"opened_test=sticky"}
    assert asked == {"G7", "G8", "tie_payment=split", "tie_payment=block", "D4", "zero_cp_shares=true"}
    assert rows["tie_payment=block"] == [str(folder / "one.json")]
    assert strangers("wyatt-earp", known) == []
    assert strangers("wyatt-earp", [Claim("wyatt-earp", "x", frozenset({"Z9"}))]) == ["x: Z9"]


def test_the_command_prints_the_table_and_its_exit_status_says_whether_a_row_is_missing() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.rule_coverage", "wyatt-earp"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stdout.startswith("wyatt-earp: ")
    complete = all(table("wyatt-earp", claims()).values()) and not strangers("wyatt-earp", claims())
    assert ran.returncode == (0 if complete else 1), ran.stderr
    assert ("NOTHING" in ran.stdout) == (not all(table("wyatt-earp", claims()).values()))
