"""Putting a match away: one file with everything an audit needs. It takes nothing from the match folder.

In it: the game file, every file that was handed in byte for byte, every letter, and a README that says how to audit.
Not in it: the host's private part (consents that wait, his notes). The inbox holds people's mail, so the
archive is private (mode 0600). The same match gives the same bytes.
"""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pbem.base.errors import StoreError, UsageProblem
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.player.store import MatchFolder, write_private
from pbem.protocol.audit import audit
from pbem.protocol.crypto.digest import short_id
from pbem.protocol.record.line import read_line

_BOXES: Final = ("inbox", "outbox")
_README: Final = """A match of pbem, put away: match {match}, {records} records, head {head}.

game.jsonl  the match itself: anybody may have it, and it proves every draw
inbox/      every file that was handed in, byte for byte, named by its SHA-256; private
outbox/     every letter, and marks of those that left; private

    pbem audit game.jsonl       every fault, every draw with its luck
    pbem compare game.jsonl X   against somebody's copy
"""


@dataclass(frozen=True, slots=True)
class Contents:
    """What an archive holds: the lines of the game file, and mail by its path."""

    lines: tuple[bytes, ...]
    boxes: Mapping[str, bytes]

    def files(self) -> dict[str, bytes]:
        """All of it by path, with the README."""
        head = read_line(self.lines[-1])
        match = short_id(read_line(self.lines[0]).hash)
        text = _README.format(match=match, records=len(self.lines), head=f"{head.seq} of {head.at}")
        game = b"".join(line + b"\n" for line in self.lines)
        return {"README.txt": text.encode(), "game.jsonl": game, **self.boxes}


@dataclass(frozen=True, slots=True)
class Archived:
    """What was put away."""

    path: Path
    files: int
    records: int
    sound: bool
    """Whether an audit of the record found no fault."""


def archive(folder: MatchFolder, target: Path) -> Archived:
    """Write the archive of a match folder; see ``write_archive``."""
    with folder.lock():
        lines = folder.game.read().lines
        boxes = {
            f"{name}/{entry}": box.read(entry)
            for box, name in zip((folder.inbox, folder.outbox), _BOXES, strict=True)
            for entry in box.names()
        }
    if not lines:
        raise UsageProblem(sentence("{path} is empty; there is nothing to archive", path=folder.game.path))
    return write_archive(Contents(tuple(lines), boxes), target)


def write_archive(contents: Contents, target: Path) -> Archived:
    """Write the archive of a match to ``target`` (a new file, ``.tar.gz``).

    Raises:
        UsageProblem: ``target`` exists.
        StoreError: what was written does not hold what it should.
    """
    if target.exists():
        raise UsageProblem(
            sentence("{path} is there already", path=target),
            hint=sentence("Name another file; an archive is never replaced."),
        )
    files = contents.files()
    raw = _packed(short_id(read_line(contents.lines[0]).hash), files)
    if _unpacked(raw) != files:
        raise StoreError(sentence("the archive does not hold what it should; nothing was written"))
    write_private(target, raw)
    return Archived(target, len(files), len(contents.lines), audit(contents.lines).ok)


def _packed(match: str, contents: dict[str, bytes]) -> bytes:
    """A tar without times and owners, so that the same contents give the same bytes."""
    inner = io.BytesIO()
    with tarfile.open(fileobj=inner, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name in sorted(contents):
            info = tarfile.TarInfo(f"pbem-{match}/{name}")
            info.size, info.mode = len(contents[name]), 0o600
            tar.addfile(info, io.BytesIO(contents[name]))
    return gzip.compress(inner.getvalue(), mtime=0)


def _unpacked(raw: bytes) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(raw), mode="r:gz") as tar:
        for info in tar.getmembers():
            file = tar.extractfile(info)
            if file is not None:
                found[info.name.partition("/")[2]] = file.read()
    return found
