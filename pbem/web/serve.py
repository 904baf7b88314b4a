"""The built page on this very machine, with the headers it needs: for those who trust nobody to serve it.

``localhost`` is a secure place for a browser without a certificate. For other devices in the service there is TLS with
one's own certificate.
"""

from __future__ import annotations

import json
import ssl
import zipfile
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final, TypeAlias

from pbem.base.errors import FormatError, UsageProblem
from pbem.base.sentences import Sentence, sentence
from pbem.base.values import dataclass
from pbem.protocol.crypto.digest import b64
from pbem.web.build import HASHES
from pbem.web.policy import headers_of

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]

LOCAL: Final = "127.0.0.1"
PACKED: Final = Path(__file__).resolve().parent / "built" / "page.zip"
"""The page of this very release, as a wheel brings it; a checkout has none."""


_BUILD: Final = sentence("Build it: pbem web build DIR")


def _none(place: Path) -> Sentence:
    return sentence("{place} is not a built web app", place=place)


def packed_page() -> Path:
    """The page that came with this pbem; ``UsageProblem`` if it came without."""
    if not PACKED.is_file():
        raise UsageProblem(sentence("this pbem came without the web app"), hint=_BUILD)
    return PACKED


def page_files(place: Path) -> dict[str, bytes]:
    """Every file of a built page, from its folder or its archive.

    Raises:
        UsageProblem: there is no page.
    """
    files: dict[str, bytes] = {}
    if place.is_dir():
        paths = [path for path in sorted(place.rglob("*")) if path.is_file()]
        files = {path.relative_to(place).as_posix(): path.read_bytes() for path in paths}
    elif place.is_file():
        try:
            with zipfile.ZipFile(place) as archive:
                files = {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
        except zipfile.BadZipFile as fault:
            raise FormatError(_none(place)) from fault
    if HASHES not in files:
        raise UsageProblem(_none(place), hint=_BUILD)
    return files


PACKINGS: Final = {"br": ".br", "gzip": ".gz"}
"""What a browser calls a way of packing, and how the files end that were packed so when the page was built."""


@dataclass(frozen=True, slots=True)
class Served:
    """What is sent for one name."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Pages:
    """The files of one page, answered by name: packed if the browser takes that, and not again if it has them.

    ``extra_files`` are further files that are no part of the release, like ``host.json`` of a host who serves the page.
    """

    def __init__(
        self,
        files: Mapping[str, bytes],
        *,
        extra_files: Mapping[str, bytes] | None = None,
        headers: Callable[[str], dict[str, str]] = headers_of,
    ) -> None:
        self._files = {**files, **extra_files} if extra_files else files
        self._headers = headers
        self._marks: dict[bytes, str] = {}

    def answer(self, name: str, accepts: str = "", known: str = "") -> Served:
        """What is sent for ``name``.

        Args:
            name: behind the page's address, without a query; empty for the page itself.
            accepts: the browser's ``Accept-Encoding``.
            known: its ``If-None-Match``.
        """
        name = name or "index.html"
        data = self._files.get(name)
        if data is None or name.endswith(tuple(PACKINGS.values())):
            headers = {"Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store"}
            return Served(404, headers, b"not here\n")
        how = self._packing(name, accepts)
        mark = f'"{self._mark(name)}{PACKINGS.get(how, "")}"'
        headers = {**self._headers(name), "ETag": mark, "Vary": "Accept-Encoding"}
        if mark in known:
            return Served(304, headers, b"")
        packed = {"Content-Encoding": how} if how else {}
        return Served(200, headers | packed, self._files[name + PACKINGS[how]] if how else data)

    def _packing(self, name: str, accepts: str) -> str:
        taken = {enc.partition(";")[0].strip() for enc in accepts.lower().split(",") if "q=0" not in enc}
        return next((how for how, end in PACKINGS.items() if how in taken and name + end in self._files), "")

    def _mark(self, name: str) -> str:
        data = self._files[name]
        if data not in self._marks:
            self._marks[data] = sha256(data).hexdigest()[:32]
        return self._marks[data]


def host_file(name: str, sign: bytes, api: str) -> dict[str, bytes]:
    """``host.json``: who serves this page beside the own API, so that the page can say so and holds to that host.

    Args:
        name: what the host is called.
        sign: the public key that signs the host's matches.
        api: the address of the API.
    """
    host = {"name": name, "sign": b64(sign), "api": api}
    return {"host.json": json.dumps(host, ensure_ascii=False).encode() + b"\n"}


def asgi(pages: Pages, prefix: str) -> Callable[[Scope, Receive, Send], Awaitable[None]]:
    """The same as an ASGI application; ``prefix`` is the path of the page's folder, with a slash at its end."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001 - as ASGI has it
        given = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        path = str(scope["path"])
        if path == prefix.rstrip("/"):
            answer = Served(308, {"Location": prefix}, b"")
        elif scope["method"] not in ("GET", "HEAD"):
            answer = Served(405, {"Allow": "GET, HEAD"}, b"")
        else:
            known, accepts = given.get("if-none-match", ""), given.get("accept-encoding", "")
            answer = pages.answer(path.removeprefix(prefix), accepts, known)
        headers = {**answer.headers, "Content-Length": str(len(answer.body))}
        raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": answer.status, "headers": raw})
        body = answer.body if scope["method"] != "HEAD" else b""
        await send({"type": "http.response.body", "body": body})

    return app


def server(
    files: Mapping[str, bytes],
    port: int,
    *,
    host: str = LOCAL,
    certificate: tuple[Path, Path] | None = None,
    headers: Callable[[str], dict[str, str]] = headers_of,
) -> ThreadingHTTPServer:
    """A server of these files, not started; port 0 takes a free one. ``certificate``: chain and key, for TLS."""
    http_server = ThreadingHTTPServer((host, port), _handler(Pages(files, headers=headers)))
    http_server.daemon_threads = True
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate)
        http_server.socket = context.wrap_socket(http_server.socket, server_side=True)
    return http_server


def _handler(pages: Pages) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """One request; nothing but the files of the page is there to be asked for."""

        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            """A file."""
            self._answer(body=True)

        def do_HEAD(self) -> None:
            """Its headers."""
            self._answer(body=False)

        def _answer(self, *, body: bool) -> None:
            known, accepts = self.headers.get("If-None-Match", ""), self.headers.get("Accept-Encoding", "")
            answer = pages.answer(self.path.partition("?")[0].lstrip("/"), accepts, known)
            self.send_response(answer.status)
            for key, value in answer.headers.items():
                self.send_header(key, value)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            if body:
                self.wfile.write(answer.body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base class has it
            """Nothing is noted."""

    return Handler


def version_of(files: Mapping[str, bytes]) -> str:
    """The version that a built page says it is."""
    return str(json.loads(files[HASHES])["version"])
