"""``pbem play``: the terminal client."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.cli.interactive import sit_down
from pbem.cli.options import KEYS, Colours, ColoursOption, Keys, Lang, To
from pbem.cli.speech import spoken

app = typer.Typer()


@app.command()
def play(
    game: Annotated[
        Path,
        typer.Argument(
            metavar="GAME",
            help="Your copy: a game file, its folder (letters in it are taken in), or a letter; otherwise this folder.",
        ),
    ] = Path(),
    folder: Annotated[
        Path | None,
        typer.Option("--folder", metavar="DIR", help="Where files are written, if not beside your copy."),
    ] = None,
    colours: ColoursOption = Colours.AUTO,
    lang: Lang = None,
    to: To = None,
    keys: Keys = KEYS,
) -> None:
    """Play: see the table and your hand, choose a turn, send it.

    You look at it whole before it is written or sent.
    """
    light = None if colours is Colours.AUTO else colours is Colours.LIGHT
    language = spoken(lang)
    sit_down(game, keys, language, folder=folder, light=light, to=to)
