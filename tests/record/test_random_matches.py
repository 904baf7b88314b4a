"""Random complete matches through real files (``python -m tests.record.random_matches`` plays a thousand)."""

from __future__ import annotations

import pytest

from tests.record.random_matches import random_match, replayed


@pytest.mark.slow
@pytest.mark.parametrize("number", range(12))
def test_a_random_match_ends_adds_up_and_replays(number: int) -> None:
    """Every player number with every profile; checked after every record."""
    world = random_match(number)
    assert world.record.over
    replayed(world)
