"""Two copies of one match: where they part, and what that proves (schemas/README.md §9)."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.base.errors import PbemError
from pbem.base.sentences import counted, sentence
from pbem.base.values import dataclass
from pbem.protocol.crypto.digest import b64, short_id, unb64
from pbem.protocol.record import Line
from pbem.protocol.record.line import read_line, verify_entry


@dataclass(frozen=True, slots=True)
class Comparison:
    """``verdict``: ``same``, ``longer`` (one continues the other), ``forked`` or ``other-match``."""

    verdict: str
    common: int
    sentence: str
    proof: tuple[Line, Line] | None = None


def compare_copies(first: Sequence[bytes], second: Sequence[bytes]) -> Comparison:
    """Compare two game files, given as lines without newlines.

    Two different lines of one number, both signed by the host, prove by themselves that the host signed two
    histories; an unsigned difference only shows that one of the files was altered.
    """
    if not first or not second:
        return Comparison("other-match", 0, sentence("one of the files is empty"))
    names = _name(first[0]), _name(second[0])
    if names[0] != names[1]:
        return Comparison(
            "other-match",
            0,
            sentence(
                "the files are of two matches: {first} and {second}",
                first=_short(first[0]),
                second=_short(second[0]),
            ),
        )
    shared = min(len(first), len(second))
    for index in range(shared):
        parted = _parted(first, second, index) if first[index] != second[index] else None
        if parted is not None:
            return parted
    if len(first) == len(second):
        return Comparison(
            "same",
            shared,
            counted("the copies are the same, {n} record", "the copies are the same, {n} records", shared),
        )
    more, upto = abs(len(first) - len(second)), shared - 1
    message = (
        counted(
            "the first copy continues the other by {n} record; they agree up to {upto}",
            "the first copy continues the other by {n} records; they agree up to {upto}",
            more,
            upto=upto,
        )
        if len(first) > len(second)
        else counted(
            "the second copy continues the other by {n} record; they agree up to {upto}",
            "the second copy continues the other by {n} records; they agree up to {upto}",
            more,
            upto=upto,
        )
    )
    return Comparison("longer", shared, message)


def _name(genesis: bytes) -> str:
    try:
        return b64(read_line(genesis).hash)
    except PbemError:
        return f"({len(genesis)} bytes that are no record)"


def _short(genesis: bytes) -> str:
    """What people call a match."""
    try:
        return short_id(read_line(genesis).hash)
    except PbemError:
        return _name(genesis)


def _parted(first: Sequence[bytes], second: Sequence[bytes], index: int) -> Comparison | None:
    """What two different lines of one number say; None if they are one record, which the host signed twice."""
    game = read_line(first[0]).hash
    host = unb64(read_line(first[0]).body["host"]["sign"], 32)
    lines: list[Line] = []
    for copy, raw in enumerate((first[index], second[index])):
        try:
            line = read_line(raw)
            verify_entry(line, game, host)
        except PbemError as error:
            message = (
                sentence(
                    "they part at record {index}; in the second copy it does not hold: {error}",
                    index=index,
                    error=error,
                )
                if copy
                else sentence(
                    "they part at record {index}; in the first copy it does not hold: {error}",
                    index=index,
                    error=error,
                )
            )
            return Comparison("forked", index, message)
        lines.append(line)
    if lines[0].hash == lines[1].hash:
        return None
    return Comparison(
        "forked",
        index,
        sentence(
            "the copies part at record {index}: the host signed a {first} in the first copy and a "
            "{second} in the second. These two records prove that the host told two histories",
            index=index,
            first=lines[0].kind,
            second=lines[1].kind,
        ),
        (lines[0], lines[1]),
    )
