"""Letters as files: a pure function of the record and the host's secret, so that an outbox can be made again.

The date of a letter is the time of its record. Its Message-ID is a MAC under the host's secret over match, record,
seat and kind: nobody can guess it and send it first. All letters to a seat refer to
its invitation, so a mail program shows a match as one thread.
"""

from __future__ import annotations

from collections.abc import Mapping
from email.headerregistry import Address

from pbem.crypto import base32
from pbem.crypto.digest import kdf, lp, mac, short_id, u32
from pbem.crypto.identity import Identity
from pbem.formats.strict_json import canon
from pbem.game import JsonObject, Seat
from pbem.host.batches import Batch
from pbem.host.circle import Circle, contact_of
from pbem.host.letter_mail import to_eml
from pbem.language import language_of
from pbem.letters import (
    Beside,
    Kind,
    Letter,
    invitation_letter,
    letters_for,
    refusal_letter,
    who_hears,
)
from pbem.mail.mime import Head
from pbem.record import Record
from pbem.record.deadlines import parse_time
from pbem.store import Outbox

_NOWHERE = "pbem.invalid"
"""RFC 2606: addresses in this domain reach nobody; whoever delivers letters puts his own in."""


class Post:
    """Writes the letters of one match."""

    def __init__(self, host: Identity, record: Record, circle: Circle | None = None) -> None:
        self._host = host
        self._circle = circle or Circle()
        self._game = record.game
        self._key = kdf(host.secret, "pbem/1 message id", record.game)
        self._short = short_id(record.game)

    def names(self, record: Record, batch: Batch) -> tuple[str, ...]:
        """What the letters of a batch are called; cheaper than writing them."""
        if batch.first == 0:
            return tuple(Outbox.name(0, seat, Kind.INVITATION.value) for seat in record.seats)
        heard = who_hears(record, batch.first, batch.last, batch.sender)
        return tuple(Outbox.name(batch.last, seat, kind.value) for seat, kind in heard)

    def letters(self, record: Record, batch: Batch) -> dict[str, bytes]:
        """The letters that a batch causes, by file name."""
        if batch.first == 0:
            made = [self._invitation(record, seat) for seat in record.seats]
        else:
            beside = self._circle.beside(record, batch.first)
            made = letters_for(record, batch.first, batch.last, batch.sender, beside=beside)
        return {
            Outbox.name(letter.upto, letter.seat, letter.kind.value): self._eml(record, letter)
            for letter in made
        }

    def refusal(self, record: Record, reject: JsonObject, sentence: str) -> tuple[str, bytes]:
        """The answer to a refused file; it tells what the signed ``reject`` tells, and no more than that."""
        body = reject["body"]
        seat = Seat(body["seat"])
        letter = refusal_letter(
            record, seat, reject, sentence, reject_bytes=canon(reject), beside=Beside(self._circle.title)
        )
        kind = f"refused-{body['n']}-{base32.encode(mac(self._key, canon(body)))[:8].lower()}"
        name = Outbox.name(letter.upto, seat, kind)
        return name, self._eml(record, letter, kind, body["at"])

    def again(self, record: Record, batch: Batch, seat: Seat) -> tuple[str, bytes] | None:
        """The receipt of a file that came twice: the same letter under another name (schemas/README.md §6)."""
        beside = self._circle.beside(record, batch.first)
        made = letters_for(record, batch.first, batch.last, seat, beside=beside)
        found = [letter for letter in made if letter.seat == seat]
        if not found:
            return None
        kind = f"{found[0].kind.value}-again"
        return Outbox.name(batch.last, seat, kind), self._eml(record, found[0], kind)

    def _invitation(self, record: Record, seat: Seat) -> Letter:
        """It tells of nobody who has joined, whenever it is written, so that letters can be made again."""
        circle = self._circle
        host = f"{circle.name} <{circle.mail}>" if circle.mail else circle.name
        return invitation_letter(
            record, seat, language_of(circle.language(seat)), host=host, title=circle.title
        )

    # --- one message --------------------------------------------------------------------------------------

    def _eml(self, record: Record, letter: Letter, kind: str = "", at: str = "") -> bytes:
        kind = kind or letter.kind.value
        thread = self._message_id(0, letter.seat, Kind.INVITATION.value)
        own = self._message_id(letter.upto, letter.seat, kind)
        earlier = "" if own == thread else thread
        head = Head(
            Address(self._circle.name or "pbem host", addr_spec=self._circle.mail or f"host@{_NOWHERE}"),
            self._address(record, letter.seat),
            letter.subject,
            own,
            parse_time(at or record.lines[letter.upto].at),
            earlier,
            (earlier,) if earlier else (),
            self._headers(letter),
        )
        return to_eml(letter, head)

    def _headers(self, letter: Letter) -> Mapping[str, str]:
        answer = "auto-replied" if letter.kind.answers else "auto-generated"
        replies = {"Reply-To": self._circle.mail} if self._circle.mail else {}
        return replies | {
            "Auto-Submitted": answer,
            "X-Pbem-Match": self._short,
            "X-Pbem-Seat": letter.seat,
        }

    def _message_id(self, seq: int, seat: str, kind: str) -> str:
        tag = base32.encode(mac(self._key, lp(u32(seq), seat, kind)))[:26].lower()
        return f"<{tag}@{self._short}.{_NOWHERE}>"

    def _address(self, record: Record, seat: Seat) -> str | Address:
        mail = contact_of(record, self._host, seat)
        return Address(addr_spec=mail) if mail else self._circle.seats.get(seat, f"{seat}@{_NOWHERE}")
