"""The built page, served on this machine, and a browser; lines of a log."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from pbem.web.serve import page_files, server
from tests.browsers import launched
from tests.web.conftest import FLAGS, kept_page


@contextmanager
def running(files: Mapping[str, bytes] | None = None) -> Iterator[tuple[Path, str, Any]]:
    """The built page, its address, and a browser. ``files``: what is served of it, if it is to change meanwhile."""
    folder = kept_page()
    served = server(files or page_files(folder), 0)
    threading.Thread(target=served.serve_forever, daemon=True).start()
    with sync_playwright() as driver, launched(driver, *FLAGS) as browser:
        yield folder, f"http://127.0.0.1:{served.server_address[1]}/", browser
    served.shutdown()


def gone(served: ThreadingHTTPServer) -> None:
    """Nobody answers at its port any more."""
    served.shutdown()
    served.server_close()


def say(text: str) -> None:
    """A line of the log."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
