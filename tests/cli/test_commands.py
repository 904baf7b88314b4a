"""The table of commands says what the commands say of themselves, and loads the module of the one that is called."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any

import pytest
import typer

from pbem.cli.app import COMMANDS, command
from pbem.cli.lazy_group import Group, LazyCommand, LazyGroup, Table, group_of, single_command
from tests.patience import PATIENCE

CHILD = """
import sys
from pbem.cli.app import command
try: command()(args={words!r}, prog_name="pbem")
finally: {then}
"""
LOADED = "print(*(name for name in sys.modules if name.startswith('pbem.cli.')), file=sys.stderr)"


def entries() -> Iterator[tuple[tuple[str, ...], LazyCommand]]:
    for name, entry in COMMANDS.items():
        if isinstance(entry, Group):
            yield from (((name, inner), command) for inner, command in entry.commands.items())
        else:
            yield (name,), entry


@cache
def built(words: tuple[str, ...]) -> Any:
    node = command()
    for word in words:
        node = node.commands[word]
    return node


@pytest.mark.parametrize(
    ("words", "entry"), [pytest.param(*entry, id=" ".join(entry[0])) for entry in entries()]
)
def test_a_summary_is_the_first_sentence_of_the_command(words: tuple[str, ...], entry: LazyCommand) -> None:
    paragraph = " ".join(built(words).help.split("\n\n")[0].split())
    first = re.match(r".*?\.(?= [A-Z-]|$)|.*$", paragraph)
    assert first is not None
    assert entry.summary == first[0], f"set it in pbem/cli/app.py to: {first[0]}"


GROUPS = [(), *((name,) for name, entry in COMMANDS.items() if isinstance(entry, Group))]


@pytest.mark.parametrize("words", GROUPS, ids=" ".join)
def test_help_at_80_columns_has_every_summary_whole_on_one_line_under_its_panel(
    words: tuple[str, ...],
) -> None:
    entry = COMMANDS[words[0]] if words else None
    table: Table = entry.commands if isinstance(entry, Group) else COMMANDS
    done = subprocess.run(
        [sys.executable, "-m", "pbem", *words, "--help"],
        env={**os.environ, "COLUMNS": "80"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "..." not in done.stdout.split("Options:")[1]
    said: dict[str, list[str]] = {}
    heading = ""
    for line in done.stdout.split("-h, --help")[1].splitlines()[1:]:
        if line.endswith(":") and not line.startswith(" "):
            heading = line.removesuffix(":")
        elif line:
            said.setdefault(heading, []).append(" ".join(line.split()))
    expected: dict[str, list[str]] = {}
    heading = "Commands"
    for name, command_of_table in table.items():
        heading = command_of_table.panel or heading
        expected.setdefault(heading, []).append(f"{name} {command_of_table.summary.removesuffix('.')}")
    assert said == expected


def test_the_first_commands_of_help_are_those_that_somebody_tries_first() -> None:
    assert list(COMMANDS)[:3] == ["play", "practice", "rules"]
    panels = [entry.panel for entry in COMMANDS.values() if entry.panel]
    assert panels[:4] == ["Play", "Your seat", "Host", "Check and look back"]
    assert panels[4].startswith("For programs")


def test_every_command_of_a_module_is_in_the_table() -> None:
    listed = sorted((entry.module, words[-1]) for words, entry in entries())
    declared = [
        (module, command.name or command.callback.__name__.replace("_", "-"))
        for module in {module for module, _ in listed}
        for command in import_module(f"pbem.cli.{module}").app.registered_commands
    ]
    assert listed == sorted(declared)


def loaded(*words: str, env: dict[str, str] | None = None) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", CHILD.format(words=list(words), then=LOADED)],
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return set(done.stderr.split()) & {f"pbem.cli.{entry.module}" for _, entry in entries()}


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["host", "--help"]])
def test_help_loads_no_command(words: list[str]) -> None:
    assert loaded(*words) == set()


def test_completion_loads_no_command() -> None:
    env = {"_PBEM_COMPLETE": "complete_bash", "COMP_WORDS": "pbem ", "COMP_CWORD": "1"}
    assert loaded(env=env) == set()


def test_a_command_loads_its_own_module() -> None:
    assert loaded("show", "--help") == {"pbem.cli.show"}


def test_a_module_that_cannot_be_imported_is_no_unknown_command() -> None:
    app = typer.Typer(cls=LazyGroup, invoke_without_command=True)
    app.callback()(lambda: None)
    group = group_of(app, {"lost": LazyCommand("no_such_module", "It is lost.")})
    assert "lost" in group.commands
    assert group.commands.get("other") is None
    with pytest.raises(ModuleNotFoundError):
        group.commands.get("lost")


def test_two_commands_of_one_name_in_a_module_are_a_fault_of_the_program() -> None:
    app = typer.Typer()
    app.command("same")(lambda: None)
    app.command("same")(lambda: None)
    with pytest.raises(ValueError, match="too many"):
        single_command(app, "same")
