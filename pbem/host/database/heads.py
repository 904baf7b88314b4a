"""What a service has signed, noted beside its configuration and not in its database.

A database that was deleted, emptied or put back to an older state knows nothing of what it has lost. This file does:
for every match the number and hash of the newest record that was committed. It is written after a commit, so it may
be behind the database and is never ahead of what was signed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pbem.base.errors import StoreError
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.player.store.durable import disk, read_file, write_private

FORM: Final = "heads/1"
_PUT_ASIDE: Final = ".old"


@dataclass(frozen=True, slots=True, order=True)
class Head:
    """The newest record of a match: ``era`` counts how often a history was given up for another one."""

    era: int
    seq: int
    line: str
    """The record's hash, in hex."""


class Heads:
    """The newest records that are known to have been signed, by match; without a ``path`` in memory only."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self._known: dict[str, Head] | None = None
        self._changed = False

    def known(self) -> Mapping[str, Head]:
        """All of them.

        Raises:
            StoreError: the file is there and is not what was written.
        """
        if self._known is None:
            self._known = self._read()
        return self._known

    def note(self, game: str, head: Head) -> None:
        """A record was committed; an older one than what is known changes nothing."""
        before = self.known().get(game)
        if before is None or (before.era, before.seq) < (head.era, head.seq):
            self._known = {**self.known(), game: head}
            self._changed = True

    def forget(self, game: str) -> None:
        """A match is no longer expected to be there."""
        self._known = {name: head for name, head in self.known().items() if name != game}
        self._write(self._known)

    def write(self) -> None:
        """Put down what is new, with what others have put down meanwhile."""
        if not self._changed or self.path is None:
            return
        mine = self.known()
        theirs = self._read()
        self._known = {
            game: max(
                (heads[game] for heads in (mine, theirs) if game in heads),
                key=lambda head: (head.era, head.seq),
            )
            for game in {**theirs, **mine}
        }
        self._write(self._known)

    def put_aside(self) -> Path | None:
        """Begin anew: the file is renamed, and nothing is known; where it lies now."""
        self._known, self._changed = {}, False
        if self.path is None or not self.path.exists():
            return None
        number, aside = 1, self.path.with_name(self.path.name + _PUT_ASIDE)
        while aside.exists():
            number += 1
            aside = self.path.with_name(f"{self.path.name}{_PUT_ASIDE}-{number}")
        with disk("rename", self.path):
            self.path.rename(aside)
        return aside

    def _write(self, heads: Mapping[str, Head]) -> None:
        self._changed = False
        if self.path is None:
            return
        matches = {game: [head.era, head.seq, head.line] for game, head in heads.items()}
        text = json.dumps({"pbem": FORM, "matches": matches}, sort_keys=True, indent=1)
        write_private(self.path, text.encode() + b"\n", replace=True)

    def _read(self) -> dict[str, Head]:
        if self.path is None or not self.path.exists():
            return {}
        try:
            found = json.loads(read_file(self.path))
            if found["pbem"] != FORM:
                raise ValueError(found["pbem"])
            return {
                str(game): Head(int(era), int(seq), str(line))
                for game, (era, seq, line) in found["matches"].items()
            }
        except (ValueError, KeyError, TypeError, AttributeError) as fault:
            raise StoreError(
                sentence(
                    "{path} is damaged; it says up to which record this service has signed its matches",
                    path=self.path,
                ),
                hint=sentence(
                    "Put it back from a backup. Remove it only if you know that the database is the newest one."
                ),
            ) from fault
