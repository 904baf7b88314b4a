"""What the client says of actions, and that it says nothing it cannot know."""

from __future__ import annotations

import random
from typing import Any

import pytest

from pbem.game import AnyRules, JsonObject, Seat, Setup
from pbem.games import find_game
from pbem.player.play.history import Drawing
from pbem.player.play.menu import Menu
from pbem.player.play.phrases import Phrases
from pbem.player.play.trial import Trial
from tests.play.test_offers import many, trial_at

NAMES = {Seat(seat): seat.title() for seat in ("anna", "burt", "curt", "dora", "emil")}


def rules_of(game: str, seats: int = 3, **options: Any) -> AnyRules:
    entry = find_game(game)
    names = tuple(NAMES)[:seats]
    return entry.rules(Setup(names, entry.resolve_options("default", options), entry.default_extra(names)))


def at(rules: AnyRules, position: JsonObject, seat: str = "anna") -> tuple[Trial, Phrases]:
    state = rules.position_from_json(position)
    game = find_game("wyatt-earp" if "hands" in position else "way-out-west")
    trial = Trial(rules, Seat(seat), rules.observe(state, Seat(seat)))
    return trial, Phrases(game, rules.setup, Seat(seat), NAMES)


PLAY: JsonObject = {
    "active": "anna",
    "phase": "play",
    "hands": {"anna": ["jesse-james"] * 3 + ["bank-robbery", "hideout"], "burt": 4, "curt": 4},
    "supply": 20,
    "territories": {
        "anna": {"bob-dalton": {"outlaws": 3}},
        "burt": {"bob-dalton": {"outlaws": 1}, "wes-hardin": {"outlaws": 3}},
    },
}


def described(trial: Trial, phrases: Phrases, action: JsonObject) -> str:
    return f"{phrases.label(action)}: {phrases.effect(trial, action)}"


def test_a_lay_names_the_poster_the_opening_and_the_points() -> None:
    trial, phrases = at(rules_of("wyatt-earp"), PLAY)
    lay = {"do": "lay", "outlaw": "jesse-james", "count": 3}
    assert described(trial, phrases, lay) == (
        "Lay 3 Jesse James: poster +$2,000, opens the group, your capture points 0 → 6"
    )


def test_a_discard_says_who_is_next() -> None:
    trial, phrases = at(rules_of("wyatt-earp"), PLAY)
    discard = {"do": "discard", "card": "hideout"}
    assert described(trial, phrases, discard) == "Discard Hideout: ends your turn, Burt is next"


def test_where_a_shot_follows_the_shot_decides() -> None:
    trial, phrases = at(rules_of("wyatt-earp"), PLAY)
    assert described(trial, phrases, {"do": "bank-robbery"}) == (
        "Bank robbery: a shot decides: 49 of the 78 cards hit"
    )
    rules = rules_of("wyatt-earp")
    counted = Phrases(find_game("wyatt-earp"), rules.setup, Seat("anna"), NAMES, odds=(38, 60))
    assert described(trial, counted, {"do": "bank-robbery"}) == (
        "Bank robbery: a shot decides: 38 of the 60 cards that you have not seen hit"
    )
    hide = {"do": "hideout", "on": "wes-hardin", "seat": "burt"}
    assert described(trial, phrases, hide) == (
        "Hideout on Wes Hardin of Burt: a shot decides: 49 of the 78 cards hit; then its owner may answer"
    )


def test_the_last_card_ends_the_hand_and_says_who_is_paid() -> None:
    position = PLAY | {"hands": {"anna": ["hideout"], "burt": 4, "curt": 4}, "posters": {"wes-hardin": 3000}}
    position |= {"territories": {"burt": {"wes-hardin": {"outlaws": 4}}}}
    trial, phrases = at(rules_of("wyatt-earp"), position)
    discard = {"do": "discard", "card": "hideout"}
    assert described(trial, phrases, discard) == "Discard Hideout: ends the hand: Burt $3,000"


