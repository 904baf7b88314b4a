"""The log of signed files: what was signed here, when, how it left, and what became of it.

It lies beside the copy, in ``sent/book.json``; the files themselves lie there too. An entry is written before its file
is kept, and an attempt to mail before the mail server hears of it, so a crash leaves a page that says so and never a
file that nobody knows of. What became of a file is not believed but looked up: the copy holds its record, or a refusal
that the host has signed was taken in.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import field
from datetime import timedelta
from enum import Enum
from typing import Any, Final

from pbem.base.errors import PbemError, StoreError
from pbem.base.language import UTC_CLOCK, Clock, moment_of
from pbem.base.sentences import Sentence, joined, sentence
from pbem.base.values import dataclass
from pbem.game import JsonObject, Seat
from pbem.player.store import MatchFolder, PrivateNotes
from pbem.protocol.crypto.digest import unb64
from pbem.protocol.formats.envelopes import verify_file
from pbem.protocol.formats.messages import Message, read_message
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import Record
from pbem.protocol.record.deadlines import parse_time
from pbem.protocol.record.kinds import FILES
from pbem.protocol.record.kinds.consent import CONSENT, usable

_FILE: Final = "book.json"
_PROPOSED: Final = "proposed-"
_MOST_PROPOSED: Final = 8
"""Consents of one other seat that are kept at a time."""
_LATE: Final = timedelta(hours=1)
"""A file that left and has no answer after so long may be lost on its way."""
Lock = Callable[[], AbstractContextManager[None]]


class Fate(Enum):
    """What became of a signed file, as far as the copy knows."""

    OPEN = "open"
    """No answer yet."""
    TAKEN = "taken"
    """The copy holds its record."""
    REFUSED = "refused"
    """The host has refused it, and signed that."""
    PASSED = "passed"
    """The match went on without it: a higher number is in the record, or another position. It can count no more.

    Of a file that no record ever holds: it has left.
    """


@dataclass(frozen=True, slots=True)
class SentNote:
    """What the log holds of one file; times are UTC as records write them.

    ``way`` and ``place`` say how it left last: written to a file, mailed to an address; ``way`` is empty if it has not
    left. ``mailing`` is the address of an email whose fate is unknown, ``mail_id`` its Message-ID.
    """

    at: str = ""
    way: str = ""
    place: str = ""
    left: str = ""
    mailing: str = ""
    mail_id: str = ""
    refused: str = ""
    elsewhere: bool = False
    """Of a file that is in the record and not here: the player says that they signed it on another device."""
    wish: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SentEntry:
    """One signed file and what became of it; ``seq`` is its record, if it has one."""

    message: Message
    page: SentNote
    fate: Fate
    seq: int = -1

    @property
    def open(self) -> bool:
        """Whether the host's answer is still to come."""
        return self.fate is Fate.OPEN

    @property
    def left(self) -> bool:
        """Whether it has left this machine, or may have: it was written to a file, mailed, or its mail broke off."""
        return bool(self.page.way or self.page.mailing)


