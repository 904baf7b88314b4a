"""``pbem practice``: play at once, alone, against computer players."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.cli.clients import load_json
from pbem.cli.options import A_GAME, Colours, ColoursOption, Home, Lang, RuleOptions
from pbem.cli.pairs import pair
from pbem.cli.speech import spoken
from pbem.cli.training import practise
from pbem.player.practice import PracticePlan, lesson_plan

app = typer.Typer()


@app.command()
def practice(
    game: Annotated[
        str | None,
        typer.Argument(metavar="[GAME]", help=f"{A_GAME}; without it the newest match goes on."),
    ] = None,
    against: Annotated[
        int, typer.Option("--against", metavar="N", help="How many computer players.", min=1, max=4)
    ] = 2,
    level: Annotated[
        str,
        typer.Option(
            "--level",
            metavar="LEVEL",
            help="How well they play: easy, medium, strong or expert (slower: it searches).",
        ),
    ] = "medium",
    name: Annotated[str, typer.Option("--name", metavar="TEXT", help="Your name at the table.")] = "Anna",
    profile: Annotated[
        str, typer.Option("--profile", metavar="NAME", help="A named set of options, as for pbem host new.")
    ] = "default",
    option: RuleOptions = None,
    board: Annotated[
        Path | None, typer.Option("--board", metavar="FILE", help="A board file (Way Out West); a new match.")
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--folder", metavar="DIR", help="Where this match is kept, there or new."),
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
