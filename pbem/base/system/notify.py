"""What a supervisor like systemd learns of this process (sd_notify(3)): by datagrams, without a library."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

READY: Final = "READY=1"
ALIVE: Final = "WATCHDOG=1"
STOPPING: Final = "STOPPING=1"


def notify(words: str, environ: Mapping[str, str] = os.environ) -> bool:
    """Notify whoever has started this process; whether anybody wants to know and was reached."""
    where = environ.get("NOTIFY_SOCKET", "")
    family = getattr(socket, "AF_UNIX", None)
    if family is None or where[:1] not in ("/", "@"):
        return False
    address = "\0" + where[1:] if where.startswith("@") else where  # a name without a file
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as sending:
        sending.setblocking(False)  # one that does not listen must not hold this process up
        sending.connect(address)
        sending.sendall(words.encode())
        return True
    return False


def watched(environ: Mapping[str, str] = os.environ) -> float:
    """Seconds within which the supervisor wants a sign of life from this process; 0 if it does not."""
    micro, pid = environ.get("WATCHDOG_USEC", ""), environ.get("WATCHDOG_PID", "")
    mine = not pid or pid == str(os.getpid())
    return int(micro) / 1_000_000 if micro.isdecimal() and mine else 0.0
