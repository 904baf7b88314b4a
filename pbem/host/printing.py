"""The print of a match in its host's folder: the game file and the emails, as the database has them.

The database is the match. What lies here is made from it after the commit, in order, under the folder's lock, and is
made again where it is missing: a killed process, a full disk or an editor cost nothing. Nobody takes the game file for
the match but ``recover`` and whoever reads a copy.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Final

from pbem.base.errors import FormatError
from pbem.base.sentences import sentence
from pbem.host.database.database import Transaction
from pbem.host.database.mail import OutboxRow, OutboxRows
from pbem.host.database.matches import Matches
from pbem.host.letter_mail import LetterName
from pbem.host.service.context import ServiceContext
from pbem.host.service.letters import Letterbox, NotMade
from pbem.player.store import Outbox, durable
from pbem.protocol.crypto import digest as base32
from pbem.protocol.crypto.digest import sha
from pbem.protocol.record import Line
from pbem.protocol.record.line import proves, read_line

POINTS: Final = (
    "shown",  # what was signed is noted outside the database
    "cut",  # the game file holds what it shares with the database, and nothing else
    "printed",  # and all of it
    "mailed",  # the emails lie there, too
)
"""Where a killed host leaves other traces after the commit, in their order."""


def print_lines(game: Path, lines: Sequence[bytes], steps: durable.Steps = durable.no_steps) -> list[str]:
    """Make the game file what the database has; what else was found there, in words. The caller holds the lock.

    Half a line is cut, a shorter file completed. Bytes that are not from this match are put aside, all of them.
    """
    path = game
    notices: list[str] = []
    held_bytes = durable.read_file(path) if path.is_file() else b""
    whole = b"".join(line + b"\n" for line in lines)
    if held_bytes == whole:
        return []
    shared = _shared(held_bytes, whole)
    rest = held_bytes[shared:]
    if b"\n" in rest:
        aside = _aside(path)
        durable.write_file(aside, held_bytes)
        notices.append(
            sentence(
                "{path} held what is not in the database; it lies in {aside} now, and the file is printed again",
                path=path,
                aside=aside.name,
            )
        )
    elif rest and not whole[shared:].startswith(rest):
        notices.append(sentence("{path} ended in half a line; it is whole again", path=path))
    with durable.disk("write", path):
        handle = durable.open_own(path, os.O_RDWR | os.O_CREAT, durable.PUBLIC_FILE)
        try:
            os.ftruncate(handle, shared)
            os.lseek(handle, shared, os.SEEK_SET)
            steps("cut")
            durable.write_fully(handle, whole[shared:])
            os.fsync(handle)
        finally:
            os.close(handle)
    if not held_bytes:
        durable.fsync_folder(path.parent)
    steps("printed")
    return notices


def _shared(held_bytes: bytes, whole: bytes) -> int:
    """The length of the whole lines that both begin with."""
    if whole.startswith(held_bytes):
        return held_bytes.rfind(b"\n") + 1
    at = 0
    while (end := whole.find(b"\n", at) + 1) and held_bytes[at:end] == whole[at:end]:
        at = end
    return at


def _aside(path: Path) -> Path:
    names = (path.with_name(f"{path.name}.foreign-{number}") for number in count(1))
    return next(name for name in names if not name.exists())


def signed_beyond(game: Path, lines: Sequence[bytes], host: bytes, given_up: int = -1) -> int | None:
    """The first record in the game file that this host signed and the database does not hold; None if there is none.

    Args:
        game: the file.
        lines: what the database has.
        host: the host's public key.
        given_up: up to this number another record than that of the database belongs to a history that was given up.
    """
    held_bytes = durable.read_file(game) if game.is_file() else b""
    whole = b"".join(line + b"\n" for line in lines)
    shared = _shared(held_bytes, whole)
    for raw in held_bytes[shared:].split(b"\n")[:-1]:
        try:
            line = read_line(raw)
        except FormatError:
            return None
        other = line.seq < len(lines) and line.seq <= given_up
        return line.seq if not other and proves(read_line(lines[0]).hash, host, line.seen) else None
    return None


class PrintedOutbox:
    """The emails that have not left, as files of the folder's outbox, within one transaction."""

    def __init__(self, context: ServiceContext, transaction: Transaction, outbox: Outbox) -> None:
        self._transaction = transaction
        self._letters = Letterbox(context, transaction)
        self._outbox = outbox

    def print(self, lines: Sequence[Line], *, again: Sequence[str] = ()) -> tuple[dict[str, str], list[str]]:
        """Write every email that is missing, and mark those that left or are needless.

        Args:
            lines: the records of the match.
            again: emails to be made again although they lie there, by their effects.

        Returns:
            The name of each email's file by its effect, and the names of those that were written now.
        """
        present = set(self._outbox.names())
        rows = OutboxRows(self._transaction).unsent_rows()
        names = {row.effect: self._name(row, lines, present) for row in rows}
        files: dict[str, bytes] = {}
        for row in rows:
            name = names[row.effect]
            if name + Outbox.MARK not in present and (name not in present or row.effect in again):
                try:
                    files[name] = self._letters.ready(row)()
                except NotMade:
                    continue
        if files:
            self._outbox.write(files)
        waiting = set(names.values())
        for name in sorted(present):
            if name.endswith(".eml") and name + Outbox.MARK not in present and name not in waiting:
                self._outbox.mark_sent(name)
        return names, sorted(files)

    def _name(self, row: OutboxRow, lines: Sequence[Line], present: set[str]) -> str:
        """What an email's file is called: the record that it is about, who reads it, what it is."""
        tag = base32.encode(sha(row.effect.encode()))[:8].lower()
        parts = row.effect.split("/")
        if row.name:
            name = LetterName.from_json(row.name)
            reader = name.seat or f"reader-{base32.encode(sha(row.rcpt.encode()))[:8].lower()}"
            plain = len(parts) == 4 and parts[1].isdigit()
            return Outbox.name(name.upto, reader, parts[3] if plain else f"{name.kind}-{tag}")
        known = [name for name in present if name.endswith(f"-{parts[0]}-{tag}.eml")]
        seq = max((line.seq for line in lines if line.at <= row.created), default=0)
        return known[0] if known else Outbox.name(seq, row.seat or self._reader(row), f"{parts[0]}-{tag}")

    def _reader(self, row: OutboxRow) -> str:
        """The seat whose address this is."""
        (match,) = Matches(self._transaction).all()
        seats = Matches(self._transaction).seats(match.game).values()
        return next((seat.seat for seat in seats if seat.reach == row.rcpt), "somebody")
