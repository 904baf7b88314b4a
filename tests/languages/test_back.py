"""What translating back has changed is in the catalogues, and the command that draws sentences shows no English."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.languages import back
from tests.languages.catalogues import LANGUAGES, catalogue, spaced

KEPT = json.loads(Path(back.__file__).with_suffix(".json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("code", LANGUAGES)
def test_what_translating_a_hundred_sentences_back_changed_is_kept(code: str) -> None:
    rows = [row for row in KEPT if row["language"] == code]
    assert len(rows) == back.COUNT
    assert all(row["back"] for row in rows)
    changed = [row for row in rows if "now" in row]
    assert changed
    assert all(row["why"] and row["now"] != row["drawn"] for row in changed)
    now = {back.english(message): back.shown(message) for message in catalogue(code) if message.id}
    assert sum(row["english"] in now for row in rows) >= back.COUNT * 0.95, (
        "replace rows whose sentence is gone"
    )
    undone = [
        row["english"]
        for row in changed
        if now.get(row["english"], row["drawn"]) == row["drawn"] != spaced(code, row["now"])
        and row["english"] in now
    ]
    assert not undone


def test_the_sentences_are_shown_without_their_english_and_others_in_each_language(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["back", "--seed", "32", "--language", "it"])
    back.main()
    lines = capsys.readouterr().out.splitlines()
    drawn = back.drawn("it", 32)
    assert lines == [f"{n} {' '.join(back.shown(message).split())}" for n, message in enumerate(drawn, 1)]
    assert {back.english(message) for message in drawn} != {
        back.english(message) for message in back.drawn("de", 32)
    }
