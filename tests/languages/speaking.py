"""Everything that a person reads of a whole match, in any language: emails, tables, choices, refusals."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from pbem.base.language import Language
from pbem.game import IllegalAction, JsonObject, MalformedAction, Seat
from pbem.games import find_game
from pbem.player.letters.compose import compose
from pbem.player.letters.letter import Kind, Letter, who_hears
from pbem.player.letters.rendering import LetterContext
from pbem.player.letters.terminal import render_table
from pbem.player.pictures import draw
from pbem.player.play.history import Drawing
from pbem.player.play.menu import Menu
from pbem.player.play.phrases import Phrases
from pbem.player.play.trial import Trial
from tests.world import World

GAMES = (("wyatt-earp", 60), ("way-out-west", 60))
SEATS = ("anna", "burt", "curt")


@cache
def played(game: str, moves: int) -> tuple[World, tuple[int, ...]]:
    """A match of computer players, and where each of its files began."""
    world = World(game, SEATS)
    begun = [0]
    for act in (world.join, world.ready):
        for seat in world.seats:
            begun.append(world.head.seq + 1)
            act(seat)
    for _ in range(moves):
        begun.append(world.head.seq + 1)
        if not world.move():
            break
    return world, (*begun, world.head.seq + 1)


def letters(game: str, moves: int, language: Language, every: int = 1) -> Iterator[Letter]:
    """The emails of a match, all in one language."""
    world, begun = played(game, moves)
    record = world.copy()
    for first, after in list(pairwise(begun))[::every]:
        if after <= first:
            continue
        letter_context = LetterContext(record, after - 1, language)
        message = record.lines[first].body.get("msg")
        sender = Seat(message["body"]["seat"]) if message else None
        for seat, kind in who_hears(record, first, after - 1, sender):
            since = -1 if kind is Kind.INVITATION else max(first - 1, 0)
            yield compose(record, seat, after - 1, since, kind, letter_context=letter_context)


def tables(game: str, moves: int, language: Language) -> Iterator[str]:
    """The tables of ``show`` and ``play``, every hand among them, and the words of the picture."""
    world, _ = played(game, moves)
    record = world.copy()
    rules, names = record.rules, record.names
    for seat in record.seats:
        view = world.view(seat).view_json
        summary = rules.summary(record.public or {})
        yield render_table(
            game, view, rules.setup, names, summary, viewer=seat, colour=False, width=100, language=language
        )
        drawing = Drawing(record.game_info, rules, names, seat, language)
        yield _plain(drawing.compact_view(view, 100, roomy=True))
        yield _plain(drawing.compact_view(view, 100))
        drawn = draw(game, view, rules.setup, names, summary, viewer=seat, language=language)
        if drawn is not None:
            yield drawn.alt


def _plain(text: str) -> str:
    from rich.text import Text

    return Text.from_ansi(text).plain


def choices(game: str, moves: int, language: Language) -> Iterator[str]:
    """What ``play`` offers to whoever is asked, on the way through a match: labels, parts, effects, questions."""
    world = World(game, SEATS)
    world.start()
    for _ in range(moves):
        record = world.copy()
        if record.waiting is not None:
            yield from _offers(world, Seat(record.waiting["seat"]), language)
        if not world.move():
            break


def _offers(world: World, seat: Seat, language: Language) -> Iterator[str]:
    record, view = world.copy(), world.view(seat)
    phrases = Phrases(find_game(world.game), record.rules.setup, seat, record.names, language)
    trial = Trial(record.rules, seat, view.view)
    menu = Menu(phrases.ordered(trial.options))
    for entry in menu.entries:
        do = str(menu.left[0][0]["do"])
        yield phrases.entry(entry, do)
        if entry.action is not None:
            yield phrases.effect(trial, entry.action)
            yield phrases.question(entry.action)
            yield phrases.enough(entry.action)


def refusals(game: str, moves: int, language: Language) -> Iterator[str]:
    """Why actions of other moments are refused now."""
    world = World(game, SEATS)
    world.start()
    seen: list[JsonObject] = []
    for _ in range(moves):
        record = world.copy()
        if record.waiting is not None:
            view: Any = world.view(Seat(record.waiting["seat"])).view
            for action in seen[-60:]:
                try:
                    record.rules.check(view, record.rules.action_from_json(action))
                except (IllegalAction, MalformedAction) as fault:
                    yield language.translate(fault)
            seen += map(record.rules.action_to_json, record.rules.legal_actions(view))
            seen = seen[-400::3]
        if not world.move():
            break


def place() -> Path:
    """Where examples of each language are kept."""
    return Path(__file__).parents[2] / "examples" / "languages"
