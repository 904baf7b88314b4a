"""How large the service is, before and beside others: ``python -m tests.bench.house [NAME=GIT@COMMIT:FOLDERS:CLI]…``.

``GIT`` is a git directory, ``FOLDERS`` and ``CLI`` are folders or files of the package and of its commands, with
commas between them; ``tests`` are what git knows under a name that says test. Without an argument: this repository,
as it is committed now. Every figure is read from the text: nothing is run.

* lines: of code, without blank lines and comments; docstrings count.
* public: functions and classes at the top of a module, and Go's exported ones, without ``_`` in name or module.
* twice: lines in runs of at least six that stand, without their indentation, somewhere else too.
* circles: groups of modules that need each other, imports within functions counted, those for types only not. Go's
  compiler allows none.
* function: its lines from ``def`` to its end, docstring included, in the median and at most.
"""

from __future__ import annotations

import ast
import io
import re
import statistics
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
RUN: Final = 6
HEAD: Final = (
    "",
    "files",
    "lines",
    "test lines",
    "public",
    "twice",
    "circles",
    "function: median",
    "longest",
    "cli lines",
)


@dataclass(frozen=True)
class House:
    """A project at one commit."""

    name: str
    package: Mapping[str, str]
    tests: Mapping[str, str]
    cli: Mapping[str, str]

    def row(self) -> list[str]:
        """The figures."""
        lengths = sorted(length for path, text in self.package.items() for length in functions(path, text))
        return [
            self.name,
            f"{len(self.package):,}",
            f"{total(self.package):,}",
            f"{total(self.tests):,}",
            f"{sum(public(path, text) for path, text in self.package.items()):,}",
            f"{twice(self.package):,}",
            str(len(circles(self.package))),
            f"{statistics.median(lengths):g}",
            str(lengths[-1]),
            f"{total(self.cli):,}" if self.cli else "none",
        ]


def house(told: str) -> House:
    """A project from ``NAME=GIT@COMMIT:FOLDERS:CLI``."""
    name, _, rest = told.partition("=")
    place, folders, cli = rest.split(":")
    git, _, commit = place.partition("@")
    raw = subprocess.run(
        ["git", "-C", git, "archive", "--format=tar", commit or "HEAD"], check=True, capture_output=True
    ).stdout
    files: dict[str, str] = {}
    with tarfile.open(fileobj=io.BytesIO(raw)) as archive:
        for member in archive:
            inside = archive.extractfile(member) if member.isfile() else None
            if inside is not None and member.name.endswith((".py", ".go")):
                files[member.name] = inside.read().decode("utf-8", "replace")
    of_tests = {path: text for path, text in files.items() if re.search(r"(^|/|_)tests?(/|\.|_|it)", path)}
    package = {path: text for path, text in files.items() if path not in of_tests and within(path, folders)}
    return House(name, package, of_tests, {path: text for path, text in package.items() if within(path, cli)})


def within(path: str, folders: str) -> bool:
    """Whether a path is one of these, or in one of them; ``.`` is all."""
    return any(one == "." or path == one or path.startswith(f"{one}/") for one in folders.split(",") if one)


def code(text: str) -> list[str]:
    """The lines that say something, without their indentation."""
    stripped = (line.strip() for line in text.splitlines())
    return [line for line in stripped if line and not line.startswith(("#", "//"))]


def total(files: Mapping[str, str]) -> int:
    """All lines of code."""
    return sum(len(code(text)) for text in files.values())


def functions(path: str, text: str) -> Iterator[int]:
    """The length of every function in lines."""
    if path.endswith(".go"):
        for found in re.finditer(r"^func .*?^}", text, re.MULTILINE | re.DOTALL):
            yield found[0].count("\n") + 1
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno:
            yield node.end_lineno - node.lineno + 1


def public(path: str, text: str) -> int:
    """How many names others may use."""
    if path.endswith(".go"):
        if "internal/" in path or path.startswith("cmd/"):
            return 0
        return len(re.findall(r"^(?:func(?: \([^)]*\))?|type) [A-Z]", text, re.MULTILINE))
    if any(part.startswith("_") and part != "__init__.py" for part in path.split("/")):
        return 0
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return sum(isinstance(node, kinds) and not node.name.startswith("_") for node in ast.parse(text).body)


def twice(files: Mapping[str, str]) -> int:
    """Lines in runs that stand elsewhere too; imports and single brackets are no run."""
    said = {
        path: [line for line in code(text) if not re.match(r"(from|import) |^[)\]}(\[{,]+$", line)]
        for path, text in files.items()
    }
    often = Counter(run for lines in said.values() for run in runs(lines))
    found = 0
    for lines in said.values():
        doubled = {
            number + step for number, run in enumerate(runs(lines)) if often[run] > 1 for step in range(RUN)
        }
        found += len(doubled)
    return found


def runs(lines: list[str]) -> Iterable[tuple[str, ...]]:
    """Every run of six lines."""
    return [tuple(lines[start : start + RUN]) for start in range(len(lines) - RUN + 1)]


def circles(files: Mapping[str, str]) -> list[set[str]]:
    """Groups of Python modules that import each other."""
    modules = {module_of(path): path for path in files if path.endswith(".py")}
    needs = {name: set(needed(name, files[path], modules)) - {name} for name, path in modules.items()}
    reach: dict[str, set[str]] = {}
    for name in needs:
        seen, todo = set[str](), [name]
        while todo:
            for one in needs[todo.pop()] - seen:
                seen.add(one)
                todo.append(one)
        reach[name] = seen
    groups = {frozenset({name, *(one for one in reach[name] if name in reach[one])}) for name in needs}
    return [set(group) for group in groups if len(group) > 1]


def module_of(path: str) -> str:
    """``a/b/__init__.py`` is ``a.b``."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def needed(name: str, text: str, modules: Mapping[str, str]) -> Iterator[str]:
    """The modules that this one imports, wherever it does, but not for types only."""
    tree = ast.parse(text)
    only_types = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    package = name.split(".") if modules[name].endswith("/__init__.py") else name.split(".")[:-1]
    for node in ast.walk(tree):
        if node in only_types:
            continue
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names if one.name in modules)
        elif isinstance(node, ast.ImportFrom):
            start = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            base = ".".join(filter(None, (start, node.module)))
            for one in node.names:
                inner = f"{base}.{one.name}"
                if inner in modules or base in modules:
                    yield inner if inner in modules else base


def main() -> int:
    """The command."""
    told = sys.argv[1:] or [f"pbem={ROOT}@HEAD:pbem:pbem/cli"]
    rows = [HEAD, ["---"] + ["--:"] * (len(HEAD) - 1), *(house(one).row() for one in told)]
    print("\n".join(f"| {' | '.join(row)} |" for row in rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
