"""How many cards a hand has: both verifiers count, whatever the cards came by or went for, and at once."""

from __future__ import annotations

from functools import cache
from typing import Final

import pytest

from pbem.game import JsonObject
from tests.falsified.judge import forged, noticed
from tests.falsified.stage import Place, Table, played
from tests.falsified.values import get
from tests.verifier.node import verify_all
from tests.verifier.verdicts import rules_by_js

TABLE: Final = Table("sizes of hands", "wyatt-earp")
EVENTS: Final = (
    "drew", "discarded", "laid", "attached", "photo-played", "hidden", "given", "asked", "shot", "found", "uncovered",
)  # fmt: skip


@cache
def places() -> dict[str, Place]:
    """A hand's size in a record with each event: the last one in these matches."""
    by_member: dict[str, Place] = {}
    for number in (1, 4):
        for moment in played(TABLE, number, 70):
            for place in moment.places():
                if place.path[:2] == ("public", "hands"):
                    events = [event for step in place.line.body["steps"] for event in step["events"]]
                    by_member.update({event["event"]: place for event in events})
    return by_member


@cache
def reports() -> dict[str, JsonObject]:
    """What the verifier in JavaScript says of each, one card too many and one too few."""
    members = {}
    for event in EVENTS:
        place = places()[event]
        for more in (1, -1):
            members[f"{event} {more}"] = forged(place, get(place.line.body, place.path) + more).lines
    return verify_all({name: list(lines) for name, lines in members.items()})


@pytest.mark.parametrize("more", [1, -1])
@pytest.mark.parametrize("event", EVENTS)
def test_a_false_size_of_a_hand_is_found_at_once_by_both(event: str, more: int) -> None:
    place = places()[event]
    forgery = forged(place, get(place.line.body, place.path) + more)
    assert (place.line.seq, 12, "rules") in rules_by_js(reports()[f"{event} {more}"])
    assert noticed(place, forgery).how.startswith(f"record {place.line.seq}: ")
