"""Rows that are about the seats as such."""

from __future__ import annotations

import pytest

from pbem.game import BadSetup, JsonObject, Seat, Setup
from pbem.games import find_game
from pbem.protocol.scenario import run_scenario

NAMES = tuple(map(Seat, ("anna", "burt", "curt", "dora", "emil", "fritz")))


@pytest.mark.parametrize(("game_id", "fitting"), [("wyatt-earp", {2, 3, 4}), ("way-out-west", {3, 4, 5})])
def test_a_match_has_as_many_seats_as_the_game_allows(game_id: str, fitting: set[int]) -> None:
    """Rows (wyatt-earp): A1. Rows (way-out-west): A1."""
    game = find_game(game_id)
    assert set(game.info.seats) == fitting
    for count in range(1, 7):
        seats = NAMES[:count]
        setup = Setup(seats, game.resolve_options("default", {}), game.default_extra(seats))
        if count in fitting:
            assert game.rules(setup).setup.seats == seats
        else:
            with pytest.raises(BadSetup):
                game.rules(setup)


@pytest.mark.parametrize("turned", [0, 1, 2])
def test_no_seat_is_the_banker(turned: int) -> None:
    """Whoever sits where, the same hand pays the same to the same roles.

    Rows (wyatt-earp): B9.
    """
    first, two, three = names = (*NAMES[turned:3], *NAMES[:turned])
    groups: JsonObject = {first: 2, two: 2, three: 1}
    scenario: JsonObject = {
        "pbem": "scenario/1",
        "game": "wyatt-earp",
        "seats": list(names),
        "position": {
            "active": first,
            "phase": "play",
            "posters": {"jesse-james": 6000},
            "hands": {first: ["hideout"], two: 1, three: 1},
            "territories": {seat: {"jesse-james": {"outlaws": count}} for seat, count in groups.items()},
        },
        "steps": [
            {
                "seat": first,
                "action": {"do": "discard", "card": "hideout"},
                "expect": {
                    "position": {
                        "money": {first: 2000, two: 2000, three: 1000},
                        "posters": {"jesse-james": 1000},
                    }
                },
            }
        ],
    }
    assert run_scenario(scenario).line() == "ok   scenario"
