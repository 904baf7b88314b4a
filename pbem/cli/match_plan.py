"""What ``pbem host`` calls: plans from options, acts and their answers."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final

import typer

from pbem.base.errors import UsageProblem
from pbem.base.sentences import Sentence, joined, sentence
from pbem.base.values import dataclass
from pbem.cli.clients import bytes_of, clock, load_json
from pbem.cli.host_clients import folder_client, host_identity, is_served, print_notices, service_config
from pbem.cli.keys import keyring_at
from pbem.cli.options import Keys
from pbem.cli.practice import pair
from pbem.cli.service_run import with_service
from pbem.cli.speech import language_here
from pbem.cli.which import identity_of_kind, unlocked
from pbem.game import JsonObject
from pbem.host import FolderHost
from pbem.host.answers import created_words, recovered_served_words, recovered_words
from pbem.host.arguments import checked_contacts, checked_title
from pbem.host.branches import History
from pbem.host.config import read_config
from pbem.host.recover import OwnSeat, recover, recover_served
from pbem.host.service.answers import invited_facts, invited_words
from pbem.player.mail.pieces import Piece, read_piece, unpack
from pbem.player.seat import read_lines
from pbem.protocol.crypto.digest import b64, short_id
from pbem.protocol.formats.identity_file import read_header
from pbem.protocol.record import Deadlines
from pbem.protocol.record.line import read_line
from pbem.protocol.referee import MatchPlan

_NOBODY: Final = "nobody"
"""What somebody says who plays no seat; no seat is called so."""


def plan_from(
    game: str,
    seats: str,
    profile: str,
    options: Sequence[str] | None,
    setup: Sequence[str] | None,
    board: Path | None,
    deadlines: Deadlines,
    reveal: str,
    consent: Sequence[str] | None,
    plays: str | None = None,
) -> MatchPlan:
    """The plan of these options; whether it fits is for the referee."""
    if reveal not in ("epoch", "match"):
        raise UsageProblem(
            sentence("{reveal!r} is not a value of --reveal; use epoch or match", reveal=reveal)
        )
    extra = dict(pair(text) for text in setup or ())
    if board is not None:
        extra["board"] = load_json(board)
    plan = MatchPlan(
        game,
        [seat.strip() for seat in seats.split(",") if seat.strip()],
        profile,
        dict(pair(text) for text in options or ()),
        extra,
        deadlines,
        reveal,
        plays=plays,
    )
    agreed = dict(pair(text) for text in consent or ())
    for kind, who in agreed.items():
        if who not in ("all", "others", "seat", "host"):
            raise UsageProblem(
                sentence("--consent {kind}= takes all, others, seat or host, not {who!r}", kind=kind, who=who)
            )
    return replace(plan, consent={**plan.consent, **agreed}) if agreed else plan


@dataclass(frozen=True, slots=True)
class InvitationWords:
    """What the invitations say and no record holds, as it was typed."""

    title: str | None = None
    mail: str | None = None
    to: Sequence[str] = ()
    lang: str = "en"


def create(folder: Path, plan: MatchPlan, keys: Keys, invitation: InvitationWords) -> JsonObject:
    """Create the match; what was made."""
    name, raw = identity_of_kind(keys, "host")
    header = read_header(raw)
    if header.kind != "host":
        raise UsageProblem(
            sentence(
                "the identity {name} is a player's; a host deals with keys of their own, even a host who plays",
                name=name,
            ),
            hint=sentence("Make one for hosting: pbem id new --host PERSON"),
        )
    title = folder.resolve().name if invitation.title is None else invitation.title
    contacts = checked_contacts(
        header.name, invitation.mail, title, invitation.lang, invitation.to, plan.seats
    )
    client = FolderHost.create(folder, unlocked(keys, raw, name), plan, clock, os.urandom, contacts)
    return _created(folder, client)


def _created(folder: Path, client: FolderHost) -> JsonObject:
    print_notices(client)
    line = read_line(client.folder.game.read().lines[0])
    return {
        "folder": str(folder),
        "match": short_id(line.hash),
        "game": b64(line.hash),
        "file": str(client.folder.game.path),
        "invitations": [str(client.folder.outbox.path(letter)) for letter in client.folder.outbox.letters()],
    }


def next_match(old: Path, folder: Path | None, title: str | None, keys: Keys) -> tuple[Sentence, JsonObject]:
    """The next match of the same people: from a folder to a new folder, or in the service."""
    if is_served(old):
        if folder is not None:
            raise UsageProblem(
                sentence("match {old} is one of the service; its next match needs no folder", old=old)
            )
        return _next_served(str(old), title)
    if folder is None:
        raise UsageProblem(
            sentence("the next match needs a new folder"),
            hint=sentence("For example: pbem host again {old} {name}-2", old=old, name=old.name),
        )
    client = folder_client(old, keys)
    named = None if title is None else checked_title(title)
    created = _created(folder, client.again(folder, os.urandom, named))
    print_notices(client)
    return created_words(created), created


def _next_served(short: str, title: str | None) -> tuple[Sentence, JsonObject]:
    with with_service(service_config()) as service:
        named = None if title is None else checked_title(title)
        new, invited, unknown = service.matches.again(short, os.urandom(16), named)
    text, facts = invited_words(new, invited), invited_facts(new, invited)
    if unknown:
        names = ", ".join(unknown)
        lacking = sentence(
            "No address is known of {names}: pbem host invite {match} SEAT=ADDRESS", names=names, match=new
        )
        text = joined((text, lacking), "\n")
    return text, facts | {"unknown": unknown}


def recovered(
    output: Path, copies: Sequence[Path], keys: Keys, *, take: int, plays: str | None
) -> tuple[Sentence, JsonObject]:
    """Rebuild the host's folder; what came of it in words and for programs."""
    read = copies_in(copies)
    name, raw = host_identity(max((lines for _, lines in read), key=len), keys)
    own = _own_seat(keys, plays)
    result = recover(output, unlocked(keys, raw, name), read, clock, take=take, own_seat=own)
    facts: JsonObject = {**asdict(result), "folder": str(result.folder)}
    return recovered_words(facts), facts


