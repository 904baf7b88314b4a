"""Every shot and die of a match, with the chance it had and whether it succeeded.

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
