"""The emails of a match: what they are made of, whom they go to, what they are called, and how they become mail.

An email is kept as its ``LetterName``: all that it is made of, beside the record. It is made from that when it leaves,
or when somebody asks for it: when it is printed into a folder, or a mail server takes it. So a host keeps a
line where an email with pictures would be a hundred kilobytes, and after an upgrade an email that waits has the same
Message-ID and the words of the newer program.

That id follows from what the email is an **effect** of (a match, a record, a seat, a kind) and from the host's secret:
it is the same whenever the email is made again, in a folder and in a service, and nobody can guess it and send it
first.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, field, replace
from datetime import datetime
from email.headerregistry import Address
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from pbem.base.errors import PbemError
from pbem.base.language import language_of
from pbem.base.values import dataclass
from pbem.game import JsonObject, Seat
from pbem.player.letters.compose import (
    compose,
    invitation_letter,
    letter_for,
    public_letter,
    refusal_letter,
    reminder_letter,
)
from pbem.player.letters.layout import capital, clean, fill, subject_line
from pbem.player.letters.letter import (
    Attachment,
    Kind,
    Letter,
    LetterExtras,
    Link,
    names_joined,
    tag_of,
    who_hears,
    zone_of,
)
from pbem.player.letters.rendering import LetterContexts, Style, environment
from pbem.player.lookback.figures import unit_of
from pbem.player.lookback.season import season_of
from pbem.player.mail.outgoing import (
    AttachedFile,
    InlinePicture,
    MailHead,
    Sender,
    calendar_entry,
    known_ids,
    message_id,
    plain_mail,
    robot_headers,
    token_of,
    write_mail,
)
from pbem.player.pictures.picture import Paint, to_png
from pbem.protocol.crypto import digest as base32
from pbem.protocol.crypto.digest import b64, kdf, sha, short_id, unb64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.envelopes import open_contact
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import Line, Record
from pbem.protocol.record.deadlines import parse_time
from pbem.protocol.record.kinds import KINDS
from pbem.protocol.record.line import pack_lines

if TYPE_CHECKING:
    from pbem.host.store import Plain

BATCH: Final = "batch"
INVITATION: Final = "invitation"
REFUSED: Final = "refused"
REMINDER: Final = "reminder"
RECORDS: Final = "records"
PUBLIC: Final = "public"


@dataclass(frozen=True, slots=True)
class LetterName:
    """What an email is made of.

    ``what`` it is: the email about a ``batch`` of records, an ``invitation``, the answer to a ``refused`` file, a
    ``reminder``, the ``records`` once more, or ``public``, to somebody who reads along and has no seat. ``kind`` is
    what it is called among the emails about record ``upto``. A batch begins at ``since``; in other emails that is the
    last record that is not attached.
    """

    what: str
    seat: str
    kind: str
    since: int
    upto: int
    head: int = 0
    """The newest record when it was named."""
    record: str = ""
    """The first half of the hash of record ``upto``, in hex."""
    at: str = ""
    """When it was named: its date."""
    moment: str = ""
    """When a reminder was due: what it says is left is counted from there."""
    sender: str = ""
    """The seat whose file the batch is about, if one is."""
    lang: str = ""
    zone: str = ""
    address: str = ""
    title: str = ""
    season: str = ""
    """Hashes of what the host calls the match, and of its season: empty where there is none."""
    discreet: bool = False
    """Whether its subject shows no result."""
    file: str = ""
    """The hash of the file that is refused."""
    reason: str = ""
    """Why, in the words of its reader: they do not follow from the record."""
    answers: str = ""
    """The Message-ID of the mail that it answers."""

    def to_json(self) -> str:
        """The name as text; what is empty is left out."""
        values = {
            name: value for name, value in asdict(self).items() if value not in ("", 0) or name == "upto"
        }
        return json.dumps(values, separators=(",", ":"), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> LetterName:
        """What ``to_json`` wrote."""
        return cls(**{"seat": "", "since": 0, **json.loads(text)})


# --- whom emails go to: what a host knows of a match's people beside its record ----------------------------
#
# Names, mail addresses and earlier matches, a note in the database. Emails are a function of the record and of this
# note, so an outbox can still be made again.


@dataclass(frozen=True, slots=True)
class Contacts:
    """The host's ``name`` and ``mail``, the match's ``title``, the invitations' ``lang``, the address of each seat.

    ``langs`` are the languages of invitations to seats whose player the host knows already. ``season`` holds the
    matches that this one follows, in short (``pbem.player.lookback.season.came_of``), oldest first.
    """

    name: str = ""
    mail: str = ""
    title: str = ""
    lang: str = "en"
    seats: Mapping[str, str] = field(default_factory=dict)
    langs: Mapping[str, str] = field(default_factory=dict)
    season: Sequence[JsonObject] = ()
    discreet: Sequence[str] = ()
    """Seats whose emails keep results out of their subjects."""
    webhook_files: Mapping[str, int] = field(default_factory=dict)
    """The number of the newest file in which a seat said where its own turns are announced."""

    @classmethod
    def from_json(cls, raw: bytes | str) -> Contacts:
        """What ``to_json`` wrote; nothing of an empty text."""
        return cls(**json.loads(raw or "{}"))

    def to_json(self) -> str:
        """The note."""
        return json.dumps(asdict(self))

    def language(self, seat: str) -> str:
        """In which language this seat is invited."""
        return self.langs.get(seat, self.lang)

    def extras(self, record: Record, first: int, last: int) -> LetterExtras:
        """What emails on records ``first`` to ``last`` say besides; the season if the match has ended in them."""
        ends = any(KINDS[line.kind].ends == "match" for line in record.lines[max(first, 0) : last + 1])
        return LetterExtras(self.title, season_of(self.season, record) if ends else None)

    def with_results(self, seat: str, *, shown: bool) -> Contacts:
        """The same, and whether subjects to this seat show results."""
        others = [other for other in self.discreet if other != seat]
        return replace(self, discreet=others if shown else [*others, seat])


def contact_of(record: Record, host: Identity, seat: Seat) -> str:
    """The mail address that this seat's player sealed to the host in their join; empty if there is none."""
    player = record.ledger.players.get(seat)
    if player is None or player.contact is None:
        return ""
    with suppress(PbemError, ValueError, IndexError):  # it may be no address
        mail = open_contact(record.game, seat, host.seal_key, host.seal_public, player.contact)
        return Address(addr_spec=mail).addr_spec
    return ""


