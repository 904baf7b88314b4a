"""Lines that are typed where the stage does not reach: in any folder, and at a terminal that somebody answers."""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from pbem.cli import main
from tests.cli.seats import Done, run


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@contextlib.contextmanager
def _in(folder: Path, home: Path | None) -> Iterator[None]:
    said = {"PBEM_HOME": str(home or folder / "home"), "PBEM_LANG": "en", "COLUMNS": "80", "NO_COLOR": "1"}
    with contextlib.chdir(folder), mock.patch.dict(os.environ, said):
        yield


def typed(folder: Path, line: str, *, home: Path | None = None) -> Done:
    """What the line prints that is typed in this folder; nobody answers a question."""
    with _in(folder, home):
        return run(*shlex.split(line)[1:])


def at_terminal(folder: Path, line: str, *answers: str, home: Path | None = None) -> Done:
    """The same at a terminal where somebody types these answers, then ends the input.

    Passwords are read past standard input, and here from the same answers.
    """
    keys, out, err = _Terminal("".join(f"{answer}\n" for answer in answers)), _Terminal(), _Terminal()

    def unseen(*_: object, **__: object) -> str:
        answer = keys.readline()
        if not answer:
            raise EOFError
        return answer.removesuffix("\n")

    streams = mock.patch.multiple(sys, stdin=keys, stdout=out, stderr=err)
    code = 0
    with _in(folder, home), streams, mock.patch("getpass.getpass", unseen):
        try:
            main(shlex.split(line)[1:])
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
    return Done(code, out.getvalue(), err.getvalue())
