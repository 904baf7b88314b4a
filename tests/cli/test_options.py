"""An option that several commands share is spelled once, in ``pbem/cli/options.py``."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pytest
import typer

import pbem.cli
from pbem.cli.lazy_group import single_command
from pbem.cli.options import HANDOVER, KEYS, Handover, Keys
from tests.cli.seats import run


def test_no_option_is_spelled_twice() -> None:
    options: dict[str, list[str]] = defaultdict(list)
    for path in sorted(Path(pbem.cli.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Annotated":
                options[ast.unparse(node)].append(f"{path.name}:{node.lineno}")
    assert len(options) > 100
    assert {places[0]: places for places in options.values() if len(places) > 1} == {}


def test_options_that_commands_share_come_as_one_argument(capsys: pytest.CaptureFixture[str]) -> None:
    app = typer.Typer()
    shared: list[object] = []

    @app.command()
    def lay(card: str, keys: Keys = KEYS, handover: Handover = HANDOVER, often: int = 1) -> None:
        """Lay a card."""
        shared.append((card, keys, handover, often))

    @app.command()
    def stop(keys: Keys = KEYS) -> None:
        shared.append(keys)

    for words in (
        ["lay", "x"],
        ["lay", "x", "--id", "anna", "--send", "--often", "3"],
        ["stop", "--home", "h"],
    ):
        with pytest.raises(SystemExit) as ended:
            single_command(app, words[0])(args=words[1:])
        assert not ended.value.code
    assert shared == [
        ("x", KEYS, HANDOVER, 1),
        ("x", Keys(who="anna"), Handover(send=True), 3),
        Keys(home=Path("h")),
    ]
    with pytest.raises(SystemExit):
        single_command(app, "lay")(args=["--help"])
    said = capsys.readouterr().out
    assert "Lay a card." in said
    assert all(option in said for option in ("--home", "--id", "--passphrase-file", "--send", "--often"))


def test_help_lists_a_shared_option_once() -> None:
    said = run("turn", "--help").out
    assert [said.count(option) for option in ("--home DIR", "--id NAME", "--send ")] == [1, 1, 1]
