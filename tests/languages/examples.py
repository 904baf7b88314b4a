"""Emails and screens in each language, for ``examples/languages``: ``python -m tests.languages.examples``.

For each language one email (text, and HTML as headless Chromium shows it) and the turn page of ``pbem play`` of both
games at 80 by 24. ``--look FOLDER`` draws more, as PNG, for a person who looks for words that are cut: every page of
``pbem play`` that a key opens, ``pbem replay`` and ``pbem stats``.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from pbem.base.language import Language, language_of
from pbem.player.letters.letter import Kind, Letter
from pbem.player.lookback.picture import chart_of
from pbem.player.lookback.screen import report_text
from pbem.player.lookback.summary import summarise
from pbem.player.lookback.timeline import PUBLIC_VIEWPOINT, Timeline, page_of
from tests import one_time_keys
from tests.languages.catalogues import LANGUAGES
from tests.languages.speaking import GAMES, letters, place, played
from tests.play.screens import PLACES, SIZES, Steps, keys, picture
from tests.world import World

LETTERS = {"fr": "wyatt-earp", "it": "way-out-west", "de": "wyatt-earp"}
"""The game of each language's email: both are shown."""
PAGES = {
    "turn": keys(),
    "table": keys("2"),
    "story": keys("3", "left"),
    "orders": keys("o"),
    "talk": keys("t"),
    "help": keys("question_mark"),
    "send": keys("s"),
    "tray": keys("enter", "enter"),
}
_WIDTH = 760


def letter_of(game: str, language: Language) -> Letter:
    """The last email of a match that asks for a turn."""
    moves = dict(GAMES)[game]
    asking = [
        letter for letter in letters(game, moves, language) if letter.kind in (Kind.ASKED, Kind.TURN_END)
    ]
    return [letter for letter in asking if "pbem play" in letter.text][-1]


def html_of(letter: Letter) -> str:
    """The email with its pictures put in."""
    html = letter.html
    for drawn in letter.pictures:
        data = base64.b64encode(drawn.png).decode()
        html = html.replace(f"cid:{drawn.cid}", f"data:image/png;base64,{data}")
    return html


def screen(name: str, language: Language, steps: Steps, size: str = "80x24") -> str:
    """One page of ``pbem play`` as SVG."""
    world, seat = _sat_down(name)
    return asyncio.run(picture(world, seat, steps, SIZES[size], light=False, language=language))


@cache
def _sat_down(name: str) -> tuple[World, str]:
    return PLACES[name]()


def draw_all(folder: Path) -> Iterator[Path]:
    """The examples."""
    from playwright.sync_api import sync_playwright

    from tests.browsers import launched
    from tests.service.screenshots import photograph

    with sync_playwright() as driver, launched(driver) as browser:
        for code, game in LETTERS.items():
            letter = letter_of(game, language_of(code))
            text, shown = folder / f"{code}-{game}-letter.txt", folder / f"{code}-{game}-letter.png"
            text.write_text(f"Subject: {letter.subject}\n\n{letter.text}", encoding="utf-8")
            shown.write_bytes(photograph(browser, html_of(letter), _WIDTH, "light"))
            yield from (text, shown)
    for code in LANGUAGES:
        for game, _ in GAMES:
            path = folder / f"{code}-{game}-play.svg"
            path.write_text(screen(game, language_of(code), PAGES["turn"]), encoding="utf-8")
            yield path


def look_at(folder: Path, only: tuple[str, ...]) -> Iterator[Path]:
    """More screens, as PNG and text; ``only`` are beginnings of the names wanted."""
    import resvg_py

    for code in LANGUAGES:
        language = language_of(code)
        for at in PLACES:
            for page, steps in PAGES.items():
                path = folder / f"{code}-{at}-{page}.png"
                if path.name.startswith(only):
                    svg = screen(at, language, steps)
                    path.write_bytes(bytes(resvg_py.svg_to_bytes(svg_string=svg)))
                    yield path
        for game, moves in GAMES:
            path = folder / f"{code}-{game}-history.txt"
            if path.name.startswith(only):
                path.write_text(_history(game, moves, language), encoding="utf-8")
                (summary,) = summarise([played(game, moves)[0].copy()])
                path.with_suffix(".png").write_bytes(chart_of(summary, language).png)
                yield path


def _history(game: str, moves: int, language: Language) -> str:
    record = played(game, moves)[0].copy()
    timeline = Timeline(record)
    page = page_of(timeline.frame(timeline.last, PUBLIC_VIEWPOINT), timeline.last, language=language)
    return page + "\n" + report_text(summarise([record]), language=language)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--look", type=Path, metavar="FOLDER")
    parser.add_argument("only", nargs="*", default=[""])
    options = parser.parse_args()
    folder = options.look or place()
    folder.mkdir(parents=True, exist_ok=True)
    with one_time_keys.fixed():
        for path in look_at(folder, tuple(options.only)) if options.look else draw_all(folder):
            print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
