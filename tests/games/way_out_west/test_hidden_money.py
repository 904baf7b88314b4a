"""``money_public=false``: a view shows only its own cash, and a seat's view follows from its packets."""

from __future__ import annotations

import pytest

from pbem.game import PUBLIC, JsonObject
from pbem.games.way_out_west.rules import Own
from tests.conformance.keyed import Keyed
from tests.games.way_out_west.table import SEATS, any_kind, play, rules_for


def test_only_the_own_cash_is_in_a_view() -> None:
    """Rows: A11, money_public=false."""
    rules = rules_for(3, money_public=False)
    for moment in play(rules, Keyed("hidden"), any_kind):
        assert rules.view_to_json(rules.observe(moment.after, PUBLIC))["cash"] == {}
        for number, seat in enumerate(SEATS[:3]):
            shown = rules.view_to_json(rules.observe(moment.after, seat))
            assert shown["cash"] == {seat: moment.after.cash[number]}


@pytest.mark.parametrize("money_public", [True, False])
def test_a_seats_view_follows_from_the_public_view_and_its_packets(money_public: bool) -> None:
    rules = rules_for(4, money_public=money_public)
    own = {seat: rules.knowledge(seat) for seat in SEATS[:4]}
    for moment in play(rules, Keyed("views"), any_kind):
        public = rules.public_from_json(rules.view_to_json(rules.observe(moment.after, PUBLIC)))
        standing = {fact.seat: fact.body for fact in rules.standing_facts(moment.after)}
        for seat in SEATS[:4]:
            facts = [standing[seat]] if seat in standing else []
            own[seat] = rules.learn(own[seat], list(moment.events), {"draws": [], "facts": facts})
            view = rules.view_of(public, own[seat])
            assert view == rules.observe(moment.after, seat)
            imagined = rules.imagine(view)
            assert rules.observe(imagined, seat) == view


def test_packets_have_one_size_and_hold_the_cash() -> None:
    rules = rules_for(3, money_public=False)
    assert rules.has_secrets
    assert rules.packet_size(0, 0) == rules.packet_size(5, 9) == 512
    assert rules.shown([]) == 0
    facts = rules.standing_facts(rules.initial_state())
    assert [(fact.seat, fact.body) for fact in facts] == [(seat, {"cash": 20}) for seat in SEATS[:3]]


def test_the_last_cash_of_a_packet_counts() -> None:
    """Beside facts of other kinds; a packet without any changes nothing."""
    rules = rules_for(3, money_public=False)
    own = rules.knowledge(SEATS[0])
    facts: list[JsonObject] = [{"cash": 3}, {"cash": 7}, {"weather": "fine"}]
    own = rules.learn(own, [], {"draws": [], "facts": facts})
    assert own == Own(SEATS[0], 7)
    assert rules.learn(own, [], {"draws": []}) == rules.learn(own, [], {"draws": [], "facts": []}) == own


def test_legal_actions_do_not_depend_on_what_is_hidden() -> None:
    rules = rules_for(3, money_public=False)
    for moment in play(rules, Keyed("blind"), any_kind):
        if moment.seat is None:
            continue
        number = rules.match.seat_numbers[moment.seat]
        position = rules.position_to_json(moment.before)
        for other in SEATS[:3]:
            if other != moment.seat:
                position["cash"][other] += 7
        richer = rules.position_from_json(position)
        assert richer.cash[number] == moment.before.cash[number]
        seen, seen_richer = (rules.observe(state, moment.seat) for state in (moment.before, richer))
        assert seen == seen_richer
        assert rules.legal_actions(seen) == rules.legal_actions(seen_richer)
