"""A signed file leaves: to a place that the user names, or by the user's own mail to the host.

What only mailing needs is imported when something is mailed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pbem.base.errors import PbemError
from pbem.base.language import Language
from pbem.base.sentences import sentence, term
from pbem.base.values import dataclass
from pbem.cli.console import answer, print_notice, write_output
from pbem.cli.keys import keyring_at
from pbem.cli.options import Handover
from pbem.game import JsonObject
from pbem.player.mail.own import read_own_mail
from pbem.player.seat import PlayerClient, SentLog, Signed
from pbem.player.seat.moments import now
from pbem.player.seat.posting import Way, mail_file
from pbem.player.store import MatchFolder
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.armour import armour

if TYPE_CHECKING:
    from pbem.player.mail.own import OwnMail


@dataclass(frozen=True, slots=True)
class Sending:
    """``--send`` and ``--to``: whether and where a file is mailed, the folder that remembers it, the log of files."""

    wanted: bool
    to: str | None
    folder: Path
    home: Path | None
    identity: Identity | None = None

    @property
    def log(self) -> SentLog:
        """The pages of the files that were signed in this folder."""
        return SentLog.at(MatchFolder(self.folder))

    def way(self) -> Way:
        """The way to the host.

        Raises:
            UsageProblem: mail is not set up.
        """
        own = own_mail(self.home, self.identity)
        return Way(own.address, own.outgoing(), self.folder, self.to)


def own_mail(home: Path | None, identity: Identity | None = None) -> OwnMail:
    """The mail of the player whose identities lie there; ``identity`` opens passwords that are sealed under it."""
    return read_own_mail(keyring_at(home).folder, identity, os.environ)


def post_file(signed: Signed, post: Sending, language: Language, *, as_json: bool) -> None:
    """Mail a signed file to the host, and say so."""
    to, name = mail_file(signed, post.way())
    facts: JsonObject = {
        "kind": signed.kind,
        "seat": signed.seat,
        "n": signed.n,
        "to": to,
        "message_id": name,
    }
    if as_json:
        answer("", facts, as_json=True)
        return
    text = sentence(
        "sent {kind} {n} of {seat} by email to {to}; the host's answer says what became of it",
        kind=term(signed.kind),
        n=signed.n,
        seat=signed.seat,
        to=to,
    )
    print_notice(language.translate(text))


def hand_over(
    client: PlayerClient,
    signed: Signed,
    handover: Handover,
    home: Path | None,
    language: Language,
    *,
    as_json: bool,
) -> None:
    """Let a signed file leave: to a file or to standard output, or by mail, and say what to do with it.

    Raises:
        PbemError: it did not leave; ``done`` says that it is signed and kept.
    """
    with _kept(client.copy.folder.path):
        output, as_armour = handover.output, handover.as_armour
        post = Sending(handover.send, handover.to, client.copy.folder.path, home, client.identity)
        if post.wanted:
            for note in (*signed.warnings, *signed.notes):
                print_notice(language.translate(note))
            post_file(signed, post, language, as_json=as_json)
            if output is None:
                return
        raw = armour(signed.file).encode() if as_armour else signed.raw + b"\n"
        for note in (*signed.warnings, *signed.notes):
            print_notice(language.translate(note))
        place = output
        if place is None and not as_json and not as_armour and sys.stdout.isatty():
            place = Path(signed.name)
        if place is not None or not as_json:
            write_output(place, raw, replace=True)
        way = "armour" if as_armour else "write"
        where = "-" if place is None else str(place)
        post.log.write(signed.hash, way=way, place=where, left=now())
        if as_json:
            facts = {"kind": signed.kind, "seat": signed.seat, "n": signed.n, "notes": list(signed.notes)}
            facts |= {"output": None if place is None else str(place), "message": signed.file}
            answer("", facts, as_json=True)
            return
        named = {"kind": term(signed.kind), "n": signed.n, "seat": signed.seat}
        if place is None or str(place) == "-":
            done = sentence("signed {kind} {n} of {seat}; send it to the host", **named)
        else:
            done = sentence(
                "signed {kind} {n} of {seat} in {place}; send it to the host", place=place, **named
            )
        print_notice(language.translate(done))


@contextmanager
def _kept(folder: Path) -> Iterator[None]:
    try:
        yield
    except PbemError as fault:
        fault.done = sentence(
            "What you signed is kept, and has not left. To hand it over: pbem play {folder}", folder=folder
        )
        raise
