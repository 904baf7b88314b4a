"""A letter as a mail message: who it comes from, what it is called, which letters it goes on from.

What a letter is called follows from what it is an **effect** of (a match, a record, a seat, a kind) and from the host's
secret: it is the same whenever the letter is made again, in a folder and in a service, and nobody can guess it and send
it first.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from email.headerregistry import Address
from typing import TYPE_CHECKING, Final

from pbem.base.values import dataclass
from pbem.player.letters.compose import subject_line
from pbem.player.letters.environment import Style, environment
from pbem.player.letters.layout import capital, clean, fill
from pbem.player.letters.letter import Attachment, Letter
from pbem.player.mail.lines import pack_lines
from pbem.player.mail.mime import AttachedFile, InlinePicture, MailHead, calendar_entry, known_ids, write_mail
from pbem.player.mail.outgoing import Sender, message_id, plain_mail, robot_headers, token_of
from pbem.player.pictures.picture import Paint, to_png
from pbem.protocol.crypto.digest import b64, kdf, short_id
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import Record
from pbem.protocol.record.deadlines import parse_time

if TYPE_CHECKING:
    from pbem.host.store import Plain


NOWHERE: Final = "pbem.invalid"
"""RFC 2606: addresses in this domain reach nobody; whoever delivers letters puts his own in."""


def letter_key(host: Identity) -> bytes:
    """The secret behind the names of all letters of a host."""
    return kdf(host.secret, "pbem/1 service")


def effect_of(game: bytes, seq: int, seat: str, kind: str) -> str:
    """What a letter of ``kind`` to ``seat`` about record ``seq`` is an effect of."""
    return f"{b64(game)}/{seq}/{seat}/{kind}"


@dataclass(frozen=True, slots=True)
class Name:
    """What a letter is called: ``token`` in the envelope, ``own_id`` in its head."""

    token: str
    own_id: str

    @classmethod
    def of(cls, key: bytes, effect: str, sender: Sender) -> Name:
        """The name of the letter with this effect."""
        token = token_of(key, effect)
        return cls(token, message_id(token, sender.address))


@dataclass(frozen=True, slots=True)
class Envelope:
    """All that a message needs beside its words; ``thread`` are earlier letters, ``answered`` the mail it answers."""

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
    """A letter of a match as a message; ``answer`` if it answers a mail of its reader, ``paint`` makes its pictures."""
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
    headers = {} if answer.brings else robot_headers(envelope.sender, answer=bool(envelope.answered))
    if answer.match:
        headers["Reply-To"] = envelope.sender.route(answer.match)
    asks = () if answer.asks is None else (AttachedFile("proposal.json", canon(answer.asks), "json"),)
    brings = () if answer.brings is None else (AttachedFile("file.json", canon(answer.brings), "json"),)
    return plain_mail(
        envelope.sender,
        str(envelope.to),
        subject_line(capital(answer.language.tell(answer.subject)), "", answer.title),
        fill(template.render(dict(answer.values))),
        envelope.own_id,
        envelope.date,
        headers,
        (envelope.answered,),
        (*asks, *brings),
    )


def to_eml(letter: Letter, head: MailHead, paint: Paint = to_png) -> bytes:
    """The message, ready for ``sendmail`` and for an ``.eml`` file; the subject of ``head`` is the letter's.

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
                entry.told,
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
