"""Processes for tests that begin where the imports are done: forked from one that has imported all, and done nothing.

A Python that starts takes a second for imports, which a test that starts forty processes need not pay each time. What a
start itself does is held by ``tests/cli/test_start.py``.
"""

from __future__ import annotations

import io
import multiprocessing
import os
import pkgutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from pbem import cli
from tests.patience import until

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(
    ["tests.service.child", *(f"pbem.cli.{module.name}" for module in pkgutil.iter_modules(cli.__path__))]
)


class Forked:
    """One process that calls a function of a module; what it writes to its standard error goes to a file."""

    def __init__(self, run: Callable[[str], None], argument: str, errors: Path) -> None:
        self._errors = errors
        self._process = _CONTEXT.Process(target=_begin, args=(run, argument, str(errors)))
        self._process.start()

    def wait(self) -> tuple[int, str]:
        """Until it has ended: its exit code (minus the signal that killed it), and what it wrote."""
        until(lambda: not self.runs, self.output, lambda: self._process.join(1))
        code = self._process.exitcode
        assert code is not None
        return code, self.output()

    def output(self) -> str:
        """What it has written until now."""
        return self._errors.read_text("utf-8", "replace")

    @property
    def runs(self) -> bool:
        """Whether it has not ended."""
        return self._process.exitcode is None

    def kill(self) -> None:
        """kill -9, and its end; nothing if it has ended."""
        self._process.kill()
        self.wait()


def _begin(run: Callable[[str], None], argument: str, errors: str) -> None:
    os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 2)
    sys.stderr = io.TextIOWrapper(os.fdopen(2, "wb", 0), write_through=True)
    run(argument)


def command(
    *arguments: str, folder: Path, environment: Mapping[str, str], stdin: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """``pbem`` with these arguments, typed in ``folder``: a process with streams, folder and environment of its own."""
    with tempfile.TemporaryDirectory() as streams:
        Path(streams, "0").write_bytes(stdin)
        process = _CONTEXT.Process(
            target=_command, args=(arguments, str(folder), dict(environment), str(streams))
        )
        process.start()
        process.join()
        code = process.exitcode
        assert code is not None
        process.close()
        out, err = (Path(streams, name).read_bytes() for name in "12")
    return subprocess.CompletedProcess(["pbem", *arguments], code, out, err)


def _command(arguments: tuple[str, ...], folder: str, environment: dict[str, str], streams: str) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.dup2(os.open(Path(streams, "0"), os.O_RDONLY), 0)
    for number in (1, 2):
        os.dup2(os.open(Path(streams, str(number)), os.O_WRONLY | os.O_CREAT, 0o600), number)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - they are the process's own, to its end
    sys.stdout, sys.stderr = (open(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))  # noqa: SIM115
    os.chdir(folder)
    cli.main(arguments)
