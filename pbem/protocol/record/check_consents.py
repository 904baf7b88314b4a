"""Records that people agree to: pause, absence, resign, propose, substitute, rekey, reseal, rewind.

Who must agree stands in the ``consent`` member of genesis, by kind: ``all`` seats, all ``others`` than the seat it
is about, that ``seat`` itself, or the ``host`` alone. A kind not named there needs what ``DEFAULT_CONSENT`` says; a
rewind always needs all, and so does an absence beyond what a seat may take alone (schemas/README.md §7, §10.4).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from pbem.base.sentences import sentence, term
from pbem.base.shapes.schema import load
from pbem.base.values import replace
from pbem.game import JsonObject, Seat
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.record.check_messages import (
    check_consents,
    check_join,
    check_message,
    key_fault,
    newcomer_fault,
)
from pbem.protocol.record.check_results import SEAL_OVERHEAD
from pbem.protocol.record.deadlines import parse_time, plus_hours
from pbem.protocol.record.fault import Fault
from pbem.protocol.record.ledger import ChainRun, Epoch, Ledger
from pbem.protocol.record.line import Line
from pbem.protocol.record.takeover import (
    check_completion,
    check_propose,
    named_proposal,
    needs_proposal,
    new_keys,
    open_proposal_fault,
    settle,
    take_propose,
    take_withdraw,
    taken_seat,
    takeover_fault,
)
from pbem.protocol.record.waiting import asked_until, awaited_seat

DEFAULT_CONSENT: Final = {
    "pause": "all",
    "resume": "all",
    "absence": "seat",
    "resign": "seat",
    "substitute": "others",
    "rekey": "others",
    "rewind": "all",
    "end": "all",
}


def _what_members() -> Iterator[tuple[str, tuple[frozenset[str], frozenset[str]]]]:
    for case in load("consent")["properties"]["body"]["properties"]["what"]["allOf"]:
        form = case["then"]
        required = frozenset(form["required"]) - {"kind"}
        yield form["properties"]["kind"]["const"], (required, form["properties"].keys() - required - {"kind"})


WHAT_MEMBERS: Final = dict(_what_members())
"""Members of ``what`` beside ``kind`` as the schema of consents names them: those it must have, those it may have."""


def must_agree(ledger: Ledger, what: JsonObject) -> tuple[Seat, ...]:
    """The seats whose consent a record with this ``what`` needs."""
    kind = what["kind"]
    rule = (
        "all" if kind == "rewind" else ledger.genesis["consent"].get(kind, DEFAULT_CONSENT.get(kind, "all"))
    )
    about = what.get("seat")
    if rule == "host":
        return ()
    if (
        kind == "absence"
        and rule == "seat"
        and absence_left(ledger, Seat(what["seat"])) < absence_hours(what)
    ):
        return ledger.seats
    if rule == "seat":
        return (Seat(about),) if about else ledger.seats
    if rule == "others":
        return tuple(seat for seat in ledger.seats if seat != about)
    return ledger.seats


def what_fault(ledger: Ledger, what: JsonObject) -> str:
    """Why nobody can agree to this ``what`` now, in words; empty if they can."""
    kind = what["kind"]
    members = WHAT_MEMBERS.get(kind)
    if members is None:
        return sentence(
            "there is nothing called {kind!r} to agree to; there are {names}",
            kind=kind,
            names=", ".join(sorted(WHAT_MEMBERS)),
        )
    required, optional = members
    named = set(what) - {"kind"}
    if not required <= named or named - required - optional:
        return sentence(
            "{kind} takes {names}, found {names2}",
            kind=kind,
            names=", ".join(sorted(required | optional)) or "no member",
            names2=", ".join(sorted(named)),
        )
    if "seat" in what and what["seat"] not in ledger.seats:
        return sentence("there is no seat {seat}", seat=what["seat"])
    if kind == "pause" and ledger.paused is not None:
        return sentence("the match is paused already")
    if kind == "resume" and ledger.paused is None:
        return sentence("the match is not paused")
    if kind == "absence":
        return _span_fault(what)
    if kind in ("substitute", "rekey"):
        return _takeover_fault(ledger, what)
    if kind == "rewind":
        return rewind_fault(ledger, what["to"])
    return ""


ALONE: Final = 1440
"""Hours of absence that a seat takes by its own consent alone, in a whole match."""
LONGEST_ABSENCE: Final = 24 * 366
"""Hours: who stays away longer needs a substitute, or a second absence that he announces himself."""


def _span_fault(what: JsonObject) -> str:
    if what["from"] >= what["until"]:
        return sentence("an absence ends after it began")
    if what["until"] > plus_hours(what["from"], LONGEST_ABSENCE):
        return sentence(
            "an absence lasts at most {LONGEST_ABSENCE} hours (366 days)", LONGEST_ABSENCE=LONGEST_ABSENCE
        )
    return ""


def absence_hours(what: JsonObject) -> int:
    """How many hours this absence lasts, a part of one counted as a whole one."""
    span = parse_time(what["until"]) - parse_time(what["from"])
    return -int(-span.total_seconds() // 3600)


def absence_left(ledger: Ledger, seat: Seat) -> int:
    """How many hours of absence this seat may still take without the others."""
    return max(ALONE - ledger.absent.get(seat, 0), 0)


def _takeover_fault(ledger: Ledger, what: JsonObject) -> str:
    seat = Seat(what["seat"])
    reason = takeover_fault(ledger, seat) or open_proposal_fault(ledger, seat)
    return reason or (key_fault(ledger, seat, what) if what["kind"] == "rekey" else "")


def rewind_fault(ledger: Ledger, to: JsonObject) -> str:
    """Why the match cannot go back to this record; empty if it can (schemas/README.md §7: never across a reveal)."""
    target = ledger.line_at(to["seq"])
    if target is None or b64(target.hash) != to["line"] or "steps" not in target.body:
        return sentence("record {seq} of this file has no result to go back to", seq=to["seq"])
    for line in ledger.lines[target.seq + 1 :]:
        if line.kind in ("open", "close", "burn", "substitute"):
            return sentence("record {seq} ({kind}) lies between", seq=line.seq, kind=term(line.kind))
        for step in line.body.get("steps", ()):
            if step["chance"] or any(event["event"] in SHOWS for event in step["events"]):
                return sentence("record {seq} showed something that cannot be un-seen", seq=line.seq)
    return ""


SHOWS: Final = frozenset({"drew", "asked", "given", "found", "searching", "shot", "volley", "robbed"})
"""Events by which somebody learnt something that no view held before."""


def check_consent_record(ledger: Ledger, line: Line, *, signatures: bool) -> Iterator[Fault]:
    """Check one of these records: the right people agreed to exactly this, and packets fit."""
    body = line.body
    what = body.get("what")
    if what is not None:
        reason = what_fault(ledger, what)
        if reason:
            yield Fault(line.seq, 2, line.kind, reason)
            return
        yield from check_consents(ledger, line, must_agree(ledger, what), signatures=signatures)
    if line.kind == "propose":
        yield from check_propose(ledger, line)
    if "proposal" in body:
        proposal = named_proposal(ledger, line)
        if proposal is None:
            named = body["proposal"]
            yield Fault(line.seq, 2, "proposal", f"record {named} is no open proposal of a {line.kind}")
            return
        yield from check_completion(ledger, line, proposal)
    if line.kind == "substitute":
        yield from _check_newcomer(ledger, line, signatures=signatures)
    if line.kind == "rekey":
        yield from _check_rekey(ledger, line, signatures=signatures)
    if "packets" in body or line.kind in ("rekey", "reseal", "substitute"):
        yield from _check_whole_packets(ledger, line)


def _check_newcomer(ledger: Ledger, line: Line, *, signatures: bool) -> Iterator[Fault]:
    joined = line.body["msg"]["body"]
    what = line.body.get("what")
    seat = taken_seat(ledger, line) if what is None else Seat(what["seat"])
    if joined["seat"] != seat:
        yield Fault(line.seq, 2, "substitute", f"the new player joins as {joined['seat']}, not as {seat}")
    if what is not None and needs_proposal(ledger, what):
        yield Fault(line.seq, 2, "proposal", f"{seat} has not resigned; a substitute must be proposed first")
    reason = newcomer_fault(ledger, joined)
    if reason:
        yield Fault(line.seq, 2, "number", f"{seat}: {reason}")
    yield from check_join(ledger, line, line.body["msg"], signatures=signatures)


def _check_rekey(ledger: Ledger, line: Line, *, signatures: bool) -> Iterator[Fault]:
    body = line.body
    if "msg" in body:
        yield from check_message(ledger, line, "rekey", body["msg"], signatures=signatures)
        return
    seat = taken_seat(ledger, line)
    reason = key_fault(ledger, seat, new_keys(ledger, line))
    if reason:  # somebody else has taken one of these keys since they were proposed
        yield Fault(line.seq, 2, "key", f"the keys of {seat}: {reason}")


def resealed_seats(ledger: Ledger, line: Line) -> tuple[Seat, ...] | None:
    """Whose packets such a record must hold; None for a reseal, which may hold anybody's."""
    return None if line.kind == "reseal" else (taken_seat(ledger, line),)


