"""Finding and reading scenario files: nothing that was named goes unsaid."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pbem.protocol.scenario import find_scenarios, run_paths, summary
from tests.scenario.test_run import scenario, step
from tests.toy import find_any

GOOD = scenario(step("anna", {"do": "draw"}))
BAD = scenario(step("burt", {"do": "draw"}))


def test_folders_are_searched_to_the_bottom_and_files_may_hold_lists(tmp_path: Path) -> None:
    below = tmp_path / "b" / "c"
    below.mkdir(parents=True)
    (tmp_path / "one.json").write_text(json.dumps(GOOD, indent=2))
    (below / "two.json").write_text(json.dumps([GOOD, BAD]))
    (below / "notes.txt").write_text("not a scenario")
    results = list(run_paths([tmp_path, tmp_path / "one.json"], find=find_any))
    assert [Path(result.place).name for result in results] == [
        "two.json#1",
        "two.json#2",
        "one.json",
        "one.json",
    ]
    assert [result.ok for result in results] == [True, False, True, True]
    assert summary(results) == "3 passed, 1 failed"
    assert list(find_scenarios([tmp_path])) == [below / "two.json", tmp_path / "one.json"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "expected strict JSON, got "),
        (b"{", "expected strict JSON, got "),
        (b"\xff", "not UTF-8"),
        (b'{"a":1,"a":2}', "more than once"),
        (b'{"a":1.5}', "expected an integer"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[]", "an empty list"),
        (b"null", "a scenario"),
        (b"LONG", "too long"),
    ],
)
def test_a_file_that_is_no_scenario_is_one_failure(tmp_path: Path, content: bytes, reason: str) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(content.replace(b"LONG", b" " * 5_000_000))
    (result,) = run_paths([file], find=find_any)
    assert result.line().startswith(f"FAIL {file}: ")
    assert reason in result.line()


def test_a_path_that_is_not_there_and_an_empty_folder_are_failures(tmp_path: Path) -> None:
    results = list(run_paths([tmp_path / "nowhere", tmp_path], find=find_any))
    assert "got No such file or directory" in results[0].line()
    assert "expected a folder with scenario files (*.json), got none in it" in results[1].line()
    assert summary(results) == "0 passed, 2 failed"
