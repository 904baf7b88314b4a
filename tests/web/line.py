"""The page over a slow line, 1.6 Mbit/s for all that is on its way together, 150 ms before each answer; a slow phone.

The browser's own throttling leaves service workers and workers out, of the line and of the processor alike. So it is
the server that is slow, and every process of the browser runs a part of the time.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler
from typing import Any, Final, cast

import psutil

from pbem.web.serve import server

BYTES_A_SECOND: Final = 1_600_000 / 8
DELAY: Final = 0.15
_PIECE: Final = 4096


class _Line:
    """Lets so many bytes through a second, whoever sends them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._free = 0.0

    def carry(self, size: int) -> None:
        """Return when this many bytes have passed."""
        with self._lock:
            self._free = max(self._free, time.monotonic()) + size / BYTES_A_SECOND
            until = self._free
        threading.Event().wait(max(0.0, until - time.monotonic()))


class _Slow:
    """A file to write to, over the line."""

    def __init__(self, file: Any, line: _Line) -> None:
        self._file, self._line = file, line

    def write(self, data: bytes) -> int:
        for at in range(0, len(data), _PIECE):
            piece = data[at : at + _PIECE]
            self._line.carry(len(piece))
            self._file.write(piece)
        return len(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def _over(base: type[BaseHTTPRequestHandler], line: _Line) -> type[BaseHTTPRequestHandler]:
    """The same handler at the other end of the line."""

    def setup(self: Any) -> None:
        base.setup(self)
        self.wfile = _Slow(self.wfile, line)

    def send_response(self: Any, code: int, message: str | None = None) -> None:
        threading.Event().wait(DELAY)
        base.send_response(self, code, message)

    return type("Handler", (base,), {"setup": setup, "send_response": send_response})


@contextmanager
def slow_line(files: Mapping[str, bytes]) -> Iterator[str]:
    """The address of these files at the other end of such a line."""
    served = server(files, 0)
    served.RequestHandlerClass = _over(
        cast("type[BaseHTTPRequestHandler]", served.RequestHandlerClass), _Line()
    )
    threading.Thread(target=served.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{served.server_address[1]}/"
    served.shutdown()
    served.server_close()


RUNS: Final = 0.012
"""Seconds that the processes of a slowed browser run at a time; shorter ones were mostly stopping and going on."""


@contextmanager
def slower(times: int, processes: Callable[[], list[psutil.Process]]) -> Iterator[list[float]]:
    """A processor so many times slower for all these processes: they run together, and stop together.

    Gives a list of two: the seconds in which they ran so far, and those in which they could have.
    """
    passed, over = [0.0, 0.0], threading.Event()

    def turns() -> None:
        while not over.is_set():
            pids = [process.pid for process in processes()]
            for _ in range(20):
                began = time.monotonic()
                over.wait(RUNS)
                ran = time.monotonic() - began
                _signal(pids, signal.SIGSTOP)
                over.wait(ran * (times - 1))  # as much longer as it ran, however busy this machine is
                _signal(pids, signal.SIGCONT)
                passed[0] += ran
                passed[1] += time.monotonic() - began

    thread = threading.Thread(target=turns, daemon=True)
    thread.start()
    try:
        yield passed
    finally:
        over.set()
        thread.join()


def _signal(pids: list[int], which: int) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, which)
