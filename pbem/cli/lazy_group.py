"""A group of commands that imports a command's module, by its name, when the command is called.

This is the one place that imports modules by name for speed: so command modules import what they need at their top, and
``--help``, ``--version`` and completion import none of them. A table says which module a command is in, and has the
first sentence of its docstring as a summary (``tests/cli/test_commands.py`` compares the two).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import typer
import typer.main
from typer.core import TyperCommand, TyperGroup

from pbem.cli.tree import single_command, take_plainly


class LazyCommand(NamedTuple):
    """A command that nobody has called yet: the module of ``pbem.cli`` whose ``app`` has it, and its summary."""

    module: str
    summary: str
    panel: str = ""
    """The heading in ``--help`` of this command and of those that follow it; empty: that of the one before."""


class Group(NamedTuple):
    """Commands behind one word."""

    summary: str
    commands: Mapping[str, LazyCommand]
    alone: str = ""
    """The command that is meant where none is named; empty: there is help instead."""
    panel: str = ""
    """As a ``LazyCommand`` has it."""


Table = Mapping[str, LazyCommand | Group]


class _Commands(Mapping[str, Any]):
    """The commands of a table as Typer has them; each is built when it is first looked up."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._built: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._built:
            self._built[name] = _plainly(_build(name, self._table[name]))
        return self._built[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)

    def __contains__(self, name: object) -> bool:
        return name in self._table

    def get(self, name: str, default: Any = None) -> Any:
        """As ``dict.get``; a ``KeyError`` of the module that is imported is not taken for a missing name."""
        return self[name] if name in self else default  # noqa: SIM401 - this is what get is


class LazyGroup(TyperGroup):
    """``TyperGroup`` over a ``Table``; lists of commands show the summaries."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self._table: Table = {}
        self._alone = ""
        self._listing = False

    def use(self, table: Table, alone: str = "") -> LazyGroup:
        """Have these commands; ``alone`` is meant where none is named."""
        self._table, self._alone = table, alone
        self.commands: Any = _Commands(table)
        return self

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Without the name of a command, options alone are those of the one that is meant then."""
        first = args[0] if args else ""
        if self._alone and (not first or (first.startswith("-") and first not in ("-h", "--help"))):
            args = [self._alone, *args]
        parsed: list[str] = super().parse_args(ctx, args)
        return parsed

    def list_commands(self, ctx: Any) -> list[str]:
        """Their names, in the order of the table."""
        del ctx
        return list(self._table)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command; while commands are listed, one that knows its summary only."""
        if self._listing and cmd_name in self._table:
            return TyperCommand(cmd_name, help=self._table[cmd_name].summary)
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The list in ``--help``: a part for each panel, all with one column for what the commands do."""
        del ctx
        widest = max(map(len, self._table), default=0)
        panels: dict[str, list[tuple[str, str]]] = {}
        heading = "Commands"
        for name, entry in self._table.items():
            heading = entry.panel or heading
            row = (name.ljust(widest), entry.summary.removesuffix("."))
            panels.setdefault(heading, []).append(row)
        for heading, rows in panels.items():
            with formatter.section(heading):
                formatter.write_dl(rows)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """What a shell offers."""
        with self._summaries():
            return super().shell_complete(ctx, incomplete)

    @contextmanager
    def _summaries(self) -> Iterator[None]:
        self._listing = True
        try:
            yield
        finally:
            self._listing = False


def group_of(app: typer.Typer, table: Table) -> Any:
    """The group that ``app`` describes (its callback and options), with the commands of ``table``.

    Args:
        app: made with ``cls=LazyGroup``; it has no commands of its own.
        table: the commands.
    """
    group = typer.main.get_command(app)
    assert isinstance(group, LazyGroup)  # noqa: S101 - a fault of the program
    return _plainly(group.use(table))


def _build(name: str, entry: LazyCommand | Group) -> Any:
    if isinstance(entry, Group):
        group = LazyGroup(name=name, help=entry.summary, no_args_is_help=True, rich_markup_mode=None)
        return group.use(entry.commands, entry.alone)
    app: typer.Typer = import_module(f"pbem.cli.{entry.module}").app
    return single_command(app, name)


def _plainly(command: Any) -> Any:
    """The command, whose parameters and ``--help`` load no pydantic."""
    for parameter in command.params:
        take_plainly(parameter)
    command.get_help_option = partial(_plain_help, command.get_help_option)
    return command


def _plain_help(made: Callable[[Any], Any], context: Any) -> Any:
    """``--help`` is made anew by Typer whenever it is asked for."""
    option = made(context)
    take_plainly(option)
    return option
