"""What runs beside the service's loop in the same process: the HTTP API, and a second worker that it wakes.

The loop mostly waits for mail. So a posted file is ruled on by a worker of its own, a service without a mailbox at the
same database: as with several processes, each match is worked on by one, and each email sent by one.
"""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from pbem.base.errors import PbemError, StoreError, UsageProblem
from pbem.base.sentences import sentence
from pbem.host.service.http import ApiApp
from pbem.host.service.service import Service
from pbem.player.mail.ports import Stop, never

_PATIENCE: Final = 5.0
"""Seconds after which the worker looks again what trouble has left."""


class WorkerTrigger:
    """A worker in a thread that does a round whenever it is rung for. ``make`` is called in that thread."""

    def __init__(
        self, make: Callable[[], Service], notify: Callable[[str], object], stop: Stop = never
    ) -> None:
        self._make = make
        self._notify = notify
        self._stopping = stop
        self._rung = threading.Event()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, name="ringer", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def ring(self) -> None:
        """There is something to rule on."""
        self._rung.set()

    def stop(self) -> None:
        """End after what it has in hand."""
        self._stop.set()
        self._rung.set()

    def close(self) -> None:
        """The same, and wait for it."""
        self.stop()
        self._thread.join(5)

    def _work(self) -> None:
        with closing(self._make()) as service:
            while True:
                self._rung.wait()
                if self._stop.is_set():
                    return
                self._rung.clear()
                if not self._round(service):
                    self._stop.wait(_PATIENCE)
                    self._rung.set()

    def _round(self, service: Service) -> bool:
        """Do a round; whether it went without trouble."""
        try:
            done = service.run_once_without_mailbox(lambda: self._stop.is_set() or self._stopping())
            troubles = done.troubles
        except PbemError as fault:
            troubles = [str(fault)]
        for trouble in troubles:
            self._notify(trouble)
        return not troubles


def _with_page(api: ASGIApp, prefix: str, page: ASGIApp) -> ASGIApp:
    """The page for its folder, the API for all else."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        mine = path.startswith(prefix) or path == prefix.rstrip("/")
        await (page if mine else api)(scope, receive, send)

    return app


class RunningApi:
    """The API at an address, until it is closed."""

    def __init__(
        self,
        make: Callable[[], Service],
        address: str,
        proxies: Sequence[str],
        notify: Callable[[str], object],
        stop: Stop = never,
        page: tuple[str, ASGIApp] | None = None,
    ) -> None:
        """``make`` makes a service without a mailbox at the database; it is called once for each thread.

        ``page`` is an application beside the API, and the path of the folder that it answers for.
        """
        self.trigger = WorkerTrigger(make, notify, stop)
        self._asked = make()
        self.app = ApiApp(self._asked.context, self.trigger.ring)
        try:
            app = self.app.asgi if page is None else _with_page(self.app.asgi, *page)
            self.server = HttpServer(app, address, proxies)
        except BaseException:
            self.app.close()
            self._asked.close()
            raise

    def start(self) -> None:
        """Take requests."""
        self.trigger.start()
        self.trigger.ring()  # what a process that was killed has left
        self.server.start()

    def stop(self) -> None:
        """Take no more, and let nobody wait for records. It takes no lock, so a signal may do it."""
        self.app.stop()
        self.server.stop()

    def close(self) -> None:
        """Take no more, finish what was begun."""
        self.stop()
        self.trigger.stop()
        self.server.close()
        self.trigger.close()
        self.app.close()
        self._asked.close()


# --- A small HTTP server in a thread beside the service: for the API, and for health ----------------------

_ADDRESS: Final = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<host>[A-Za-z0-9.-]*)):(?P<port>[0-9]{1,5})")
_UNIX: Final = "unix:"
_MOST_CONNECTIONS: Final = 1000


def bound(address: str) -> socket.socket:
    """A listening socket at ``HOST:PORT``, ``[IPv6]:PORT`` or ``unix:FILE``.

    Raises:
        UsageProblem: it is no such address.
        StoreError: it cannot be had.
    """
    if address.startswith(_UNIX):
        path = Path(address.removeprefix(_UNIX))
        return _opened(getattr(socket, "AF_UNIX", None), str(path), address)
    match = _ADDRESS.fullmatch(address)
    if match is None or int(match["port"]) > 65535:
        raise UsageProblem(
            sentence("{address!r} is not an address to listen at", address=address),
            hint=sentence("Expected HOST:PORT, [IPv6]:PORT or unix:FILE, for example 127.0.0.1:8080."),
        )
    family = socket.AF_INET6 if match["six"] else socket.AF_INET
    return _opened(family, (match["six"] or match["host"] or "127.0.0.1", int(match["port"])), address)


def _opened(family: int | None, where: Any, address: str) -> socket.socket:
    if family is None:
        raise UsageProblem(
            sentence("this system has no sockets in files"), hint=sentence("Listen at HOST:PORT.")
        )
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        if isinstance(where, str):
            with suppress(FileNotFoundError):
                Path(where).unlink()
        else:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(where)
        listening.listen(256)
    except OSError as fault:
        listening.close()
        raise StoreError(
            sentence(
                "cannot listen at {address}: {strerror}", address=address, strerror=fault.strerror or fault
            )
        ) from fault
    return listening


class HttpServer:
    """Serves an ASGI application at an address until it is closed.

    ``proxies`` are the addresses of servers in front whose word about the client's address is taken.
    """

    def __init__(self, app: Any, address: str, proxies: Sequence[str] = ()) -> None:
        self._socket = bound(address)
        config = uvicorn.Config(
            app,
            loop="asyncio",
            http="h11",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=bool(proxies),
            forwarded_allow_ips=list(proxies),
            limit_concurrency=_MOST_CONNECTIONS,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=1,
            h11_max_incomplete_event_size=16 * 1024,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), daemon=True)

    @property
    def port(self) -> int:
        """The port that it listens at."""
        return int(self._socket.getsockname()[1])

    def start(self) -> None:
        """Serve; returns when connections are taken."""
        self._thread.start()

    def stop(self) -> None:
        """Take no more. It takes no lock, so a signal may do it."""
        self._server.should_exit = True

    def close(self) -> None:
        """Finish what was begun, for a second at most."""
        self.stop()
        self._thread.join(3)
        self._socket.close()
