"""Lines checked ahead of whoever folds them: all that needs only record 0 and the line itself.

Form and signatures are half of what an audit costs, and no other record has a say in them: another process can look at
them while this one folds what it has. Only what is well is told ahead. A line with any fault is as if nobody had looked
at it, so that every fault is found and worded in the one place where it always is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import lru_cache
from typing import Any, Final, Protocol, TypeAlias

from pbem.base.errors import PbemError
from pbem.protocol.crypto.digest import unb64
from pbem.protocol.crypto.signing import remembering
from pbem.protocol.formats.signed import verify_file
from pbem.protocol.record.game_form import check_game_form
from pbem.protocol.record.ledger import Ledger
from pbem.protocol.record.line import Line, known_line, read_line, verify_entry
from pbem.protocol.record.verifier import FOREIGN, start_ledger

TASK: Final = "pbem.protocol.record.ahead:check_part"
"""What the other process does, as ``pbem.base.system.helper`` names it."""
LONG: Final = 4 * 2**20
"""Bytes of a game file from which another process is worth its start."""
_PART: Final = 2**18
"""Bytes that are handed over at once: some 20 records, a hundredth of a second."""

Told: TypeAlias = tuple[list[tuple[int, str, bytes] | None], set[bytes]]
"""For every line of a part its number, kind and name, or None if it is not well; and the signatures that hold."""


class Answers(Protocol):
    """What was found out about the parts so far."""

    def answer(self, place: int, /) -> Any:
        """What is told of part ``place``; None if nobody has looked at it in time."""
        ...


Checking: TypeAlias = Callable[[Sequence[tuple[object, ...]]], AbstractContextManager[Answers]]
"""Who has ``check_part`` done for each of these arguments, elsewhere (``pbem.base.system.ahead.Ahead.over``)."""


def check_part(first: bytes, raws: Sequence[bytes]) -> Told:
    """What can be told of these lines ahead.

    Args:
        first: the line of record 0.
        raws: lines of the same file.
    """
    ledger = _begun(first)
    held: set[bytes] = set()
    with remembering(held):
        return [_checked(ledger, raw) for raw in raws], held


@contextmanager
def checked_ahead(
    lines: Sequence[bytes], checking: Checking | None
) -> Iterator[Iterator[tuple[bytes, Line | None]]]:
    """The lines after record 0, each with the record on it if its form is known to be right by then.

    Signatures that were found to hold are not checked again inside; without ``checking`` nothing is known ahead.
    """
    if checking is None:
        yield ((raw, None) for raw in lines[1:])
        return
    parts = list(_parts(lines))
    held: set[bytes] = set()
    with checking([(lines[0], part) for part in parts]) as answers, remembering(held):
        yield _known(parts, answers, held)


def _known(
    parts: Sequence[Sequence[bytes]], answers: Answers, held: set[bytes]
) -> Iterator[tuple[bytes, Line | None]]:
    for place, part in enumerate(parts):
        told: Told | None = answers.answer(place)
        if told is None:
            yield from ((raw, None) for raw in part)
            continue
        held |= told[1]
        for raw, well in zip(part, told[0], strict=True):
            yield raw, None if well is None else known_line(well[0], well[1], raw, well[2])


def _parts(lines: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    begin = size = 0
    for end, raw in enumerate(lines):
        size += len(raw)
        if size > _PART:
            yield from filter(None, (lines[max(begin, 1) : end + 1],))
            begin, size = end + 1, 0
    yield from filter(None, (lines[max(begin, 1) :],))


@lru_cache(maxsize=1)
def _begun(first: bytes) -> Ledger:
    return start_ledger(first)


def _checked(ledger: Ledger, raw: bytes) -> tuple[int, str, bytes] | None:
    try:
        line = read_line(raw)
        check_game_form(ledger, line.body)
    except (PbemError, *FOREIGN):
        return None
    with suppress(PbemError, *FOREIGN):
        verify_entry(line, ledger.game, ledger.host_sign)
    for kind, file in _signed_files(line):
        with suppress(PbemError, *FOREIGN):
            verify_file(kind, file, unb64(file["sig"]["key"], 32))
    return line.seq, line.kind, line.hash


def _signed_files(line: Line) -> Iterator[tuple[str, Any]]:
    """What players signed in it, by the kind that it is checked as; a wrong guess costs a check, nothing else."""
    if "msg" in line.body:
        yield "join" if line.kind == "substitute" else line.kind, line.body["msg"]
    for file in line.body.get("consents", ()):
        yield "consent", file
