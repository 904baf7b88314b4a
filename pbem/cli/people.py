"""Coming and going, on the player's side: away, a new key, a computer player."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.cli.console import answer
from pbem.cli.options import (
    Again,
    Armour,
    AsJson,
    GameArgument,
    Home,
    Lang,
    Output,
    PassphraseFile,
    Send,
    To,
    Who,
)

app = typer.Typer()
player = typer.Typer(help="A computer player, run by somebody who is not the host.", no_args_is_help=True)


@app.command()
def away(
    game: GameArgument,
    begin: Annotated[str, typer.Argument(metavar="FROM", help='2026-12-20, "2026-12-20 18:00", +3d or now.')],
    until: Annotated[str, typer.Argument(metavar="UNTIL", help="The same; a bare day counts to its end.")],
    again: Again = False,
    output: Output = None,
    as_armour: Armour = False,
    send: Send = False,
    to: To = None,
    lang: Lang = None,
    home: Home = None,
    who: Who = None,
    passphrase_file: PassphraseFile = None,
    as_json: AsJson = False,
) -> None:
    """Announce an absence. It moves what you are asked after it is recorded, never what you are asked now."""
    from pbem.cli.arrivals import absence
    from pbem.cli.desks import Keys, Post, hand_over, player_desk
    from pbem.cli.speech import spoken

    desk = player_desk(game, Keys(home, who, passphrase_file))
    signed = absence(desk, begin, until, again=again)
    post = Post(send, to, desk.copy.folder.path, home, desk.identity)
    hand_over(signed, output, as_armour=as_armour, language=spoken(lang), as_json=as_json, post=post)


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
    home: Home = None,
    who: Who = None,
    passphrase_file: PassphraseFile = None,
    as_json: AsJson = False,
) -> None:
    """Take your own seat over with a new identity: by the old one, by the recovery key, or by everybody's consent."""
    from pbem.cli.arrivals import consent_words, rekeyed
    from pbem.cli.desks import Keys, Post, hand_over
    from pbem.cli.speech import spoken

    keys = Keys(home, who, passphrase_file)
    if ask:
        words = consent_words(game, new, seat, keys)
        answer(
            f"{spoken(lang).gettext('Each of the others runs:')}\n  pbem consent GAME {' '.join(words)}",
            list(words),
            as_json=as_json,
        )
        return
    desk, signed = rekeyed(game, new, seat, paper, keys)
    post = Post(False, None, desk.copy.folder.path, home, desk.identity)
    hand_over(signed, output, as_armour=as_armour, language=spoken(lang), as_json=as_json, post=post)


@player.command()
def auto(
    game: GameArgument,
    again: Annotated[
        bool, typer.Option("--again", help="Answer once more what was answered already: the file was lost.")
    ] = False,
    output: Output = None,
    as_armour: Armour = False,
    send: Send = False,
    to: To = None,
    lang: Lang = None,
    home: Home = None,
    who: Who = None,
    passphrase_file: PassphraseFile = None,
    as_json: AsJson = False,
) -> None:
    """Sign what this seat is asked for now, as a sensible player would; refused with a host's identity.

    Run it whenever a letter has come, for example from cron. It signs one action at a time.
    """
    from pbem.cli.arrivals import computer_file
    from pbem.cli.desks import Keys, Post, hand_over
    from pbem.cli.speech import spoken

    desk, signed = computer_file(game, Keys(home, who, passphrase_file), again=again)
    if signed is None:
        answer(spoken(lang).gettext("Nothing to do: nobody waits for this seat."), None, as_json=as_json)
        return
    post = Post(send, to, desk.copy.folder.path, home, desk.identity)
    hand_over(signed, output, as_armour=as_armour, language=spoken(lang), as_json=as_json, post=post)
