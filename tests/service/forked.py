"""Processes for tests that begin where the imports are done: forked from one that has imported all, and done nothing.

A Python that starts takes a second for imports, which a test that kills forty processes need not pay each time.
"""

from __future__ import annotations

import io
import multiprocessing
import os
import sys
from collections.abc import Callable
from pathlib import Path

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["tests.service.child"])


class Forked:
    """One process that calls a function of a module; what it writes to its standard error goes to a file."""

    def __init__(self, run: Callable[[str], None], argument: str, errors: Path) -> None:
        self._errors = errors
        self._process = _CONTEXT.Process(target=_begin, args=(run, argument, str(errors)))
        self._process.start()

    def wait(self) -> tuple[int, str]:
        """Until it has ended: its exit code (minus the signal that killed it), and what it wrote."""
        self._process.join()
        code = self._process.exitcode
        assert code is not None
        self._process.close()
        return code, self._errors.read_text("utf-8", "replace")

    @property
    def runs(self) -> bool:
        """Whether it has not ended."""
        return self._process.exitcode is None

    def kill(self) -> None:
        """kill -9, and its end."""
        self._process.kill()
        self.wait()


def _begin(run: Callable[[str], None], argument: str, errors: str) -> None:
    os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 2)
    sys.stderr = io.TextIOWrapper(os.fdopen(2, "wb", 0), write_through=True)
    run(argument)
