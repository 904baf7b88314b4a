"""What the player's commands call."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from pbem.base.errors import UsageProblem
from pbem.base.language import Language
from pbem.base.sentences import columns, counted, sentence
from pbem.base.sentences import joined as joined_by
from pbem.cli.clients import bytes_of, checkpoints, raw_lines, sign
from pbem.cli.console import tell
from pbem.cli.options import Keys
from pbem.cli.speech import tag_for
from pbem.cli.which import identity_of_kind, unlocked
from pbem.game import JsonObject, Seat
from pbem.games import find_game
from pbem.player.letters.hosting import host_plays, invitations_hold
from pbem.player.mail import content_of
from pbem.player.seat import (
    Copy,
    PlayerClient,
    Signed,
    find_copy,
    in_order,
    parse_actions,
    read_lines,
)
from pbem.player.seat.joining import JoinWishes, seat_to_join, sign_join
from pbem.player.store import MatchFolder
from pbem.protocol.crypto.digest import fingerprint
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.record import Record


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
    who, raw, header = identity_of_kind(keys, "player")
    lines = read_lines(invite)
    copy = find_copy(invite) if folder is None else Copy(MatchFolder(folder))
    if folder is not None:
        copy.take_in(lines, invite.name)
    letter = content_of(bytes_of(invite)).seat if invite.is_file() else ""
    tell_host_plays(copy.record)
    chosen = seat_to_join(copy.record, invite, letter, header.name, seat)
    client = PlayerClient(copy, identity or unlocked(keys, raw, who), secrets.token_bytes)

    def make(yes: bool) -> Signed:
        return sign_join(
            client, header, chosen, wishes, lang=tag_for(None), substitute=substitute, word=word, again=yes
        )

    return client, sign(client, make, again=again)


def tell_host_plays(record: Record) -> None:
    """Say who hosts and plays, before anything is signed; nothing if the host does not play."""
    told = host_plays(record, record.names)
    if told is not None:
        tell(told)


def show_roster(client: PlayerClient) -> None:
    """Tell the fingerprints, to be compared before anybody is ready (schemas/README.md §12)."""
    players = client.record.ledger.players
    rows = [(seat, player.name, fingerprint(player.sign)) for seat, player in players.items()]
    told = sentence("compare these fingerprints with your friends, by phone if you can:")
    tell(joined_by((told, columns(rows)), "\n"))
    held = invitations_hold(client.record.ledger)
    if held is not None:
        tell(held)


def actions_from(client: PlayerClient, arguments: Sequence[str], stdin: IO[str]) -> list[JsonObject]:
    """The actions of the command line."""
    return parse_actions(find_game(client.record.game_info.id), arguments, stdin.read)


def tells_from(texts: Sequence[str]) -> dict[Seat, str]:
    """``SEAT=TEXT`` options."""
    found: dict[Seat, str] = {}
    for text in texts:
        seat, sign, word = text.partition("=")
        if not sign or not word:
            raise UsageProblem(sentence("expected --tell SEAT=TEXT, found {text!r}", text=text))
        found[Seat(seat.lower())] = word
    return found


# --- copies -------------------------------------------------------------------------------------------------


def updated(game: Path, files: Sequence[Path]) -> JsonObject:
    """Take the lines of these files into the copy, the oldest first."""
    copy = find_copy(game, checkpoints(None))
    record = copy.record
    for path in files:
        raw_lines(path)
    taken = [
        {"file": str(path), "new": copy.take_in(read_lines(path), str(path))} for path in in_order(files)
    ]
    record = copy.record
    for note in copy.notes:
        tell(note)
    head = fingerprint(record.head.hash)
    return {"file": str(copy.folder.game.path), "records": len(record.lines), "head": head, "taken": taken}


def update_text(facts: JsonObject, language: Language) -> str:
    """What was new in each file, and what the copy holds now."""
    taken = [
        counted("{file}: {n} new record", "{file}: {n} new records", one["new"], file=one["file"])
        for one in facts["taken"]
    ]
    whole = {name: facts[name] for name in ("file", "records", "head")}
    now = sentence("{file}: {records} records, record hash {head}", **whole)
    return "\n".join(map(language.tell, (*taken, now)))
