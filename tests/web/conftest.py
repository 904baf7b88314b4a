"""The page, built once for all processes of tests, served on this machine, opened in Chromium."""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from pbem.base.resources import data_dir
from pbem.player.store import FileLock
from pbem.web.build import WEB, build
from pbem.web.modules import needed
from pbem.web.serve import page_files, server
from tests.browsers import launched
from tests.patience import PATIENCE
from tests.pyodide.page import ROOT, node_or_skip

FLAGS = (
    "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--host-resolver-rules=MAP *.house.test 127.0.0.1",
)  # fmt: skip


def kept_page() -> Path:
    """The built page, from the last time if nothing that it is made of has changed since."""
    made_of = sha256()
    files = [
        *needed().values(),
        *WEB.rglob("*.py"),
        *(WEB / "page").iterdir(),
        *WEB.glob("*.mjs"),
        *WEB.glob("*.json"),
    ]
    files += [path for name in ("schemas", "templates") for path in data_dir(name).rglob("*")]
    for path in sorted(file for file in files if file.is_file()):
        made_of.update(f"{path} ".encode() + sha256(path.read_bytes()).digest())
    shelf = ROOT / ".pytest_cache" / "page"
    place = shelf / made_of.hexdigest()[:24]
    shelf.mkdir(parents=True, exist_ok=True)
    with FileLock(shelf / "lock").hold(PATIENCE):  # processes that ask at the same time wait for the first
        if not place.is_dir():
            with tempfile.TemporaryDirectory(dir=shelf) as fresh:
                build(Path(fresh) / "page", WEB / "node_modules")
                for old in set(shelf.glob("?" * 24)) - {place}:
                    shutil.rmtree(old, ignore_errors=True)
                (Path(fresh) / "page").rename(place)
    return place


@pytest.fixture(scope="session")
def built() -> Path:
    """The folder of the built page."""
    node_or_skip()
    return kept_page()


@pytest.fixture(scope="session")
def served(built: Path) -> Iterator[str]:
    """Its address on this machine."""
    running = server(page_files(built), 0)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{running.server_address[1]}/"
    running.shutdown()
    running.server_close()


@pytest.fixture(scope="session")
def browser(driver: Any) -> Iterator[Any]:
    """One Chromium for all of them."""
    with launched(driver, *FLAGS) as running:
        yield running
