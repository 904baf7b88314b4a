"""One pass over a game file: verifier, then replay as far as what was opened reaches."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from typing import Final

from pbem.base.errors import PbemError
from pbem.base.sentences import sentence
from pbem.protocol.audit.report import OPEN, EpochReport, Report
from pbem.protocol.crypto.digest import b64, fingerprint
from pbem.protocol.formats.signed import SHORTEST_LINE
from pbem.protocol.record import ClosedOpenings, Epoch, Fault, Ledger, Line
from pbem.protocol.record.label import labels_of
from pbem.protocol.record.line import read_line
from pbem.protocol.record.open_play import plays_openly
from pbem.protocol.record.replay import NotReadable, Replay
from pbem.protocol.record.table import Table
from pbem.protocol.record.verifier import FOREIGN, Verifier, start_ledger

MOST_SHORT: Final = 1000
"""Lines too short for a record that are told one by one."""
_OPENING: Final = re.compile(rb'"kind":"[a-z-]+","opened":\[')
"""What stands in a line that opens what was hidden; a view may have such a member, too, but not there."""


def audit(lines: Sequence[bytes], *, engine: bool = True) -> Report:
    """Check a whole game file and list every fault.

    Args:
        lines: the file's lines without newlines.
        engine: also replay what is open with the rules; without it only steps (1) to (10) are made.
    """
    report = Report(engine=engine)
    if not lines:
        report.faults.append(Fault(0, 1, "empty", "the game file has no records"))
        return report
    try:
        ledger = start_ledger(lines[0])
    except PbemError as error:
        report.faults.append(Fault(0, 1, "genesis", str(error)))
        return report
    lines = _as_far_as_worth(lines, report)
    closes = _closes(lines) if engine else {}
    closed = {line.body["epoch"] for line in closes.values() if line.kind == "close"}
    verifier = Verifier(ledger, strict=False, openly=engine, replayed=closed)
    replay = _Follower(ledger, ClosedOpenings(line.body for line in closes.values())) if engine else None
    for place, raw in enumerate(lines[1:], 1):
        before = len(ledger.lines)
        faults = verifier.feed_raw(raw, closes.get(place))
        report.faults += faults
        if replay is not None and len(ledger.lines) > before:
            report.faults += [fault for fault in replay.follow(ledger.head) if fault not in faults]
            verifier.replayed = () if replay.stopped else closed
    _summarise(report, ledger, replay)
    return report


def _as_far_as_worth(lines: Sequence[bytes], report: Report) -> Sequence[bytes]:
    """The lines up to the one that makes ``MOST_SHORT`` of them that are too short for records.

    Each of a million empty lines would be a fault of its own: megabytes told of every kilobyte.
    """
    short = (place for place, raw in enumerate(lines) if len(raw) < SHORTEST_LINE)
    end = next(islice(short, MOST_SHORT - 1, None), len(lines)) + 1
    if end < len(lines):
        report.notes.append(
            sentence(
                "{count} lines are too short for a record; what follows them was not looked at",
                count=MOST_SHORT,
            )
        )
    return lines[:end]


class _Follower:
    """Replays line after line until something is still sealed; says so once."""

    def __init__(self, ledger: Ledger, openings: ClosedOpenings) -> None:
        self.ledger = ledger
        self.replay = Replay(Table.fresh(ledger.rules), openings)
        self.stopped = ""
        self.results = 0
        self.epochs: set[int] = set()

    def follow(self, line: Line) -> list[Fault]:
        if self.stopped:
            return []
        try:
            _, faults = self.replay.follow(self.ledger, line)
        except NotReadable as error:
            self.stopped = sentence(
                "from record {seq} on nothing was replayed: {error}", seq=line.seq, error=str(error)
            )
            return []
        except FOREIGN as error:
            self.stopped = sentence("from record {seq} on nothing was replayed", seq=line.seq)
            return [Fault(line.seq, 12, "replay", f"the rules cannot follow this record: {error!r}")]
        if "steps" in line.body:
            self.results += 1
            self.epochs.add(line.body["epoch"])
        return faults


def _closes(lines: Sequence[bytes]) -> dict[int, Line]:
    """The lines that open what was hidden, by their places; unreadable ones are the verifier's business."""
    found = {}
    for place, raw in enumerate(lines):
        if _OPENING.search(raw) is None:
            continue
        with suppress(PbemError):
            line = read_line(raw)
            if "opened" in line.body:
                found[place] = line
    return found


def _summarise(report: Report, ledger: Ledger, replay: _Follower | None) -> None:
    report.ledger, report.records = ledger, len(ledger.lines)
    report.head, report.fingerprint = b64(ledger.head.hash), fingerprint(ledger.head.hash)
    report.game, report.game_id = b64(ledger.game), ledger.info.id
    report.names = {str(seat): player.name for seat, player in ledger.players.items()}
    report.ended = ledger.ended is not None
    report.outcome = ledger.ended.body["outcome"] if ledger.ended else None
    if replay is not None:
        report.replayed = replay.results
        if replay.stopped:
            report.notes.append(replay.stopped)
        if not plays_openly(ledger.rules):
            told = sentence(
                "these rules cannot be played on from public values: they are checked at each close alone"
            )
            report.notes.append(told)
    bad = {fault.seq for fault in report.faults}
    refuted = {fault.seq for fault in report.faults if fault.step == 6}
    for epoch in ledger.epochs.values():
        if epoch.burned or epoch.opened is not None:
            report.epochs.append(_epoch(report, epoch, replay, bad, refuted))
    for line in ledger.lines:
        if line.kind == "burn":
            named = ("epoch", "missing", "back")
            report.burns.append(
                {"record": line.seq} | {name: line.body[name] for name in named if name in line.body}
            )
        elif line.kind == "default":
            report.defaults[line.body["seat"]] += 1
    if not report.ended:
        report.notes.append(
            sentence("the match is not over; what is still sealed was checked only from outside")
        )


def _epoch(
    report: Report, epoch: Epoch, replay: _Follower | None, bad: set[int], refuted: set[int]
) -> EpochReport:
    closed_well = epoch.closed is not None and epoch.closed not in bad
    labels = [
        label
        for line in epoch.results
        for label in labels_of(line, epoch, proven=closed_well, refuted=line.seq in refuted)
    ]
    report.labels += labels
    if not epoch.decks and replay is not None and epoch.number in replay.epochs:
        mode = OPEN
    elif epoch.closed is None:
        mode = "sealed"
    else:
        mode = OPEN if replay is None or epoch.number in replay.epochs else "closed"
    counts = Counter(label.label for label in labels)
    laid = epoch.again, epoch.thrown_away, epoch.left_out, epoch.retaken, epoch.served, epoch.unknown
    return EpochReport(epoch.number, mode, len(epoch.results), counts, epoch.burned, *laid)
