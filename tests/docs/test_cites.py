"""What a comment cites is in the repository: a section of ``schemas/README.md`` that exists, an RFC, the rules."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEADINGS = frozenset(
    re.findall(
        r"^#{2,3} (\d+(?:\.\d+)?) ", (ROOT / "schemas/README.md").read_text(encoding="utf-8"), re.MULTILINE
    )
)
FOLDERS = (
    "pbem",
    "tests",
    "schemas",
    "templates",
    "examples/verifier/*.mjs",
    "pyproject.toml",
    ":!templates/fonts",
)
"""Left out are widths of characters, which are no text."""
KINDS = frozenset({".py", ".json", ".jinja", ".toml", ".mjs", ".css"})

LIST = r"§\d+(?:\.\d+)*(?:(?:,| and)\s+§\d+(?:\.\d+)*)*"
OURS = re.compile(rf"schemas/README\.md(?:``)?\s+({LIST})")
"""A cite of the format: one section, or several with commas."""
OTHERS = re.compile(rf"(?:RFC \d+|\brules)\s+{LIST}")
"""What everybody can look up: an RFC, and the rules of the game on paper."""
GONE = re.compile(
    r"\b[Pp]rotocol\s+\(?(?:§|\d)|[Aa]ctions-and-scenarios|\bDESIGN\b|\(issue\b|\b[Ii]ssue (?:text\b|\d)"
    r"|\brules section \d|\(rules \d+\)|email research|\b[Ss]pec[,.]? §|\(spec,"
)
"""Texts that a reader of this repository does not have."""


def faults_of(text: str) -> Iterator[str]:
    """Every cite in ``text`` that leads nowhere."""
    yield from (f"{match.group()!r} is no text of this repository" for match in GONE.finditer(text))
    for match in OURS.finditer(text):
        for section in re.findall(r"§([\d.]+)", match.group(1)):
            if section not in HEADINGS:
                yield f"schemas/README.md has no section {section}"
    for match in re.finditer(r"§\S*", OTHERS.sub("", OURS.sub("", text))):
        yield f"{match.group()!r} does not say of which text"


def files() -> list[Path]:
    """The files of the project that hold comments; not this one, which names what it forbids."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", *FOLDERS], capture_output=True, check=True, cwd=ROOT
    ).stdout.decode()
    paths = (ROOT / name for name in listed.split("\0") if name and not name.startswith("templates/fonts/"))
    return [path for path in paths if path.suffix in KINDS and path.exists() and path != Path(__file__)]


@pytest.mark.parametrize(
    "text",
    [
        *(f"({text} §4.1)" for text in ("protocol", "Protocol", "DESIGN", "spec")), "of protocol\n4.8",
        *(f"({text} 4)" for text in ("actions-and-scenarios", "issue")),
        "rules section 17", "(rules 17)",
        "(§4.2)", "schemas/README.md §99", "schemas/README.md §3, §10.77", "schemas §5",
    ],
)  # fmt: skip
def test_a_cite_that_leads_nowhere_is_found(text: str) -> None:
    assert list(faults_of(text))


def test_every_cite_leads_somewhere() -> None:
    """An RFC, the rules, or a heading of ``schemas/README.md``."""
    texts = {path: path.read_text(encoding="utf-8") for path in files()}
    assert sum(len(OURS.findall(text)) for text in texts.values()) > 100
    faults = [
        f"{path.relative_to(ROOT)}: {fault}" for path, text in texts.items() for fault in faults_of(text)
    ]
    assert not faults, "\n".join(faults)
