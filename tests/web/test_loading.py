"""The first visit: bytes of the line are counted while they come, and nothing is used whose hash is another one."""

from __future__ import annotations

import gzip
import io
import json
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from pbem.web.build import LATER, REST, SERVICE, SIZES
from pbem.web.serve import page_files, server
from tests.patience import PATIENCE, until
from tests.web.device import Phone
from tests.web.versions import released

WASM = "pyodide/pyodide.asm.wasm"
GAME = "game-wyatt-earp.zip"
MISSING = "site/pbem/_data/templates/wyatt-earp/board.svg.jinja"
LOADED = """globalThis.loaded = []; navigator.serviceWorker.addEventListener("message", ({ data }) => {
  if (data?.of) loaded.push(data);
});"""


class Held:
    """One file that the server holds back until it is released."""

    def __init__(self, name: str) -> None:
        self.name, self.asked, self.free = name, threading.Event(), threading.Event()

    def over(self, base: type[BaseHTTPRequestHandler]) -> type[BaseHTTPRequestHandler]:
        """The same handler, which waits at that file."""

        def get(handler: Any) -> None:
            if handler.path == f"/{self.name}":
                self.asked.set()
                self.free.wait(PATIENCE)
            with suppress(ConnectionError):  # whoever asked is gone
                base.do_GET(handler)  # type: ignore[attr-defined]

        return type("Handler", (base,), {"do_GET": get})


@contextmanager
def at(files: dict[str, bytes], held: Held | None = None) -> Iterator[str]:
    """Their address."""
    running = server(files, 0)
    if held:
        running.RequestHandlerClass = held.over(running.RequestHandlerClass)  # type: ignore[arg-type]
    threading.Thread(target=running.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{running.server_address[1]}/"
    running.shutdown()
    running.server_close()


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as target:
        for name, data in files.items():
            target.writestr(name, data)
    return buffer.getvalue()


def unzipped(raw: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(raw)) as whole:
        return {name: whole.read(name) for name in whole.namelist()}


@pytest.fixture(scope="module")
def files(built: Path) -> dict[str, bytes]:
    return page_files(built)


def packed(files: dict[str, bytes]) -> dict[str, bytes]:
    """As a server sends them that packs by gzip alone."""
    small = {f"{name}.gz": gzip.compress(data, 1) for name, data in files.items() if len(data) > 100_000}
    sizes = {name.removesuffix(".gz"): len(data) for name, data in small.items()}
    about = json.dumps({"br": dict.fromkeys(sizes, 1), "gzip": sizes}).encode().ljust(2000)
    return {**files, **small, SIZES: about, f"{SIZES}.gz": gzip.compress(about)}


def test_bytes_of_the_line_are_counted_within_files_and_what_was_not_brought_along_comes_later(
    browser: Any, files: dict[str, bytes]
) -> None:
    """What no first table took when the page was built lies in the archive behind it."""
    game, rest = unzipped(files[GAME]), unzipped(files[REST])
    rest[MISSING] = game.pop(MISSING)
    members = {**files, GAME: zipped(game), REST: zipped(rest)}
    sent = packed(released(members, json.loads(files["built.json"])["version"]))
    first = [name for name in members if not LATER.fullmatch(name) and name != SERVICE]
    on_the_line = sum(len(sent.get(f"{name}.gz", sent[name])) for name in first)
    with at(sent) as url:
        phone = Phone(browser, url)
        phone.context.add_init_script(LOADED)
        phone.open("#practice=wyatt-earp")
        phone.play()
        loaded = phone.ask("() => loaded")
        phone.close()
    assert phone.said == []
    done = [report["fetched"] for report in loaded]
    assert done == sorted(done)
    assert len(set(done)) > 10
    assert loaded[-1]["all"]
    assert loaded[-1]["fetched"] == loaded[-1]["of"] == pytest.approx(on_the_line, rel=0.01)
    assert {round(report["of"] / on_the_line, 1) for report in loaded[1:]} == {1.0}


@pytest.mark.parametrize(
    ("name", "by_page"), [("app.zip", False), ("bar.mjs", False), ("app.zip", True), (WASM, True)]
)
def test_a_first_visit_goes_on_though_the_browser_ends_its_service_worker(
    browser: Any, files: dict[str, bytes], name: str, by_page: bool
) -> None:
    """While the page itself is on its way, or what Python needs; bytes that are here stay counted.

    A file that the page has asked for by then comes neither with an answer nor with a fault.
    """
    held, wanted = Held(name), threading.Event()

    def note(request: Any) -> None:
        if request.url == f"{url}{name}":
            wanted.set()

    with at(packed(files), held) as url:
        phone = Phone(browser, url)
        phone.context.add_init_script(LOADED)
        page = phone.page = phone.context.new_page()
        page.on("pageerror", lambda fault: phone.said.append(str(fault)))
        page.on("request", note)
        control = phone.context.new_cdp_session(page)
        control.send("ServiceWorker.enable")
        page.goto(f"{url}#practice=wyatt-earp", wait_until="commit")
        for event in (held.asked, wanted) if by_page else (held.asked,):
            until(event.is_set, pause=lambda: page.wait_for_timeout(50))
        control.send("ServiceWorker.stopAllWorkers")
        held.free.set()
        page.wait_for_selector("html[data-state]")
        assert phone.state == "started"
        phone.wait("table")
        loaded = phone.ask("() => loaded")
        phone.close()
    assert {said for said in phone.said if "fetch" not in said} == set()
    assert all(report["of"] for report in loaded)
    assert not loaded or loaded[-1]["fetched"] == loaded[-1]["of"]


def test_a_service_worker_that_was_ended_before_it_took_the_page_takes_it_when_asked(
    browser: Any, files: dict[str, bytes]
) -> None:
    """Its activation is what the browser cut short: it never happens here."""
    text = files["service.js"].decode()
    assert text.count('addEventListener("activate"') == 1
    cut = text.replace('addEventListener("activate"', 'addEventListener("cut short"')
    with at({**files, "service.js": cut.encode()}) as url:
        phone = Phone(browser, url)
        phone.open("#practice=wyatt-earp")
        assert phone.state == "started"
        assert phone.ask("() => caches.match('print').then((kept) => kept.text())") in text
        phone.close()
    assert phone.said == []


def test_a_page_that_was_loaded_past_its_service_worker_starts(browser: Any, files: dict[str, bytes]) -> None:
    """By Shift and the button that reloads: the browser asks no service worker for such a page."""
    with at(files) as url:
        phone = Phone(browser, url)
        page = phone.open("#practice=wyatt-earp")
        phone.wait("table")
        control = phone.context.new_cdp_session(page)
        with page.expect_navigation():
            control.send("Page.reload", {"ignoreCache": True})
        page.wait_for_selector("html[data-state]")
        assert phone.state == "started"
        phone.close()
    assert phone.said == []


@pytest.mark.parametrize("name", ["app.zip", "bar.mjs"])
def test_a_file_with_another_hash_is_neither_kept_nor_used(
    browser: Any, files: dict[str, bytes], name: str
) -> None:
    altered = {**files, name: files[name][:-1] + bytes([files[name][-1] ^ 1])}
    with at(altered) as url:
        phone = Phone(browser, url)
        phone.open("#practice=wyatt-earp")
        assert phone.state == "refused"
        assert "did not arrive as it was released" in phone.page.inner_text("[role=alert]")
        assert phone.page.get_by_role("button", name="Try again").count() == 1
        assert phone.ask(f"() => caches.match('{name}').then(Boolean)") is False
        phone.close()
