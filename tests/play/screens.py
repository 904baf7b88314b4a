"""Pictures of every screen, for ``examples/screens``: ``python -m tests.play.screens``.

Each is an SVG as Textual exports it, with the machine's own monospace font instead of one from the web; a PNG of each
can be made beside it to look at (``--png FOLDER``).
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen as ShownScreen

from pbem.base.language import ENGLISH, Language
from pbem.player.play import Post
from pbem.player.play.app import PlayApp
from pbem.player.play.panels import Choosing
from pbem.player.practice import Practice, PracticePlan, PracticeSession
from pbem.player.practice.app import PracticeApp
from pbem.player.practice.match import games_with_lessons
from pbem.player.world import SeededEntropy
from tests import one_time_keys
from tests.patience import PATIENCE
from tests.play.player_session import Chair, until
from tests.practice.lessons import begin, play_through
from tests.world import START, World

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "screens"
SIZES = {"80x24": (80, 24), "120x40": (120, 40)}
Steps = Callable[["Pilot[None]"], Awaitable[None]]


@dataclass(frozen=True)
class Screen:
    """One picture: a position, and what is pressed before it is taken."""

    name: str
    place: str
    steps: Steps
    both: bool = True
    """Dark and light; else dark only."""


async def _nothing(pilot: Pilot[None]) -> None:
    await pilot.press("1")


def keys(*pressed: str) -> Steps:
    """Press these keys on the turn page."""

    async def press(pilot: Pilot[None]) -> None:
        await pilot.press("1", *pressed)

    return press


def take(*labels: str, then: Sequence[str] = ()) -> Steps:
    """Take the rows that begin so, one after the other."""

    async def press(pilot: Pilot[None]) -> None:
        await pilot.press("1")
        for label in labels:
            await choose(pilot, label)
        await pilot.press(*then)

    return press


async def choose(pilot: Pilot[None], beginning: str) -> None:
    """Highlight the first row that begins so, and take it."""
    await pilot.pause()
    choosing = pilot.app.query_one(Choosing)
    labels = [str(choosing.get_option_at_index(at).prompt) for at in range(choosing.option_count)]
    positions = [at for at, label in enumerate(labels) if label.startswith(beginning)]
    assert positions, (beginning, labels)
    choosing.highlighted = positions[0]
    choosing.focus()
    await pilot.press("enter")
    await pilot.pause()


SCREENS = [
    Screen("turn", "wyatt-earp", _nothing),
    Screen("turn-draw", "wyatt-earp-draw", _nothing, both=False),
    Screen("look", "wyatt-earp-draw", take("Draw two"), both=False),
    Screen("table", "wyatt-earp", keys("2")),
    Screen("story", "wyatt-earp", keys("3", "left"), both=False),
    Screen(
        "send",
        "wyatt-earp",
        take("Lay 3 Butch", "Discard Stagecoach", then=["s"]),
        both=False,
    ),
    Screen("orders", "wyatt-earp", keys("o"), both=False),
    Screen("help", "wyatt-earp", keys("question_mark"), both=False),
    Screen("turn", "way-out-west", _nothing),
    Screen("auction", "way-out-west-auction", _nothing, both=False),
    Screen("build", "way-out-west", take("Build"), both=False),
    Screen("gunfight", "way-out-west-gunfight", _nothing, both=False),
    Screen("table", "way-out-west", keys("2"), both=False),
    Screen("story", "way-out-west", keys("3", "left"), both=False),
    Screen("talk", "way-out-west", keys("t"), both=False),
]
PLACES: dict[str, Callable[[], tuple[World, str]]] = {
    "wyatt-earp": lambda: (until(_world("wyatt-earp", 3), "anna", "play", 25, "lay"), "anna"),
    "wyatt-earp-draw": lambda: (until(_world("wyatt-earp", 4), "burt", "draw", 20), "burt"),
    "way-out-west": lambda: (until(_world("way-out-west", 3), "anna", "actions", 60, "gunfight"), "anna"),
    "way-out-west-auction": lambda: (until(_world("way-out-west", 5), "curt", "auction", 60), "curt"),
    "way-out-west-gunfight": lambda: (until(_world("way-out-west", 4, "2"), "anna", "gunfight"), "anna"),
}


def _world(game: str, seats: int, seed: str = "1") -> World:
    return World(game, ("anna", "burt", "curt", "dora", "emil")[:seats], seed=seed).start()


def draw(screens: Sequence[Screen] = SCREENS) -> dict[str, str]:
    """Every picture by its file name."""
    pictures: dict[str, str] = {}
    places = {name: PLACES[name]() for name in {screen.place for screen in screens}}
    for screen in screens:
        world, seat = places[screen.place]
        game = (
            screen.place.rsplit("-", 1)[0]
            if screen.place not in ("wyatt-earp", "way-out-west")
            else screen.place
        )
        for size, light in [(s, on) for s in SIZES for on in ((False, True) if screen.both else (False,))]:
            name = f"{game}-{screen.name}-{size}-{'light' if light else 'dark'}.svg"
            pictures[name] = asyncio.run(picture(world, seat, screen.steps, SIZES[size], light=light))
    return pictures


def draw_practice() -> dict[str, str]:
    """``pbem practice``: a turn, and a hint for it, of each game."""
    members = {}
    for game, steps in (("wyatt-earp", 4), ("way-out-west", 6)):
        for name, pressed in (("turn", ("1",)), ("hint", ("1", "i"))):
            members[f"practice-{game}-{name}-80x24-dark.svg"] = asyncio.run(_practised(game, steps, pressed))
    return members


async def _practised(game: str, steps: int, pressed: Sequence[str]) -> str:
    """A practice match after some files of the person, chosen by the hint."""
    with tempfile.TemporaryDirectory() as folder:
        plan = PracticePlan(game, 2, "easy")
        practice = Practice.begin(Path(folder) / "match", plan, SeededEntropy("7", game), lambda: START)
        session = PracticeSession(practice)
        for _ in range(steps):
            assert session.trial is not None
            best = practice.adviser().choose(session.trial.now)
            session.add(practice.record.rules.action_to_json(best))
            session.leave()
        app = PracticeApp(session)
        async with at_screen(app, SIZES["80x24"]) as pilot:
            await pilot.pause()
            await pilot.press(*pressed)
            await pilot.pause()
            svg = app.export_screenshot(title="pbem practice")
    return own_font(svg)


def draw_lessons() -> dict[str, str]:
    """Every step of both first lessons, and the last words."""
    pictures: dict[str, str] = {}
    for game in games_with_lessons():

        async def see(app: PracticeApp, at: int, game: str = game) -> None:
            svg = app.export_screenshot(title="pbem practice --lesson")
            pictures[f"lesson-{game}-{at + 1:02}-80x24-dark.svg"] = own_font(svg)

        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(play_through(begin(Path(folder) / "match", game), see))
    return pictures


async def picture(
    world: World,
    seat: str,
    steps: Steps,
    size: tuple[int, int],
    *,
    light: bool,
    language: Language = ENGLISH,
) -> str:
    """One screen as SVG."""
    with tempfile.TemporaryDirectory() as folder:
        session = Chair(world, seat, Path(folder) / seat).session(language=language)
        session.post = Post(Path("saturday"))
        app = PlayApp(session, light=light)
        async with at_screen(app, size) as pilot:
            await pilot.pause()
            await steps(pilot)
            await pilot.pause()
            svg = app.export_screenshot(title="pbem play")
    return own_font(svg)


@asynccontextmanager
async def at_screen(app: App[None], size: tuple[int, int]) -> AsyncIterator[Pilot[None]]:
    """The app at a screen of this size; on a busy machine more than the library's 30 seconds for what follows a key."""
    async with app.run_test(size=size) as pilot:
        pilot._wait_for_screen = partial(pilot._wait_for_screen, PATIENCE)  # type: ignore[method-assign]
        yield pilot


