"""The oracle of ``tests.bench.oracle``: moves that anybody would call foolish, and such as are right."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.bots.player import EarpPlayer, WestPlayer, quick
from pbem.game import JsonObject, Seat
from tests.bench.oracle import ENDED, LEFT, SHIRKED, SPARED, WAITED, Judged, judged, refused, regret, summary
from tests.bench.strength import rules_for

JESSE, BELLE = "jesse-james", "belle-starr"
LAY: JsonObject = {"do": "lay", "outlaw": BELLE, "count": 1}
KEEP: JsonObject = {"do": "discard", "card": "wes-hardin"}
PASS: JsonObject = {"do": "react", "with": "pass"}
RETREAT: JsonObject = {"do": "retreat", "to": ["san-antonia", "kansas-city", "deadwood"]}
AWAY: JsonObject = {"do": "retreat", "to": ["deadwood"]}
BURTS = ["bob-dalton"] * 4


def short(seat: str) -> JsonObject:
    """Anna can lay one card and discard the other; the only group is a point short of being paid $14,000."""
    return {
        "phase": "play",
        "active": "anna",
        "dealer": "burt",
        "hands": {"anna": [BELLE, "wes-hardin"], "burt": BURTS},
        "opened": [BELLE, JESSE],
        "territories": {seat: {JESSE: {"outlaws": 3}}},
        "posters": {JESSE: 14000, BELLE: 1000},
        "supply": 50,
        "discard": ["sundance-kid"],
    }


def hidden(hers: int, his: int) -> JsonObject:
    """Burt may shoot at the Hideout on his group; then Anna discards her last card."""
    return {
        "phase": "react",
        "active": "anna",
        "pending": {"card": "hideout", "outlaw": JESSE},
        "opened": [JESSE],
        "territories": {
            "anna": {JESSE: {"outlaws": hers}},
            "burt": {JESSE: {"outlaws": his, "hideout": True}},
        },
        "posters": {JESSE: 14000},
        "hands": {"anna": [BELLE], "burt": ["wyatt-earp", BELLE, "wes-hardin"]},
        "supply": 50,
        "discard": ["sundance-kid"],
    }


def attacked(attack: int, defence: int) -> JsonObject:
    town = {"cowboys": {"anna": attack, "burt": defence}, "assets": {"store": "burt"}}
    fight = {
        "town": "abilene",
        "attacker": "anna",
        "target": {"asset": "store"},
        "asks": "fire",
        "seat": "burt",
    }
    return {"towns": {"abilene": town}, "fight": fight}


def armed(cowboys: int) -> JsonObject:
    """Anna's cowboys beside a store of Burt's that one cowboy guards."""
    town = {"cowboys": {"anna": cowboys, "burt": 1}, "cattle": {"burt": 2}, "assets": {"store": "burt"}}
    return {"phase": "actions", "active": "anna", "towns": {"san-antonia": town}}


@pytest.mark.parametrize(
    ("game", "position", "seat", "action", "kind", "foolish"),
    [
        ("wyatt-earp", short("anna"), "anna", LAY, ENDED, True),
        ("wyatt-earp", short("burt"), "anna", LAY, ENDED, False),
        ("wyatt-earp", short("burt"), "anna", KEEP, WAITED, True),
        ("wyatt-earp", short("anna"), "anna", KEEP, WAITED, False),
        ("wyatt-earp", hidden(2, 5), "burt", PASS, SPARED, True),
        ("wyatt-earp", hidden(5, 2), "burt", PASS, SPARED, False),
        ("way-out-west", attacked(1, 3), "burt", RETREAT, LEFT, True),
        ("way-out-west", attacked(6, 1), "burt", AWAY, LEFT, False),
        ("way-out-west", armed(6), "anna", {"do": "pass"}, SHIRKED, True),
    ],
)
def test_what_is_refused_is_weighed_against_what_was_done(
    game: str, position: JsonObject, seat: str, action: JsonObject, kind: str, *, foolish: bool
) -> None:
    rules: Any = rules_for(game, 2 if game == "wyatt-earp" else 3)
    view = rules.observe(rules.position_from_json(position), Seat(seat))
    player = quick(rules, "oracle")
    assert isinstance(player, EarpPlayer | WestPlayer)
    done = rules.action_from_json(action)
    rules.check(view, done)
    kind, others = refused(player, view, done)
    assert kind == kind
    assert 1 <= len(others) <= 3
    assert done not in others
    judgement = Judged(kind, *regret(player, view, done, others))
    assert judgement.foolish == foolish, judgement


def test_what_is_no_choice_is_not_judged() -> None:
    """An even fight does not clearly win; what is foolish lost the hand, and by more than luck."""
    rules: Any = rules_for("way-out-west", 3)
    player = quick(rules, "oracle")
    assert isinstance(player, WestPlayer)
    view = rules.observe(rules.position_from_json(armed(1)), Seat("anna"))
    assert refused(player, view, rules.action_from_json({"do": "pass"})) == (SHIRKED, [])
    assert Judged(ENDED, 5, 1).foolish
    assert not Judged(ENDED, 5, 1, lost=False).foolish
    assert not Judged(WAITED, 5, 3).foolish
    assert not Judged(WAITED, 0.5, 0.1).foolish


def test_a_match_is_judged_and_shown() -> None:
    judgements = judged("wyatt-earp", 2, 0, "greedy", "suggest")
    assert judgements
    assert judgements == judged("wyatt-earp", 2, 0, "greedy", "suggest")
    ended = sum(judgement.kind == ENDED for judgement in judgements)
    assert summary("wyatt-earp", judgements).startswith(f"{ENDED}: {ended}, ")
