"""An option that several commands share is spelled once, in ``pbem/cli/options.py``."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pbem.cli


def test_no_option_is_spelled_twice() -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(Path(pbem.cli.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Annotated":
                found[ast.unparse(node)].append(f"{path.name}:{node.lineno}")
    assert len(found) > 100
    assert {places[0]: places for places in found.values() if len(places) > 1} == {}
