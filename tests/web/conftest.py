"""The page, built once, served on this machine, opened in Chromium."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pbem.web.build import WEB, build
from pbem.web.serve import page_files, server
from tests.pyodide.page import node_or_skip
from tests.report.browser import chromium

FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built page."""
    node_or_skip()
    folder = tmp_path_factory.mktemp("page") / "built"
    build(folder, WEB / "node_modules")
    return folder


@pytest.fixture(scope="session")
def served(built: Path) -> Iterator[str]:
    """Its address on this machine."""
    running = server(page_files(built), 0)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{running.server_address[1]}/"
    running.shutdown()
    running.server_close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One Chromium for all of them."""
    from playwright.sync_api import sync_playwright

    program = chromium()
    with sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=program, args=list(FLAGS))
        yield running
        running.close()
