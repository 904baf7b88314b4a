"""How much one seat may put into the record: sealed bytes, numbers, talk (schemas/README.md §6).

A close must open everything that was sealed before it, in one line of at most 1 MiB, and a file grows with every record
that changes nothing. So both are measured, by public lengths and counts alone: anybody can check it, and no file can
make a record that cannot be written.
"""

from __future__ import annotations

from typing import Final

from pbem.base.sentences import sentence
from pbem.game import JsonObject, Seat
from pbem.protocol.crypto.digest import b64
from pbem.protocol.record.ledger import Ledger
from pbem.protocol.record.line import Line

BUDGET: Final = 768 * 1024
"""Bytes that all seats together may have in sealed parts that are not opened yet."""
FRAME: Final = 256
"""What a part costs beside its ciphertext: its place in a close."""
LEAST: Final = 560
"""Bytes of the shortest ciphertext: one block of 512."""
STEP: Final = 256
"""A seat's next number is at most so much above its newest in the record."""
TALK: Final = 16
"""Records of one seat alone between two results."""
PARTS: Final = ("sealed", "orders")


def cost(sealed: JsonObject) -> int:
    """What one sealed part counts."""
    return sealed_size(sealed) + FRAME


def sealed_size(sealed: JsonObject) -> int:
    """The length of a sealed part's ciphertext."""
    return len(sealed["ct"]) * 3 // 4


def over_budget(ledger: Ledger, body: JsonObject, *, result: bool) -> str:
    """Why the sealed parts of this turn are too much now, in words; empty if they are not.

    Args:
        ledger: the match before the turn.
        body: of the message.
        result: whether its record has one.
    """
    parts = [body[part] for part in PARTS if part in body]
    if not parts:
        return ""
    most = room(len(ledger.seats), body, result=result)
    held = sum([part.size + FRAME for part in ledger.unopened.values() if part.seat == body["seat"]])
    number = held + sum(map(cost, parts))
    if number <= most:
        return ""
    return sentence(
        "with this file {seat} would have {found} bytes sealed and not opened yet; at most {most} are taken: "
        "leave out standing orders and talk without sealing anything; a sealed choice that comes alone has more room",
        seat=body["seat"],
        found=number,
        most=most,
    )


def room(seats: int, body: JsonObject, *, result: bool) -> int:
    """How many bytes a seat may have sealed with this turn, in a match of so many seats; ``body`` has sealed parts.

    The last quarter is for a turn with a result that seals the least there is and brings nothing else that could stand
    in its place: a choice that must be made under seal.
    """
    whole = BUDGET // seats
    alone = result and "orders" not in body and not body["actions"]
    return whole if alone and sealed_size(body["sealed"]) == LEAST else whole - whole // 4


def number_ahead(newest: int, n: int) -> str:
    """Why this number is too far above the newest of its seat; empty if it is not."""
    if n <= newest + STEP:
        return ""
    return sentence(
        "the file is number {n}; at most {most} is taken, {STEP} above the newest number of its seat in the record",
        n=n,
        most=newest + STEP,
        STEP=STEP,
    )


def too_many(ledger: Ledger, seat: Seat, most: int = TALK, *, key: str = "") -> str:
    """Why this seat may write nothing more that moves nobody on; empty if it may.

    A rekey by the recovery key has a room of its own: whoever stole the seat's key cannot fill it.

    Args:
        ledger: the match before the file.
        seat: whose file it is.
        most: so many there may be; what is no talk has twice the room, so that nobody talks himself, or his partner's
            new player, out of the match.
        key: that which signed the file, as files write it.
    """
    counted = ledger.recoveries if _by_recovery(ledger, seat, key) else ledger.alone
    if counted.get(seat, 0) < most:
        return ""
    return sentence(
        "{seat} wrote {TALK} times since the last move; the next is taken after a move", seat=seat, TALK=most
    )


def _by_recovery(ledger: Ledger, seat: Seat, key: str) -> bool:
    """Whether the seat's own key did not sign this file: then only its recovery key can have done so, a rekey."""
    player = ledger.players.get(seat)
    return bool(key) and player is not None and key != b64(player.sign)


def key_of(line: Line) -> str:
    """The key that signed the file of this record, if it brings one."""
    return str(line.body["msg"]["sig"]["key"]) if "msg" in line.body else ""


def lone_writer(line: Line) -> Seat | None:
    """The one seat whose word this record is, if it moves nobody on."""
    if "steps" in line.body:
        return None
    writers = {file["body"]["seat"] for file in line.messages}
    return Seat(writers.pop()) if len(writers) == 1 else None


def count(ledger: Ledger, line: Line) -> None:
    """Count a record of one seat alone, before its keys count."""
    seat = lone_writer(line)
    if seat is not None:
        counted = ledger.recoveries if _by_recovery(ledger, seat, key_of(line)) else ledger.alone
        counted[seat] = counted.get(seat, 0) + 1


def begin_anew(ledger: Ledger) -> None:
    """A result and a close begin the count of every seat anew."""
    ledger.alone.clear()
    ledger.recoveries.clear()
