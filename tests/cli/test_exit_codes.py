"""One table of exit codes: in the player's guide, the classes of errors, the commands, and what bad lines print."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from pbem.base import errors
from tests.errors.__main__ import GOLDEN

ROOT = Path(__file__).parents[2]
CLI = ROOT / "pbem" / "cli"
GUIDE = (ROOT / "examples" / "play.md").read_text(encoding="utf-8")
TABLE = {int(code) for code in re.findall(r"\b(\d) ", GUIDE.partition("Exit codes: ")[2].partition(".\n")[0])}
LEFT = {"play.py", "host_here.py"}
"""Where a person stops at a question with Ctrl-C: exit code 1, as ``usage`` says it of every question."""
NAMED = {"take_all", "deliver_one", "EXIT"}
"""What gives an exit code as its result: a ruling (0 or 5), and what a mail server expects (sysexits)."""


def test_the_table_has_the_code_of_each_kind_of_fault() -> None:
    kinds: list[type[errors.PbemError]] = [errors.PbemError, *errors.PbemError.__subclasses__()]
    ours = {kind.exit_code for kind in kinds if kind.__module__ == errors.__name__}
    assert ours | {0} == TABLE == set(range(7))
    assert all(kind.exit_code in ours for kind in kinds)


def test_a_command_ends_with_a_code_of_the_table_and_with_one_only_where_a_person_left() -> None:
    for path in sorted(CLI.glob("*.py")):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "typer.Exit":
                exit_call = ast.unparse(call)
                codes = _codes(call.args[0]) if call.args else {0}
                assert codes or any(name in exit_call for name in NAMED), f"{path.name}: {exit_call}"
                assert codes <= TABLE - {1} or (codes == {1} and path.name in LEFT), (
                    f"{path.name}: {exit_call}"
                )


def _codes(node: ast.expr) -> set[int]:
    """The numbers that an expression can give; none for a call."""
    if isinstance(node, ast.IfExp):
        return _codes(node.body) | _codes(node.orelse)
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return {node.value}
    return set()


def test_one_sentence_has_one_code_whatever_command_says_it() -> None:
    codes: dict[str, set[str]] = {}
    for path in sorted(GOLDEN.glob("*.txt")):
        for block in re.split(r"\n\n+", path.read_text(encoding="utf-8")):
            said = re.search(r"^error: (.*)$", block, re.MULTILINE)
            code = re.search(r"^\(exit (\d)\)$", block, re.MULTILINE)
            if said and code:
                codes.setdefault(said[1], set()).add(code[1])
    assert len(codes) > 80
    assert {text: code for text, code in codes.items() if len(code) > 1} == {}
