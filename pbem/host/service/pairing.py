"""A seat goes along to another device: the HTTP API carries what the two say to each other, and understands nothing.

::

    POST   {API}/match/{id}/pair        a mailbox for the seat of this code: ``{"channel", "ticket", "seconds"}``
    POST   {API}/pair/{channel}/{n}     message n: bytes; the first is answered by its writer's ``{"ticket"}``
    GET    {API}/pair/{channel}/{n}     message n; with ``?wait=S`` as soon as it is there; 204 if it is not
    DELETE {API}/pair/{channel}         the exchange is over

The messages are those of ``pbem.player.seat.pairing``: SPAKE2 and what is sealed under its key. The other device
writes the odd ones, the seat's own device the even ones, each once and in order, so a code is tried once. A mailbox
holds one message, the newest. It lives in the memory of this process, ten minutes at most: whoever stops the process
ends it, no database, backup or log has anything of it, and with the last message read it is forgotten.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from typing import Final, Protocol

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from pbem.base.values import dataclass
from pbem.host.service.api import Grant
from pbem.protocol.crypto.digest import ALPHABET

LASTS: Final = 600
"""Seconds from the first request on."""
MOST_MAILBOXES: Final = 256
MOST_SMALL: Final = 4096
MOST_LARGE: Final = 4 * 1024 * 1024
"""Bytes of the one message that may be large: the sealed seat."""
MOST_BYTES: Final = 32 * 1024 * 1024
"""Bytes in all mailboxes together."""
LARGE: Final = 4
LAST: Final = 5
OPENINGS: Final = "30/hour"
"""PairMailboxes that a seat may open."""
TRIES: Final = "10/minute"
"""First messages from one address: each is one guess at one code."""
_LONGEST_WAIT: Final = 25
_LOOK: Final = 0.5
_SIGNS: Final = len(ALPHABET)


@dataclass(slots=True)
class PairMailbox:
    """One exchange: the number of its newest message, and that message."""

    channel: str
    owner: tuple[str, str]
    until: float
    giver: str
    taker: str = ""
    number: int = 0
    data: bytes = b""
    changed: asyncio.Event = field(default_factory=asyncio.Event)


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


class PairOver(HttpRefusal):
    """There is none, it is over, or this is not whose turn it is."""


class PairMailboxes:
    """All of them. ``clock`` gives seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._open: dict[str, PairMailbox] = {}
        self.ended = False
        """Whether nobody waits any longer."""

    def __len__(self) -> int:
        self.sweep()
        return len(self._open)

    def sweep(self) -> None:
        """Forget those whose time is over."""
        now = self._clock()
        for box in [box for box in self._open.values() if box.until <= now]:
            self._drop(box)

    def open(self, owner: tuple[str, str]) -> PairMailbox:
        """A mailbox for this seat; one that it had is over. ``PairOver`` if there are too many."""
        self.sweep()
        for box in [box for box in self._open.values() if box.owner == owner]:
            self._drop(box)
        if len(self._open) >= MOST_MAILBOXES:
            raise PairOver(
                503, "full", "too many seats are going along at this moment; try again in a minute"
            )
        while (channel := self._channel()) in self._open:
            pass
        box = PairMailbox(channel, owner, self._clock() + LASTS, secrets.token_hex(16))
        self._open[channel] = box
        return box

    def _channel(self) -> str:
        return "".join(ALPHABET[secrets.randbelow(_SIGNS)] for _ in range(2))

    def find(self, channel: str) -> PairMailbox:
        """The open mailbox of this channel."""
        self.sweep()
        if channel not in self._open:
            raise PairOver(404, "no-mailbox", "this code is over, or was never given here")
        return self._open[channel]

    def put(self, channel: str, number: int, data: bytes, ticket: str) -> PairMailbox:
        """Message ``number`` has come; the same again, after a lost answer, changes nothing."""
        box = self.find(channel)
        if number == 1 and not box.taker:
            box.taker = secrets.token_hex(16)
        elif not (number == 1 and box.number == 1 and hmac.compare_digest(data, box.data)):
            self._check(box, ticket, taker=number % 2 == 1)
        if number == box.number and hmac.compare_digest(data, box.data):
            return box
        if number != box.number + 1 or number > LAST:
            raise PairOver(409, "out-of-turn", "another message is expected; this code was used already")
        held = sum(len(other.data) for other in self._open.values())
        if held - len(box.data) + len(data) > MOST_BYTES:
            raise PairOver(
                503, "full", "too many seats are going along at this moment; try again in a minute"
            )
        box.number, box.data = number, data
        box.changed.set()
        box.changed = asyncio.Event()
        return box

    async def get(
        self, channel: str, number: int, ticket: str, seconds: float, gone: Callable[[], Awaitable[bool]]
    ) -> bytes | None:
        """Message ``number``, at latest after so many seconds; None if it has not come. The last is forgotten by it."""
        end = asyncio.get_running_loop().time() + seconds
        while True:
            box = self.find(channel)
            self._check(box, ticket, taker=number % 2 == 0)
            if box.number > number:
                raise PairOver(409, "out-of-turn", "this message is gone")
            if box.number == number:
                if number == LAST:
                    self._drop(box)
                return box.data
            left = end - asyncio.get_running_loop().time()
            if left <= 0 or self.ended or await gone():
                return None
            waiting = asyncio.ensure_future(box.changed.wait())
            await asyncio.wait((waiting,), timeout=min(left, _LOOK))
            waiting.cancel()

    def end(self, channel: str, ticket: str) -> None:
        """Either of the two ends it."""
        box = self.find(channel)
        if not _same(ticket, box.giver):
            self._check(box, ticket, taker=True)
        self._drop(box)

    @staticmethod
    def _check(box: PairMailbox, ticket: str, *, taker: bool) -> None:
        if not _same(ticket, box.taker if taker else box.giver):
            raise PairOver(401, "ticket", "this code was used already")

    def _drop(self, box: PairMailbox) -> None:
        self._open.pop(box.channel, None)
        box.changed.set()


