"""Orders that most people would give: answers in gunfights, the next auction, the second action of a turn.

They follow from the public view alone (``pbem.games.ordering.Offering``). Where cash is hidden everybody counts as
having what he began with: the first of the named actions that is possible is taken, and only the rules know which
that is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pbem.base.sentences import sentence
from pbem.game import JsonObject, Seat
from pbem.games.ordering import Offer
from pbem.games.way_out_west.order_words import PRESETS
from pbem.games.way_out_west.player import wishes
from pbem.games.way_out_west.state import Match, View
from pbem.games.way_out_west.words import action_to_words

_MOST_NAMED: Final = 3


def common_orders(
    match: Match, public: View | None, seat: Seat, turn: JsonObject, done: Sequence[JsonObject]
) -> tuple[Offer, ...]:
    """Gunfights and the auction always; behind the first action of a turn the second, before them."""
    offers = (
        Offer(
            "fights",
            sentence(
                "in gunfights: ask for the sheriff, lend yours to nobody, fire while the chance to win is one in "
                "six or better, else retreat"
            ),
            _fights(match, seat),
        ),
        Offer("auction", sentence("in the next auctions: bid nothing"), PRESETS["no-bids"].rules),
    )
    if public is None:
        return offers
    number = match.seats.index(seat)
    position = public.position
    if position.phase != "actions" or position.tokens[number] != 2 or len(done) != 1:
        return offers
    cash = tuple(money if at in public.shown else match.start_cash for at, money in enumerate(position.cash))
    found = [action for action in wishes(match, position._replace(cash=cash), number) if action != done[0]]
    if not found:
        return offers
    this = {"epoch": turn["epoch"], "number": turn["number"]}
    do = {"do": "first-of", "actions": [*found, *([] if {"do": "pass"} in found else [{"do": "pass"}])]}
    rule: JsonObject = {"when": "actions", "turn": this, "if": {"tokens": 1}, "do": do}
    words = sentence(
        "as your second action, the first of these that is possible: {names}; else pass",
        names="; ".join(action_to_words(action) for action in found[:_MOST_NAMED]),
    )
    return Offer("second", words, (rule,)), *offers


def _fights(match: Match, seat: Seat) -> tuple[JsonObject, ...]:
    """An answer to everything that a gunfight asks."""
    others = [other for other in match.seats if other != seat]
    return (
        *PRESETS["ask-always"].rules,
        *PRESETS["lend-never"].rules,
        *PRESETS["retreat-hopeless"].rules,
        {"when": "leave-town", "do": {"do": "leave-town", "to": [town.id for town in match.board.towns]}},
        {"when": "take-wanted", "do": {"do": "take-wanted", "from": others}},
    )