def whole_packet_size(ledger: Ledger, epoch: Epoch | None, seat: Seat) -> int | None:
    """Plaintext size of a packet with all that a seat was dealt and shown in the running epoch.

    It follows from public facts: the draws dealt to the seat, the cards that its searches showed and found.
    """
    draws = sum(1 for draw in epoch.draws if draw.to == seat) if epoch else 0
    results = epoch.results if epoch else ()
    events = [event for line in results for step in line.body["steps"] for event in step["events"]]
    shown = sum(_shown(event) for event in events if event.get("seat") == seat)
    return ledger.rules.packet_size(draws, shown)


def _shown(event: JsonObject) -> int:
    """How many cards' room a search takes: its stack and the frame of that, the card found."""
    searching = event["event"] == "searching"
    return 1 + int(event["cards"]) if searching else int(event["event"] == "found")


def lasting_facts(facts: Iterable[JsonObject]) -> list[JsonObject]:
    """Of what a seat was told, what a whole packet repeats: stacks and cards of its searches, and its newest cash."""
    told = list(facts)
    cash = [fact for fact in told if "cash" in fact]
    return [fact for fact in told if "stack" in fact or "found" in fact] + cash[-1:]


def _check_whole_packets(ledger: Ledger, line: Line) -> Iterator[Fault]:
    packets = line.body.get("packets")
    if not ledger.rules.has_secrets:
        if packets is not None:
            yield Fault(line.seq, 7, "packets", "packets in a match without secrets")
        return
    expected = resealed_seats(ledger, line)
    found = packets or {}
    if (expected is not None and set(found) != set(expected)) or not found:
        yield Fault(
            line.seq, 7, "packets", f"packets for {', '.join(found) or 'nobody'} in a record {line.kind}"
        )
    running = ledger.running
    live = running if running is not None and running.closed is None else None
    if line.body["epoch"] != (running.number if running else 0):
        yield Fault(line.seq, 7, "epoch", f"epoch {line.body['epoch']} is not the running one")
    for seat, packet in found.items():
        size = whole_packet_size(ledger, live, Seat(seat))
        length = len(packet["ct"]) * 3 // 4
        if size is not None and length != size + SEAL_OVERHEAD:
            yield Fault(
                line.seq,
                7,
                "packet-length",
                f"the packet of {seat} has {length} bytes, public facts give {size + SEAL_OVERHEAD}",
            )


