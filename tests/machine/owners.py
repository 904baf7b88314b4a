"""Whose keys a seat may have: said here a second time, from the record alone.

A seat's keys change by its own word (its key, its recovery key), by a newcomer after it resigned, or by its invitation
before its first turn; against its silence only after a proposal that stood in the record for at least ``HOLD`` hours in
which nothing came from it. A resignation counts after as long a silence, and so does another recovery key, while the
one before it says nothing.
"""

from __future__ import annotations

from pbem.game import JsonObject, Seat
from pbem.protocol.crypto.digest import b64, sha, unb64
from pbem.protocol.record.deadlines import plus_hours
from pbem.protocol.record.ledger import Ledger, Player
from pbem.protocol.record.line import Line

HOLD = 72


def keys_kept(before: Ledger, after: Ledger) -> str:
    """Why the newest record gives a seat away that it may not; empty if it may."""
    for seat, player in before.players.items():
        line = after.head
        if (
            after.players[seat].recovery != player.recovery
            and not _brings(line)
            and not _replaced(after, seat)
        ):
            return f"the seat of {seat} has another recovery key too early"
        if after.players[seat].sign == player.sign:
            continue
        own = _own_word(player, line) or _left(before, seat, line) or _taken_again(before, seat, line)
        if not (own or _held_long(before, seat, line)):
            return f"the seat of {seat} has another key, and {seat} was not heard"
    return ""


def _own_word(player: Player, line: Line) -> bool:
    if line.kind != "rekey" or "msg" not in line.body:
        return False
    key = line.body["msg"]["sig"]["key"]
    return key == b64(player.sign) or sha(unb64(key, 32)) == player.recovery


def _left(ledger: Ledger, seat: Seat, line: Line) -> bool:
    """It resigned, and said nothing for as long as that is held; what it says afterwards changes nothing."""
    since = max(
        (line.seq for line in ledger.lines if _brings(line) and _seat(line.body["msg"]) == seat), default=0
    )
    resigned = [
        line
        for line in ledger.lines[since:]
        if line.kind == "propose" and line.body["what"] == {"kind": "resign", "seat": seat}
    ]
    return line.kind == "substitute" and any(
        _counted(ledger, resignation, seat, line.at) for resignation in resigned
    )


def _counted(ledger: Ledger, resigned: Line, seat: Seat, at: str) -> bool:
    later = next((line for line in ledger.lines[resigned.seq + 1 :] if _speaks(line, seat)), None)
    return min(at, later.at if later else at) >= plus_hours(resigned.at, HOLD)


def _taken_again(ledger: Ledger, seat: Seat, line: Line) -> bool:
    """By its invitation, which is good until its first turn."""
    if line.kind != "retake" or _seat(line.body["msg"]) != seat:
        return False
    own = [line for line in ledger.lines if "msg" in line.body and _seat(line.body["msg"]) == seat]
    since = max((place for place, line in enumerate(own) if line.kind in ("join", "substitute")), default=0)
    return not any(line.kind == "turn" for line in own[since:])


def _replaced(ledger: Ledger, seat: Seat) -> bool:
    """Another recovery key was named long ago, and no rekey by the one before it came since."""
    recovery, at = ledger.players[seat].recovery, ledger.head.at
    own = [
        line for line in ledger.lines if line.kind == "rekey" and "msg" in line.body and _speaks(line, seat)
    ]
    named = [line for line in own if recovery and line.body["msg"]["body"].get("recovery") == b64(recovery)]
    return any(at >= plus_hours(line.at, HOLD) for line in named)


def _brings(line: Line) -> bool:
    return line.kind in ("join", "substitute", "retake")


def _speaks(line: Line, seat: Seat) -> bool:
    return seat in map(_seat, _files(line))


def _held_long(ledger: Ledger, seat: Seat, line: Line) -> bool:
    proposal = ledger.line_at(line.body.get("proposal", -1))
    if proposal is None or proposal.kind != "propose" or proposal.body["what"]["seat"] != seat:
        return False
    heard = any(seat in map(_seat, _files(later)) for later in ledger.lines[proposal.seq + 1 :])
    return not heard and line.at >= plus_hours(proposal.at, HOLD)


def _files(line: Line) -> list[JsonObject]:
    body = line.body
    return [*([body["msg"]] if "msg" in body else []), *body.get("consents", ())]


def _seat(file: JsonObject) -> Seat:
    return Seat(file["body"]["seat"])
