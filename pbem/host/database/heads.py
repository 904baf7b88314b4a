"""What a service has signed, noted beside its configuration and not in its database.

A database that was deleted, emptied or put back to an older state knows nothing of what it has lost. This file does:
for every match the number and hash of the newest record that was committed. It is written after a commit and before
anything leaves that shows it, so it may be behind the database and is never ahead of what was signed.

The file is a journal of JSON lines, which all workers of a folder append to: what a round adds costs what the round
did, however many matches there are. A line that a crash has cut off is passed over. When far more lines than matches
have come together, whoever reads it next writes it again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.host.database.driver import DatabaseDamaged
from pbem.player.store import durable

FORM: Final = "heads/2"
_PUT_ASIDE: Final = ".old"
_SLACK: Final = 1000
"""Lines beyond four for each match, after which the journal is written again."""


@dataclass(frozen=True, slots=True, order=True)
class Head:
    """The newest record of a match: ``era`` counts how often a history was given up for another one."""

    era: int
    seq: int
    line: str
    """The record's hash, in hex."""


class Heads:
    """The newest records that are known to have been signed, by match; without a ``path`` in memory only."""

    def __init__(self, path: Path | None = None, also: Callable[[], object] = lambda: None) -> None:
        self.path = path
        self._also = also
        """Called when something new is durable: before anything leaves that shows it."""
        self._known: dict[str, Head] | None = None
        self._new: dict[str, Head | None] = {}
        """What the file does not hold yet; None: the match is expected no longer."""

    def reread(self) -> None:
        """Other processes write to the journal: read it again; what is not written yet is written first."""
        if self.path is not None:
            self.write()
            self._known = None

    def known(self) -> dict[str, Head]:
        """All of them.

        Raises:
            DatabaseDamaged: the file is there and is not what was written.
        """
        if self._known is None:
            self._known = self._read()
        return self._known

    def note(self, game: str, head: Head) -> None:
        """A record was committed; an older one than what is known changes nothing."""
        known = self.known()
        before = known.get(game)
        if before is None or (before.era, before.seq) < (head.era, head.seq):
            known[game] = self._new[game] = head

    def forget(self, game: str) -> None:
        """A match is no longer expected to be there."""
        self.known().pop(game, None)
        self._new[game] = None
        self.write()

    def write(self) -> None:
        """Append what is new; durable when this returns."""
        new, self._new = self._new, {}
        if not new or self.path is None:
            return
        lines = "".join(_line(game, head) for game, head in new.items())
        durable.make_folder(self.path.parent)
        with _lock(self.path), durable.disk("write", self.path):
            handle = durable.open_own(self.path, os.O_RDWR | os.O_CREAT, durable.PRIVATE_FILE)
            try:
                durable.write_fully(handle, (_joint(handle) + lines).encode())
                os.fsync(handle)
            finally:
                os.close(handle)
        self._also()

    def put_aside(self) -> Path | None:
        """Begin again: the file is renamed, and nothing is known; where it lies now."""
        self._known, self._new = {}, {}
        if self.path is None or not self.path.exists():
            return None
        number, aside = 1, self.path.with_name(self.path.name + _PUT_ASIDE)
        while aside.exists():
            number += 1
            aside = self.path.with_name(f"{self.path.name}{_PUT_ASIDE}-{number}")
        with _lock(self.path), durable.disk("rename", self.path):
            self.path.rename(aside)
        return aside

    def _read(self) -> dict[str, Head]:
        if self.path is None or not self.path.exists():
            return {}
        with _lock(self.path):
            lines = durable.read_file(self.path).split(b"\n")
            try:
                if json.loads(lines[0])["pbem"] != FORM:
                    raise ValueError(lines[0])
                heads = _folded(lines[1:])
            except (ValueError, KeyError, TypeError, IndexError) as fault:
                raise DatabaseDamaged(
                    sentence(
                        "{path} is damaged; it says up to which record this service has signed its matches",
                        path=self.path,
                    ),
                    hint=sentence(
                        "Put it back from a backup. Remove it only if you know that the database is the newest one."
                    ),
                ) from fault
            if len(lines) > 4 * len(heads) + _SLACK:
                text = _HEAD + "".join(_line(game, head) for game, head in heads.items())
                durable.write_private(self.path, text.encode(), replace=True)
        return heads


_HEAD: Final = json.dumps({"pbem": FORM}) + "\n"


def _lock(path: Path) -> AbstractContextManager[None]:
    """Nobody else reads or writes the journal meanwhile: it may be written again."""
    return durable.FileLock(path.with_name(path.name + ".lock"), durable.PRIVATE_FILE).hold()


def _joint(handle: int) -> str:
    """What stands between the end of the journal and a new line: its head, an end of a line, or nothing."""
    size = os.lseek(handle, 0, os.SEEK_END)
    if size == 0:
        return _HEAD
    os.lseek(handle, size - 1, os.SEEK_SET)
    return "" if os.read(handle, 1) == b"\n" else f"{_CUT}\n"


_CUT: Final = " #cut"
"""Written behind a line that a crash has cut off."""


def _line(game: str, head: Head | None) -> str:
    return json.dumps([game] if head is None else [game, head.era, head.seq, head.line]) + "\n"


def _folded(lines: list[bytes]) -> dict[str, Head]:
    """The newest head of each match; the last of ``lines`` was cut off, or is empty.

    Raises:
        ValueError, TypeError: one of them is no line of ours.
    """
    heads: dict[str, Head] = {}
    for raw in lines[:-1]:
        if raw.endswith(_CUT.encode()):
            continue
        read = json.loads(raw)
        game = str(read[0])
        if len(read) == 1:
            heads.pop(game, None)
            continue
        head = Head(int(read[1]), int(read[2]), str(read[3]))
        before = heads.get(game)
        if before is None or (before.era, before.seq) < (head.era, head.seq):
            heads[game] = head
    return heads
