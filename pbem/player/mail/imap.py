"""A mailbox over IMAP with verified TLS, by imap-tools, with two of its faults worked around.

* Mail that arrives between the last command and IDLE is announced in the same packet as the server's ``+ idling``;
  it then sits in imaplib's buffer, where polling the socket cannot see it. ``wait`` drains that buffer first.
* imap-tools reads the server's capabilities before login, when many do not name MOVE yet; its fallback expunges every
  message marked as deleted, other people's too. ``connect`` asks again after login.

Bodies are fetched with PEEK: an email is never marked as read before it is kept.
"""

from __future__ import annotations

import imaplib
import re
import selectors
import ssl
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from functools import partial
from itertools import pairwise
from typing import Any, Final, TypeVar

from imap_tools import BaseMailBox, MailBox, MailBoxStartTls, MailMessageFlags
from imap_tools.errors import ImapToolsError, MailboxLoginError

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.player.mail import ports
from pbem.player.mail.gate import MAX_HEADERS, peek_header, peek_message_id, peek_sender
from pbem.player.mail.outgoing import MARK
from pbem.player.mail.smtp import ends_at, reason, sasl_xoauth2, verified_context

T = TypeVar("T")
_CHUNK: Final = 20
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

_SIZE: Final = re.compile(rb"UID (\d+)")
_RFC822_SIZE: Final = re.compile(rb"RFC822\.SIZE (\d+)")
_FOLDER: Final = re.compile(r'[^\x00-\x1f\x7f"\\*%]{1,100}')
_GONE: Final = "EXPUNGEISSUED"
"""What a server says (RFC 5530) of emails that another connection has moved away."""
_MOVES: Final = 8
"""Tries to move emails while others at the same mailbox move some of them away."""
_MARKED: Final = "[pbem-place]"
_MARKS: Final = 20
"""So many of the newest marks are read."""
_SAFE_ID: Final = re.compile(r'<[^<>\s"\\]{1,400}>')


class _StartTls(MailBoxStartTls):
    """As the library's, but a connection whose handshake fails is closed."""

    def _get_mailbox_client(self) -> imaplib.IMAP4:
        client = imaplib.IMAP4(self._host, self._port, self._timeout)
        try:
            client.starttls(self._ssl_context)
        except BaseException:
            with suppress(OSError):
                client.shutdown()
            raise
        return client


EVERY: Final = "ALL"
OURS: Final = (
    f'OR OR SUBJECT "[pbem" HEADER Message-ID "{MARK}" OR OR HEADER In-Reply-To "{MARK}" HEADER References "{MARK}"'
    f' (FROM "mailer-daemon" TEXT "{MARK}")'
)
"""Of a person's own mailbox: files that our clients send, copies of our emails, answers to them, and those that come
back."""


