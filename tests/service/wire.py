"""Connections between a worker and its servers that a test controls: one to cut, one that holds mail back.

``Wire`` is the way to a server. Cut, it either ends all connections and lets nobody through, as where a cable
is pulled out and the systems notice; or it carries nothing on, as where they do not. ``Gate`` is a submission server in
front of the real ones, which can let an email wait between its names and its first byte.
"""

# ruff: noqa: ARG002, N802 - aiosmtpd names the methods and their arguments

from __future__ import annotations

import asyncio
import smtplib
import ssl
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult

from pbem.player.mail.gate import peek_message_id
from tests.mail.stack import PASSWORD, MailStack, free_port
from tests.patience import PATIENCE


class Wire:
    """A TCP port that leads to a Unix socket, or to another port of this machine; a context manager."""

    def __init__(self, target: Path | int) -> None:
        self._target = target
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._flows = asyncio.Event()
        self._ended = False
        self._ways: set[asyncio.StreamWriter] = set()
        self._carried: set[asyncio.Task[None]] = set()
        self.port = 0

    def __enter__(self) -> Wire:
        self._thread.start()
        self._server = self._do(asyncio.start_server(self._connected, "127.0.0.1", 0))
        self.port = self._server.sockets[0].getsockname()[1]
        self.heal()
        return self

    def _do(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(60)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._ways.add(writer)
        if self._ended:
            writer.transport.abort()
            return
        await self._flows.wait()
        try:
            reached, back = await self._reached()
        except OSError:  # nobody listens there
            writer.transport.abort()
            return
        self._ways.add(back)
        both = self._carry(reader, back), self._carry(reached, writer)
        self._carried |= {asyncio.ensure_future(side) for side in both}

    async def _reached(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if isinstance(self._target, Path):
            return await asyncio.open_unix_connection(self._target)
        return await asyncio.open_connection("127.0.0.1", self._target)

    async def _carry(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        try:
            while data := await source.read(65_536):
                await self._flows.wait()
                target.write(data)
                await target.drain()
        except OSError:
            pass
        self._ways.discard(target)
        target.close()

    def cut(self, *, ends: bool) -> None:
        """From now on nothing gets through; ``ends``: whoever is connected notices at once."""

        async def work() -> None:
            self._flows.clear()
            self._ended = ends
            for way in list(self._ways) if ends else ():
                way.transport.abort()

        self._do(work())

    def heal(self) -> None:
        """Everything gets through again; of a wire that did not end what was held back, too."""

        async def work() -> None:
            self._ended = False
            self._flows.set()

        self._do(work())

    def __exit__(self, *_: object) -> None:
        async def work() -> None:
            self._server.close()
            self._ended = True
            self._flows.set()
            for way in list(self._ways):
                way.transport.abort()
            await asyncio.gather(*self._carried, return_exceptions=True)
            await asyncio.sleep(0)  # what was closed is dropped

        self._do(work())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(30)
        self._loop.close()


class Gate:
    """A submission server; a context manager. Everything that it takes goes to the real servers at once."""

    def __init__(self, stack: MailStack) -> None:
        self._behind = stack.ports["smtp"]
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(stack.folder / "tls/server.pem", stack.folder / "tls/server.key")
        self.port = free_port()
        self.taken: list[str] = []
        """The Message-IDs of what went through, oldest first."""
        self.stands = threading.Event()
        """Set while an email waits before its first byte."""
        self._parks = False
        self._goes = threading.Event()
        self._controller = _Submission(self, self.port, context)

    def park(self) -> None:
        """The next email that has two names waits behind the second one until ``let_go``."""
        self.stands.clear()
        self._goes.clear()
        self._parks = True

    def let_go(self) -> None:
        """It may go on."""
        self._parks = False
        self._goes.set()

    async def handle_RCPT(
        self, server: Any, session: Any, envelope: Any, address: str, options: list[str]
    ) -> str:
        """Take a name, at once or when it is time."""
        envelope.rcpt_tos.append(address)
        if self._parks and len(envelope.rcpt_tos) == 2:
            self._parks = False
            self.stands.set()
            await asyncio.to_thread(self._goes.wait, 600)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        """Hand an email on; what the servers behind do not take is not taken here."""
        await asyncio.to_thread(self._hand_on, envelope)
        self.taken.append(peek_message_id(envelope.content))
        return "250 2.0.0 Ok queued"

    def _hand_on(self, envelope: Any) -> None:
        with smtplib.SMTP("127.0.0.1", self._behind, timeout=PATIENCE) as client:
            client.sendmail(envelope.mail_from or "", envelope.rcpt_tos, envelope.content)

    def __enter__(self) -> Gate:
        self._controller.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.let_go()
        self._controller.stop()


class _Submission(Controller):
    """A server that wants STARTTLS and the password of the tests."""

    def __init__(self, gate: Gate, port: int, context: ssl.SSLContext) -> None:
        self._context = context
        super().__init__(gate, hostname="127.0.0.1", port=port)

    def factory(self) -> SMTP:
        """See ``Controller``."""
        known: Callable[..., AuthResult] = lambda _s, _e, _v, _m, data: AuthResult(  # noqa: E731
            success=data.password == PASSWORD.encode()
        )
        return SMTP(
            self.handler,
            hostname="mx.pbem.test",
            tls_context=self._context,
            require_starttls=True,
            auth_required=True,
            auth_require_tls=True,
            data_size_limit=20_000_000,
            authenticator=known,
        )
