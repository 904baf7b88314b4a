"""The player's commands that sign: join, ready, turn, say, consent; and a seat's own channel."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Annotated

import typer

from pbem.base.errors import UsageProblem
from pbem.base.sentences import columns, sentence
from pbem.base.sentences import joined as joined_by
from pbem.cli.clients import bytes_of, load_json, player_client, sign
from pbem.cli.console import print_notice
from pbem.cli.options import (
    HANDOVER,
    HERE,
    KEYS,
    Again,
    AsJson,
    GameArgument,
    Handover,
    Keys,
    Lang,
    Off,
)
from pbem.cli.passphrase import typed_webhook
from pbem.cli.people import on_paper, recovery_key_on
from pbem.cli.posting import hand_over
from pbem.cli.speech import language_here, spoken, tag_for
from pbem.cli.which import identity_of_kind, unlocked
from pbem.game import JsonObject, Seat
from pbem.games import find_game
from pbem.host.config import zone_named
from pbem.player.letters.hosting import host_plays, invitations_hold
from pbem.player.mail import content_of
from pbem.player.seat import Copy, PlayerClient, Signed, find_copy, parse_actions, read_lines
from pbem.player.seat.joining import JoinWishes, consent_to, seat_to_join, sign_join
from pbem.player.seat.order_answers import in_advance
from pbem.player.store import MatchFolder
from pbem.protocol.crypto.digest import fingerprint
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.identity_file import read_header
from pbem.protocol.record import Record
from pbem.protocol.record.check_messages import REACTIONS
from pbem.protocol.record.kinds.pause import PAUSE, USUAL

app = typer.Typer()

Actions = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="ACTION...",
        help='One action in words (draw supply); several in quotes ("draw supply" "lay 3 jesse-james") or'
        " with a + between them. JSON objects work too, and - reads one a line from standard input.",
    ),
]


@app.command()
def join(
    invite: Annotated[Path, typer.Argument(metavar="INVITE", help="The invitation: its email, or record 0.")],
    seat: Annotated[
        str | None, typer.Option(metavar="SEAT", help="The seat to take; an invitation by email names it.")
    ] = None,
    name: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Your name at the table, if not your identity's.")
    ] = None,
    mail: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Your address, sealed to the host.")
    ] = None,
    lang: Annotated[
        str | None,
        typer.Option(
            metavar="CODE",
            help="The language of your emails: en, fr, it or de; otherwise as PBEM_LANG or LANG say.",
        ),
    ] = None,
    folder: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where to keep your copy, if not beside INVITE.")
    ] = None,
    substitute: Annotated[
        bool, typer.Option("--substitute", help="Take over a seat that somebody else held.")
    ] = False,
    word: Annotated[
        str | None, typer.Option(metavar="WORD", help="The invite code of an invitation by email.")
    ] = None,
    zone: Annotated[
        str | None,
        typer.Option(
            metavar="ZONE", help="The time zone you read times in, like Europe/Berlin; everybody can read it."
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
    wishes = JoinWishes(name, lang, mail, zone)
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
            help="After new keys: the recovery words of the old identity, which owes this.",
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
        typer.Option(metavar="SEAT=TEXT", help="A private message, sealed to one seat; may be repeated."),
    ] = None,
    reacts: Annotated[
        list[str] | None,
        typer.Option(
            "--react",
            metavar="RECORD=WORD",
            help="A reaction to a record: clap, laugh, wow, ouch, thanks or sorry; repeat it.",
        ),
    ] = None,
    nudge: Annotated[
        str, typer.Option(metavar="SEAT", help="Remind the player whom the match waits for.")
    ] = "",
    orders: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Your standing orders from now on, as JSON (sealed).")
    ] = None,
    then: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Say in advance what most people would ('pbem legal' lists them)."),
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
    messages, reactions = private_messages_from(tell or []), reactions_from(reacts or [])
    if reactions and not (chosen or talk or messages or nudge or orders or then):
        raise UsageProblem(
            sentence("Reactions travel with your next file."),
            hint=sentence("Nothing was signed. Add your moves, or something to say."),
        )

    def make(yes: bool) -> Signed:
        return client.turn(
            chosen, orders=sealed, say=talk, tell=messages, react=reactions, nudge=nudge.lower(),
            unchecked=unchecked, again=yes,
        )  # fmt: skip

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
            help="pause, absence, resign, substitute, rewind, rekey or end.",
        ),
    ],
    members: Annotated[
        list[str] | None,
        typer.Argument(metavar="[MEMBER=VALUE]...", help="until=2027-01-03, seat=curt, to=27, why=TEXT ..."),
    ] = None,
    paper: Annotated[
        Path | None,
        typer.Option(
            "--recovery",
            metavar="FILE",
            help="Sign with your recovery words: giving up your seat, or a replacement in it, then counts at once.",
        ),
    ] = None,
    again: Again = False,
    handover: Handover = HANDOVER,
    lang: Lang = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Agree to something that needs everybody's agreement."""
    client = player_client(game, keys)
    if kind == PAUSE.name and not members and sys.stdin.isatty():
        members = [f"until={_end_of_pause()}"]
    terms = consent_to(client, kind, members or [])
    recovery = None if paper is None else recovery_key_on(paper)
    signed = sign(client, lambda yes: client.consent(terms, again=yes, recovery=recovery), again=again)
    hand_over(client, signed, handover, keys.home, spoken(lang), as_json=as_json)


