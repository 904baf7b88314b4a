"""Orders by default: offered from what is public alone, always answering, and few files for who only takes them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from pbem.game import JsonObject, Seat, Setup
from pbem.games import find_game
from pbem.games.ordering import NOW, Offering
from pbem.player.seat.orders import (
    NO_ORDERS,
    common_orders,
    has_offer,
    with_offer,
    with_offers,
    without_offer,
)
from pbem.protocol.formats.strict_json import canon
from tests.bench.mails_per_turn import play
from tests.bench.paper import Given, KeyedChance, Paper
from tests.cli.seats import Friends
from tests.conformance.keyed import Keyed
from tests.ordering.test_reaction_window import ANNA, BURT, HOLDING, LACKING, covered, started, table

SHOT: JsonObject = {"do": "bank-robbery", "on": "jesse-james"}
TURN = {"epoch": 1, "number": 3}


def offered(hand: list[str], *done: JsonObject) -> bytes:
    """What burt is offered, as bytes, at a table where he holds these cards."""
    dealt = table(hand)
    rules = dealt.rules
    assert isinstance(rules, Offering)
    public = rules.public_from_json(dealt.public)
    return canon(
        [
            [order.name, str(order.sentence), *order.rules]
            for order in rules.common_orders(public, BURT, TURN, done)
        ]
    )


@pytest.mark.parametrize("done", [(), (SHOT,)], ids=["asked", "after a shot"])
def test_what_is_offered_is_the_same_in_every_hand(done: tuple[JsonObject, ...]) -> None:
    assert len({offered(hand, *done) for hand in (*HOLDING, *LACKING)}) == 1


@pytest.mark.parametrize("hand", [*HOLDING, *LACKING], ids=" ".join)
def test_the_offered_answer_always_answers_and_looks_like_any_other(hand: list[str]) -> None:
    record = started().record
    offer = {order.name: order for order in common_orders(record, BURT)}["answer"]
    answered = covered(hand, with_offer(record, NO_ORDERS, offer))
    assert [step["by"] for step in answered.steps if step.get("action", {}).get("do") == "react"] == ["order"]
    assert answered.table.asks is None or answered.table.asks.seat == ANNA


@dataclass
class Asking(Paper):
    """A match that counts what was asked by mail, by phase."""

    asked: Counter[str] = field(default_factory=Counter)

    def _file(self) -> None:
        assert self._table.asks is not None
        self.asked[self._table.asks.phase] += 1
        super()._file()


@pytest.mark.parametrize(("game", "seats"), [("wyatt-earp", 3), ("way-out-west", 5)])
def test_who_only_takes_what_is_offered_is_not_asked_out_of_turn(game: str, seats: int) -> None:
    rules_of = find_game(game)
    names = tuple(map(Seat, ("anna", "burt", "curt", "dora", "emil")[:seats]))
    rules: Any = rules_of.rules(
        Setup(names, rules_of.resolve_options("default", {}), rules_of.default_extra(names))
    )
    match = Asking(rules, lambda epoch: KeyedChance(Keyed(f"offers {game} {epoch}")), Given.OFFERED)
    match.run()
    assert match.asked["play" if game == "wyatt-earp" else "actions"] > 10
    others = match.asked["react"] + match.asked["gunfight"]
    assert others <= seats, "only before a seat has written at all"


@pytest.mark.parametrize(("game", "most"), [("wyatt-earp", 1.3), ("way-out-west", 1.5)])
def test_offers_alone_reach_the_aim(game: str, most: float) -> None:
    counts = [play(game, 3, 2000 + number, Given.OFFERED) for number in range(2)]
    assert sum(count.files for count in counts) / sum(count.turns for count in counts) <= most
    assert max(count.longest for count in counts) <= 2048, "no order shows its length"


def test_an_offer_stands_in_place_of_what_answered_its_question_and_can_be_taken_back() -> None:
    record = started().record
    answer, draw = common_orders(record, BURT)
    before: JsonObject = {"rules": [{"when": "react", "do": {"do": "react", "with": "pass"}}]}
    taken = with_offers(record, BURT, before, ["answer", "draw"], ())
    assert has_offer(taken, answer)
    assert has_offer(taken, draw)
    assert len(taken["rules"]) == 3
    assert without_offer(without_offer(taken, answer), draw) == NO_ORDERS
    rest = common_orders(record, BURT, [SHOT])[0]
    both = with_offer(record, taken, rest)
    assert [("turn" in rule) for rule in both["rules"]] == [True] * 3 + [False] * 3


def test_behind_a_shot_the_rest_of_a_turn_lays_and_discards() -> None:
    dealt = table(["belle-starr"])
    rules: Any = dealt.rules
    rest = rules.common_orders(rules.public_from_json(dealt.public), ANNA, dealt.turn, [SHOT])[0]
    order, state, done = {"rules": [*rest.rules], NOW: dealt.turn}, dealt.state, []
    for _ in range(2):
        action = rules.order_action(rules.observe(state, ANNA), order)
        done.append(rules.action_to_json(action))
        state = rules.apply(state, action).state
    assert done == [{"do": "lay", "outlaw": "jesse-james", "count": 1}, {"do": "discard", "card": "hideout"}]


@pytest.fixture
def friends(tmp_path: Path) -> Friends:
    return Friends(tmp_path).begin().join_and_ready()


def test_a_turn_takes_offers_by_name(friends: Friends) -> None:
    seat = str(friends.status()["waiting"]["seat"])
    listing = friends.play(seat, "legal")
    assert "--then answer  if someone plays a Hideout on you" in listing.err
    assert friends.play(seat, "legal", "--json").json["then"][0]["name"] == "answer"
    wrong = friends.play(seat, "turn", "draw", "supply", "--then", "win")
    assert wrong.code == 2
    assert "There are: answer, draw." in wrong.err
    friends.send(friends.sign(seat, "turn", "draw", "supply", "--then", "answer", "--then", "draw"))
    rules = friends.play(seat, "orders", "--json").json["rules"]
    assert [rule["words"].split()[1] for rule in rules] == ["draw", "react", "react"]
    assert "(said already)" in friends.play(seat, "legal").err
