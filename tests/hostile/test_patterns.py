"""No regular expression of the program may back-track more than linearly, whatever it is given.

Every pattern is collected twice: by reading the source for calls of ``re`` and by importing every module and taking
the compiled patterns out of it; patterns of the schemas are taken too. A call whose pattern neither way can see fails.
"""

from __future__ import annotations

import ast
import importlib
import json
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

import pbem
from pbem.base.resources import data_dir
from pbem.base.system import platform
from tests.hostile.patterns import Guilty, guilty, suspicions

ROOT: Final = Path(pbem.__file__).parent
WHOLE: Final = {"match", "fullmatch"}
SEARCHING: Final = {"search", "sub", "subn", "split", "findall", "finditer"}
ELSEWHERE: Final = {"pbem.base.system.windows", "pbem.base.system.posix"} - {str(vars(platform)["__name__"])}
"""Modules for other systems than this one cannot be imported; a pattern compiled in one is seen in its source."""
BUILT: Final = {
    "''.join((_ECMA.get(piece, piece) for piece in pieces))",
    "f'[^\\x00-˿{assigned}]'",
    "_FORBIDDEN",
}
"""Patterns that are made while running (the last: one class of characters); each is covered in another way:
those of the schemas are all tried below."""


def modules() -> list[str]:
    """Every module of the program."""
    return [
        info.name for info in pkgutil.walk_packages(pbem.__path__, "pbem.") if "__main__" not in info.name
    ]


@cache
def imported() -> dict[tuple[str, str], re.Pattern[Any]]:
    """Compiled patterns by module and name, class members too."""
    members = {}
    for name in modules():
        if name in ELSEWHERE:
            continue
        module = importlib.import_module(name)
        spaces = [module, *(var for var in vars(module).values() if isinstance(var, type))]
        for space in spaces:
            for key, value in vars(space).items():
                if isinstance(value, re.Pattern):
                    members[name, key] = value
    return members


class Reader(ast.NodeVisitor):
    """One module's calls of ``re``: patterns written in place, names that are compiled, how names are used."""

    def __init__(self, source: str) -> None:
        self.direct: list[tuple[re.Pattern[Any], bool]] = []
        self.unseen: list[str] = []
        self.named: set[str] = set()
        self.uses: dict[str, set[str]] = {}
        self.texts: dict[str, ast.expr] = {}
        self.visit(ast.parse(source))

    def visit_Assign(self, node: ast.Assign) -> None:
        self._named(node.targets, node.value)
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._named([node.target], node.value)
        self.generic_visit(node)

    def _named(self, targets: list[Any], value: ast.expr | None) -> None:
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        if isinstance(value, ast.Constant):  # a pattern that is compiled when it is first used
            self.texts.update(dict.fromkeys(names, value))
        elif isinstance(value, ast.Call) and ast.unparse(value.func) == "re.compile":
            self.named.update(names)
            if names:
                value.func = ast.Name("compiled_above")

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.value, (ast.Name, ast.Attribute)):
            name = node.value.id if isinstance(node.value, ast.Name) else node.value.attr
            self.uses.setdefault(name, set()).add(node.attr)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        called = ast.unparse(node.func)
        verb = called.removeprefix("re.")
        if called.startswith("re.") and verb in WHOLE | SEARCHING | {"compile"}:
            text = self.texts.get(ast.unparse(node.args[0]), node.args[0])
            try:
                flags = [eval(ast.unparse(k.value), {"re": re}) for k in node.keywords if k.arg == "flags"]  # noqa: S307
                pattern = re.compile(ast.literal_eval(text), *flags)
                self.direct.append((pattern, verb in WHOLE))
            except ValueError:
                self.unseen.append(ast.unparse(node.args[0]))
        self.generic_visit(node)


@cache
def read() -> dict[str, Reader]:
    """Every module as its source says."""
    paths = {
        ".".join(("pbem", *path.relative_to(ROOT).with_suffix("").parts)): path for path in ROOT.rglob("*.py")
    }
    return {name.removesuffix(".__init__"): Reader(path.read_text("utf-8")) for name, path in paths.items()}


