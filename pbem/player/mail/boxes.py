"""Mailboxes on a disk, email by email: mbox files, Maildirs, and folders with emails in them.

One email is in memory at a time. A mbox is cut in one pass, at lines that begin with ``From `` and stand behind a
blank line or end in a year (RFC 4155); nothing is taken apart here.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from pbem.player.mail.content import MAX_INPUT

_FROM: Final = b"From "


class Kept(NamedTuple):
    """An email or file with where it lay: its own name, and the mailbox's, if it lay in one."""

    source: str
    box: str
    raw: bytes


def letters_in(path: Path) -> Iterator[Kept]:
    """What lies in a mbox file, a Maildir or a folder; any other file is taken for one email.

    What is longer than ``MAX_INPUT`` is passed over: no email and no game file is.

    Raises:
        OSError: it cannot be read.
    """
    if (path / "cur").is_dir() and (path / "new").is_dir():
        for file in sorted((*(path / "cur").iterdir(), *(path / "new").iterdir()), key=lambda p: p.name):
            yield from _letter(file, file.name.partition(":")[0], path.name)
    elif path.is_dir():
        for file in sorted(file for file in path.rglob("*") if file.is_file()):
            yield from _letters(file, str(file.relative_to(path)), path.name)
    else:
        yield from _letters(path, path.name, "")


def is_mbox(path: Path) -> bool:
    """Whether this file is a mailbox of many emails."""
    with path.open("rb") as file:
        return file.read(len(_FROM)) == _FROM


def _letters(path: Path, name: str, box: str) -> Iterator[Kept]:
    if not is_mbox(path):
        yield from _letter(path, name, box)
        return
    place = f"{box}/{name}" if box else name
    for number, raw in enumerate(_cut(path), 1):
        if len(raw) <= MAX_INPUT:
            yield Kept(f"letter {number}", place, raw)


def _letter(path: Path, name: str, box: str) -> Iterator[Kept]:
    if path.is_file() and path.stat().st_size <= MAX_INPUT:
        yield Kept(name, box, path.read_bytes())


def _cut(path: Path) -> Iterator[bytes]:
    """The emails of a mbox without their ``From`` lines; of one that is too long only so much that this shows."""
    letter, blank = bytearray(), True
    with path.open("rb") as file:
        file.readline(MAX_INPUT)
        while line := file.readline(MAX_INPUT):
            if line.startswith(_FROM) and (blank or line.rstrip()[-4:].isdigit()):
                yield bytes(letter)
                letter.clear()
            elif len(letter) <= MAX_INPUT:
                letter += line
            blank = line in (b"\n", b"\r\n")
    yield bytes(letter)
