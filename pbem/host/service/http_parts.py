"""What the parts of the HTTP API have in common: how they refuse, what they read of a request, what is lent to them."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from ipaddress import IPv6Address, IPv6Network
from typing import Final, Protocol

from starlette.requests import Request
from starlette.responses import Response

from pbem.host.database.database import Database
from pbem.host.service.api import Grant

MOST_SMALL: Final = 4096
"""Bytes of a body that is neither a signed file nor a seat."""
LONGEST_WAIT: Final = 25
"""Seconds after which a request that waits is answered in any case."""
_NUMBER: Final = re.compile(r"-1|[0-9]{1,9}")
_CODE: Final = re.compile(r"Bearer +([A-Za-z0-9]{1,64})", re.IGNORECASE)

Handler = Callable[[Request], Awaitable[Response]]


class HttpRefusal(Exception):
    """An answer of the HTTP API that is none of the good ones; ``kind`` is stable, for programs."""

    def __init__(self, status: int, kind: str, why: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(why)
        self.status = status
        self.kind = kind
        self.why = why
        self.headers = dict(headers or {})


def too_many(seconds: str = "10") -> HttpRefusal:
    """The refusal of whoever has asked too often."""
    return HttpRefusal(429, "too-many", "too many requests; wait a little", {"Retry-After": seconds})


def number_in(request: Request, name: str, default: str) -> int:
    """A number of the query.

    Raises:
        HttpRefusal: it is none.
    """
    text = request.query_params.get(name, default)
    if not _NUMBER.fullmatch(text):
        raise HttpRefusal(400, "number", f"{name} must be a whole number, -1 or more")
    return int(text)


def code_of(request: Request) -> str:
    """The access code or ticket that a request carries; empty if it has none."""
    given = _CODE.fullmatch(request.headers.get("authorization", ""))
    return given[1] if given else ""


def network_of(request: Request) -> str:
    """From where a request comes, for every limit: an IPv4 address, or the /64 of an IPv6 one, all of which one has."""
    host = request.client.host if request.client else ""
    try:
        address = IPv6Address(host)
    except ValueError:
        return host
    mapped = address.ipv4_mapped
    return str(mapped) if mapped else str(IPv6Network((int(address), 64), strict=False))


class Lent(Protocol):
    """What the API does for its parts: whose access code it is, the body of a request, and who may do more."""

    async def grant(self, request: Request) -> Grant:
        """Whose access code the request comes with."""

    async def body(self, request: Request, most: int = ...) -> bytes:
        """The whole body."""

    def may(self, limit: str, *whose: str) -> bool:
        """Whether there is one more left in this time, which is spent by it."""

    async def run(self, work: Callable[[Database], None]) -> None:
        """Done in a thread with a database of its own."""
