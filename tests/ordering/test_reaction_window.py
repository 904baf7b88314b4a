"""The reaction window never reveals a hand (N9, O13, P6), and a sealed order reveals nothing by size or presence."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from pbem.game import JsonObject, Seat
from pbem.games import find_game
from pbem.games.ordering import OrderWords
from pbem.player.seat.orders import NO_ORDERS, may_stay_silent, offers, with_preset, with_rule
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record.play import DeckOnTable, FileAction, OrderInForce, Play, Table
from tests.ordering.playing import Ordered, ordered
from tests.ordering.test_words import advised
from tests.world import World

ANNA, BURT = Seat("anna"), Seat("burt")
HOLDING = (["wyatt-earp", "belle-starr"], ["wyatt-earp", "wyatt-earp"])
LACKING = (["hideout", "belle-starr"], ["photo:jesse-james", "bob-dalton"], ["belle-starr", "belle-starr"])
OFFERED = [name for name, _ in offers(World("wyatt-earp", ("anna", "burt"), seed="o").record)]


@cache
def started() -> World:
    return World("wyatt-earp", ("anna", "burt"), seed="window").start()


def table_at(position: JsonObject) -> Table:
    """A table in that position, with its supply on the deck."""
    now, supply = started().record.table, position["supply"]
    state = now.rules.position_from_json(position)
    deck = now.decks["main"]
    cards = (*deck.laid.cards[: deck.k], *supply, *deck.laid.cards[deck.k + len(supply) :])
    decks = {"main": DeckOnTable(deck.gen, replace(deck.laid, cards=cards), deck.k)}
    return replace(now, state=state, span=now.rules.span(state), decks=decks)


def table(burt: list[str], reward: int = 4000) -> Table:
    """Anna may lay a Hideout on burt's group; the next cards of the supply are hits."""
    return table_at(
        {
            "phase": "play",
            "hands": {"anna": ["hideout", "jesse-james"], "burt": burt},
            "territories": {"burt": {"jesse-james": {"outlaws": 3}}},
            "posters": {"jesse-james": reward},
            "supply": ["bob-dalton", "bob-dalton", "wes-hardin"],
            "discard": ["belle-starr"],
        }
    )


def covered(burt: list[str], orders: JsonObject | None = None, reward: int = 4000) -> Play:
    play = Play(table(burt, reward), {BURT: OrderInForce(7, orders)} if orders else {})
    play.file(ANNA, [FileAction("file", {"do": "hideout", "on": "jesse-james", "seat": "burt"})])
    return play


def public(play: Play) -> bytes:
    """Everything that a record shows of it to everybody, the number of cards shown to each seat included."""
    counts = {
        seat: [len(body["draws"]), len(body["facts"])] for seat, body in play.bodies((ANNA, BURT)).items()
    }
    return canon([play.steps, play.table.public, play.stopped or {}, counts])


def preset(name: str) -> JsonObject:
    return with_preset(started().record, NO_ORDERS, name)


def test_without_orders_the_window_is_the_same_whatever_the_hand_holds() -> None:
    plays = [covered(burt) for burt in (*HOLDING, *LACKING)]
    assert len({public(play) for play in plays}) == 1
    assert all(
        play.table.asks and (play.table.asks.seat, play.table.asks.phase) == (BURT, "react") for play in plays
    )


@pytest.mark.parametrize("name", OFFERED)
def test_an_offered_order_answers_at_once_whatever_the_hand_holds(name: str) -> None:
    for burt in (*HOLDING, *LACKING):
        play = covered(burt, preset(name))
        assert [step["by"] for step in play.steps] == ["file", "order"]


def test_whoever_lacks_the_card_looks_the_same_under_every_offered_order() -> None:
    assert len({public(covered(burt, preset(name))) for burt in LACKING for name in OFFERED}) == 1


def test_whoever_passes_by_order_looks_like_one_who_lacks_the_card() -> None:
    lacking = public(covered(LACKING[0], preset("reaction-always")))
    assert public(covered(HOLDING[0], preset("reaction-never"))) == lacking
    assert public(covered(HOLDING[0], preset("reaction-5000"), reward=4000)) == lacking
    assert public(covered(HOLDING[0], preset("reaction-3000"), reward=4000)) != lacking


def test_the_offer_is_the_same_for_every_seat_in_every_hand() -> None:
    """It is made from the game alone: neither the seat's view nor its orders are arguments."""
    match = ordered("wyatt-earp", limit=12, seed="offers")
    assert {tuple(offers(match.world.view(seat).record)) for seat in match.world.seats} == {
        tuple(offers(World("wyatt-earp", ("anna", "burt")).record))
    }
    assert len(OFFERED) >= 3


def test_rules_that_may_leave_the_window_open_are_pointed_out() -> None:
    record = started().record
    some = with_rule(record, NO_ORDERS, "when react do wyatt-earp if reward at least 5000")
    assert may_stay_silent(record, some) == ["react"]
    assert may_stay_silent(record, with_rule(record, some, "when react do pass")) == []
    assert may_stay_silent(record, NO_ORDERS) == []
    assert all(may_stay_silent(record, preset(name)) == [] for name in OFFERED)


def test_a_new_condition_goes_before_the_rule_that_always_holds() -> None:
    record = started().record
    order = with_rule(record, preset("reaction-never"), "when react do wyatt-earp if on jesse-james")
    assert [rule["do"]["with"] for rule in order["rules"]] == ["wyatt-earp", "pass"]


# --- size and presence ------------------------------------------------------------------------------------


def shape(file: JsonObject) -> tuple[object, ...]:
    """What anybody sees of the sealed parts of a turn file."""
    body = file["body"]
    return tuple(sorted(body)), len(body["orders"]["ct"]), len(body["sealed"]["ct"])


@pytest.mark.parametrize("name", ["wyatt-earp", "way-out-west"])
def test_every_turn_file_carries_orders_of_one_size(name: str) -> None:
    world = World(name, ("anna", "burt", "curt"), seed="size").start()
    seat = world.record.waiting["seat"] if world.record.waiting else ""
    game = find_game(name)
    assert isinstance(game, OrderWords)
    rules = advised(name, "size")
    given: list[JsonObject | None] = [None, NO_ORDERS, {"rules": rules[:1]}, {"rules": rules[-6:]}]
    given += [{"rules": list(preset.rules)} for preset in game.order_forms.presets.values()]
    shapes = {shape(world.turn_file(seat, orders=orders)) for orders in given}
    assert len(shapes) == 1


def test_files_of_a_whole_match_differ_in_orders_but_not_in_their_size() -> None:
    match: Ordered = ordered("wyatt-earp", limit=30, seed="sizes")
    sent = [file for file in match.world.files if "orders" in file["body"]]
    assert len({len(file["body"]["orders"]["ct"]) for file in sent}) == 1
    assert len({canon(order) for copies in match.copies.values() for order in copies.values()}) > 10
