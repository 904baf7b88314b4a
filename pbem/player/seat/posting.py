"""A player's files leave by mail: what an email holds, where the host reads, what the log knows of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import make_msgid
from pathlib import Path
from typing import Final

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.game import JsonObject
from pbem.player.mail.gate import MAX_MESSAGE, MailRefused, read_mail
from pbem.player.mail.outgoing import AttachedFile, MailHead, check_address, write_mail
from pbem.player.mail.ports import MailTrouble, Outgoing, Unknown
from pbem.player.seat.moments import now
from pbem.player.seat.sent_files import Signed
from pbem.player.seat.sent_log import SentLog
from pbem.player.store import MatchFolder
from pbem.player.store.durable import read_file, write_file
from pbem.protocol.crypto.digest import short_id, unb64
from pbem.protocol.formats.armour import armour
from pbem.protocol.formats.strict_json import canon

_REMEMBERED: Final = "host-address.txt"
"""Where the host read when a file went there last."""


@dataclass(frozen=True, slots=True)
class Way:
    """How files leave: the player's address, their server, and the folder that remembers where the host reads."""

    address: str
    outgoing: Outgoing
    folder: Path
    to: str | None = None
    """Where the host reads, if the player says it now."""

    def host(self, match: str) -> str:
        """The host's address."""
        return check_address(self.to) if self.to else host_address(self.folder, match)

    def new_id(self) -> str:
        """A Message-ID of the player's own domain."""
        return make_msgid(domain=self.address.rpartition("@")[2])


def mail_file(signed: Signed, way: Way) -> tuple[str, str]:
    """Mail a signed file to the host: attached, and as a text block, which survives what an attachment may not.

    The log knows of the attempt before the mail server does. A file whose mail broke off goes out under the same
    Message-ID again, and the host answers the same file the same way: nothing counts twice.

    Returns:
        The address, and the Message-ID.

    Raises:
        NotSent, MailTrouble: it did not leave. Unknown: nobody can know; the log says so.
    """
    match = short_id(unb64(signed.file["body"]["game"], 32))
    to = way.host(match)
    log, name = SentLog.at(MatchFolder(way.folder)), signed.hash
    subject = f"[pbem {match}] {signed.kind} {signed.n} of {signed.seat}"
    own_id = log.page(name).mail_id or way.new_id()
    raw = compose_mail(way.address, to, signed.file, subject, signed.name, own_id)
    log.write(name, mailing=to, mail_id=own_id)
    try:
        way.outgoing.send(way.address, [to], raw, match)
    except Unknown:
        raise
    except MailTrouble:
        log.write(name, mailing="", mail_id="")
        raise
    finally:
        way.outgoing.close()
    log.write(name, mailing="", mail_id="", way="mail", place=to, left=now())
    write_file(way.folder / _REMEMBERED, to.encode() + b"\n")
    return to, own_id


def compose_mail(address: str, to: str, file: JsonObject, subject: str, name: str, own_id: str) -> bytes:
    """The mail, under the Message-ID ``own_id``."""
    head = MailHead(address, to, subject, own_id, datetime.now(UTC))
    return write_mail(head, armour(file), files=[AttachedFile(Path(name).name, canon(file), "json")])


def mail_pieces(pieces: Sequence[tuple[str, bytes]], match: str, way: Way) -> str:
    """Mail pieces of a game file to the host, each in an email of its own; where they went."""
    to = way.host(match)
    try:
        for name, data in pieces:
            head = MailHead(way.address, to, f"[pbem {match}] {name}", way.new_id(), datetime.now(UTC))
            raw = write_mail(head, f"{name}\n", files=[AttachedFile(name, data, "octet-stream")])
            way.outgoing.send(way.address, [to], raw, match)
    finally:
        way.outgoing.close()
    return to


def host_address(folder: Path, match: str) -> str:
    """Where the host of this match reads: as remembered, else as the newest email in the folder says.

    Raises:
        UsageProblem: nothing says it.
    """
    remembered = folder / _REMEMBERED
    if remembered.is_file():
        return check_address(read_file(remembered).decode("ascii", "replace"))
    for path in sorted(folder.glob("*.eml"), key=lambda file: file.stat().st_mtime, reverse=True):
        address = _reply_address(path, match)
        if address:
            return address
    raise UsageProblem(
        sentence("nothing in {folder} says where the host reads", folder=folder),
        hint=sentence("Say it once: --to ADDRESS"),
    )


def _reply_address(path: Path, match: str) -> str:
    if path.stat().st_size > MAX_MESSAGE:
        return ""
    try:
        mail = read_mail(read_file(path))
    except MailRefused:
        return ""
    reply = mail.header("Reply-To")
    if mail.header("X-Pbem-Match") != match or "@" not in reply or reply.endswith(".invalid"):
        return ""
    return check_address(reply)
