"""People who play by mail: they know nothing but the emails they get, and answer with mails of their own.

``Player`` reads emails as a mail program would (attachments of ``.jsonl`` lines), verifies them into a copy of the
game file, and writes mails. Nothing here touches the service's database.
"""

from __future__ import annotations

import email
import email.policy
import itertools
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.parser import BytesHeaderParser
from email.utils import make_msgid
from functools import lru_cache
from typing import Any

from pbem.game import JsonObject, Seat
from pbem.protocol.client import (
    Packets,
    SeatView,
    compose_channel,
    compose_consent,
    compose_join,
    compose_ready,
    compose_turn,
)
from pbem.protocol.crypto.digest import sha
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.armour import armour
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import Record
from pbem.protocol.record.line import lines_in as records_in
from tests.world import FixedSalts, secret


@lru_cache(maxsize=32)
def parse(raw: bytes) -> EmailMessage:
    """A mail as the standard library reads it; nobody changes it, so that one reading serves all who ask."""
    message = email.message_from_bytes(raw, policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    return message


@lru_cache(maxsize=256)
def headers(raw: bytes) -> EmailMessage:
    """The headers of a mail alone: to read all of it costs many times as much."""
    message = BytesHeaderParser(policy=email.policy.default).parsebytes(raw.partition(b"\r\n\r\n")[0])
    assert isinstance(message, EmailMessage)
    return message


def lines_in(raw: bytes) -> list[bytes]:
    """The records attached to an email; its parts' headers are not looked at closely, which is a third of the work."""
    lines: list[bytes] = []
    for part in email.message_from_bytes(raw).walk():
        if str(part.get_filename()).endswith((".jsonl", ".jsonl.gz")):
            data = part.get_payload(decode=True)
            assert isinstance(data, bytes)
            lines += records_in(data) or ()
    return lines


@dataclass
class Player:
    """One person with an address, an identity, and what arrived so far."""

    seat: str
    seed: str = "1"
    domain: str = "players.test"
    host: str = "games@pbem.test"
    letters: list[bytes] = field(default_factory=list)
    lines: list[bytes] = field(default_factory=list)
    files: list[JsonObject] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.identity = Identity(secret(f"{self.seat} {self.seed}"))
        self.salt = FixedSalts(f"{self.seat} {self.seed}")
        self.number = 0
        self._record: Record | None = None
        self._packets = Packets()
        self._ids: set[str] = set()
        self._count = itertools.count()

    def as_now(self) -> Player:
        """The same person, as they are now; what either does from here on changes nothing of the other."""
        person = copy(self)
        person.letters, person.lines, person.files = [*self.letters], [*self.lines], [*self.files]
        person.salt, person._count = copy(self.salt), copy(self._count)
        person._record, person._packets = None, Packets()
        return person

    @property
    def address(self) -> str:
        """Where this person reads mail."""
        return f"{self.seat}@{self.domain}"

    # --- reading ------------------------------------------------------------------------------------------

    def read(self, raw: bytes) -> None:
        """Open an email and take its lines over; an email that comes twice is counted twice in ``letters``."""
        self.letters.append(raw)
        fresh = lines_in(raw)
        if fresh:
            first = self._first(fresh[0])
            self.lines[first:] = fresh if first + len(fresh) >= len(self.lines) else self.lines[first:]

    def _first(self, line: bytes) -> int:
        import json

        seq: int = json.loads(line)["body"]["seq"]
        assert seq <= len(self.lines), f"{self.seat} has {len(self.lines)} records and was sent number {seq}"
        return seq

    @property
    def record(self) -> Record:
        """The game file, verified as far as this person has it."""
        if self._record is None:
            self._record = Record.load(self.lines)
        elif len(self._record.lines) < len(self.lines):
            self._record.extend(self.lines[len(self._record.lines) :])
        return self._record

    @property
    def view(self) -> SeatView:
        """Their own view."""
        return SeatView(self.record, self.identity, Seat(self.seat), self._packets)

    @property
    def asked(self) -> bool:
        """Whether this copy says that the match waits for this seat."""
        if not self.lines or self.record.over:
            return False
        waiting = self.record.waiting
        if waiting is not None:
            return bool(waiting["seat"] == self.seat)
        return Seat(self.seat) in self.record.missing_links and self.record.ledger.complete

    # --- writing ------------------------------------------------------------------------------------------

    def join(self, word: str | None, *, contact: bool = True) -> JsonObject:
        """Their join."""
        mail = self.address if contact else None
        return compose_join(
            self.record, self.identity, self.seat, name=self.seat.title(), mail=mail, word=word
        )

    def ready(self) -> JsonObject:
        """Their ready file."""
        self.number += 1
        return compose_ready(self.record, self.identity, Seat(self.seat), self.number)

    def turn(self, *actions: JsonObject, **more: Any) -> JsonObject:
        """A turn with these actions."""
        self.number += 1
        seat = Seat(self.seat)
        composed = compose_turn(
            self.record, self.identity, seat, self.number, actions=actions, salt=self.salt, **more
        )
        return composed.file

    def consent(self, terms: JsonObject) -> JsonObject:
        """A consent to something that needs everybody's."""
        self.number += 1
        return compose_consent(self.record, self.identity, Seat(self.seat), self.number, terms)

    def channel(self, address: str) -> JsonObject:
        """Where their own turns are announced besides; empty: nowhere any more."""
        self.number += 1
        return compose_channel(self.record, self.identity, Seat(self.seat), self.number, address)

    def move(self) -> JsonObject:
        """What the computer player suggests."""
        if self.record.waiting is None:
            return self.ready()
        record = self.record
        return self.turn(record.rules.action_to_json(record.rules.suggest(self.view.view)))

    def mail(self, file: JsonObject, how: str = "attachment", **more: Any) -> bytes:
        """A mail that brings a file."""
        self.files.append(file)
        return self.write(HOW[how](file), file if how == "attachment" else None, **more)

    def write(
        self, text: str, file: JsonObject | None = None, *, subject: str = "", sender: str = ""
    ) -> bytes:
        """A mail to the host; it answers the newest email, as people do, unless it has a subject of its own."""
        message = EmailMessage()
        message["From"] = f"{self.seat.title()} <{sender or self.address}>"
        message["To"] = self.host
        message["Subject"] = subject or self._subject()
        message["Message-ID"] = make_msgid(idstring=f"{self.seat}{next(self._count)}", domain=self.domain)
        if self.letters and (not subject or subject.startswith("Re: ")):
            newest = headers(self.letters[-1])
            message["In-Reply-To"] = newest["Message-ID"]
            message["References"] = f"{newest['References'] or ''} {newest['Message-ID']}".strip()
        message.set_content(text)
        if file is not None:
            message.add_attachment(
                canon(file), maintype="application", subtype="octet-stream", filename="x.bin"
            )
        return message.as_bytes(policy=email.policy.SMTP.clone(max_line_length=998))

    def _subject(self) -> str:
        return f"Re: {headers(self.letters[-1])['Subject']}" if self.letters else "hello"


HOW: dict[str, Callable[[JsonObject], str]] = {
    "attachment": lambda _: "my turn\n",
    "armour": lambda file: "Hello,\n\n" + armour(file) + "\nbye\n",
    "json": lambda file: "Hello,\n\n" + canon(file).decode() + "\n\nbye\n",
}


def fingerprint_of(raws: list[bytes]) -> str:
    """Something to compare two lists of lines by."""
    return sha(b"\n".join(raws)).hex()[:16]
