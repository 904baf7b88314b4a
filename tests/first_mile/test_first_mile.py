"""What newcomers met stays fixed: every row of the page that needs no terminal, browser or process of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.first_mile import evening_again, looks
from tests.first_mile.rows import ROWS, Row
from tests.first_mile.stage import ROOT, Stage
from tests.needed import program
from tests.plain import plain_pictures as plain_pictures


def test_each_row_shows_what_it_is_there_for(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    for row in ROWS:
        if not row.slow:
            row.show(stage)


def test_play_asks_again_after_a_wrong_passphrase(tmp_path: Path) -> None:
    program("tmux")
    first, then = looks.unlocking(Stage(tmp_path))
    assert "that is not the passphrase of anna; capitals count" in first.printed
    assert "Your turn to" in then.printed


@pytest.mark.parametrize(
    ("page", "rows", "count"), [("first-mile.md", ROWS, 23), ("ten-points.md", evening_again.ROWS, 10)]
)
def test_the_page_has_every_row(page: str, rows: Sequence[Row], count: int) -> None:
    text = (ROOT / "examples" / page).read_text(encoding="utf-8")
    heads = [line for line in text.splitlines() if line.startswith("## ")]
    assert heads == [f"## {row.number}. Was: {row.met}" for row in rows]
    assert [row.number for row in rows] == list(range(1, count + 1))
    for row in rows:
        shown = text.split(f"\n## {row.number}. ")[1].split("\n## ")[0].partition("\n")[2]
        assert not any(words in shown for words in row.never), row.number
