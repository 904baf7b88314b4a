"""One look at a match: as a seat sees it, as everybody does, now and earlier."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.base.errors import UsageProblem
from pbem.base.language import ENGLISH, language_of
from pbem.player.seat.order_answers import Change, changed
from pbem.player.seat.show import Look, drawing_of, look_of, public_look, text_and_facts
from tests.ordering.test_owner import sit_down
from tests.world import World

NOW = "2027-01-01T00:00:00Z"


@pytest.fixture(scope="module")
def world() -> World:
    return World("wyatt-earp", ("anna", "burt")).start()


def shown_text(look: Look, code: str = "en") -> str:
    return text_and_facts(look, language_of(code), NOW, width=80, colour=False)[0]


def test_the_own_hand_is_seen_through_the_own_view_only(world: World, tmp_path: Path) -> None:
    own = look_of(sit_down(world, "anna", tmp_path / "anna"), ENGLISH)
    everybody = public_look(world.record)
    assert "you are Anna (anna)" in shown_text(own)
    assert "you are" not in shown_text(everybody)
    facts = text_and_facts(own, ENGLISH, NOW, width=80, colour=False)[1]
    assert facts["seat"] == "anna"
    assert len(facts["view"]["hands"]["anna"]) == 10
    assert isinstance(facts["view"]["hands"]["burt"], int)
    assert "seat" not in text_and_facts(everybody, ENGLISH, NOW, width=80, colour=False)[1]
    assert "du bist Anna (anna)" in shown_text(own, "de")


def test_an_earlier_record_is_looked_at_as_it_was(world: World, tmp_path: Path) -> None:
    client = sit_down(world, "anna", tmp_path / "anna")
    last = client.record.head.seq
    assert look_of(client, ENGLISH, 1).record.head.seq == 1
    assert public_look(world.record, 1).record.head.seq == 1
    assert look_of(client, ENGLISH).said != ()
    assert look_of(client, ENGLISH, last).said == ()  # orders are spoken of now, not then
    for at in (-1, last + 1):
        with pytest.raises(UsageProblem, match=f"there is no record {at}; the last one is {last}"):
            public_look(world.record, at)


def test_nothing_is_drawn_before_the_deal(world: World) -> None:
    with pytest.raises(UsageProblem, match="nothing has been dealt yet"):
        drawing_of(public_look(world.record, 0), ENGLISH)


def test_a_change_of_orders_does_not_contradict_itself(world: World, tmp_path: Path) -> None:
    client = sit_down(world, "burt", tmp_path / "burt")
    for whole, remove in (({"rules": []}, None), (None, 1)):
        with pytest.raises(UsageProblem, match="--withdraw does not go with"):
            changed(client, Change(whole, (), (), remove, withdraw=True))
    assert changed(client, Change(None, (), (), None, withdraw=False)) == ({"rules": []}, [])


def test_orders_that_may_stay_silent_are_shown_to_their_owner(world: World, tmp_path: Path) -> None:
    client = sit_down(world, "burt", tmp_path / "burt")
    rule = "when react do wyatt-earp if reward at least 5000"
    order, notes = changed(client, Change(None, (), (rule,), None, withdraw=False))
    assert len(order["rules"]) == 1
    (note,) = notes
    assert note.startswith("your orders may leave 'react' open")
    assert changed(client, Change(order, (), (), 1, withdraw=False))[0] == {"rules": []}