class ImapMailbox:
    """The mailbox of one account. It connects when it is first used, and again after a fault.

    ``only`` is an IMAP search: all other emails of the inbox are somebody's private mail, and are never looked at.
    """

    def __init__(
        self,
        account: Callable[[], ports.Account],
        inbox: str = "INBOX",
        folders: Sequence[str] = (),
        only: str = EVERY,
    ) -> None:
        for folder in (inbox, *folders):
            if not _FOLDER.fullmatch(folder):
                raise UsageProblem(sentence("{folder!r} cannot be a folder of a mailbox", folder=folder))
        self._account = account
        self._inbox = inbox
        self._only = only
        self._folders = tuple(folders)
        self._box: BaseMailBox | None = None
        self._listed: dict[str, ports.WaitingMail] = {}
        """What this connection has shown of the inbox."""
        self.unlisted = 0

    def connect(self) -> BaseMailBox:
        """A connection that is logged in, with the inbox selected."""
        if self._box is None:
            try:
                self._box = self._open()
            except MailboxLoginError as fault:
                raise ports.LoginRefused(self._words(fault)) from fault
            except (OSError, ssl.SSLError, imaplib.IMAP4.error, ImapToolsError) as fault:
                raise self._trouble(fault) from fault
        return self._box

    def _open(self) -> BaseMailBox:
        account = self._account()
        context = verified_context(account.ca_file)
        kind: Any = MailBox if account.tls == "implicit" else _StartTls
        box: BaseMailBox = kind(account.host, account.port, timeout=account.timeout, ssl_context=context)
        try:
            if account.auth == "xoauth2":
                text = sasl_xoauth2(account.user, account.secret).encode()
                answers = iter((text, b""))  # a refusing server shows its error as a second challenge
                box.client.authenticate("XOAUTH2", lambda _: next(answers, b""))
            else:
                box.login(account.user, account.secret, initial_folder=None)
            box.client.capabilities = tuple(box.client.capability()[1][0].decode().upper().split())
            folders = {info.name for info in box.folder.list()}
            for folder in self._folders:
                if folder not in folders:
                    make_folder(box, folder)
            box.folder.set(self._inbox)
        except BaseException:
            with suppress(OSError):
                box.client.shutdown()
            raise
        self._listed = {}
        return box

    def _trouble(self, fault: BaseException) -> ports.MailTrouble:
        return ports.MailTrouble(self._words(fault))

    def _words(self, fault: BaseException) -> str:
        return f"the mailbox at {self._account().host}:{self._account().port}: {reason(fault)}"

    def valid_until(self) -> str:
        """See ``ports.Mailbox``."""
        return ends_at(self._box.client.sock) if self._box is not None else ""

    def _do(self, work: Callable[[BaseMailBox], T]) -> T:
        """Work with the mailbox; after a fault the connection is given up, so that the next call makes a new one."""
        box = self.connect()
        try:
            return work(box)
        except (OSError, ssl.SSLError, imaplib.IMAP4.error, ImapToolsError) as fault:
            self._box = None
            with suppress(OSError):
                box.client.shutdown()
            raise self._trouble(fault) from fault

    def close(self) -> None:
        """Hang up; a server that is gone already is no fault."""
        box, self._box = self._box, None
        if box is not None:
            with suppress(OSError, imaplib.IMAP4.error, ImapToolsError):
                box.logout()
            with suppress(OSError):
                box.client.shutdown()

    def waiting(self, most: int = 0) -> list[ports.WaitingMail]:
        """See ``ports.Mailbox``."""
        return self._do(partial(self._waiting, most=most))

    def _waiting(self, box: BaseMailBox, most: int) -> list[ports.WaitingMail]:
        """What was asked of an email once is not asked again."""
        box.client.noop()
        uids = box.uids(self._only, charset=None)
        new = [uid for uid in uids if uid not in self._listed]
        asked = ports.outermost(new, most) if most else new
        listed = self._listed | _listing(box, asked)
        self._listed = {uid: listed[uid] for uid in uids if uid in listed}
        self.unlisted = len(new) - len(asked)
        return list(self._listed.values())

    def fetch(self, uids: Sequence[str]) -> dict[str, bytes]:
        """See ``ports.Mailbox``."""
        return self._do(lambda box: _bodies(box, uids, "BODY.PEEK[]")) if uids else {}

    def fetch_head(self, uid: str) -> bytes:
        """See ``ports.Mailbox``."""
        return self._do(lambda box: _bodies(box, [uid], "BODY.PEEK[HEADER]")).get(uid, b"")

    def holds(self, message_id: str, folders: Sequence[str]) -> bool:
        """See ``ports.Mailbox``."""
        if not _SAFE_ID.fullmatch(message_id):
            return False

        def look(box: BaseMailBox) -> bool:
            box.client.noop()
            try:
                for folder in (self._inbox, *folders):
                    if box.folder.exists(folder):
                        box.folder.set(folder)
                        if box.uids(f'HEADER Message-ID "{message_id}"', charset=None):
                            return True
                return False
            finally:
                box.folder.set(self._inbox)

        return self._do(look)

    def kept(self, folders: Sequence[str], since: date) -> Iterator[bytes]:
        """See ``ports.Mailbox``."""
        for folder in dict.fromkeys((self._inbox, *folders)):
            uids = self._do(partial(_since, folder=folder, since=since, only=self._only))
            for start in range(0, len(uids), _CHUNK):
                chunk = uids[start : start + _CHUNK]
                bodies = self._do(partial(_bodies, uids=chunk, parts="BODY.PEEK[]"))
                yield from (bodies[uid] for uid in chunk if uid in bodies)
        self._do(lambda box: box.folder.set(self._inbox))

    def letters(self, header: str, text: str = "") -> list[FoundMail]:
        """The emails of the inbox that have this header with ``text`` in it, oldest first; no other is looked at."""
        return self._do(lambda box: _search(box, header, text))

    # --- changing -----------------------------------------------------------------------------------------

    def move(self, uids: Sequence[str], folder: str) -> None:
        """See ``ports.Mailbox``."""
        if uids:
            self._do(lambda box: _move(box, uids, folder))

    def delete(self, message_ids: Sequence[str], folders: Sequence[str]) -> int:
        """See ``ports.Mailbox``; only what is found by its Message-ID is marked, and only that is expunged."""
        wanted = set(message_ids)

        def work(box: BaseMailBox) -> int:
            count = 0
            try:
                for folder in folders:
                    if box.folder.exists(folder):
                        box.folder.set(folder)
                        uids = [uid for uid, name in _message_ids(box) if name in wanted]
                        count += _expunge(box, uids)
            finally:
                box.folder.set(self._inbox)
            return count

        return self._do(work)

    def marks(self, folder: str) -> list[str]:
        """What ``mark`` has left in a folder, the newest."""

        def look(box: BaseMailBox) -> list[str]:
            try:
                box.folder.set(folder)
                uids = box.uids(f'SUBJECT "{_MARKED}"', charset=None)[-_MARKS:]
                return [
                    peek_header(head, "X-Pbem-Place") for _, _, head in _headers(box, uids, "X-PBEM-PLACE")
                ]
            finally:
                box.folder.set(self._inbox)

        return self._do(look)

    def mark(self, folder: str, text: str) -> None:
        """Leave a text in a folder, as an email that was read; nobody is sent anything."""
        head = f"Subject: {_MARKED}: where this host runs\r\nX-Pbem-Place: {text}\r\n"
        raw = f"{head}MIME-Version: 1.0\r\nContent-Type: text/plain\r\n\r\nLeave this here.\r\n".encode()
        self._do(lambda box: box.append(raw, folder, flag_set=[MailMessageFlags.SEEN]))

    def wait(self, timeout: float, stop: ports.Stop = ports.never) -> bool:
        """IDLE without the lost wake-up; a server without IDLE is asked again after the time."""
        return self._do(lambda box: _idle(box, timeout, stop))


