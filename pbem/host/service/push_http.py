"""Web Push at the HTTP API: the host's key, and the browsers that a seat wants to be called in.

::

    GET    {API}/push/key               the public key of this host (RFC 8292), for ``pushManager.subscribe``
    POST   {API}/match/{id}/push        ``{"subscription", "named", "zone"}``: call this browser when it is my turn
    DELETE {API}/match/{id}/push        call none of mine any more

The last two need the access code of a seat, as everything of a match does.
"""

from __future__ import annotations

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from pbem.host.config_file import words_of
from pbem.host.database.database import Database
from pbem.host.database.matches import Matches
from pbem.host.database.push import PushRows
from pbem.host.service.context import ServiceContext
from pbem.host.service.http_parts import Handler, HttpRefusal, Lent
from pbem.host.service.push import NotCalled, PushKey, contact_of, read_subscription, register


class PushRoutes:
    """The addresses of Web Push."""

    def __init__(self, context: ServiceContext, api: Lent) -> None:
        self._context = context
        self._api = api
        self._key = PushKey(context.host, contact_of(context)).public

    def routes(self, prefix: str, guarded: Callable[[Handler], Handler]) -> list[Route]:
        """Under one prefix."""
        return [
            Route(f"{prefix}/push/key", guarded(self._public_key), methods=["GET"]),
            Route(f"{prefix}/match/{{name}}/push", guarded(self._register), methods=["POST"]),
            Route(f"{prefix}/match/{{name}}/push", guarded(self._withdraw), methods=["DELETE"]),
        ]

    async def _public_key(self, _: Request) -> Response:
        return JSONResponse({"key": self._key})

    async def _register(self, request: Request) -> Response:
        grant = await self._api.grant(request)
        raw = await self._api.body(request)
        try:
            wish = read_subscription(raw, self._context.push)
        except NotCalled as fault:
            raise HttpRefusal(422, "not-called", words_of(fault)) from None

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
