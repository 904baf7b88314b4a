"""One mutant's trial: a process of its own in which that one module is another; nothing on the disk is changed."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import resource
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest

from tests.mutation.mutants import ROOT, Mutant


class _Other(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives the changed source for one module."""

    def __init__(self, path: str, source: str) -> None:
        self.path = ROOT / path
        dotted = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        self.name, self.source = dotted, source

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        del path, target
        if fullname != self.name:
            return None
        where = [str(self.path.parent)] if self.path.name == "__init__.py" else None
        return importlib.util.spec_from_file_location(
            fullname, self.path, loader=self, submodule_search_locations=where
        )

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.source, str(self.path), "exec"), module.__dict__)  # noqa: S102 - that is the point


def survives(mutant: Mutant, tests: Sequence[str], seconds: float) -> str:
    """``survived``, ``killed`` or ``time`` (it ran longer than so many seconds of processor time)."""
    source = mutant.source()
    try:
        compile(source, mutant.path, "exec")
    except SyntaxError:
        return "invalid"
    child = os.fork()
    if child == 0:
        _run(mutant, source, tests, seconds)
    return _waited(child)


def _run(mutant: Mutant, source: str, tests: Sequence[str], seconds: float) -> None:
    code = 99
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
        resource.setrlimit(resource.RLIMIT_AS, (3 * 1024**3, 3 * 1024**3))
        sys.meta_path.insert(0, _Other(mutant.path, source))
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        code = int(
            pytest.main(
                [
                    "-x",
                    "-q",
                    "--tb=no",
                    "-p",
                    "no:cacheprovider",
                    "-W",
                    "ignore::pytest.PytestAssertRewriteWarning",
                    *tests,
                ]
            )
        )
    finally:
        os._exit(code)


def _waited(child: int) -> str:
    """How it ended. The limit is of processor time, so a busy machine makes no difference."""
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return "time" if os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL) else "killed"
    return "survived" if os.WEXITSTATUS(status) == 0 else "killed"


def preload() -> None:
    """Import what every trial needs and no mutant touches, so that a trial starts at once."""
    for name in (
        "hypothesis",
        "jsonschema",
        "cryptography.hazmat.primitives.ciphers.aead",
        "orjson",
        "pytest",
        "email",
    ):
        importlib.import_module(name)
    if any(name == "pbem" or name.startswith("pbem.") for name in sys.modules):
        raise AssertionError("the product is imported already: a mutant would have no effect")


def line_of(path: str, line: int) -> str:
    """The honest line."""
    return Path(ROOT, path).read_text(encoding="utf-8").splitlines()[line - 1].strip()
