"""The emails of a match folder leave: all that wait, each once as far as a mail server lets anybody know.

In: a folder's outbox, a way out. Out: making emails (``folder``), the service's emails (``host.service.send``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from email.headerregistry import Address
from typing import Final

from pbem.base.errors import UsageProblem
from pbem.base.values import dataclass
from pbem.player.mail.gate import peek_header, peek_message_id
from pbem.player.mail.outgoing import check_address
from pbem.player.mail.ports import NotSent, Outgoing, Unknown
from pbem.player.store import Outbox

_NOBODY: Final = ".invalid"
"""How the address of a seat ends whose player has given none."""


@dataclass
class SentLetters:
    """What became of emails, by the names of their files."""

    sent: list[str] = field(default_factory=list)
    no_address: list[str] = field(default_factory=list)
    """Nobody has given where they go: the host hands them over."""
    refused: dict[str, str] = field(default_factory=dict)
    """The mail server does not take them: why."""
    spared: list[str] = field(default_factory=list)
    """Receipts that ask nothing of anybody: a later email to that seat has left and brings their records."""
    doubtful: list[str] = field(default_factory=list)
    """The line broke after they were handed over: they may have left, and go again under the same Message-ID."""


def send_waiting(outbox: Outbox, outgoing: Outgoing, sender: str) -> SentLetters:
    """Send every email that waits and mark it; a mere receipt is left out if a later email to its seat leaves.

    Args:
        outbox: the match folder's.
        outgoing: the way out; it stays open.
        sender: whose account it is, for the envelope.

    Raises:
        MailTrouble: the server cannot be reached; what was sent before is marked.
    """
    done = SentLetters()
    waiting = outbox.unsent()
    needless = _needless(outbox, waiting)
    for name in waiting:
        if name in needless:
            continue
        raw = outbox.read(name)
        to = reader_of(raw)
        if not to:
            done.no_address.append(name)
            continue
        try:
            outgoing.send(sender, [to], raw, name.partition(".")[0])
        except NotSent as fault:
            done.refused[name] = str(fault)
        except Unknown:
            done.doubtful.append(name)
        else:
            outbox.mark_sent(name, peek_message_id(raw).encode())
            done.sent.append(name)
    for name, later in needless.items():
        if later in done.sent:
            outbox.mark_sent(name)
            done.spared.append(name)
    return done


def _needless(outbox: Outbox, waiting: Sequence[str]) -> dict[str, str]:
    """The mere receipts among emails in their order, each with the newest email of the match to the same seat.

    Every email of a match brings its reader all records that are new to them; a plain answer names no match.
    """
    newest: dict[str, str] = {}
    superseded: dict[str, str] = {}
    if any(map(outbox.is_spare, waiting)):
        for name in reversed(waiting):
            raw = outbox.read(name)
            seat = peek_header(raw, "X-Pbem-Seat") if peek_header(raw, "X-Pbem-Match") else ""
            if seat in newest and outbox.is_spare(name):
                superseded[name] = newest[seat]
            elif seat:
                newest.setdefault(seat, name)
    return superseded


def mark_waiting(outbox: Outbox) -> list[str]:
    """Mark the emails that wait as sent: the host has handed them over. Their names."""
    names = list(outbox.unsent())
    for name in names:
        outbox.mark_sent(name, peek_message_id(outbox.read(name)).encode())
    return names


def reader_of(raw: bytes) -> str:
    """The address that an email goes to; empty if nobody has given one."""
    try:
        to = Address(addr_spec=peek_header(raw, "To").strip().rpartition("<")[2].rstrip(">")).addr_spec
        address = check_address(to)
    except (UsageProblem, ValueError, IndexError):
        return ""
    return "" if address.endswith(_NOBODY) else address
