"""Good manners of a robot (RFC 3834): which mail is never answered, and what a bounce says (RFC 3464)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from email.message import Message
from typing import Final

from pbem.base.values import dataclass
from pbem.player.mail.gate import Mail, clean_header, peek_header

VERP: Final = "b."
"""Before the token in the sender address of an email of ours."""
_NOBODY: Final = re.compile(
    r"(?:mailer-daemon|postmaster|no-?reply|do-?not-?reply|bounces?|listserv|majordomo)(?:[+-].*)?",
    re.IGNORECASE,
)
_BULK: Final = ("bulk", "junk", "list", "auto_reply")
_LISTS: Final = ("List-Id", "List-Post", "List-Unsubscribe")
_MESSAGE_ID: Final = re.compile(r"(?im)^message-id:\s*(<[^<>\s]{1,400}>)")
_STATUS: Final = re.compile(r"([245])\.(\d{1,3})\.(\d{1,3})")


def automatic(mail: Mail, own: Iterable[str]) -> str:
    """Why this mail must not be answered, in a few words; nothing if a person may have written it.

    ``own`` are the addresses of this service: its own mail, come back, is a loop.
    """
    checks = (
        (
            mail.message.get("Return-Path") is not None and mail.header("Return-Path") == "<>",
            "empty Return-Path",
        ),
        (mail.header("Auto-Submitted").lower().partition(";")[0].strip() not in ("", "no"), "Auto-Submitted"),
        (mail.header("Precedence").lower() in _BULK, "Precedence"),
        (any(mail.header(name) for name in _LISTS), "a mailing list"),
        (any(mail.header(name) for name in ("X-Autoreply", "X-Autorespond", "X-Loop")), "an automatic reply"),
        (mail.content_type == "multipart/report", "a report"),
        (not mail.sender, "no single sender"),
        (bool(_NOBODY.fullmatch(mail.sender.partition("@")[0])), "a sender that nobody reads"),
        (base_address(mail.sender) in {base_address(address) for address in own}, "this service's own mail"),
    )
    return next((reason for holds, reason in checks if holds), "")


def robotic(raw: bytes) -> str:
    """The same for an email that does not pass the gate, by its first bytes; nothing if a person may have sent it."""
    checks = (
        (peek_header(raw, "Return-Path") == "<>", "empty Return-Path"),
        (peek_header(raw, "Auto-Submitted").lower() not in ("", "no"), "Auto-Submitted"),
        (peek_header(raw, "Precedence").lower() in _BULK, "Precedence"),
        (any(peek_header(raw, name) for name in _LISTS), "a mailing list"),
    )
    return next((reason for holds, reason in checks if holds), "")


def base_address(address: str) -> str:
    """An address without what stands after a plus sign, in lower case."""
    local, _, domain = address.lower().rpartition("@")
    return f"{local.partition('+')[0]}@{domain}"


def plus_part(address: str) -> str:
    """What stands after the plus sign of an address."""
    return address.rpartition("@")[0].partition("+")[2].lower()


@dataclass(frozen=True, slots=True)
class Bounce:
    """What a delivery report says of one email of ours.

    ``token`` comes from the address it was sent to (VERP), ``message_id`` from the email it returns.
    """

    token: str
    message_id: str
    recipient: str
    action: str
    status: str
    reason: str

    @property
    def dead(self) -> bool:
        """The address does not exist or takes no mail (5.1.x, 5.2.1): suspended at once."""
        return self.action == "failed" and (self.status.startswith("5.1.") or self.status == "5.2.1")

    @property
    def failed(self) -> bool:
        """The email did not arrive and will not."""
        return self.action == "failed"


def read_bounce(mail: Mail) -> Bounce | None:
    """The delivery report in an email, or None if it is none.

    A report counts only if it came to a VERP address of ours or returns an email of ours; the caller looks both
    up: neither can be guessed.
    """
    token = _token(mail)
    fields = _fields(mail)
    empty = mail.message.get("Return-Path") is not None and mail.header("Return-Path") == "<>"
    if fields is None and not (
        token and (empty or not mail.sender or mail.sender.startswith("mailer-daemon@"))
    ):
        return None
    fields = fields or {}
    status = _STATUS.search(fields.get("status", ""))
    action = fields.get("action", "failed" if status is None or status[1] == "5" else "delayed").lower()
    return Bounce(
        token=token,
        message_id=_returned_id(mail),
        recipient=fields.get("final-recipient", "").partition(";")[2].strip().lower(),
        action=action,
        status=status[0] if status else "",
        reason=fields.get("diagnostic-code", "")[:300],
    )


def _token(mail: Mail) -> str:
    for address in mail.recipients:
        part = plus_part(address)
        if part.startswith(VERP):
            return part[len(VERP) :]
    return ""


def _fields(mail: Mail) -> dict[str, str] | None:
    """The fields of the recipient in ``message/delivery-status``."""
    for part in mail.reports():
        if part.get_content_type() != "message/delivery-status":
            continue
        payload = part.get_payload()
        blocks = payload if isinstance(payload, list) else []
        fields: dict[str, str] = {}
        for block in blocks[:20]:
            if isinstance(block, Message):
                fields |= {name.lower(): clean_header(value) for name, value in block.items()[:50]}
        return fields
    return None


def _returned_id(mail: Mail) -> str:
    """The Message-ID of the email that came back, whole or headers only."""
    for part in mail.reports():
        kind = part.get_content_type()
        payload = part.get_payload()
        if kind == "message/rfc822" and isinstance(payload, list):
            inside = payload[0] if payload else None
            return clean_header(inside.get("Message-ID")) if isinstance(inside, Message) else ""
        if kind == "text/rfc822-headers" and isinstance(payload, str):
            match = _MESSAGE_ID.search(payload[:65536])
            return clean_header(match[1]) if match else ""
    return ""
