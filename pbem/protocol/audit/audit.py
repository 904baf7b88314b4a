"""One pass over a game file: verifier, then replay as far as what was opened reaches."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from itertools import islice
from typing import Final

from pbem.base.errors import FormatError, PbemError
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.game import JsonObject
from pbem.protocol.crypto.digest import b64, fingerprint, short_id
from pbem.protocol.formats.envelopes import SHORTEST_LINE
from pbem.protocol.record import ClosedOpenings, Epoch, Fault, Label, Ledger, Line, Record
from pbem.protocol.record.kinds import KINDS
from pbem.protocol.record.kinds.burn import BURN
from pbem.protocol.record.kinds.genesis import GENESIS
from pbem.protocol.record.line import read_line
from pbem.protocol.record.open_play import plays_openly
from pbem.protocol.record.play import Table
from pbem.protocol.record.record import NotReadable, Replay, labels_of
from pbem.protocol.record.verifier import BAD_VALUE_ERRORS, Verifier, start_ledger

MOST_SHORT: Final = 1000
"""Lines too short for a record that are shown one by one."""
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
        report.faults.append(Fault(0, 1, "empty", sentence("the match file has no records")))
        return report
    try:
        ledger = start_ledger(lines[0])
    except PbemError as error:
        report.faults.append(Fault(0, 1, GENESIS.name, str(error)))
        return report
    lines = _as_far_as_worth(lines, report)
    closes = _closes(lines) if engine else {}
    closed = {line.body["epoch"] for line in closes.values() if KINDS[line.kind].ends == "epoch"}
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

    Each of a million empty lines would be a fault of its own: megabytes of report for each kilobyte of the file.
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
            faults = self.replay.follow(self.ledger, line)
        except NotReadable as error:
            self.stopped = sentence(
                "from record {seq} on nothing was replayed: {error}", seq=line.seq, error=str(error)
            )
            return []
        except BAD_VALUE_ERRORS as error:
            self.stopped = sentence("from record {seq} on nothing was replayed", seq=line.seq)
            return [line.fault(12, "replay", "the rules cannot follow this record: {error}", error=error)]
        if "steps" in line.body:
            self.results += 1
            self.epochs.add(line.body["epoch"])
        return faults


def _closes(lines: Sequence[bytes]) -> dict[int, Line]:
    """The lines that open what was hidden, by their places; unreadable ones are left to the verifier."""
    closing = {}
    for place, raw in enumerate(lines):
        if _OPENING.search(raw) is None:
            continue
        with suppress(PbemError):
            line = read_line(raw)
            if "opened" in line.body:
                closing[place] = line
    return closing


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
            text = sentence(
                "these rules cannot be played on from public values: they are checked at each close alone"
            )
            report.notes.append(text)
    bad = {fault.seq for fault in report.faults}
    refuted = {fault.seq for fault in report.faults if fault.step == 6}
    for epoch in ledger.epochs.values():
        if epoch.burned or epoch.opened is not None:
            report.epochs.append(_epoch(report, epoch, replay, bad, refuted))
    for line in ledger.lines:
        if line.kind == BURN.name:
            named = ("epoch", "missing", "back")
            report.burns.append(
                {"record": line.seq} | {name: line.body[name] for name in named if name in line.body}
            )
        elif line.kind in KINDS and KINDS[line.kind].lapses:
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
    cut_by = epoch.seats if epoch.left_out else ()
    cut = epoch.again, epoch.thrown_away, epoch.left_out, epoch.retaken, epoch.served, epoch.unknown, cut_by
    return EpochReport(epoch.number, mode, len(epoch.results), counts, epoch.burned, *cut)


# --- the result of an audit, as data; sentences for people are made elsewhere -----------------------------

OPEN: Final = "open"
"""The mode of an epoch that was closed and replayed."""


@dataclass(frozen=True, slots=True)
class EpochReport:
    """One epoch: ``mode`` is ``OPEN`` (closed and replayed), ``closed`` (not replayed) or ``sealed``."""

    number: int
    mode: str
    records: int
    draws: Mapping[str, int]
    burned: bool = False
    again: tuple[str, ...] = ()
    """Seats for whose missing links it was laid again: its draws are a re-roll that everybody saw."""
    thrown_away: int = 0
    """How many epochs right before it were laid and burned."""
    left_out: tuple[str, ...] = ()
    """Seats without a link in its cut: for them the host and all others together could have chosen its draws."""
    retaken: bool = False
    """Whether it was laid again since those seats were taken again by their invitation."""
    served: tuple[str, ...] = ()
    """Seats whose part of its cut was made in a page that the host serves, as they say."""
    unknown: tuple[str, ...] = ()
    """Where the host serves a page: the others, of whose parts no record can show what made them."""
    cut_by: tuple[str, ...] = ()
    """Where a seat was left out: all who made the cut."""


@dataclass(slots=True)
class Report:
    """The result of an audit; ``ok`` if no fault was found."""

    records: int = 0
    head: str = ""
    fingerprint: str = ""
    game: str = ""
    game_id: str = ""
    names: dict[str, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    epochs: list[EpochReport] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    burns: list[JsonObject] = field(default_factory=list)
    defaults: Counter[str] = field(default_factory=Counter)
    engine: bool = True
    replayed: int = 0
    ended: bool = False
    outcome: JsonObject | None = None
    ledger: Ledger | None = None
    """What the file says, faults and all; None if record 0 does not hold."""

    @property
    def ok(self) -> bool:
        """Whether no fault was found."""
        return not self.faults

    @property
    def mode(self) -> str:
        """``open`` if everything that was dealt or rolled is open now, else ``sealed``."""
        return OPEN if all(epoch.mode == OPEN or epoch.burned for epoch in self.epochs) else "sealed"

    @property
    def counts(self) -> Counter[str]:
        """How many draws have which label."""
        return Counter(label.label for label in self.labels)

    @property
    def hidden_from(self) -> str | None:
        """From whom draws were hidden, if a host plays; else, or without a record 0, None."""
        ledger = self.ledger
        return None if ledger is None or ledger.host_seat is None else ledger.hidden_from

    def to_json(self) -> JsonObject:
        """The report for programs."""
        return ({} if self.hidden_from is None else {"hidden_from": self.hidden_from}) | {
            "pbem": "audit/1",
            "game": self.game,
            "rules": self.game_id,
            "records": self.records,
            "head": self.head,
            "fingerprint": self.fingerprint,
            "ok": self.ok,
            "mode": self.mode,
            "engine": self.engine,
            "replayed": self.replayed,
            "ended": self.ended,
            "outcome": self.outcome,
            "faults": [
                {"record": f.seq, "step": f.step, "code": f.code, "text": f.sentence} for f in self.faults
            ],
            "notes": self.notes,
            "draws": {key: self.counts.get(key, 0) for key in ("fair", "fair after reveal", "bound only")},
            "burns": self.burns,
            "defaults": dict(self.defaults),
            "epochs": [
                {"epoch": e.number, "mode": e.mode, "records": e.records, "draws": dict(e.draws)}
                | ({"again": list(e.again), "thrown_away": e.thrown_away} if e.again else {})
                | ({"retaken": True} if e.retaken else {})
                | ({"left_out": list(e.left_out)} if e.left_out else {})
                | ({"served": list(e.served)} if e.served else {})
                | ({"unknown": list(e.unknown)} if e.unknown else {})
                for e in self.epochs
            ],
        }


# --- how far a game file holds: record by record, up to the first that does not ---------------------------


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
            text = sentence("{fault} (the file may have been cut off here)", fault=str(self.fault))
            facts["fault"] = {"record": self.records, "text": text if self.cut else str(self.fault)}
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
