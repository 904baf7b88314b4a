"""pbem for other programs: what ``import pbem`` offers, and nothing else is public.

The names in ``__all__`` keep their meaning for all of version 1. ``pbem.NAME`` is the same as ``pbem.api.NAME``;
it is loaded when it is first asked for, so that ``import pbem`` costs nothing.

::

    record = pbem.load(Path("game.jsonl"))         # every line verified, or a PbemError that names the line
    record.names, record.public, record.standing   # who plays, the open table, what the match waits for
    report = pbem.audit_file(Path("game.jsonl"))   # from zero, every fault listed
    pbem.draws_of(record.rules, record.lines, report.labels)    # each shot with the chance it had

    me = pbem.open_identity(Path("anna.json"), "passphrase")
    view = pbem.SeatView(record, me)               # opens the seat's packets, checks every card in them
    view.legal                                   # what this seat may do now
    turn = pbem.compose_turn(record, me, view.seat, 7, actions=[...], salt=partial(token_bytes, 16))
    pbem.check_file(record, pbem.line_of(turn.file), view)      # what the host would say
    pbem.receive(hosted, host, raw, at)            # the host's ruling is a value; whoever asked commits it

``examples/library`` plots the luck of a match from its file.
"""

from __future__ import annotations

from pathlib import Path

from pbem.base.errors import PbemError
from pbem.game import Game, Seat
from pbem.games import GAMES, find_game
from pbem.player.lookback.chance import Luck, luck_of
from pbem.player.seat import Verdict, check_file, read_lines
from pbem.player.store import read_file
from pbem.protocol.audit import Draw, Report, audit, compare_copies, draws_of
from pbem.protocol.client import (
    Composed,
    SeatView,
    compose_consent,
    compose_join,
    compose_ready,
    compose_turn,
)
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.envelopes import line_of
from pbem.protocol.formats.identity_file import read_identity
from pbem.protocol.record import HostOpenings, Record
from pbem.protocol.referee import Accepted, Refused, receive

__all__ = [
    "GAMES",
    "Accepted",
    "Composed",
    "Draw",
    "Game",
    "HostOpenings",
    "Identity",
    "Luck",
    "PbemError",
    "Record",
    "Refused",
    "Report",
    "Seat",
    "SeatView",
    "Verdict",
    "audit_file",
    "check_file",
    "compare_copies",
    "compose_consent",
    "compose_join",
    "compose_ready",
    "compose_turn",
    "draws_of",
    "find_game",
    "line_of",
    "load",
    "luck_of",
    "open_identity",
    "read_lines",
    "receive",
]


def load(path: Path) -> Record:
    """The match in a game file, a match folder or a saved email that holds all of it.

    Raises:
        PbemError: it cannot be read, is no game file, or a line does not verify; the message names the line.
    """
    return Record.load(read_lines(path))


def audit_file(path: Path) -> Report:
    """Everything that can be checked about a game file, every fault listed and none raised (schemas/README.md §11).

    Raises:
        PbemError: there are no records to check.
    """
    return audit(read_lines(path))


def open_identity(path: Path, passphrase: str) -> Identity:
    """The keys in an identity file; takes about half a second of processor time (scrypt, RFC 7914).

    Raises:
        PbemError: it is no identity file, or the passphrase is not its own.
    """
    identity, _ = read_identity(read_file(path), passphrase)
    return identity
