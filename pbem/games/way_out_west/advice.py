"""Standing orders of the computer player, and views as if something were asked now.

The orders say what ``suggest`` would do, as far as the vocabulary can: bids by cash, answers in gunfights, and for the
second action of this turn the best actions of now, in order. Where none of these is possible any more it is asked.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from pbem.base.sentences import sentence
from pbem.game import JsonObject
from pbem.games.ordering import rule
from pbem.games.way_out_west.actions import BoxAction, Gunfight, Pass, action_to_json
from pbem.games.way_out_west.player import (
    HOPELESS,
    at_stake,
    candidates,
    keenness,
    most_wanted,
    with_plan,
    worth_after,
)
from pbem.games.way_out_west.scoring import points_of
from pbem.games.way_out_west.state import NOBODY, Match, Position, View
from pbem.games.way_out_west.worth import worth

_MOST_WISHES: Final = 5
_MOST_REFUGES: Final = 2
"""Actions, and towns of a plan, that an order names: orders should fit their envelope (schemas/README.md §3)."""


def advise_orders(match: Match, view: View, turn: JsonObject) -> JsonObject:
    """The orders that go with the actions a player of this view sends now."""
    position = view.position
    rules = [*_bids(position, view.viewer), *_gunfights(match, position, view.viewer)]
    if position.phase == "setup":
        lowest = [town.id for town in match.board.towns]
        rules.append(rule("setup", {"do": "place-cowboy", "towns": lowest[:3]}))
    if position.phase == "actions" and position.tokens[view.viewer]:
        found = wishes(match, position, view.viewer)
        do: JsonObject = {"do": "first-of", "actions": found} if found else {"do": "pass"}
        this = {"epoch": turn["epoch"], "number": turn["number"]}
        rules.append({"when": "actions", "turn": this, "if": {"tokens": 1}, "do": do})
    return {"rules": rules}


def _bids(position: Position, seat: int) -> list[JsonObject]:
    """For this auction and the next, as high as the cash then allows."""
    spaces = [position.space] if position.phase in ("setup", "auction") else []
    rules = []
    for space in (*spaces, position.space + 1):
        for most in range(keenness(space, seat), 0, -1):
            bid: JsonObject = {"do": "bid", "up_to": most}
            rules.append(rule("bid", bid, space_in=[space], cash_at_least=6 * most))
    return [*rules, rule("bid", {"do": "bid", "up_to": 0})]


def _gunfights(match: Match, position: Position, seat: int) -> list[JsonObject]:
    others = [other for other in position.order if other != seat]
    refuges = [
        town.id for town in sorted(match.board.towns, key=lambda town: _stake(match, position, town.id, seat))
    ]
    robbed: JsonObject = {
        "do": "take-wanted",
        "from": [match.seats[at] for at in most_wanted(position, seat)],
    }
    return [
        rule("ask-sheriff", {"do": "ask-sheriff", "ask": True}),
        *_loans(match, position, seat, others),
        rule("lend-sheriff", {"do": "lend-sheriff", "lend": False}),
        rule("fire", {"do": "fire", "odds_below": HOPELESS, "to": refuges}),
        rule("leave-town", {"do": "leave-town", "to": refuges}),
        rule("take-wanted", robbed),
    ]


def _stake(match: Match, position: Position, town: str, seat: int) -> tuple[int, int]:
    number = match.board.numbers[town]
    return -at_stake(position, number, seat), number


def _loans(match: Match, position: Position, seat: int, others: list[int]) -> list[JsonObject]:
    """Help against whoever is ahead; a farmer only if it is the seat's own."""
    points = points_of(match, position)
    lend: JsonObject = {"do": "lend-sheriff", "lend": True}
    rules = []
    for defender in others:
        ahead = [
            match.seats[at] for at in others if at != defender and points[at].total >= points[defender].total
        ]
        if ahead:
            rules.append(rule("lend-sheriff", lend, defender_in=[match.seats[defender]], attacker_in=ahead))
    farms = [
        town.id for town, there in zip(match.board.towns, position.towns, strict=True) if there.farmer == seat
    ]
    if farms:
        rules.append(rule("lend-sheriff", lend, defender_in=["farmer"], town_in=farms))
    return rules


def wishes(match: Match, position: Position, seat: int) -> list[JsonObject]:
    """The actions after which the seat stands best, best first; none that is worse than to pass."""
    found: list[tuple[float, BoxAction]] = []
    least = worth(match, position, seat)
    for action in candidates(match, position, seat):
        value = worth_after(match, position, seat, action)
        if value > least:
            found.append((value, action))
    found.sort(key=lambda pair: -pair[0])
    best = [action for _, action in found[: min(_MOST_WISHES, 9 - len(match.seats))]]
    planned = [_planned(match, position, seat, a) if isinstance(a, Gunfight) else a for a in best]
    return [action_to_json(action) for action in (*planned, *([Pass()] if not planned else []))]


def _planned(match: Match, position: Position, seat: int, action: Gunfight) -> Gunfight:
    plan = with_plan(match, position, seat, action).plan
    return replace(action, plan=plan and replace(plan, to=plan.to[:_MOST_REFUGES]))


# --- as if ------------------------------------------------------------------------------------------------


def suppose(match: Match, view: View) -> tuple[tuple[str, View], ...]:
    """The bidding and each action of this turn, as if they were asked now."""
    position, seat = view.position, view.viewer
    if seat == NOBODY or position.phase == "over":
        return ()
    bidding = position._replace(
        phase="auction", active=seat, bids=(0,) * len(match.seats), dropped=(), fight=None
    )
    found = [(sentence("the first bid"), replace(view, position=bidding))]
    for left, words in ((2, sentence("your first action")), (1, sentence("your second action"))):
        tokens = tuple(left if at == seat else count for at, count in enumerate(position.tokens))
        acting = position._replace(phase="actions", active=seat, tokens=tokens, fight=None)
        found.append((words, replace(view, position=acting)))
    return tuple(found)
