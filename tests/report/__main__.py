"""Make the example reports again: a whole match of each game, its page, and pictures of it.

::

    python -m tests.report             # writes examples/report/
    python -m tests.report --pictures  # only the pictures, of the pages that are there

The matches are played by the demo with fixed seeds. The pictures need Chromium: the top of the page on a phone and on a
desktop, in light and dark, luck, and a piece of the story.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from pbem.cli import main
from pbem.demo import Demo, SeededEntropy, StepClock
from tests import one_time_keys
from tests.report.browser import DESKTOP, PHONE, Browser, started

HERE = Path(__file__).resolve().parents[2] / "examples" / "report"
SEED = "TEST report"
START = "2026-11-21T18:00:00Z"
GAMES = ("wyatt-earp", "way-out-west")
HEIGHTS = {PHONE: 1200, DESKTOP: 960}


def write(game: str, folder: Path) -> None:
    """Play a match of three and write its page."""
    with one_time_keys.fixed():
        Demo(game, 3, folder, StepClock(START), lambda name: SeededEntropy(SEED, name), labelled=False).run()
    try:
        main(["audit", str(folder), "--html", str(HERE / f"{game}.html")])
    except SystemExit as ended:
        if ended.code:
            raise


def picture(game: str, browser: Browser) -> None:
    """The top of the page in both schemes, and in one of them luck and a piece of the story."""
    for width, height in HEIGHTS.items():
        for scheme in ("light", "dark"):
            with browser.opened(HERE / f"{game}.html", width, scheme, height=height) as opened:
                page = opened.page
                page.screenshot(path=HERE / f"{game}-{width}-{scheme}.png")
                if (width, scheme) in ((PHONE, "light"), (DESKTOP, "dark")):
                    page.evaluate("document.querySelector('.draw details').open = true")
                    page.evaluate("document.querySelector('.chapter:has(.draw)').scrollIntoView()")
                    page.screenshot(path=HERE / f"{game}-{width}-story.png")
                    if width == DESKTOP:
                        page.locator("#luck").screenshot(path=HERE / f"{game}-{width}-luck.png")


def run() -> None:
    """Both games; with ``--pictures`` only the pictures, of the pages as they are."""
    HERE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, started() as browser:
        for game in GAMES:
            if "--pictures" not in sys.argv:
                write(game, Path(scratch) / game)
            picture(game, browser)
    for file in sorted(HERE.iterdir()):
        sys.stdout.write(f"{file.stat().st_size:9} {file.name}\n")


if __name__ == "__main__":
    run()
