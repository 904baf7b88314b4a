"""Answers for probes at an address of its own that is not for the world.

::

    /live      200 as long as the service's loop moves
    /health    200 or 503, with what ``pbem host health --json`` says
    /metrics   the numbers of that, as Prometheus reads them
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from typing import Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from pbem.game import JsonObject
from pbem.host.database.database import Database
from pbem.host.service.health import health_of, numbers_of

STUCK: Final = 300.0
"""Seconds without a sign of the loop until it does not live any more."""
_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


def probes(url: str, clock: Callable[[], datetime], silent: Callable[[], float]) -> Starlette:
    """Answer of the database at ``url``; ``silent`` says for how many seconds the loop has given no sign."""

    def facts() -> JsonObject:
        with closing(Database(url)) as database:
            database.expect()
            return health_of(database, clock())

    async def live(_: Request) -> Response:
        seconds = silent()
        words = f"the loop moved {seconds:.0f} seconds ago\n"
        return PlainTextResponse(words, 200 if seconds < STUCK else 503)

    async def health(_: Request) -> Response:
        body = await run_in_threadpool(facts)
        return JSONResponse(body, 200 if body["healthy"] else 503)

    async def numbers(_: Request) -> Response:
        return Response(numbers_of(await run_in_threadpool(facts)), media_type=_TYPE)

    app = Starlette(routes=[Route("/live", live), Route("/health", health), Route("/metrics", numbers)])
    app.router.redirect_slashes = False
    return app