def recovered_served(
    short: str, copies: Sequence[Path], keys: Keys, *, take: int, plays: str | None
) -> tuple[Sentence, JsonObject]:
    """The same for a match of the service in this folder."""
    own = _own_seat(with_service_config(keys), plays)
    with with_service(service_config()) as service:
        facts = recover_served(service.context, short, copies_in(copies), take=take, own_seat=own)
    return recovered_served_words(facts), facts


def _own_seat(keys: Keys, said: str | None) -> OwnSeat:
    """Which seat the person here plays: as they ``said``, else whose keys are here, else as they answer."""

    def own_seat(history: History) -> str:
        if said is not None:
            return "" if said == _NOBODY else said
        keyring = keyring_at(keys.home)
        here = {b64(read_header(keyring.read(name)).sign_public) for name in keyring.names()}
        brought = [file["body"] for line in history for file in line.messages if "sign" in file["body"]]
        if seats := [body["seat"] for body in brought if body["sign"] in here]:
            return str(seats[-1])
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            return ""
        question = sentence("Which seat do you play in this match yourself? Enter: none")
        asked = typer.prompt(language_here().translate(question), default="", show_default=False, err=True)
        return str(asked).strip()

    return own_seat


def with_service_config(keys: Keys) -> Keys:
    """The same, with what the service's configuration in this folder says where the command says nothing.

    So whoever hosts by mail names identity and passphrase once, in ``service.toml``.
    """
    path = service_config()
    if not path.is_file() or keys.who is not None:
        return keys
    config = read_config(path)
    secret, file = config.passphrase, keys.passphrase_file
    if file is None and secret is not None and secret.how == "file" and isinstance(secret.where, str):
        file = config.folder / Path(secret.where).expanduser()
    home = keys.home or (config.folder / Path(config.home).expanduser() if config.home else None)
    return replace(keys, home=home, who=config.identity or None, passphrase_file=file)


def copies_in(paths: Sequence[Path]) -> list[tuple[str, Sequence[bytes]]]:
    """The copies that these files hold: whole ones, parts, emails, and pieces that ``pbem update --for-host`` has made.

    Raises:
        UsageProblem: a piece is missing.
    """
    copies: list[tuple[str, Sequence[bytes]]] = []
    bundles: dict[str, dict[int, Piece]] = {}
    for path in paths:
        piece = None if path.is_dir() else read_piece(bytes_of(path))
        if piece is None:
            copies.append((str(path), read_lines(path)))
        else:
            bundles.setdefault(piece.bundle, {})[piece.number] = piece
    for pieces in bundles.values():
        count = next(iter(pieces.values())).count
        missing = [str(number) for number in range(1, count + 1) if number not in pieces]
        if missing:
            raise UsageProblem(
                sentence(
                    "of {count} pieces these are missing: {missing}", count=count, missing=", ".join(missing)
                )
            )
        lines = unpack({number: piece.data for number, piece in pieces.items()})
        copies.append((f"{count} pieces", lines))
    return copies
