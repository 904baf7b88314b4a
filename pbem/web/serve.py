"""The built page on this very machine, with the headers it needs: for those who trust nobody to serve it.

``localhost`` is a secure place for a browser without a certificate. For other devices in the house there is TLS with
one's own certificate.
"""

from __future__ import annotations

import json
import ssl
import zipfile
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

from pbem.base.errors import FormatError, UsageProblem
from pbem.web.build import HASHES
from pbem.web.policy import headers_of

LOCAL: Final = "127.0.0.1"
PACKED: Final = Path(__file__).resolve().parent / "built" / "page.zip"
"""The page of this very release, as a wheel brings it; a checkout has none."""


def packed_page() -> Path:
    """The page that came with this pbem; ``UsageProblem`` if it came without."""
    if not PACKED.is_file():
        raise UsageProblem("this pbem has no built page with it", hint="Make one: pbem web build DIR")
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
            raise FormatError(f"{place} is no built page") from fault
    if HASHES not in files:
        raise UsageProblem(f"{place} is no built page", hint="Make one: pbem web build DIR")
    return files


def server(
    files: Mapping[str, bytes],
    port: int,
    *,
    host: str = LOCAL,
    certificate: tuple[Path, Path] | None = None,
    headers: Callable[[str], dict[str, str]] = headers_of,
) -> ThreadingHTTPServer:
    """A server of these files, not started; port 0 takes a free one. ``certificate``: chain and key, for TLS."""
    made = ThreadingHTTPServer((host, port), _handler(files, headers))
    made.daemon_threads = True
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate)
        made.socket = context.wrap_socket(made.socket, server_side=True)
    return made


def _handler(
    files: Mapping[str, bytes], headers: Callable[[str], dict[str, str]]
) -> type[BaseHTTPRequestHandler]:
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
            name = self.path.partition("?")[0].lstrip("/") or "index.html"
            data = files.get(name)
            told = headers(name) if data is not None else {"Content-Type": "text/plain; charset=utf-8"}
            sent = data if data is not None else b"not here\n"
            self.send_response(200 if data is not None else 404)
            for key, value in told.items():
                self.send_header(key, value)
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            if body:
                self.wfile.write(sent)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base class has it
            """Nothing is noted."""

    return Handler


def version_of(files: Mapping[str, bytes]) -> str:
    """The version that a built page says it is."""
    return str(json.loads(files[HASHES])["version"])
