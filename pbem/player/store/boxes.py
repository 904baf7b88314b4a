"""The boxes of a match folder: private notes, files handed in, letters to send, copies of what was sealed.

All four are folders of mode 0700 with files of mode 0600. In each of them a name that is there stands for a
whole file: files are written beside their place and renamed (``durable.py``). A folder is made when something
is first put into it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

from pbem.base.errors import FormatError, StoreError
from pbem.base.sentences import sentence
from pbem.player.store.durable import (
    PRIVATE_FILE,
    create_file,
    disk,
    fsync_file,
    fsync_folder,
    is_temporary,
    loose_permissions,
    make_folder,
    read_file,
    refuse_link,
    sweep,
    write_private,
    write_temporary,
)
from pbem.protocol.formats.api_key import SealedCopy

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


def _checked(name: str) -> str:
    """A name that stays inside its folder; anything else is a mistake of the caller."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"not a file name for this folder: {name!r}")
    return name


class PrivateFolder:
    """A private folder with flat names."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, name: str) -> Path:
        """Where ``name`` lies, or would lie; ``StoreError`` if the folder is a link to another place."""
        refuse_link(self.folder)
        return self.folder / _checked(name)

    def names(self) -> tuple[str, ...]:
        """All files, in the order of their names; ``StoreError`` if the folder is a link to another place."""
        refuse_link(self.folder)
        if not self.folder.is_dir():
            return ()
        with disk("list", self.folder):
            found = [path.name for path in self.folder.iterdir() if path.is_file()]
        return tuple(sorted(name for name in found if not is_temporary(name)))

    def has(self, name: str) -> bool:
        """Whether ``name`` is there."""
        return self.path(name).is_file()

    def read(self, name: str) -> bytes:
        """The bytes of ``name``; ``StoreError`` if it is not there."""
        return read_file(self.path(name))

    def warnings(self) -> tuple[str, ...]:
        """A sentence for every file here, and the folder itself, that is open to other users."""
        if not self.folder.is_dir():
            return ()
        paths = [self.folder, *(self.path(name) for name in self.names() if _NAME.fullmatch(name))]
        return tuple(sentence for path in paths if (sentence := loose_permissions(path)))

    def sweep(self) -> None:
        """Remove what killed processes left half written."""
        if self.folder.is_dir():
            sweep(self.folder)


class PrivateNotes(PrivateFolder):
    """The host's private part: his identity or a reference to it, consents that wait, contact notes."""

    def write(self, name: str, data: bytes, *, replace: bool = False) -> Path:
        """Keep ``data`` under ``name``; ``FileExistsError`` if it is taken and ``replace`` is false."""
        path = self.path(name)
        write_private(path, data, replace=replace)
        return path

    def remove(self, name: str) -> None:
        """Forget ``name``, durably; nothing happens if it is not there."""
        with disk("remove", self.path(name)), suppress(FileNotFoundError):
            self.path(name).unlink()
            fsync_folder(self.folder)


class Inbox(PrivateFolder):
    """Every file handed in, byte for byte, kept before anybody parses it; named by its SHA-256.

    Whether a file was ruled on is not kept here: the record says so. The caller limits the size.
    """

    def keep(self, raw: bytes) -> Path:
        """Keep ``raw`` durably; the same bytes twice are one file."""
        path = self.path(sha256(raw).hexdigest())
        with suppress(FileExistsError):
            write_private(path, raw)
        return path