# --- one email: its name, and the email of that name --------------------------------------------------


@dataclass(frozen=True, slots=True)
class Around:
    """What a host adds to a record when an email is made: what it is called, the way in by browser, an invite code."""

    contacts: Contacts = field(default_factory=Contacts)
    host: str = ""
    link: Link | None = None
    word: str = ""
    pictures: bool = True
    reject: Callable[[str], JsonObject] = lambda _: {}
    """The signed ``reject`` of a file, by the file's hash."""
    letter_contexts: LetterContexts = field(default_factory=LetterContexts)


def names_of(record: Record, batch: Batch, sender: Seat | None = None) -> list[LetterName]:
    """The emails that a batch of records causes; ``sender``: as if this seat had sent it."""
    if batch.first == 0:
        return [LetterName(INVITATION, seat, Kind.INVITATION.value, -1, 0) for seat in record.seats]
    sender = sender or batch.sender
    return [
        LetterName(BATCH, seat, kind.value, batch.first, batch.last, sender=sender or "")
        for seat, kind in who_hears(record, batch.first, batch.last, sender)
    ]


def name_of_refusal(reject: JsonObject, head: int, reason: str = "") -> LetterName:
    """The answer to a refused file; it shows what the signed ``reject`` shows, and ``reason`` if that may be said."""
    body = reject["body"]
    kind = f"refused-{body['n']}-{base32.encode(unb64(body['hash'], 32))[:8].lower()}"
    return LetterName(REFUSED, body["seat"], kind, -1, head, at=body["at"], file=body["hash"], reason=reason)


def dated(name: LetterName, record: Record, contacts: Contacts) -> dict[str, Any]:
    """What else a name holds, by record and contacts as they are now: when an email is made this may have changed."""
    seat = Seat(name.seat)
    lang = tag_of(record, seat, name.upto) if name.what != INVITATION else contacts.language(name.seat)
    return {
        "head": record.head.seq,
        "record": record.lines[name.upto].hash.hex()[:32],
        "lang": lang if name.seat else "en",
        "zone": zone_of(record, seat, name.upto),
        "title": _hash(contacts.title),
        "season": _hash(list(contacts.season)),
        "discreet": name.seat in contacts.discreet,
    }


