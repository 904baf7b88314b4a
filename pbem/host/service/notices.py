"""What tells a player of his turn besides emails, at the HTTP API: his browsers (Web Push), and a channel of his own.

::

    GET    {API}/push/key               the public key of this host (RFC 8292), for ``pushManager.subscribe``
    POST   {API}/match/{id}/push        ``{"subscription", "named", "zone"}``: call this browser when it is my turn
    DELETE {API}/match/{id}/push        call none of mine any more
    GET    {API}/match/{id}/channel     ``{"kinds": ["ntfys"]}``: which channels of mine are told; never their addresses
    POST   {API}/match/{id}/channel     ``{"url": "ntfys://…"}`` (apprise): tell this one as well
    DELETE {API}/match/{id}/channel     tell none of mine any more

All but the first need the word of a seat, as everything of a match does. The address of a channel holds a token: it is
sealed as soon as it was looked at, and no answer holds it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from pbem.base.errors import UsageProblem
from pbem.base.values import dataclass
from pbem.host.calling import checked_channel
from pbem.host.database.database import Database
from pbem.host.database.matches import Matches
from pbem.host.database.push import PushRows
from pbem.host.service.api import Grant
from pbem.host.service.channels import Channels
from pbem.host.service.context import ServiceContext
from pbem.host.service.push import NotCalled, PushKey, contact_of, read_subscription, register

_CHANNELS_A_MINUTE: Final = 3
"""Under one word: a process looks at each address."""
_LONGEST_CHANNEL: Final = 1000

Handler = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class ApiServices:
    """What the API does for everybody: whose word it is, the body of a request, work with a database, a refusal."""

    grant: Callable[[Request], Awaitable[Grant]]
    body: Callable[[Request], Awaitable[bytes]]
    run: Callable[[Callable[[Database], None]], Awaitable[None]]
    refuse: Callable[[int, str, str], Exception]
    may: Callable[[Grant, str, int], bool]


class PushRoutes:
    """The addresses of Web Push."""

    def __init__(self, context: ServiceContext, api: ApiServices) -> None:
        self._context = context
        self._api = api
        self._key = PushKey(context.host, contact_of(context)).public

    def routes(self, prefix: str, guarded: Callable[[Handler], Handler]) -> list[Route]:
        """Under one prefix."""
        return [
            Route(f"{prefix}/push/key", guarded(self._tell_key), methods=["GET"]),
            Route(f"{prefix}/match/{{name}}/push", guarded(self._register), methods=["POST"]),
            Route(f"{prefix}/match/{{name}}/push", guarded(self._withdraw), methods=["DELETE"]),
        ]

    async def _tell_key(self, _: Request) -> Response:
        return JSONResponse({"key": self._key})

    async def _register(self, request: Request) -> Response:
        grant = await self._api.grant(request)
        raw = await self._api.body(request)
        try:
            wish = read_subscription(raw, self._context.push)
        except NotCalled as fault:
            raise self._api.refuse(422, "not-called", f"{fault} {fault.hint}".strip()) from None

        def keep(database: Database) -> None:
            with database.transaction() as transaction:
                match = Matches(transaction).find(grant.match.game)
                if match is not None:
                    register(PushRows(transaction), match, grant.seat, wish)

        await self._api.run(keep)
        return JSONResponse({"state": "kept"}, 201)

    async def _withdraw(self, request: Request) -> Response:
        grant = await self._api.grant(request)

        def drop(database: Database) -> None:
            with database.transaction() as transaction:
                PushRows(transaction).drop(grant.match.game, grant.seat)

        await self._api.run(drop)
        return Response(status_code=204)


class ChannelRoutes:
    """The addresses of a player's own channel."""

    def __init__(self, context: ServiceContext, api: ApiServices) -> None:
        self._context = context
        self._api = api

    def routes(self, prefix: str, guarded: Callable[[Handler], Handler]) -> list[Route]:
        """Under one prefix."""
        path = f"{prefix}/match/{{name}}/channel"
        handlers = {"GET": self._show, "POST": self._set, "DELETE": self._off}
        return [Route(path, guarded(handler), methods=[method]) for method, handler in handlers.items()]

    async def _show(self, request: Request) -> Response:
        return await self._done(await self._api.grant(request), lambda _, __: None)

    async def _set(self, request: Request) -> Response:
        grant = await self._api.grant(request)
        raw = await self._api.body(request)
        if not self._api.may(grant, "channel", _CHANNELS_A_MINUTE):
            raise self._api.refuse(429, "too-many", "too many requests; wait a little")
        try:
            url = await asyncio.get_running_loop().run_in_executor(None, checked_channel, _channel_in(raw))
        except UsageProblem as fault:
            raise self._api.refuse(422, "no-channel", f"{fault} {fault.hint}".strip()) from None
        return await self._done(grant, lambda channels, grant: channels.set(grant.match, url, grant.seat))

    async def _off(self, request: Request) -> Response:
        grant = await self._api.grant(request)
        return await self._done(grant, lambda channels, grant: channels.off(grant.match, grant.seat))

    async def _done(self, grant: Grant, act: Callable[[Channels, Grant], object]) -> Response:
        kinds: list[str] = []

        def work(database: Database) -> None:
            with database.transaction() as transaction:
                channels = Channels(self._context, transaction)
                act(channels, grant)
                kinds.extend(kind for seat, kind in channels.kinds(grant.match) if seat == grant.seat)

        await self._api.run(work)
        return JSONResponse({"kinds": kinds})


def _channel_in(raw: bytes) -> str:
    """The address in a body; empty, which is none, where the body has another form."""
    with suppress(ValueError, RecursionError):
        given = json.loads(raw)
        if (
            isinstance(given, dict)
            and isinstance(given.get("url"), str)
            and len(given["url"]) <= _LONGEST_CHANNEL
        ):
            return str(given["url"])
    return ""
