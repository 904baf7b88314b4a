"""What every game did yesterday it does today: playthroughs and perft counts are as they were written."""

from __future__ import annotations

import difflib

import pytest

from tests.conformance.driver import Case
from tests.playthroughs import perft, transcript
from tests.toy import REGISTRY

GAME_IDS = [game.info.id for game in REGISTRY]


@pytest.mark.parametrize("case", transcript.cases(), ids=str)
def test_a_playthrough_is_line_for_line_as_it_was_kept(case: Case) -> None:
    path = transcript.path_of(case)
    assert path.exists(), f"{path.name} is missing: python -m tests.playthroughs"
    kept = path.read_text(encoding="utf-8").splitlines()
    played = transcript.transcript(case).splitlines()
    changed = list(difflib.unified_diff(kept, played, "kept", "played", n=1, lineterm=""))
    assert not changed, "\n".join(changed[:20])


@pytest.mark.parametrize("case", transcript.cases(), ids=str)
def test_a_playthrough_is_long_enough_to_show_something(case: Case) -> None:
    text = transcript.transcript(case)
    assert text.count("   views ") >= 15
    assert text == transcript.transcript(case)


@pytest.mark.parametrize("game_id", GAME_IDS)
def test_perft_counts_are_as_they_were_kept(game_id: str) -> None:
    path = perft.path_of(game_id)
    assert path.exists(), f"{path.name} is missing: no fixed position of this game is counted"
    kept = perft.blocks(path.read_text(encoding="utf-8"))
    assert len(kept) >= 3
    for block in kept:
        assert len(block.counts) >= 2
        for depth, count in block.counts.items():
            assert perft.counted(game_id, block, depth) == count, (block.title, depth)


@pytest.mark.parametrize("game_id", GAME_IDS)
def test_a_perft_block_survives_its_text(game_id: str) -> None:
    for block in perft.blocks(perft.path_of(game_id).read_text(encoding="utf-8")):
        assert perft.blocks(block.text()) == [block]
