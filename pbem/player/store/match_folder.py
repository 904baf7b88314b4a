"""The match folder: everything one host or one player keeps of one match.

::

    <folder>/
      game.jsonl            the shared game file: the match itself; anybody may have it
      game.jsonl.lock       who is writing just now; empty otherwise
      game.jsonl.pending    an append of several lines that has not ended (intent.py)
      game.jsonl.torn-<n>   half a line that a repair cut off
      host/    0700         the host's private part: never shared, never attached
      inbox/   0700         every file handed in, byte for byte, named by its SHA-256
      outbox/  0700         letters, <seq>-<seat>-<kind>.eml, and <…>.eml.sent for those that left
      sealed/  0700         a player's own copies of what he sealed

Only ``game.jsonl`` is the match: any copy is enough to go on. The append to it is the commit; letters are a pure
function of it and are made again after a crash; ``inbox`` is evidence; ``host`` can be rebuilt from the
host's secret and any complete copy of the game file; ``sealed`` is a player's memory. Nothing here interprets
what it stores.

A caller's way::

    folder = find_match_folder(path)
    with folder.lock():
        for sentence in folder.repair():
            tell(sentence)
        loaded = folder.game.read()
        folder.inbox.keep(raw)
        lines = …                                       # rule
        folder.game.append(lines, expected=loaded.end)   # commit
    folder.outbox.write(letters)                        # then send
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

from pbem.base.errors import StoreError, UsageProblem
from pbem.base.sentences import sentence
from pbem.player.store.boxes import Inbox, Outbox, PrivateFolder, PrivateNotes, Sealed
from pbem.player.store.durable import Steps, Write, make_folder, no_steps, sweep
from pbem.player.store.game_file import GameFile
from pbem.player.store.lock import PATIENCE

GAME_FILE: Final = "game.jsonl"
_BOXES: Final = ("host", "inbox", "outbox", "sealed")


class MatchFolder:
    """The folder at ``path``; nothing is read or made until it is asked for."""

    def __init__(
        self, path: Path, game_file: str = GAME_FILE, *, write: Write = os.write, steps: Steps = no_steps
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
        make_folder(path)
        return folder

    def lock(self, timeout: float = PATIENCE) -> AbstractContextManager[None]:
        """The match's one lock, the same that ``game.append`` takes (``FileLock.hold``)."""
        return self.game.lock(timeout)

    def repair(self) -> tuple[str, ...]:
        """Mend what a crash left behind, where that is safe; what was done, in words (``GameFile.repair``).

        Raises:
            StoreError: the file's end is damaged, or lines are gone that were committed: letters about them
                lie in the outbox. Cutting and going on would sign another line under a number that others
                already hold.
        """
        with self.lock():
            self._check_nothing_is_lost()
            done = self.game.repair()
            for box in self.boxes:
                box.sweep()
            sweep(self.path)
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
    """
    if start.is_file():
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
    found = sorted(path.name for path in start.glob("*.jsonl") if path.is_file())
    if len(found) == 1:
        return MatchFolder(start, found[0])
    if found:
        raise UsageProblem(
            sentence(
                "{start} holds {count} match files: {found}",
                start=start,
                count=len(found),
                found=", ".join(found),
            ),
            hint=sentence("Name the one that you mean."),
        )
    raise UsageProblem(
        sentence("there is no match in {start}: no file {game_file}", start=start, game_file=GAME_FILE),
        hint=sentence("Name the folder of a match, or its file."),
    )