def _end_of_pause() -> str:
    """Ask a person at a terminal for the end of a pause; Enter gives the usual one."""
    question = sentence("Until when? A day, +3d, or now to go on with the match")
    return str(typer.prompt(language_here().translate(question), default=f"+{USUAL // 24}d", err=True))


@app.command()
def webhook(
    game: GameArgument = HERE,
    off: Off = False,
    handover: Handover = HANDOVER,
    lang: Lang = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Announce your turns by a chat webhook of your own. Its address is asked, and sealed to the host.

    The address holds a token: it is typed or comes by standard input, never on the command line. The host's answer
    comes by email.
    """
    client = player_client(game, keys)
    address = "" if off else typed_webhook()
    signed = sign(client, lambda _: client.webhook(address), again=False)
    hand_over(client, signed, handover, keys.home, spoken(lang), as_json=as_json)


def joined(
    invite: Path,
    folder: Path | None,
    keys: Keys,
    seat: str | None,
    wishes: JoinWishes,
    *,
    substitute: bool,
    word: str | None = None,
    again: bool = False,
    identity: Identity | None = None,
) -> tuple[PlayerClient, Signed]:
    """Begin a copy from the invitation and sign a join; ``identity`` is the player's if it is open already."""
    who, raw = identity_of_kind(keys, "player")
    header = read_header(raw)
    lines = read_lines(invite)
    copy = find_copy(invite) if folder is None else Copy(MatchFolder(folder))
    if folder is not None:
        copy.take_in(lines, invite.name)
    letter = content_of(bytes_of(invite)).seat if invite.is_file() else ""
    show_host_plays(copy.record)
    chosen = seat_to_join(copy.record, invite, letter, header.name, seat)
    client = PlayerClient(copy, identity or unlocked(keys, raw, who), os.urandom)

    def make(yes: bool) -> Signed:
        return sign_join(
            client, header, chosen, wishes, lang=tag_for(None), substitute=substitute, word=word, again=yes
        )

    return client, sign(client, make, again=again)


def show_host_plays(record: Record) -> None:
    """Say who hosts and plays, before anything is signed; nothing if the host does not play."""
    notice = host_plays(record, record.names)
    if notice is not None:
        print_notice(notice)


def show_roster(client: PlayerClient) -> None:
    """Show the fingerprints, to be compared before anybody is ready (schemas/README.md §12)."""
    players = client.record.ledger.players
    rows = [(seat, player.name, fingerprint(player.sign)) for seat, player in players.items()]
    text = sentence("compare these fingerprints with your friends, by phone if you can:")
    print_notice(joined_by((text, columns(rows)), "\n"))
    held = invitations_hold(client.record.ledger)
    if held is not None:
        print_notice(held)


def actions_from(client: PlayerClient, arguments: Sequence[str], stdin: IO[str]) -> list[JsonObject]:
    """The actions of the command line."""
    return parse_actions(find_game(client.record.game_info.id), arguments, stdin.read)


def private_messages_from(texts: Sequence[str]) -> dict[Seat, str]:
    """``SEAT=TEXT`` options."""
    messages: dict[Seat, str] = {}
    for text in texts:
        seat, sign, word = text.partition("=")
        if not sign or not word:
            raise UsageProblem(sentence("expected --tell SEAT=TEXT, found {text!r}", text=text))
        messages[Seat(seat.lower())] = word
    return messages


def reactions_from(texts: Sequence[str]) -> dict[int, str]:
    """``RECORD=WORD`` options."""
    reactions: dict[int, str] = {}
    for text in texts:
        number, _, word = text.partition("=")
        if not number.isdecimal() or word not in REACTIONS:
            raise UsageProblem(
                sentence("expected --react RECORD=WORD, found {text!r}", text=text),
                hint=sentence("The words are {words}.", words=", ".join(REACTIONS)),
            )
        reactions[int(number)] = word
    return reactions
