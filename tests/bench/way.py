"""``python -m tests.bench.way``: the way of one turn file through a service, counted call by call.

A service of one match of four seats and 44 records, on SQLite, has just been started and finds one email with a turn:
it is kept, read, ruled on, and its emails leave. Printed are the modules and packages that run, the functions, the
calls, those from one module into another, and the deepest stack; with ``--modules`` the modules, with ``--pairs``
which module calls which most, with ``--functions`` which function calls one of another module most. For another
commit run the same file in a work tree of that commit.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

import pbem
from tests.service.fakes import fake_service
from tests.service.table import Table

ROOT: Final = str(Path(pbem.__file__).parent) + "/"
SEATS: Final = ("anna", "burt", "curt", "dora")
RECORDS: Final = 44


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

    def counts(self) -> dict[str, int]:
        """Return every count by its name."""
        return {
            "modules": len(self.modules),
            "packages": len({module.rpartition("/")[0] or module for module in self.modules}),
            "functions": len(self.functions),
            "calls": self.functions.total(),
            "calls into another module": self.crossings.total(),
            "pairs of modules": len(self.crossings),
            "deepest stack": self.deepest,
        }


def walked() -> Way:
    """Count the way of one file: the first email that a service of one match finds after its start."""
    with tempfile.TemporaryDirectory(prefix="pbem-way-") as path:
        table = Table(Path(path), seats=SEATS).start()
        while len(table.lines) < RECORDS:
            if not table.play(1):
                raise SystemExit(f"nobody is asked at record {len(table.lines)}")
        asked = table.asked()[0]
        table.service.close()
        service = fake_service(table.folder, table.mail, table.clock)
        before = len(table.mail.delivered)
        table.mail.arrive(asked.mail(asked.move()))
        way = Way()
        sys.setprofile(way)
        try:
            service.run_once()
        finally:
            sys.setprofile(None)
        service.close()
        if len(table.mail.delivered) == before:
            raise SystemExit("the file was not answered")
    return way


if __name__ == "__main__":
    way = walked()
    for name, number in way.counts().items():
        print(f"{name:<32}{number:>8,}")
    if "--modules" in sys.argv:
        print(*sorted(way.modules), sep="\n")
    if "--pairs" in sys.argv:
        for (caller, called), number in way.crossings.most_common(60):
            print(f"{number:>6}  {caller} -> {called}")
    if "--functions" in sys.argv:
        for (caller, called), number in way.edges.most_common(120):
            print(f"{number:>6}  {caller} -> {called}")
