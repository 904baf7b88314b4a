"""Practice knows no time and no email: nothing on its screen mentions a deadline, a date, an address or sending."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

from pbem.base.errors import StoreError
from pbem.base.language import ENGLISH, Language, language_of
from pbem.player.practice import Practice, PracticePlan, PracticeSession
from pbem.player.practice.app import PracticeApp
from pbem.player.seat import Signed
from pbem.player.world import SeededEntropy
from tests.play.screens import text_of
from tests.practice.words import speaks_of

START = "2026-11-21T18:00:00Z"
PHASES = {
    "wyatt-earp": {"draw", "play", "choose", "react"},
    "way-out-west": {"setup", "auction", "actions", "gunfight"},
}
MOVES = 400
KEYS = (
    ("1",),
    ("2",),
    ("end",),
    ("3",),
    ("left",),
    ("1", "question_mark"),
    ("end",),
    ("escape", "t"),
    ("s",),
    ("i",),
    ("escape", "v"),
    ("escape", "o"),
    ("escape", "1"),
)
"""Every page and dialog that a key leads to."""
PAGES = KEYS[:5]


def practised(folder: Path, game: str, language: Language = ENGLISH) -> PracticeSession:
    plan = PracticePlan(game, 2, "easy")
    return PracticeSession(Practice.begin(folder, plan, SeededEntropy("2", game), lambda: START), language)


def pages(session: PracticeSession, every: tuple[tuple[str, ...], ...]) -> list[str]:
    """What a terminal of 80 by 24 shows, after each of these keys."""
    shown: list[str] = []

    async def main() -> None:
        app = PracticeApp(session)
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            shown.append(text_of(app))
            for keys in every:
                await pilot.press(*keys)
                await pilot.pause()
                shown.append(text_of(app))

    asyncio.run(main())
    return shown


@pytest.mark.parametrize("game", sorted(PHASES))
def test_no_screen_of_practice_has_a_word_of_time_or_of_mail(tmp_path: Path, game: str) -> None:
    session = practised(tmp_path / "match", game)
    chance = random.Random(1)
    seen: set[str] = set()
    for _ in range(MOVES):
        waiting = session.record.waiting
        assert waiting is not None, seen
        if waiting["phase"] not in seen:
            seen.add(str(waiting["phase"]))
            for code in ("en", "de"):
                looking = PracticeSession(session.practice, language_of(code))
                assert speaks_of(looking.waiting.until())  # a deadline runs; it is not shown
                for shown in pages(looking, PAGES if len(seen) > 1 else KEYS):
                    assert not speaks_of(shown), shown
        if seen == PHASES[game]:
            break
        assert session.trial is not None
        legal = session.trial.options
        action = chance.choice([action for action in legal if action["do"] != "discard"] or legal)
        session.practice.play(session.practice.client().turn([action]).raw)
        session.refresh()
    assert seen == PHASES[game]


def test_what_is_said_in_advance_leaves_at_once_too(tmp_path: Path) -> None:
    """Changed standing orders, with a choice or alone; nobody is asked how they are to leave."""
    session = practised(tmp_path / "match", "wyatt-earp")

    async def main() -> None:
        app = PracticeApp(session)
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            await pilot.press("enter")
            assert session.offers()
            await pilot.press("a")
            await pilot.pause()
            assert session.orders_changed
            await pilot.press("s")
            await pilot.pause()
            assert len(app.screen_stack) == 1
            assert session.client.own_orders.planned() is None
            assert session.has_orders

    asyncio.run(main())


def test_a_file_that_did_not_get_to_the_host_leaves_at_once_when_it_is_taken(tmp_path: Path) -> None:
    session = practised(tmp_path / "match", "wyatt-earp")

    def full(_: Signed) -> str:
        raise StoreError("no space left on the disk")

    async def main() -> None:
        assert session.trial is not None
        session.add(session.trial.options[0])
        before = session.record.head.seq
        post = session.post
        session.post = type(post)(post.folder, send=full)
        with pytest.raises(StoreError):
            session.leave()
        session.post = post
        app = PracticeApp(session)
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            assert len(session.unanswered) == 1
            assert not speaks_of(text_of(app))
            app.action_deliver()
            await pilot.pause()
            assert len(app.screen_stack) == 1
        assert session.unanswered == []
        assert session.record.head.seq > before

    asyncio.run(main())
