"""Printing and reading for commands: stdout is the answer, stderr is for the person.

Colour appears only on a terminal, never with ``NO_COLOR`` (no-color.org) or ``TERM=dumb``. With ``--json``
stdout holds one JSON value and nothing else.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from pbem.base.errors import FormatError, PbemError, UsageProblem, there_already
from pbem.base.sentences import Sentence, named, sentence
from pbem.cli.speech import PEOPLE, language_here

if TYPE_CHECKING:
    from pbem.base.language import Language
    from pbem.game import Json

_STDIN: Final = Path("-")
_PIPED_WIDTH: Final = 80
_COMMAND_BEHIND: Final = r": (pbem (?:[^\n.,]|(?<= )\.|[.,](?! ))++)"
"""What stands behind a colon, up to a full stop or comma; a dot alone is a folder: ``Make one: pbem id new``."""
_QUOTED_COMMAND: Final = r"['\"“„»«]\u00a0?(pbem [^'\"“„”»«\n]++)['\"“”»«]"
WIDEST: Final = 110
"""Columns of the widest page: longer lines are hard to read."""


def say(text: str = "") -> None:
    """Print ``text``, a part of the answer; what can be said in other languages in the one of the command."""
    sys.stdout.write(_said(text) + "\n")


def _said(text: str) -> str:
    if not isinstance(text, Sentence):
        return text
    return language_here().translate(text)


def print_notice(text: str) -> None:
    """Print a sentence for the person, not for a pipe: a warning, a fault and its hint, advice; said as by ``say``."""
    first, *rest = _said(text).split("\n")
    sys.stderr.write("\n".join([f"pbem: {first}", *(f"      {line}" for line in rest)]) + "\n")


def fail(fault: PbemError) -> None:
    """Print what is wrong, what was done before it failed, what helps, and the command to paste."""
    sys.stderr.write(fault_page(fault, language_here()) + "\n")


def fault_page(fault: PbemError, language: Language) -> str:
    """What ``fail`` prints: ``error:`` and, where there is something to say, ``done:``, ``hint:`` and ``try:``."""
    parts = {
        "error: ": language.translate(named(str(fault), PEOPLE.get())),
        "  done: ": language.translate(fault.done),
    }
    hint = language.translate(fault.hint)
    command = ""
    if behind := _command_behind(hint):
        start, end, command = behind
        if end == len(hint) and " COPY" not in command:  # its label says what the clause in front of it does
            hint = hint[:start].rstrip(" ;")
    elif match := re.search(_QUOTED_COMMAND, hint):
        command = match[1].removesuffix("\u00a0").removesuffix(" COPY")
    if " COPY" in command:  # somebody else's to type
        command = ""
    parts |= {"  hint: ": hint, "  try:  ": command}
    return "\n".join(
        head + text.rstrip("\n").replace("\n", "\n" + " " * len(head)) for head, text in parts.items() if text
    )


def _command_behind(hint: str) -> tuple[int, int, str] | None:
    """Of a hint's clause that leads to a command: where it begins, where the command ends, and the command."""
    for match in re.finditer(_COMMAND_BEHIND, hint):
        command, end = match[1], match.end()
        if end == len(hint):
            command = command if command.endswith("...") else command.removesuffix(".")
        elif not hint.startswith(". ", end):
            continue
        before = hint[: match.start()]
        start = max(map(before.rfind, ".;?\n")) + 1
        if start == 0:
            return start, end, command
        if before[start - 1] != "\n" and before.startswith(" ", start):
            return start + 1, end, command
    return None


def answer(text: str, data: Json, *, as_json: bool) -> None:
    """Print the answer in the form that was asked for."""
    say(json.dumps(data, ensure_ascii=False, indent=2) if as_json else text)


def shown(raw: bytes, *, terminal: bool) -> bytes:
    """Untrusted bytes as they may be printed: as they are for a pipe, on a terminal without what could steer it."""
    if not terminal:
        return raw
    from pbem.protocol.formats.strict_json import harmless

    lines = raw.decode("utf-8", "replace").splitlines()
    return "".join(f"{harmless(line.replace(chr(9), '    '))}\n" for line in lines).encode()


def write_shown(raw: bytes) -> None:
    """Write untrusted bytes to standard output as ``shown`` makes them."""
    sys.stdout.buffer.write(shown(raw, terminal=sys.stdout.isatty()))


def wants_colour(stream: IO[str], environ: Mapping[str, str]) -> bool:
    """Whether to colour what goes to ``stream``."""
    return stream.isatty() and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"


def coloured() -> bool:
    """Whether to colour the answer."""
    return wants_colour(sys.stdout, os.environ)


def page_width() -> int:
    """How wide a table or a page of the answer is set."""
    return min(shutil.get_terminal_size().columns, WIDEST) if sys.stdout.isatty() else _PIPED_WIDTH


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """What is wrong with the form of a file names the file."""
    try:
        yield
    except FormatError as fault:
        text = sentence("{path} cannot be read: {fault}", path=path, fault=fault)
        raise FormatError(text, hint=fault.hint) from fault


def read_input(path: Path, *, limit: int) -> bytes:
    """The bytes of a file that the user named, ``-`` for standard input; at most ``limit``.

    Raises:
        UsageProblem: it is not there, cannot be read, or is longer.
    """
    try:
        if path == _STDIN:
            raw = sys.stdin.buffer.read(limit + 1)
        else:
            with path.open("rb") as file:
                raw = file.read(limit + 1)
    except OSError as fault:
        raise UsageProblem(
            sentence("cannot read {path}: {strerror}", path=path, strerror=fault.strerror)
        ) from fault
    if len(raw) > limit:
        raise UsageProblem(
            sentence("{path} is too long: at most {limit} bytes are read", path=path, limit=limit)
        )
    return raw


def write_output(path: Path | None, raw: bytes, *, private: bool = False, replace: bool = False) -> None:
    """Write to the file that the user named, whole or not at all; to standard output for None or ``-``.

    Raises:
        UsageProblem: there is such a file and ``replace`` is false.
    """
    from pbem.player.store.durable import PRIVATE_FILE, PUBLIC_FILE, create_file, write_file

    if path is None or path == _STDIN:
        sys.stdout.flush()
        sys.stdout.buffer.write(raw)
        sys.stdout.buffer.flush()
        return
    mode = PRIVATE_FILE if private else PUBLIC_FILE
    if not path.parent.is_dir():
        raise UsageProblem(
            sentence("cannot write {path}: there is no folder {parent}", path=path, parent=path.parent)
        )
    try:
        (write_file if replace else create_file)(path, raw, mode=mode)
    except FileExistsError:
        raise there_already(path, sentence("Name another file, or remove it.")) from None
