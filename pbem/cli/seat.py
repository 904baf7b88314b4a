"""The player's commands: join, ready, show, legal, turn, say, consent, update, check."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.base.sentences import counted
from pbem.cli.arrivals import on_paper
from pbem.cli.clients import load_json, player_client, sign
from pbem.cli.console import answer
from pbem.cli.moves import (
    actions_from,
    joined,
    show_roster,
    tells_from,
    update_text,
    updated,
)
from pbem.cli.options import (
    HANDOVER,
    HERE,
    KEYS,
    Again,
    AsJson,
    GameArgument,
    Handover,
    Home,
    Keys,
    Lang,
    Send,
    To,
)
from pbem.cli.pieces import give_lines
from pbem.cli.posting import Sending, hand_over
from pbem.cli.speech import spoken
from pbem.host.zones import zone_named
from pbem.player.seat import find_copy
from pbem.player.seat.consents import consent_to
from pbem.player.seat.joining import JoinWishes
from pbem.player.seat.order_answers import in_advance

if TYPE_CHECKING:
    from pbem.player.seat import Signed

app = typer.Typer()

Actions = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="ACTION...",
        help='One action in words (draw supply), several in quotes ("draw supply" "lay 3 jesse-james") or'
        " with a + between them, JSON objects, or - to read one a line from standard input.",
    ),
]


@app.command()
def join(
    invite: Annotated[
        Path, typer.Argument(metavar="INVITE", help="The invitation: its letter, or record 0.")
    ],
    seat: Annotated[
        str | None, typer.Option("--seat", metavar="SEAT", help="The seat to take; a letter names it.")
    ] = None,
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="TEXT", help="Your name at the table, if not your identity's."),
    ] = None,
    mail: Annotated[
        str | None, typer.Option("--mail", metavar="ADDRESS", help="Your address, sealed to the host.")
    ] = None,
    lang: Annotated[
        str | None,
        typer.Option(
            "--lang",
            metavar="CODE",
            help="The language of your letters: en, fr, it or de; otherwise as PBEM_LANG or LANG say.",
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--folder", metavar="DIR", help="Where to keep your copy, if not beside INVITE."),
    ] = None,
    substitute: Annotated[
        bool, typer.Option("--substitute", help="Take over a seat that somebody else held.")
    ] = False,
    computer: Annotated[
        bool, typer.Option("--computer", help="A computer plays this seat (pbem stand-in); its name says so.")
    ] = False,
    word: Annotated[
        str | None, typer.Option("--word", metavar="WORD", help="The one-time word of a mailed invitation.")
    ] = None,
    zone: Annotated[
        str | None,
        typer.Option(
            "--zone",
            metavar="ZONE",
            help="The time zone you read times in, like Europe/Berlin; everybody can read it.",
        ),
    ] = None,
    again: Again = False,
    handover: Handover = HANDOVER,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Take the seat that an invitation offers. Send the file to the host."""
    if zone is not None:
        zone_named(zone)
    wishes = JoinWishes(name, lang, mail, zone, computer)
    client, signed = joined(invite, folder, keys, seat, wishes, substitute=substitute, word=word, again=again)
    hand_over(client, signed, handover, keys.home, spoken(lang), as_json=as_json)


