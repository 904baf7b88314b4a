"""Pictures of emails as a browser shows them: both games, light and dark, on a phone and on a client.

::

    python -m tests.service.screenshots examples/letters

Plays a match of each game through the service with its mail in memory, takes emails as they were sent (HTML and its
pictures from the MIME parts), and lets headless Chromium photograph them. Chance follows from fixed seeds; what is
drawn therefore changes only with the emails.
"""

from __future__ import annotations

import argparse
import base64
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from pbem.player.pictures import shrink
from tests import one_time_keys
from tests.browsers import launched
from tests.service.people import parse
from tests.service.table import Table

WIDTHS = {"phone": 390, "desk": 760}
SCHEMES = ("light", "dark")
MOST_HEIGHT = 1500
"""Pixels of an email that are shown: the end, with its proofs, is the same everywhere."""


@dataclass(frozen=True)
class Wanted:
    """An email to be photographed: of which game, after how many files, the newest whose subject fits."""

    name: str
    game: str
    seats: tuple[str, ...]
    files: int
    fits: Callable[[str], bool]


LETTERS = (
    Wanted(
        "wyatt-earp-turn", "wyatt-earp", ("anna", "burt", "curt"), 30, lambda s: s.startswith("Your turn: ")
    ),
    Wanted(
        "way-out-west-turn",
        "way-out-west",
        ("anna", "burt", "curt"),
        40,
        lambda s: s.startswith("Your turn: "),
    ),
)


def html_of(message: EmailMessage) -> str:
    """The HTML of an email with its pictures put in, as a mail program shows it."""
    body = message.get_body(("html",))
    assert body is not None
    html: str = body.get_content()
    for part in message.walk():
        cid = str(part.get("Content-ID", "")).strip("<>")
        if cid:
            data = part.get_payload(decode=True)
            assert isinstance(data, bytes)
            html = html.replace(f"cid:{cid}", f"data:image/png;base64,{base64.b64encode(data).decode()}")
    return html


def letter_of(wanted: Wanted) -> str:
    """Play and find the email."""
    with tempfile.TemporaryDirectory() as folder:
        table = Table(Path(folder), wanted.game, wanted.seats)
        table.service.context.pictures = False
        table.start()
        table.play(wanted.files)
        table.service.context.pictures = True
        for more in range(200):
            table.play(1)
            messages = [parse(raw) for _, raw in table.mail.delivered[-6:] if b"Content-ID" in raw]
            messages = [message for message in messages if wanted.fits(str(message["Subject"]))]
            if messages and more > 2:
                return html_of(messages[-1])
    raise AssertionError(f"no letter for {wanted.name}")


def photograph(browser: Any, html: str, width: int, scheme: str, most: int = MOST_HEIGHT) -> bytes:
    """The whole email, at most ``most`` pixels of it, as PNG with a palette."""
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page.set_content(html)
    height = min(int(page.evaluate("document.documentElement.scrollHeight")), most)
    wide = int(page.evaluate("document.documentElement.scrollWidth"))
    assert wide <= width, f"the letter is {wide} wide in a window of {width}"
    page.set_viewport_size({"width": width, "height": height})
    raw: bytes = page.screenshot()
    page.close()
    return shrink(raw)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    from playwright.sync_api import sync_playwright

    options.folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as driver, launched(driver) as browser:
        for wanted in LETTERS:
            with one_time_keys.fixed():
                html = letter_of(wanted)
            for place, width in WIDTHS.items():
                for scheme in SCHEMES:
                    path = options.folder / f"{wanted.name}-{place}-{scheme}.png"
                    path.write_bytes(photograph(browser, html, width, scheme))
                    print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
