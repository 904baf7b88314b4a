"""A match put together from pieces: the records of emails and files, whoever kept them (schemas/README.md §9).

Records are put together by number and ``prev``; only those with the host's signature count. What contradicts the
longest history is named with the places that hold it: another record that the host signed too proves two histories,
an unsigned one was altered on the way. Nothing here reads a disk or a mailbox; bytes and names come in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from pbem.base.errors import PbemError
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.protocol.audit.refusal import wrong_refusals
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.record import Line
from pbem.protocol.record.line import read_line, verify_entry

MOST_FINDINGS = 100
"""Contradictions of one match that are named one by one."""


@dataclass(frozen=True, slots=True)
class KeptRecords:
    """Records and signed files of one email or file, with the name of the place."""

    place: str
    lines: tuple[bytes, ...] = ()
    files: tuple[bytes, ...] = ()


@dataclass(slots=True)
class PutTogether:
    """One match: the longest history that hangs together, and what speaks against it or is missing."""

    lines: list[bytes]
    findings: list[str] = field(default_factory=list)
    other: list[bytes] = field(default_factory=list)
    """The same up to a record that contradicts it, and that record: signed by the host, if one of them is."""


def put_together(pieces: Sequence[KeptRecords]) -> list[PutTogether]:
    """Every match of which record 0 is in these pieces, in the order in which they were found."""
    every = _AllRecords(pieces)
    starts = [line for line in every.lines.values() if line.kind == "genesis"]
    trees = [every.tree(start) for start in starts]
    return [
        every.match(start, tree, trees, alone=len(starts) == 1)
        for start, tree in zip(starts, trees, strict=True)
    ]


class _AllRecords:
    """All records of all pieces, by their bytes, with where each was found."""

    def __init__(self, pieces: Sequence[KeptRecords]) -> None:
        self.pieces = pieces
        self.lines: dict[bytes, Line] = {}
        self.places: dict[bytes, list[str]] = {}
        self.unreadable: dict[str, str] = {}
        """What is no record at all: the place, and why."""
        self._after: dict[str, list[Line]] = {}
        for piece in pieces:
            for raw in piece.lines:
                self._take(raw, piece.place)

    def _take(self, raw: bytes, place: str) -> None:
        if raw not in self.lines:
            try:
                line = read_line(raw)
            except PbemError as error:
                self.unreadable.setdefault(place, str(error))
                return
            self.lines[raw] = line
            self._after.setdefault(line.body.get("prev", ""), []).append(line)
        self.places.setdefault(raw, []).append(place)

    def tree(self, start: Line) -> dict[bytes, Line]:
        """Every record, by its hash, that follows from this one and has its host's signature."""
        key = unb64(start.body["host"]["sign"], 32)
        tree = {start.hash: start}
        ends = [start]
        while ends:
            before = ends.pop()
            for line in self._after.get(b64(before.hash), ()):
                if line.seq == before.seq + 1 and line.hash not in tree and not _unsigned(line, start, key):
                    tree[line.hash] = line
                    ends.append(line)
        return tree

    def match(
        self, start: Line, tree: dict[bytes, Line], trees: Sequence[dict[bytes, Line]], *, alone: bool
    ) -> PutTogether:
        """What these pieces say of one match; ``alone``: what belongs to no other match belongs to it."""
        chain = [max(tree.values(), key=lambda line: line.seq)]
        while chain[-1].seq:
            chain.append(tree[unb64(chain[-1].body["prev"], 32)])
        chain.reverse()
        match = PutTogether([line.raw for line in chain])
        mine = [line for line in self.lines.values() if line.hash in tree or alone or _names(line, start)]
        others = [line for line in mine if line.seq >= len(chain) or line.hash != chain[line.seq].hash]
        others = [
            line for line in others if not any(line.hash in other for other in trees if other is not tree)
        ]
        key = unb64(start.body["host"]["sign"], 32)
        why = {line.raw: _unsigned(line, start, key) for line in others}
        later = [line.seq for line in others if line.seq >= len(chain) and not why[line.raw]]
        wrong = [line for line in others if line.seq < len(chain) or why[line.raw]]
        wrong.sort(key=lambda line: line.seq)
        for line in wrong[:MOST_FINDINGS]:
            if why[line.raw]:
                match.findings.append(self._altered(line, why[line.raw]))
            elif (
                line.hash not in tree or line.body["prev"] == chain[line.seq].body["prev"]
            ):  # where they part
                match.findings.append(self._parted(chain[line.seq], line))
        if wrong:
            worst = next((line for line in wrong if not why[line.raw]), wrong[0])
            match.other = [*match.lines[: worst.seq], worst.raw]
        if later:
            first, last = min(len(chain), min(later) - 1), min(later) - 1
            match.findings.append(
                sentence(
                    "records are missing: {records}; later ones are there",
                    records=str(first) if first == last else f"{first}-{last}",
                )
            )
        match.findings += [
            sentence("{place} has a line that is not a record: {why}", place=place, why=error)
            for place, error in self.unreadable.items()
        ]
        match.findings += wrong_refusals(match.lines, [raw for piece in self.pieces for raw in piece.files])
        return match

    def _altered(self, line: Line, why: str) -> str:
        return sentence(
            "record {record} in {places} was altered on the way, or the host never wrote it: {why}",
            record=line.seq,
            places=_list(self.places[line.raw]),
            why=why,
        )

    def _parted(self, ours: Line, theirs: Line) -> str:
        return sentence(
            "record {record} in {ours} is not that in {theirs}, and the host signed both: two histories",
            record=ours.seq,
            ours=_list(self.places[ours.raw]),
            theirs=_list(self.places[theirs.raw]),
        )


def _unsigned(line: Line, start: Line, key: bytes) -> str:
    """Why this is no record that the host of the match signed; empty if it is."""
    try:
        verify_entry(line, start.hash, key)
    except PbemError as error:
        return str(error)
    return ""


def _names(line: Line, start: Line) -> bool:
    """Whether a player's file in this record names the match."""
    return any(file["body"]["game"] == b64(start.hash) for file in line.messages)


def _list(names: Sequence[str]) -> str:
    different = list(dict.fromkeys(names))
    return ", ".join((*different[:3], "…") if len(different) > 3 else different)
