"""Whose keys a seat may have: said here a second time, from the record alone; no change of the product hides it.

A seat's keys change by its own word (its key, its recovery key), or by a newcomer after it resigned; against its
silence only after a proposal that stood in the record for at least ``HOLD`` hours in which nothing came from it.
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
        if after.players[seat].sign == player.sign:
            continue
        line = after.head
        if not (_own_word(player, line) or _left(before, seat, line) or _held_long(before, seat, line)):
            return f"the seat of {seat} has another key, and {seat} was not heard"
    return ""


def _own_word(player: Player, line: Line) -> bool:
    if line.kind != "rekey" or "msg" not in line.body:
        return False
    key = line.body["msg"]["sig"]["key"]
    return key == b64(player.sign) or sha(unb64(key, 32)) == player.recovery


def _left(ledger: Ledger, seat: Seat, line: Line) -> bool:
    return line.kind == "substitute" and seat in ledger.resigned


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
