"""Step (12) of the verifier in JavaScript: it plays on in the open, and says where a record is false, as ours does."""

from __future__ import annotations

import random
import re

import pytest

from pbem.game import JsonObject
from pbem.games import find_game
from tests.falsified.judge import forged, noticed
from tests.falsified.stage import Place, Table, played
from tests.falsified.values import false_values, get
from tests.verifier.node import verify_all
from tests.verifier.random_files import random_options
from tests.verifier.verdicts import rules_by_js
from tests.world import World

TABLES = (
    Table("rules, Wyatt Earp", "wyatt-earp"),
    Table("rules, Way Out West", "way-out-west"),
    Table("rules, hidden money", "way-out-west", {"money_public": False}),
)
FILES = 45
ODD = ("constructor", "burt", "curt")
"""A seat may be called like a member that every object of JavaScript has."""


def lies(table: Table) -> dict[str, tuple[Place, JsonObject]]:
    """One false value for every member that occurs: the last place where it does."""
    places = {place.member: place for moment in played(table, 1, FILES) for place in moment.places()}
    members = {}
    for member, place in places.items():
        value = get(place.line.body, place.path)
        others = false_values(table.game, place.path, value, place.moment.world.seats)
        if others:
            members[member] = place, random.Random(member).choice(others)
    return members


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.row)
def test_a_false_value_is_found_where_ours_finds_it(table: Table) -> None:
    """The fault names record and member, what was expected and what stands there."""
    forgeries = {member: (forged(place, value), place) for member, (place, value) in lies(table).items()}
    assert len(forgeries) > 30
    reports = verify_all({member: forgery.lines for member, (forgery, _) in forgeries.items()})
    for member, (forgery, place) in forgeries.items():
        assert rules_by_js(reports[member]) == [(place.line.seq, 12, "rules")], (member, reports[member])
        (text,) = [fault["text"] for fault in reports[member]["faults"] if fault["step"] == 12]
        assert re.search(
            "expected .+, found .+|no more chance|more than the rules|cannot|is no|has no", text
        ), text
        assert noticed(place, forgery).how.startswith(f"record {place.line.seq}: ")


@pytest.mark.parametrize("game", ["wyatt-earp", "way-out-west"])
def test_nothing_is_found_in_an_honest_match_whatever_its_options_and_names(game: str) -> None:
    info = find_game(game).info
    worlds = {}
    for number in range(4):
        rng = random.Random(f"rules {game} {number}")
        options = {name: rng.choice(values) for name, values in info.options.items() if name != "board"}
        profile = rng.choice(list(info.profiles))
        chosen = options if number % 2 else random_options(rng, info)
        seats = ODD if number < 2 else tuple("abcde"[: info.seats[number % len(info.seats)]])
        world = World(game, seats, options=chosen, profile=profile, seed=f"rules {number}")
        worlds[str(number)] = world.start().play(90)
    for report in verify_all({name: world.lines for name, world in worlds.items()}).values():
        assert report["ok"], report["faults"]
        assert report["replayed"]
