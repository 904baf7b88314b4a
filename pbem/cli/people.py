"""Coming and going, on the player's side: away, a new key, a computer that stands in."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.cli.console import answer
from pbem.cli.options import (
    HANDOVER,
    HERE,
    KEYS,
    Again,
    Armour,
    AsJson,
    GameArgument,
    Handover,
    Keys,
    Lang,
    Output,
    To,
)

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
    """Announce an absence. It moves what you are asked after it is recorded, never what you are asked now."""
    from pbem.cli.arrivals import absence
    from pbem.cli.desks import player_desk
    from pbem.cli.posting import hand_over
    from pbem.cli.speech import spoken

    desk = player_desk(game, keys)
    signed = absence(desk, begin, until, again=again)
    hand_over(desk, signed, handover, keys.home, spoken(lang), as_json=as_json)


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
    ask: Annotated[
        bool, typer.Option("--ask", help="Both are lost: print what all the others must consent to.")
    ] = False,
    output: Output = None,
    as_armour: Armour = False,
    lang: Lang = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Take your own seat over with a new identity: by the old one, by the recovery key, or by everybody's consent."""
    from pbem.base.sentences import joined, sentence
    from pbem.cli.arrivals import consent_words, rekeyed
    from pbem.cli.posting import hand_over
    from pbem.cli.speech import spoken

    if ask:
        words = consent_words(game, new, seat, keys)
        answer(
            joined((sentence("Each of the others runs:"), f"  pbem consent GAME {' '.join(words)}"), "\n"),
            list(words),
            as_json=as_json,
        )
        return
    desk, signed = rekeyed(game, new, seat, paper, keys)
    hand_over(desk, signed, Handover(output, as_armour), keys.home, spoken(lang), as_json=as_json)


@app.command("stand-in")
def stand_in(
    game: GameArgument = HERE,
    until: Annotated[
        str | None,
        typer.Option(
            "--until", metavar="TIME", help="2026-12-05 (to its end), +3d; without it to the match's end."
        ),
    ] = None,
    level: Annotated[
        str,
        typer.Option(
            "--level", metavar="LEVEL", help="How well it plays: a name or number of pbem practice."
        ),
    ] = "strong",
    never_go_out: Annotated[
        bool, typer.Option("--never-go-out", help="Wyatt Earp: it ends no hand while it has another choice.")
    ] = False,
    every: Annotated[
        int,
        typer.Option("--every", metavar="MINUTES", help="How often it looks for letters.", min=1, max=1440),
    ] = 5,
    once: Annotated[
        bool, typer.Option("--once", help="Answer what is asked now, one action, and end: for cron.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Answer once more what was answered already: the file was lost.")
    ] = False,
    output: Output = None,
    to: To = None,
    lang: Lang = None,
    keys: Keys = KEYS,
) -> None:
    """Let a computer play for you for a time, or for good in a computer's own seat; never with a host's identity.

    It fetches and mails by your mail.toml; without one it takes in what lies in the folder and writes its files there.
    Every file says openly that a computer made it. As soon as you act yourself, from any device, it stops. What it did
    stands in stand-in.txt, and comes to you by mail at the end.
    """
    from pbem.cli.speech import spoken
    from pbem.cli.standing_in import answer_once, keep_playing
    from pbem.player.play.seat_watch import StandInWishes

    wishes = StandInWishes(until or "", level, never_go_out, to)
    if once:
        answer_once(game, keys, wishes, output, spoken(lang), again=again)
    else:
        keep_playing(game, keys, wishes, output, spoken(lang), minutes=every)
