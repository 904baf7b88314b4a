# ruff: noqa: ARG002, N802 - aiosmtpd names the methods and their arguments
"""The pip-only pair for machines without mail servers, and for faults on demand: aiosmtpd in front of pymap.

What is submitted for ``pbem.test`` is appended to the one IMAP mailbox; everything else is kept in ``sent``. A script
makes the next emails fail: refused (``451``), or taken and the answer lost.
"""

from __future__ import annotations

import imaplib
import ssl
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import trustme
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult

from tests.mail.stack import PASSWORD, free_port, listens
from tests.patience import until

USER = "games"


@dataclass(frozen=True, slots=True)
class Step:
    """What the server does to the next email: at ``rcpt`` or ``data``, this answer; taken or not."""

    at: str
    answer: str
    taken: bool = False


class Handler:
    """Takes emails as the script says."""

    def __init__(self, pair: MiniPair) -> None:
        self._pair = pair
        self._lock = threading.Lock()

    async def handle_RCPT(
        self, server: Any, session: Any, envelope: Any, address: str, options: list[str]
    ) -> str:
        """Take a recipient."""
        script = self._pair.script
        if script and script[0].at == "rcpt":
            return script.pop(0).answer
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        """Take an email."""
        script = self._pair.script
        step = script.pop(0) if script and script[0].at == "data" else None
        if step and not step.taken:
            return step.answer
        for address in envelope.rcpt_tos:
            head = f"Return-Path: <{envelope.mail_from or ''}>\r\nDelivered-To: {address}\r\n".encode()
            if address.endswith("@pbem.test"):
                with self._lock:
                    self._pair.append(head + envelope.content)
            else:
                self._pair.sent.append((address, head + envelope.content))
        if step:
            server.transport.abort()
        return "250 2.0.0 Ok queued"


class MiniPair:
    """The pair; a context manager."""

    def __enter__(self) -> MiniPair:
        self._folder = tempfile.TemporaryDirectory()
        folder = Path(self._folder.name)
        self.script: list[Step] = []
        self.sent: list[tuple[str, bytes]] = []
        self.ports = {"imap": free_port(), "submission": free_port()}
        authority = trustme.CA()
        cert = authority.issue_cert("localhost", "127.0.0.1")
        self.ca_file = folder / "ca.pem"
        authority.cert_pem.write_to_path(self.ca_file)
        cert.private_key_and_cert_chain_pem.write_to_path(folder / "both.pem")
        cert.private_key_pem.write_to_path(folder / "key.pem")
        self._imap = self._start_imap(folder)
        self._controller = self._start_smtp(cert)
        self._wait()
        return self

    def _start_imap(self, folder: Path) -> subprocess.Popen[bytes]:
        program = Path(sys.executable).with_name("pymap")
        return subprocess.Popen(
            [
                *(str(program), "--host", "127.0.0.1", "--port", str(self.ports["imap"])),
                *("--cert", str(folder / "both.pem"), "--key", str(folder / "key.pem")),
                *("dict", "--demo-user", USER, "--demo-password", PASSWORD),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=folder,
        )

    def _start_smtp(self, cert: trustme.LeafCert) -> Controller:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        cert.configure_cert(context)
        handler = Handler(self)

        class Submission(Controller):
            def factory(self) -> SMTP:
                return SMTP(
                    self.handler,
                    hostname="mx.pbem.test",
                    tls_context=context,
                    require_starttls=True,
                    auth_required=True,
                    auth_require_tls=True,
                    data_size_limit=2_000_000,
                    authenticator=lambda _s, _e, _v, _m, data: AuthResult(
                        success=data.password == PASSWORD.encode()
                    ),
                )

        controller = Submission(handler, hostname="127.0.0.1", port=self.ports["submission"])
        controller.start()
        return controller

    def _wait(self) -> None:
        until(lambda: listens(self.ports["imap"]), "no IMAP server answers")

    def append(self, raw: bytes) -> None:
        """Put a mail into the host's mailbox, as a delivery would."""
        self._delivery.append("INBOX", "", "", raw)

    @cached_property
    def _delivery(self) -> imaplib.IMAP4:
        """One connection for all mails: the server takes half a second for each login."""
        client = imaplib.IMAP4("127.0.0.1", self.ports["imap"])
        client.starttls(ssl.create_default_context(cafile=str(self.ca_file)))
        client.login(USER, PASSWORD)
        return client

    def __exit__(self, *_: object) -> None:
        if "_delivery" in vars(self):
            self._delivery.logout()
        self._controller.stop()
        self._imap.terminate()
        self._imap.wait()
        self._folder.cleanup()
