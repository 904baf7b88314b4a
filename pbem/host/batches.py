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
    if line.kind == "close":
        return _ends_by_consent(lines, line)
    if line.kind == "end":
        return "consents" in line.body and not (before.kind == "close" and _ends_by_consent(lines, before))
    if line.kind == "burn":
        return before.kind not in _BURNS or line.at != before.at
    # What follows of itself is written at the same moment; after a pause that ended by itself, at a later one.
    return line.kind not in _FOLLOWS or line.at != before.at


def _ends_by_consent(lines: Sequence[Line], close: Line) -> bool:
    """Whether this close belongs to an end that people agreed to: a seat was still asked when it was written."""
    after = next((line for line in lines[close.seq :] if line.kind != "close"), None)
    if after is None or after.kind != "end" or "consents" not in after.body:
        return False
    results = [line for line in lines[: close.seq] if "public" in line.body]
    first_close = lines[close.seq - 1].kind != "close"
    return first_close and bool(results) and "waiting" in results[-1].body["public"]


def _sender(line: Line) -> Seat | None:
    message = line.body.get("msg")
    return Seat(message["body"]["seat"]) if message else None
