"""The player's commands: join, ready, show, legal, turn, say, consent, update, check."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.console import answer, coloured, page_width, tell, write_output
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
    Png,
    Send,
    To,
)

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
    """Take the seat that an invitation offers; send the file to the host."""
    from pbem.cli.moves import joined
    from pbem.cli.posting import hand_over
    from pbem.cli.speech import spoken
    from pbem.host.zones import zone_named
    from pbem.player.seat.joining import JoinWishes

    if zone is not None:
        zone_named(zone)
    wishes = JoinWishes(name, lang, mail, zone, computer)
    desk, signed = joined(invite, folder, keys, seat, wishes, substitute=substitute, word=word, again=again)
    hand_over(desk, signed, handover, keys.home, spoken(lang), as_json=as_json)


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
    """Agree to the roster and give your part of the next cut. Compare the fingerprints with your friends first."""
    from pbem.cli.arrivals import on_paper
    from pbem.cli.desks import player_desk, sign
    from pbem.cli.moves import show_roster
    from pbem.cli.posting import hand_over
    from pbem.cli.speech import spoken

    desk = player_desk(game, keys)
    old = None if paper is None else on_paper(paper)
    signed = sign(desk, lambda yes: desk.ready(old, again=yes), again=again)
    show_roster(desk)
    hand_over(desk, signed, handover, keys.home, spoken(lang), as_json=as_json)


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
    from pbem.cli.desks import clock, lone_record, player_desk
    from pbem.cli.speech import spoken
    from pbem.player.seat.show import drawing_of, look_of, public_look, told_of

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


@app.command()
def legal(
    game: GameArgument = HERE,
    lang: Lang = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """List what you may do now, as you would type it; many of a kind in one line. --json has every single action."""
    from pbem.cli.desks import player_desk, tell_unanswered
    from pbem.cli.moves import legal_text
    from pbem.cli.speech import spoken
    from pbem.player.seat.legal import legal_facts
    from pbem.player.seat.order_answers import offered_then

    desk, language = player_desk(game, keys), spoken(lang)
    tell_unanswered(desk)
    facts = legal_facts(desk, language)
    words = legal_text(facts)
    offers, facts["then"] = offered_then(desk, language)
    answer(words or facts["note"], facts, as_json=as_json)
    if offers and not as_json:  # beside the list, so that a pipe holds nothing but actions
        tell(offers)


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
    """Sign a turn: actions in order, checked here first. What follows a first look is sealed for you."""
    from pbem.cli.desks import load_json, player_desk, sign
    from pbem.cli.moves import actions_from, tells_from
    from pbem.cli.posting import hand_over
    from pbem.cli.speech import spoken
    from pbem.player.seat.order_answers import in_advance

    desk = player_desk(game, keys)
    chosen = actions_from(desk, actions or [], sys.stdin)
    sealed = in_advance(desk, load_json(orders) if orders else None, then or (), chosen)
    words = tells_from(tell or [])

    def make(yes: bool) -> Signed:
        return desk.turn(chosen, orders=sealed, say=talk, tell=words, unchecked=unchecked, again=yes)

    signed = sign(desk, make, again=again)
    hand_over(desk, signed, handover, keys.home, spoken(lang), as_json=as_json)


@app.command("say")
def talk(
    game: GameArgument,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Up to 280 characters, for everybody.")],
    handover: Handover = HANDOVER,
    lang: Lang = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Say something to everybody; changes nothing on the table."""
    from pbem.cli.desks import player_desk, sign
    from pbem.cli.posting import hand_over
    from pbem.cli.speech import spoken

    desk = player_desk(game, keys)
    signed = sign(desk, lambda _: desk.turn(say=text), again=False)
    hand_over(desk, signed, handover, keys.home, spoken(lang), as_json=as_json)


@app.command()
def consent(
    game: GameArgument,
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND", help="pause, resume, absence, resign, substitute, rewind, rekey or end."
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
    """Agree to something that is recorded once everybody who must has agreed."""
    from pbem.cli.desks import player_desk, sign
    from pbem.cli.posting import hand_over
    from pbem.cli.speech import spoken
    from pbem.player.seat.consents import consent_to

    desk = player_desk(game, keys)
    what = consent_to(desk, kind, members or [])
    signed = sign(desk, lambda yes: desk.consent(what, again=yes), again=again)
    hand_over(desk, signed, handover, keys.home, spoken(lang), as_json=as_json)


@app.command()
def elsewhere(
    game: GameArgument = HERE,
    lang: Lang = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Say that files of your seat which this device does not know were signed on another device of yours."""
    from pbem.base.sentences import counted
    from pbem.cli.desks import player_desk
    from pbem.cli.speech import spoken

    seqs = player_desk(game, keys).signed_elsewhere()
    told = counted(
        "{n} record is taken for yours: {seqs}.",
        "{n} records are taken for yours: {seqs}.",
        len(seqs),
        seqs=", ".join(map(str, seqs)) or "-",
    )
    answer(spoken(lang).tell(told), {"records": seqs}, as_json=as_json)


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
    """Add the records that a letter brought to your copy, once they are verified. Needs no identity."""
    from pbem.cli.moves import update_text, updated
    from pbem.cli.speech import spoken

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
    """Write records of your copy as files that fit into mails, for a host who has lost them. Needs no identity."""
    from pbem.cli.pieces import give_lines
    from pbem.cli.posting import Sending
    from pbem.cli.speech import spoken
    from pbem.player.seat import find_copy

    post = Sending(send, to, find_copy(game).folder.path, home)
    give_lines(game, after, output, post, spoken(lang), as_json=as_json)


@app.command()
def check(
    turn_file: Annotated[
        Path, typer.Argument(metavar="TURN", help="A signed file: JSON, text block or mail.")
    ],
    game: Annotated[
        Path | None, typer.Option("--game", metavar="GAME", help="Your copy, if it does not lie beside TURN.")
    ] = None,
    lang: Lang = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Check a file offline as the host will. Exit code 5 if he would refuse it."""
    from pbem.cli.moves import checked
    from pbem.cli.speech import spoken

    verdict = checked(turn_file, game, keys)
    answer(spoken(lang).tell(verdict.words()), verdict.to_json(), as_json=as_json)
    raise typer.Exit(0 if verdict.ok else 5)
