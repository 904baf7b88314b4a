"""How sure a draw is: ``fair``, ``fair after reveal`` or ``bound only`` (schemas/README.md §4.4)."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.base.values import dataclass, replace
from pbem.game import JsonObject
from pbem.protocol.record.ledger import Epoch
from pbem.protocol.record.line import Line

FAIR = "fair"
AFTER_REVEAL = "fair after reveal"
BOUND = "bound only"
REFUTED = "refuted"
"""The record says something else than what was laid or rolled."""


@dataclass(frozen=True, slots=True)
class Label:
    """One draw of a record with its proof status; members that do not apply are empty."""

    seq: int
    step: int
    index: int
    kind: str
    """``card`` (face up), ``hand`` (into a hand, nobody else knows which) or ``roll``."""
    label: str
    seat: str
    text: str
    source: str
    gen: int = 0
    number: int = 0
    place: int | None = None
    salt: str = ""
    link: str = ""
    sides: int = 0
    purpose: str = ""
    again: tuple[str, ...] = ()
    """Seats for whose missing links the deck or tape was laid again: the draw is a re-roll that everybody saw."""

    @property
    def verdict(self) -> str:
        """The label in words, with whose missing link made this a re-roll."""
        again = f", laid again for the missing link of {', '.join(self.again)}" if self.again else ""
        return self.label + again


def labels_of(line: Line, epoch: Epoch | None, *, proven: bool, refuted: bool = False) -> Iterator[Label]:
    """Every draw of a record, labelled.

    Args:
        line: the record.
        epoch: its epoch, if there is one.
        proven: the close of the epoch was checked and held.
        refuted: a draw of this record did not hold; none of its draws is believed then.
    """
    for number, step in enumerate(line.body.get("steps", ())):
        for index, entry in enumerate(step["chance"]):
            if "shuffle" in entry:
                continue
            status = REFUTED if refuted else _status(entry, epoch, proven=proven)
            label = _label(line.seq, number, index, status, step.get("seat", ""), entry)
            yield replace(label, again=epoch.again) if epoch is not None and epoch.again else label


def _status(entry: JsonObject, epoch: Epoch | None, *, proven: bool) -> str:
    if epoch is None or not epoch.sound:
        return BOUND
    if entry.get("gen", 0) == 0:
        return FAIR
    return AFTER_REVEAL if proven and epoch.closed is not None else BOUND


def _label(seq: int, step: int, index: int, status: str, seat: str, entry: JsonObject) -> Label:
    if "roll" in entry:
        return Label(
            seq,
            step,
            index,
            "roll",
            status,
            seat,
            str(entry["value"]),
            entry["roll"],
            number=entry["j"],
            link=entry["link"],
            sides=entry["sides"],
            purpose=entry["for"],
        )
    open_card = entry["to"] == "table"
    return Label(
        seq,
        step,
        index,
        "card" if open_card else "hand",
        status,
        seat if open_card else entry["to"],
        entry.get("card", ""),
        entry["draw"],
        gen=entry["gen"],
        number=entry["k"],
        place=entry.get("place"),
        salt=entry.get("salt", ""),
    )
