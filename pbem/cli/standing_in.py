"""``pbem stand-in``: whose seat it is, and how often to look."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from pbem.base.language import Language
from pbem.base.sentences import Sentence, joined, sentence
from pbem.base.values import replace
from pbem.cli.clients import client_at, clock
from pbem.cli.console import print_notice, say
from pbem.cli.keys import keyring_at
from pbem.cli.options import HERE, KEYS, GameArgument, Keys, Lang, Output, To
from pbem.cli.posting import own_mail
from pbem.cli.speech import spoken
from pbem.cli.which import identity_in, unlocked
from pbem.player.mail.ports import OWN_MAIL
from pbem.player.play.seat_watch import SeatWatch, StandInWishes
from pbem.player.seat import PlayerClient, Signed, find_copy
from pbem.player.seat.stand_in import Handed, check_not_the_host
from pbem.protocol.formats.identity_file import read_header

app = typer.Typer()


def seat_watch(
    game: Path,
    keys: Keys,
    wishes: StandInWishes,
    output: Path | None,
    language: Language,
    now: Callable[[], str] = clock,
) -> SeatWatch:
    """Open the identity of the seat, once.

    Raises:
        UsageProblem: no seat, a host's identity, no such level, an end that is past; an address, and no mail.
    """
    copy = find_copy(game)
    record = copy.record
    players = record.ledger.players.values()
    name, raw = identity_in(keys, [player.sign for player in players], sentence("a player"))
    identity, kind = unlocked(keys, raw, name), read_header(raw).kind
    check_not_the_host(record, identity, kind)
    client_at(copy, replace(keys, who=name), identity)  # says what the host did wrong
    client = PlayerClient(copy, identity, os.urandom, now)
    wants_mail = bool(wishes.to) and output is None  # then own_mail says how to set it up
    set_up = (keyring_at(keys.home).folder / OWN_MAIL).is_file()
    mail = own_mail(keys.home, identity) if set_up or wants_mail else None
    return SeatWatch(client, kind, wishes, language, mail=mail, say=say, notify=print_notice)


def answer_once(
    game: Path, keys: Keys, wishes: StandInWishes, output: Path | None, language: Language, *, again: bool
) -> None:
    """One look: what is asked now is answered, and that is all."""
    watch = seat_watch(game, keys, wishes, output, language)
    client = watch.client()
    result = watch.stand_in.look(client, again=again)
    if isinstance(result, Signed):
        watch.let_go(client, result, output)
    elif isinstance(result, Handed):
        watch.hand_back(client, result)
    else:
        say(language.translate(_why_nothing(client)))


def _why_nothing(client: PlayerClient) -> Sentence:
    """Why there is nothing to play for this seat now."""
    record = client.record
    if record.ledger.paused is not None:
        return sentence("Nothing to do: the match is paused.")
    if record.waiting is not None and record.waiting["seat"] == client.seat:
        return sentence(
            "Nothing to do: a turn of this seat was signed and is not answered yet."
            " With --again it is signed once more."
        )
    nothing = sentence("Nothing to do: the match does not wait for this seat.")
    return joined((nothing, sentence("{age}; is there a newer email?", age=client.age)), " ")


def keep_playing(
    game: Path,
    keys: Keys,
    wishes: StandInWishes,
    output: Path | None,
    language: Language,
    *,
    minutes: int,
    wait: Callable[[float], None] = time.sleep,
    now: Callable[[], str] = clock,
) -> None:
    """Look every so often until the seat is handed back. Ctrl-C leaves; the same command goes on."""
    watch = seat_watch(game, keys, wishes, output, language, now)
    say(
        language.translate(
            sentence("A computer plays for you; it stops when you act yourself, or with Ctrl-C.")
        )
    )
    with suppress(KeyboardInterrupt):
        while not watch.look(output):
            wait(60 * minutes)


@app.command("stand-in")
def stand_in(
    game: GameArgument = HERE,
    until: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="2026-12-05 (to its end), +3d; without it to the match's end."),
    ] = None,
    level: Annotated[
        str, typer.Option(metavar="LEVEL", help="How well it plays: a name or number of pbem practice.")
    ] = "strong",
    never_go_out: Annotated[
        bool, typer.Option("--never-go-out", help="Wyatt Earp: it ends no hand while it has another choice.")
    ] = False,
    every: Annotated[
        int, typer.Option(metavar="MINUTES", help="How often it looks for emails.", min=1, max=1440)
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
    """Let the computer play for you for a while.

    In a computer's own seat it plays for good. It refuses a host's identity.

    It uses the mail account of your mail.toml; without one it reads what lies in the folder and writes its files there.
    Every file says openly that a computer made it. As soon as you act yourself, from any device, it stops. What it did
    is in stand-in.txt, and you get it by email at the end.
    """
    wishes = StandInWishes(until or "", level, never_go_out, to)
    if once:
        answer_once(game, keys, wishes, output, spoken(lang), again=again)
    else:
        keep_playing(game, keys, wishes, output, spoken(lang), minutes=every)
