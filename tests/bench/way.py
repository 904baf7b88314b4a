"""``python -m tests.bench.way``: the way of one turn file through the program, counted call by call.

A host of four seats is at work on a match of 44 records, in a folder, and takes the first file: the ruling, the record,
the emails. Printed are the modules and packages that run, the functions, the calls, those from one module into
another, and the deepest stack; with ``--modules`` the modules, with ``--pairs`` which module calls which most, with
``--functions`` which function calls one of another module most. For another commit run the same file in a work tree of
that commit.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
from collections import Counter
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pbem
from tests.bench.host_step import _four_seats

ROOT = str(Path(pbem.__file__).parent) + "/"


class Way:
    """Counts calls of this program's functions, as ``sys.setprofile`` reports them."""

    def __init__(self) -> None:
        self.functions: Counter[CodeType] = Counter()
        self.crossings: Counter[tuple[str, str]] = Counter()
        self.edges: Counter[tuple[str, str]] = Counter()
        """The crossings, function by function."""
        self.deepest = 0
        self._stack: list[tuple[str, str]] = []

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        """One event; only Python's own calls and returns count."""
        name = frame.f_code.co_filename
        if event not in ("call", "return") or not name.startswith(ROOT):
            return
        module = name.removeprefix(ROOT)
        if event == "return":
            if self._stack:
                self._stack.pop()
            return
        self.functions[frame.f_code] += 1
        function = f"{module}:{frame.f_code.co_qualname}"
        if self._stack and self._stack[-1][0] != module:
            before, caller = self._stack[-1]
            self.crossings[before, module] += 1
            self.edges[caller, function] += 1
        self._stack.append((module, function))
        self.deepest = max(self.deepest, len(self._stack))

    @property
    def modules(self) -> set[str]:
        """The files whose functions ran."""
        return {code.co_filename.removeprefix(ROOT) for code in self.functions}

    def text(self) -> str:
        """All counts, a line each."""
        packages = {module.rpartition("/")[0] or module for module in self.modules}
        return "\n".join(
            f"{name:<32}{number:>8}"
            for name, number in (
                ("modules", len(self.modules)),
                ("packages", len(packages)),
                ("functions", len(self.functions)),
                ("calls", self.functions.total()),
                ("calls into another module", self.crossings.total()),
                ("pairs of modules", len(self.crossings)),
                ("deepest stack", self.deepest),
            )
        )


def walked() -> Way:
    """The way of one file: a draw and a discard, as ``take`` of a host who has read the match sees them."""
    world, raw = _four_seats()
    former = (Path(ROOT) / "store").is_dir()
    store = importlib.import_module("pbem.store" if former else "pbem.player.store")
    host = importlib.import_module("pbem.host")
    with tempfile.TemporaryDirectory(prefix="pbem-way-") as path:
        folder = store.MatchFolder.create(Path(path) / "match")
        folder.game.append(world.lines, expected=store.Mark.EMPTY)
        client = (host.HostDesk if former else host.HostClient)(folder.path, world.host, lambda: world.now)
        with client.at_work():
            pass
        way = Way()
        sys.setprofile(way)
        try:
            outcome = client.take(raw)
        finally:
            sys.setprofile(None)
    if not outcome.letters:
        raise SystemExit(f"the file was not taken: {outcome}")
    return way


if __name__ == "__main__":
    way = walked()
    print(way.text())
    if "--modules" in sys.argv:
        print(*sorted(way.modules), sep="\n")
    if "--pairs" in sys.argv:
        for (caller, called), number in way.crossings.most_common(60):
            print(f"{number:>6}  {caller} -> {called}")
    if "--functions" in sys.argv:
        for (caller, called), number in way.edges.most_common(120):
            print(f"{number:>6}  {caller} -> {called}")
