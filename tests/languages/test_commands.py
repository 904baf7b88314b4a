"""What is shown to be typed can be typed: a value from outside is one word of the command, whatever stands in it.

The members were looked for in the sources themselves, and are looked for again at every run: every text with a
command of pbem and a place for a value, in English and in each translation; every text put together by f-string or
``+`` with a command in it; every template in which a command is followed by a value. Each of the first kind is filled
with hostile values and given to a real shell.
"""

from __future__ import annotations

import ast
import re
import shutil
import string
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from jinja2 import nodes

import pbem
from pbem.base.language import CODES, language_of
from pbem.base.resources import data_dir
from pbem.base.sentences import command, filled, sentence, typed
from pbem.cli import app
from pbem.player.letters.rendering import Style, environment

SOURCES = Path(pbem.__file__).parent
NAMES = "|".join(app.command().list_commands(None))
COMMAND = re.compile(rf"\bpbem (?:{NAMES})\b")
HOSTILE = {
    "backticks": "`touch pwned`@evil.test",
    "substitution": "$(touch pwned)",
    "variable": "$HOME",
    "semicolon": "x; touch pwned",
    "pipe": "x|touch pwned|x@evil.test",
    "ampersand": "x&touch pwned&x@evil.test",
    "redirection": "x>pwned",
    "single quote": "x'; touch pwned; '",
    "double quote": 'x"; touch pwned; "',
    "backslash": "x\\",
    "newline": "x\ntouch pwned\n",
    "carriage return": "x\rtouch pwned\r",
    "escape": "x\x1b[201~touch pwned\n",
    "bidi": "\u202etset.live@nuf",
    "glob": "*",
    "brace": "{a,b}",
    "home": "~root",
    "equals": "=ls",
    "comment": "#x",
    "history": "x!!",
    "empty": "",
    "honest blank": "Wild West",
    "honest": "anna@example.org",
}


def texts() -> Iterator[tuple[str, str]]:
    """Every text of the sources that is not a docstring, and every translated one of the program's own words."""
    for path in sorted(SOURCES.glob("**/*.py")):
        if "node_modules" in path.parts:
            continue
        tree = ast.parse(path.read_text("utf-8"))
        inside = {
            id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values
        }
        inside |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
                yield f"{path.name}:{node.lineno}", node.value
    for path in sorted(data_dir("templates").glob("*.json")):
        for number, text in enumerate(re.findall(r'"((?:[^"\\]|\\.)*)"', path.read_text("utf-8"))):
            yield f"{path.name} {number}", text.replace("\\n", "\n")


def clauses(message: str) -> Iterator[str]:
    """The beginning of ``message`` up to the last value of each command in it."""
    for match in COMMAND.finditer(message):
        line = message[match.start() :].partition("\n")[0]
        clause = re.split(r"(?<=[^.])[.,:;)'](?= |$)", line)[0]
        if "{" in clause:
            yield message[: match.start() + clause.rindex("}") + 1]


def members() -> dict[str, str]:
    """Every message with a value in a command, by where it stands."""
    marked = {where: text for where, text in texts() if any(clauses(text))}
    for lang in CODES[1:]:
        language = language_of(lang)
        marked |= {
            f"{where} {lang}": language.gettext(text) for where, text in marked.items() if " " not in where
        }
    return marked


MEMBERS = members()


def run(lines: list[str], folder: Path) -> list[list[str]]:
    """What a shell makes of each line; ``pbem`` is a function that prints its words."""
    shell = shutil.which("bash")
    assert shell, "these tests need bash"
    script = "set +H\npbem() { printf '%s\\0' \"$@\"; printf '\\1'; }\n" + "\n".join(lines) + "\n"
    done = subprocess.run(
        [shell, "--norc", "--noprofile"], input=script.encode(), capture_output=True, cwd=folder, check=True
    )
    assert not done.stderr, done.stderr.decode()
    return [part.decode().split("\0")[:-1] for part in done.stdout.split(b"\1")[:-1]]


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_value_is_one_word_of_every_command(kind: str, tmp_path: Path) -> None:
    hostile = HOSTILE[kind]
    assert len(MEMBERS) >= 40
    lines, expected = [], []
    for message in MEMBERS.values():
        for clause in clauses(message):
            names = [name for _, name, _, _ in string.Formatter().parse(clause) if name]
            text = filled(clause, dict.fromkeys(names, hostile))
            begin = clause[clause.rindex("pbem ") :]
            line = text[text.rindex(begin.partition("{")[0]) :] if begin.index("{") > 5 else text
            assert "\n" not in line, clause
            lines.append(line)
            expected.append([word.format_map(dict.fromkeys(names, hostile)) for word in begin.split()[1:]])
    assert run(lines, tmp_path) == expected
    assert not list(tmp_path.iterdir()), "a stranger's command was run"


