"""New keys for a seat: by its own key or its recovery key, or as the others proposed (schemas/README.md §5, §10.8)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pbem.base.sentences import Sentence, sentence
from pbem.base.values import replace
from pbem.game import JsonObject, Seat
from pbem.protocol.crypto.digest import unb64
from pbem.protocol.formats.messages import Message
from pbem.protocol.record import check_messages, takeover
from pbem.protocol.record.check_results import check_whole_packets, take_whole_packets
from pbem.protocol.record.kind import Agreement, AgreementReader, FileKind, Kind, RulingContext, never
from pbem.protocol.record.kinds.absence import absence_left, hours_between
from pbem.protocol.record.ledger import ChainRun, Ledger, Proposal, Replacement
from pbem.protocol.record.line import Fault, Indexed, Line, packet_owners


def _fault(ledger: Ledger, terms: JsonObject) -> str:
    seat = Seat(terms["seat"])
    return takeover.takeover_fault(ledger, seat) or check_messages.key_fault(ledger, seat, terms)


def _check(ledger: Ledger, line: Line) -> Iterator[Fault]:
    if "msg" in line.body:
        yield from check_messages.check_message(ledger, line, "rekey", line.body["msg"])
        reason = recovery_fault(ledger, line.body["msg"]["body"])
        if reason:
            yield line.fault(2, "recovery", reason)
    else:
        wrong = list(takeover.check_completion(ledger, line))
        yield from wrong
        if not takeover.carries_out(ledger, line):
            return
        # somebody else may have taken one of these keys since they were proposed
        yield from check_messages.check_keys(
            ledger, line, takeover.taken_seat(ledger, line), takeover.new_keys(ledger, line)
        )
    yield from check_whole_packets(ledger, line, {takeover.taken_seat(ledger, line)})


def recovery_fault(ledger: Ledger, body: JsonObject) -> str:
    """Why the recovery key that this file names cannot come in place of the seat's, in words; empty if it can."""
    recovery, player = body.get("recovery"), ledger.players.get(Seat(body["seat"]))
    if recovery is None or player is None:
        return ""
    if player.seat in ledger.frozen:
        return sentence(
            "the recovery key of {seat} was claimed twice and is not replaced any more; the "
            "others can agree to a replacement player",
            seat=player.seat,
        )
    if player.recovery == unb64(recovery, 32):
        return sentence("{seat} has this recovery key already", seat=player.seat)
    return ""


def _take_recovery(ledger: Ledger, line: Line) -> None:
    """Held: a second claim, or a file of the old recovery key (``take_message``), undoes it, and none replaces it then.

    What the keys of the act sign is with the act: it undoes nothing.
    """
    body = line.body["msg"]["body"]
    seat, recovery = Seat(body["seat"]), body.get("recovery")
    held = ledger.replacing.get(seat)
    if held is not None:
        if recovery is not None and unb64(recovery, 32) != held.recovery:
            del ledger.replacing[seat]
            ledger.frozen |= {seat}
    elif recovery is not None and seat not in ledger.frozen:
        until = takeover.hold_until(ledger, seat, line.at)
        ledger.replacing[seat] = Replacement(line, until, unb64(recovery, 32))


def _ask_again_once(ledger: Ledger, line: Line, seat: Seat) -> None:
    """A rekey by the recovery key gives the seat its time again, once an epoch, out of what it may be away alone."""
    running = ledger.running
    due = takeover.asked_until(ledger, line.at)
    if running is None or due is None or ledger.due is None or due <= ledger.due:
        return
    hours = hours_between(ledger.due, due)
    if ledger.renewed.get(seat, 0) < running.number and hours <= absence_left(ledger, seat):
        ledger.renewed[seat] = running.number
        ledger.absent[seat] = ledger.absent.get(seat, 0) + hours
        takeover.ask_again(ledger, line)


def _take(ledger: Ledger, line: Line) -> None:
    own = "msg" in line.body
    if not own and not takeover.carries_out(ledger, line):
        return  # a fault; nobody is put into any seat
    player = ledger.players[takeover.taken_seat(ledger, line)]
    recovers = own and check_messages.by_recovery(player, line.body["msg"])
    if own:
        check_messages.take_message(ledger, line, line.body["msg"])
        _take_recovery(ledger, line)
    take_whole_packets(ledger, line)
    seat, keys, newest = takeover.taken_seat(ledger, line), takeover.new_keys(ledger, line), ledger.newest
    player = ledger.players[seat]
    since = newest.number + 1 if newest else 1
    chain = ChainRun(unb64(keys["anchor"], 32), keys["length"], since, served="served" in keys)
    ledger.players[seat] = replace(
        player,
        sign=unb64(keys["sign"], 32),
        seal=unb64(keys["seal"], 32),
        # Whoever signs with the old key or the recovery key has the old chain too, and owes its last link.
        chains=(*player.chains, chain) if own else (chain,),
    )
    if not own:
        ledger.lost[seat] = line
        takeover.settle(ledger, seat, line.seq)
    if ledger.awaited == seat and not own:
        takeover.ask_again(ledger, line)
    elif ledger.awaited == seat and recovers:
        _ask_again_once(ledger, line, seat)


def _judge(ledger: Ledger, message: Message) -> None:
    """Who has the old key gives the last link of its chain first; who comes with the recovery key gives it later."""
    seat, key = Seat(message.seat), message.file["sig"]["key"]
    check_messages.refuse_if("malformed", check_messages.key_fault(ledger, seat, message.body))
    check_messages.refuse_if("malformed", recovery_fault(ledger, message.body))
    check_messages.refuse_if(
        "too-many", check_messages.too_many(ledger, seat, 2 * check_messages.TALK, key=key)
    )
    newest = ledger.newest
    lost = newest is not None and takeover.link_lost(ledger, newest, seat)
    if unb64(key, 32) == ledger.players[seat].sign and seat in takeover.missing_links(ledger) and not lost:
        check_messages.refuse_if(
            "link-missing", sentence("press Ready for the announced deal first, then replace the key")
        )


def _rule(context: RulingContext, message: Message, _: Sequence[JsonObject]) -> None:
    members = context.whole_packet(Seat(message.seat), unb64(message.body["seal"], 32))
    context.add("rekey", {"msg": message.file, **members})


def give_keys(context: RulingContext, proposal: Proposal, named: JsonObject) -> None:
    """Give a seat the keys that are proposed for it, its hand sealed again to them; ``named`` says by what."""
    packet = context.whole_packet(proposal.seat, unb64(proposal.what["seal"], 32))
    context.add(REKEY.name, named | packet)


def _needs_proposal(_: Ledger, __: JsonObject) -> bool:
    """Who has a key of the seat needs nobody's consent."""
    return True


def _audience(line: Indexed, seats: Sequence[Seat]) -> Sequence[Seat]:
    held = "proposal" in line.body or "recovery" in line.body["msg"]["body"]
    return seats if held else packet_owners(line, seats)


def _says(terms: JsonObject, reader: AgreementReader) -> Sentence:
    return sentence("{name}'s seat gets a new key", name=reader.name(terms["seat"]))


REKEY: Final = Kind(
    "rekey",
    _check,
    _take,
    file=FileKind("rekey", _judge, _rule, awaited=True, says=lambda _: sentence("new keys for your seat")),
    signed_as="rekey",
    audience=_audience,
    text="rekey",
    keys=True,
    asks=True,
    loses_link=True,
    agreement=Agreement("others", _says, _fault, never, proposed=_needs_proposal, command="carry-out"),
)
