"""Archiving a match: one file with everything an audit needs. It takes nothing from the match.

In it: the game file, every file that was handed in byte for byte, every email, and a README that says how to audit. Not
in it: what the host alone knows (consents that wait, notes). It holds people's mail, so the archive is private (mode
0600). The same match gives the same bytes.
"""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pbem.base.errors import there_already
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.player.store import write_private
from pbem.protocol.audit import audit
from pbem.protocol.crypto.digest import short_id
from pbem.protocol.record.line import read_line

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
    """What was archived."""

    path: Path
    files: int
    records: int
    sound: bool
    """Whether an audit of the record found no fault."""


def write_archive(contents: Contents, target: Path) -> Archived:
    """Write the archive of a match to ``target`` (a new file, ``.tar.gz``).

    Raises:
        UsageProblem: ``target`` exists.
    """
    if target.exists():
        raise there_already(target, sentence("Name another file; an archive is never replaced."))
    files = contents.files()
    raw = _packed(short_id(read_line(contents.lines[0]).hash), files)
    assert _unpacked(raw) == files, "nothing is called archived that cannot be taken out again"  # noqa: S101
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
    files: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(raw), mode="r:gz") as tar:
        for info in tar.getmembers():
            file = tar.extractfile(info)
            if file is not None:
                files[info.name.partition("/")[2]] = file.read()
    return files
