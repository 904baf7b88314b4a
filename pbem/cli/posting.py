"""A player's files leave by mail, to where the host reads. Imported by bodies of commands."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import make_msgid
from pathlib import Path
from typing import Final

from pbem.cli.console import answer, tell
from pbem.cli.desks import Post, message_hash
from pbem.cli.own_mail import OwnMail, own_mail
from pbem.crypto.digest import unb64
from pbem.errors import UsageProblem
from pbem.formats.armour import armour
from pbem.formats.strict_json import canon
from pbem.game import JsonObject
from pbem.language import Language
from pbem.letters import short_id
from pbem.mail.gate import MAX_MESSAGE, MailRefused, read_mail
from pbem.mail.mime import Attached, Head, write_mail
from pbem.mail.outgoing import check_address
from pbem.mail.ports import MailTrouble, Unknown
from pbem.player import Signed
from pbem.player.moments import now
from pbem.sentences import sentence, term
from pbem.store.durable import read_file, write_file

_REMEMBERED: Final = "host-address.txt"


def mail_file(signed: Signed, post: Post) -> tuple[str, str]:
    """Mail a signed file to the host: attached, and as a text block, which survives what an attachment may not.

    The book knows of the attempt before the mail server does. A file whose mail broke off goes out under the same
    Message-ID again, and the host answers the same file the same way: nothing counts twice.

    Returns:
        The address, and the Message-ID.

    Raises:
        NotSent, MailTrouble: it did not leave. Unknown: nobody can tell; the book says so.
    """
    own = own_mail(post.home, post.identity)
    match = short_id(_game(signed.file))
    to = check_address(post.to) if post.to else host_address(post.folder, match)
    book, name = post.book, message_hash(signed)
    subject = f"[pbem {match}] {signed.kind} {signed.n} of {signed.seat}"
    own_id = book.page(name).mail_id or make_msgid(domain=own.address.rpartition("@")[2])
    raw = compose_mail(own, to, signed.file, subject, signed.name, own_id)
    book.write(name, mailing=to, mail_id=own_id)
    outgoing = own.outgoing()
    try:
        outgoing.send(own.address, [to], raw, match)
    except Unknown:
        raise
    except MailTrouble:
        book.write(name, mailing="", mail_id="")
        raise
    finally:
        outgoing.close()
    book.write(name, mailing="", mail_id="", way="mail", place=to, left=now())
    write_file(post.folder / _REMEMBERED, to.encode() + b"\n")
    return to, own_id


def post_file(signed: Signed, post: Post, language: Language, *, as_json: bool) -> None:
    """Mail a signed file to the host, and say so."""
    to, name = mail_file(signed, post)
    facts: JsonObject = {
        "kind": signed.kind,
        "seat": signed.seat,
        "n": signed.n,
        "to": to,
        "message_id": name,
    }
    if as_json:
        answer("", facts, as_json=True)
    else:
        tell(
            language.tell(
                sentence(
                    "mailed {kind} {n} of {seat} to {to}; the host's answer says what became of it",
                    kind=term(signed.kind),
                    n=signed.n,
                    seat=signed.seat,
                    to=to,
                )
            )
        )


def compose_mail(own: OwnMail, to: str, file: JsonObject, subject: str, name: str, own_id: str) -> bytes:
    """The mail, under the Message-ID ``own_id``."""
    head = Head(own.address, to, subject, own_id, datetime.now(UTC))
    return write_mail(head, armour(file), files=[Attached(Path(name).name, canon(file), "json")])


def post_pieces(pieces: Sequence[tuple[str, bytes]], match: str, post: Post) -> str:
    """Mail pieces of a game file to the host, each in a mail of its own; where they went."""
    own = own_mail(post.home, post.identity)
    to = check_address(post.to) if post.to else host_address(post.folder, match)
    outgoing = own.outgoing()
    try:
        for name, data in pieces:
            own_id = make_msgid(domain=own.address.rpartition("@")[2])
            head = Head(own.address, to, f"[pbem {match}] {name}", own_id, datetime.now(UTC))
            raw = write_mail(head, f"{name}\n", files=[Attached(name, data, "octet-stream")])
            outgoing.send(own.address, [to], raw, match)
    finally:
        outgoing.close()
    return to


def _game(file: JsonObject) -> bytes:
    return unb64(file["body"]["game"], 32)


def host_address(folder: Path, match: str) -> str:
    """Where the host of this match reads: as remembered, else as the newest letter in the folder says."""
    remembered = folder / _REMEMBERED
    if remembered.is_file():
        return check_address(read_file(remembered).decode("ascii", "replace"))
    for path in sorted(folder.glob("*.eml"), key=lambda found: found.stat().st_mtime, reverse=True):
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
