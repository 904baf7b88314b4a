"""The page of ten emails of each game shows what its folder keeps: pairs of pictures, subjects of today's length."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from PIL import Image

from tests.letters.ten import GAMES, GAP, WIDTH, page_of
from tests.service.screenshots import LETTERS

FOLDER: Final = Path(__file__).parents[2] / "examples/letters/ten"
MOST_BYTES: Final = 1_500_000


def test_every_pair_is_on_the_page_and_as_wide_as_two_phones() -> None:
    subjects: dict[str, list[str]] = json.loads((FOLDER / "subjects.json").read_text(encoding="utf-8"))
    pictures = sorted(FOLDER.glob("*.webp"))
    assert sorted(subjects) == [path.name for path in pictures]
    assert all(sum(name.startswith(game) for name in subjects) == 10 for game in GAMES)
    for path in pictures:
        with Image.open(path) as picture:
            assert picture.width == 2 * WIDTH + GAP
    assert sum(path.stat().st_size for path in pictures) < MOST_BYTES
    assert (FOLDER / "README.md").read_text(encoding="utf-8") == page_of(subjects)
    assert max(len(now) for _, now in subjects.values()) <= 60


def test_the_emails_that_are_photographed_are_found_by_todays_subject() -> None:
    subjects: dict[str, list[str]] = json.loads((FOLDER / "subjects.json").read_text(encoding="utf-8"))
    for wanted in LETTERS:
        before, now = subjects[f"{wanted.game}-your-turn.webp"]
        assert wanted.fits(now)
        assert not wanted.fits(before)
