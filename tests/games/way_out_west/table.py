"""Matches for tests: rules bound to seats and options, play with keyed dice, positions in short."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pbem.game import FULL, Chance, Decision, JsonObject, Seat, Setup, Terminal
from pbem.games.way_out_west import GAME
from pbem.games.way_out_west.actions import Action, Bid
from pbem.games.way_out_west.rules import WayOutWestRules
from pbem.games.way_out_west.state import Position, View
from tests.conformance.keyed import Keyed

SEATS = tuple(map(Seat, ("anna", "burt", "curt", "dora", "emil")))
Policy = Callable[[WayOutWestRules, View, Keyed], Action]


def rules_for(players: int = 3, board: JsonObject | None = None, **options: Any) -> WayOutWestRules:
    """The engine for so many seats."""
    seats = SEATS[:players]
    extra = GAME.default_extra(seats) if board is None else {"board": board}
    return GAME.rules(Setup(seats, GAME.resolve_options("default", options), extra))


def any_kind(rules: WayOutWestRules, view: View, keyed: Keyed) -> Action:
    """A legal action: first the kind, then one of it, so that moving cowboys does not crowd out the rest."""
    kinds: dict[type[Action], list[Action]] = {}
    for action in rules.legal_actions(view):
        kinds.setdefault(type(action), []).append(action)
    actions = keyed.choice(list(kinds.values()))
    if isinstance(actions[0], Bid) and keyed.below(5):
        return min(actions, key=lambda bid: bid.amount if isinstance(bid, Bid) else 0)
    return keyed.choice(actions)


def sensible(rules: WayOutWestRules, view: View, keyed: Keyed) -> Action:
    """The computer player."""
    del keyed
    return rules.suggest(view)


@dataclass(frozen=True)
class Moment:
    """One transition: the position before and after, who chose what (None: dice), the events as JSON."""

    before: Position
    seat: Seat | None
    action: Action | None
    events: tuple[JsonObject, ...]
    after: Position


def play(rules: WayOutWestRules, keyed: Keyed, policy: Policy = any_kind) -> Iterator[Moment]:
    """A whole match."""
    state = rules.initial_state()
    while not isinstance(node := rules.node(state), Terminal):
        seat: Seat | None = None
        action: Action | None = None
        if isinstance(node, Chance):
            step = rules.resolve(state, keyed.outcome(node.draw))
        else:
            assert isinstance(node, Decision)
            seat, action = node.seat, policy(rules, rules.observe(state, node.seat), keyed)
            step = rules.apply(state, action)
        events = tuple(rules.event_to_json(event, FULL) for event in step.events)
        yield Moment(state, seat, action, events, step.state)
        state = step.state


def act(rules: WayOutWestRules, state: Position, obj: JsonObject) -> Position:
    """Apply one action given as JSON."""
    return rules.apply(state, rules.action_from_json(obj, bulk=True)).state
