"""The size of ``pbem/``: ``python -m tests.size [ROOT]`` prints what was, what is and what is aimed at.

*code*: lines that hold a token which is no docstring and no comment. *docstring*: any string that is a statement of
its own, so that what describes an attribute counts. *import inside a function*: an import statement in a function, a
call of ``import_module`` or ``__import__``, a module's ``__getattr__``, and every module of a table of lazy imports.
*names two kinds*: a module with string literals, docstrings left out, that are two or more kinds of record.
"""

from __future__ import annotations

import ast
import io
import json
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
LONGEST: Final = 600
"""Lines that no module may have more of."""
LAZY_GROUP: Final = "cli/lazy_group.py"
"""The one module that loads a command's module by name; it is not counted."""
BEFORE: Final = {
    "lines": 77726,
    "lines of code": 54527,
    "modules": 516,
    "modules over 600 lines": 0,
    "modules naming two kinds of record": 62,
    "imports inside functions": 327,
    "words of docstrings a function": 18.7,
}
"""The figures of 6c868bd0, as this script counts them."""
AIMS: Final = {
    "lines": 63000,
    "lines of code": 45000,
    "modules": 360,
    "modules over 600 lines": 0,
    "modules naming two kinds of record": 15,
    "imports inside functions": 60,
    "words of docstrings a function": 18.7,
}
AT_LEAST: Final = ("words of docstrings a function",)
"""What may grow; everything else may not exceed its aim."""

_Function = (ast.FunctionDef, ast.AsyncFunctionDef)
_PLAIN: Final = (
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    *(tokenize.ENCODING, tokenize.ENDMARKER),
)


@dataclass(frozen=True)
class Module:
    """What is counted of one module."""

    path: str
    lines: int
    code: int
    kinds: frozenset[str]
    inner_imports: int
    functions: int
    words: int


def modules(root: Path) -> list[Module]:
    """Every module of ``root/pbem``, by path; what is built or installed beside it is left out."""
    package = root / "pbem"
    kinds = record_kinds(root)
    paths = [path for path in sorted(package.rglob("*.py")) if "node_modules" not in path.parts]
    return [measured(path.relative_to(package).as_posix(), path.read_text("utf-8"), kinds) for path in paths]


def record_kinds(root: Path) -> frozenset[str]:
    """The kinds that ``schemas/record.schema.json`` enumerates."""
    schema = json.loads((root / "schemas" / "record.schema.json").read_bytes())
    return frozenset(schema["properties"]["body"]["properties"]["kind"]["enum"])


def measured(path: str, source: str, kinds: frozenset[str]) -> Module:
    """The counts of one module; ``path`` is as it stands below ``pbem/``."""
    tree = ast.parse(source)
    strings = list(_docstrings(tree))
    described = {
        line for string in strings for line in range(string.lineno, (string.end_lineno or string.lineno) + 1)
    }
    code: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _PLAIN:
            code |= set(range(token.start[0], token.end[0] + 1))
    nodes = list(ast.walk(tree))
    named = {
        node.value
        for node in nodes
        if isinstance(node, ast.Constant) and node not in strings and isinstance(node.value, str)
    }
    return Module(
        path=path,
        lines=source.count("\n"),
        code=len(code - described),
        kinds=kinds & named,
        inner_imports=0 if path == LAZY_GROUP else _inner_imports(tree),
        functions=sum(isinstance(node, _Function) for node in nodes),
        words=sum(len(str(string.value).split()) for string in strings),
    )


def _docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield node.value


def _inner_imports(tree: ast.Module) -> int:
    inside = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, _Function)
        for node in ast.walk(function)
        if isinstance(node, (ast.Import, ast.ImportFrom))
    }
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    loaders = sum(_called(call) in ("import_module", "__import__") for call in calls)
    lazily = [call for call in calls if _called(call) == "lazily"]
    tables = sum(len(arg.keys) for call in lazily for arg in call.args if isinstance(arg, ast.Dict))
    hooks = sum(isinstance(node, ast.FunctionDef) and node.name == "__getattr__" for node in tree.body)
    return len(inside) + loaders + tables + hooks


def _called(call: ast.Call) -> str:
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def figures(measured_modules: list[Module]) -> dict[str, float]:
    """The counts of the whole, by the names of ``AIMS``."""
    functions = sum(module.functions for module in measured_modules)
    return {
        "lines": sum(module.lines for module in measured_modules),
        "lines of code": sum(module.code for module in measured_modules),
        "modules": len(measured_modules),
        "modules over 600 lines": sum(module.lines > LONGEST for module in measured_modules),
        "modules naming two kinds of record": sum(len(module.kinds) > 1 for module in measured_modules),
        "imports inside functions": sum(module.inner_imports for module in measured_modules),
        "words of docstrings a function": round(
            sum(module.words for module in measured_modules) / max(functions, 1), 1
        ),
    }


def reached(name: str, value: float) -> bool:
    """Whether the aim of that name is reached."""
    return value >= AIMS[name] if name in AT_LEAST else value <= AIMS[name]


def main(root: Path) -> None:
    """Print the table; then the modules that keep an aim from being reached, worst first."""
    found_modules = modules(root)
    now = figures(found_modules)
    print(f"{'':38}{'6c868bd0':>10}{'now':>10}{'aim':>10}")
    for name, value in now.items():
        mark = "" if reached(name, value) else "  not reached"
        print(f"{name:38}{BEFORE[name]:>10}{value:>10}{AIMS[name]:>10}{mark}")
    for module in sorted(found_modules, key=lambda module: -module.inner_imports)[:20]:
        if module.inner_imports:
            print(f"  {module.inner_imports:3} imports inside functions  {module.path}")
    for module in sorted(found_modules, key=lambda module: -len(module.kinds)):
        if len(module.kinds) > 1:
            print(f"  {len(module.kinds):3} kinds of record  {module.path}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT)
