"""One mutant's trial: a forked process in which that one module is another; nothing on the disk is changed.

Most faults stand inside a function. They are tried in a child of a process that has the whole product loaded: the
function gets other code, wherever it was imported to. A fault that acts while a module is read (a constant, a table, a
class) is tried in a child of a process that has nothing of the product loaded yet.
"""

from __future__ import annotations

import functools
import gc
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import multiprocessing
import os
import pkgutil
import resource
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Final

import pytest

from tests.mutation.mutants import ROOT

OPTIONS: Final = (
    *("-q", "--assert=plain", "-p", "no:cacheprovider", "-p", "_hypothesis_pytestplugin"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),
)


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


class _Killer:
    """Remembers the test that failed."""

    def __init__(self) -> None:
        self.name = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.name = self.name or report.nodeid


class Trials:
    """Tries mutants. Make it before anything of the product is imported. Helpers are loaded with ``tests``.

    ``played`` names a function, ``module:name``, that plays matches which all trials share. Without it each trial
    plays its own, so that faults show in playing, too; with it there is time for more tests.
    """

    def __init__(self, tests: Sequence[str], played: str = "") -> None:
        preload()
        self._here, other_end = multiprocessing.Pipe()
        self._warm = os.fork()
        if self._warm == 0:
            self._here.close()
            _serve(other_end, tests, played)
        other_end.close()

    def fate(self, path: str, source: str, tests: Sequence[str], seconds: float) -> tuple[str, str]:
        """``survived``, ``killed`` or ``time`` (more processor time than ``seconds``), and the test that failed."""
        if _acts_on_import(path, source):
            return self.fate_from_cold(path, source, tests, seconds)
        self._here.send((path, source, tests, seconds))
        fate: tuple[str, str] = self._here.recv()
        return fate

    @staticmethod
    def fate_from_cold(path: str, source: str, tests: Sequence[str], seconds: float) -> tuple[str, str]:
        """The same with everything imported again, the changed module first."""
        return _forked(tests, seconds, lambda: sys.meta_path.insert(0, _Other(path, source)))

    def close(self) -> None:
        """End the process that waits."""
        self._here.close()
        os.waitpid(self._warm, 0)


class _Living:
    """Every function and every cache there is, but for those of modules to ``keep``, found before they are frozen."""

    def __init__(self, keep: str) -> None:
        self.functions: dict[CodeType, list[FunctionType]] = {}
        self.caches: list[functools._lru_cache_wrapper[object]] = []
        gc.unfreeze()  # what pytest collected is frozen (``tests/conftest.py``), and not among the objects else
        for thing in gc.get_objects():
            if isinstance(thing, FunctionType):
                self.functions.setdefault(thing.__code__, []).append(thing)
            elif isinstance(thing, functools._lru_cache_wrapper) and not thing.__module__.startswith(keep):
                self.caches.append(thing)

    def changes(self, path: str, source: str) -> list[tuple[FunctionType, CodeType]]:
        """The functions of the module, each with its other code; there are some, else no mutant has an effect."""
        file = str(ROOT / path)
        honest = compile((ROOT / path).read_text(encoding="utf-8"), file, "exec")
        new = dict(_functions(compile(source, file, "exec"), deep=True))
        changes = [
            (function, new[key])
            for key, was in _functions(honest, deep=True)
            for function in self.functions.get(was, ())
        ]
        if not changes:
            raise AssertionError(f"{path}: none of its functions is seen, so no mutant has an effect")
        return changes

    def swap(self, changes: Sequence[tuple[FunctionType, CodeType]]) -> None:
        """Give functions their other code, and drop what was cached of the old."""
        for function, code in changes:
            function.__code__ = code
        for cache in self.caches:
            cache.cache_clear()


