"""A seat goes along to another device: the HTTP API carries what the two say to each other, and understands nothing.

Its addresses and the messages are those of schemas/README.md §12.1. The other device writes the odd messages, the
seat's own device the even ones, each once and in order, so a code is tried once. A mailbox holds one message, the
newest. It lives in the memory of this process, ten minutes at most: whoever stops the process ends it, no database,
backup or log has anything of it, and with the last message read it is forgotten.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections.abc import Callable
from typing import Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from pbem.base.values import dataclass
from pbem.host.service.http_parts import MOST_SMALL, Handler, HttpRefusal, Lent, code_of, network_of, too_many
from pbem.protocol.crypto.digest import ALPHABET

LASTS: Final = 600
"""Seconds from the first request on."""
MOST_MAILBOXES: Final = 256
MOST_LARGE: Final = 4 * 1024 * 1024
"""Bytes of the one message that may be large: the sealed seat."""
MOST_BYTES: Final = 32 * 1024 * 1024
"""Bytes in all mailboxes together."""
LARGE: Final = 4
LAST: Final = 5
OPENINGS: Final = "30/hour"
"""Mailboxes that a seat may open."""
TRIES: Final = "10/minute"
"""First messages from one address: each is one guess at one code."""


def _full() -> HttpRefusal:
    return HttpRefusal(503, "full", "too many seats are going along at this moment; try again in a minute")


@dataclass(slots=True)
class PairMailbox:
    """One exchange: the tickets of the two, the number of the newest message, and that message."""

    channel: str
    owner: tuple[str, str]
    until: float
    giver: str
    taker: str = ""
    number: int = 0
    data: bytes = b""

    def check(self, ticket: str, *, taker: bool) -> None:
        """Return if this is the ticket of that side."""
        own = self.taker if taker else self.giver
        if not own or not hmac.compare_digest(ticket.encode(), own.encode()):
            raise HttpRefusal(401, "ticket", "this code was used already")


class PairMailboxes:
    """All of them. ``clock`` gives seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.known: dict[str, PairMailbox] = {}  # by channel

    def sweep(self, owner: tuple[str, str] | None = None) -> None:
        """Forget those whose time is over, and that of ``owner``."""
        now, known = self._clock(), self.known.items()
        self.known = {channel: box for channel, box in known if box.until > now and box.owner != owner}

    def open(self, owner: tuple[str, str]) -> PairMailbox:
        """A mailbox for this seat; one that it had is over. ``HttpRefusal`` if there are too many."""
        self.sweep(owner)
        if len(self.known) >= MOST_MAILBOXES:
            raise _full()
        while (channel := secrets.choice(ALPHABET) + secrets.choice(ALPHABET)) in self.known:
            pass
        box = PairMailbox(channel, owner, self._clock() + LASTS, secrets.token_hex(16))
        self.known[channel] = box
        return box

    def find(self, channel: str) -> PairMailbox:
        """The open mailbox of this channel."""
        self.sweep()
        if channel not in self.known:
            raise HttpRefusal(404, "no-mailbox", "this code is over, or was never given here")
        return self.known[channel]

    def put(self, channel: str, number: int, data: bytes, ticket: str) -> PairMailbox:
        """Message ``number`` has come; the same again, after a lost answer, changes nothing."""
        box = self.find(channel)
        again = number == box.number and hmac.compare_digest(data, box.data)
        if number == 1 and not box.taker:
            box.taker = secrets.token_hex(16)
        elif not (number == 1 and again):  # the lost answer was to bring the ticket
            box.check(ticket, taker=number % 2 == 1)
        if again:
            return box
        if number != box.number + 1:
            raise HttpRefusal(409, "out-of-turn", "another message is expected; this code was used already")
        held = sum(len(other.data) for other in self.known.values())
        if held - len(box.data) + len(data) > MOST_BYTES:
            raise _full()
        box.number, box.data = number, data
        return box

    def get(self, channel: str, number: int, ticket: str) -> bytes | None:
        """Message ``number``; None if it has not come. The last is forgotten by it."""
        box = self.find(channel)
        box.check(ticket, taker=number % 2 == 0)
        if box.number > number:
            raise HttpRefusal(409, "out-of-turn", "this message is gone")
        if box.number < number:
            return None
        if number == LAST:
            del self.known[channel]
        return box.data

    def end(self, channel: str, ticket: str) -> None:
        """Either of the two ends it."""
        box = self.find(channel)
        box.check(ticket, taker=ticket != box.giver)
        del self.known[channel]


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
        return [Route(prefix + path, guarded(handler), methods=[way]) for way, path, handler in handlers]

    async def _open(self, request: Request) -> Response:
        grant = await self._api.grant(request)
        if not self._api.may(OPENINGS, "pair", grant.match.game, grant.seat):
            raise too_many()
        box = self.boxes.open((grant.match.game, grant.seat))
        asyncio.get_running_loop().call_later(LASTS + 1, self.boxes.sweep)
        return JSONResponse({"channel": box.channel, "ticket": box.giver, "seconds": LASTS}, 201)

    async def _put(self, request: Request) -> Response:
        channel, number = _message(request)
        if number == 1 and not self._api.may(TRIES, "pairing", network_of(request)):
            raise too_many()
        self.boxes.find(channel)  # nobody's body is read for nothing
        data = await self._api.body(request, MOST_LARGE if number == LARGE else MOST_SMALL)
        box = self.boxes.put(channel, number, data, code_of(request))
        return JSONResponse({"ticket": box.taker} if number == 1 else {}, 201)

    async def _get(self, request: Request) -> Response:
        data = self.boxes.get(*_message(request), code_of(request))
        return Response(data, 204 if data is None else 200, media_type="application/octet-stream")

    async def _end(self, request: Request) -> Response:
        self.boxes.end(request.path_params["channel"], code_of(request))
        return Response(status_code=204)


def _message(request: Request) -> tuple[str, int]:
    """The channel and the number that a request names."""
    number = request.path_params["n"]
    if number not in map(str, range(1, LAST + 1)):
        raise HttpRefusal(404, "nothing-here", "there is nothing here")
    return request.path_params["channel"], int(number)