@dataclass(frozen=True, slots=True)
class FoundMail:
    """An email that was looked for: its name in the mailbox for ever (UIDVALIDITY and UID), size and a few headers."""

    name: str
    uid: str
    size: int
    match: str
    seat: str
    subject: str
    answers: bool


def _message_ids(box: BaseMailBox) -> list[tuple[str, str]]:
    """Uid and Message-ID of every mail of the folder that is selected."""
    uids = box.uids("ALL", charset=None)
    return [(uid, peek_header(head, "Message-ID")) for uid, _, head in _headers(box, uids, "MESSAGE-ID")]


def _expunge(box: BaseMailBox, uids: Sequence[str]) -> int:
    """Delete these emails; a server without UIDPLUS cannot expunge them alone, and keeps them marked."""
    for start in range(0, len(uids), 200):
        some = ",".join(uids[start : start + 200])
        box.client.uid("STORE", some, "+FLAGS.SILENT", r"(\Deleted)")
        if "UIDPLUS" in box.client.capabilities:
            box.client.uid("EXPUNGE", some)
    return len(uids)


def _search(box: BaseMailBox, header: str, text: str) -> list[FoundMail]:
    box.client.noop()
    uids = box.uids(f'HEADER {header} "{text}"', charset=None)
    if not uids:
        return []
    validity = box.folder.status(box.folder.get(), ["UIDVALIDITY"])["UIDVALIDITY"]
    found_mails = []
    for uid, size, head in _headers(box, uids, "X-PBEM-MATCH X-PBEM-SEAT SUBJECT IN-REPLY-TO"):
        match, seat, subject, answered = (
            peek_header(head, name) for name in ("X-Pbem-Match", "X-Pbem-Seat", "Subject", "In-Reply-To")
        )
        found_mails.append(FoundMail(f"{validity}-{uid}", uid, size, match, seat, subject, bool(answered)))
    return found_mails


def make_folder(box: BaseMailBox, name: str) -> None:
    """Make a folder of the mailbox; another connection that made it in between is as good.

    Raises:
        ImapToolsError: the server does not make it.
    """
    try:
        box.folder.create(name)
    except ImapToolsError:
        if not box.folder.exists(name):
            raise


def _since(box: BaseMailBox, folder: str, since: date, only: str) -> list[str]:
    """The emails of a folder from this day on; the folder stays selected."""
    if not box.folder.exists(folder):
        return []
    box.folder.set(folder)
    asked = f"SINCE {since.day}-{_MONTHS[since.month - 1]}-{since.year} {only}"
    return list(box.uids(asked, charset=None))