def test_no_command_with_a_value_stands_in_quotes() -> None:
    """Whoever copies the quotes as well would open what the value's own quotes close."""
    quoted = re.compile(r"""['"`]pbem [^'"`]*\{""")
    assert [where for where, text in MEMBERS.items() if quoted.search(text)] == []


def test_what_begins_with_a_hyphen_is_no_option(tmp_path: Path) -> None:
    assert sentence("pbem play {folder}", folder=Path("-o")) == "pbem play ./-o"
    assert run([command("pbem show {x} {y}", x="--home=/", y="-x@evil.test")], tmp_path) == [
        ["show", "./--home=/", "./-x@evil.test"]
    ]
    assert typed(typed("a b"), "--x") == "'a b' ./--x"


def _is_typed(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("typed", "command")
    )


def test_no_command_is_put_together_in_another_way() -> None:
    """The versions of pbem in two lines, and the match in subjects (``[pbem 7q3kdw1x]``), are no commands."""
    odd = []
    for path in sorted(SOURCES.glob("**/*.py")):
        if "node_modules" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.JoinedStr):
                text = "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)  # type: ignore[misc]
                behind = re.search(rf"{COMMAND.pattern}.*\{{", text)
                values = [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
                if behind and not all(map(_is_typed, values)):
                    odd.append(f"{path.name}:{node.lineno} {text}")
            elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mod)):
                left = node.left
                if (
                    isinstance(left, ast.Constant)
                    and isinstance(left.value, str)
                    and COMMAND.search(left.value)
                ):
                    odd.append(f"{path.name}:{node.lineno}")
    assert odd == []


def _typed_in_template(node: nodes.Expr) -> bool:
    if isinstance(node, nodes.Const):
        return True
    if isinstance(node, nodes.CondExpr):
        return _typed_in_template(node.expr1) and (node.expr2 is None or _typed_in_template(node.expr2))
    if isinstance(node, nodes.Concat):
        return all(map(_typed_in_template, node.nodes))
    if isinstance(node, nodes.Filter):
        names = {each.name for each in node.find_all(nodes.Filter)} | {node.name}
        typed_each = any(
            arg == nodes.Const("typed") for each in [node, *node.find_all(nodes.Filter)] for arg in each.args
        )
        return "typed" in names or typed_each
    return False


def test_templates_put_only_typed_words_into_commands() -> None:
    env, commands = environment(Style.TEXT), []
    for path in sorted(data_dir("templates").glob("**/*.jinja")):
        name = str(path.relative_to(data_dir("templates")))
        for node in env.parse(path.read_text("utf-8")).find_all((nodes.Concat, nodes.Output)):
            if isinstance(node, nodes.Concat):
                first = node.nodes[0]
                if isinstance(first, nodes.Const) and COMMAND.search(str(first.value)):
                    commands.append((f"{name}:{node.lineno}", all(map(_typed_in_template, node.nodes))))
                continue
            command_open = False
            for part in cast(nodes.Output, node).nodes:
                if isinstance(part, nodes.TemplateData):
                    line = part.data.rpartition("\n")[2]
                    command_open = bool(COMMAND.search(line)) or (command_open and "\n" not in part.data)
                    command_open = command_open and "#" not in line  # a comment for people
                elif command_open:
                    commands.append((f"{name}:{node.lineno}", _typed_in_template(part)))
    assert len(commands) >= 8
    assert [where for where, good in commands if not good] == []
