"""Luck against expectation: every shot and die of a match with the chance it had, and whether it succeeded.

The draws are the record's; the chances are the game's own (``rules.trials``). Nothing here is needed to prove a
draw: it only shows a person whether somebody was lucky.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from pbem.base.values import dataclass
from pbem.game import AnyRules, JsonObject, Trial
from pbem.protocol.record import Label, Line


@dataclass(frozen=True, slots=True)
class Draw:
    """One trial: a shot or a hit roll, its record and how well it is proven."""

    seq: int
    trial: Trial
    label: str

    @property
    def odds(self) -> Fraction:
        """The chance of success before it fell."""
        favourable, possible = self.trial.chance
        return Fraction(favourable, possible) if possible else Fraction(0)

    def to_json(self) -> JsonObject:
        """For programs."""
        return {
            "record": self.seq,
            "seat": self.trial.seat,
            "for": self.trial.label,
            "chance": list(self.trial.chance),
            "success": self.trial.success,
            "label": self.label,
        }


@dataclass(frozen=True, slots=True)
class Luck:
    """One seat's trials for one purpose together; an empty ``purpose`` means all of them."""

    seat: str
    purpose: str
    count: int
    hits: int
    expected: Fraction
    spread: float
    """Standard deviation of the number of hits."""

    @property
    def sigmas(self) -> float:
        """How many standard deviations the hits lie above expectation; 0 where nothing could vary."""
        return float(self.hits - self.expected) / self.spread if self.spread else 0.0

    def to_json(self) -> JsonObject:
        """For programs; the expectation in thousandths, since there are no floats in pbem's JSON."""
        thousandths = round(self.expected * 1000)
        return {
            "seat": self.seat,
            "for": self.purpose,
            "count": self.count,
            "hits": self.hits,
            "expected_thousandths": thousandths,
        }


def draws_of(rules: AnyRules, lines: Iterable[Line], labels: Sequence[Label]) -> list[Draw]:
    """Every trial of these records, in order, with the weakest label among the open draws of its record."""
    by_record: dict[int, list[str]] = {}
    for label in labels:
        if label.kind != "hand":
            by_record.setdefault(label.seq, []).append(label.label)
    draws: list[Draw] = []
    public: JsonObject | None = None
    views: dict[int, JsonObject | None] = {}
    for line in lines:
        if line.kind == "rewind":
            public = views.get(line.body["what"]["to"]["seq"])
        elif "steps" in line.body:
            weakest = min(by_record.get(line.seq, []), key=_ORDER.index, default="")
            draws += [Draw(line.seq, trial, weakest) for trial in rules.trials(line.body["steps"], public)]
            public = line.body["public"]
        views[line.seq] = public
    return draws


_ORDER = ("refuted", "bound only", "fair after reveal", "fair")


def luck_of(draws: Sequence[Draw]) -> list[Luck]:
    """By seat and kind, then each seat's sum, in the order in which the seats first tried."""
    kinds = dict.fromkeys((draw.trial.seat, draw.trial.label) for draw in draws)
    seats = dict.fromkeys(seat for seat, _ in kinds)
    rows = []
    for seat in seats:
        mine = [draw for draw in draws if draw.trial.seat == seat]
        for owner, label in kinds:
            if owner == seat:
                rows.append(_sum(seat, label, [draw for draw in mine if draw.trial.label == label]))
        if sum(1 for owner, _ in kinds if owner == seat) > 1:
            rows.append(_sum(seat, "", mine))
    return rows


def _sum(seat: str, label: str, draws: Sequence[Draw]) -> Luck:
    odds = [draw.odds for draw in draws]
    variance = sum((p * (1 - p) for p in odds), Fraction(0))
    hits = sum(draw.trial.success for draw in draws)
    return Luck(seat, label, len(draws), hits, sum(odds, Fraction(0)), float(variance) ** 0.5)
