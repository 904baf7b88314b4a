"""The map shows the service as it stands: its drawing, every file, every name."""

from __future__ import annotations

import ast
import re

import pytest

from tests.bench.house import circles
from tests.docs.house import MAP, ROOT, floors, says, source_of, with_drawing
from tests.docs.rooms import callers, rooms

TEXT = MAP.read_text(encoding="utf-8")
MANY = 12
NAMED = re.findall(r"`(pbem/[\w/]+\.py)` `(\w+)`", TEXT)


def test_the_drawing_is_made_from_the_contracts() -> None:
    assert with_drawing(TEXT) == TEXT, "python -m tests.docs.house"


def test_every_room_says_what_it_is() -> None:
    for room in (room for floor in floors() for room in floor):
        assert source_of(room).exists(), room
        assert len(says(room)) > 20, room


@pytest.mark.parametrize("room", rooms())
def test_a_room_says_what_is_in_what_is_out_and_who_calls_it(room: str) -> None:
    """Who calls it is read from the imports; of a room that most others use the floors say who may."""
    head = " ".join(
        (ast.get_docstring(ast.parse(source_of(room.replace(".", "/")).read_text("utf-8"))) or "").split()
    )
    said = re.search(r"\bIn: (.+) Out: (.+) Called by: ([a-z_., ]+)\.$", head)
    assert said, head
    found = sorted(callers(room))
    assert said[3] == ("every room above" if len(found) > MANY else ", ".join(found))


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
