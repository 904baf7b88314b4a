"""A group of commands that imports a command's module, by its name, when the command is called.

This is the one place that imports modules by name for speed: so command modules import what they need at their top, and
``--help``, ``--version`` and completion import none of them. A table says which module a command is in, and has the
first sentence of its docstring as a summary (``tests/cli/test_commands.py`` compares the two).
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from enum import StrEnum
from functools import partial, wraps
from importlib import import_module
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Any, Final, NamedTuple, get_args, get_origin, get_type_hints

import typer
import typer.main
from typer.core import TyperCommand, TyperGroup

from pbem.cli.options import Shared


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


def _plain_help(original: Callable[[Any], Any], context: Any) -> Any:
    """``--help`` is made again by Typer whenever it is asked for."""
    option = original(context)
    take_plainly(option)
    return option


# One command as Typer runs it: the options it shares with others are its own, its parameters load no
# pydantic.
#
# Words, paths and whole numbers are taken as they are; whatever is odd about a value is worded by Typer,
# which loads pydantic for it. Options that commands share as one argument (``options.Shared``) become
# options here.


def single_command(app: typer.Typer, name: str) -> Any:
    """The command ``name`` of ``app``, alone.

    Args:
        app: a module's commands.
        name: the word on the command line.
    """
    (command,) = (each for each in app.registered_commands if _name(each) == name)
    own = copy.copy(command)
    own.callback = command.callback and _with_own_options(command.callback)
    part = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    part.registered_commands = [own]
    return typer.main.get_command(part)


def _name(command: Any) -> str:
    return str(command.name or command.callback.__name__.replace("_", "-"))


def _with_own_options(function: Callable[..., Any]) -> Callable[..., Any]:
    parameters: list[Parameter] = []
    shared: dict[str, type[Shared]] = {}
    for parameter in signature(function, eval_str=True).parameters.values():
        kind = parameter.annotation
        if isinstance(kind, type) and issubclass(kind, Shared):
            shared[parameter.name] = kind
            hints = get_type_hints(kind, include_extras=True)
            parameters += [
                Parameter(
                    field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name]
                )
                for field in fields(kind)  # type: ignore[arg-type]
            ]
        else:
            parameters.append(parameter.replace(kind=Parameter.KEYWORD_ONLY))
    if not shared:
        return function

    @wraps(function)
    def gathered(**given: Any) -> Any:
        for name, kind in shared.items():
            given[name] = kind(**{field.name: given.pop(field.name) for field in fields(kind)})  # type: ignore[arg-type]
        return function(**given)

    gathered.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    gathered.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return gathered


class _Odd(ValueError):
    """A value that Typer must judge."""


class _Plain:
    """Takes a value for one parameter as Typer would, without loading pydantic; what is odd goes to Typer."""

    def __init__(self, kind: type, take: Callable[[str], Any], typers: Callable[[], Any]) -> None:
        self._kind = kind
        self._take = take
        self._typers = typers

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        several = param.multiple or param.nargs == -1
        if value is None:
            return () if several else None
        try:
            return [self._coerced(item) for item in value] if several else self._coerced(value)
        except ValueError:
            return self._typers().coerce(value, param=param, ctx=ctx)

    def _coerced(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._take(value)
        if type(value) is not self._kind:  # a default is of the right kind already
            raise _Odd
        return value


def _odd(_: str) -> Any:
    raise _Odd


_PATHS: Final = {
    "exists": False,
    "file_okay": True,
    "dir_okay": True,
    "writable": False,
    "readable": True,
    "resolve_path": False,
    "allow_dash": False,
    "path_type": None,
}


def _path(value: str) -> Path:
    path = Path(value)
    if path.exists() and not os.access(path, os.R_OK):
        raise _Odd
    return path


def _whole(low: int | None, high: int | None, value: str) -> int:
    number = int(value) if value.isascii() and value.removeprefix("-").isdigit() else None
    if number is None or (low is not None and number < low) or (high is not None and number > high):
        raise _Odd
    return number


def _named(kind: type[StrEnum], value: str) -> StrEnum:
    if value not in kind.__members__.values():
        raise _Odd
    return kind(value)


def take_plainly(parameter: Any) -> None:
    """Let words, a path, a whole number, one of a few names, or several of these do without pydantic."""
    descriptor = getattr(parameter, "type_descriptor", None)
    typers = getattr(parameter, "get_runtime_param", None)
    if descriptor is None or typers is None:  # another Typer: it works as it does
        return
    if "get_runtime_param" in vars(parameter):  # ``--help`` may come as it came before
        return
    info, kind = descriptor.parameter_info, descriptor.annotation
    if get_origin(kind) is list:
        (kind,) = get_args(kind)
    if getattr(info, "parser", None) is not None:
        return
    take: Callable[[str], Any]
    if kind is str:
        take = str
    elif kind is Path and all(getattr(info, name, None) == usual for name, usual in _PATHS.items()):
        kind, take = type(Path()), _path
    elif isinstance(kind, type) and issubclass(kind, StrEnum):
        take = partial(_named, kind)
    elif kind is bool:
        take = _odd  # flags come as what they are; a word for one, from the environment, is rare
    elif kind is int and not info.clamp:
        take = partial(_whole, info.min, info.max)
    else:
        return
    plain = _Plain(kind, take, typers)
    parameter.get_runtime_param = lambda: plain
