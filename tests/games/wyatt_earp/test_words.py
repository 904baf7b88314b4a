"""Actions as a person types them."""

from __future__ import annotations

import pytest

from pbem.game import JsonObject, MalformedAction
from pbem.games.wyatt_earp import GAME
from pbem.games.wyatt_earp.words import FORMS
from tests.games.wyatt_earp.refusing import targeted, universe
from tests.games.wyatt_earp.table import rules_for

JESSE = "jesse-james"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("draw supply", {"do": "draw", "from": "supply"}),
        ("lay 3 jesse-james", {"do": "lay", "outlaw": JESSE, "count": 3}),
        ("photo jesse-james", {"do": "photo", "outlaw": JESSE}),
        ("bank-robbery", {"do": "bank-robbery"}),
        ("bank-robbery on jesse-james", {"do": "bank-robbery", "on": JESSE}),
        ("fastest-gun on jesse-james", {"do": "fastest-gun", "on": JESSE}),
        ("most-wanted ask jesse-james", {"do": "most-wanted", "ask": JESSE, "direction": "clockwise"}),
        (
            "most-wanted ask jesse-james counterclockwise",
            {"do": "most-wanted", "ask": JESSE, "direction": "counterclockwise"},
        ),
        (
            "most-wanted ask jesse-james clockwise order curt burt",
            {"do": "most-wanted", "ask": JESSE, "direction": "clockwise", "order": ["curt", "burt"]},
        ),
        ("most-wanted steal", {"do": "most-wanted", "steal": True}),
        (
            "most-wanted steal jesse-james from burt",
            {"do": "most-wanted", "steal": True, "outlaw": JESSE, "seat": "burt"},
        ),
        ("hideout on jesse-james of burt", {"do": "hideout", "on": JESSE, "seat": "burt"}),
        ("wyatt-earp draw", {"do": "wyatt-earp", "mode": "draw"}),
        ("wyatt-earp search", {"do": "wyatt-earp", "mode": "search"}),
        (
            "wyatt-earp search take hideout photo:wes-hardin",
            {"do": "wyatt-earp", "mode": "search", "take": ["hideout", "photo:wes-hardin"]},
        ),
        (
            "wyatt-earp remove-hideout on jesse-james",
            {"do": "wyatt-earp", "mode": "remove-hideout", "on": JESSE},
        ),
        ("choose on jesse-james", {"do": "choose", "on": JESSE}),
        ("choose on jesse-james of burt", {"do": "choose", "on": JESSE, "seat": "burt"}),
        ("choose take hideout", {"do": "choose", "take": "hideout"}),
        ("choose decline", {"do": "choose", "decline": True}),
        ("react wyatt-earp", {"do": "react", "with": "wyatt-earp"}),
        ("react pass", {"do": "react", "with": "pass"}),
        ("discard photo:wes-hardin", {"do": "discard", "card": "photo:wes-hardin"}),
    ],
)
def test_words_mean_an_action_and_an_action_has_its_words(typed: str, meant: JsonObject) -> None:
    assert GAME.action_from_words(typed.split()) == meant
    assert GAME.action_from_words(GAME.action_to_words(meant).split()) == meant


def test_every_action_can_be_said() -> None:
    rules = rules_for(4)
    for obj in (*universe(4), *targeted(4)):
        assert GAME.action_from_words(GAME.action_to_words(obj).split()) == obj
        assert rules.action_to_json(rules.action_from_json(obj)) == obj


@pytest.mark.parametrize(
    "typed",
    [
        "lay jesse-james 3",
        "lay 0 jesse-james",
        "lay three jesse-james",
        "lay 3",
        "photo photo:jesse-james",
        "hideout on jesse-james",
        "hideout on jesse-james burt",
        "most-wanted",
        "most-wanted steal jesse-james",
        "most-wanted ask jesse-james clockwise order",
        "wyatt-earp search take",
        "wyatt-earp draw two",
        "choose",
        "discard nothing",
    ],
)
def test_wrong_words_are_answered_with_what_may_be_typed(typed: str) -> None:
    with pytest.raises(MalformedAction) as caught:
        GAME.action_from_words(typed.split())
    assert FORMS[typed.split()[0]] in str(caught.value)


@pytest.mark.parametrize("typed", ["", "shoot jesse-james", "LAY 3 jesse-james"])
def test_an_unknown_first_word_is_answered_with_those_there_are(typed: str) -> None:
    with pytest.raises(MalformedAction, match="stagecoach-robbery"):
        GAME.action_from_words(typed.split())


def test_a_public_form_without_its_secret_can_be_shown() -> None:
    assert GAME.action_to_words({"do": "choose"}) == "choose"
