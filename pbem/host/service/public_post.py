"""Posts by https to addresses that somebody else has named, at public addresses only, within a bounded time.

A browser's registration and a player's webhook are somebody else's text, and must not make the host knock at what
lies in their own network. So a name is looked up once, an address of it that is public is connected to, and the
certificate must still have the name. Nothing is followed, and of an answer no more is read than says when to call
again.
"""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Callable, Collection, Mapping
from contextlib import closing, suppress
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from threading import Timer
from typing import Final, NamedTuple, TypeAlias
from urllib.parse import urlsplit

from pbem.base.errors import StoreError
from pbem.base.sentences import sentence

_MOST_ANSWER: Final = 4096

_UNICAST: Final = IPv6Network("2000::/3")
_CARRIERS: Final = (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"))
"""An IPv4 address stands in their last 32 bits: mapped, and behind a translator of the network (NAT64)."""
_SPECIAL: Final = tuple(
    ip_network(network)
    for network in (
        "192.0.0.0/24",  # protocol assignments
        "192.88.99.0/24",  # relays of 6to4
        "224.0.0.0/3",  # multicast, and reserved
        "2001::/23",  # Teredo and other protocol assignments
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4: any IPv4 address
        "3fff::/20",  # documentation
    )
)


class PostAnswer(NamedTuple):
    """What a server answered: its status, when it says to come again, and the beginning of the body."""

    status: int
    retry_after: str
    body: bytes


Post: TypeAlias = Callable[[str, Mapping[str, str], bytes], PostAnswer]
"""Posts a body with its headers to a URL; ``StoreError`` where no answer comes."""


def is_public(address: str) -> bool:
    """Whether an IP address lies in the public internet, whatever it is written as.

    An address that carries an IPv4 address is as public as that one. Those of 6to4 and Teredo are not: they end at
    whichever relay there is. A translator with a prefix of its own looks like any other network.
    """
    number: IPv4Address | IPv6Address = ip_address(address.partition("%")[0])
    if isinstance(number, IPv6Address) and any(number in network for network in _CARRIERS):
        number = IPv4Address(int(number) & 0xFFFFFFFF)
    if isinstance(number, IPv6Address) and number not in _UNICAST:
        return False
    return number.is_global and not any(number in network for network in _SPECIAL)


class PublicPost:
    """Posts by https to public addresses; ``trusted`` servers (``host`` or ``host:port``) may lie anywhere.

    ``context`` is what certificates are checked by; the system's if it is left out. ``seconds`` is for everything from
    the connection to the answer, however slowly it drips.
    """

    def __init__(
        self, trusted: Collection[str] = (), context: ssl.SSLContext | None = None, *, seconds: float = 10.0
    ) -> None:
        self._trusted, self._context, self._seconds = trusted, context, seconds

    def __call__(self, url: str, headers: Mapping[str, str], body: bytes) -> PostAnswer:
        """The answer.

        Raises:
            StoreError: there is none in time, or the server has no public address.
        """
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or 443
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._context = self._context or ssl.create_default_context()  # takes longer than to open a database
        try:
            pinned = _Pinned(host, port, self._address(host, port), self._context, self._seconds)
            with closing(pinned) as connection:
                return connection.answered(path, dict(headers), body)
        except (OSError, ValueError, http.client.HTTPException):  # what it says may hold a token of the URL
            raise StoreError(sentence("the server does not answer")) from None

    def _address(self, host: str, port: int) -> str:
        """An address of the server that may be connected to; it is used whatever the name means a moment later."""
        trusted = (host if port == 443 else f"{host}:{port}") in self._trusted
        addresses = [str(info[4][0]) for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
        allowed = [address for address in addresses if trusted or is_public(address)]
        if not allowed:
            raise StoreError(sentence("the server has no public address"))
        return allowed[0]


class _Pinned(http.client.HTTPSConnection):
    """A connection to one address, under the name that the certificate must have."""

    def __init__(self, host: str, port: int, address: str, context: ssl.SSLContext, seconds: float) -> None:
        super().__init__(host, port, timeout=seconds, context=context)
        self._seconds = seconds
        self._wire: ssl.SSLSocket | None = None
        self._address = address
        self._tls = context

    def answered(self, path: str, headers: dict[str, str], body: bytes) -> PostAnswer:
        """The answer to one request; ``OSError`` or ``HTTPException`` where there is none in time."""
        limit = Timer(self._seconds, self._cut)
        limit.start()
        try:
            self.request("POST", path, body, headers)
            answer = self.getresponse()
            return PostAnswer(answer.status, answer.getheader("Retry-After", ""), answer.read(_MOST_ANSWER))
        finally:
            limit.cancel()

    def connect(self) -> None:
        """To that address."""
        plain = socket.create_connection((self._address, self.port), self.timeout)
        # It is known before the handshake, so that a slow one is cut too.
        self._wire = self.sock = self._tls.wrap_socket(
            plain, server_hostname=self.host, do_handshake_on_connect=False
        )
        self._wire.do_handshake()

    def _cut(self) -> None:
        """Whoever reads or writes is woken, as by a server that hangs up."""
        with suppress(OSError):
            if self._wire is not None:
                socket.socket.shutdown(self._wire, socket.SHUT_RDWR)
