"""Clients for commands: which identity, which folder, what clock."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import typer

from pbem.base.errors import FormatError, UsageProblem
from pbem.base.sentences import joined, sentence
from pbem.cli.console import print_notice, read_input, reading
from pbem.cli.keys import keyring_at
from pbem.cli.options import Keys
from pbem.cli.speech import PEOPLE, language_here
from pbem.cli.which import NoIdentity, identity_in, unlocked
from pbem.game import JsonObject
from pbem.player.letters.letter import names_at
from pbem.player.mail import MAX_INPUT
from pbem.player.seat import AlreadySigned, Copy, PlayerClient, Signed, find_copy
from pbem.player.seat.moments import now
from pbem.player.store import Checkpoints
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.identity_file import read_header
from pbem.protocol.formats.strict_json import parse
from pbem.protocol.record import Record

clock = now


def player_client(game: Path, keys: Keys) -> PlayerClient:
    """The player's client for the argument COPY, with the identity that holds a seat there."""
    return client_at(find_copy(game, checkpoints(keys.home)), keys)


def checkpoints(home: Path | None) -> Checkpoints:
    """What the user whose identities lie there has verified before."""
    return Checkpoints(keyring_at(home).folder.parent)


def client_at(copy: Copy, keys: Keys, identity: Identity | None = None) -> PlayerClient:
    """The player's client for a copy that was found; ``identity`` is the player's if it is open already."""
    record = record_after_notes(copy)
    try:
        name, raw = identity_in(
            keys, [player.sign for player in record.ledger.players.values()], sentence("a player")
        )
    except NoIdentity as fault:
        raise _not_here(copy, record, fault) from None
    mine = identity is not None and read_header(raw).sign_public == identity.sign_public
    opened = identity if mine and identity is not None else unlocked(keys, raw, name)
    client = PlayerClient(copy, opened, os.urandom)
    for altered in client.altered_actions():
        print_notice(_alarm(sentence("the host did not do what you sealed; {altered}", altered=altered)))
    return client


def _not_here(copy: Copy, record: Record, fault: NoIdentity) -> UsageProblem:
    """Why nobody here has a seat: the copy ends too early, or the keys are elsewhere."""
    if len(record.ledger.players) == len(record.seats):
        return UsageProblem(
            str(fault),
            hint=joined(
                (
                    fault.hint,
                    sentence(
                        "If your keys are lost: pbem id restore, or pbem rekey --recovery with your recovery "
                        "words."
                    ),
                ),
                "\n",
            ),
        )
    signed = (path.name for path in (copy.folder.path / "sent").glob("*-join-*.json"))
    if next(signed, None) is not None:
        return UsageProblem(
            sentence("your copy ends before your join"),
            hint=sentence("Save the host's newest email in {folder}.", folder=copy.folder.path.resolve()),
        )
    return UsageProblem(
        sentence("your copy ends before everybody has joined; you are not in it"),
        hint=sentence(
            "If you have not joined yet: pbem join. If you have: save the host's newest email here."
        ),
    )


def _alarm(text: str) -> str:
    return joined((text, sentence("keep this file and tell the others")), "\n")


def lone_record(game: Path, home: Path | None) -> Record:
    """The verified copy, for who needs no key."""
    return record_after_notes(find_copy(game, checkpoints(home)))


def record_after_notes(copy: Copy) -> Record:
    """What the copy holds, once what it has to remark on was shown."""
    record = copy.record
    PEOPLE.set({str(seat): name for seat, name in names_at(record, record.head.seq).items()})
    for note in copy.notes:
        print_notice(note)
    copy.notes.clear()
    return record


def show_unanswered(client: PlayerClient) -> None:
    """Say what was signed before and is not answered: whoever could sign once more reads it first."""
    for entry in client.unanswered():
        print_notice(client.describe(entry))


def sign(client: PlayerClient, make: Callable[[bool], Signed], *, again: bool) -> Signed:
    """Sign a file; ``make`` gets the yes to signing once more what is not answered yet.

    What else is unanswered comes first. Without ``--again`` a person at a terminal is asked; elsewhere it is refused.
    """
    try:
        signed = make(again)
    except AlreadySigned as fault:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise
        print_notice(str(fault))
        if not agreed(sentence("Sign another file for the same decision?")):
            raise UsageProblem(sentence("nothing was signed")) from None
        signed = make(True)
    for entry in client.unanswered():
        if (entry.message.kind, entry.message.n) != (signed.kind, signed.n):
            print_notice(client.describe(entry))
    return signed


def agreed(question: str) -> bool:
    """Ask a person at a terminal; no is what Enter says."""
    return bool(typer.confirm(language_here().translate(question), default=False, err=True))


def load_json(path: Path) -> JsonObject:
    """A JSON object from a file that the user named."""
    with reading(path):
        value = parse(read_input(path, limit=4 * 1024 * 1024), limit=4 * 1024 * 1024)
    if not isinstance(value, dict):
        raise FormatError(sentence("{path} holds no JSON object", path=path))
    return value


def no_signed_file(path: Path) -> FormatError:
    """What every command says of a file without anything of a player in it."""
    return FormatError(
        sentence("{path} holds no signed file of a player", path=path),
        hint=sentence("To see what it is: pbem inspect {path}", path=path),
    )


def bytes_of(path: Path) -> bytes:
    """The bytes of a file that the user named."""
    return read_input(path, limit=MAX_INPUT)