@app.command()
def ready(
    game: GameArgument = HERE,
    handover: Handover = HANDOVER,
    paper: Annotated[
        Path | None,
        typer.Option(
            "--recovery",
            metavar="FILE",
            help="After a rekey: the paper of the old identity, which owes this.",
        ),
    ] = None,
    again: Again = False,
    lang: Lang = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Agree to the player list, with your part of the shuffle.

    Compare the fingerprints with your friends first.
    """
    client = player_client(game, keys)
    old = None if paper is None else on_paper(paper)
    signed = sign(client, lambda yes: client.ready(old, again=yes), again=again)
    show_roster(client)
    hand_over(client, signed, handover, keys.home, spoken(lang), as_json=as_json)


@app.command()
def turn(
    game: GameArgument = HERE,
    actions: Actions = None,
    handover: Handover = HANDOVER,
    talk: Annotated[str, typer.Option("--say", metavar="TEXT", help="Table talk, for everybody.")] = "",
    tell: Annotated[
        list[str] | None,
        typer.Option("--tell", metavar="SEAT=TEXT", help="A private word, sealed to one seat; repeat it."),
    ] = None,
    orders: Annotated[
        Path | None,
        typer.Option("--orders", metavar="FILE", help="Your standing orders from now on, as JSON (sealed)."),
    ] = None,
    then: Annotated[
        list[str] | None,
        typer.Option(
            "--then", metavar="NAME", help="Say in advance what most people would ('pbem legal' lists them)."
        ),
    ] = None,
    unchecked: Annotated[
        bool, typer.Option("--unchecked", help="Sign also what your own rules engine would refuse.")
    ] = False,
    again: Again = False,
    lang: Lang = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Sign a turn: moves in order, checked here first. What follows a first look is sealed for you."""
    client = player_client(game, keys)
    chosen = actions_from(client, actions or [], sys.stdin)
    sealed = in_advance(client, load_json(orders) if orders else None, then or (), chosen)
    words = tells_from(tell or [])

    def make(yes: bool) -> Signed:
        return client.turn(chosen, orders=sealed, say=talk, tell=words, unchecked=unchecked, again=yes)

    signed = sign(client, make, again=again)
    hand_over(client, signed, handover, keys.home, spoken(lang), as_json=as_json)


@app.command("say")
def talk(
    game: GameArgument,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Up to 280 characters, for everybody.")],
    handover: Handover = HANDOVER,
    lang: Lang = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Say something to everybody; it changes nothing on the table."""
    client = player_client(game, keys)
    signed = sign(client, lambda _: client.turn(say=text), again=False)
    hand_over(client, signed, handover, keys.home, spoken(lang), as_json=as_json)


@app.command()
def consent(
    game: GameArgument,
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="pause, resume, absence, resign, substitute, rewind, rekey, object, handover or end.",
        ),
    ],
    members: Annotated[
        list[str] | None,
        typer.Argument(metavar="[MEMBER=VALUE]...", help="until=2027-01-03, seat=curt, to=27, why=TEXT ..."),
    ] = None,
    again: Again = False,
    handover: Handover = HANDOVER,
    lang: Lang = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Agree to something that needs everybody's agreement."""
    client = player_client(game, keys)
    what = consent_to(client, kind, members or [])
    signed = sign(client, lambda yes: client.consent(what, again=yes), again=again)
    hand_over(client, signed, handover, keys.home, spoken(lang), as_json=as_json)


@app.command()
def elsewhere(
    game: GameArgument = HERE,
    lang: Lang = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Confirm that you signed these files on another device."""
    seqs = player_client(game, keys).signed_elsewhere()
    sentence = counted(
        "{n} record is taken for yours: {seqs}.",
        "{n} records are taken for yours: {seqs}.",
        len(seqs),
        seqs=", ".join(map(str, seqs)) or "-",
    )
    answer(spoken(lang).tell(sentence), {"records": seqs}, as_json=as_json)


@app.command()
def update(
    game: GameArgument,
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Letters, parts of the game file, or whole copies."),
    ],
    lang: Lang = None,
    as_json: AsJson = False,
) -> None:
    """Add an email's records to your copy, once verified. Needs no identity."""
    facts = updated(game, files)
    answer(update_text(facts, spoken(lang)), facts, as_json=as_json)


@app.command()
def lines(
    game: GameArgument = HERE,
    after: Annotated[
        int,
        typer.Option("--after", metavar="N", min=-1, help="Only the records after number N; otherwise all."),
    ] = -1,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="The folder to write the pieces to.")
    ] = Path(),
    send: Send = False,
    to: To = None,
    lang: Lang = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Write records of your copy as files, for a host who lost them. They fit into emails. Needs no identity."""
    post = Sending(send, to, find_copy(game).folder.path, home)
    give_lines(game, after, output, post, spoken(lang), as_json=as_json)
