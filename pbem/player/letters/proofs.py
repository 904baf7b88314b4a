"""The proof of every face-up card and die, as numbers that a reader can check by hand (schemas/README.md §4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pbem.base.values import dataclass
from pbem.game import JsonObject
from pbem.player.letters.source import Label, Line, Source


@dataclass(frozen=True, slots=True)
class Proof:
    """One face-up card (``deck`` set) or one die (``tape`` set).

    ``laid`` is the record that holds the deck's leaves or the tape's anchor; ``purpose`` what a roll was for.
    """

    seq: int
    label: str
    laid: int
    deck: str = ""
    gen: int = 0
    k: int = 0
    place: int = 0
    card: str = ""
    salt: str = ""
    tape: str = ""
    j: int = 0
    sides: int = 0
    value: int = 0
    link: str = ""
    purpose: str = ""
    again: tuple[str, ...] = ()
    """Seats for whose missing links the deck or tape was laid again."""
    retaken: bool = False
    thrown_away: int = 0
    left_out: tuple[str, ...] = ()
    cut_by: tuple[str, ...] = ()
    served: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def proofs_of(source: Source, lines: Sequence[Line]) -> list[Proof]:
    """The proofs of these lines, in the order of the chance lists."""
    return [proof for line in lines for proof in _of_line(source, line)]


def _of_line(source: Source, line: Line) -> Iterator[Proof]:
    labels: dict[tuple[int, int], Label] | None = None
    for number, step in enumerate(line.body.get("steps", ())):
        for index, chance in enumerate(step["chance"]):
            if "roll" not in chance and chance.get("to") != "table":
                continue
            if labels is None:
                labels = {(label.step, label.index): label for label in source.labels(line.seq)}
            label = labels.get((number, index))
            proof = _proof(source, line, chance, label.label if label else "not judged")
            yield (
                proof
                if label is None
                else replace(
                    proof,
                    again=label.again,
                    retaken=label.retaken,
                    thrown_away=label.thrown_away,
                    left_out=label.left_out,
                    cut_by=label.cut_by,
                    served=label.served,
                    unknown=label.unknown,
                )
            )


def chances(body: JsonObject) -> Iterator[JsonObject]:
    """All chance entries of a record, in order."""
    for step in body.get("steps", ()):
        yield from step["chance"]


def _proof(source: Source, line: Line, chance: JsonObject, label: str) -> Proof:
    if "roll" in chance:
        return Proof(
            line.seq,
            label,
            _announced(source, line),
            tape=chance["roll"],
            j=chance["j"],
            sides=chance["sides"],
            value=chance["value"],
            link=chance["link"],
            purpose=chance["for"],
        )
    return Proof(
        line.seq,
        label,
        _laid(source, line, chance["draw"], chance["gen"]),
        deck=chance["draw"],
        gen=chance["gen"],
        k=chance["k"],
        place=chance["place"],
        card=chance["card"],
        salt=chance["salt"],
    )


def _announced(source: Source, line: Line) -> int:
    for seq in reversed(source.index.of_kinds(("announce",), line.seq - 1)):
        if source.lines[seq].body["epoch"] == line.body["epoch"]:
            return seq
    return -1


def _laid(source: Source, line: Line, deck: str, gen: int) -> int:
    """The record with the leaves: the announcement, or the step that shuffled the generation in."""
    if gen == 0:
        return _announced(source, line)
    for seq in range(line.seq, -1, -1):
        earlier = source.lines[seq]
        for chance in chances(earlier.body):
            if chance.get("shuffle") == deck and chance["gen"] == gen:
                return earlier.seq
    return -1
