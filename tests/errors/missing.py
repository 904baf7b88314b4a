"""Which error messages no golden file of this folder provokes: ``python -m tests.errors.missing``.

Counted is every message in ``sentence(...)`` or ``counted(...)`` of pbem that stands in a call of an error's class,
hints left out; every one in a function of pbem.protocol that returns why something is not taken; and those of the
conditions of the games' rules. A message is provoked where a golden file says it, whatever its values are; it is at
least tested where a test quotes its longest piece.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from tests.errors.stage import steady

ROOT: Final = Path(__file__).resolve().parents[2]
GOLDEN: Final = Path(__file__).parent
_ERROR: Final = re.compile(
    r"(Problem|Error|Trouble|NotSent|NotTaken|Refusal|UnknownSender|BadSetup|Refused|Damaged|Newer|Full|NotSure|NotCalled"
    r"|TooLate|Fault)$"
)
_REASON: Final = re.compile(
    r"(_faults?|^(why_not|look_alike|shared_key|too_many|over_budget|link_missing|number_ahead|unseen_word"
    r"|clock_jumped))$"
)
"""Functions of pbem.protocol that return why something is not taken."""
PYTHONS: Final = frozenset(
    (*dir(builtins), "FrozenInstanceError", "PicklingError", "UnpicklingError", "TemplateNotFound")
)
"""Errors that no class of ours is."""
FINDINGS: Final = tuple(
    f"pbem/protocol/{name}.py"
    for name in (
        *("audit/pieces", "audit/refusal", "record/agreement", "record/check_messages"),
        *("record/check_results", "record/open_play", "record/openings", "record/record", "record/verifier"),
    )
)
"""Modules of which every message says why something is not taken, or is a piece of that."""
RULES: Final = ("boxes.py", "conditions.py", "legality.py")
"""Modules of games that say why an action is refused."""
_MESSAGE: Final = {"sentence": slice(0, 1), "counted": slice(0, 2), "fault": slice(2, 3)}
"""Where a call has its messages."""
_VALUE: Final = re.compile(r"\{[^{}]*\}")


class _Module(NamedTuple):
    """What a module says in its errors: messages, and what is plain text."""

    messages: list[str]
    plain: list[str]


@cache
def _modules() -> dict[str, _Module]:
    """Every module of pbem, read once."""
    modules: dict[str, _Module] = {}
    for path in sorted((ROOT / "pbem").rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        said = [*_of(nodes, reasons=name.startswith("pbem/protocol/"))]
        if path.name in RULES or name in FINDINGS:
            said += _said_in(nodes)
        modules[name] = _Module(said, [*_untranslated(nodes)])
    return modules


@cache
def messages() -> dict[str, set[str]]:
    """Each error message, with the modules that say it."""
    messages: dict[str, set[str]] = {}
    for name, module in _modules().items():
        for message in module.messages:
            messages.setdefault(message, set()).add(name)
    return messages


def _of(nodes: Iterable[ast.AST], *, reasons: bool) -> Iterator[str]:
    for node in nodes:
        if reasons and isinstance(node, ast.FunctionDef) and _REASON.search(node.name):
            yield from (text for part in node.body for text in _said(part))
        if isinstance(node, ast.Call) and (
            _ERROR.search(_name(node)) or _name(node) in ("fault", "differs", "difference")
        ):
            yield from _said(node) if _name(node) == "fault" else ()
            said = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg != "hint")]
            yield from (text for part in said for text in _said(part))


def untranslated() -> dict[str, list[str]]:
    """By module, what our own errors say in plain text: nobody can say it again in another language.

    Errors of Python are for whoever writes code; what is wrong in a catalogue's sentence is not looked at.
    """
    return {name: module.plain for name, module in _modules().items() if module.plain}


def _untranslated(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Call) and _ERROR.search(_name(node)) and _name(node) not in PYTHONS:
            for part in [*node.args, *(keyword.value for keyword in node.keywords)]:
                yield from _plainly(part)


def _plainly(part: ast.AST) -> Iterator[str]:
    """Texts of several words that are in no message."""
    if isinstance(part, ast.Call) and _name(part) in ("sentence", "counted"):
        return
    if isinstance(part, ast.JoinedStr):
        yield ast.unparse(part)
    elif isinstance(part, ast.Constant):
        if isinstance(part.value, str) and " " in part.value.strip():
            yield part.value
    else:
        for inner in ast.iter_child_nodes(part):
            yield from _plainly(inner)


def _name(call: ast.Call) -> str:
    return str(getattr(call.func, "id", getattr(call.func, "attr", "")))


def _said(part: ast.AST) -> Iterator[str]:
    return _said_in(ast.walk(part))


def _said_in(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Call) and _name(node) in _MESSAGE:
            for text in node.args[_MESSAGE[_name(node)]]:
                if isinstance(text, ast.Constant) and isinstance(text.value, str):
                    yield text.value


@cache
def not_golden() -> set[str]:
    """The messages that no golden file says."""
    files = [path.read_text(encoding="utf-8") for path in sorted(GOLDEN.rglob("*.txt"))]
    printed = " ".join(" ".join(files).split())
    return {message for message in messages() if not _is_said(message, printed)}


def _is_said(message: str, printed: str) -> bool:
    """Whether its pieces stand one soon after the other."""
    pieces = _VALUE.split(" ".join(steady(message).split()))
    longest = max(pieces, key=len)
    pattern = re.compile(".{0,120}?".join(map(re.escape, pieces)))
    return any(
        pattern.search(printed, max(0, at.start() - 300), at.end() + 300)
        for at in re.finditer(re.escape(longest), printed)
    )


def not_tested() -> set[str]:
    """Of these the ones that no test quotes either."""
    return {message for message in not_golden() if _longest(message) not in _tests()}


def _longest(message: str) -> str:
    pieces = [piece.strip(" :;,.\"'") for piece in _VALUE.split(" ".join(message.split()))]
    return max(pieces, key=len)


@cache
def _tests() -> str:
    paths = [path for path in sorted((ROOT / "tests").rglob("*.py")) if path != Path(__file__).resolve()]
    text = " ".join(path.read_text(encoding="utf-8") for path in paths)
    return " ".join(re.sub(r'"\s*\n\s*f?r?"', "", text).split())


def main() -> None:
    """Print them by module, a test's quote marked."""
    every, golden, tested = messages(), not_golden(), not_tested()
    by_module: dict[str, list[str]] = {}
    for message in sorted(golden):
        by_module.setdefault(min(every[message]), []).append(message)
    for module, missing in sorted(by_module.items()):
        print(module)
        for message in missing:
            print(f"  {'-' if message in tested else 'quoted'}  {message}")
    print(
        f"{len(every)} messages; {len(every) - len(golden)} in golden files, {len(golden) - len(tested)} quoted by a"
        f" test alone, {len(tested)} by nothing"
    )


if __name__ == "__main__":
    main()
