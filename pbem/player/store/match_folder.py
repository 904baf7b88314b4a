"""The match folder: everything one host or one player keeps of one match.

::

    <folder>/
      game.jsonl            the shared game file: the match itself; anybody may have it
      game.jsonl.lock       who is writing just now; empty otherwise
      game.jsonl.pending    an append of several lines that has not ended (intent.py)
      game.jsonl.torn-<n>   half a line that a repair cut off
      host/    0700         the host's private part: never shared, never attached
      inbox/   0700         every file handed in, byte for byte, named by its SHA-256
      outbox/  0700         emails, <seq>-<seat>-<kind>.eml, and <…>.eml.sent for those that left
      sealed/  0700         a player's own copies of what they sealed

Only ``game.jsonl`` is the match: any copy is enough to go on. The append to it is the commit; emails are a pure
function of it and are made again after a crash; ``inbox`` is evidence; ``host`` can be rebuilt from the
host's secret and any complete copy of the game file; ``sealed`` is a player's memory. Nothing here interprets
what it stores.

A caller's way::

    folder = find_match_folder(path)
    with folder.lock():
        for sentence in folder.repair():
            show(sentence)
        loaded = folder.game.read()
        folder.inbox.keep(raw)
        lines = …                                       # rule
        folder.game.append(lines, expected=loaded.end)   # commit
    folder.outbox.write(emails)                        # then send
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from contextlib import AbstractContextManager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

from pbem.base.errors import FormatError, StoreError, UsageProblem
from pbem.base.sentences import sentence
from pbem.player.store import durable
from pbem.player.store.game_file import GameFile, no_match_file
from pbem.protocol.formats.api_key import SealedCopy

GAME_FILE: Final = "game.jsonl"
_BOXES: Final = ("host", "inbox", "outbox", "sealed")


class MatchFolder:
    """The folder at ``path``; nothing is read or made until it is asked for."""

    def __init__(
        self,
        path: Path,
        game_file: str = GAME_FILE,
        *,
        write: durable.Write = os.write,
        steps: durable.Steps = durable.no_steps,
    ) -> None:
        self.path = path
        self.game = GameFile(path / game_file, write=write, steps=steps)
        self.host = PrivateNotes(path / "host")
        self.inbox = Inbox(path / "inbox")
        self.outbox = Outbox(path / "outbox")
        self.sealed = Sealed(path / "sealed")

    @property
    def boxes(self) -> tuple[PrivateFolder, ...]:
        """The private folders."""
        return (self.host, self.inbox, self.outbox, self.sealed)

    @classmethod
    def create(cls, path: Path) -> MatchFolder:
        """A new, empty match folder; ``UsageProblem`` if a match lives there already."""
        folder = cls(path)
        if folder.game.exists():
            raise UsageProblem(
                sentence("{path} already holds a match", path=path), hint=sentence("Choose another folder.")
            )
        if path.exists() and not path.is_dir():
            raise UsageProblem(
                sentence("{path} is a file, not a folder", path=path), hint=sentence("Choose another folder.")
            )
        durable.make_folder(path)
        return folder

    def lock(self, timeout: float = durable.PATIENCE) -> AbstractContextManager[None]:
        """The match's one lock, the same that ``game.append`` takes (``FileLock.hold``)."""
        return self.game.lock(timeout)

    def repair(self) -> tuple[str, ...]:
        """Mend what a crash left behind, where that is safe; what was done, in words (``GameFile.repair``).

        Raises:
            StoreError: the file's end is damaged, or lines are gone that were committed: emails about them
                lie in the outbox. Cutting and going on would sign another line under a number that others
                already hold.
        """
        with self.lock():
            self._check_nothing_is_lost()
            done = self.game.repair()
            for box in self.boxes:
                box.sweep()
            durable.sweep(self.path)
        return done

    def _check_nothing_is_lost(self) -> None:
        newest = self.outbox.newest_seq()
        if newest < 0:
            return
        number = len(self.game.read().lines) if self.game.exists() else 0
        if newest >= number:
            raise StoreError(
                sentence(
                    "{path} has lost records: it holds {there} of them, but there are emails about record "
                    "{newest} in {folder}; nothing was changed",
                    path=self.game.path,
                    there=number,
                    newest=newest,
                    folder=self.outbox.folder,
                ),
                hint=sentence(
                    "Ask the players for their copies of the match file and run: pbem host recover"
                ),
            )

    def warnings(self) -> tuple[str, ...]:
        """A sentence for everything private here that is open to other users."""
        return tuple(sentence for box in self.boxes for sentence in box.warnings())


