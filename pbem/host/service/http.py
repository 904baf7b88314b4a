"""The HTTP API as an ASGI application: four addresses for each match, and nothing else.

::

    GET  {API}/match/{id}/lines?after=N[&wait=S]   records with a higher number, one a line (application/x-ndjson)
    POST {API}/match/{id}/files                    a signed file; 202 with its receipt
    GET  {API}/match/{id}/files/{receipt}          waiting, recorded or refused
    POST {API}/match/{id}/word                     the seat's access code CODE, asked for by its keys (``ask_by_keys``)
    GET, POST, DELETE {API}/match/{id}/webhook     the own webhook: its service, ``{"url"}`` to set it, or off

Beside them are those of Web Push (``push_http``), and of seats that go along to another device (``pairing``).
``id`` is the match's id or its short name. Every other request needs ``Authorization: Bearer CODE``.
An answer holds at most half a megabyte of records, so a client asks again until it has record ``Pbem-Head``; with
``wait`` the API answers when there is something new, after S seconds (25 at most) in any case. Faults are JSON:
``error``, stable, and ``why``.

TLS, and slow or endless headers, are the business of the server in front. Bodies are not: their size and time are
limited here. Rubbish, files with fitting signatures and reading are counted apart, so that who floods with one
keeps nobody from another; a wrong code is counted against its address only, so strangers cannot lock players out.
"""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Final, TypeVar
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from pbem.base.errors import StoreError, UsageProblem
from pbem.base.values import dataclass
from pbem.host.budgets import Budgets, Counts
from pbem.host.config_file import words_of
from pbem.host.database.database import Database
from pbem.host.database.matches import Matches
from pbem.host.service.api import Api, Grant, NotTaken, read_posted
from pbem.host.service.context import ServiceContext
from pbem.host.service.http_parts import (
    LONGEST_WAIT,
    MOST_SMALL,
    HttpRefusal,
    code_of,
    network_of,
    number_in,
    too_many,
)
from pbem.host.service.pairing import PairRoutes
from pbem.host.service.place import kept as kept_place
from pbem.host.service.push_http import PushRoutes
from pbem.host.service.webhooks import Webhooks, url_in
from pbem.protocol.formats.strict_json import MAX_FILE

T = TypeVar("T")

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{8,43}")
_RECEIPT: Final = re.compile(r"[0-9a-f]{64}")
_MOST_KEYS: Final = 10_000
_MOST_WAITING: Final = 200


@dataclass(frozen=True, slots=True)
class Rates:
    """How many requests a minute are taken in each process."""

    files: int = 60
    """With fitting signatures, under one access code."""
    rubbish: int = 20
    """Bodies that are no signed file of the match, under one access code."""
    reading: int = 600
    """Under one access code."""
    wrong: int = 60
    """Wrong codes, from one address."""
    seconds: float = 10.0
    """That a body may take."""


class GoodWords:
    """Words that have opened something in this process: who brings one is looked up whatever others have guessed."""

    def __init__(self) -> None:
        self._names: OrderedDict[tuple[str, str], tuple[str, str]] = OrderedDict()

    def __contains__(self, name: tuple[str, str]) -> bool:
        return name in self._names

    def seat(self, name: tuple[str, str]) -> tuple[str, str] | None:
        """The match and the seat that it opened last."""
        return self._names.get(name)

    def add(self, name: tuple[str, str], seat: tuple[str, str]) -> None:
        """An access code is good for a match; of too many the one that was used longest ago is forgotten."""
        self._names[name] = seat
        self._names.move_to_end(name)
        while len(self._names) > _MOST_KEYS:
            self._names.popitem(last=False)

    def drop(self, name: tuple[str, str]) -> None:
        """It was withdrawn."""
        self._names.pop(name, None)


class Unambiguous:
    """Closes a connection whose request says twice, in two ways, how long it is: two servers may read it as two.

    ``app`` is the ASGI application behind it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        names = [name for name, _ in scope.get("headers", ())]
        if b"transfer-encoding" in names and b"content-length" in names:
            why = "a request has Content-Length or Transfer-Encoding, not both"
            headers = {"Connection": "close", "Cache-Control": "no-store"}
            await JSONResponse({"error": "ambiguous", "why": why}, 400, headers)(scope, receive, send)
            return
        await self._app(scope, receive, send)


class Threads:
    """Runs work with the database in a few threads, each with its own connection."""

    def __init__(self, url: str, count: int = 4) -> None:
        self._url = url
        self._own = threading.local()
        self._databases: list[Database] = []
        self._pool = ThreadPoolExecutor(count, "api", self._open)
        self._count = count

    def _open(self) -> None:
        self._own.database = Database(self._url)
        self._own.database.expect()

    async def run(self, work: Callable[[Database], T]) -> T:
        """What ``work`` gives, from a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, lambda: work(self._own.database))

    def close(self) -> None:
        """End the threads, and hang up in each."""
        meet = threading.Barrier(self._count)

        def end() -> None:
            with suppress(threading.BrokenBarrierError):
                meet.wait(2)
            self._own.database.close()

        for _ in range(self._count):
            self._pool.submit(end)
        self._pool.shutdown()


