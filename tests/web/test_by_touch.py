"""A hand and a game turn by touch alone; whole matches: ``python -m tests.web --touch``."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.protocol.audit import audit
from tests.web.by_touch import SIZES, by_touch

ONE_TOUCH = {"wyatt-earp": ("draw", "discard"), "way-out-west": ("place-cowboy", "pass")}


@pytest.mark.parametrize(("game", "size"), [("wyatt-earp", SIZES[0]), ("way-out-west", SIZES[1])])
def test_a_hand_and_a_game_turn_by_touch_alone_from_the_link_on(
    browser: Any, served: str, game: str, size: tuple[int, int]
) -> None:
    finger = by_touch(browser, served, game, size, until="part")
    assert finger.friends.closed
    assert audit(finger.friends.world.lines).ok
    assert finger.endings  # who won what is a screen of its own
    assert "Anna" in finger.endings[0]
    fewest = {kind: min(finger.taps[kind]) for kind in ONE_TOUCH[game] if kind in finger.taps}
    assert fewest or game != "wyatt-earp"  # nobody must place a cowboy or pass
    assert set(fewest.values()) <= {2}  # one touch and a yes
