"""Coming and going, on the player's side: away, a new key, a computer that stands in."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from pbem.base.errors import UsageProblem
from pbem.base.sentences import command, counted, joined, sentence, typed
from pbem.cli.clients import player_client, sign
from pbem.cli.console import answer, print_notice, read_input
from pbem.cli.keys import identity_on_paper
from pbem.cli.options import HANDOVER, KEYS, Again, Armour, AsJson, GameArgument, Handover, Keys, Lang, Output
from pbem.cli.posting import hand_over
from pbem.cli.speech import spoken
from pbem.cli.which import identity_called, identity_in, unlocked
from pbem.game import Seat
from pbem.player.seat import PlayerClient, Signed, find_copy
from pbem.player.seat.joining import absence_of
from pbem.protocol.client import rekey_terms
from pbem.protocol.crypto.identity import Identity, recovery_from_paper, recovery_key
from pbem.protocol.crypto.primitives import SignKey
from pbem.protocol.formats.identity_file import read_header
from pbem.protocol.record import Record
from pbem.protocol.record.kinds.absence import absence_left
from pbem.protocol.record.kinds.agreements import must_agree

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
    new: Annotated[str, typer.Option(metavar="NAME|FILE", help="The new identity (pbem id new).")],
    seat: Annotated[
        str | None, typer.Option(metavar="SEAT", help="Your seat, if the old identity is lost.")
    ] = None,
    paper: Annotated[
        Path | None,
        typer.Option(
            "--recovery", metavar="FILE", help="A file with the recovery words, if the old identity is lost."
        ),
    ] = None,
    new_paper: Annotated[
        bool,
        typer.Option(
            "--new-paper",
            help="The new identity's recovery words replace the old ones after 72 hours or more.",
        ),
    ] = False,
    ask: Annotated[
        bool, typer.Option("--ask", help="Both are lost: print what all the others must agree to.")
    ] = False,
    output: Output = None,
    as_armour: Armour = False,
    lang: Lang = None,
    keys: Keys = KEYS,
    as_json: AsJson = False,
) -> None:
    """Replace the keys of your seat. With the old identity, its recovery words, or everybody's agreement."""
    if ask:
        words = consent_words(game, new, seat, keys)
        answer(
            joined(
                (
                    sentence("Each of the others runs:"),
                    command("  pbem consent COPY {words}", words=typed(*words)),
                ),
                "\n",
            ),
            list(words),
            as_json=as_json,
        )
        return
    client, signed = rekeyed(game, new, seat, paper, keys, new_paper=new_paper)
    hand_over(client, signed, Handover(output, as_armour), keys.home, spoken(lang), as_json=as_json)


_PAPER_LIMIT = 4096


def absence(client: PlayerClient, begin: str, until: str, *, again: bool) -> Signed:
    """A consent to one's own absence, from words; says what it means."""
    record = client.record
    terms = absence_of(client, begin, until)
    signed = sign(client, lambda yes: client.consent(terms, again=yes), again=again)
    if len(must_agree(record.ledger, terms)) > 1:
        left = absence_left(record.ledger, client.seat)
        print_notice(
            counted(
                "you can be away for {n} hour more on your own; for longer, ask all the others to agree",
                "you can be away for {n} hours more on your own; for longer, ask all the others to agree",
                left,
            )
        )
    print_notice(sentence("away from {begin} until {until} (UTC)", begin=terms["from"], until=terms["until"]))
    waiting = record.waiting
    if waiting is not None and waiting["seat"] == client.seat:
        print_notice(
            sentence("it is your turn, by {due}: being away does not move that deadline", due=record.due)
        )
    return signed


def rekeyed(
    game: Path, new: str, seat: str | None, paper: Path | None, keys: Keys, *, new_paper: bool = False
) -> tuple[PlayerClient, Signed]:
    """The signed file that brings a new key, and the client that signed it.

    ``new_paper``: the paper of the new identity is to take the old one's place, too.
    """
    copy = find_copy(game)
    record = copy.record
    fresh = _identity(new, keys)
    recovery = _recovery(new, keys) if new_paper else None
    if new_paper:
        print_notice(
            sentence(
                "your new recovery words replace the old ones after at least 72 hours, unless the old "
                "ones are used before; keep both until then"
            )
        )
    if paper is not None:
        key = recovery_key_on(paper)
        client = PlayerClient(copy, fresh, os.urandom)
        mine = _seat(record, seat)
        if mine in record.missing_links:
            print_notice(
                sentence(
                    "the announced deal still waits for a part of the shuffle from your old identity; "
                    "once this file is taken, send it: pbem ready COPY --recovery FILE"
                )
            )
        if not new_paper:
            print_notice(sentence("in this match your old recovery words still count; keep both"))
        return client, client.rekey(mine, key, fresh, recovery)
    name, raw = identity_in(
        keys, [player.sign for player in record.ledger.players.values()], sentence("a player")
    )
    client = PlayerClient(copy, unlocked(keys, raw, name), os.urandom)
    return client, client.rekey(client.seat, client.identity.sign_key, fresh, recovery)


def recovery_key_on(paper: Path) -> SignKey:
    """The recovery key of recovery words in a file."""
    return recovery_key(recovery_from_paper(read_input(paper, limit=_PAPER_LIMIT).decode("utf-8", "replace")))


def on_paper(paper: Path) -> Identity:
    """The identity of a recovery paper or of a backup."""
    return identity_on_paper(read_input(paper, limit=_PAPER_LIMIT).decode("utf-8", "replace"))[0]


def consent_words(game: Path, new: str, seat: str | None, keys: Keys) -> tuple[str, ...]:
    """What the others type to consent to a new key."""
    record = find_copy(game).record
    terms = rekey_terms(record, _seat(record, seat), _identity(new, keys))
    return ("rekey", *(f"{name}={value}" for name, value in terms.items() if name != "kind"))


def _identity(new: str, keys: Keys) -> Identity:
    name, raw = identity_called(new, keys.home)
    return unlocked(keys, raw, name)


def _recovery(new: str, keys: Keys) -> bytes:
    """The hash of the recovery key on the new identity's own paper."""
    recovery = read_header(identity_called(new, keys.home)[1]).recovery
    if recovery is None:
        raise UsageProblem(
            sentence("the identity {new} has no recovery words", new=new),
            hint=sentence("pbem id new makes one that has; nothing was signed."),
        )
    return recovery


def _seat(record: Record, seat: str | None) -> Seat:
    if seat not in record.seats:
        raise UsageProblem(sentence("name your seat with --seat: {names}", names=", ".join(record.seats)))
    return Seat(seat)
