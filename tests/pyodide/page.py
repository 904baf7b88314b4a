"""Python in WebAssembly under node: one process that answers questions until nobody asks any more.

It runs the very files of this repository, with the primitives that the page has (``pbem/web/primitives.mjs``), and
with what is pure in ``PACKAGES``, from where this Python has it. What is needed of node is installed by ``make node``
(``npm ci`` from ``pbem/web/package-lock.json``). Without it the tests are skipped, and fail where ``PBEM_REQUIRE`` is
``all``.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
from pathlib import Path
from typing import Any, Final

from tests.needed import program, require

ROOT: Final = Path(__file__).resolve().parents[2]
WEB: Final = ROOT / "pbem" / "web"
PACKAGES: Final = ("babel", "confusable_homoglyphs", "jinja2", "markupsafe", "tzdata")
CACHE: Final = ROOT / ".pytest_cache" / "pyodide"


def node_or_skip() -> str:
    """The node that there is, with what is needed of it; else see ``require``."""
    node = program("node")
    require("" if (WEB / "node_modules").is_dir() else "the packages of node are not installed: make node")
    return node


class Page:
    """The process. ``seconds`` is the processor time that it has used, start included."""

    def __init__(self, node: str) -> None:
        CACHE.mkdir(parents=True, exist_ok=True)
        set_up = {
            "web": str(WEB),
            "root": str(ROOT),
            "packages": {name: _folder_of(name) for name in PACKAGES},
            "cache": str(CACHE),
        }
        self._process = subprocess.Popen(
            [node, str(Path(__file__).with_name("judge.mjs")), json.dumps(set_up)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        begun = self._line()
        self.version, self.seconds = begun["ok"], begun["seconds"]

    def ask(self, question: str, *given: Any) -> Any:
        """What Python in WebAssembly answers; ``AssertionError`` with its traceback if it raises."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"ask": question, "with": given}) + "\n")
        self._process.stdin.flush()
        answer, self.seconds = self._line(), self._line()["seconds"]
        if "fault" in answer:
            raise AssertionError(answer["fault"])
        return answer["ok"]

    def _line(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise AssertionError(f"node has ended with {self._process.wait()}")
        return json.loads(line)

    def close(self) -> None:
        """End it."""
        self._process.communicate()


def _folder_of(package: str) -> str:
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations
    return next(iter(spec.submodule_search_locations))


def differences(here: Any, theirs: Any, where: str = "") -> list[str]:
    """Where two answers differ, in words: what this Python says, what the page says."""
    if isinstance(here, list) and isinstance(theirs, list) and len(here) == len(theirs):
        pairs = enumerate(zip(here, theirs, strict=True))
        return [difference for at, pair in pairs for difference in differences(*pair, f"{where}/{at}")]
    if isinstance(here, dict) and isinstance(theirs, dict) and here.keys() == theirs.keys():
        return [
            difference
            for name in here
            for difference in differences(here[name], theirs[name], f"{where}/{name}")
        ]
    return [] if here == theirs else [f"{where}: {here!r} here, {theirs!r} in the page"]
