"""A game that the page does not know, built into it and played by touch: nothing of ``page/`` is another byte."""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

from pbem.base import resources
from pbem.games.rulebook import games_with_rules
from pbem.web.build import SERVICE, SOURCES, WEB, build
from pbem.web.serve import page_files, server
from tests.third_game import PACKAGE, installed_in
from tests.web.conftest import kept_page
from tests.web.device import Phone


@contextmanager
def built_with_it() -> Iterator[dict[str, bytes]]:
    """The files of a page that was built where the package is installed."""
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder) / "site"
        site.mkdir()
        installed_in(site)
        places = [str(site), str(PACKAGE)]
        sys.path[:0] = places
        try:
            for known in (resources.installed_games, games_with_rules):
                known.cache_clear()
            build(Path(folder) / "page", WEB / "node_modules")
            yield dict(page_files(Path(folder) / "page"))
        finally:
            del sys.path[: len(places)]
            for known in (resources.installed_games, games_with_rules):
                known.cache_clear()


def unchanged(files: dict[str, bytes]) -> int:
    """How many files of ``page/`` there are, none of them another one than in our own page."""
    own = page_files(kept_page())
    names = [path.name for path in SOURCES.iterdir() if path.is_file() and path.name != SERVICE]
    assert all(files[name] == own[name] for name in names)
    return len(names)


def third(browser: Any) -> str:
    """A whole match of German Whist against the computer, from the link of a friend, by touch alone."""
    with built_with_it() as files:
        same, began = unchanged(files), time.monotonic()
        running = server(files, 0)
        threading.Thread(target=running.serve_forever, daemon=True).start()
        phone = Phone(browser, f"http://127.0.0.1:{running.server_address[1]}/", width=360, height=560)
        taps, cards, ended = played(phone)
        phone.close()
        running.shutdown()
        running.server_close()
    return (
        f"german-whist, 360 × 560, by touch alone, {same} files of page/ as they are: {cards} cards in {taps} taps,"
        f" {time.monotonic() - began:.0f} s; its last screen: {' / '.join(ended.split(chr(10)))}"
    )


def played(phone: Phone) -> tuple[int, int, str]:
    """Taps, cards that were played, what the screen of the end says."""
    chance, taps, cards = Random("third"), 0, 0
    page = phone.open("#practice=german-whist")
    phone.wait("table")
    while True:
        page.wait_for_function(
            "() => document.querySelector('dialog.ending, .game[data-news=yes], .game .can, .game .chosen')"
        )
        if page.locator("dialog.ending").count():
            ended = str(page.locator("dialog.ending").inner_text())
            if "match is over" in ended.lower() or "won" in ended.lower():
                assert phone.said == []
                return taps, cards, ended
            phone.tap("dialog.ending .ways button")
        elif page.locator(".game[data-news=yes]").count():
            phone.tap("#yes")
        elif phone.offered:
            phone.yes()
            cards += 1
        else:
            phone.touch(chance.choice(phone.marked))
        taps += 1
