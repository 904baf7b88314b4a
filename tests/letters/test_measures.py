"""How much stands in the text of an email that asks for a turn before one knows what to do, and in all."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden"
ASKS = [
    path
    for kind in ("asked", "accepted", "hand_end")
    for path in sorted(GOLDEN.glob(f"*_{kind}.txt"))
    if path.read_text(encoding="utf-8").startswith("Subject: Your turn: ")
]
MOST = {"earp": 436 // 2, "west": 586 // 2}
"""Words beside table and events: half of what stood in an email before they were written anew."""
_EVENTS = re.compile(r"^WHAT HAPPENED\n.*?(?=^[A-Z][A-Z, 0-9]+$)", re.MULTILINE | re.DOTALL)
_COLUMNS = re.compile(r"^\S.*\S {2,}\S", re.MULTILINE)
"""A line of a table, in a paragraph that is then one."""


def _body(path: Path) -> list[str]:
    """The lines of the text part, behind subject and attachments."""
    head, _, body = path.read_text(encoding="utf-8").partition("\n\n")
    assert head.startswith("Subject: ")
    return body.splitlines()


@pytest.mark.parametrize("path", ASKS, ids=lambda path: path.stem)
def test_what_to_do_and_how_to_answer_come_first(path: Path) -> None:
    lines = _body(path)
    todo = next(at for at, line in enumerate(lines) if line.startswith("Your turn to "))
    way = next(at for at, line in enumerate(lines) if line.strip() == "pbem play")
    assert todo <= 4
    assert way <= 14


def test_there_are_such_emails_of_both_games() -> None:
    assert {path.stem.partition("_")[0] for path in ASKS} == set(MOST)
    assert len(ASKS) >= 4


@pytest.mark.parametrize("path", ASKS, ids=lambda path: path.stem)
def test_what_is_neither_table_nor_event_is_short(path: Path) -> None:
    beside = _EVENTS.sub("", "\n".join(_body(path)))
    words = sum(len(part.split()) for part in re.split(r"\n\n+", beside) if not _COLUMNS.search(part))
    assert 20 < words <= MOST[path.stem.partition("_")[0]], words
