"""``pbem man``: the manual page, written from the same command tree as ``--help``."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from pbem.cli.app import command, release
from pbem.cli.console import write_output

app = typer.Typer()

_EXITS: Final = (
    ("0", "Done."),
    ("1", "Anything else that could be expected to go wrong."),
    ("2", "Wrong use: a wrong file, a missing key, a command out of place."),
    ("3", "Bytes that are not what they claim to be."),
    ("4", "Something that does not verify: a signature, a chain, a draw."),
    ("5", "A turn that was refused."),
    ("6", "Disk or mail; trying again may help."),
)
_SHARED: Final = 8
"""What so many commands say in the same words stands once."""
_WIDTH: Final = 72
_ROFF: Final = {"\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "~": "\\(ti", "^": "\\(ha"}
_LANGUAGE: Final = (
    "PBEM_LANG",
    "The language in which commands answer: en, fr, it or de; else as LANG says.",
)


def manual(root: Any, release: str) -> str:
    """The page pbem(1), in the macros of man(7).

    Args:
        root: the whole command tree, as Typer has built it.
        release: what stands at its foot: the program's name and version.
    """
    commands = [(path, cmd, list(_parameters(cmd, path))) for path, cmd in _commands(root, ("pbem",))]
    often = Counter(record for _, _, records in commands for record in records)
    shared = [record for record, times in often.items() if times >= _SHARED and record[0].startswith("-")]
    lines = [
        f'.TH PBEM 1 "" {_quoted(release)} "User Commands"',
        ".SH NAME",
        f"pbem \\- {_text(_first(root.help))}",
        ".SH SYNOPSIS",
        ".B pbem",
        "[OPTIONS] COMMAND [ARGS]...",
        ".SH DESCRIPTION",
        _text(root.help),
        ".PP",
        _text("Without a command pbem says what comes next in this folder, or where to begin."),
        ".SH OPTIONS",
        *_list(_parameters(root, ("pbem",))),
        ".SH OPTIONS OF MANY COMMANDS",
        *_list(shared),
        ".SH COMMANDS",
    ]
    for path, cmd, records in commands:
        lines += [f".SS {_quoted(' '.join((*path, *_usage(cmd, path))))}", *_paragraphs(cmd.help)]
        lines += _list(record for record in records if record not in shared)
        also = [record[0].split()[0].rstrip(",") for record in records if record in shared]
        lines += [".PP", _text(f"Also {', '.join(also)}.")] if also else []
    lines += [".SH EXIT STATUS", *_list(_EXITS)]
    lines += [".SH ENVIRONMENT", *_list(_environment([root, *(cmd for _, cmd, _ in commands)]))]
    return "\n".join(lines) + "\n"


def _commands(group: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command that does something, with the words that name it."""
    for name, cmd in group.commands.items():
        if cmd.hidden:
            continue
        if hasattr(cmd, "commands"):
            yield from _commands(cmd, (*path, name))
        else:
            yield (*path, name), cmd


def _usage(cmd: Any, path: tuple[str, ...]) -> list[str]:
    return [word.strip("{}") for word in cmd.collect_usage_pieces(_context(cmd, path))]


def _context(cmd: Any, path: tuple[str, ...]) -> Any:
    return cmd.context_class(cmd, info_name=" ".join(path), max_content_width=1_000)


def _parameters(cmd: Any, path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Arguments and options, each with what ``--help`` says of it; ``--help`` itself for ``pbem`` alone."""
    context = _context(cmd, path)
    for parameter in cmd.get_params(context):
        record = parameter.get_help_record(context)
        if record and ("--help" not in parameter.opts or path == ("pbem",)):
            yield record[0], record[1]


def _environment(commands: Iterable[Any]) -> list[tuple[str, str]]:
    """The variables that options read, each with what the first such option says."""
    variables = dict([_LANGUAGE])
    for cmd in commands:
        for parameter in cmd.params:
            names = parameter.envvar if isinstance(parameter.envvar, list) else [parameter.envvar]
            for name in filter(None, names):
                variables.setdefault(name, f"{parameter.help} The same as {parameter.opts[-1]}.")
    return sorted(variables.items())


def _list(entries: Iterable[tuple[str, str]]) -> Iterator[str]:
    for term, meaning in entries:
        yield from (".TP", f"\\fB{_line(term)}\\fR", _text(meaning) or "\\&")


def _paragraphs(text: str | None) -> list[str]:
    lines: list[str] = []
    for part in re.split(r"\n\s*\n", (text or "").strip()):
        if part.strip():
            lines += [".PP", _text(part)] if lines else [_text(part)]
    return lines


def _first(text: str | None) -> str:
    return re.split(r"[.:](?:\s|$)", text or "", maxsplit=1)[0]


def _text(text: str | None) -> str:
    """Words in which roff sees neither a request nor an escape, in lines that a person can read."""
    lines = textwrap.wrap(text or "", _WIDTH, break_long_words=False, break_on_hyphens=False)
    return "\n".join(map(_line, lines))


def _line(text: str) -> str:
    line = "".join(_ROFF.get(char) or (char if char.isascii() else f"\\[u{ord(char):04X}]") for char in text)
    return f"\\&{line}" if line.startswith(".") else line


def _quoted(text: str) -> str:
    return '"' + _line(text).replace('"', "\\(dq") + '"'


@app.command()
def man(
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write it there, not to standard output."),
    ] = None,
) -> None:
    """Print the manual page: pbem man -o pbem.1, then man ./pbem.1."""
    write_output(output, manual(command(), release()).encode())
