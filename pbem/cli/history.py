"""Commands that look back: replay a match step by step, and what one or many came to."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.cli.clients import player_client
from pbem.cli.console import answer, write_output
from pbem.cli.options import HERE, KEYS, AsJson, GameArgument, Keys, Lang, Png
from pbem.cli.replay_stats import Wish, counted, diary_text, note_in_diary, picture_of_stats, replayed
from pbem.cli.speech import spoken

app = typer.Typer()


@app.command()
def replay(
    game: GameArgument = HERE,
    start: Annotated[int, typer.Option("--from", metavar="N", help="Begin at record N.")] = 0,
    to: Annotated[
        int | None, typer.Option("--to", metavar="N", help="Print no further than record N.")
    ] = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="Print page after page; so it is in a pipe, too.")
    ] = False,
    public: Annotated[bool, typer.Option("--public", help="What everybody saw; needs no identity.")] = False,
    everything: Annotated[
        bool, typer.Option("--open", help="With all cards of epochs that are closed; needs no identity.")
    ] = False,
    lang: Lang = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Step through a match, move by move.

    Keys: n next, p back (or the arrows), g N go to, v other eyes, q quit.

    You see what you saw then: your own hand, if you hold the key of a seat.
    """
    wish = Wish(start, to, plain=plain, public=public, everything=everything, as_json=as_json)
    replayed(game, keys, wish, spoken(lang))


@app.command()
def diary(
    game: GameArgument,
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[WORDS...]", help="What to note; without words: read it.")
    ] = None,
    lang: Lang = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Keep notes on a match, sealed to you and never sent.

    Note words to yourself, or read them: they lie beside your copy.

    'pbem replay' shows them at their record, and 'pbem audit GAME --html FILE --diary' writes them into your own page.
    """
    language = spoken(lang)
    client = player_client(game, keys)
    text, facts = note_in_diary(client, " ".join(words), language) if words else diary_text(client, language)
    answer(text, facts, as_json=as_json)


@app.command()
def stats(
    games: Annotated[
        Path,
        typer.Argument(metavar="GAME|FOLDER", help="A match, or a folder with the game files of several."),
    ],
    png: Png = None,
    lang: Lang = None,
    as_json: AsJson = False,
) -> None:
    """Show results, luck, waiting times and sources of points. Needs no key."""
    language = spoken(lang)
    text, facts, summaries = counted(games, language)
    if png is None:
        answer(text.rstrip("\n"), facts, as_json=as_json)
        return
    for place, picture in picture_of_stats(summaries, png, language):
        write_output(place, picture, replace=True)
