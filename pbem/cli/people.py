"""Coming and going, on the player's side: away, a new key, a computer that stands in."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.base.sentences import joined, sentence
from pbem.cli.arrivals import absence, consent_words, rekeyed
from pbem.cli.clients import player_client
from pbem.cli.console import answer
from pbem.cli.options import (
    HANDOVER,
    KEYS,
    Again,
    Armour,
    AsJson,
    GameArgument,
    Handover,
    Keys,
    Lang,
    Output,
)
from pbem.cli.posting import hand_over
from pbem.cli.speech import spoken

app = typer.Typer()


@app.command()
def away(
    game: GameArgument,
    begin: Annotated[str, typer.Argument(metavar="FROM", help='2026-12-20, "2026-12-20 18:00", +3d or now.')],
    until: Annotated[str, typer.Argument(metavar="UNTIL", help="The same; a bare day counts to its end.")],
    again: Again = False,
    handover: Handover = HANDOVER,
    lang: Lang = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Say when you will be away.

    It moves what you are asked after it is recorded, never what you are asked now.
    """
    client = player_client(game, keys)
    signed = absence(client, begin, until, again=again)
    hand_over(client, signed, handover, keys.home, spoken(lang), as_json=as_json)


@app.command()
def rekey(
    game: GameArgument,
    new: Annotated[str, typer.Option("--new", metavar="NAME|FILE", help="The new identity (pbem id new).")],
    seat: Annotated[
        str | None, typer.Option("--seat", metavar="SEAT", help="Your seat, if the old identity is lost.")
    ] = None,
    paper: Annotated[
        Path | None,
        typer.Option(
            "--recovery", metavar="FILE", help="The recovery key's text, if the old identity is lost."
        ),
    ] = None,
    new_paper: Annotated[
        bool,
        typer.Option(
            "--new-paper",
            help="The new identity's paper takes the old one's place after 72 hours or more.",
        ),
    ] = False,
    ask: Annotated[
        bool, typer.Option("--ask", help="Both are lost: print what all the others must consent to.")
    ] = False,
    output: Output = None,
    as_armour: Armour = False,
    lang: Lang = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Replace the keys of your seat. By the old identity, the recovery key, or everybody's consent."""
    if ask:
        words = consent_words(game, new, seat, keys)
        answer(
            joined((sentence("Each of the others runs:"), f"  pbem consent GAME {' '.join(words)}"), "\n"),
            list(words),
            as_json=as_json,
        )
        return
    client, signed = rekeyed(game, new, seat, paper, keys, new_paper=new_paper)
    hand_over(client, signed, Handover(output, as_armour), keys.home, spoken(lang), as_json=as_json)
