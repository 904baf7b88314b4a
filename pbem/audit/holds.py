"""How far a game file holds: record by record, up to the first that does not."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.errors import FormatError, PbemError
from pbem.record import Record
from pbem.record.ahead import Checking, checked_ahead
from pbem.sentences import sentence
from pbem.values import dataclass


@dataclass(frozen=True, slots=True)
class Holding:
    """The match as far as it holds, how many records that are, and why the next one does not; None if all do.

    ``record`` is None if not even the first one holds.
    """

    record: Record | None
    records: int
    fault: PbemError | None


def holding(lines: Sequence[bytes], checking: Checking | None = None) -> Holding:
    """Check these lines, with nothing believed that was checked before; ``checking``: as for an audit."""
    if not lines:
        return Holding(None, 0, FormatError(sentence("the game file has no records")))
    try:
        record = Record.begin(lines[0])
    except PbemError as fault:
        return Holding(None, 0, fault)
    with checked_ahead(lines, checking) as fed:
        for index, (raw, known) in enumerate(fed, 1):
            try:
                record.take(raw, known)
            except PbemError as fault:
                return Holding(record, index, fault)
    return Holding(record, len(lines), None)
