"""What each verifier found, in one form: record, step and code of every fault."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.game import JsonObject
from pbem.protocol.audit import Report, audit
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.record.line import write_line
from tests.verifier.node import verify_all
from tests.world import World

FaultPlace = tuple[int, int, str]


def found_by_python(report: Report) -> list[FaultPlace]:
    """The faults of ``pbem audit``."""
    return [(fault.seq, fault.step, fault.code) for fault in report.faults]


RULES = 12
"""The step in which both play on in the open; ``pbem audit`` without its engine leaves it out."""


def found_by_js(report: JsonObject) -> list[FaultPlace]:
    """The faults of the second verifier, but what it finds by the rules."""
    return [fault for fault in _faults(report) if fault[1] != RULES]


def rules_by_js(report: JsonObject) -> list[FaultPlace]:
    """What the second verifier finds by the rules."""
    return [fault for fault in _faults(report) if fault[1] == RULES]


def _faults(report: JsonObject) -> list[FaultPlace]:
    return [(fault["record"], fault["step"], fault["code"]) for fault in report["faults"]]


def first_fault(faults: Sequence[FaultPlace]) -> FaultPlace | None:
    """Record, step and code of the first fault, in the order of the file and of schemas/README.md §11."""
    return min(faults, key=lambda fault: fault[:2], default=None)


def place(faults: Sequence[FaultPlace]) -> tuple[int, int] | None:
    """Where the first fault is. A record that lies about its number, or is none, is known by its step alone."""
    first = first_fault(faults)
    if first is None:
        return None
    return (-1, 1) if first[2] in ("seq", "prev", "malformed", "signature", "genesis") else first[:2]


def same_place(py: Sequence[FaultPlace], js: Sequence[FaultPlace], *, in_action: bool = False) -> bool:
    """Whether both name the same place first.

    ``in_action``: a value inside an action was changed. Where it is none of the game any more, only a verifier with the
    game's schemas says so of the form (schemas/README.md §11, 1); the other finds in the same record that it was not
    signed so.
    """
    ours, theirs = first_fault(py), first_fault(js)
    if in_action and ours and theirs and ours[1:] == (1, "malformed"):
        return ours[0] == theirs[0]
    return place(py) == place(js)


def codes_of_last(lines: Sequence[bytes]) -> set[str]:
    """The codes of what is wrong with the last record, which both verifiers find in the same steps."""
    everything = found_by_python(audit(lines)), _faults(verify_all({"match": lines})["match"])
    ours, theirs = ({fault[1:] for fault in faults if fault[0] == len(lines) - 1} for faults in everything)
    assert ours == theirs, (ours, theirs)
    return {code for _, code in ours}


def with_record(world: World, kind: str, members: JsonObject, by: Identity | None = None) -> list[bytes]:
    """The match with one more record, signed by a host who asks no second reader."""
    line = write_line(kind, members, by or world.host, game=world.record.game, after=world.head, at=world.now)
    return [*world.lines, line.raw]