class SentLog:
    """The pages beside one copy."""

    def __init__(self, notes: PrivateNotes, lock: Lock) -> None:
        self._notes = notes
        self._lock = lock

    @classmethod
    def at(cls, folder: MatchFolder) -> SentLog:
        """The log of the copy in this folder."""
        return cls(PrivateNotes(folder.path / "sent"), folder.lock)

    def all(self, record: Record) -> list[SentEntry]:
        """Every file that was signed in this folder for this match, by number, and what became of it."""
        return self.entries(record, self.files(record.game))

    def files(self, game: bytes) -> list[Message]:
        """The files themselves, by number."""
        names = [name for name in self._notes.names() if name[0].isdigit()]
        every = [read_message(self._notes.read(name)) for name in names]
        return [message for message in every if message.game == game]

    def page(self, message: bytes) -> SentNote:
        """The page of the file with this hash; an empty one if there is none."""
        return _page(self._read().get(message.hex(), {}))

    def write(self, message: bytes, **changes: Any) -> None:
        """Change what the page of a file says, durably; members of ``SentNote``."""
        with self._lock():
            pages = self._read()
            pages[message.hex()] = pages.get(message.hex(), {}) | changes
            text = json.dumps(pages, ensure_ascii=False, indent=1, sort_keys=True)
            self._notes.write(_FILE, text.encode(), replace=True)

    def entries(self, record: Record, messages: Sequence[Message]) -> list[SentEntry]:
        """These files with what became of them."""
        pages = self._read()
        return [
            SentEntry(message, page, *_fate(record, message, page))
            for message in messages
            for page in (_page(pages.get(message.hash.hex(), {})),)
        ]

    def take_answers(self, record: Record, files: Sequence[bytes]) -> int:
        """Note what emails attach to this match: refusals of its host, and what other seats propose.

        How many were new. Anything else is left alone.
        """
        new = 0
        for raw in files:
            try:
                message = read_message(raw)
            except PbemError:
                continue
            if message.game == record.game and message.kind == "reject":
                new += self._take_refusal(record, message)
            elif message.kind == "consent" and usable(record.ledger, message):
                new += self._take_proposal(message)
        return new

    def _take_refusal(self, record: Record, reject: Message) -> bool:
        try:
            verify_file("reject", reject.file, record.ledger.host_sign)
        except PbemError:
            return False
        name = unb64(reject.body["hash"], 32)
        if self.page(name).refused:
            return False
        self.write(name, refused=str(reject.body["code"]))
        return True

    def _take_proposal(self, consent: Message) -> bool:
        """Kept under its signer's name, newest last; a seat has few at a time, as with the host."""
        kept, own = self._notes.names(), f"{_PROPOSED}{consent.seat}-"
        name = f"{own}{consent.n:06}.json"
        if name in kept:
            return False
        self._notes.write(name, canon(consent.file), replace=False)
        for old in sorted(other for other in (*kept, name) if other.startswith(own))[:-_MOST_PROPOSED]:
            self._notes.remove(old)
        return True

    def proposed(self, record: Record) -> list[Message]:
        """What other seats have signed and may still be agreed to, as far as emails have brought it; oldest first."""
        names = [name for name in self._notes.names() if name.startswith(_PROPOSED)]
        files = [read_message(self._notes.read(name)) for name in names]
        return sorted(
            (file for file in files if usable(record.ledger, file)), key=lambda file: (file.seen_seq, file.n)
        )

    def _read(self) -> dict[str, dict[str, Any]]:
        if _FILE not in self._notes.names():
            return {}
        try:
            pages = json.loads(self._notes.read(_FILE))
        except ValueError:
            pages = None
        if not isinstance(pages, dict) or not all(isinstance(page, dict) for page in pages.values()):
            raise StoreError(
                sentence("{path} is damaged: it says which files you signed", path=self._notes.path(_FILE)),
                hint=sentence("Move it away; the files beside it are still counted."),
            )
        return pages


def _page(kept: dict[str, Any]) -> SentNote:
    return SentNote(**{name: value for name, value in kept.items() if name in SentNote.__slots__})


def _fate(record: Record, message: Message, page: SentNote) -> tuple[Fate, int]:
    seq = record.ledger.messages.get(message.hash)
    if seq is not None:
        return Fate.TAKEN, seq
    if page.refused:
        return Fate.REFUSED, -1
    return (Fate.PASSED if _passed(record, message, page) else Fate.OPEN), -1


def _passed(record: Record, message: Message, page: SentNote) -> bool:
    """Whether the host could only refuse it now: its number, link or position is past."""
    player, newest, result = (
        record.ledger.players.get(Seat(message.seat)),
        record.ledger.newest,
        record.ledger.result,
    )
    if FILES[message.kind].rule is None:
        return bool(page.way)
    if player is not None and message.n <= player.n:
        return True
    if FILES[message.kind].link_alone:
        return newest is not None and message.body["link"]["epoch"] < newest.number
    return _acts(message, page) and result is not None and message.seen_seq < result.seq


