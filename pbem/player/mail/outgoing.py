"""How mail leaves: names that cannot be guessed, headers a robot owes, subjects that keep a thread together.

A **Message-ID** is a MAC under the host's secret over what the letter is an effect of. It is the same whenever the
letter is made again, so a letter is never sent twice unnoticed; and nobody can send it first. The same MAC stands
in the envelope sender (VERP), so a bounce names its letter and cannot be invented.
"""

from __future__ import annotations

import re
from datetime import datetime
from email.headerregistry import Address
from functools import lru_cache
from typing import Final

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.player.mail.mime import AttachedFile, MailHead, known_ids, write_mail
from pbem.player.mail.robot import VERP, base_address
from pbem.protocol.crypto import digest as base32
from pbem.protocol.crypto.digest import lp, mac
from pbem.protocol.formats.strict_json import harmless

MARK: Final = "<pbem."
WITNESS: Final = "sent"
_ADDRESS: Final = re.compile(
    r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?"
)


def check_address(text: str) -> str:
    """A plain mail address in lower case.

    Raises:
        UsageProblem: anything that SMTP would need quoting for, or that is no address.
    """
    address = text.strip()
    if not _ADDRESS.fullmatch(address) or ".." in address:
        raise UsageProblem(
            sentence("{text!r} is not an email address", text=text),
            hint=sentence("Expected something like anna@example.org."),
        )
    return address.lower()


def plus_address(address: str, part: str) -> str:
    """``games+part@example.org``."""
    local, _, domain = base_address(address).rpartition("@")
    return f"{local}+{part}@{domain}"


def token_of(key: bytes, effect: str) -> str:
    """26 lower-case letters and digits that name an effect: 130 bits nobody can guess."""
    return base32.encode(mac(key, lp("pbem/1 letter", effect)))[:26].lower()


def message_id(token: str, address: str) -> str:
    """The Message-ID of the letter with this token; ``MARK`` begins it, so that a mailbox can be asked for answers."""
    return f"{MARK}{token}@{address.rpartition('@')[2].lower()}>"


@dataclass(frozen=True, slots=True)
class Sender:
    """Who this service is in mail."""

    address: str
    name: str = "pbem"
    plus: bool = True
    """Whether the mail server delivers ``address`` with a plus part."""

    @property
    def domain(self) -> str:
        """What stands after the @."""
        return self.address.rpartition("@")[2].lower()

    def header(self) -> Address:
        """The From header."""
        return _taken_apart(self.name, self.address)

    def envelope(self, token: str) -> str:
        """The envelope sender of a letter: where its bounce goes."""
        return plus_address(self.address, VERP + token) if self.plus else self.address

    def witness(self) -> str:
        """Where the witness copy of every letter goes."""
        return plus_address(self.address, WITNESS) if self.plus else self.address

    def route(self, match: str) -> str:
        """Where a reply about a match goes; routing only, never authority."""
        return plus_address(self.address, match) if self.plus else self.address


@lru_cache(maxsize=16)
def _taken_apart(name: str, address: str) -> Address:
    return Address(name, addr_spec=address)


def robot_headers(
    sender: Sender, *, answer: bool, match: str = "", seat: str = "", title: str = ""
) -> dict[str, str]:
    """What a robot says of itself (RFC 3834, RFC 2919); ``answer`` if the letter answers a mail."""
    headers = {
        "Auto-Submitted": "auto-replied" if answer else "auto-generated",
        "X-Auto-Response-Suppress": "OOF, AutoReply",
        "Precedence": "list",
        "Reply-To": sender.route(match) if match else sender.address,
    }
    if match:
        words = re.sub(r"[^A-Za-z0-9 -]", "", title)
        headers["List-Id"] = f"{words} {match} <{match}.games.{sender.domain}>".strip()
        headers["X-Pbem-Match"] = match
    if seat:
        headers["X-Pbem-Seat"] = seat
    return headers


def one_line(text: str, limit: int = 200) -> str:
    """Text for a header: no line ends, no control characters."""
    return harmless(text)[:limit].strip()


def plain_mail(
    sender: Sender,
    to: str,
    subject: str,
    text: str,
    own_id: str,
    date: datetime,
    headers: dict[str, str],
    references: tuple[str, ...] = (),
    files: tuple[AttachedFile, ...] = (),
) -> bytes:
    """A mail without pictures: help, status, what was wrong. The original is never attached (no backscatter)."""
    ids = known_ids(references)
    more = {name: one_line(value) for name, value in headers.items()}
    answers = ids[-1] if ids else ""
    head = MailHead(sender.header(), check_address(to), one_line(subject), own_id, date, answers, ids, more)
    return write_mail(head, text, files=files)
