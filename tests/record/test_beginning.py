"""Record 0: what does not begin as a match must is no match, whoever reads it."""

from __future__ import annotations

import pytest

from pbem.audit import audit
from pbem.crypto.digest import b64
from pbem.crypto.identity import Identity
from pbem.errors import PbemError
from pbem.game import JsonObject
from pbem.record import Record
from tests.verifier.forging import Forge
from tests.world import World, secret


@pytest.mark.parametrize(
    ("members", "says"),
    [
        ({"_seq": 1}, "does not begin with a genesis record"),
        ({"_prev": b64(bytes(32))}, "does not begin with a genesis record"),
        ({"_key": Identity(secret("a stranger"))}, "another key than the host's"),
        ({"rules": {"id": "poker", "version": 1}}, "poker"),
        ({"rules": {"id": "wyatt-earp", "version": 99}}, "99"),
        ({"seats": ["anna"]}, "seats"),
        ({"options": {"tie_payment": "half"}}, "options without a value"),
        ({"setup": {"dealer": "zed"}}, "zed"),
        ({"deadlines": {"hours": -1}}, "hours"),
    ],
)
def test_a_file_that_begins_wrongly_is_no_match(members: JsonObject, says: str) -> None:
    forge = Forge(World("wyatt-earp", ("anna", "burt")))
    lines = forge.edited(lambda bodies: bodies[0].update(members))
    with pytest.raises(PbemError, match=says):
        Record.load(lines)
    (fault,) = audit(lines).faults
    assert (fault.seq, fault.step, fault.code) == (0, 1, "genesis")
    assert says in fault.sentence


def test_a_file_that_begins_with_another_record_is_no_match() -> None:
    world = World("wyatt-earp", ("anna", "burt"))
    world.join("anna")
    with pytest.raises(PbemError, match="does not begin with a genesis record"):
        Record.load(world.lines[1:])
    assert [(fault.step, fault.code) for fault in audit(world.lines[1:]).faults] == [(1, "genesis")]
    with pytest.raises(PbemError, match="no records"):
        Record.load([])
