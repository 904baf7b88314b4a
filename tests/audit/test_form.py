"""What a game's values look like is looked at in every record, whatever words stand in it."""

from __future__ import annotations

import json

import pytest

from pbem.protocol.audit import audit
from tests.record.tampering import name_of, signed
from tests.world import World


@pytest.mark.parametrize("kind", ["end", "close", "turn"])
def test_a_view_with_a_foreign_member_is_a_fault_even_if_it_holds_the_name_of_a_kind(kind: str) -> None:
    world = World("wyatt-earp", ("anna", "burt"), seed="form").start().play(3)
    *before, last = world.lines
    assert audit(world.lines).ok
    body = json.loads(last)["body"]
    body["public"]["odd"] = {"kind": kind, "opened": []}
    report = audit([*before, signed(body, world.host, name_of(before[0]))])
    assert [(fault.seq, fault.step, fault.code) for fault in report.faults] == [(len(before), 1, "malformed")]
