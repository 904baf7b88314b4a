"""``pbem practice``: play at once, alone, against computer players."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from pbem.base.errors import UsageProblem
from pbem.base.language import Language
from pbem.base.sentences import sentence
from pbem.cli.clients import clock, load_json
from pbem.cli.console import print_notice
from pbem.cli.options import A_GAME, Colours, ColoursOption, Home, Lang, RuleOptions
from pbem.cli.speech import spoken
from pbem.game import Json
from pbem.player.play.background import ask_terminal, is_light
from pbem.player.practice import Practice, PracticePlan, PracticeSession, lesson_plan
from pbem.player.practice.match import fresh, holds_match, newest
from pbem.player.store.keyring import default_home

app = typer.Typer()


@app.command()
def practice(
    game: Annotated[
        str | None, typer.Argument(metavar="[GAME]", help=f"{A_GAME}; without it the newest match goes on.")
    ] = None,
    against: Annotated[int, typer.Option(metavar="N", help="How many computer players.", min=1, max=4)] = 2,
    level: Annotated[str, typer.Option(metavar="LEVEL", help="How well they play: easy or strong.")] = "easy",
    name: Annotated[str, typer.Option(metavar="TEXT", help="Your name at the table.")] = "Anna",
    profile: Annotated[
        str, typer.Option(metavar="NAME", help="A named set of options, as for pbem host new.")
    ] = "default",
    option: RuleOptions = None,
    board: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A board file (Way Out West); a new match.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where this match is kept, there or new.")
    ] = None,
    new: Annotated[bool, typer.Option("--new", help="Begin a new match, even if one goes on.")] = False,
    lesson: Annotated[
        bool,
        typer.Option(
            "--lesson", help="A first lesson: ten minutes of a real hand, with words at every step."
        ),
    ] = False,
    colours: ColoursOption = Colours.AUTO,
    lang: Lang = None,
    home: Home = None,
) -> None:
    """Play at once against the computer; nothing is sent. Nothing to set up, and it is kept between sittings."""
    options = dict(pair(text) for text in option or ())
    plan = None
    if lesson:
        plan = lesson_plan(game or "wyatt-earp", name)
    elif game is not None:
        setup = {} if board is None else {"board": load_json(board)}
        plan = PracticePlan(game, against, level, name, profile, options, setup=setup)
    light = None if colours is Colours.AUTO else colours is Colours.LIGHT
    practise(plan, folder, home, spoken(lang), new=new or board is not None, light=light)


# --- what ``pbem practice`` needs of the world: a folder, chance, a clock, a terminal ---------------------


def practise(
    plan: PracticePlan | None,
    folder: Path | None,
    home: Path | None,
    language: Language,
    *,
    new: bool,
    light: bool | None,
) -> None:
    """Begin or go on, and run the client until the player leaves."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageProblem(sentence("pbem practice needs a terminal"))
    practice = opened(plan, folder, home or default_home(os.environ), new=new)
    from pbem.player.practice.app import PracticeApp

    session = PracticeSession(practice, language)
    colour = not os.environ.get("NO_COLOR")
    PracticeApp(
        session, light=is_light(os.environ, ask_terminal()) if light is None else light, colour=colour
    ).run()
    print_notice(sentence("The match is kept: pbem practice --folder {folder}", folder=practice.folder.path))


def opened(plan: PracticePlan | None, folder: Path | None, home: Path, *, new: bool) -> Practice:
    """The match in ``folder``, else the newest of the game that is not over, else a new one."""
    matches = home / "practice"
    path = folder if folder is not None and holds_match(folder) else None
    kind = "" if plan is None else f"lesson-{plan.game}" if plan.lesson else plan.game
    if folder is None and not new:
        path = newest(matches, kind)
    if path is not None and not new:
        practice = Practice(path, os.urandom, clock)
        if folder is not None or not practice.record.over:
            practice.go_on()
            return practice
    wanted = plan or PracticePlan("wyatt-earp")
    place = folder or fresh(matches, kind or wanted.game)
    return Practice.begin(place, wanted, os.urandom, clock)


# --- what a person types as ``KEY=VALUE`` -----------------------------------------------------------------


def pair(text: str) -> tuple[str, Json]:
    """``KEY=VALUE``; the value as JSON where it is some, else as text."""
    key, sign, value = text.partition("=")
    if not sign or not key:
        raise UsageProblem(sentence("expected KEY=VALUE, found {text!r}", text=text))
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value
