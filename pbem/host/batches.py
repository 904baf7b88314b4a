"""Which records were committed together: a function of the record, so that letters can be made again from it.

A ruling writes a first record and what follows of itself (``referee.draft.go_on``): announcements, openings, closes
and the end. So a batch begins at every record that somebody caused.
"""

from __future__ import annotations

from collections.abc import Sequence

from pbem.base.values import dataclass
from pbem.game import Seat
from pbem.protocol.record import Line

_FOLLOWS = frozenset({"announce", "open", "close"})
_BURNS = frozenset({"default", "substitute", "rekey"})
"""After these the host burns for a link that will not come."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Records ``first`` to ``last``; ``sender`` is the seat whose file caused them, if one did."""

    first: int
    last: int
    sender: Seat | None


def batches_of(lines: Sequence[Line]) -> list[Batch]:
    """All batches of a game file, in order."""
    starts = [line.seq for line in lines if _begins(lines, line)]
    ends = [start - 1 for start in starts[1:]] + [len(lines) - 1]
    return [Batch(start, end, _sender(lines[start])) for start, end in zip(starts, ends, strict=True)]


def _begins(lines: Sequence[Line], line: Line) -> bool:
    if line.seq == 0:
        return True
    before = lines[line.seq - 1]
    if line.kind in ("close", "end"):
        return "consents" in line.body
    if line.kind == "burn":
        return "back" not in line.body and (before.kind not in _BURNS or line.at != before.at)
    # What follows of itself is written at the same moment; after a pause that ended by itself, at a later one.
    return line.kind not in _FOLLOWS or line.at != before.at


def _sender(line: Line) -> Seat | None:
    message = line.body.get("msg")
    return Seat(message["body"]["seat"]) if message else None
