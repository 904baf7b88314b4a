"""Rebuilding a host from his one secret and the players' copies (protocol §0, promise 5).

Everything else the host had follows from these: seeds and tapes from the secret, hands and orders from the file. He
must take the longest valid copy before he signs anything, else he would sign a second line under a number
that somebody already holds, which is proof of misconduct.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pbem.audit import compare_copies
from pbem.crypto.digest import b64
from pbem.crypto.identity import Identity
from pbem.errors import PbemError, UsageProblem, VerificationError
from pbem.host.batches import batches_of
from pbem.host.desk import HostDesk
from pbem.record import HostOpenings, Record
from pbem.record.line import read_line
from pbem.store import Loaded, Mark, MatchFolder


@dataclass(frozen=True, slots=True)
class Recovered:
    """What was rebuilt: where, from which copy, up to which record, and what was wrong with the others."""

    folder: Path
    source: str
    records: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Copy:
    name: str
    lines: tuple[bytes, ...]
    note: str = ""


def recover(
    path: Path, host: Identity, copies: Sequence[tuple[str, Sequence[bytes]]], clock: Callable[[], str]
) -> Recovered:
    """Put the longest valid copy into the folder ``path`` and make it a host's again.

    Args:
        path: a new folder, or one whose game file holds a beginning of the longest copy.
        host: the identity that signed the match.
        copies: name and lines (without newlines) of each copy.
        clock: the time, for the letters' desk.

    Raises:
        VerificationError: two valid copies contradict each other; nothing was written.
        UsageProblem: no copy is usable, or the identity is not the host's.
    """
    folder = MatchFolder(path)
    there = folder.game.read() if folder.game.exists() else None
    named = [(str(folder.game.path), there.lines)] if there is not None else []
    checked = [_checked(name, lines, host) for name, lines in [*named, *copies]]
    usable = [copy for copy in checked if copy.lines]
    notes = tuple(copy.note for copy in checked if copy.note)
    if not usable:
        reasons = "; ".join(notes) or "no copy was named"
        raise UsageProblem(f"no copy can be used: {reasons}", hint="Ask every player for the file he has.")
    longest = max(usable, key=lambda copy: len(copy.lines))
    for copy in usable:
        _agrees(longest, copy)
    _fill(folder, there, checked[0], longest)
    desk = HostDesk(path, host, clock)
    desk.skip_letters_before(batches_of(Record.load(longest.lines).lines)[-1].first)
    with desk.at_work():
        pass
    return Recovered(path, longest.name, len(longest.lines), notes)


def _fill(folder: MatchFolder, there: Loaded | None, own: _Copy, longest: _Copy) -> None:
    """Write the longest copy into a new folder, or what is missing of it into one that holds its beginning."""
    if there is None:
        MatchFolder.create(folder.path).game.append(list(longest.lines), expected=Mark.EMPTY)
        return
    if there.torn or there.unfinished or len(own.lines) < len(there.lines):
        raise UsageProblem(
            f"the game file in {folder.path} is damaged: {own.note or 'it ends in half a line'}",
            hint="Recover into a new folder, and keep this one as it is.",
        )
    rest = list(longest.lines[len(there.lines) :])
    if rest:
        folder.game.append(rest, expected=there.end)


def _checked(name: str, lines: Sequence[bytes], host: Identity) -> _Copy:
    """The valid beginning of a copy."""
    if not lines:
        return _Copy(name, (), f"{name} is empty")
    try:
        genesis = read_line(lines[0])
        if genesis.kind != "genesis" or genesis.body["host"]["sign"] != b64(host.sign_public):
            return _Copy(name, (), f"{name} is not of a match that this identity hosts")
        record = Record.begin(lines[0], HostOpenings(host, genesis))
    except PbemError as fault:
        return _Copy(name, (), f"{name}: {fault}")
    for index, raw in enumerate(lines[1:], 1):
        try:
            record.extend([raw])
        except PbemError as fault:
            return _Copy(name, tuple(lines[:index]), f"{name} is used up to record {index - 1}: {fault}")
    return _Copy(name, tuple(lines))


def _agrees(longest: _Copy, copy: _Copy) -> None:
    found = compare_copies(longest.lines, copy.lines)
    if found.verdict not in ("same", "longer"):
        raise VerificationError(
            "forked",
            f"{longest.name} and {copy.name} contradict each other: {found.sentence}",
            hint="Both were signed by the host. Settle with the players which one counts; nothing was written.",
        )
