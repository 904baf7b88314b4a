"""What is public is the same whatever is hidden: two matches that differ only in hidden cards look alike."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest

from pbem.game import IllegalAction, JsonObject, Seat
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record.check_results import packet_plaintext_size
from pbem.protocol.record.play import DeckOnTable, FileAction, OrderInForce, Play, RefusedAction, Table
from tests.world import World, accepted

ANNA, BURT = Seat("anna"), Seat("burt")
SEALED_DISCARD: JsonObject = {"do": "discard", "card": "wes-hardin"}


def position(burt: list[str], **more: Any) -> JsonObject:
    base: JsonObject = {
        "active": "anna",
        "phase": "play",
        "hands": {
            "anna": ["belle-starr", "belle-starr", "belle-starr", "hideout", "wes-hardin"],
            "burt": burt,
        },
        "supply": ["bob-dalton", "jesse-james", "jesse-james", "wyatt-earp", "hideout", "most-wanted"],
        "discard": ["bank-robbery", "wes-hardin"],
        "territories": {"burt": {"jesse-james": {"outlaws": 3}}},
    }
    return {**base, **more}


def table(world: World, where: JsonObject) -> Table:
    """A table in that position, its supply coming from a deck whose order is the position's."""
    started = world.record.table
    state = started.rules.position_from_json(where)
    deck = started.decks["main"]
    laid = deck.laid
    supply = where["supply"]
    cards = tuple(laid.cards[: deck.k]) + tuple(supply) + tuple(laid.cards[deck.k + len(supply) :])
    return replace(
        started,
        state=state,
        span=started.rules.span(state),
        decks={"main": DeckOnTable(deck.gen, replace(laid, cards=cards), deck.k)},
    )


def public_part(play: Play) -> bytes:
    return canon([play.steps, play.table.public, play.stopped or {}, play.applied])


@pytest.mark.parametrize(
    "actions",
    [
        [{"do": "lay", "outlaw": "belle-starr", "count": 3}],
        [{"do": "hideout", "on": "jesse-james", "seat": "burt"}],
        [SEALED_DISCARD],
    ],
    ids=["lay", "hideout", "discard"],
)
def test_another_hand_of_burt_changes_nothing_that_is_public(actions: list[JsonObject]) -> None:
    world = World("wyatt-earp", ("anna", "burt"), seed="leak").start()
    seen = set()
    for burt in (
        ["wyatt-earp", "belle-starr"],
        ["photo:jesse-james", "bob-dalton"],
        ["butch-cassidy", "fastest-gun"],
    ):
        play = Play(table(world, position(burt)), {})
        play.file(ANNA, [FileAction("file", action) for action in actions])
        seen.add(public_part(play))
    assert len(seen) == 1


def test_a_refusal_does_not_depend_on_another_hand() -> None:
    world = World("wyatt-earp", ("anna", "burt"), seed="leak").start()
    refusals = set()
    for burt in (["wyatt-earp", "belle-starr"], ["photo:jesse-james", "bob-dalton"]):
        play = Play(table(world, position(burt)), {})
        with pytest.raises(RefusedAction) as caught:
            play.file(ANNA, [FileAction("file", {"do": "photo", "outlaw": "bob-dalton"})])
        refusals.add((caught.value.rules, str(caught.value)))
    assert len(refusals) == 1


def test_the_take_of_a_search_shows_nowhere() -> None:
    world = World("wyatt-earp", ("anna", "burt"), seed="leak").start()
    hands = {"anna": ["wyatt-earp", "belle-starr", "hideout"], "burt": ["wyatt-earp"]}
    where = position([], hands=hands)
    publics = set()
    for take in ("bank-robbery", "wes-hardin"):
        play = Play(table(world, where), {})
        action = {"do": "wyatt-earp", "mode": "search", "take": [take]}
        play.file(ANNA, [FileAction("sealed", action)])
        assert play.facts[ANNA] == [{"found": take}]
        publics.add(public_part(play))
    assert len(publics) == 1


def test_the_reaction_window_opens_whether_or_not_the_card_is_held() -> None:
    world = World("wyatt-earp", ("anna", "burt"), seed="leak").start()
    waits = set()
    for burt in (["wyatt-earp"], ["hideout"]):
        play = Play(table(world, position(burt)), {})
        play.file(ANNA, [FileAction("file", {"do": "hideout", "on": "jesse-james", "seat": "burt"})])
        asks = play.table.asks
        assert asks is not None
        waits.add((asks.seat, asks.phase))
    assert waits == {(BURT, "react")}


