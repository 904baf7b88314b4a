"""The size of the product: ``python -m tests.size [ROOT]`` prints what was, what is held and what is aimed at.

*code*: lines that hold a token which is no docstring and no comment. *tokens*: what ``tokenize`` finds, without
comments, docstrings, line ends and indents. *docstring*: any string that is a statement of its own, so that what
describes an attribute counts. *import inside a function*: an import statement in a function, a call of
``import_module`` or ``__import__``, a module's ``__getattr__``, and every module of a table of lazy imports.
*banner*: a comment that is ruled off with dashes and heads a part of a module. *circle*: scripts of the page that
import each other, directly or through others.
"""

from __future__ import annotations

import ast
import io
import json
import re
import sys
import tokenize
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pbem.cli.app import COMMANDS
from pbem.cli.lazy_group import Group

ROOT: Final = Path(__file__).resolve().parents[1]
LONGEST: Final = 600
"""Lines that no module may have more of."""
LAZY_GROUP: Final = "cli/lazy_group.py"
"""The one module that loads a command's module by name; its imports are not counted."""


@dataclass(frozen=True)
class Limit:
    """A total: at c620822e, at most now, and at most in the end."""

    before: float
    held: float
    aim: float

    @property
    def most(self) -> float:
        """What a total may be: what it was at the end of the last step, until the aim is reached; then the aim."""
        return max(self.held, self.aim)


LIMITS: Final[Mapping[str, Limit]] = {
    "lines": Limit(86_841, 82_753, 70_000),
    "lines of code": Limit(60_317, 57_400, 49_000),
    "tokens": Limit(592_710, 562_804, 480_000),
    "modules over 600 lines": Limit(0, 0, 0),
    "banners": Limit(260, 211, 0),
    "imports inside functions": Limit(60, 58, 60),
    "commands": Limit(96, 78, 62),
    "commands of a host": Limit(53, 46, 32),
    "dependencies": Limit(28, 25, 25),
    "dependencies with keyring and service": Limit(30, 27, 27),
    "kinds of record": Limit(25, 21, 21),
    "lines of the page's scripts": Limit(4_386, 4_386, 5_200),
    "scripts in a circle": Limit(24, 0, 0),
    "messages": Limit(4_118, 4_007, 3_300),
    "lines of tests": Limit(107_875, 107_875 + 6_000, 85_000),
}
"""``held`` is written again at the end of each step."""
WAY: Final[Mapping[str, Limit]] = {
    "modules of a file's way": Limit(95, 95, 47),
    "calls into another module on a file's way": Limit(8_759, 8_759, 4_379),
}
"""One file's way at a service, as ``python -m tests.bench.way`` counts it."""

WORDS: Final = 18.7
"""Words of docstrings that a function has at least, on average: nothing gets shorter by saying less."""

_Function = (ast.FunctionDef, ast.AsyncFunctionDef)
_NO_TOKEN: Final = frozenset(
    {
        *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
        *(tokenize.ENCODING, tokenize.ENDMARKER),
    }
)
_BANNER: Final = re.compile(r"\s*# -{3}")
_IMPORT: Final = re.compile(r"""(?:^|\n)\s*(?:import|export)\b[^;'"]*?["']\./([\w-]+\.mjs)["']""")


@dataclass(frozen=True)
class Module:
    """What is counted of one module."""

    path: str
    lines: int
    code: int
    tokens: int
    banners: int
    inner_imports: int
    functions: int
    words: int
    """Of its docstrings."""


def modules(root: Path) -> list[Module]:
    """Measure every module of ``root/pbem``, by path; what is built or installed beside it is left out."""
    package = root / "pbem"
    paths = [path for path in sorted(package.rglob("*.py")) if "node_modules" not in path.parts]
    return [measured(path.relative_to(package).as_posix(), path.read_text("utf-8")) for path in paths]