def _hash(value: object) -> str:
    return sha(canon(value)).hex()[:16] if value else ""


def is_of(name: LetterName, record: Record) -> bool:
    """Whether the record that the email is about is the one that it was named at."""
    return name.upto < len(record.lines) and record.lines[name.upto].hash.hex().startswith(name.record)


def _last(record: Record, contacts: Contacts) -> JsonObject | None:
    """How the match before this one ended, if this is a rematch: for its invitation."""
    if not contacts.season:
        return None
    return {"people": contacts.season[-1]["people"], "unit": unit_of(record.game_info.id)}


def make_letter(name: LetterName, record: Record, around: Around) -> Letter:
    """The email of this name."""
    seat, upto, link, pictures = Seat(name.seat), name.upto, around.link, around.pictures
    extras = replace(around.contacts.extras(record, name.since, upto), discreet=name.discreet)
    titled = LetterExtras(around.contacts.title, discreet=name.discreet)
    if name.what == BATCH:
        return letter_for(
            record, name.since, upto, seat, Kind(name.kind), pictures=pictures, link=link, extras=extras,
            letter_contexts=around.letter_contexts,
        )  # fmt: skip
    if name.what == INVITATION:
        return invitation_letter(
            record,
            seat,
            language_of(name.lang or around.contacts.language(name.seat)),
            host=around.host,
            title=around.contacts.title,
            word=around.word,
            joined=names_joined(record, name.head),
            upto=upto,
            link=link,
            last=_last(record, around.contacts),
        )
    if name.what == REFUSED:
        reject = around.reject(name.file)
        return refusal_letter(
            record, seat, reject, name.reason, reject_bytes=canon(reject), link=link, extras=titled, upto=upto
        )
    if name.what == REMINDER:
        seen = record.as_of(max(name.at, record.head.at)) if record.head.seq == upto else record
        return reminder_letter(
            seen, seat, name.moment, pictures=pictures, link=link, extras=titled, upto=upto
        )
    if name.what == PUBLIC:
        return public_letter(
            record, upto, name.since, Kind(name.kind), pictures=pictures, title=around.contacts.title
        )
    return compose(record, seat, upto, name.since, Kind.NOTICE, link=link, extras=titled)


# --- which records were committed together ----------------------------------------------------------------
#
# A function of the record, so that emails can be made again from it.
#
# A ruling writes a first record and what follows of itself (``referee.draft.go_on``): announcements,
# openings, closes and the end. So a batch begins at every record that somebody caused.


@dataclass(frozen=True, slots=True)
class Batch:
    """Records ``first`` to ``last``; ``sender`` is the seat whose file caused them, if one did."""

    first: int
    last: int
    sender: Seat | None


def batches_of(lines: Sequence[Line]) -> list[Batch]:
    """All batches of a game file, in order."""
    starts = [*lines[:1], *(line for before, line in pairwise(lines) if _begins(before, line))]
    ends = [start.seq - 1 for start in starts[1:]] + [len(lines) - 1]
    return [Batch(start.seq, end, _sender(start)) for start, end in zip(starts, ends, strict=True)]


def _begins(before: Line, line: Line) -> bool:
    kind = KINDS[line.kind]
    if kind.ends:
        return "consents" in line.body
    if line.kind == "burn":
        return "back" not in line.body and (not KINDS[before.kind].loses_link or line.at != before.at)
    # What follows of itself is written at the same moment; after a pause that ended by itself, at a later one.
    return not kind.follows or line.at != before.at


def _sender(line: Line) -> Seat | None:
    message = line.body.get("msg")
    return Seat(message["body"]["seat"]) if message else None


# --- an email as a mail message: who it comes from, what it is called, which emails it goes on from -------

NOWHERE: Final = "pbem.invalid"
"""RFC 2606: addresses in this domain reach nobody; whoever delivers emails puts their own in."""


def letter_key(host: Identity) -> bytes:
    """The secret behind the names of all emails of a host."""
    return kdf(host.secret, "pbem/1 service")