def _serve(asked: Connection, tests: Sequence[str], played: str) -> None:
    """Load product and helpers once, then try what is sent."""
    errors = os.dup(2)
    try:
        _silence()
        pytest.main([*OPTIONS, "--collect-only", *tests])
        _import_product()
        for name in [name for name in sys.modules if name.rpartition(".")[2].startswith("test_")]:
            del sys.modules[name]
        if played:
            module, _, function = played.partition(":")
            getattr(importlib.import_module(module), function)()
        gc.collect()
        living = _Living(keep="tests." if played else "nothing")
        gc.freeze()
        while True:
            path, source, chosen, seconds = asked.recv()
            swap = functools.partial(living.swap, living.changes(path, source))
            asked.send(_forked(chosen, seconds, swap))
    except EOFError:
        os._exit(0)
    except Exception:  # noqa: BLE001 - else whoever waits for it learns of a connection only
        os.write(errors, traceback.format_exc().encode())
    finally:
        os._exit(1)


def _import_product() -> None:
    import pbem

    for module in pkgutil.walk_packages(pbem.__path__, "pbem."):
        if module.name == "pbem.__main__":
            continue
        try:
            importlib.import_module(module.name)
        except (
            ModuleNotFoundError
        ) as error:  # a package for another system, whose modules Python does not have here
            if error.name is None or error.name.startswith("pbem"):
                raise


def _forked(tests: Sequence[str], seconds: float, change: object) -> tuple[str, str]:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        code, killer = 99, _Killer()
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
            resource.setrlimit(resource.RLIMIT_AS, (3 * 1024**3, 3 * 1024**3))
            assert callable(change)
            change()
            _silence()
            code = int(pytest.main([*OPTIONS, "-x", "--tb=no", *tests], plugins=[killer]))
            os.write(writing, killer.name.encode())
        finally:
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        name = stream.read().decode()
    return _waited(child), name


def _silence() -> None:
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)


def _waited(child: int) -> str:
    """How it ended. The limit is of processor time, so a busy machine makes no difference."""
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return "time" if os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL) else "killed"
    return "survived" if os.WEXITSTATUS(status) == 0 else "killed"


def _functions(code: CodeType, at: str = "", *, deep: bool = False) -> Iterator[tuple[str, CodeType]]:
    """The functions of a module, each by its place in its code; ``deep``: those made by functions, too."""
    for number, constant in enumerate(const for const in code.co_consts if isinstance(const, CodeType)):
        place = f"{at}/{number}"
        if _is_class(constant):
            yield from _functions(constant, place, deep=deep)
        elif deep or not (constant.co_name.endswith("comp>") or constant.co_name == "<genexpr>"):
            yield place, constant
            if deep:
                yield from _functions(constant, place, deep=True)


def _is_class(code: CodeType) -> bool:
    return "__module__" in code.co_names and "__qualname__" in code.co_names


def _acts_on_import(path: str, source: str) -> bool:
    """Whether anything but the inside of functions differs."""
    file = str(ROOT / path)
    old, new = (compile(text, file, "exec") for text in ((ROOT / path).read_text(encoding="utf-8"), source))
    if _outside(old) != _outside(new):
        return True
    kept = [[(at, inner.co_freevars) for at, inner in _functions(code, deep=True)] for code in (old, new)]
    return kept[0] != kept[1]


def _outside(code: CodeType) -> tuple[object, ...]:
    """What is done while a module, or a class in it, is read."""
    functions = {id(inner) for _, inner in _functions(code)}
    inner = [
        const.co_name if id(const) in functions else _outside(const)
        for const in code.co_consts
        if isinstance(const, CodeType)
    ]
    plain = [repr(const) for const in code.co_consts if not isinstance(const, CodeType)]
    return code.co_code, plain, code.co_names, inner


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
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    if any(name == "pbem" or name.startswith("pbem.") for name in sys.modules):
        raise AssertionError("the product is imported already: a mutant would have no effect")


def line_of(path: str, line: int) -> str:
    """The honest line."""
    return Path(ROOT, path).read_text(encoding="utf-8").splitlines()[line - 1].strip()
