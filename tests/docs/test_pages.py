"""The pages promise only what is there: every command in them parses, every link leads somewhere, headings too."""

from __future__ import annotations

import re
import shlex
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pbem.cli.app import command
from tests.docs.markdown import anchors, blocks, links, spans

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
WITH_COMMANDS = (
    "README.md",
    "CONTRIBUTING.md",
    *(f"examples/{name}.md" for name in ("play", "host", "audit", "cheats")),
)


@cache
def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def pages() -> list[str]:
    """Every page of the repository that git knows, or will know."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "*.md"],
        cwd=ROOT, capture_output=True, check=True,
    ).stdout.decode()  # fmt: skip
    return sorted(name for name in listed.split("\0") if name and (ROOT / name).exists())


def shown() -> list[tuple[str, str]]:
    """Every line of a code block that begins with ``pbem``, with its page."""
    return [
        (page, line)
        for page in WITH_COMMANDS
        for block in blocks(text_of(page))
        for line in block.splitlines()
        if line.startswith("pbem ")
    ]


def named() -> list[tuple[str, str]]:
    """Every ``pbem …`` within a sentence."""
    return sorted(
        {(page, span) for page in WITH_COMMANDS for span in spans(text_of(page)) if span.startswith("pbem ")}
    )


def resolve(line: str) -> tuple[Any, list[str]]:
    """The command that a line names, as Typer has it, and what the line gives to it; ``[…]`` may be left out."""
    words = shlex.split(re.sub(r"\[(--[^\]]*)\]", r"\1", line), comments=True)[1:]
    node = command()
    while words and words[0] in getattr(node, "commands", {}):
        node = node.commands[words.pop(0)]
    return node, words


def test_the_readme_is_short_in_short_sentences_and_shows_an_email_and_a_screen() -> None:
    """350 words beside code, tables and pictures; no sentence has more than 25."""
    prose = re.sub(r"```.*?```|^\|.*$|^!\[.*$|\]\([^)]*\)", "", README, flags=re.DOTALL | re.MULTILINE)
    assert len(prose.split()) <= 370
    sentences = re.split(r"[.:;]\s|\n\s*\n|\n[*#0-9]", prose)
    assert max(len(sentence.split()) for sentence in sentences) <= 25
    assert README.count("![") == 2


def test_there_are_commands_in_the_pages() -> None:
    assert len(shown()) >= 50
    assert len(named()) >= 30


@pytest.mark.parametrize(("page", "line"), shown())
def test_a_command_of_a_page_parses(page: str, line: str) -> None:
    parsed, words = resolve(line)
    parsed.make_context(line, words)  # raises for an unknown option, a value that is none, a word too many


@pytest.mark.parametrize(("page", "span"), named())
def test_a_command_within_a_sentence_is_there_with_its_options(page: str, span: str) -> None:
    parsed, words = resolve(span)
    known = {name for parameter in parsed.params for name in (*parameter.opts, *parameter.secondary_opts)}
    if hasattr(parsed, "commands"):
        assert not [word for word in words if not word.startswith("-")], f"{page}: {span}"
    assert {word for word in words if word.startswith("-")} <= {*known, "--help", "-h"}, f"{page}: {span}"


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_what_make_is_given_is_a_target(page: str) -> None:
    makefile = text_of("Makefile")
    matches = re.findall(r"^make (\w+)", text_of(page), re.MULTILINE)
    assert matches
    for target in matches:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_the_readmes_two_commands_begin_from_nothing() -> None:
    """``demo`` and ``test`` make the environment that they need, so nothing else has to be typed before."""
    assert re.findall(r"^make (\w+)", README, re.MULTILINE) == ["demo", "test"]
    makefile = text_of("Makefile")
    for target, stamp in (("demo", "$(VENV)/.runs"), ("test", "$(STAMP)")):
        assert re.search(rf"^{target}:.*{re.escape(stamp)}", makefile, re.MULTILINE), target


def test_no_link_of_any_page_is_dead() -> None:
    faults = []
    for page in pages():
        for link in links(text_of(page)):
            target, _, anchor = link.partition("#")
            path = (ROOT / page).parent / target if target else ROOT / page
            if "://" in link or link.startswith("mailto:"):
                continue
            if not path.exists():
                faults.append(f"{page}: {link}")
            elif anchor and path.suffix == ".md" and anchor not in anchors(path.read_text(encoding="utf-8")):
                faults.append(f"{page}: {link}: no such heading")
    assert not faults, "\n".join(faults)


def test_every_page_of_the_examples_is_in_their_list() -> None:
    listed = {
        (ROOT / "examples" / link.partition("#")[0]).resolve()
        for link in links(text_of("examples/README.md"))
    }
    existing = {
        (ROOT / page).resolve()
        for page in pages()
        if re.fullmatch(r"examples/([\w-]+/README|[\w-]+)\.md", page)
    }
    assert existing - listed == {(ROOT / "examples/README.md").resolve()}