def measured(path: str, source: str) -> Module:
    """Count one module; ``path`` is as it stands below ``pbem/``."""
    tree = ast.parse(source)
    docstrings = list(_docstrings(tree))
    described = {string.lineno for string in docstrings}
    tokens = [
        token
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type not in _NO_TOKEN and not (token.type == tokenize.STRING and token.start[0] in described)
    ]
    code = {line for token in tokens for line in range(token.start[0], token.end[0] + 1)}
    return Module(
        path=path,
        lines=source.count("\n"),
        code=len(code),
        tokens=len(tokens),
        banners=sum(bool(_BANNER.match(line)) for line in source.split("\n")),
        inner_imports=0 if path == LAZY_GROUP else _inner_imports(tree),
        functions=sum(isinstance(node, _Function) for node in ast.walk(tree)),
        words=sum(len(str(string.value).split()) for string in docstrings),
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


def commands() -> list[str]:
    """List every command of the tree as it is typed, those of a group with the group's word."""
    return [
        " ".join(words)
        for name, entry in COMMANDS.items()
        for words in ([(name, inner) for inner in entry.commands] if isinstance(entry, Group) else [(name,)])
    ]


def record_kinds(root: Path) -> frozenset[str]:
    """Return the kinds that ``schemas/record.schema.json`` enumerates."""
    schema = json.loads((root / "schemas" / "record.schema.json").read_bytes())
    return frozenset(schema["properties"]["body"]["properties"]["kind"]["enum"])


def dependencies(root: Path, *extras: str) -> set[str]:
    """Return the names of the packages that are needed at run time, with those of some extras."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    needed = [*project["dependencies"]]
    for extra in extras:
        needed += project["optional-dependencies"][extra]
    return {re.split(r"[\[><=~!; ]", name, maxsplit=1)[0] for name in needed}


def scripts(root: Path) -> dict[str, str]:
    """Return the text of each script of the page by its name."""
    folder = root / "pbem" / "web" / "page"
    return {path.name: path.read_text("utf-8") for path in sorted(folder.glob("*.*js"))}


def in_a_circle(texts: Mapping[str, str]) -> set[str]:
    """Name the scripts that import themselves through others."""
    imports = {name: set(_IMPORT.findall(text)) & texts.keys() for name, text in texts.items()}
    return {name for name in imports if name in _reached(imports, imports[name])}


def _reached(imports: Mapping[str, set[str]], begin: Iterable[str]) -> set[str]:
    reached: set[str] = set()
    waiting = list(begin)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += imports[name]
    return reached


def totals(root: Path) -> dict[str, float]:
    """Count everything in ``LIMITS``, by the names there."""
    all_modules = modules(root)
    texts = scripts(root)
    typed = commands()
    catalogue = (root / "templates" / "locale" / "pbem.pot").read_text("utf-8")
    return {
        "lines": sum(module.lines for module in all_modules),
        "lines of code": sum(module.code for module in all_modules),
        "tokens": sum(module.tokens for module in all_modules),
        "modules over 600 lines": sum(module.lines > LONGEST for module in all_modules),
        "banners": sum(module.banners for module in all_modules),
        "imports inside functions": sum(module.inner_imports for module in all_modules),
        "commands": len(typed),
        "commands of a host": sum(name.startswith("host ") for name in typed),
        "dependencies": len(dependencies(root)),
        "dependencies with keyring and service": len(dependencies(root, "keyring", "service")),
        "kinds of record": len(record_kinds(root)),
        "lines of the page's scripts": sum(text.count("\n") for text in texts.values()),
        "scripts in a circle": len(in_a_circle(texts)),
        "messages": catalogue.count("\nmsgid ") - 1,
        "lines of tests": sum(
            path.read_bytes().count(b"\n")
            for path in (root / "tests").rglob("*.py")
            if "node_modules" not in path.parts
        ),
    }


def words_a_function(measured_modules: Iterable[Module]) -> float:
    """Return how many words of docstrings there are for each function, on average."""
    counted = list(measured_modules)
    return round(sum(module.words for module in counted) / sum(module.functions for module in counted), 1)


def main(root: Path) -> None:
    """Print the table; then the modules with banners and with imports in functions, worst first."""
    print(f"{'':40}{'c620822e':>10}{'now':>10}{'at most':>10}{'aim':>10}")
    for name, value in totals(root).items():
        limit = LIMITS[name]
        mark = "  more than is held" if value > limit.most else "" if value <= limit.aim else "  not yet"
        print(f"{name:40}{limit.before:>10,}{value:>10,}{limit.most:>10,}{limit.aim:>10,}{mark}")
    all_modules = modules(root)
    print(f"{'words of docstrings a function':40}{words_a_function(all_modules):>20} at least {WORDS}")
    print("packages:")
    names = sorted({module.path.split("/")[0] for module in all_modules})
    for name in names:
        inside = [module for module in all_modules if module.path.split("/")[0] == name]
        lines, tokens = sum(module.lines for module in inside), sum(module.tokens for module in inside)
        print(f"  {name:38}{len(inside):>4} modules{lines:>8,} lines{tokens:>9,} tokens")
    _worst("banners", {module.path: module.banners for module in all_modules})
    _worst("imports inside functions", {module.path: module.inner_imports for module in all_modules})


def _worst(title: str, counts: Mapping[str, int]) -> None:
    paths = sorted((path for path in counts if counts[path]), key=lambda path: -counts[path])
    print(f"{title}:", *(f"{path} {counts[path]}" for path in paths[:20]), sep="\n  ")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT)
