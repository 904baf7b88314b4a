"""The map shows the service as it stands: its drawing, every file, every name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

import pytest

from tests.docs.layers import MAP, ROOT, layers, says, source_of, with_drawing
from tests.docs.packages import callers, packages

TEXT = MAP.read_text(encoding="utf-8")
MANY = 12
NAMED = re.findall(r"`(pbem/[\w/]+\.py)` `(\w+)`", TEXT)


def test_the_drawing_is_made_from_the_contracts() -> None:
    assert with_drawing(TEXT) == TEXT, "python -m tests.docs.layers"


def test_every_package_says_what_it_is() -> None:
    for package in (package for layer in layers() for package in layer):
        assert source_of(package).exists(), package
        assert len(says(package)) > 20, package


@pytest.mark.parametrize("package", packages())
def test_a_package_says_what_is_in_what_is_out_and_who_calls_it(package: str) -> None:
    """Who calls it is read from the imports; of a package that most others use the layers say who may."""
    head = " ".join(
        (ast.get_docstring(ast.parse(source_of(package.replace(".", "/")).read_text("utf-8"))) or "").split()
    )
    said = re.search(r"\bIn: (.+) Out: (.+) Called by: ([a-z_., ]+)\.$", head)
    assert said, head
    calling = sorted(callers(package))
    assert said[3] == ("every package above" if len(calling) > MANY else ", ".join(calling))


def test_the_walk_names_enough_to_be_a_walk() -> None:
    assert len(NAMED) > 25


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_a_name_of_the_map_is_where_it_says(file: str, name: str) -> None:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assert name in defined, f"{file} defines no {name}"


def test_every_path_of_the_map_is_there() -> None:
    for page in ("ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "DECISIONS.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        for path in re.findall(r"`((?:pbem|tests|templates|schemas|examples)/[\w./-]*)`", text):
            assert (ROOT / path).exists(), f"{page}: {path}"
        for link in re.findall(r"\]\(([^)#:]+)\)", text):
            assert (ROOT / link).exists(), f"{page}: {link}"


def test_no_two_modules_need_each_other() -> None:
    """Neither at once nor within functions, where the contracts look at packages only; a planted circle is found."""
    paths = [path for path in (ROOT / "pbem").rglob("*.py") if "node_modules" not in path.parts]
    ours = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths}
    ours["pbem/base/errors.py"] += "import pbem.base.sentences\n"
    ours["pbem/base/sentences.py"] += "def f():\n    from pbem.base import errors\n"
    assert circles(ours) == [{"pbem.base.errors", "pbem.base.sentences"}]


def circles(files: Mapping[str, str]) -> list[set[str]]:
    """Groups of Python modules that import each other."""
    modules = {module_of(path): path for path in files if path.endswith(".py")}
    needs = {name: set(needed(name, files[path], modules)) - {name} for name, path in modules.items()}
    reach: dict[str, set[str]] = {}
    for name in needs:
        seen, todo = set[str](), [name]
        while todo:
            for need in needs[todo.pop()] - seen:
                seen.add(need)
                todo.append(need)
        reach[name] = seen
    groups = {frozenset({name, *(other for other in reach[name] if name in reach[other])}) for name in needs}
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
            yield from (name.name for name in node.names if name.name in modules)
        elif isinstance(node, ast.ImportFrom):
            start = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            base = ".".join(filter(None, (start, node.module)))
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                if inner in modules or base in modules:
                    yield inner if inner in modules else base
