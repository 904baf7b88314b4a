"""The examples' READMEs: every command in them runs and prints what stands there."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.cli.seats import run

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
GAMES = ("wyatt-earp", "way-out-west")
_DAY = re.compile(r"^as of [\w ]+ (?=\d\d:\d\d UTC)", re.MULTILINE)
"""A day is written otherwise when it is a week ago."""


def shown(game: str) -> list[tuple[str, str]]:
    """The commands of an example's README, each with what it prints there."""
    text = (EXAMPLES / game / "README.md").read_text(encoding="utf-8")
    return re.findall(r"```console\n\$ pbem (.*)\n((?:.*\n)*?)```", text)


@pytest.mark.parametrize("game", GAMES)
def test_the_commands_of_the_readme_print_what_it_shows(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "example"
    shutil.copytree(EXAMPLES / game, folder)
    monkeypatch.chdir(folder)
    (folder / "keys" / "passphrase").chmod(0o600)
    commands = shown(game)
    assert len(commands) >= 8
    for command, printed in commands:
        done = run(*shlex.split(command))
        assert done.code == 0, f"pbem {command}: {done.err}"
        lines = 2 if command.startswith("show ") else None  # of a picture only what is above it
        expected, output = (_DAY.sub("", text).splitlines()[:lines] for text in (printed, done.out))
        assert output == expected, f"pbem {command}; make it again: make golden KIND=examples"


@pytest.mark.parametrize("game", GAMES)
def test_the_players_files_are_those_of_the_record(game: str) -> None:
    recorded = (EXAMPLES / game / "game.jsonl").read_text(encoding="utf-8")
    files = sorted((EXAMPLES / game / "files").rglob("*.json"))
    assert files
    assert all(f'"msg":{file.read_text(encoding="utf-8").strip()}' in recorded for file in files)
