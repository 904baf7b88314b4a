"""What a person types is taken in any case."""

from __future__ import annotations

import pytest

from pbem.games import find_game
from pbem.player.seat import parse_actions
from pbem.player.seat.orders import rule_from_words


@pytest.mark.parametrize(
    "typed",
    [["Discard", "Belle-Starr"], ["DISCARD belle-starr"], ["Draw", "Supply", "+", "discard", "BELLE-STARR"]],
)
def test_an_action_is_taken_in_any_case(typed: list[str]) -> None:
    assert parse_actions(find_game("wyatt-earp"), typed)[-1] == {"do": "discard", "card": "belle-starr"}


def test_so_are_towns_and_orders() -> None:
    west, earp = find_game("way-out-west"), find_game("wyatt-earp")
    assert parse_actions(west, ["Build Bank San-Antonia"]) == [
        {"do": "build", "asset": "bank", "town": "san-antonia"}
    ]
    rule = rule_from_words(earp, "When React do Wyatt-Earp if Reward at least 5000", None)
    assert rule == {
        "when": "react",
        "if": {"reward_at_least": 5000},
        "do": {"do": "react", "with": "wyatt-earp"},
    }