def _acts(message: Message, page: SentNote) -> bool:
    return FILES[message.kind].acts and bool(message.body["actions"] or page.wish.get("sealed"))


def says(
    message: Message, page: SentNote, label: Callable[[JsonObject], str], sealed: Sequence[JsonObject]
) -> Sentence:
    """What a file says, in words; ``label`` names an action, ``sealed`` are the own sealed actions in it."""
    body = message.body
    says = FILES[message.kind].says
    if says is not None:
        return says(body)
    actions = [*body["actions"], *sealed]
    parts: list[str] = [joined([label(action) for action in actions], ", ")] if actions else []
    if body.get("say"):
        parts.append(sentence("a message to all: {text!r}", text=body["say"]))
    if body.get("tell"):
        parts.append(sentence("a private message"))
    if "orders" in page.wish:
        parts.append(sentence("standing orders"))
    if not actions and not body.get("say") and "link" in body:
        parts.insert(0, sentence("you have pressed Ready for deal {epoch}", epoch=body["link"]["epoch"]))
    return joined(parts) if parts else sentence("nothing but its number")


def describe_entry(entry: SentEntry, text: str, now: str, clock: Clock = UTC_CLOCK) -> Sentence:
    """Time and words of a file, how it left, what became of it; ``now`` is UTC as records write it."""
    page = entry.page
    when = moment_of(page.at, now, clock) if page.at else None
    head = (
        sentence("You signed this on {when}: {what}.", when=when, what=text)
        if when is not None
        else sentence("You signed this: {what}.", what=text)
    )
    return joined((head, _way(page), _became(entry, now)), " ")


def _way(page: SentNote) -> Sentence:
    if page.mailing:
        return sentence("It may have been sent by email to {place}: the line broke off.", place=page.mailing)
    if page.way == "mail":
        return sentence("It was sent by email to {place}.", place=page.place)
    if page.place == "-":
        return sentence("It was printed on the screen or into a pipe.")
    if page.way:
        return sentence("It was written to {place}.", place=page.place)
    return sentence("It has not left this machine.")


def _became(entry: SentEntry, now: str) -> Sentence:
    match entry.fate:
        case Fate.OPEN:
            left = entry.page.left
            if left and parse_time(now) - parse_time(left) >= _LATE:
                return sentence("Not confirmed yet: send it again. Nothing happens twice.")
            return sentence("No answer yet.")
        case Fate.TAKEN:
            return sentence("It is in the match.")
        case Fate.REFUSED:
            return sentence("The host refused it ({code}).", code=entry.page.refused)
        case Fate.PASSED if FILES[entry.message.kind].rule is None:
            return sentence("The host answers it by email; no record holds it.")
        case Fate.PASSED:
            return sentence("The match went on without it: it can count no more.")


#
# Each: the newest unanswered file that decides what a new one would decide too; None if there is none.


def same_turn(entries: Sequence[SentEntry]) -> SentEntry | None:
    """It acts in the position that is still there."""
    return _newest(entries, lambda entry: _acts(entry.message, entry.page))


def same_link(record: Record, entries: Sequence[SentEntry]) -> SentEntry | None:
    """Its link is the one that is awaited."""
    newest = record.ledger.newest
    awaited = None if newest is None else newest.number
    return _newest(entries, lambda entry: awaited == entry.message.body.get("link", {}).get("epoch", 0))


def same_consent(entries: Sequence[SentEntry], terms: object) -> SentEntry | None:
    """It agrees to these ``terms``."""
    return _newest(
        entries, lambda entry: entry.message.kind == CONSENT.name and entry.message.body["what"] == terms
    )


def _newest(entries: Sequence[SentEntry], fits: Callable[[SentEntry], bool]) -> SentEntry | None:
    return next((entry for entry in reversed(entries) if entry.open and fits(entry)), None)
