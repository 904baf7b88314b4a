"""A folder for each person, with what they have on an evening, and what a line that they type prints there."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from pbem.player.mail.pieces import pack
from pbem.player.store import Keyring
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.identity_file import write_identity
from tests.cli.seats import Friends, run
from tests.errors.rows import GROUPS, Row

PEOPLE = "/people"
"""Stands for the folder of the run."""
_CHANGES = (
    (re.compile(r"\bmatch [0-9a-z]{8}\b"), "match 7saloon7"),
    (
        re.compile(r"\b(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day(?:, \d+ \w+,)? \d\d:\d\d UTC"),
        "Monday 18:00 UTC",
    ),
    (re.compile(r"\bprocess \d+ on \S+"), "process 7 on saloon"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "2026-11-23T18:00:00Z"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC"), "2026-11-23 18:00 UTC"),
)


class Shown(NamedTuple):
    """A line, its exit code, and what it printed to stderr and, of a check, to stdout."""

    row: Row
    code: int
    printed: str


class Stage:
    """A match of Anna and Burt on Anna's turn; somebody new with an invitation in an empty folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.names: dict[str, str] = {}
        """Short names of matches, by what stands for them in what is typed and printed."""
        self.friends = Friends(root).begin().join_and_ready()
        for seat in self.friends.seats:
            assert self.friends.play(seat, "show").code == 0
        self.other = Friends(root / "other").begin()
        """The same two in a match that has only been made."""
        letter = next((self.other.match / "outbox").glob("*anna-invitation.eml")).read_bytes()
        whole = self.friends.game_file
        for who in ("anna", "burt", "new", "host"):
            folder = self._folder(who)
            folder.mkdir(exist_ok=True)
            (folder / "notes.txt").write_text("Reach for the sky\n")
            (folder / "folder").mkdir(exist_ok=True)
        (self._folder("new") / "invitation.eml").write_bytes(letter)
        anna = self._folder("anna")
        (anna / "wrong.txt").write_text("wrong\n")
        (anna / "empty.txt").write_text("\n")
        (anna / "long.txt").write_text("x" * 5000)
        (anna / "thing.json").write_text("{}")
        (anna / "list.json").write_text("[]")
        (anna / "other.bin").write_bytes(b"\xff\xfe")
        elsewhere = anna / "elsewhere"
        elsewhere.mkdir()
        (elsewhere / "broken.jsonl").write_bytes(whole[: len(whole) // 2])
        (elsewhere / "other.eml").write_bytes(letter)
        host = self._folder("host")
        (host / "thing.json").write_text("{}")
        (host / "served").mkdir()
        (host / "served" / "service.toml").write_text("")
        (host / "piece").write_bytes(pack(bytes(32), whole.splitlines(), 4000)[0])
        locked = write_identity(
            Identity(b"TEST errors".ljust(32)), "Anna", "right", bytes(16), kind="player", log_n=1
        )
        Keyring(anna / "home").add("locked", locked)

    def _folder(self, who: str) -> Path:
        return self.root / ("host" if who == "host" else who)

    def shown(self, row: Row) -> Shown:
        """What the line prints where its person types it, without what differs each time."""
        words = shlex.split(self._named(row.typed))[1:]
        folder = self._folder(row.who)
        words = [f"elsewhere/{word}" if word in ("broken.jsonl", "other.eml") else word for word in words]
        home = {"PBEM_HOME": str(folder / "home"), "PBEM_LANG": "en", "COLUMNS": "80"}
        with contextlib.chdir(folder), mock.patch.dict(os.environ, home):
            done = run(*words, stdin=row.stdin.encode())
        return Shown(row, done.code, self.steady(done.out + done.err).rstrip())

    def _named(self, typed: str) -> str:
        for name, short in self.names.items():
            typed = typed.replace(name, short)
        return typed

    def steady(self, text: str) -> str:
        """A text without the folder of the run, its times and its names of matches."""
        for name, short in self.names.items():
            text = text.replace(short, name)
        return steady(text.replace(str(self.root), PEOPLE))

    def group(self, name: str) -> Iterator[Shown]:
        """Every line of a group, in its order."""
        return map(self.shown, GROUPS[name])


def steady(text: str) -> str:
    """A text without what differs each time."""
    for pattern, put in _CHANGES:
        text = pattern.sub(put, text)
    return text


def written(rows: Iterator[Shown]) -> str:
    """A group as its golden file has it."""
    return (
        "\n\n".join(f"{row.row.who}$ {row.row.typed}\n{row.printed}\n(exit {row.code})" for row in rows)
        + "\n"
    )
