"""Which modules the page's worker needs: whatever ``pbem.web.browser`` imports, directly or not, and nothing else.

The sources are read, not run: an import inside a function counts as well, so nothing is missed that is asked for later.
Packages that are only there for terminals, emails and files (``LEFT_OUT``) stay outside, with whatever asks for them
in a function alone.
"""

from __future__ import annotations

import ast
import importlib.util
from functools import cache
from pathlib import Path
from typing import Final

from pbem.base.errors import UsageProblem
from pbem.base.resources import installed_games

ROOTS: Final = ("pbem.web.browser", "pbem.web.later", "pbem.base.system.plain", "jinja2.ext")
"""Where it begins; the others are asked for by their names."""
APART: Final = ("pbem.web.pairing",)
"""What is loaded when it is first asked for, from a file of its own."""
PACKAGES: Final = ("pbem", "jinja2", "markupsafe")
"""Packages whose modules are taken as far as they are needed; the standard library comes with Pyodide."""
LEFT_OUT: Final = frozenset(
    {
        "jinja2.async_utils", "jinja2.bccache", "jinja2.debug", "jinja2.nativetypes", "jinja2.sandbox", "jinja2.meta",
        "pbem.protocol.crypto.native",
    }
)  # fmt: skip
"""Asked for only where the page never comes, or where something else stands in for it."""
_NEEDED: Final = frozenset({"jinja2.async_utils", "jinja2.bccache", "jinja2.nativetypes"})
"""Of these the package itself asks when it is imported."""


def needed(roots: tuple[str, ...] = ROOTS) -> dict[str, Path]:
    """Each module by its name, with the file it stands in."""
    modules: dict[str, Path] = {}
    waiting = list(roots)
    while waiting:
        name = waiting.pop()
        if name in modules or (name in LEFT_OUT and name not in _NEEDED):
            continue
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
            continue
        modules[name] = Path(spec.origin)
        waiting += [f for f in imports_of(name, modules[name]) if f.partition(".")[0] in PACKAGES]
        if "." in name:
            waiting.append(name.rpartition(".")[0])
    return dict(sorted(modules.items()))


def folder_of(package: str) -> Path:
    """Where a package lies that pbem depends on."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise UsageProblem(f"the package {package} is not installed", hint="Install pbem again.")
    return Path(spec.origin).parent


def package_of(game: str) -> Path:
    """The folder of the package that brings a game."""
    return folder_of(installed_games()[game].module.partition(".")[0])


def asked_by(folder: Path) -> list[str]:
    """Which modules of ours the package of a game in ``folder`` asks for."""
    names = {
        name
        for path in folder.rglob("*.py")
        for name in imports_of(f"{folder.name}.{path.stem}", path)
        if name.partition(".")[0] in PACKAGES
    }
    return sorted(names)


@cache
def imports_of(name: str, path: Path) -> list[str]:
    """What a module imports, at whatever place, except for type checkers."""
    tree = ast.parse(path.read_bytes())
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    imports: list[str] = []
    for node in _live(tree):
        if isinstance(node, ast.Import):
            imports += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = package.split(".")
                up = parts[: len(parts) - node.level + 1]
                base = ".".join([*up, *([base] if base else [])])
            imports.append(base)
            imports += [f"{base}.{alias.name}" for alias in node.names if _is_module(f"{base}.{alias.name}")]
            places = _places(base)
            imports += [places[alias.name] for alias in node.names if alias.name in places]
    return imports


@cache
def _places(package: str) -> dict[str, str]:
    """Where the names of a package stand that loads its parts when asked (``pbem.base.lazy``)."""
    spec = importlib.util.find_spec(package) if package.partition(".")[0] == "pbem" else None
    if spec is None or spec.origin is None:
        return {}
    source = Path(spec.origin).read_bytes()
    if b"lazily" not in source:
        return {}
    places: dict[str, str] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "lazily":
            for module, names in ast.literal_eval(node.args[1]).items():
                places |= dict.fromkeys(names.split(), f"{package}.{module}")
    return places


def _live(tree: ast.AST) -> list[ast.AST]:
    """Every node but those under ``if TYPE_CHECKING``."""
    nodes: list[ast.AST] = []
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        nodes.append(node)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting += node.orelse
        else:
            waiting += ast.iter_child_nodes(node)
    return nodes


def _is_module(name: str) -> bool:
    if name.partition(".")[0] not in PACKAGES:
        return False
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False
