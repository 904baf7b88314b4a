"""The intent file: what makes an append of several lines one commit.

Several lines written at once may stop, in a crash, at the end of any of them; what stands then looks whole.
So a batch is first written to ``<game file>.pending``, fsynced, then appended, then the intent is removed.
Whoever opens the match next sees from it which of these happened::

    {"base": 1830, "head": "<hex SHA-256 of the line before>", "size": 911, "sha": "<hex, of the batch>"}
    <the batch itself>

An intent whose batch does not match its own hash never became durable; then the append was never begun.
"""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path

from pbem.base.values import dataclass
from pbem.player.store.durable import Steps, Write, fsync_folder, open_own, write_fully


@dataclass(frozen=True, slots=True)
class Intent:
    """A batch of whole lines, to stand at byte ``base``, behind the line with hash ``head``."""

    base: int
    head: bytes
    batch: bytes

    def to_bytes(self) -> bytes:
        """The intent file."""
        header = {
            "base": self.base,
            "head": self.head.hex(),
            "size": len(self.batch),
            "sha": sha256(self.batch).hexdigest(),
        }
        return json.dumps(header).encode() + b"\n" + self.batch

    @classmethod
    def from_bytes(cls, raw: bytes) -> Intent | None:
        """The intent in ``raw``, or None if it was never written to its end."""
        first, newline, batch = raw.partition(b"\n")
        try:
            header = json.loads(first)
            base, head, size, sha = (header[key] for key in ("base", "head", "size", "sha"))
            whole = bool(newline) and size == len(batch) and sha == sha256(batch).hexdigest()
            return cls(int(base), bytes.fromhex(head), batch) if whole else None
        except (ValueError, KeyError, TypeError):
            return None


def read_intent(path: Path) -> Intent | None:
    """The whole intent at ``path``, if there is one."""
    try:
        return Intent.from_bytes(path.read_bytes())
    except FileNotFoundError:
        return None


def write_intent(path: Path, intent: Intent, *, write: Write, steps: Steps) -> None:
    """Make ``intent`` durable, its name too, before the append begins."""
    handle = open_own(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        steps("intent-opened")
        write_fully(handle, intent.to_bytes(), write)
        steps("intent-written")
        os.fsync(handle)
    finally:
        os.close(handle)
    fsync_folder(path.parent)


def drop_intent(path: Path, *, durably: bool = False) -> None:
    """Remove the intent.

    After a finished append it does no harm if it came back: the file holds the whole batch. After one that
    was taken back it would: then the removal must be durable.
    """
    path.unlink(missing_ok=True)
    if durably:
        fsync_folder(path.parent)