class News:
    """Waits for new records: one look for all who wait, every ``look`` seconds, while somebody does.

    ``heads`` gives the number of the newest record of each of these matches. Whether they are still there is seen at
    every fourth look.
    """

    def __init__(
        self, heads: Callable[[Collection[str]], Awaitable[Mapping[str, int]]], look: float = 0.25
    ) -> None:
        self._heads, self._every = heads, look
        self._waiting: list[tuple[str, int, asyncio.Future[None]]] = []
        self._looking: asyncio.Task[None] | None = None
        self._ended = False

    @property
    def count(self) -> int:
        """How many wait."""
        return len(self._waiting)

    def end(self) -> None:
        """Nobody waits any longer. It takes no lock and calls nothing, so a signal may do it."""
        self._ended = True

    async def beyond(
        self, game: str, after: int, seconds: float, gone: Callable[[], Awaitable[bool]]
    ) -> None:
        """Until the match has a record after ``after``, or who waits is ``gone``, or the API closes.

        It takes ``seconds`` at most. Where too many wait already, nobody does.
        """
        if self._ended or self.count >= _MOST_WAITING:
            return
        loop = asyncio.get_running_loop()
        end, waiter = loop.time() + seconds, (game, after, loop.create_future())
        self._waiting.append(waiter)
        if self._looking is None:
            self._looking = asyncio.create_task(self._look())
        try:
            while (left := end - loop.time()) > 0 and not waiter[2].done() and not await gone():
                await asyncio.wait((waiter[2],), timeout=min(left, 4 * self._every))
        finally:
            self._waiting.remove(waiter)

    async def _look(self) -> None:
        try:
            while self._waiting:
                heads: Mapping[str, int] = {}
                with suppress(StoreError):  # a database in trouble: they wait on, and ask again
                    heads = await self._heads({game for game, _, _ in self._waiting})
                for game, after, future in self._waiting:
                    if (self._ended or heads.get(game, -1) > after) and not future.done():
                        future.set_result(None)
                await asyncio.sleep(self._every)
        finally:
            self._looking = None


