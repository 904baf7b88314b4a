"""The list of legal actions and the refusals under random options: neither may know a rule that the other does not."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement, product

from pbem.game import Decision, JsonObject, Terminal
from pbem.games.way_out_west import GAME
from pbem.games.way_out_west.actions import Action
from pbem.games.way_out_west.legality import faults_of
from pbem.games.way_out_west.rules import WayOutWestRules
from pbem.games.way_out_west.state import Position
from tests.conformance.keyed import Keyed
from tests.games.way_out_west.table import any_kind, rules_for

TOWNS = ("san-antonia", "kansas-city", "abilene", "dodge-city", "deadwood")
ASSETS = ("stagecoach", "train", "bank", "jail", "store", "hotel")
BY_MATCH = 20
"""Positions of one match, which has options of its own."""
SEVERAL = 40
"""Ways to move cowboys between several towns, drawn for each position: there are thousands."""


def every_form(rules: WayOutWestRules) -> Iterator[JsonObject]:
    """Well-formed short actions of every kind, all names of the match; moving cowboys only by pairs of towns."""
    seats = rules.setup.seats
    pairs = [[town] for town in TOWNS] + [list(pair) for pair in product(TOWNS, repeat=2)]
    if not rules.match.options.box_must_act:
        pairs.append([])
    yield from ({"do": "place-cowboy", "town": town} for town in TOWNS)
    yield from ({"do": "bid", "amount": amount} for amount in range(1, 30))
    yield from ({"do": name} for name in ("drop-out", "pass", "fire"))
    yield from ({"do": name, "towns": towns} for name in ("cattle", "cowboys") for towns in pairs)
    yield from ({"do": "build", "asset": asset, "town": town} for asset in ASSETS for town in TOWNS)
    for origin, end in product(TOWNS, repeat=2):
        yield {"do": "move-cattle", "from": origin, "to": end}
        if (
            rules.match.options.move_cattle_owner == "any"
        ):  # where the owner may be named, that is a form of its own
            yield from ({"do": "move-cattle", "from": origin, "to": end, "seat": seat} for seat in seats)
    targets: list[JsonObject] = [{"asset": asset} for asset in ASSETS]
    targets += [{"cattle": count, "seat": seat} for count in (1, 2) for seat in seats] + [{"farmer": True}]
    yield from ({"do": "gunfight", "town": town, "target": target} for town in TOWNS for target in targets)
    yield from ({"do": "farmer", "town": town} for town in TOWNS)
    yield from ({"do": "farmer", "town": town, "replace": seat} for town in TOWNS for seat in seats)
    yield from ({"do": "ask-sheriff", "ask": ask} for ask in (False, True))
    yield from ({"do": "lend-sheriff", "lend": lend} for lend in (False, True))
    for size in range(5):
        yield from ({"do": "retreat", "to": list(to)} for to in combinations_with_replacement(TOWNS, size))
    for size in range(1, 4):
        for to in combinations_with_replacement(TOWNS, size):
            yield {"do": "leave-town", "moves": [{"to": town, "count": 1} for town in to]}
    yield from ({"do": "take-wanted", "from": seat} for seat in seats)
    for a, b in product(TOWNS, repeat=2):
        for count in (1, 2, 4, 5):
            yield {"do": "move-cowboys", "moves": [{"from": a, "to": b, "count": count}]}


def several_moves(rules: WayOutWestRules, keyed: Keyed) -> Iterator[Action]:
    """Cowboys moved on two or three ways at once, legal or not."""
    for _ in range(SEVERAL):
        ways = [(a, b) for a in keyed.sample(TOWNS, 2) for b in keyed.sample(TOWNS, 2)]
        moves = [
            {"from": a, "to": b, "count": 1 + keyed.below(2)}
            for a, b in keyed.sample(ways, 2 + keyed.below(2))
        ]
        yield rules.action_from_json({"do": "move-cowboys", "moves": moves}, bulk=True)


def random_options(keyed: Keyed) -> JsonObject:
    return {name: keyed.choice(values) for name, values in GAME.info.options.items()}


def compare(positions: int, key: str) -> tuple[int, int]:
    """Hold both against each other at so many decisions; how many legal and how many refused actions that were.

    Raises:
        AssertionError: an action is listed and refused, or neither.
    """
    listed = refused = 0
    for number in range(-(-positions // BY_MATCH)):
        keyed = Keyed(f"{key} {number}")
        rules = rules_for(3 + number % 3, **random_options(keyed))
        forms = [rules.action_from_json(obj, bulk=True) for obj in every_form(rules)]
        every = 2 + keyed.below(6)
        for state in _decisions(rules, keyed, every, min(BY_MATCH, positions - number * BY_MATCH)):
            some = _compare(rules, state, [*forms, *several_moves(rules, keyed)])
            listed, refused = listed + some[0], refused + some[1]
    return listed, refused


def _compare(rules: WayOutWestRules, state: Position, forms: list[Action]) -> tuple[int, int]:
    counts = [0, 0]
    for seat in rules.setup.seats:
        view = rules.observe(state, seat)
        position, viewer = view.position, view.viewer
        legal = rules.legal_actions(view)
        listed = set(legal)
        assert len(listed) == len(legal)
        asked = state.decider == viewer
        assert bool(listed) == asked
        for action in listed:
            assert not faults_of(rules.match, position, viewer, action), (rules.setup.options, action)
        for action in forms if asked else forms[::29]:
            refusal = faults_of(rules.match, position, viewer, action)
            assert bool(refusal) != (action in listed), (rules.setup.options, seat, action)
            assert all(rows or not asked for rows, _ in refusal), action
            counts[bool(refusal)] += 1
    return counts[0], counts[1]


def _decisions(rules: WayOutWestRules, keyed: Keyed, every: int, count: int) -> Iterator[Position]:
    """Positions of a random match in which somebody is asked, one of ``every`` so many; in gunfights each."""
    state, at = rules.initial_state(), 0
    while not isinstance(node := rules.node(state), Terminal):
        if not isinstance(node, Decision):
            state = rules.resolve(state, keyed.outcome(node.draw)).state
            continue
        at += 1
        if at % every == 0 or state.phase == "gunfight":
            yield state
            count -= 1
            if not count:
                return
        state = rules.apply(state, any_kind(rules, rules.observe(state, node.seat), keyed)).state
