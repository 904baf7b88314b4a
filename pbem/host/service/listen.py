"""A small HTTP server in a thread beside the service: for the API, and for health."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import uvicorn

from pbem.base.errors import StoreError, UsageProblem
from pbem.base.sentences import sentence

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
