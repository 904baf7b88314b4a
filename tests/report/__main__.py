"""Make the example reports again: a whole match of each game, its page, and pictures of it.

::

    python -m tests.report          # writes examples/report/

The matches are played by the demo with fixed seeds. The pictures need Chromium: the top of the page on a phone and on a
desktop, in light and dark, and a piece of the story.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from pbem.cli import main
from pbem.demo import Demo, SeededEntropy, StepClock
from tests.report.browser import DESKTOP, PHONE, Browser, started

HERE = Path(__file__).resolve().parents[2] / "examples" / "report"
SEED = "TEST report"
START = "2026-11-21T18:00:00Z"
GAMES = ("wyatt-earp", "way-out-west")
HEIGHTS = {PHONE: 1800, DESKTOP: 1500}
COLOURS = 128


def make(game: str, folder: Path, browser: Browser) -> None:
    """Play a match of three, write its page, take the pictures."""
    Demo(game, 3, folder, StepClock(START), lambda name: SeededEntropy(SEED, name)).run()
    page = HERE / f"{game}.html"
    try:
        main(["audit", str(folder), "--html", str(page)])
    except SystemExit as ended:
        if ended.code:
            raise
    for width, height in HEIGHTS.items():
        for scheme in ("light", "dark"):
            with browser.opened(page, width, scheme, height=height) as opened:
                _take(opened.page, HERE / f"{game}-{width}-{scheme}.png")
                if scheme == "light":
                    opened.page.locator(".draw details").first.evaluate("(one) => { one.open = true; }")
                    opened.page.locator(".chapter:has(.draw)").first.evaluate("(one) => one.scrollIntoView()")
                    _take(opened.page, HERE / f"{game}-{width}-story.png")


def _take(page: object, file: Path) -> None:
    page.screenshot(path=file)  # type: ignore[attr-defined]


def run() -> None:
    """Both games."""
    HERE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, started() as browser:
        for game in GAMES:
            make(game, Path(scratch) / game, browser)
    for file in sorted(HERE.iterdir()):
        sys.stdout.write(f"{file.stat().st_size:9} {file.name}\n")


if __name__ == "__main__":
    run()