def take_consent_record(ledger: Ledger, line: Line) -> None:
    """Take what was agreed into the ledger."""
    body = line.body
    running = ledger.running
    if "packets" in body and running is not None and running.closed is None:
        ledger.epochs[running.number] = replace(running, resealed=(*running.resealed, line))
    match line.kind:
        case "pause":
            ledger.paused = line
        case "resume":
            ledger.paused = None
        case "resign":
            ledger.resigned |= {Seat(body["what"]["seat"])}
        case "absence":
            _take_absence(ledger, line)
        case "propose":
            take_propose(ledger, line)
        case "withdraw":
            take_withdraw(ledger, line)
        case "rekey":
            _take_rekey(ledger, line)
        case "substitute":
            seat = taken_seat(ledger, line)
            ledger.resigned -= {seat}
            ledger.silent -= {seat}
            ledger.burned_out -= {seat}
            ledger.orders.pop(seat, None)
            ledger.absences = tuple(a for a in ledger.absences if a.body["what"]["seat"] != seat)
            ledger.missed.pop(seat, None)
            ledger.absent.pop(seat, None)
            ledger.lost[seat] = line
            if awaited_seat(ledger) == seat:
                _ask_again(ledger, line)
        case "rewind":
            _take_rewind(ledger, line)
        case _:
            pass


def _ask_again(ledger: Ledger, line: Line) -> None:
    """Whoever is awaited is asked by this record: he has a full time from it."""
    ledger.due, ledger.asked = asked_until(ledger, line.at), line.seq


def _take_absence(ledger: Ledger, line: Line) -> None:
    ledger.absences = (*ledger.absences, line)
    what, agreed = line.body["what"], {file["body"]["seat"] for file in line.body["consents"]}
    seat = Seat(what["seat"])
    if not set(ledger.seats) <= agreed:
        ledger.absent[seat] = ledger.absent.get(seat, 0) + absence_hours(what)


def _take_rekey(ledger: Ledger, line: Line) -> None:
    seat = taken_seat(ledger, line)
    own = "msg" in line.body
    keys = new_keys(ledger, line)
    player = ledger.players[seat]
    newest = ledger.newest
    chain = ChainRun(unb64(keys["anchor"], 32), keys["length"], newest.number + 1 if newest else 1)
    ledger.players[seat] = replace(
        player,
        sign=unb64(keys["sign"], 32),
        seal=unb64(keys["seal"], 32),
        # Whoever signs with the old key or the recovery key has the old chain too, and owes its last link.
        chains=(*player.chains, chain) if own else (chain,),
    )
    if not own:
        ledger.lost[seat] = line
        settle(ledger, seat, line.seq)


def _take_rewind(ledger: Ledger, line: Line) -> None:
    target = ledger.line_at(line.body["what"]["to"]["seq"])
    if target is None or "public" not in target.body:
        return
    ledger.shown, ledger.result, ledger.asks = target, line, "due" in target.body
    running = ledger.running
    if running is not None:
        back = {record.seq for record in running.results if record.seq > target.seq}
        ledger.epochs[running.number] = replace(running, taken_back=running.taken_back | back)
    _ask_again(ledger, line)