class Outbox(PrivateFolder):
    """Letters that wait to be sent, ``<seq>-<seat>-<kind>.eml``, with marks of those that were sent or may be spared.

    Letters are a pure function of the record, so an outbox can be made again: write what
    ``missing`` names. Writing is idempotent. A letter that was sent is never replaced.
    """

    _LETTER = re.compile(r"(\d{6,})-([a-z0-9-]+?)-([a-z0-9-]+)\.eml")
    _MARK: Final = ".sent"
    _SPARE: Final = ".spare"

    @staticmethod
    def name(seq: int, seat: str, kind: str) -> str:
        """The file name of the letter of ``kind`` to ``seat`` about record ``seq``; sorts by ``seq``."""
        name = f"{seq:06}-{seat}-{kind}.eml"
        if not Outbox._LETTER.fullmatch(name):
            raise ValueError(f"not a letter's name: {name!r}")
        return name

    def letters(self) -> tuple[str, ...]:
        """All letters, oldest record first."""
        return tuple(name for name in self.names() if self._LETTER.fullmatch(name))

    def missing(self, expected: Mapping[str, object] | tuple[str, ...]) -> tuple[str, ...]:
        """Which of the expected letters are neither here nor marked as sent, in the order given."""
        there = set(self.names())
        return tuple(name for name in expected if not {name, name + self._MARK} & there)

    def write(self, letters: Mapping[str, bytes]) -> tuple[str, ...]:
        """Put these letters here, each whole or not at all; the names that were written now.

        A letter that is here already, or was sent, is left alone unless it is unsent and differs (it was made
        again by a newer program). All bytes are handed to the disk first and fsynced together, then named:
        that is cheaper than one after the other.
        """
        refuse_link(self.folder)
        make_folder(self.folder, private=True)
        due = {name: raw for name, raw in letters.items() if self._is_due(name, raw)}
        with disk("write letters into", self.folder):
            ready: list[tuple[Path, str]] = []
            try:
                for name, raw in due.items():
                    ready.append((write_temporary(self.path(name), raw, PRIVATE_FILE, durable=False), name))
                for temporary, _ in ready:
                    fsync_file(temporary)
                for temporary, name in ready:
                    temporary.replace(self.path(name))
            except OSError:
                for temporary, _ in ready:
                    temporary.unlink(missing_ok=True)
                raise
            if due:
                fsync_folder(self.folder)
        return tuple(due)

    def _is_due(self, name: str, raw: bytes) -> bool:
        if not self._LETTER.fullmatch(name):
            raise ValueError(f"not a letter's name: {name!r}")
        if self.path(name + self._MARK).exists():
            return False
        return not self.path(name).exists() or self.read(name) != raw

    def mark_sent(self, name: str, note: bytes = b"") -> None:
        """Note, durably, that ``name`` has left; ``note`` is the sender's own (a Message-ID, say)."""
        if not self.path(name).exists():
            raise StoreError(sentence("there is no email {name} in {folder}", name=name, folder=self.folder))
        with suppress(FileExistsError):
            create_file(self.path(name + self._MARK), note, mode=PRIVATE_FILE)

    def mark_spare(self, name: str) -> None:
        """Note that the letter ``name`` asks nothing of anybody: the next one to its seat makes it needless.

        It is noted before the letter is written. A crash may lose the note; then the letter is sent.
        """
        make_folder(self.folder, private=True)
        with disk("write letters into", self.folder):
            self.path(name + self._SPARE).touch(PRIVATE_FILE)

    def is_spare(self, name: str) -> bool:
        """Whether ``mark_spare`` noted it."""
        return self.path(name + self._SPARE).exists()

    def is_sent(self, name: str) -> bool:
        """Whether ``name`` is marked as sent."""
        return self.path(name + self._MARK).exists()

    def unsent(self) -> tuple[str, ...]:
        """Letters that wait, oldest record first."""
        there = set(self.names())
        return tuple(name for name in self.letters() if name + self._MARK not in there)

    def newest_seq(self) -> int:
        """The highest record number that any letter here is about; -1 if there is none."""
        return max(
            (int(match[1]) for name in self.names() if (match := self._LETTER.match(name))), default=-1
        )


class Sealed(PrivateFolder):
    """A player's own copies of what he sealed: he alone can read them; the file that he sent cannot tell him.

    Two files with one number (the first was replaced before it was sent) leave two copies: which of them
    counts, the commitment in the record says.
    """

    def keep(self, copy: SealedCopy) -> Path:
        """Keep ``copy`` durably, before the turn file is written; the same copy twice is one file."""
        raw = json.dumps(copy.to_json(), ensure_ascii=False, sort_keys=True).encode() + b"\n"
        path = self.path(f"{copy.n:06}-{copy.seat}-{copy.part}-{sha256(raw).hexdigest()[:12]}.json")
        with suppress(FileExistsError):
            write_private(path, raw)
        return path

    def all(self) -> tuple[SealedCopy, ...]:
        """Every copy, by number."""
        return tuple(self._load(name) for name in self.names() if name.endswith(".json"))

    def find(self, game: str, seat: str, n: int, part: str) -> tuple[SealedCopy, ...]:
        """The copies that may be what file ``n`` of ``seat`` holds."""
        named = [name for name in self.names() if name.startswith(f"{n:06}-{seat}-{part}-")]
        return tuple(copy for copy in map(self._load, named) if copy.game == game)

    def newest(self, game: str, seat: str, part: str) -> SealedCopy | None:
        """The copy of this part with the highest number."""
        named = [name for name in self.names() if f"-{seat}-{part}-" in name]
        return next(
            (copy for copy in map(self._load, sorted(named, reverse=True)) if copy.game == game), None
        )

    def _load(self, name: str) -> SealedCopy:
        try:
            return SealedCopy.from_json(json.loads(self.read(name)))
        except (ValueError, KeyError, TypeError, FormatError) as fault:
            raise StoreError(
                sentence("{path} is not a copy of something sealed", path=self.path(name)),
                hint=sentence("It was edited or damaged; move it away."),
            ) from fault
