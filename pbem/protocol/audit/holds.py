"""How far a game file holds: record by record, up to the first that does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pbem.base.errors import FormatError, PbemError
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.game import JsonObject
from pbem.protocol.crypto.digest import fingerprint, short_id
from pbem.protocol.record import Record


@dataclass(frozen=True, slots=True)
class Holding:
    """The match as far as it holds, how many records that are, and why the next one does not; None if all do.

    ``record`` is None if not even the first one holds.
    """

    record: Record | None
    records: int
    fault: PbemError | None
    cut: bool = False
    """Whether the one that does not hold is the last and no record at all: the file may have been cut off in it."""

    def to_json(self) -> JsonObject:
        """The same for programs: ``match``, ``rules``, ``head``, ``over`` and ``draws`` only if record 0 holds."""
        facts: JsonObject = {"ok": self.fault is None, "records": self.records}
        if self.record is not None:
            record = self.record
            labels = [label for line in record.lines for label in record.labels(line.seq)]
            facts |= {
                "match": short_id(record.game),
                "rules": record.game_info.id,
                "head": {"seq": record.head.seq, "fingerprint": fingerprint(record.head.hash)},
                "over": record.over,
                "draws": dict(Counter(label.label for label in labels)),
            }
        if self.fault is not None:
            told = sentence("{fault} (the file may have been cut off here)", fault=str(self.fault))
            facts["fault"] = {"record": self.records, "text": told if self.cut else str(self.fault)}
        return facts


def holding(lines: Sequence[bytes]) -> Holding:
    """Check these lines, with nothing believed that was checked before."""
    if not lines:
        return Holding(None, 0, FormatError(sentence("the match file has no records")))
    try:
        record = Record.begin(lines[0])
    except PbemError as fault:
        return Holding(None, 0, fault)
    for index, raw in enumerate(lines[1:], 1):
        try:
            record.take(raw)
        except PbemError as fault:
            cut = isinstance(fault, FormatError) and index == len(lines) - 1
            return Holding(record, index, fault, cut)
    return Holding(record, len(lines), None)
