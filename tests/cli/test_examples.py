"""The example's README: every command in it runs and prints what stands there."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.cli.seats import run

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "wyatt-earp"
SHOWN = re.findall(
    r"```console\n\$ pbem (.*)\n((?:.*\n)*?)```", (EXAMPLE / "README.md").read_text(encoding="utf-8")
)


def test_there_are_commands_to_run() -> None:
    assert len(SHOWN) >= 8


def test_the_commands_of_the_readme_print_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "example"
    shutil.copytree(EXAMPLE, folder)
    monkeypatch.chdir(folder)
    (folder / "keys" / "passphrase").chmod(0o600)
    for command, printed in SHOWN:
        done = run(*shlex.split(command))
        assert done.code == 0, f"pbem {command}: {done.err}"
        lines = 2 if command.startswith("show ") else None  # of a picture only what is above it
        shown, found = printed.splitlines()[:lines], done.out.splitlines()[:lines]
        assert found == shown, f"pbem {command}; make it again with: make examples"


def test_the_players_files_are_those_of_the_record() -> None:
    recorded = (EXAMPLE / "game.jsonl").read_text(encoding="utf-8")
    files = sorted((EXAMPLE / "files").rglob("*.json"))
    assert files
    assert all(f'"msg":{file.read_text(encoding="utf-8").strip()}' in recorded for file in files)
