"""Submission (RFC 6409) over verified TLS, one email in one transaction.

All recipients of an email (the player, the witness) are named before any byte of it is sent: if the server refuses
one of them, the transaction is taken back and nothing has left. A connection is kept for several emails, and where
the server takes it (RFC 2920) all names go in one packet: most of the time of an email is waiting for answers.
"""

from __future__ import annotations

import smtplib
import socket
import ssl
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.player.mail.ports import Account, LoginRefused, MailTrouble, NotSent, TooLate, Unknown, always

_LETTERS_PER_CONNECTION: Final = 100
_STILL_WARM: Final = 5.0
"""Seconds after which a connection is asked whether it still lives before an email is trusted to it."""


class SmtpOutgoing:
    """A way to the submission port of one account."""

    def __init__(self, account: Callable[[], Account]) -> None:
        self._account = account
        self._client: smtplib.SMTP | None = None
        self._left = 0
        self._used = 0.0

    def connect(self) -> smtplib.SMTP:
        """An authenticated connection, the old one if it still lives.

        Raises:
            MailTrouble: not reached, not trusted, or not let in.
        """
        if self._client is not None and self._left > 0 and self._alive(self._client):
            return self._client
        self.close()
        try:
            self._client = self._open()
        except (OSError, ssl.SSLError, smtplib.SMTPException) as fault:
            where = f"{self._account().host}:{self._account().port}"
            kind = LoginRefused if isinstance(fault, smtplib.SMTPAuthenticationError) else MailTrouble
            raise kind(
                sentence("cannot send through {where}: {fault}", where=where, fault=reason(fault))
            ) from fault
        self._left = _LETTERS_PER_CONNECTION
        return self._client

    def _open(self) -> smtplib.SMTP:
        account = self._account()
        context = verified_context(account.ca_file)
        client: smtplib.SMTP
        if account.tls == "implicit":
            client = smtplib.SMTP_SSL(account.host, account.port, timeout=account.timeout, context=context)
        else:
            client = smtplib.SMTP(account.host, account.port, timeout=account.timeout)
        try:
            if client.sock is not None:
                # An email leaves in several writes. Without this the last one waits for the server's delayed
                # acknowledgement (RFC 896, RFC 1122 4.2.3.2): 40 to 50 ms for each email over 16 KiB.
                client.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if account.tls == "starttls":
                client.starttls(context=context)
            client.ehlo_or_helo_if_needed()
            if account.auth == "xoauth2":
                client.auth("XOAUTH2", self._xoauth2, initial_response_ok=True)
            else:
                client.login(account.user, account.secret)
        except BaseException:
            client.close()
            raise
        return client

    def _xoauth2(self, challenge: bytes | None = None) -> str:
        """The token at first; an empty line to the error that a refusing server shows as a challenge."""
        return sasl_xoauth2(self._account().user, self._account().secret) if challenge is None else ""

    def _alive(self, client: smtplib.SMTP) -> bool:
        if time.monotonic() - self._used < _STILL_WARM:
            return True
        try:
            return client.rset()[0] == 250
        except (OSError, smtplib.SMTPException):
            return False

    def close(self) -> None:
        """Hang up."""
        if self._client is not None:
            with suppress(OSError, smtplib.SMTPException):
                self._client.quit()
            self._client.close()
            self._client = None

    def reach(self) -> None:
        """See ``ports.Outgoing``."""
        self.connect()

    def valid_until(self) -> str:
        """See ``ports.Outgoing``."""
        return ends_at(self._client.sock) if self._client is not None else ""

    def send(
        self,
        env_from: str,
        to: Sequence[str],
        raw: bytes,
        envid: str,
        may: Callable[[], bool] = always,
    ) -> None:
        """See ``ports.Outgoing``."""
        client = self.connect()
        self._left -= 1
        self._used = 0.0  # whatever goes wrong now, the connection is asked before the next email
        try:
            self._name(client, env_from, to, envid, len(raw))
        except (OSError, smtplib.SMTPException) as fault:
            self._drop()
            if isinstance(fault, smtplib.SMTPResponseException):
                raise _refusal(fault.smtp_code, fault.smtp_error) from fault
            raise MailTrouble(sentence("the mail server hung up: {fault}", fault=reason(fault))) from fault
        if not may():
            self._drop()
            raise TooLate("claimed too long ago")
        try:
            code, answer = client.data(raw)
        except smtplib.SMTPDataError as fault:  # no 354: the server has not seen the email
            raise _refusal(fault.smtp_code, fault.smtp_error) from fault
        except (OSError, smtplib.SMTPException) as fault:
            self._drop()
            raise Unknown(
                sentence(
                    "the email server hung up while it was taking an email: {fault}", fault=reason(fault)
                )
            ) from fault
        if code != 250:
            raise _refusal(code, answer)
        self._used = time.monotonic()

    def _name(self, client: smtplib.SMTP, env_from: str, to: Sequence[str], envid: str, size: int) -> None:
        dsn = client.has_extn("dsn")
        options = [f"SIZE={size}"] if client.has_extn("size") else []
        if dsn:
            options += ["RET=HDRS", f"ENVID={envid}"]
        commands = [" ".join([f"MAIL FROM:{smtplib.quoteaddr(env_from)}", *options])]
        for index, address in enumerate(to):
            notify = "NOTIFY=NEVER" if index else "NOTIFY=FAILURE,DELAY"
            commands.append(f"RCPT TO:{smtplib.quoteaddr(address)}" + (f" {notify}" if dsn else ""))
        if any("\r" in command or "\n" in command for command in commands):
            raise NotSent(sentence("an address with a line end"), final=True)
        if client.has_extn("pipelining"):
            client.send("".join(f"{command}\r\n" for command in commands))
            answers = [client.getreply() for _ in commands]  # all of them, or the next email reads the rest
        else:
            answers = [client.docmd(command) for command in commands]
        for answer in answers:
            self._expect(answer)

    @staticmethod
    def _expect(answer: tuple[int, bytes]) -> None:
        if answer[0] not in (250, 251):
            raise smtplib.SMTPResponseException(*answer)

    def _drop(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None


def _refusal(code: int, answer: bytes | str) -> NotSent:
    words = answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer
    return NotSent(
        sentence("the email server refused an email: {code} {words}", code=code, words=words[:300]),
        final=500 <= code < 600,
        code=code,
    )


def reason(fault: BaseException) -> str:
    """What a server or the system said, in one line and without the system's number."""
    return " ".join(str(getattr(fault, "strerror", None) or fault).split())[:300] or type(fault).__name__


# --- the one place that makes a TLS context ---------------------------------------------------------------
#
# ``smtplib``, ``imaplib`` and imap-tools verify **nothing** unless they are given a context, and will not
# change that. So nothing in this program connects without the context from here.


def verified_context(ca_file: str = "") -> ssl.SSLContext:
    """A context that demands a valid certificate for the very name that was dialled; TLS 1.2 or newer.

    ``ca_file`` adds trust in one more authority (a server of one's own); it never takes any away.
    """
    try:
        context = ssl.create_default_context()
        if ca_file:
            context.load_verify_locations(cafile=ca_file)
    except (OSError, ssl.SSLError) as fault:
        raise UsageProblem(
            sentence("cannot read the certificates in {ca_file}: {fault}", ca_file=ca_file, fault=fault)
        ) from fault
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def ends_at(sock: object) -> str:
    """When the certificate of the other side ends, as records write times; nothing if there is no such connection."""
    if not isinstance(sock, ssl.SSLSocket):
        return ""
    ends = (sock.getpeercert() or {}).get("notAfter", "")
    seconds = ssl.cert_time_to_seconds(ends) if isinstance(ends, str) and ends else 0
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if seconds else ""


def sasl_xoauth2(user: str, token: str) -> str:
    """The initial response of XOAUTH2, as Google and Microsoft define it."""
    return f"user={user}\x01auth=Bearer {token}\x01\x01"
