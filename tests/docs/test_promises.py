"""What 1.0 freezes (schemas/README.md §17), as far as it can be shown: promises are kept, unknown names refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pbem.base.errors import PbemError
from pbem.game import JsonObject
from pbem.protocol.audit import audit
from pbem.protocol.record import Record
from tests.docs.promises import promised, there_is
from tests.forge import Forge
from tests.verifier.node import verify_all
from tests.world import World


def test_nothing_that_programs_rely_on_is_gone() -> None:
    """Before 1.0 a name may still be removed from ``promised.json`` by hand; ``python -m tests.docs.promises`` adds."""
    today = there_is()
    gone = {kind: sorted(set(names) - set(today.get(kind, ()))) for kind, names in promised().items()}
    assert {kind: names for kind, names in gone.items() if names} == {}
    assert not promised().keys() - today.keys()


UNKNOWN: dict[str, Callable[[JsonObject], object]] = {
    "found a number 2": lambda body: body.update(pbem=2),
    "pbem-draw-2": lambda body: body["draw"].update(alg="pbem-draw-2"),
    "99": lambda body: body["rules"].update(version=99),
    "poker": lambda body: body["rules"].update(id="poker"),
}
"""What the refusal says: the format, the drawing procedure, the number of the rules, the game."""


@pytest.mark.parametrize("name", UNKNOWN)
def test_a_name_that_is_not_known_is_refused_and_shown(name: str) -> None:
    """Both verifiers, and whoever loads it; the whole file is signed by its host under that name."""
    forge = Forge(World("way-out-west", ("anna", "burt", "curt")))
    bodies = forge.bodies()
    UNKNOWN[name](bodies[0])
    lines = forge.write(bodies)
    report = audit(lines)
    assert not report.ok
    assert name in report.faults[0].sentence
    with pytest.raises(PbemError, match=name):
        Record.load(lines)
    (fault, *_) = verify_all({"file": lines})["file"]["faults"]
    assert fault["record"] == 0
    assert name.removeprefix("found a number ") in fault["text"]