def used(module: str, name: str) -> set[str]:
    """What is called on a pattern of this name anywhere; on what its module calls ``pattern``, if it is handed on."""
    direct = {use for reader in read().values() for use in reader.uses.get(name, ())}
    return (direct or read()[module].uses.get("pattern", set())) & (WHOLE | SEARCHING)


def of_schemas(value: Any) -> Iterator[str]:
    """Every ``pattern`` of a schema."""
    if isinstance(value, dict):
        if isinstance(value.get("pattern"), str):
            yield value["pattern"]
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from of_schemas(item)


@cache
def patterns() -> dict[tuple[str, re.Pattern[Any]], bool]:
    """Where each pattern stands, and whether it is only ever tried from the beginning of a text."""
    members = {}
    for (module, name), pattern in imported().items():
        uses = used(module, name)
        members[f"{module}.{name}", pattern] = bool(uses) and uses <= WHOLE
    for module, reader in read().items():
        members.update({(module, pattern): anchored for pattern, anchored in reader.direct})
    for path in sorted(data_dir("schemas").rglob("*.json")):
        for text in of_schemas(json.loads(path.read_text("utf-8"))):
            members[path.name, re.compile(text)] = False
    return members


def test_every_pattern_is_seen() -> None:
    """By its source and by import the same ones; none is made where neither way sees it."""
    names = {(module, name) for module, reader in read().items() for name in reader.named}
    seen = {(module, name) for module, name in imported()}
    assert names <= seen
    unseen = {text for reader in read().values() for text in reader.unseen}
    assert unseen <= BUILT
    assert len(patterns()) > 60


def test_no_pattern_takes_more_than_linear_time() -> None:
    tried: dict[tuple[re.Pattern[Any], bool], Guilty | None] = {}
    faults = []
    for (where, pattern), anchored in patterns().items():
        if (pattern, anchored) not in tried:
            tried[pattern, anchored] = guilty(pattern, anchored=anchored)
        if fault := tried[pattern, anchored]:
            faults.append(f"{where}: {fault.pattern} over {fault.text}: {fault.times:.0f} times a plain loop")
    assert not faults, "\n".join(sorted(set(faults)))


SLOW: Final = {
    "an alternative twice in a loop": (r"(?:aa|a)*b", True),
    "a loop in a loop": (r"(?:[a-z]+ ?)+\Z", True),
    "two loops side by side": (r"x[ \t]*[ \t\n]*y", True),
    "a loop that a search starts again": (r"[ \t]*\n", False),
    "the same, possessive": (r"[ \t]*+\n", False),
    "strings that never end": (rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', False),
    "strings, escapes read in two ways": (rb'"[^"\\]*(?:\\.[^"\\]*)*"', False),
    "a great count": (r"<(style|head)>.{0,65536}?</\1>", False),
    "a count in the middle": (r'\{"body":[^\n]*"sig":[^\n]*\}\Z', True),
}


@pytest.mark.parametrize("name", SLOW)
def test_the_check_finds(name: str) -> None:
    source, anchored = SLOW[name]
    assert guilty(re.compile(source), anchored=anchored) is not None


QUICK: Final = {
    "one loop from the beginning": (r"[ \t]*\n", True),
    "what a loop reads does not begin it": (r"<[^<>]*>", False),
    "a possessive loop before another": (r"x[ \t]*+[ \t\n]*+y", True),
    "a string with an end or without": (rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', False),
    "a small count": (r"[a-z0-9-]{1,40}@", False),
    "a loop that takes everything": (r"[^a-z0-9]+", False),
}


@pytest.mark.parametrize("name", QUICK)
def test_the_check_lets_pass(name: str) -> None:
    source, anchored = QUICK[name]
    assert guilty(re.compile(source), anchored=anchored) is None


def test_a_suspicion_names_the_word_to_repeat() -> None:
    assert ("", '"\\') in set(suspicions(re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL), anchored=False))
