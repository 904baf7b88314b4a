"""Checkpoints of verified copies, and the key that vouches for them: ``<home>/checkpoints``, folder 0700, files 0600.

The home is where the identities lie. The key is made when it is first needed and never leaves; who can read it can read
the identities too. A file here saves work and nothing else: all of them may be deleted at any time. This package stores
bytes and believes nothing of them; ``pbem.protocol.record.checkpoint`` does. ``Vouched`` is what a copy asks for: a
page in a browser keeps its checkpoints elsewhere.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

from pbem.base import system
from pbem.base.errors import StoreError
from pbem.player.store import durable

_FOLDER: Final = "checkpoints"
_KEY: Final = "key"
_SIZE: Final = 32
_MOST: Final = 100
"""Matches of which something is kept; the oldest go first."""


class Vouched(Protocol):
    """Where checkpoints are kept, and who vouches for them."""

    def key(self) -> bytes | None:
        """The key; None where nothing can be kept."""

    def read(self, match: str) -> bytes:
        """What is kept of this match; empty if nothing is."""

    def write(self, match: str, raw: bytes) -> None:
        """Keep this of the match, or nothing."""


class Checkpoints:
    """Those of one user of a computer."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._folder = home / _FOLDER

    def key(self) -> bytes | None:
        """The key; None where there is no home to keep one in, or others could have read or changed it."""
        if not (self._home / "identities").is_dir():
            return None
        path = self._folder / _KEY
        try:
            if not path.exists():
                with suppress(FileExistsError):
                    durable.write_private(path, os.urandom(_SIZE))
            if durable.loose_permissions(path) or durable.loose_permissions(self._folder):
                return None
            with durable.disk("read", path):
                raw = path.read_bytes()
        except StoreError:
            return None
        return raw if len(raw) == _SIZE else None

    def read(self, match: str) -> bytes:
        """What is kept of this match; empty if nothing is."""
        try:
            return self._path(match).read_bytes()
        except OSError:
            return b""

    def write(self, match: str, raw: bytes) -> None:
        """Keep this of the match, whole or not at all; where the disk refuses, nothing is kept."""
        path = self._path(match)
        with suppress(OSError, StoreError):
            system.replace(durable.write_temporary(path, raw, durable.PRIVATE_FILE, durable=False), path)
            self._tidy()

    def _path(self, match: str) -> Path:
        return self._folder / f"{match}.checkpoint"

    def _tidy(self) -> None:
        kept = [entry for entry in os.scandir(self._folder) if entry.name.endswith(".checkpoint")]
        if len(kept) > _MOST:
            durable.sweep(self._folder)
            for entry in sorted(kept, key=lambda entry: entry.stat().st_mtime)[:-_MOST]:
                Path(entry.path).unlink(missing_ok=True)
