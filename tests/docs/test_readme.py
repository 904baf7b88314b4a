"""The README promises only what is there: every command it shows exists with the options it shows."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def commands() -> list[str]:
    """Every line of a code block that begins with ``pbem``, without its comment."""
    blocks = re.findall(r"```\n(.*?)```", README, re.DOTALL)
    lines = [line.split("  #")[0].strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line.startswith("pbem ")]


@cache
def help_of(command: tuple[str, ...]) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "pbem", *command, "--help"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_there_are_commands_in_the_readme() -> None:
    assert len(commands()) >= 20


@pytest.mark.parametrize("line", commands())
def test_a_command_of_the_readme_exists_with_its_options(line: str) -> None:
    words = shlex.split(line)[1:]
    command = tuple(words[:2]) if words[0] in ("id", "host", "scenario", "board", "web") else tuple(words[:1])
    text = help_of(command)
    for word in words[len(command) :]:
        if word.startswith("-"):
            assert re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text), (
                f"{word} is no option of {command}"
            )


def test_the_readmes_two_commands_are_targets_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^make (\w+)", README, re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_links_of_the_readme_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert "://" in target or (ROOT / target).exists(), target
