"""A seat taken again by the same invitation, from another browser, before its first turn (schemas/README.md §10.10).

Whether the join came with the invitation only the host knows: no reader can see it. So it goes to all, ends the old
keys, and throws away an epoch that was laid and not dealt, marked like a burn.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.base.errors import RefusedError
from pbem.base.sentences import sentence
from pbem.base.values import replace
from pbem.game import JsonObject, Seat
from pbem.protocol.crypto.digest import unb64
from pbem.protocol.formats.envelopes import body_hash, verify_file
from pbem.protocol.formats.messages import Message
from pbem.protocol.record.check_messages import check_newcomer, key_fault, seat_player
from pbem.protocol.record.check_results import check_whole_packets, take_whole_packets
from pbem.protocol.record.kind import Kind, RulingContext
from pbem.protocol.record.kinds.announce import announce
from pbem.protocol.record.kinds.join import JOIN
from pbem.protocol.record.ledger import Ledger
from pbem.protocol.record.line import Fault, Indexed, Line, differs, everybody
from pbem.protocol.record.takeover import ask_again

MOST: Final = 4
"""How often a seat may be taken again in one match."""


def retake_fault(ledger: Ledger, seat: Seat) -> str:
    """Why nobody can take this seat a second time now, in words; empty if somebody can."""
    if seat not in ledger.players:
        return sentence("nobody has joined as {seat} yet", seat=seat)
    if seat == ledger.host_seat:
        return sentence("{seat} is the host's own seat", seat=seat)
    if ledger.ended is not None:
        return sentence("the match has ended")
    if ledger.paused is not None:
        return sentence("the match is paused")
    if seat in ledger.resigned:
        return sentence("{seat} has resigned; only a replacement player can sit there", seat=seat)
    taken = 0
    for seq in ledger.index.files_of(seat, ledger.head.seq):
        line = ledger.lines[seq]
        body = line.body["msg"]["body"]
        if "actions" in body:
            return sentence("{seat} has made a turn; its invitation is over", seat=seat)
        if line.kind == RETAKE.name:
            taken += 1
        elif "name" in body:
            break
    if taken >= MOST:
        return sentence("{seat} was taken again {count} times already", seat=seat, count=taken)
    return ""


def join_fault(ledger: Ledger, body: JsonObject) -> str:
    """Why this join takes no seat again, in words; empty if it does: it is new, has number 0, and brings other keys."""
    player = ledger.players.get(Seat(body["seat"]))
    if body["n"] != 0:
        return sentence("a join has number 0, found {n}", n=body["n"])
    if body_hash(body) in ledger.messages:
        return sentence("this join stands in the record already")
    if player is not None and {player.sign, player.seal} & {unb64(body["sign"]), unb64(body["seal"])}:
        return sentence("it brings a key that {seat} has already", seat=player.seat)
    return key_fault(ledger, Seat(body["seat"]), body)


def voided(ledger: Ledger) -> int | None:
    """The epoch that is thrown away with a retake: announced, and nothing was dealt in the match yet; else None."""
    newest = ledger.newest
    return None if newest is None or ledger.running is not None else newest.number


def _check(ledger: Ledger, line: Line) -> Iterator[Fault]:
    joined = line.body["msg"]["body"]
    seat = Seat(joined["seat"])
    for reason in filter(None, (retake_fault(ledger, seat), join_fault(ledger, joined))):
        yield line.fault(2, "retake", reason)
    if line.body.get("void") != voided(ledger):
        words = differs(sentence("the deal that is void"), voided(ledger), line.body.get("void"))
        yield line.fault(4, "void", words)
    yield from check_newcomer(ledger, line)
    yield from check_whole_packets(ledger, line, {seat})


def _take(ledger: Ledger, line: Line) -> None:
    newest, seat = ledger.newest, Seat(line.body["msg"]["body"]["seat"])
    seat_player(ledger, line, since=newest.number + 1 if newest else 1)
    take_whole_packets(ledger, line)
    ledger.silent -= {seat}
    ledger.burned_out -= {seat}
    ledger.returned -= {seat}
    ledger.lost[seat] = line
    if newest is not None and voided(ledger) is not None:
        ledger.epochs[newest.number] = replace(newest, burned=True, burned_for=(seat,))
    if ledger.awaited == seat:
        ask_again(ledger, line)


def _announces(line: Indexed) -> bool:
    return "void" in line.body


def retake(context: RulingContext, join: Message) -> None:
    """Put somebody into a seat again who came with its invitation; the reasons against it as ``RefusedError``."""
    ledger, seat = context.ledger, Seat(join.seat)
    verify_file(JOIN.name, join.file, unb64(join.body["sign"], 32))
    reason = (
        retake_fault(ledger, seat)
        or join_fault(ledger, join.body)
        or context.look_alike(join.body["name"], join.seat)
    )
    if reason:
        raise RefusedError(reason)
    void = voided(ledger)
    members = context.whole_packet(seat, unb64(join.body["seal"], 32))
    if void is not None:
        members["void"] = void
    context.add(RETAKE.name, {"msg": join.file, **members})
    if void is not None:
        announce(context)
    context.go_on()


RETAKE: Final = Kind(
    "retake",
    _check,
    _take,
    signed_as=JOIN.signed_as,
    announces=_announces,
    audience=everybody,
    text="retake",
    counted=False,
    newcomer=True,
    bars=True,
    invitation="again",
    keys=True,
    asks=True,
)
