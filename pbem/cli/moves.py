"""What the player's commands call. Imported only by the bodies of commands."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from pbem.cli.console import tell
from pbem.cli.desks import Keys, bytes_of, checkpoints, clock, desk_at, record_told, sign
from pbem.cli.keys import file_name_for
from pbem.cli.speech import tag_for
from pbem.cli.tables import columns
from pbem.crypto.digest import fingerprint
from pbem.crypto.identity import Identity
from pbem.errors import FormatError, UsageProblem
from pbem.game import Grouping, JsonObject, Seat
from pbem.games import find_game
from pbem.language import ENGLISH, Language
from pbem.mail import content_of
from pbem.player import Copy, PlayerDesk, Signed, check_file, find_copy, in_order, parse_actions, read_lines
from pbem.players.labels import named
from pbem.sentences import counted, sentence
from pbem.sentences import joined as joined_by
from pbem.store import MatchFolder
from pbem.values import dataclass


@dataclass(frozen=True, slots=True)
class JoinWishes:
    """What a join can say; what is None is as in the join that was signed before, else as usual."""

    name: str | None = None
    lang: str | None = None
    mail: str | None = None
    zone: str | None = None
    computer: bool = False


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
) -> tuple[PlayerDesk, Signed]:
    """Begin a copy from the invitation and sign a join; ``identity`` is the player's if it is open already."""
    who, raw, header = keys.any_of("player")
    lines = read_lines(invite)
    copy = find_copy(invite) if folder is None else Copy(MatchFolder(folder))
    if folder is not None:
        copy.take_in(lines, invite.name)
    record = copy.record
    chosen = (seat or "").lower() or _seat_named(invite) or _seat_like(header.name, record.seats)
    if chosen is None:
        raise UsageProblem(
            sentence("{invite} does not say which seat is yours", invite=invite),
            hint=sentence("Say it: --seat {names}", names="|".join(record.seats)),
        )
    desk = PlayerDesk(copy, identity or keys.open(raw, who), secrets.token_bytes)
    before = desk.kept_join(chosen)
    last = before.page.wish if before is not None else {}
    name = wishes.name or last.get("name") or header.name

    def make(yes: bool) -> Signed:
        return desk.join(
            chosen,
            name=named(name) if wishes.computer else name,
            lang=wishes.lang or last.get("lang") or tag_for(None),
            mail=wishes.mail or last.get("mail") or None,
            recovery=header.recovery,
            substitute=substitute,
            word=word,
            zone=wishes.zone or last.get("zone") or None,
            again=yes,
        )

    return desk, sign(desk, make, again=again)


def _seat_named(invite: Path) -> str | None:
    """The seat that a letter is for."""
    return content_of(bytes_of(invite)).seat or None if invite.is_file() else None


def _seat_like(person: str, seats: Sequence[str]) -> str | None:
    """The seat that is called like this person."""
    try:
        name = file_name_for(person)
    except UsageProblem:
        return None
    return name if name in seats else None


def show_roster(desk: PlayerDesk) -> None:
    """Tell the fingerprints, to be compared before anybody is ready (schemas/README.md §12)."""
    players = desk.record.ledger.players
    rows = [(seat, player.name, fingerprint(player.sign)) for seat, player in players.items()]
    told = sentence("compare these fingerprints with your friends, by phone if you can:")
    tell(joined_by((told, columns(rows)), "\n"))


def legal_facts(desk: PlayerDesk, language: Language = ENGLISH) -> JsonObject:
    """The legal actions of the own seat, in words and as JSON."""
    record, seat = desk.record, desk.seat
    waiting = record.waiting
    game = find_game(record.game_info.id)
    legal = desk.view.legal if waiting is not None and waiting["seat"] == seat else []
    facts: JsonObject = {"seat": seat, "legal": [_worded(game.action_to_words(a), a) for a in legal]}
    if waiting is not None:
        facts["waiting"] = waiting
    facts["groups"] = _groups(desk, legal, language)
    facts["note"] = "" if legal else _why_nothing(desk, language)
    return facts


def _groups(desk: PlayerDesk, legal: Sequence[JsonObject], language: Language) -> list[JsonObject]:
    """The same in lines, many of a kind in one with price and odds, where the game says how."""
    rules, view = desk.record.rules, desk.view
    if not legal or not isinstance(rules, Grouping):
        return []
    rows = rules.grouped(view.view, legal, view.seen)
    return [{"words": words, "told": language.tell(told)} for words, told in rows]


def legal_text(facts: JsonObject) -> str:
    """The legal actions as a person reads them."""
    if not facts["groups"]:
        return "\n".join(one["words"] for one in facts["legal"])
    return columns([(one["words"], one["told"]) for one in facts["groups"]])


def _worded(words: str, action: JsonObject) -> JsonObject:
    return {"words": words, "action": action}


def _why_nothing(desk: PlayerDesk, language: Language) -> str:
    record = desk.record
    from pbem.letters.standing import (
        waiting_at,
    )  # letters are a long import, and pbem check says nothing of this

    told = waiting_at(record, desk.seat, record.head.seq, language).told()
    return told if record.over else f"{told} {language.tell(desk.age)}."


def actions_from(desk: PlayerDesk, arguments: Sequence[str], stdin: IO[str]) -> list[JsonObject]:
    """The actions of the command line."""
    return parse_actions(find_game(desk.record.game_info.id), arguments, stdin.read)


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
    now = sentence("{file}: {records} records, head {head}", **whole)
    return "\n".join(map(language.tell, (*taken, now)))


def checked(turn_file: Path, game: Path | None, keys: Keys) -> JsonObject:
    """The verdict on a file; with the seat's identity at hand its actions are judged too."""
    raw = _one_file(turn_file)
    copy = find_copy(game if game is not None else turn_file.parent, checkpoints(keys.home))
    try:
        verdict = desk_at(copy, keys).check(raw, clock())
    except UsageProblem:
        verdict = check_file(record_told(copy), raw, at=clock())
    return verdict.to_json()


def _one_file(path: Path) -> bytes:
    content = content_of(bytes_of(path))
    if content.damages and not content.files:
        raise content.damages[0]
    if len(content.files) != 1:
        raise FormatError(
            sentence("expected one signed file in {path}, found {count}", path=path, count=len(content.files))
        )
    return content.files[0]
