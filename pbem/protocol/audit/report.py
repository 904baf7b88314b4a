"""What an audit found, as data; sentences for people are made elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import field
from typing import Final

from pbem.base.values import dataclass
from pbem.game import JsonObject
from pbem.protocol.record import Fault, Label, Ledger

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
    """How many layings were burned for it."""
    left_out: tuple[str, ...] = ()
    """Seats without a link in its cut: for them the host and all others together could have chosen its draws."""
    retaken: bool = False
    """Whether it was laid again since those seats were taken again by their invitation."""
    served: tuple[str, ...] = ()
    """Seats whose part of its cut was made in a page that the host serves, as they say."""
    unknown: tuple[str, ...] = ()
    """Where the host serves a page: the others, of whose parts no record can show what made them."""


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
        return "open" if all(epoch.mode == "open" or epoch.burned for epoch in self.epochs) else "sealed"

    @property
    def counts(self) -> Counter[str]:
        """How many draws have which label."""
        return Counter(label.label for label in self.labels)

    @property
    def hidden_from(self) -> str | None:
        """From whom draws were hidden, if a host plays or another took over; else, or without a record 0, None."""
        ledger = self.ledger
        told = ledger is not None and (ledger.hosts or ledger.host_seat is not None)
        return ledger.hidden_from if ledger is not None and told else None

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
