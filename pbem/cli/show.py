"""``pbem show`` and ``pbem legal``: the table as it is or was, as text or as a picture, and what a seat may do."""

from __future__ import annotations

from typing import Annotated

import typer

from pbem.base.sentences import columns
from pbem.cli.clients import clock, lone_record, player_client, show_unanswered
from pbem.cli.console import answer, coloured, page_width, print_notice, write_output
from pbem.cli.options import HERE, KEYS, AsJson, GameArgument, Keys, Lang, Png
from pbem.cli.speech import spoken
from pbem.game import JsonObject
from pbem.player.seat.legal import legal_facts
from pbem.player.seat.order_answers import offered_then
from pbem.player.seat.show import drawing_of, look_of, public_look, text_and_facts

app = typer.Typer()


@app.command()
def show(
    game: GameArgument = HERE,
    at: Annotated[int | None, typer.Option(metavar="N", help="As it was after record N.")] = None,
    public: Annotated[bool, typer.Option("--public", help="What everybody sees; needs no identity.")] = False,
    png: Png = None,
    portrait: Annotated[
        bool, typer.Option("--portrait", help="The picture in the shape of a phone.")
    ] = False,
    lang: Lang = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Draw the table and your hand, each card opened and checked."""
    language = spoken(lang)
    look = (
        public_look(lone_record(game, keys.home), at)
        if public
        else look_of(player_client(game, keys), language, at)
    )
    if png is not None:
        drawn = drawing_of(look, language, portrait=portrait)
        write_output(png, drawn, private=not public, replace=True)
        return
    newest = look.record.head.at
    now = newest if at is not None else max(clock(), newest)
    text, facts = text_and_facts(look, language, now, width=page_width(), colour=coloured())
    answer(text.rstrip("\n"), facts, as_json=as_json)


@app.command()
def legal(game: GameArgument = HERE, lang: Lang = None, keys: Keys = KEYS, as_json: AsJson = False) -> None:
    """List your legal moves, as you would type them.

    Moves of one kind share a line. --json has every single one.
    """
    client, language = player_client(game, keys), spoken(lang)
    show_unanswered(client)
    facts = legal_facts(client, language)
    words = _legal_text(facts)
    offers, facts["then"] = offered_then(client, language)
    answer(words or facts["note"], facts, as_json=as_json)
    if offers and not as_json:  # beside the list, so that a pipe holds nothing but actions
        print_notice(offers)


def _legal_text(facts: JsonObject) -> str:
    """The legal actions as a person reads them."""
    if not facts["groups"]:
        return "\n".join(action["words"] for action in facts["legal"])
    return columns([(group["words"], group["says"]) for group in facts["groups"]])
