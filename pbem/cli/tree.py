"""One command as Typer runs it: the options it shares with others are its own, its parameters load no pydantic.

Words, paths and whole numbers are taken as they are; whatever is odd about a value is worded by Typer, which loads
pydantic for it. Options that commands share as one argument (``options.Shared``) become options here.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable
from dataclasses import fields
from enum import StrEnum
from functools import partial, wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Any, Final, get_args, get_origin, get_type_hints

import typer
import typer.main

from pbem.cli.options import Shared


def single_command(app: typer.Typer, name: str) -> Any:
    """The command ``name`` of ``app``, alone.

    Args:
        app: a module's commands.
        name: the word on the command line.
    """
    (found,) = (
        registered_command
        for registered_command in app.registered_commands
        if _name(registered_command) == name
    )
    own = copy.copy(found)
    own.callback = found.callback and _with_own_options(found.callback)
    part = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    part.registered_commands = [own]
    return typer.main.get_command(part)


def _name(command: Any) -> str:
    return str(command.name or command.callback.__name__.replace("_", "-"))


# --- shared options ---------------------------------------------------------------------------------------


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
    gathered.__annotations__ = {one.name: one.annotation for one in parameters}
    return gathered


# --- parameters -------------------------------------------------------------------------------------------


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
            return [self._one(one) for one in value] if several else self._one(value)
        except ValueError:
            return self._typers().coerce(value, param=param, ctx=ctx)

    def _one(self, value: Any) -> Any:
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
