"""Where a match stands, as data: who is awaited, since when, until when, and what the host may do."""

from __future__ import annotations

from typing import assert_never

from pbem.base.language import ENGLISH, Language
from pbem.game import JsonObject, Seat
from pbem.player.letters.hosting import host_plays
from pbem.player.letters.standing import waiting_at
from pbem.protocol.crypto.digest import b64, fingerprint, short_id
from pbem.protocol.record import Record
from pbem.protocol.record import deadlines as states
from pbem.protocol.record.kinds import KINDS
from pbem.protocol.record.takeover import excused_left, open_proposals


def status_of(record: Record, now: str, language: Language = ENGLISH) -> JsonObject:
    """The status that everybody may know, seen at the time ``now``; what it ``says`` is in this language."""
    record = record.as_of(max(now, record.head.at))
    ledger = record.ledger
    standing = record.standing
    words = waiting_at(record, None, record.head.seq, language, now=max(now, record.head.at))
    hosted = host_plays(record, record.names)
    status: JsonObject = {
        "match": short_id(record.game),
        "game": b64(record.game),
        "rules": record.game_info.id,
        "title": record.game_info.title,
        "profile": record.game_info.variant(record.genesis["options"]),
        "phase": _phase(standing),
        "awaited": list(states.awaited_in(standing)),
        "says": f"{words.described()} {words.by()}".strip(),
        "head": {"seq": record.head.seq, "at": record.head.at, "fingerprint": fingerprint(record.head.hash)},
        "seats": [_seat(record, seat) for seat in record.seats],
        "unjoined": [seat for seat in record.seats if seat not in ledger.players],
        "unready": list(record.missing_links),
        "over": record.over,
        "proposals": open_proposals(ledger),
    }
    optional: JsonObject = {
        "waiting": record.waiting,
        "due": record.due,
        "since": _since(record),
        "may": _may(record, now),
        "paused": None
        if ledger.paused is None
        else {"record": ledger.paused.seq, "since": ledger.paused.since, "until": ledger.paused.until},
        "outcome": None if ledger.ended is None else ledger.ended.body["outcome"],
        "hidden_from": None if hosted is None else ledger.hidden_from,
        "hosted": None if hosted is None else language.translate(hosted),
    }
    return status | {name: value for name, value in optional.items() if value is not None}


def _since(record: Record) -> str | None:
    """Since when somebody is awaited: the record that asks for a decision, or for links."""
    ledger, standing = record.ledger, states.beneath(record.standing)
    match standing:
        case states.Decision() | states.Answer():
            return ledger.lines[standing.asked].at
        case states.ReadyFiles() | states.Links():
            return ledger.lines[min(ledger.asked, ledger.head.seq)].at
        case states.Joins() | states.Host() | None:
            return None
        case _:
            assert_never(standing)


def _phase(standing: states.Standing) -> str:
    match standing:
        case states.Over():
            return "over"
        case states.Paused():
            return "paused"
        case states.Joins():
            return "joining"
        case states.ReadyFiles():
            return "getting ready"
        case states.Decision() | states.Answer():
            return "playing"
        case states.Links() | states.Host():
            return "between"
        case _:
            assert_never(standing)


def _seat(record: Record, seat: Seat) -> JsonObject:
    player = record.ledger.players.get(seat)
    facts: JsonObject = {"seat": seat, "joined": player is not None}
    if player is not None:
        facts |= {"name": player.name, "fingerprint": fingerprint(player.sign), "files": player.n}
        facts["silent"] = seat in record.ledger.silent
        facts["resigned"] = seat in record.ledger.resigned
        if record.ledger.deadlines.excused:
            facts["excused"] = excused_left(record.ledger, seat)
    last = _last_heard(record, seat)
    return facts | ({"heard": last} if last else {})


def _last_heard(record: Record, seat: Seat) -> str:
    for line in reversed(record.lines):
        message = line.body.get("msg")
        if message is not None and message["body"]["seat"] == seat:
            return line.at
    return ""


def _may(record: Record, now: str) -> JsonObject | None:
    """What is due by the clock: a default (of whom, from when on), a burn."""
    if record.over:
        return None
    clocks = {name: kind.clock for name, kind in KINDS.items() if kind.clock is not None}
    may = {name: clock.due(record.ledger, now) for name, clock in clocks.items()}
    return {name: due for name, due in may.items() if due is not None} or None