def effect_of(game: bytes, seq: int, seat: str, kind: str) -> str:
    """What an email of ``kind`` to ``seat`` about record ``seq`` is an effect of."""
    return f"{b64(game)}/{seq}/{seat}/{kind}"


@dataclass(frozen=True, slots=True)
class Name:
    """What an email is called: ``token`` in the envelope, ``own_id`` in its head."""

    token: str
    own_id: str

    @classmethod
    def of(cls, key: bytes, effect: str, sender: Sender) -> Name:
        """The name of the email with this effect."""
        token = token_of(key, effect)
        return cls(token, message_id(token, sender.address))


@dataclass(frozen=True, slots=True)
class Envelope:
    """All that a message needs beside its words; ``thread`` are earlier emails, ``answered`` the mail it answers."""

    sender: Sender
    to: str | Address
    own_id: str
    at: str
    thread: tuple[str, ...] = ()
    answered: str = ""

    @property
    def date(self) -> datetime:
        """When it is written."""
        return parse_time(self.at)


def letter_mail(
    record: Record, letter: Letter, envelope: Envelope, *, answer: bool, paint: Paint = to_png
) -> bytes:
    """An email of a match as a message; ``answer`` if it answers one of its reader, ``paint`` makes its pictures."""
    thread, answered = envelope.thread, envelope.answered
    headers = robot_headers(
        envelope.sender,
        answer=answer,
        match=short_id(record.game),
        seat=letter.seat,
        title=record.game_info.title,
    )
    if envelope.sender.domain == NOWHERE:
        del headers["Reply-To"]
    head = MailHead(
        envelope.sender.header(),
        envelope.to,
        letter.subject,
        envelope.own_id,
        envelope.date,
        answered or (thread[-1] if thread else ""),
        known_ids((*thread, answered) if answered else thread),
        headers,
    )
    return to_eml(letter, head, paint)


def answer_mail(answer: Plain, envelope: Envelope) -> bytes:
    """A plain answer as a message."""
    template = environment(Style.TEXT, answer.language).get_template(f"service/{answer.kind}.txt.jinja")
    headers = robot_headers(envelope.sender, answer=bool(envelope.answered))
    if answer.match:
        headers["Reply-To"] = envelope.sender.route(answer.match)
    asks = () if answer.asks is None else (AttachedFile("proposal.json", canon(answer.asks), "json"),)
    return plain_mail(
        envelope.sender,
        str(envelope.to),
        subject_line(capital(answer.language.translate(answer.subject)), "", answer.title),
        fill(template.render(dict(answer.values))),
        envelope.own_id,
        envelope.date,
        headers,
        (envelope.answered,),
        asks,
    )


def to_eml(letter: Letter, head: MailHead, paint: Paint = to_png) -> bytes:
    """The message, ready for ``sendmail`` and for an ``.eml`` file; the subject of ``head`` is the email's.

    Raises:
        UsageProblem: an address, id or header that a message cannot hold.
    """
    files = [_records(letter)] if letter.attachment else []
    files += [_extra(extra) for extra in letter.extra]
    if (entry := letter.deadline) is not None:
        by = head.sender if isinstance(head.sender, Address) else Address(addr_spec=head.sender)
        files.append(
            calendar_entry(
                entry.uid,
                entry.number,
                parse_time(entry.due),
                entry.summary,
                entry.text,
                holds=entry.holds,
                at=head.date,
                by=by,
            )
        )
    pictures = [InlinePicture(picture.cid, paint(picture.svg)) for picture in letter.pictures]
    return write_mail(replace(head, subject=clean(letter.subject)), letter.text, letter.html, pictures, files)


def _extra(extra: Attachment) -> AttachedFile:
    if extra.name.endswith(".txt"):
        return AttachedFile(extra.name, extra.data, "plain", "text", {"charset": "utf-8"})
    return AttachedFile(extra.name, extra.data, "json")


def _records(letter: Letter) -> AttachedFile:
    name, lines = letter.attachment_name, letter.attachment
    return (
        AttachedFile(name, pack_lines(lines), "gzip")
        if name.endswith(".gz")
        else AttachedFile(name, lines, "jsonl")
    )