def text_of(app: PlayApp, screen: ShownScreen[Any] | None = None) -> str:
    """What the screen shows, line by line; ``screen`` may be one that lies under a dialog."""
    strips = (screen or app.screen)._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)


def own_font(svg: str) -> str:
    """Without fonts from the web: the reader's own monospace font."""
    svg = re.sub(r"@font-face\s*\{[^}]*\}", "", svg)
    svg = re.sub(r"font-family: ?[^;]*;", "font-family: DejaVu Sans Mono, Menlo, Consolas, monospace;", svg)
    svg = re.sub(r"<!-- Generated with Rich .*?-->", "", svg)
    return "\n".join(line.rstrip() for line in svg.splitlines() if line.strip()) + "\n"


def main() -> None:
    """Write them all; with ``--png FOLDER`` also as PNG."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    wanted = sys.argv[sys.argv.index("--png") + 1] if "--png" in sys.argv else ""
    only = sys.argv[-1] if len(sys.argv) > 1 and sys.argv[-1] != wanted else ""
    chosen = [screen for screen in SCREENS if only in f"{screen.place}/{screen.name}"]
    with one_time_keys.fixed():
        drawn = draw(chosen) | (draw_practice() if only in "practice" else {})
        drawn |= draw_lessons() if only in "lesson" else {}
    for name, svg in drawn.items():
        (FOLDER / name).write_text(svg)
        if wanted:
            import resvg_py

            raw = bytes(resvg_py.svg_to_bytes(svg_string=svg))
            (Path(wanted) / name.replace(".svg", ".png")).write_bytes(raw)


if __name__ == "__main__":
    main()
