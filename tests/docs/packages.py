"""Who calls a package: read from the imports of every module, those within functions too."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.docs.layers import ROOT

PACKAGE = ROOT / "pbem"
CONTAINERS = ("base", "player", "protocol")
"""Packages that only hold others."""
INNER = ("host.service", "host.database")
"""Packages within a package."""


def packages() -> list[str]:
    """Every package that counts as one, as it is called below ``pbem``."""
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")} - set(CONTAINERS)
    packages |= {
        f"{name}.{path.parent.name}" for name in CONTAINERS for path in PACKAGE.glob(f"{name}/*/__init__.py")
    }
    return sorted(packages | set(INNER))


def callers(package: str) -> frozenset[str]:
    """The packages and modules that import from it, itself left out, each by its last name."""
    return frozenset(
        name if name in INNER else name.rpartition(".")[2] for name in _callers()[package] - {package}
    )


@cache
def _callers() -> dict[str, set[str]]:
    callers: defaultdict[str, set[str]] = defaultdict(set)
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        if parts == ("__init__",):
            continue
        here = _package(parts)
        for name in _imported(path):
            callers[_package(name)].add(here)
    return callers


def _package(parts: tuple[str, ...]) -> str:
    inner = ".".join(parts[:2])
    return inner if inner in INNER or parts[0] in CONTAINERS else parts[0]


def _imported(path: Path) -> Iterator[tuple[str, ...]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        yield from (tuple(name.split(".")[1:]) for name in names if name.startswith("pbem."))
