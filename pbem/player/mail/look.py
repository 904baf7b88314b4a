"""One look at an email: everything that the service wants to know of it, as plain values.

``look`` is the whole of what is done with untrusted mail beyond keeping its bytes; ``confined`` does it in a process of
its own, and what it returns can be sent between processes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from pbem.base.errors import FormatError
from pbem.base.values import dataclass
from pbem.player.mail.gate import read_mail
from pbem.player.mail.intake import Intake, take_in
from pbem.player.mail.pieces import Piece, read_piece
from pbem.player.mail.robot import Bounce, automatic, read_bounce
from pbem.protocol.record.line import lines_in

_NOTHING: Final = Intake()
_REJECT: Final = b'{"body":{'
_CODE: Final = b'"code":"'


@dataclass(frozen=True, slots=True)
class Looked:
    """What an email says of itself, and what it brings. Nothing in its headers proves anything."""

    sender: str = ""
    message_id: str = ""
    subject: str = ""
    recipients: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    """The Message-IDs of the emails that it answers."""
    quiet: str = ""
    """Why it must not be answered; nothing if a person may have written it."""
    bounce: Bounce | None = None
    intake: Intake = _NOTHING
    match: str = ""
    """The match that an email of the service names."""
    copies: tuple[tuple[bytes, ...], ...] = ()
    """Of every attached game file, or part of one, its lines."""
    pieces: tuple[Piece | FormatError, ...] = ()
    """Pieces of packed lines, or what is wrong with them."""
    rejects: tuple[bytes, ...] = ()
    """Attached files that look like the host's answers to refused files."""


Look: TypeAlias = Callable[[bytes, str], Looked]
"""From an email's bytes and the service's own address."""


def look(raw: bytes, own: str) -> Looked:
    """Look at an email.

    Raises:
        MailRefused: it does not pass the gate.
    """
    mail = read_mail(raw)
    return Looked(
        mail.sender,
        mail.message_id,
        mail.header("Subject"),
        mail.recipients,
        mail.references,
        automatic(mail, (own,)),
        read_bounce(mail),
        take_in(mail),
        mail.header("X-Pbem-Match"),
        tuple(lines for part in mail.parts if (lines := lines_in(part.data))),
        tuple(piece for part in mail.parts if (piece := _piece(part.data)) is not None),
        tuple(part.data for part in mail.parts if part.data.startswith(_REJECT) and _CODE in part.data),
    )


def _piece(data: bytes) -> Piece | FormatError | None:
    try:
        return read_piece(data)
    except FormatError as fault:
        return FormatError(str(fault))
