"""The registry of kinds: whole, in step with the schemas and the templates, and the one place where kinds are named."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import pbem
from pbem.base.shapes.schema import load
from pbem.player.letters.letter import Kind as LetterKind
from pbem.player.letters.rendering import Style, environment
from pbem.protocol.record.agreement import TERMS_MEMBERS
from pbem.protocol.record.kinds import FILES, KINDS
from pbem.protocol.record.kinds.agreements import AGREEMENTS

ROOT = Path(pbem.__file__).parent
MOST = 4
"""So many modules may name two kinds of record or more; at 6c868bd0 there were 62."""
NAMES = frozenset(KINDS) | {name for name, file in FILES.items() if file.rule is not None}
"""Of records, and of files that records hold."""


def test_every_kind_of_the_schema_is_registered_and_no_other() -> None:
    kinds = load("record")["properties"]["body"]["properties"]["kind"]["enum"]
    assert set(kinds) == set(KINDS)
    assert all(kind.name == name for name, kind in KINDS.items())


def test_everything_that_seats_can_agree_to_has_a_kind() -> None:
    assert set(AGREEMENTS) == set(TERMS_MEMBERS)


@pytest.mark.parametrize("style", Style)
def test_every_kind_finds_its_message(style: Style) -> None:
    records = environment(style).get_template("records.jinja").make_module({})
    said = {name.removeprefix("said_") for name in dir(records) if name.startswith("said_")}
    wanted = {kind.text for kind in KINDS.values() if kind.text}
    assert wanted == said, (
        "a key without a macro in templates/records.jinja, or a macro that no kind asks for"
    )
    silent = {name for name, kind in KINDS.items() if not kind.text}
    assert silent == {"genesis", "announce", "open", "default"}, "these say all they say by their steps"


def test_every_kind_is_shown_as_a_letter_that_there_is() -> None:
    for kind in KINDS.values():
        LetterKind(kind.letter)


def test_the_modules_of_kinds_import_the_state_of_the_record_and_what_lies_below_it() -> None:
    """A contract of imports holds that none of it stands above the registry."""
    below = (
        *("pbem.base.errors", "pbem.base.sentences", "pbem.base.values", "pbem.game"),
        *("pbem.protocol.crypto", "pbem.protocol.draws", "pbem.protocol.formats", "pbem.protocol.record"),
    )
    for path in (ROOT / "protocol" / "record" / "kinds").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("pbem"):
                assert any(f"{node.module}.".startswith(f"{name}.") for name in below), (
                    f"{path.name}: {node.module}"
                )


# --- who names kinds ----------------------------------------------------------------------------------------


def _text(node: ast.expr | None) -> object:
    return node.value if isinstance(node, ast.Constant) else None


def _all(node: ast.Assign) -> bool:
    return any(isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets)


def _named(tree: ast.AST) -> Iterator[str]:
    """Names of kinds that a module decides by: compared, matched, in a collection, or the keys of a table."""
    public = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Assign) and _all(node)}
    for node in ast.walk(tree):
        parts: list[ast.expr | None] = []
        if isinstance(node, ast.Compare):
            parts = [node.left, *node.comparators]
        elif isinstance(node, ast.MatchValue):
            parts = [node.value]
        elif isinstance(node, ast.Set | ast.Tuple | ast.List) and id(node) not in public:
            parts = list(node.elts)
        elif isinstance(node, ast.Dict):
            parts = list(node.keys) if len(NAMES & {_text(key) for key in node.keys}) > 2 else []
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "add":
            parts = list(node.args[:1])
        for part in parts:
            if _text(part) in NAMES:
                yield str(_text(part))


def naming(root: Path) -> dict[str, set[str]]:
    """Modules that name two kinds or more."""
    kinds = {
        path.relative_to(root).as_posix(): set(_named(ast.parse(path.read_text("utf-8"))))
        for path in sorted(root.rglob("*.py"))
    }
    return {module: names for module, names in kinds.items() if len(names) > 1}


def test_few_modules_name_two_kinds() -> None:
    kinds = naming(ROOT)
    listed = "\n".join(f"{module}: {' '.join(sorted(names))}" for module, names in kinds.items())
    assert len(kinds) <= MOST, listed


if __name__ == "__main__":
    import sys

    for module, names in naming(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT).items():
        print(f"{module}: {' '.join(sorted(names))}")
