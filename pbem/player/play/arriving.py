"""Before one has a seat: matches and invitations in a folder, invite codes, seats that are free."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence
from pathlib import Path

from pbem.base.errors import PbemError
from pbem.game import Seat
from pbem.player.mail import content_of
from pbem.player.mail.gate import MailRefused, read_mail
from pbem.player.seat import Copy, Fate, PlayerClient
from pbem.player.store import GAME_FILE
from pbem.player.store.durable import read_file
from pbem.protocol.crypto.digest import unb64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.record import Record
from pbem.protocol.record.line import read_line

_WORD = re.compile(r"--word\s+([A-Za-z0-9]{6,40})")


def matches_at(start: Path) -> list[Path]:
    """The matches that ``start`` may mean: itself if it names one, else those in folders right below it."""
    if not start.is_dir() or (start / GAME_FILE).is_file():
        return [start]
    below = sorted(path.parent for path in start.glob(f"*/{GAME_FILE}"))
    return below or ([start] if list(start.glob("*.jsonl")) else [])


def saved_letters(folder: Path) -> list[Path]:
    """The emails in this folder that bring records."""
    return [path for path in sorted(folder.glob("*.eml")) if content_of(read_file(path)).lines]


def saved_invitations(folder: Path) -> list[Path]:
    """Of these emails those that invite: the seat that each is for was free when it was written."""
    return [path for path in saved_letters(folder) if _invites(path)]


def _invites(path: Path) -> bool:
    content = content_of(read_file(path))
    try:
        record = Record.load(content.lines)
    except PbemError:
        return False  # it begins later: a receipt, a turn
    return Seat(content.seat) not in record.ledger.players if content.seat else True


def seated_in(letters: Sequence[Path], mine: Collection[bytes]) -> bool:
    """Whether one of these emails brings the record by which one of these signing keys took a seat.

    Nothing is verified: it only says where to look.
    """
    for path in letters:
        for raw in content_of(read_file(path)).lines:
            body = read_line(raw).body.get("msg", {}).get("body", {})
            if "anchor" in body and unb64(body["sign"], 32) in mine:
                return True
    return False


def word_in(invited: Path) -> str | None:
    """The one-time word of a mailed invitation, as its text says it; ``invited`` is the email or its folder."""
    for letter in sorted(invited.glob("*.eml")) if invited.is_dir() else [invited]:
        try:
            mail = read_mail(read_file(letter))
        except MailRefused:
            continue
        texts = (part.text for part in mail.parts if part.kind.startswith("text/"))
        if (hit := next((match for text in texts if (match := _WORD.search(text))), None)) is not None:
            return hit[1]
    return None


def free_seats(copy: Copy, mine: Collection[bytes]) -> tuple[list[Seat], Seat | None]:
    """The seats to join, and the one that an email in the folder is for, if it is free.

    None are free for somebody who has a seat or has asked for one; ``mine`` are the signing keys of their identities.
    """
    players = copy.record.ledger.players
    home = copy.folder.path
    free = [seat for seat in copy.record.seats if seat not in players]
    if _has_joined(home) or any(player.sign in mine for player in players.values()):
        free = []
    named = (content_of(read_file(letter)).seat for letter in sorted(home.glob("*.eml"))) if free else ()
    return free, next((seat for name in named if (seat := Seat(name)) in free), None)


def waits_for_seat(copy: Copy, mine: Collection[bytes]) -> bool:
    """Whether a join was signed here and no key of ``mine`` has a seat: it has no answer yet, or was refused."""
    players = copy.record.ledger.players.values()
    return _has_joined(copy.folder.path) and not any(player.sign in mine for player in players)


def seatless_client(copy: Copy, identity: Identity) -> PlayerClient | None:
    """The client of somebody who waits for a seat; None if their newest file says that they do not."""
    client = PlayerClient(copy, identity, os.urandom)
    entries = client.signed()
    return client if entries and (entries[-1].open or entries[-1].fate is Fate.REFUSED) else None


def zone_here() -> str | None:
    """The time zone of this machine by its name, if it has one."""
    from babel.dates import LOCALTZ

    # pytz, where somebody installed it, says it by another name
    name = getattr(LOCALTZ, "key", None) or getattr(LOCALTZ, "zone", None)
    return name if isinstance(name, str) and "/" in name else None


def _has_joined(home: Path) -> bool:
    return bool(list((home / "sent").glob("*-join-*.json")))
