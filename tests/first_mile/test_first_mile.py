"""What newcomers met stays mended: every row of the page that needs no terminal, browser or process of its own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.first_mile import looks
from tests.first_mile.rows import ROWS
from tests.first_mile.stage import ROOT, Stage
from tests.mail.stack import require
from tests.plain import plain_pictures as plain_pictures


def test_each_row_shows_what_it_is_there_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBEM_LANG", "en")
    stage = Stage(tmp_path)
    for row in ROWS:
        if not row.dear:
            row.made(stage)


def test_play_asks_again_after_a_wrong_passphrase(tmp_path: Path) -> None:
    require("" if shutil.which("tmux") else "tmux is not installed")
    first, then = looks.unlocking(Stage(tmp_path))
    assert "that is not the passphrase of anna; capitals count" in first.printed
    assert "Your turn to" in then.printed


def test_the_page_has_every_row() -> None:
    text = (ROOT / "examples" / "first-mile.md").read_text(encoding="utf-8")
    heads = [line for line in text.splitlines() if line.startswith("## ")]
    assert heads == [f"## {row.number}. Was: {row.met}" for row in ROWS]
    assert [row.number for row in ROWS] == list(range(1, 24))
