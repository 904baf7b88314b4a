"""A player's own channel at the HTTP API: where they want their turns announced, besides emails.

::

    GET    {API}/match/{id}/channel     ``{"kinds": ["ntfys"]}``: which channels of mine are used; never their addresses
    POST   {API}/match/{id}/channel     ``{"url": "ntfys://…"}`` (apprise): notify this one as well
    DELETE {API}/match/{id}/channel     notify none of mine any more

All need the access code of a seat. The address of a channel holds a token: it is sealed as soon as it was looked at,
and no answer holds it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Protocol

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from pbem.base.errors import UsageProblem
from pbem.host.config_file import words_of
from pbem.host.database.database import Database
from pbem.host.service.api import Grant
from pbem.host.service.channels import Channels
from pbem.host.service.context import ServiceContext
from pbem.host.service.pairing import MOST_SMALL, Handler, HttpRefusal, Lent, too_many

_SETTINGS: Final = "3/minute"
"""Of one seat: a process looks at each address."""


class Working(Lent, Protocol):
    """The same, and work with a database."""

    async def run(self, work: Callable[[Database], None]) -> None:
        """Done in a thread with a database of its own."""


class ChannelRoutes:
    """The addresses of a player's own channel."""

    def __init__(self, context: ServiceContext, api: Working) -> None:
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
        raw = await self._api.body(request, MOST_SMALL)
        if not self._api.may(_SETTINGS, "channel", grant.match.game, grant.seat):
            raise too_many()
        try:
            looking = asyncio.get_running_loop().run_in_executor
            url = await looking(None, self._context.check_channel, _channel_in(raw))
        except UsageProblem as fault:
            raise HttpRefusal(422, "no-channel", words_of(fault)) from None
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
        if isinstance(given, dict) and isinstance(given.get("url"), str):
            return str(given["url"])
    return ""