def _fetched(box: BaseMailBox, uids: Sequence[str], parts: str) -> list[Any]:
    items: list[Any] = []
    for start in range(0, len(uids), 200):
        some = uids[start : start + 200]
        status, data = box.client.uid("FETCH", ",".join(some), parts)
        if status == "NO" and _GONE in str(data):
            box.client.untagged_responses.pop("FETCH", None)
            some = _still_there(box, some)
            status, data = box.client.uid("FETCH", ",".join(some), parts) if some else ("OK", [])
        if status != "OK":
            raise imaplib.IMAP4.error(f"FETCH was answered {status}")
        items += [item for item in data if item is not None]
    return items


def _move(box: BaseMailBox, uids: Sequence[str], folder: str) -> None:
    for tries_left in reversed(range(_MOVES)):
        try:
            box.move(list(uids), folder, chunks=200)
            return
        except ImapToolsError as fault:
            if _GONE not in str(fault) or not tries_left:
                raise
        uids = _still_there(box, uids)
        if not uids:
            return


def _still_there(box: BaseMailBox, uids: Sequence[str]) -> list[str]:
    """Those of the emails that no other reader of the mailbox has moved meanwhile."""
    box.client.noop()
    present = set(box.uids("ALL", charset=None))
    return [uid for uid in uids if uid in present]


def _with_bodies(box: BaseMailBox, uids: Sequence[str], parts: str) -> Iterator[tuple[bytes, bytes]]:
    """What the server says of each mail, and the bytes asked for; a server may name the uid before or after them."""
    items = _fetched(box, uids, f"(UID {parts})") if uids else []
    for item, tail in pairwise([*items, b""]):
        if isinstance(item, tuple):
            yield item[0] + b" " + (tail if isinstance(tail, bytes) else b""), item[1]
        elif b"UID" in item and b'""' in item:  # nothing needs no literal
            yield item, b""


def _bodies(box: BaseMailBox, uids: Sequence[str], parts: str) -> dict[str, bytes]:
    return {
        uid[1].decode(): body
        for said, body in _with_bodies(box, uids, parts)
        if (uid := _SIZE.search(said)) is not None
    }


def _headers(box: BaseMailBox, uids: Sequence[str], names: str) -> Iterator[tuple[str, int, bytes]]:
    """Uid, size and these headers of each mail; of what is all header only so much as is taken."""
    parts = f"RFC822.SIZE BODY.PEEK[HEADER.FIELDS ({names})]<0.{MAX_HEADERS}>"
    for said, head in _with_bodies(box, uids, parts):
        uid, size = _SIZE.search(said), _RFC822_SIZE.search(said)
        if uid and size:
            yield uid[1].decode(), int(size[1]), head


def _listing(box: BaseMailBox, uids: Sequence[str]) -> dict[str, ports.WaitingMail]:
    """Of each of these emails its size, sender and Message-ID."""
    return {
        uid: ports.WaitingMail(uid, size, peek_sender(head), peek_message_id(head))
        for uid, size, head in _headers(box, uids, "FROM MESSAGE-ID")
    }


def _slices(timeout: float, stop: ports.Stop) -> Iterator[float]:
    """A wait in pieces of a third of a second at most, until ``stop``."""
    end = time.monotonic() + timeout
    while not stop() and (left := end - time.monotonic()) > 0:
        yield min(left, 0.33)


def _idle(box: BaseMailBox, timeout: float, stop: ports.Stop) -> bool:
    if "IDLE" not in box.client.capabilities:
        with _watching(stop) as watch:
            for seconds in _slices(min(timeout, 30.0), stop):
                watch.select(seconds)
        box.client.noop()
        return True
    sock = box.client.sock
    with box.idle as idle, _watching(stop) as watch:
        got: list[bytes] = []
        before = sock.gettimeout()
        sock.settimeout(0)
        try:
            while True:
                got.append(box.client._get_line())  # noqa: SLF001
        except (OSError, imaplib.IMAP4.abort):
            pass
        finally:
            sock.settimeout(before)
        watch.register(sock, selectors.EVENT_READ)
        return bool(got) or any(watch.select(seconds) and idle.poll(0) for seconds in _slices(timeout, stop))


@contextmanager
def _watching(stop: ports.Stop) -> Iterator[selectors.BaseSelector]:
    """Waits for what is registered with it, and for ``stop`` if that can be waited for."""
    with selectors.DefaultSelector() as watch:
        if isinstance(stop, ports.NewMailNotifier):
            watch.register(stop, selectors.EVENT_READ)
        yield watch
