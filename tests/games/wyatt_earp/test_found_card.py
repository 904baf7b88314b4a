"""A card that a search took from the discard is missed there as soon as it is played, before it lies anywhere."""

from __future__ import annotations

import pytest

from pbem.game import JsonObject
from pbem.games.wyatt_earp.deck import COPIES, KIND_OF, NAMES
from pbem.games.wyatt_earp.memory import CardTracker

SEATS = ("anna", "burt")
ROBBERY = "stagecoach-robbery"
SHOT: JsonObject = {"event": "shot", "seat": "anna", "card": "billy-the-kid", "hit": True}
SHUFFLED: JsonObject = {"event": "reshuffled", "seat": "anna"}
PLAYED: JsonObject = {
    "seat": "anna",
    "by": "file",
    "action": {"do": ROBBERY},
    "chance": [{"draw": "main", "gen": 0, "k": 76, "card": "billy-the-kid"}],
    "events": [SHOT],
}
"""A hit: the card is laid out only when its Outlaw is chosen, in a step to come."""


def memory(searched_before: int) -> JsonObject:
    """One robbery lies on the table, the other lay in the discard when a search took a card that nobody saw."""
    pile = [["wes-hardin", 158], ["jesse-james", 60], [ROBBERY, 26], ["sundance-kid", 8], ["bob-dalton", 5]]
    located = {ROBBERY: COPIES[KIND_OF[ROBBERY]]}
    return {"discard": pile, "held": {}, "gone": [["", searched_before]], "located": located}


@pytest.mark.parametrize("events", [[SHOT], [SHUFFLED, SHOT]], ids=["chosen later", "shuffled first"])
@pytest.mark.parametrize("pick", range(6))
def test_who_plays_the_second_robbery_has_found_it(pick: int, events: list[JsonObject]) -> None:
    record = {"steps": [{**PLAYED, "events": events}]}
    tracker = CardTracker.of(SEATS, memory(109), record, pick, by_supply=False)
    assert ROBBERY not in [NAMES[kind] for kind in tracker.pile_before(0)]
    assert len(tracker.pile_before(0)) == 4


def test_it_is_remembered_until_the_card_lies_there() -> None:
    remembered = CardTracker.of(SEATS, memory(109), {"steps": [PLAYED]}, by_supply=False).remembered()
    assert remembered["gone"] == [[ROBBERY, 109]]
    assert remembered["located"][ROBBERY] == 1


def test_a_search_that_was_over_before_the_card_lay_there_did_not_take_it() -> None:
    remembered = CardTracker.of(SEATS, memory(20), {"steps": [PLAYED]}, by_supply=False).remembered()
    assert remembered["gone"] == [["", 20]]
