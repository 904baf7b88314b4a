"""``pbem show``: the table as it is or was, as text or as a picture."""

from __future__ import annotations

from typing import Annotated

import typer

from pbem.cli.console import answer, coloured, page_width, write_output
from pbem.cli.desks import clock, lone_record, player_desk
from pbem.cli.options import HERE, KEYS, AsJson, GameArgument, Keys, Lang, Png
from pbem.cli.speech import spoken
from pbem.player.seat.show import drawing_of, look_of, public_look, told_of

app = typer.Typer()


@app.command()
def show(
    game: GameArgument = HERE,
    at: Annotated[int | None, typer.Option("--at", metavar="N", help="As it was after record N.")] = None,
    public: Annotated[bool, typer.Option("--public", help="What everybody sees; needs no identity.")] = False,
    png: Png = None,
    portrait: Annotated[
        bool, typer.Option("--portrait", help="The picture in the shape of a phone.")
    ] = False,
    lang: Lang = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Draw the table, and your own hand beside it, opened and checked card by card."""
    language = spoken(lang)
    look = (
        public_look(lone_record(game, keys.home), at)
        if public
        else look_of(player_desk(game, keys), language, at)
    )
    if png is not None:
        drawn = drawing_of(look, language, portrait=portrait)
        write_output(png, drawn, private=not public, replace=True)
        return
    newest = look.record.head.at
    now = newest if at is not None else max(clock(), newest)
    text, facts = told_of(look, language, now, width=page_width(), colour=coloured())
    answer(text.rstrip("\n"), facts, as_json=as_json)
