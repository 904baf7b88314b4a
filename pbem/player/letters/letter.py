"""A letter: what one seat is told, ready to be put into a mail."""

from __future__ import annotations

from enum import StrEnum
from typing import Final
from urllib.parse import quote

from pbem.base.values import dataclass
from pbem.game import Seat
from pbem.player.letters.deadline import Deadline
from pbem.player.pictures import Picture
from pbem.protocol.crypto.digest import short_id, unb64

SHORT: Final = 8
"""Characters of a match's short name."""


class Kind(StrEnum):
    """Why a letter is written. It decides the subject and the first sentences; the rest follows from the record."""

    INVITATION = "invitation"
    ROSTER = "roster"
    STARTED = "started"
    ACCEPTED = "receipt-accepted"
    STOPPED = "receipt-stopped"
    REFUSED = "refused"
    ASKED = "asked"
    TURN_END = "turn-end"
    HAND_END = "hand-end"
    MATCH_END = "match-end"
    TALK = "talk"
    REMINDER = "reminder"
    PROPOSED = "proposed"
    """Somebody else is to have the reader's seat, or new keys in it, unless he writes."""
    NOTICE = "notice"
    """The host recorded something that is nobody's turn: a pause, an absence, an extension, a substitute."""

    @property
    def answers(self) -> bool:
        """Whether the letter answers a mail of its reader (RFC 3834 ``auto-replied``)."""
        return self in (Kind.ACCEPTED, Kind.STOPPED, Kind.REFUSED)

    @property
    def pictured(self) -> bool:
        """Whether the letter shows the table as a picture: not a receipt, nor where nothing has changed there."""
        return self in (Kind.STARTED, Kind.ASKED, Kind.TURN_END, Kind.HAND_END, Kind.MATCH_END)


@dataclass(frozen=True, slots=True)
class Link:
    """The way into a match by browser: the ``page`` (empty if there is none), and what it must know.

    ``code`` is for somebody who is still to join: with it the page takes the seat. Emails after that hold no secret:
    on a device without the seat the page asks for it, and the seat's keys open the API. ``word`` opens it for
    whoever the host gives it to by hand.
    """

    page: str
    api: str
    match: str
    seat: str
    word: str = ""
    code: str = ""

    @property
    def fragment(self) -> str:
        """What stands behind the page's address; no browser sends it to a server.

        The API is left out where the page lies beside it, and the match goes by its short name: a link is to be
        short enough for a QR code that a phone reads off a terminal.
        """
        match = short_id(unb64(self.match, 32)) if len(self.match) > SHORT else self.match
        what = f"join={match}&seat={self.seat}" if self.code else f"match={match}&seat={self.seat}"
        api = "" if self.is_beside else f"&door={quote(self.api, safe=':/')}"
        secret = f"&code={self.code}" if self.code else f"&word={self.word}" if self.word else ""
        return f"#{what}{api}{secret}"

    @property
    def is_beside(self) -> bool:
        """Whether the page is one folder below the API."""
        return bool(self.page) and self.page.removesuffix("/").rpartition("/")[0] == self.api

    @property
    def url(self) -> str:
        """The whole address; empty if the release has no page."""
        return self.page + self.fragment if self.page else ""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that goes with a letter."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Letter:
    """Subject, text and HTML for one seat, and the new lines of the game file.

    ``attachment`` holds whole lines, each with its line feed, and is packed on its way if its name says so; it is
    empty when there is nothing new. ``extra`` are further files (a refusal's signed ``reject``). ``upto`` is the record
    that the letter speaks up to: with ``seat`` and ``kind`` it names the letter, as everything in it is a function of
    the record.
    """

    seat: Seat
    kind: Kind
    subject: str
    text: str
    html: str
    attachment_name: str
    attachment: bytes
    upto: int
    extra: tuple[Attachment, ...] = ()
    pictures: tuple[Picture, ...] = ()
    """What the HTML shows by ``cid:``."""
    deadline: Deadline | None = None
    """What the reader's calendar is told, if it has to be told anything."""


PACKED_FROM: Final = 64 * 1024
"""Bytes of records from which on a letter brings them packed; fewer can be read as they are."""


def attachment_name(game: bytes, first: int, last: int, size: int) -> str:
    """``game-7q3kdw1x-12-15.jsonl``: records 12 to 15; ``size`` bytes of them may be so many that they are packed."""
    return f"game-{short_id(game)}-{first}-{last}.jsonl{'.gz' if size >= PACKED_FROM else ''}"
