"""A lesson played through on the screen by keys, as a person plays it; who wants sees every step."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from textual.pilot import Pilot

from pbem.base.language import ENGLISH, Language
from pbem.game import JsonObject
from pbem.player.play.choices import Do
from pbem.player.play.matters import TextScreen
from pbem.player.play.panels import Choosing
from pbem.player.practice import Practice, PracticeSession, lesson_plan
from pbem.player.practice.app import PracticeApp
from pbem.player.world import SeededEntropy

START = "2026-11-22T09:00:00Z"
See = Callable[[PracticeApp, int], Awaitable[None]]
"""Called at every step with the app, the lesson's words open over it; behind the last step once more."""


def begin(folder: Path, game: str, seed: str = "1", language: Language = ENGLISH) -> PracticeSession:
    """A lesson that was just begun."""
    practice = Practice.begin(folder, lesson_plan(game), SeededEntropy(seed, "any"), lambda: START)
    return PracticeSession(practice, language)


async def play_through(session: PracticeSession, see: See, size: tuple[int, int] = (80, 24)) -> None:
    """Every step: read, close, choose, send."""
    lesson = session.practice.lesson
    assert lesson is not None
    app = PracticeApp(session)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        for at in range(session.practice.lesson_at(), len(lesson.steps)):
            await pilot.pause()
            assert session.practice.lesson_at() == at, lesson.steps[at].action
            await see(app, at)
            assert isinstance(app.screen, TextScreen)
            await pilot.press("escape")
            await choose(pilot, app, lesson.steps[at].action)
            assert session.trial is not None
            assert list(session.trial.actions) == [lesson.steps[at].action]
            await pilot.press("s")
            await pilot.pause()
        await see(app, len(lesson.steps))
        assert isinstance(app.screen, TextScreen)
        await pilot.press("escape")
        await pilot.pause()


def fits(chosen: JsonObject | None, action: JsonObject) -> bool:
    """Whether this choice is the action, or the action with less said in advance."""
    return chosen is not None and all(action.get(name) == value for name, value in chosen.items())


async def choose(pilot: Pilot[None], app: PracticeApp, action: JsonObject) -> None:
    """Find an action in the list, going into its menus, and take it; all by keys."""
    choosing = app.query_one(Choosing)
    for _ in range(6):
        await pilot.pause()
        rows, trial = app.choices.rows(), app.session.trial
        if trial is None or trial.actions or isinstance(app.screen, TextScreen):
            return
        menu = app.choices._menus[-1] if app.choices._menus else app.choices._menu(trial)
        wanted = next(
            (
                at
                for at, row in enumerate(rows)
                if (row.do is Do.ACTION and fits(row.action, action))
                or (
                    row.do is Do.OPEN
                    and row.entry is not None
                    and row.entry.part is not None
                    and any(fits(part, action) for part, _ in menu.open(row.entry.part).left)
                )
            ),
            None,
        )
        assert wanted is not None, (action, [(row.do, row.action) for row in rows])
        choosing.highlighted = wanted
        choosing.focus()
        await pilot.press("enter")
    await pilot.pause()