def find_match_folder(start: Path) -> MatchFolder:
    """The match folder that ``start`` names: the folder itself, a box in it, or its game file.

    A folder without ``game.jsonl`` that holds exactly one ``*.jsonl`` file is the folder of that match: so a
    player may keep the file under the name it came with.

    Raises:
        UsageProblem: there is no match, or there are several.
        FormatError: the file that is named is not a match file.
    """
    if start.is_file():
        with start.open("rb") as file:
            if file.read(1) not in (b"", b"{"):
                raise no_match_file(start)
        return MatchFolder(start.parent, start.name)
    if not start.is_dir():
        raise UsageProblem(
            sentence("there is no file or folder {path}", path=start),
            hint=sentence("Name the folder of a match, or its file."),
        )
    if (start / GAME_FILE).is_file():
        return MatchFolder(start)
    inside = start.resolve()
    if inside.name in _BOXES and (inside.parent / GAME_FILE).is_file():
        return MatchFolder(inside.parent)
    names = sorted(path.name for path in start.glob("*.jsonl") if path.is_file())
    if len(names) == 1:
        return MatchFolder(start, names[0])
    if names:
        raise UsageProblem(
            sentence(
                "{start} holds {count} match files: {found}",
                start=start,
                count=len(names),
                found=", ".join(names),
            ),
            hint=sentence("Name the one that you mean."),
        )
    raise UsageProblem(
        sentence("there is no match in {start}: no file {game_file}", start=start, game_file=GAME_FILE),
        hint=sentence("Name the folder of a match, or its file."),
    )


# --- boxes ------------------------------------------------------------------------------------------------
#
# The boxes of a match folder: private notes, files handed in, emails to send, copies of what was sealed.
#
# All four are folders of mode 0700 with files of mode 0600. In each of them a name that is there stands
# for a whole file: files are written beside their place and renamed (``durable.py``). A folder is made
# when something is first put into it.

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
        durable.refuse_link(self.folder)
        return self.folder / _checked(name)

    def names(self) -> tuple[str, ...]:
        """All files, in the order of their names; ``StoreError`` if the folder is a link to another place."""
        durable.refuse_link(self.folder)
        if not self.folder.is_dir():
            return ()
        return durable.files_in(self.folder)

    def has(self, name: str) -> bool:
        """Whether ``name`` is there."""
        return self.path(name).is_file()

    def read(self, name: str) -> bytes:
        """The bytes of ``name``; ``StoreError`` if it is not there."""
        return durable.read_file(self.path(name))

    def warnings(self) -> tuple[str, ...]:
        """A sentence for every file here, and the folder itself, that is open to other users."""
        if not self.folder.is_dir():
            return ()
        paths = [self.folder, *(self.folder / name for name in self.names() if _NAME.fullmatch(name))]
        return durable.all_loose(paths)

    def sweep(self) -> None:
        """Remove what killed processes left half written."""
        if self.folder.is_dir():
            durable.sweep(self.folder)


class PrivateNotes(PrivateFolder):
    """The host's private part: their identity or a reference to it, consents that wait, contact notes."""

    def write(self, name: str, data: bytes, *, replace: bool = False) -> Path:
        """Keep ``data`` under ``name``; ``FileExistsError`` if it is taken and ``replace`` is false."""
        path = self.path(name)
        durable.write_private(path, data, replace=replace)
        return path

    def remove(self, name: str) -> None:
        """Forget ``name``, durably; nothing happens if it is not there."""
        with durable.disk("remove", self.path(name)), suppress(FileNotFoundError):
            self.path(name).unlink()
            durable.fsync_folder(self.folder)


class Inbox(PrivateFolder):
    """Every file handed in, byte for byte, kept before anybody parses it; named by its SHA-256.

    Whether a file was ruled on is not kept here: the record says so. The caller limits the size.
    """

    def keep(self, raw: bytes) -> Path:
        """Keep ``raw`` durably; the same bytes twice are one file."""
        path = self.path(sha256(raw).hexdigest())
        with suppress(FileExistsError):
            durable.write_private(path, raw)
        return path