def test_an_order_to_react_answers_pass_whatever_the_hand_holds() -> None:
    world = World("wyatt-earp", ("anna", "burt"), seed="leak").start()
    orders = {"rules": [{"when": "react", "do": {"do": "react", "with": "pass"}}]}
    publics = set()
    for burt in (["wyatt-earp"], ["hideout"]):
        play = Play(table(world, position(burt)), {BURT: OrderInForce(7, orders)})
        play.file(ANNA, [FileAction("file", {"do": "hideout", "on": "jesse-james", "seat": "burt"})])
        assert play.steps[-1]["by"] == "order"
        publics.add(public_part(play))
    assert len(publics) == 1


def test_packets_of_every_seat_have_one_length_in_every_record() -> None:
    world = World("wyatt-earp", ("anna", "burt", "curt"), seed="lengths").start().play(60)
    for line in world.record.lines:
        if "packets" in line.body:
            assert len({len(packet["ct"]) for packet in line.body["packets"].values()}) == 1


def test_packets_of_a_record_that_deals_nothing_have_space_for_no_draw() -> None:
    """schemas/README.md §14.1: 257 + 24 · 8 bytes of a search fit into 512; a draw more would not."""
    ledger = World("wyatt-earp", ("anna", "burt")).start().record.ledger
    search = {"chance": [], "events": [{"event": "searching", "seat": "anna", "cards": 8}]}
    draw = {"draw": "main", "gen": 0, "k": 30, "to": "anna"}
    assert packet_plaintext_size(ledger, [search]) == 512
    assert packet_plaintext_size(ledger, [{**search, "chance": [draw]}]) == 1024


def test_no_hand_card_stands_in_the_file_before_it_is_played() -> None:
    world = World("wyatt-earp", ("anna", "burt", "curt"), seed="hands").start()
    opened = world.record.lines[8].body
    shown = copy.deepcopy(opened)
    top = shown["public"]["discard"]["top"]
    text = canon(shown["public"]).decode() + canon([s["events"] for s in shown["steps"]]).decode()
    for seat in world.seats:
        for card in set(world.view(seat).view_json["hands"][seat]) - {top}:
            assert f'"{card}"' not in text or card in shown["public"]["posters"]


def test_the_stopped_reason_of_a_sealed_action_is_only_in_its_owners_packet() -> None:
    world = World("wyatt-earp", ("anna", "burt"), seed="leak").start()
    ruling = accepted(
        world.turn("anna", {"do": "draw", "from": "supply"}, {"do": "photo", "outlaw": "bob-dalton"})
    )
    body = ruling.lines[0].body
    assert body["stopped"] == {"at": 1, "why": "illegal"}
    assert '"J1"' not in canon(body).decode()


def test_legality_is_a_function_of_the_view() -> None:
    world = World("wyatt-earp", ("anna", "burt"), seed="leak").start()
    rules = world.record.rules
    lists, refusals = set(), set()
    for burt in (["wyatt-earp"], ["hideout"]):
        state = rules.position_from_json(position(burt))
        view = rules.observe(state, ANNA)
        lists.add(canon([rules.action_to_json(a) for a in rules.legal_actions(view)]))
        try:
            rules.apply(state, rules.action_from_json({"do": "most-wanted", "steal": True}))
        except IllegalAction as error:
            refusals.add((error.rules, str(error)))
    assert len(lists) == 1
    assert len(refusals) == 1


def test_hidden_cash_is_in_its_owners_packets_and_nobody_elses() -> None:
    options = {"money_public": False}
    world = World("way-out-west", ("anna", "burt", "curt"), options=options, seed="purse").start().play(40)
    cash = world.record.rules.position_to_json(world.record.table.state)["cash"]
    assert len(set(cash.values())) > 1
    for seat in world.seats:
        assert world.view(seat).view_json["cash"][seat] == cash[seat]
        others = [other for other in world.seats if other != seat]
        assert not any(isinstance(world.view(seat).view_json["cash"].get(other), int) for other in others)
    assert world.record.public is not None
    assert not any(isinstance(value, int) for value in world.record.public["cash"].values())
