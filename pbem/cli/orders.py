"""``pbem orders``: standing orders listed, tested, changed, withdrawn."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.cli.clients import load_json, player_client, sign
from pbem.cli.console import answer, print_notice
from pbem.cli.options import HANDOVER, HERE, KEYS, AsJson, GameArgument, Handover, Keys, Lang
from pbem.cli.posting import hand_over
from pbem.cli.speech import spoken
from pbem.player.seat.order_answers import Change, changed, listing, vocabulary, would

app = typer.Typer()


@app.command()
def orders(
    game: GameArgument = HERE,
    add: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORDS",
            help='One more rule, in words: "when react do wyatt-earp if reward at least 5000"; may be repeated.',
        ),
    ] = None,
    preset: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Ready-made rules in place of those for the same question."),
    ] = None,
    remove: Annotated[int | None, typer.Option(metavar="N", help="Take out rule N of the list.")] = None,
    set_file: Annotated[
        Path | None, typer.Option("--set", metavar="FILE", help="Replace all rules by these, as JSON.")
    ] = None,
    withdraw: Annotated[bool, typer.Option("--withdraw", help="No more orders.")] = False,
    test: Annotated[
        bool, typer.Option("--test", help="What would they do now? Nothing is changed or signed.")
    ] = False,
    later: Annotated[
        bool,
        typer.Option(
            "--next", help="Keep the change for your next turn file, instead of signing one for it."
        ),
    ] = False,
    words: Annotated[bool, typer.Option("--words", help="List what --add accepts.")] = False,
    handover: Handover = HANDOVER,
    lang: Lang = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Show your standing orders; change, test or withdraw them. Also shows what each would do now.

    Orders travel sealed: nobody but the host can read them before they are opened. Each file holds all of them, so a
    change needs a file; --next lets it travel with your next turn.
    """
    language = spoken(lang)
    client = player_client(game, keys)
    if words:
        text, facts = vocabulary(client, language)
        return answer(text, facts, as_json=as_json)
    change = Change(
        load_json(set_file) if set_file else None, tuple(preset or ()), tuple(add or ()), remove, withdraw
    )
    order, notes = changed(client, change)
    for note in notes:
        print_notice(note)
    if test:
        text, facts = would(client, order, language)
        return answer(text, facts, as_json=as_json)
    if not change.asked:
        text, facts = listing(client, language)
        return answer(text, facts, as_json=as_json)
    if later:
        client.own_orders.plan(order)
        text, facts = listing(client, language)
        return answer(text, facts, as_json=as_json)
    signed = sign(client, lambda _: client.turn(orders=order), again=False)
    return hand_over(client, signed, handover, keys.home, language, as_json=as_json)