def test_a_building_shows_its_price_income_points_and_control() -> None:
    position: JsonObject = {
        "phase": "actions",
        "active": "anna",
        "cash": {"anna": 20, "burt": 5, "curt": 5},
        "towns": {"abilene": {"cattle": {"burt": 2}, "assets": {"jail": "burt"}, "cowboys": {"anna": 1}}},
    }
    trial, phrases = at(rules_of("way-out-west"), position)
    store = {"do": "build", "asset": "store", "town": "abilene"}
    assert described(trial, phrases, store) == (
        "Build a store in Abilene: costs $5, $15 left, income +$2, points +2"
    )


def test_a_gunfight_shows_the_strengths_and_leaves_the_rest_to_the_dice() -> None:
    position: JsonObject = {
        "phase": "actions",
        "active": "anna",
        "towns": {"abilene": {"cowboys": {"anna": 3, "burt": 1}, "assets": {"store": "burt"}}},
    }
    trial, phrases = at(rules_of("way-out-west"), position)
    fight = {"do": "gunfight", "town": "abilene", "target": {"asset": "store"}}
    text = described(trial, phrases, fight)
    assert text.startswith("Gunfight in Abilene for the store: 3 against ")
    assert text.endswith(("dice decide: 1 in 3 hits", "Burt answers first"))
    plan = fight | {"plan": {"retreat_below": 2, "to": ["deadwood"]}}
    assert phrases.label(plan) == "Gunfight in Abilene for the store, retreat below 2 to Deadwood"


@pytest.mark.parametrize(
    ("game", "seats", "count"), [("wyatt-earp", 3, 250), ("way-out-west", 4, 150)], ids=["earp", "west"]
)
def test_every_choice_has_a_name_and_a_consequence(game: str, seats: int, count: int) -> None:
    rng = random.Random(3)
    for table, seat in many(game, seats, "default", {}, count):
        trial = trial_at(table, seat)
        phrases = Phrases(find_game(game), table.rules.setup, seat, NAMES)
        actions = phrases.ordered(trial.options)
        assert {str(action) for action in actions} == {str(option) for option in trial.options}
        labels = [phrases.label(action) for action in actions[:60]]
        assert all(labels)
        assert len(set(labels)) == len(labels)
        for entry in Menu(actions).entries:
            assert phrases.entry(entry, "")
        for action in rng.sample(actions, min(6, len(actions))):
            for offered in [action, *trial.extras(action)[:3]]:
                assert phrases.label(offered)
                effect = phrases.effect(trial, offered)
                assert effect or action["do"] in SILENT, action
                phrases.question(offered)
                assert phrases.enough(offered)


SILENT = ("pass", "place-cowboy", "bid", "react", "move-cowboys", "move-cattle", "choose", "cowboys", "retreat",
          "farmer", "leave-town", "ask-sheriff", "lend-sheriff")  # fmt: skip
"""Kinds that may change nothing worth showing."""


def test_what_is_shown_before_a_look_does_not_depend_on_what_is_hidden() -> None:
    for table, seat in many("wyatt-earp", 3, "default", {}, 120):
        trial = trial_at(table, seat)
        phrases = Phrases(find_game("wyatt-earp"), table.rules.setup, seat, NAMES)
        worlds = table.rules.worlds(trial.view)[:6]  # type: ignore[attr-defined]
        for action in trial.options:
            parsed = table.rules.action_from_json(action)
            if not any(trial.reveals(table.rules.apply(world, parsed)) for world in worlds):
                continue
            first = phrases.effect(trial, action)
            for world in worlds:
                other = Trial(table.rules, seat, trial.view, (), (world,))
                assert phrases.effect(other, action) == first


@pytest.mark.parametrize(("game", "most"), [("wyatt-earp", 4), ("way-out-west", 5)])
@pytest.mark.parametrize("width", [78, 56])
def test_a_compact_view_fits_its_width_and_is_short(game: str, most: int, width: int) -> None:
    for table, seat in many(game, most, "default", {}, 60)[::3]:
        drawing = Drawing(find_game(game).info, table.rules, NAMES, seat)
        view = table.rules.view_to_json(table.rules.observe(table.state, seat))
        lines = plain(drawing.compact_view(view, width)).splitlines()
        assert max(map(len, lines)) <= width
        assert "…" not in "".join(lines)
        assert all(" the Kid" in line for line in lines if "Billy" in line)  # names are never broken
        if width >= 78:
            assert len(lines) <= 18


def plain(text: str) -> str:
    from rich.text import Text

    return Text.from_ansi(text).plain
