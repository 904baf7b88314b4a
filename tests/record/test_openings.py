"""What a host opens: by the very bytes that are asked for, and never for longer than one more question."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pbem.base.errors import VerificationError
from pbem.protocol.record import HostOpenings
from pbem.protocol.record.ledger import SealedPart
from tests.world import World


def _asked(world: World) -> list[SealedPart]:
    """The sealed parts of the files that were recorded, oldest first."""
    bodies = [line.body["msg"]["body"] for line in world.record.lines if line.kind == "turn"]
    return [
        SealedPart(body["seat"], body["n"], part, body[part], -1, None)
        for body in bodies
        for part in ("sealed", "orders")
        if part in body
    ]


def test_a_part_is_opened_by_its_own_bytes_and_not_by_its_name() -> None:
    world = World("wyatt-earp", ("anna", "burt"), seed="openings").start().play(6)
    first, other = _asked(world)[:2]
    openings = HostOpenings(world.host, world.record.lines[0])
    content = openings.open(first)
    forged = replace(first, sealed=other.sealed)  # the same seat, number and part; other bytes
    with pytest.raises(VerificationError):
        openings.open(forged)
    for _ in range(3):  # cached, dropped, opened again: always the same
        assert openings.open(first) == content