def _same(ticket: str, own: str) -> bool:
    return bool(own) and hmac.compare_digest(ticket.encode(), own.encode())


class Lent(Protocol):
    """What the API does for everybody: whose access code it is, the body of a request, and who may do more."""

    async def grant(self, request: Request) -> Grant:
        """Whose access code the request comes with."""

    async def body(self, request: Request, most: int) -> bytes:
        """The whole body."""

    def may(self, limit: str, *whose: str) -> bool:
        """Whether there is one more left in this time, which is spent by it."""


Handler = Callable[[Request], Awaitable[Response]]


class PairRoutes:
    """The addresses of mailboxes."""

    def __init__(self, api: Lent, clock: Callable[[], float]) -> None:
        self._api = api
        self.boxes = PairMailboxes(clock)

    def routes(self, prefix: str, guarded: Callable[[Handler], Handler]) -> list[Route]:
        """Under one prefix."""
        handlers = (
            ("POST", "/match/{name}/pair", self._open),
            ("POST", "/pair/{channel}/{n}", self._put),
            ("GET", "/pair/{channel}/{n}", self._get),
            ("DELETE", "/pair/{channel}", self._end),
        )
        return [
            Route(prefix + path, guarded(self._counting(act)), methods=[way]) for way, path, act in handlers
        ]

    def _counting(self, act: Handler) -> Handler:
        """Faults as the API's own; who asks for what is not theirs is counted as for a wrong code."""

        async def counted(request: Request) -> Response:
            try:
                return await act(request)
            except PairOver as fault:
                if fault.status in (401, 404) and not self._api.may("60/minute", "wrong", _address(request)):
                    raise too_many() from None
                raise

        return counted

    async def _open(self, request: Request) -> Response:
        grant = await self._api.grant(request)
        if not self._api.may(OPENINGS, "pair", grant.match.game, grant.seat):
            raise too_many()
        box = self.boxes.open((grant.match.game, grant.seat))
        asyncio.get_running_loop().call_later(LASTS + 1, self.boxes.sweep)
        return JSONResponse({"channel": box.channel, "ticket": box.giver, "seconds": LASTS}, 201)

    async def _put(self, request: Request) -> Response:
        number = self._number(request)
        if number == 1 and not self._api.may(TRIES, "pairing", _address(request)):
            raise too_many()
        self.boxes.find(_channel(request))  # nobody's body is read for nothing
        data = await self._api.body(request, MOST_LARGE if number == LARGE else MOST_SMALL)
        box = self.boxes.put(_channel(request), number, data, _ticket(request))
        return Response(
            json.dumps({"ticket": box.taker} if number == 1 else {}), 201, media_type="application/json"
        )

    async def _get(self, request: Request) -> Response:
        wait = request.query_params.get("wait", "0")
        seconds = min(int(wait), _LONGEST_WAIT) if wait.isdecimal() and len(wait) < 4 else 0
        data = await self.boxes.get(
            _channel(request), self._number(request), _ticket(request), seconds, request.is_disconnected
        )
        return (
            Response(status_code=204)
            if data is None
            else Response(data, media_type="application/octet-stream")
        )

    async def _end(self, request: Request) -> Response:
        self.boxes.end(_channel(request), _ticket(request))
        return Response(status_code=204)

    def _number(self, request: Request) -> int:
        text = str(request.path_params["n"])
        if text not in {str(number) for number in range(1, LAST + 1)}:
            raise HttpRefusal(404, "nothing-here", "there is nothing here")
        return int(text)


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


def _channel(request: Request) -> str:
    return str(request.path_params["channel"])


def _ticket(request: Request) -> str:
    return request.headers.get("authorization", "").removeprefix("Bearer").strip()
