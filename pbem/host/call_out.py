"""Sends a channel (Discord, Slack, Matrix, Telegram, ntfy …) one sentence, in a process that does nothing else.

The address comes from a person, so the process refuses every connection to an address that is not public, at the moment
of connecting and whatever library connects (an audit hook, PEP 578): a name of this machine or its own network
reaches nobody. Some services take the name of a local file as a template: no file is opened but the program's own, so
that no player's channel reads what lies here. Only services over TLS are taken, and redirects are not followed. The
token in an address is kept like a password: it comes by standard input, and nothing is printed.

``python -m pbem.host.call_out`` reads one JSON object: ``url``, and ``check``, or ``title``, ``text``, ``also``.
"""

from __future__ import annotations

import json
import os
import sys
import sysconfig
from collections.abc import Sequence
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final

import apprise

from pbem.host.calling import NO_CHANNEL, NOT_PUBLIC, NOT_SECURE, NOT_TAKEN, TAKEN

_NO_SERVICES: Final = frozenset(("mailto", "mailtos", "exec", "file", "mqtt", "mqtts"))
"""What is no service behind https."""
_PROGRAMS: Final = ("os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "subprocess.Popen")


def readable(prefix: str | None) -> tuple[Path, ...]:
    """Whose files may be read: Python's and its libraries', and the authorities of TLS.

    ``prefix``: the folder below which Python mirrors the paths of what it compiles (``sys.pycache_prefix``), if any.
    """
    libraries = [Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    compiled = [Path(prefix, *library.parts[1:]) for library in libraries] if prefix else []
    return *libraries, *compiled, Path("/etc/ssl"), Path("/etc/mime.types")


_OPEN: Final = readable(sys.pycache_prefix)


class Guard:
    """Refuses connections to addresses that are not public, files that are not the program's own, other programs."""

    def __init__(self, also: Sequence[str]) -> None:
        self.also = also
        self.refused = False

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        """What happens in this process (PEP 578); ``PermissionError`` if it must not."""
        if event == "open":
            self._file(arguments[0])
        elif event == "socket.connect":
            self._connection(arguments)
        elif event in _PROGRAMS:
            raise PermissionError("no other program")

    @staticmethod
    def _file(name: Any) -> None:
        if isinstance(name, int):
            return  # it is open already
        place = Path(os.path.realpath(os.fsdecode(name)))
        if not any(place.is_relative_to(top) or place.is_relative_to(top.resolve()) for top in _OPEN):
            raise PermissionError("not a file of the program")

    def _connection(self, arguments: tuple[Any, ...]) -> None:
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else ""  # a path is a socket of this machine
        if host in self.also:
            return
        public = False
        with suppress(ValueError):  # a name: it would be looked up behind this look
            numeric = ip_address(str(host).partition("%")[0])
            public = (getattr(numeric, "ipv4_mapped", None) or numeric).is_global
        if not public:
            self.refused = True
            raise PermissionError("not a public address")


def main() -> int:
    """One sentence to one channel, or a look at its address; what came of it as an exit code."""
    given = json.loads(sys.stdin.read())
    guard = Guard(given.get("also", ()))
    sys.addaudithook(guard)
    code, service = looked_at(given["url"])
    if code != TAKEN or given.get("check"):
        return code
    service.redirects = False
    taken = False
    with suppress(Exception):  # whatever a library says may hold the token
        taken = bool(service.notify(body=given["text"], title=given["title"]))
    if taken:
        return TAKEN
    return NOT_PUBLIC if guard.refused else NOT_TAKEN


def looked_at(url: str) -> tuple[int, Any]:
    """Whether a channel has this address, as an exit code; what the library makes of it."""
    service: Any = apprise.Apprise.instantiate(url, suppress_exceptions=True)
    if service is None:
        return NO_CHANNEL, None
    return (TAKEN if _is_secure(url, service) else NOT_SECURE), service


def _is_secure(url: str, service: Any) -> bool:
    scheme = url.partition("://")[0].lower()
    secure_protocol = service.secure_protocol
    secure = secure_protocol if isinstance(secure_protocol, tuple | list) else (secure_protocol,)
    return scheme in secure and scheme not in _NO_SERVICES and bool(service.verify_certificate)


if __name__ == "__main__":
    sys.exit(main())