class ApiApp:
    """The four addresses. ``ring`` is called whenever a file has come and is on the disk."""

    def __init__(
        self,
        context: ServiceContext,
        ring: Callable[[], object],
        *,
        rates: Rates | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._context = context
        self._ring = ring
        self._rates = rates or Rates()
        self._threads = Threads(context.database.url)
        self._budgets = Budgets(Counts(clock))
        self._good = GoodWords()
        self._news = News(self._heads)
        self.pairs = PairRoutes(self, clock)
        self.asgi: ASGIApp = Unambiguous(self._routed())

    def _routed(self) -> Starlette:
        prefixes = {"", urlsplit(self._context.api).path.rstrip("/")}
        routes = [
            Route(f"{prefix}/{path}", self._guarded(handler), methods=[method])
            for prefix in sorted(prefixes)
            for method, path, handler in (
                ("GET", "match/{name}/lines", self._lines),
                ("GET", "match/{name}/proposals", self._proposals),
                ("POST", "match/{name}/files", self._post),
                ("GET", "match/{name}/files/{receipt}", self._state),
                ("POST", "match/{name}/word", self._access_code),
                ("GET", "place", self._place),
                ("GET", "match/{name}/webhook", self._webhook),
                ("POST", "match/{name}/webhook", self._webhook),
                ("DELETE", "match/{name}/webhook", self._webhook),
            )
        ]
        parts = (PushRoutes(self._context, self), self.pairs)
        routes += [
            route
            for prefix in sorted(prefixes)
            for part in parts
            for route in part.routes(prefix, self._guarded)
        ]
        cors = Middleware(
            CORSMiddleware,
            allow_origins=["*"],
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["Authorization", "Content-Type"],
            expose_headers=["Pbem-Head", "Retry-After"],
            max_age=86_400,
        )
        app = Starlette(
            routes=routes,
            middleware=[cors, Middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)],
            exception_handlers={HTTPException: _nothing_here, HttpRefusal: _refused, StoreError: _not_now},
        )
        app.router.redirect_slashes = False
        return app

    def stop(self) -> None:
        """Who waits for records is answered now. It takes no lock, so a signal may do it."""
        self._news.end()

    def close(self) -> None:
        """Let go of the database."""
        self._threads.close()

    @staticmethod
    def _guarded(
        handler: Callable[[Request], Awaitable[Response]],
    ) -> Callable[[Request], Awaitable[Response]]:
        async def guarded(request: Request) -> Response:
            response = await handler(request)
            response.headers["Cache-Control"] = "no-store"
            response.headers["X-Content-Type-Options"] = "nosniff"
            return response

        return guarded

    async def grant(self, request: Request) -> Grant:
        """The match and seat whose access code this request carries.

        An address that has guessed too often is turned away before the database is asked, unless its access code has
        opened something before.
        """
        match_name, code = login = request.path_params["name"], code_of(request)
        network = network_of(request)
        if login not in self._good and not self._budgets.has(f"{self._rates.wrong}/minute", "wrong", network):
            raise too_many()

        asked = code and _NAME.fullmatch(match_name)
        grant = await self._ask(lambda api: api.opened(match_name, code)) if asked else None
        if grant is None:
            self._good.drop(login)
            if not self._budgets.take(f"{self._rates.wrong}/minute", "wrong", network):
                raise too_many()
            why = "this access code opens nothing here; the keys of the seat bring the one that does"
            raise HttpRefusal(401, "word", why, {"WWW-Authenticate": "Bearer"})
        self._good.add(login, (grant.match.game, grant.seat))
        return grant

    async def _place(self, request: Request) -> Response:
        """Which of a host's places answers here, for the others of the same identity alone (``service.place``)."""
        network = network_of(request)
        if not self.may("30/minute", "place", network):
            raise too_many()

        def look(database: Database) -> str:
            with database.reading() as transaction:
                return kept_place(transaction)

        return Response(await self._threads.run(look), media_type="text/plain")

    async def _access_code(self, request: Request) -> Response:
        """The access code of a seat for its keys. Who asks in vain is counted as for a wrong code."""
        name = request.path_params["name"]
        network = network_of(request)
        if not self._budgets.has(f"{self._rates.wrong}/minute", "wrong", network):
            raise too_many()
        raw = await self.body(request)

        granted = await self._ask(lambda api: api.by_keys(name, raw)) if _NAME.fullmatch(name) else None
        if granted is None or not self._may(granted[0], "reading", self._rates.reading):
            if not self._budgets.take(f"{self._rates.wrong}/minute", "wrong", network):
                raise too_many()
            raise HttpRefusal(401, "keys", "these are not the keys of a seat of this match")
        return JSONResponse({"word": granted[1]})

    def _may(self, grant: Grant, use: str, a_minute: int) -> bool:
        """Whether this access code has one more of these left."""
        return self.may(f"{a_minute}/minute", use, grant.match.game, grant.seat)

    def may(self, limit: str, *whose: str) -> bool:
        """Whether there is one more left in this time, which is spent by it."""
        return self._budgets.take(limit, *whose)

    async def _ask(self, question: Callable[[Api], T]) -> T:
        """What the API answers, read in a thread."""

        def read(database: Database) -> T:
            with database.reading() as transaction:
                return question(Api(self._context, transaction))

        return await self._threads.run(read)

    async def run(self, work: Callable[[Database], T]) -> T:
        """What ``work`` gives, in a thread with a database of its own."""
        return await self._threads.run(work)

    async def _heads(self, games: Collection[str]) -> Mapping[str, int]:
        def read(database: Database) -> Mapping[str, int]:
            with database.reading() as transaction:
                return Matches(transaction).heads(games)

        return await self._threads.run(read)

    async def _reader(self, request: Request) -> Grant:
        """As ``grant``, for who only reads."""
        grant = await self.grant(request)
        if not self._may(grant, "reading", self._rates.reading):
            raise too_many()
        return grant

    async def _lines(self, request: Request) -> Response:
        grant = await self._reader(request)
        after, wait = number_in(request, "after", "-1"), number_in(request, "wait", "0")
        head = grant.match.seq
        if head <= after and wait > 0:
            await self._news.beyond(grant.match.game, after, min(wait, LONGEST_WAIT), request.is_disconnected)

        lines = await self._ask(lambda api: api.lines(grant.match, after))
        return Response(lines.data, media_type="application/x-ndjson", headers={"Pbem-Head": str(lines.head)})

    async def _proposals(self, request: Request) -> Response:
        grant = await self._reader(request)
        proposals = await self._ask(lambda api: api.proposals(grant))
        return Response(proposals, media_type="application/x-ndjson")

    async def _state(self, request: Request) -> Response:
        grant = await self._reader(request)
        receipt = request.path_params["receipt"]
        state = (
            await self._ask(lambda api: api.state(grant, receipt)) if _RECEIPT.fullmatch(receipt) else None
        )
        if state is None:
            raise HttpRefusal(
                404, "receipt", "no file was posted here under this access code with this receipt"
            )
        return JSONResponse(state)

    async def _post(self, request: Request) -> Response:
        seat = self._good.seat((request.path_params["name"], code_of(request)))
        if seat is not None and not self._budgets.has(f"{self._rates.files}/minute", "files", *seat):
            await self.body(request)
            raise too_many()  # before the database is asked
        grant = await self.grant(request)
        raw = await self.body(request)
        try:
            message = await asyncio.get_running_loop().run_in_executor(
                None, read_posted, raw, grant.match.game
            )
        except NotTaken as fault:
            if not self._may(grant, "rubbish", self._rates.rubbish):
                raise too_many() from None
            raise HttpRefusal(422, fault.kind, str(fault)) from None
        if not self._may(grant, "files", self._rates.files):
            raise too_many()

        def keep(database: Database) -> dict[str, object]:
            with database.transaction() as transaction:
                return Api(self._context, transaction).take(grant, raw, message)

        try:
            answer = await self._threads.run(keep)
        except NotTaken:
            raise too_many("600") from None
        self._context.steps("posted")
        self._ring()
        return JSONResponse(answer, status_code=202)

    async def _webhook(self, request: Request) -> Response:
        """Show whose webhook the seat has, after setting it or turning it off. Its address is in no answer."""
        grant = await self.grant(request)
        raw = await self.body(request, MOST_SMALL)
        if not self._may(grant, "webhook", self._rates.rubbish):
            raise too_many()

        def work(database: Database) -> str:
            with database.transaction() as transaction:
                webhooks = Webhooks(self._context, transaction)
                if request.method == "POST":
                    webhooks.set(grant.match, url_in(raw), grant.seat)
                elif request.method == "DELETE":
                    webhooks.off(grant.match.game, grant.seat)
                return webhooks.services(grant.match.game).get(grant.seat, "")

        try:
            return JSONResponse({"service": await self._threads.run(work)})
        except UsageProblem as fault:
            raise HttpRefusal(422, "no-webhook", words_of(fault)) from None

    async def body(self, request: Request, most: int = MAX_FILE) -> bytes:
        """The whole body, if it is not too big and comes in time."""
        name = "a signed file" if most == MAX_FILE else "this message"
        too_big = HttpRefusal(413, "too-big", f"{name} has at most {most} bytes", {"Connection": "close"})
        length = request.headers.get("content-length", "")
        if length.isdecimal() and (len(length) > 9 or int(length) > most):
            raise too_big
        body = bytearray()
        try:
            async with asyncio.timeout(self._rates.seconds):
                async for chunk in request.stream():
                    body += chunk
                    if len(body) > most:
                        raise too_big
        except TimeoutError:
            raise HttpRefusal(
                408, "too-slow", "the file did not come in time", {"Connection": "close"}
            ) from None
        except ClientDisconnect:
            raise HttpRefusal(400, "cut", "the file did not come whole") from None
        return bytes(body)


async def _refused(_: Request, fault: Exception) -> Response:
    assert isinstance(fault, HttpRefusal)  # noqa: S101 - it is registered for nothing else
    return JSONResponse(
        {"error": fault.kind, "why": fault.why}, status_code=fault.status, headers=fault.headers
    )


async def _not_now(_: Request, __: Exception) -> Response:
    return JSONResponse(
        {"error": "not-now", "why": "the host cannot reach its database; nothing was taken"},
        status_code=503,
        headers={"Retry-After": "30"},
    )


async def _nothing_here(_: Request, fault: Exception) -> Response:
    status = fault.status_code if isinstance(fault, HTTPException) else 404
    headers = fault.headers if isinstance(fault, HTTPException) else None
    return JSONResponse({"error": "nothing-here", "why": "there is nothing here"}, status, headers)
