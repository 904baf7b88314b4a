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
    retaken: bool = False
    """Whether that was since these seats were taken again by their invitation: who held it could compare as well."""
    thrown_away: int = 0
    """How many layings were burned for it; the host and the seats of ``again`` together could have compared them."""
    left_out: tuple[str, ...] = ()
    """Seats without a link in the cut: for them the host and all seats of ``cut_by`` could have chosen the draw."""
    cut_by: tuple[str, ...] = ()
    """Seats whose links made the cut."""
    served: tuple[str, ...] = ()
    """Seats of the cut whose part was made in a page that the host serves, as they say: it counts for nothing."""
    unknown: tuple[str, ...] = ()
    """Where the host serves a page, the other seats of the cut: what made their parts no record can show."""


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
            yield label if epoch is None else aimable(label, epoch)


def aimable(label: Label, epoch: Epoch) -> Label:
    """The label with who could have chosen the draw beside the host with every seat (schemas/README.md §4.4)."""
    if not (epoch.again or epoch.left_out or epoch.page or epoch.served):
        return label
    return replace(
        label,
        again=epoch.again,
        retaken=epoch.retaken,
        thrown_away=epoch.thrown_away,
        left_out=epoch.left_out,
        cut_by=epoch.seats if epoch.left_out else (),
        served=epoch.served,
        unknown=epoch.unknown,
    )


def _status(entry: JsonObject, epoch: Epoch | None, *, proven: bool) -> str:
    if epoch is None or not epoch.sound or not epoch.honest:
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