class Outbox(PrivateFolder):
    """Emails that wait to be sent, ``<seq>-<seat>-<kind>.eml``, with marks of those that were sent.

    Emails are a pure function of the record, so an outbox can be made again: write what
    ``missing`` names. Writing is idempotent. An email that was sent is never replaced.
    """

    _LETTER = re.compile(r"(\d{6,})-([a-z0-9-]+?)-([a-z0-9-]+)\.eml")
    MARK: Final = ".sent"

    @staticmethod
    def name(seq: int, seat: str, kind: str) -> str:
        """The file name of the email of ``kind`` to ``seat`` about record ``seq``; sorts by ``seq``."""
        name = f"{seq:06}-{seat}-{kind}.eml"
        if not Outbox._LETTER.fullmatch(name):
            raise ValueError(f"not a letter's name: {name!r}")
        return name

    def letters(self) -> tuple[str, ...]:
        """All emails, oldest record first."""
        return tuple(name for name in self.names() if self._LETTER.fullmatch(name))

    def missing(self, expected: Mapping[str, object] | tuple[str, ...]) -> tuple[str, ...]:
        """Which of the expected emails are neither here nor marked as sent, in the order given."""
        present = set(self.names())
        return tuple(name for name in expected if not {name, name + self.MARK} & present)

    def write(self, letters: Mapping[str, bytes]) -> tuple[str, ...]:
        """Put these emails here, each whole or not at all; the names that were written now.

        An email that is here already, or was sent, is left alone unless it is unsent and differs (it was made
        again by a newer program). All bytes are handed to the disk first and fsynced together, then named:
        that is cheaper than one after the other.
        """
        durable.refuse_link(self.folder)
        durable.make_folder(self.folder, private=True)
        due = {name: raw for name, raw in letters.items() if self._is_due(name, raw)}
        with durable.disk("write letters into", self.folder):
            ready: list[tuple[Path, str]] = []
            try:
                for name, raw in due.items():
                    ready.append(
                        (
                            durable.write_temporary(
                                self.path(name), raw, durable.PRIVATE_FILE, durable=False
                            ),
                            name,
                        )
                    )
                for temporary, _ in ready:
                    durable.fsync_file(temporary)
                for temporary, name in ready:
                    temporary.replace(self.path(name))
            except OSError:
                for temporary, _ in ready:
                    temporary.unlink(missing_ok=True)
                raise
            if due:
                durable.fsync_folder(self.folder)
        return tuple(due)

    def _is_due(self, name: str, raw: bytes) -> bool:
        if not self._LETTER.fullmatch(name):
            raise ValueError(f"not a letter's name: {name!r}")
        if self.path(name + self.MARK).exists():
            return False
        return not self.path(name).exists() or self.read(name) != raw

    def mark_sent(self, name: str, note: bytes = b"") -> None:
        """Note, durably, that ``name`` has left; ``note`` is the sender's own (a Message-ID, say)."""
        if not self.path(name).exists():
            raise StoreError(sentence("there is no email {name} in {folder}", name=name, folder=self.folder))
        with suppress(FileExistsError):
            durable.create_file(self.path(name + self.MARK), note, mode=durable.PRIVATE_FILE)

    def is_sent(self, name: str) -> bool:
        """Whether ``name`` is marked as sent."""
        return self.path(name + self.MARK).exists()

    def unsent(self) -> tuple[str, ...]:
        """Emails that wait, oldest record first."""
        present = set(self.names())
        return tuple(name for name in self.letters() if name + self.MARK not in present)

    def newest_seq(self) -> int:
        """The highest record number that any email here is about; -1 if there is none."""
        return max(
            (int(match[1]) for name in self.names() if (match := self._LETTER.match(name))), default=-1
        )


class Sealed(PrivateFolder):
    """A player's own copies of what they sealed: they alone can read them; the file that was sent cannot show it.

    Two files with one number (the first was replaced before it was sent) leave two copies: which of them
    counts, the commitment in the record says.
    """

    def keep(self, copy: SealedCopy) -> Path:
        """Keep ``copy`` durably, before the turn file is written; the same copy twice is one file."""
        raw = json.dumps(copy.to_json(), ensure_ascii=False, sort_keys=True).encode() + b"\n"
        path = self.path(f"{copy.n:06}-{copy.seat}-{copy.part}-{sha256(raw).hexdigest()[:12]}.json")
        with suppress(FileExistsError):
            durable.write_private(path, raw)
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
