"""Luck counts every die once, whichever record its fight began in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pbem.game import JsonObject, Trial
from pbem.protocol.audit import draws_of
from tests.world import World


def test_dice_of_a_fight_over_several_records_are_all_counted() -> None:
    world = World("way-out-west", ("anna", "burt", "curt"), seed="fights").start().play(150)
    dice, later, farmer = 0, 0, False
    for line in world.record.lines:
        events = [event for step in line.body.get("steps", ()) for event in step["events"]]
        begins = any(event["event"] == "gunfight" for event in events)
        for event in events:
            if event["event"] == "gunfight":
                farmer = event["defender"] == "farmer"
            elif event["event"] == "volley" and not (farmer and event["side"] == "defence"):
                dice += len(event["dice"])
                later += 0 if begins else len(event["dice"])
    draws = draws_of(world.record.rules, world.record.lines, [])
    assert len(draws) == dice
    assert later > 5


@dataclass(frozen=True)
class _Line:
    seq: int
    kind: str
    body: JsonObject


@dataclass
class _Rules:
    """Remembers from which public view it was asked to look at steps."""

    asked: list[JsonObject | None] = field(default_factory=list)

    def trials(self, steps: Sequence[JsonObject], before: JsonObject | None) -> tuple[Trial, ...]:
        assert steps == []
        self.asked.append(before)
        return ()


def test_after_a_rewind_the_dice_belong_to_the_position_it_went_back_to() -> None:
    def result(seq: int) -> _Line:
        return _Line(seq, "turn", {"steps": [], "public": {"after": seq}})

    back = _Line(5, "rewind", {"what": {"to": {"seq": 2}}})
    lines: Any = [
        _Line(0, "genesis", {}),
        result(1),
        result(2),
        result(3),
        _Line(4, "turn", {}),
        back,
        result(6),
    ]
    rules: Any = _Rules()
    draws_of(rules, lines, [])
    assert rules.asked == [None, {"after": 1}, {"after": 2}, {"after": 2}]
