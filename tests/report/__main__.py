"""Make the example reports again: a whole match of each game, its page, and pictures of it.

::

    python -m tests.report             # writes examples/report/
    python -m tests.report --pictures  # only the pictures, of the pages that are there

The matches are played by the demo with fixed seeds. The pictures need Chromium: the top of the page on a phone and on a
desktop, in light and dark, luck, a piece of the story, and on a phone in the other languages.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from pbem.base.language import CODES
from pbem.cli import main
from pbem.host.demo import Demo
from pbem.player.world import SeededEntropy, StepClock
from tests import one_time_keys
from tests.report.browser import DESKTOP, PHONE, Browser, started

HERE = Path(__file__).resolve().parents[2] / "examples" / "report"
SEED = "TEST report"
START = "2026-11-21T18:00:00Z"
GAMES = ("wyatt-earp", "way-out-west")
OTHERS = tuple(code for code in CODES if code != "en")
HEIGHTS = {PHONE: 1200, DESKTOP: 960}


def write(game: str, folder: Path) -> None:
    """Play a match of three and write its page; in the other languages, beside the match."""
    with one_time_keys.fixed():
        Demo(game, 3, folder, StepClock(START), lambda name: SeededEntropy(SEED, name), labelled=False).run()
    pages = {"en": HERE / f"{game}.html", **{code: folder / f"{code}.html" for code in OTHERS}}
    for code, page in pages.items():
        try:
            main(["audit", str(folder), "--html", str(page), "--lang", code])
        except SystemExit as ended:
            if ended.code:
                raise


def picture_in_others(game: str, folder: Path, browser: Browser) -> None:
    """The top of the page on a phone, in the other languages, light and dark in turn."""
    for number, code in enumerate(OTHERS):
        scheme = ("light", "dark")[number % 2]
        with browser.opened(folder / f"{code}.html", PHONE, scheme, height=HEIGHTS[PHONE]) as opened:
            opened.page.screenshot(path=HERE / f"{game}-{PHONE}-{code}.png")


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
                picture_in_others(game, Path(scratch) / game, browser)
            picture(game, browser)
    for file in sorted(HERE.iterdir()):
        sys.stdout.write(f"{file.stat().st_size:9} {file.name}\n")


if __name__ == "__main__":
    run()
