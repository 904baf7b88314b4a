"""Taking a seat over without the consent of its player: proposed, held for a while, then carried out or undone.

A ``propose`` record says to everybody what the others have agreed to. The hold (schemas/README.md §10.8) gives the
seat's own player time: any file in the record that their own key signed undoes it. Only afterwards a ``rekey`` or
``substitute`` may name the proposal.

Below that: how time passes in a match, from record to record, and what the match waits for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from pbem.base.sentences import sentence
from pbem.base.values import replace
from pbem.game import JsonObject, Seat
from pbem.protocol.crypto.digest import unb64
from pbem.protocol.record import deadlines
from pbem.protocol.record.deadlines import Away, plus_hours, shifted
from pbem.protocol.record.ledger import Epoch, Ledger, Proposal
from pbem.protocol.record.line import Fault, Line, differs

REMEMBERED: Final = 14 * 24
"""Hours for which the recovery key's word about its seat waits for the others'."""
HOST_ACTS_FOR: Final = 2
"""In a match of so many seats one opponent would be enough; there the host takes a takeover on themselves, visibly."""


def hold_until(ledger: Ledger, seat: Seat, at: str) -> str:
    """Until when a proposal of ``at`` about this seat is held, pauses aside."""
    return ledger.deadlines.hold(at, away(ledger, seat))


def takeover_fault(ledger: Ledger, seat: Seat) -> str:
    """Why nobody can take this seat over with a new chain now; empty if somebody can.

    The first epoch is never burned, and a chain chosen after it was laid must not serve it.
    """
    if seat not in ledger.players:
        return sentence("nobody has joined as {seat} yet", seat=seat)
    newest = ledger.newest
    waits = newest is not None and ledger.running is None and not newest.burned
    if newest is not None and waits and seat in newest.missing:
        return sentence(
            "the first deal waits for the part of the shuffle of {seat}, which only the old key "
            "can make; start a new match",
            seat=seat,
        )
    return ""


def open_proposal_fault(ledger: Ledger, seat: Seat) -> str:
    """Why nothing new can be proposed about this seat; empty if it can."""
    if seat not in ledger.proposals:
        return ""
    return sentence(
        "record {seq} proposes something about {seat} already; one at a time",
        seq=ledger.proposals[seat].line.seq,
        seat=seat,
    )


def open_proposals(ledger: Ledger) -> list[JsonObject]:
    """What is proposed about which seat, by whom, until when it is held, and whether only the host carries it out."""
    return [
        {
            "seat": seat,
            "what": proposal.what["kind"],
            "record": proposal.line.seq,
            "by": list(dict.fromkeys(file["body"]["seat"] for file in proposal.line.body["consents"])),
            "until": proposal.until,
            "by_hand": host_must_act(ledger) and not proposal.counts,
        }
        for seat, proposal in sorted(ledger.proposals.items())
    ]


def check_hold(ledger: Ledger, line: Line, seat: Seat) -> Iterator[Fault]:
    """What is held about a seat is held as long as the deadlines of the match say."""
    expected, actual = hold_until(ledger, seat, line.at), line.body["until"]
    if actual != expected:
        yield line.fault(4, "hold", differs(sentence("held until"), expected, actual))


def unseen_word(ledger: Ledger, seat: Seat, consent: JsonObject) -> str:
    """Why this consent to a takeover is too old: it had not seen how the last proposal about the seat ended."""
    ended = ledger.settled.get(seat, 0)
    if consent["seen"]["seq"] >= ended:
        return ""
    return sentence(
        "{asked} agreed before record {seq}, by which an earlier proposal about {seat} ended; agree again",
        asked=consent["seat"],
        seq=ended,
        seat=seat,
    )


def proposal_of(ledger: Ledger, seq: int) -> Proposal | None:
    """The open proposal that record ``seq`` made."""
    return next((proposal for proposal in ledger.proposals.values() if proposal.line.seq == seq), None)


def forgotten_word(ledger: Ledger, consent: JsonObject, at: str) -> str:
    """Why the recovery key's word in this consent is too old at this time: it stands whatever the seat's key says."""
    seen = ledger.line_at(consent["seen"]["seq"])
    if seen is None or at <= plus_hours(seen.at, REMEMBERED):
        return ""
    return sentence(
        "{seat} agreed by the recovery key more than {hours} hours ago; agree again",
        seat=consent["seat"],
        hours=REMEMBERED,
    )


def settle(ledger: Ledger, seat: Seat, seq: int) -> None:
    """Record ``seq`` ends what is proposed about a seat, if anything is: a file of the seat itself undoes it.

    What was agreed to before does not count for another proposal.
    """
    if ledger.proposals.pop(seat, None) is not None:
        ledger.settled[seat] = seq


# --- carrying out -----------------------------------------------------------------------------------------------


def completion_fault(ledger: Ledger, proposal: Proposal, at: str) -> str:
    """Why this proposal cannot be carried out at this time; empty if it can."""
    if ledger.paused is not None:
        return sentence("the match is paused")
    if at < proposal.until:
        return sentence(
            "what record {seq} proposes is held until {until}", seq=proposal.line.seq, until=proposal.until
        )
    return takeover_fault(ledger, proposal.seat)


def host_must_act(ledger: Ledger) -> bool:
    """Whether carrying a proposal out must be the host's own visible act."""
    return len(ledger.seats) == HOST_ACTS_FOR


def named_proposal(ledger: Ledger, line: Line) -> Proposal | None:
    """The open proposal that a ``rekey`` or ``substitute`` carries out; None if there is none of that kind."""
    proposal = proposal_of(ledger, line.body["proposal"])
    return proposal if proposal is not None and proposal.what["kind"] == line.kind else None


def carries_out(ledger: Ledger, line: Line) -> bool:
    """Whether a ``rekey`` or ``substitute`` names an open proposal of its kind."""
    return named_proposal(ledger, line) is not None


def check_completion(ledger: Ledger, line: Line) -> Iterator[Fault]:
    """A ``rekey`` or ``substitute`` that carries a proposal out: its hold is over, and it is by whom it must be."""
    proposal = named_proposal(ledger, line)
    if proposal is None:
        words = sentence("record {record} is not an open proposal of this kind", record=line.body["proposal"])
        yield line.fault(2, "proposal", words)
        return
    reason = completion_fault(ledger, proposal, line.at)
    if reason:
        yield line.fault(4, "hold", reason)
    if host_must_act(ledger) != ("act" in line.body):
        by_host = sentence("in a match of two seats only the host's own command carries a proposal out")
        wanted = (
            by_host if host_must_act(ledger) else sentence("in this match the host does not carry it out")
        )
        yield line.fault(2, "act", wanted)


def taken_seat(ledger: Ledger, line: Line) -> Seat:
    """The seat that a ``rekey`` or ``substitute`` is about; ``line`` is not taken yet."""
    body = line.body
    if "proposal" in body:
        return Seat(ledger.lines[body["proposal"]].body["what"]["seat"])
    return Seat(body["what"]["seat"] if "what" in body else body["msg"]["body"]["seat"])


def new_keys(ledger: Ledger, line: Line) -> JsonObject:
    """The object that holds the keys which a ``rekey`` brings: the player's message, or what was proposed."""
    body = line.body
    keys: JsonObject = body["msg"]["body"] if "msg" in body else ledger.lines[body["proposal"]].body["what"]
    return keys


# --- the link that nobody can give any more -------------------------------------------------------------------------


def link_lost(ledger: Ledger, epoch: Epoch, seat: Seat) -> bool:
    """Whether nobody can give this link any more: the seat's chain counts only from a later epoch on.

    So it is after a substitute, and after a rekey by proposal. A new anchor must not serve an epoch that is laid
    already: the host could help to choose it.
    """
    player = ledger.players.get(seat)
    return seat in epoch.missing and player is not None and player.chain_for(epoch.number) is None


def lost_link_overdue(ledger: Ledger, seat: Seat) -> str | None:
    """From when on a lost link may be burned for: a full turn's time after it was lost, never at once."""
    line = ledger.lost.get(seat)
    return None if line is None else ledger.deadlines.full_time(line.at, away(ledger, seat, line.seq))


def shared_key(ledger: Ledger, seat: Seat, keys: JsonObject) -> str:
    """Whose key one of these is already, in words; empty if they are nobody else's and differ from each other.

    One key in two seats would sign for both; the host's own would open what is sealed to them, or sign for them.
    """
    brought = (unb64(keys["sign"], 32), unb64(keys["seal"], 32))
    if brought[0] == brought[1]:
        return sentence("the signing key and the seal key are one and the same")
    if ledger.host_keys & set(brought):
        return sentence("one of these keys is the host's")
    for other, player in ledger.players.items():
        if other != seat and {player.sign, player.seal} & set(brought):
            return sentence("one of these keys is {seat}'s already", seat=other)
    return ""


# --- time -------------------------------------------------------------------------------------------------
#
# How time passes in a match: the rules of schemas/README.md §10 on the ledger, from record to record.
#
# ``pass_time`` comes before everything else that a record does. It reads the record's ``at``, ends a
# pause whose ``until`` is past, and counts excused misses. So what is due never depends on a clock, only
# on the file.

# --- who is awaited -----------------------------------------------------------------------------------------


def awaited_seats(ledger: Ledger) -> tuple[Seat, ...]:
    """The seat that is to act, or else those whose link the announced epoch waits for."""
    seat = ledger.awaited
    if seat is not None:
        return (seat,)
    return missing_links(ledger) if ledger.ended is None else ()


def missing_links(ledger: Ledger) -> tuple[Seat, ...]:
    """The seats whose link the announced epoch waits for."""
    newest = ledger.newest
    waits = newest is not None and newest.opened is None and not newest.burned
    return newest.missing if newest is not None and waits else ()


def away(ledger: Ledger, seat: Seat, before: int | None = None) -> Away:
    """The absences of a seat that were recorded before record ``before``; all of them if None."""
    return [
        (line.body["what"]["from"], line.body["what"]["until"])
        for line in ledger.absences
        if line.body["what"]["seat"] == seat and (before is None or line.seq < before)
    ]


# --- by when ------------------------------------------------------------------------------------------------


def answer_by(
    ledger: Ledger, seat: Seat, at: str, *, wrote: Seat | None = None, failed: Seat | None = None
) -> str:
    """By when ``seat`` must answer what it is asked at ``at``; who just wrote is not silent any more."""
    silent = (seat in ledger.silent and seat != wrote) or seat == failed
    return ledger.deadlines.due(at, silent=silent, resigned=seat in ledger.resigned, away=away(ledger, seat))


def result_due(ledger: Ledger, line: Line) -> str | None:
    """The ``due`` of a result: by when the seat that its public view asks must answer; None if it asks nobody."""
    body = line.body
    waiting = body.get("public", {}).get("waiting")
    if waiting is None:
        return None
    wrote = Seat(body["msg"]["body"]["seat"]) if "msg" in body else None
    return answer_by(ledger, Seat(waiting["seat"]), line.at, wrote=wrote)


def links_by(ledger: Ledger, seats: Iterable[Seat], at: str) -> str:
    """By when the links of these seats must be there: the latest of their times, but never before ``at``."""
    return max([at, *(_link_by(ledger, seat, at) for seat in seats)])


def _link_by(ledger: Ledger, seat: Seat, at: str) -> str:
    """A seat that came back by its word alone has no second full period for its link."""
    due = answer_by(ledger, seat, at)
    if seat not in ledger.returned:
        return due
    return min(due, ledger.deadlines.back(at, away(ledger, seat)))


def asked_until(ledger: Ledger, at: str) -> str | None:
    """The time of whoever is asked at ``at`` without notice: who is to act, or between epochs the missing links."""
    seat = ledger.awaited
    if seat is not None:
        return answer_by(ledger, seat, at)
    missing = missing_links(ledger)
    return links_by(ledger, missing, at) if missing else None


def ask_again(ledger: Ledger, line: Line) -> None:
    """Whoever is awaited is asked by this record, and has a full time from it."""
    ledger.due, ledger.asked = asked_until(ledger, line.at), line.seq


def overdue_from(ledger: Ledger, seat: Seat) -> str | None:
    """From when on a ``default`` or ``burn`` of an awaited seat may be recorded, as far as time is concerned."""
    due = ledger.due
    if due is None:
        return None
    resigned, spans = seat in ledger.resigned, away(ledger, seat, ledger.asked)
    back = seat in ledger.returned and ledger.awaited is None
    if back and due == _asked_line(ledger).body.get("due"):  # neither extended nor moved by a pause
        due = min(due, ledger.deadlines.back(asked_at(ledger), spans))
    return ledger.deadlines.overdue_from(
        due, silent=back or seat in ledger.silent, resigned=resigned, away=spans
    )


def gone_before_deal(ledger: Ledger, seat: Seat, at: str) -> bool:
    """Whether the others can end a match in which nothing was dealt yet without this seat (schemas/README.md §10.11).

    It has neither joined nor written, nor given its part of the shuffle, for as long as an answer may take.
    """
    if ledger.running is not None or ledger.paused is not None:
        return False
    if seat in ledger.resigned:
        return True
    heard = max(_heard(ledger, seat), ledger.resumed)
    limit = ledger.deadlines.full_time(heard, away(ledger, seat))
    if seat in missing_links(ledger):
        limit = max(limit, overdue_from(ledger, seat) or limit)
    return at >= limit


def _heard(ledger: Ledger, seat: Seat) -> str:
    """When the match was begun, or the seat last wrote or was asked for its part of the shuffle."""
    newest = ledger.newest
    asked = newest.announced.at if newest is not None and seat in newest.seats else ""
    wrote = (
        line.at for line in reversed(ledger.lines) if any(f["body"]["seat"] == seat for f in line.messages)
    )
    return max(ledger.lines.first.at, asked, next(wrote, ""))


def asked_at(ledger: Ledger) -> str:
    """When whoever is awaited was asked: the time of the record since which their time counts."""
    return _asked_line(ledger).at


def _asked_line(ledger: Ledger) -> Line:
    return ledger.lines[min(ledger.asked, ledger.head.seq)]


def excused_left(ledger: Ledger, seat: Seat) -> int:
    """How many excused misses a seat has left."""
    if seat in ledger.silent or seat in ledger.resigned:
        return 0
    return max(ledger.deadlines.excused - ledger.missed.get(seat, 0), 0)


def default_from(ledger: Ledger, seat: Seat) -> str | None:
    """From when on a default of the awaited seat is due if it stays silent, its excused misses taken in."""
    limit = overdue_from(ledger, seat)
    for _ in range(excused_left(ledger, seat)):
        if limit is None:
            return None
        spans = away(ledger, seat)
        due = ledger.deadlines.due(limit, silent=False, resigned=False, away=spans)
        limit = ledger.deadlines.overdue_from(due, silent=False, resigned=False, away=spans)
    return limit


# --- what passes of itself ----------------------------------------------------------------------------------


def passes(ledger: Ledger, at: str) -> bool:
    """Whether anything changes of itself by ``at``: a pause ends, a miss is excused, what was held counts."""
    if ledger.paused is not None:
        return ledger.paused.until <= at
    ripe = any(held.counts and held.until <= at for held in ledger.proposals.values())
    return (
        ripe or any(held.until <= at for held in ledger.replacing.values()) or _missed(ledger, at) is not None
    )


def pass_time(ledger: Ledger, at: str, *, extends: bool = False) -> None:
    """Let time pass up to ``at``: every record does so before anything else.

    ``extends``: the record is an ``extend``. It says that time did not run out, so it counts no miss.
    """
    if not passes(ledger, at):
        return
    if ledger.paused is not None:
        end_pause(ledger, ledger.paused.since, ledger.paused.until)
    for seat, held in sorted(ledger.replacing.items()):
        if held.until <= at:
            ledger.players[seat] = replace(ledger.players[seat], recovery=held.recovery)
            del ledger.replacing[seat]
    for until, seat in sorted((held.until, seat) for seat, held in ledger.proposals.items() if held.counts):
        if until <= at:
            _count_misses(ledger, until, extends=extends)
            del ledger.proposals[seat]
            ledger.resigned |= {seat}
    _count_misses(ledger, at, extends=extends)


def _missed(ledger: Ledger, at: str) -> str | None:
    """When the awaited seat's next excused miss came up by ``at``; None if none did."""
    seat = ledger.awaited
    if seat is None or ledger.due is None or not excused_left(ledger, seat):
        return None
    spans = away(ledger, seat, ledger.asked)
    limit = ledger.deadlines.overdue_from(ledger.due, silent=False, resigned=False, away=spans)
    return limit if limit <= at else None


def _count_misses(ledger: Ledger, at: str, *, extends: bool) -> None:
    seat = ledger.awaited
    while seat is not None and not extends and (limit := _missed(ledger, at)) is not None:
        ledger.missed[seat] = ledger.missed.get(seat, 0) + 1
        ledger.asked = ledger.head.seq + 1
        ledger.due = answer_by(ledger, seat, limit)


def end_pause(ledger: Ledger, since: str, until: str) -> None:
    """A pause from ``since`` to ``until`` is over: what was due, and what is held, is later by that time."""
    ledger.due = moved(ledger, ledger.due, since, until)
    _move_holds(ledger, since, until)
    ledger.paused, ledger.resumed = None, until


def _move_holds(ledger: Ledger, since: str, until: str) -> None:
    """A pause from ``since`` to ``until`` is over: what is held stood still in it, from its own record on."""
    for seat, proposal in ledger.proposals.items():
        start = max(since, proposal.line.at)
        if start < until:
            ledger.proposals[seat] = replace(proposal, until=shifted(proposal.until, start, until))
    for seat, key in ledger.replacing.items():
        start = max(since, key.line.at)
        if start < until:
            ledger.replacing[seat] = replace(key, until=shifted(key.until, start, until))


def moved(ledger: Ledger, due: str | None, since: str, until: str) -> str | None:
    """``due`` later by the span from ``since`` to ``until``, then moved to where a time may run out.

    What was asked within the span is later by the rest of it.
    """
    if due is None:
        return None
    later = shifted(due, max(since, asked_at(ledger)), until)
    seat = ledger.awaited
    if seat is not None and (seat in ledger.silent or seat in ledger.resigned):
        return later
    return ledger.deadlines.settled(later, away(ledger, seat, ledger.asked) if seat else ())


# --- from the ledger to the standing: the one place that says what a match waits for ----------------------


def standing_of(ledger: Ledger) -> deadlines.Standing:
    """What the match waits for after the newest record, as far as time has passed in ``ledger`` (``Record.as_of``)."""
    if ledger.ended is not None:
        return deadlines.Over(ledger.ended.body["outcome"])
    running = _running(ledger)
    return running if ledger.paused is None else deadlines.Paused(ledger.paused.until, running)


def moment_of(ledger: Ledger) -> deadlines.Moment:
    """The standing with the public view that holds."""
    return deadlines.Moment(standing_of(ledger), ledger.shown)


def _running(ledger: Ledger) -> deadlines.Running:
    players = ledger.players
    unjoined = tuple([seat for seat in ledger.seats if seat not in players])
    if unjoined:
        return deadlines.Joins(unjoined)
    seat = ledger.awaited
    if seat is not None:  # a result that asks nobody ends its epoch, whoever its view says begins the next
        return _asked(ledger, seat) if ledger.asks else deadlines.Host()
    missing, newest = missing_links(ledger), ledger.newest
    if newest is not None and missing:
        lost = tuple(seat for seat in missing if link_lost(ledger, newest, seat))
        can = tuple(seat for seat in missing if seat not in lost)
        if not can:
            return deadlines.Host(lost)
        return (
            deadlines.ReadyFiles(can, ledger.due)
            if ledger.running is None
            else deadlines.Links(can, newest.number, ledger.due, lost)
        )
    return deadlines.Host()


def _asked(ledger: Ledger, seat: Seat) -> deadlines.Running:
    public = ledger.public or {}
    waiting = public.get("waiting") or {}
    asked = ledger.result.seq if ledger.result is not None else ledger.head.seq
    may_default = ledger.deadlines.then == "default" or seat in ledger.resigned
    limit = default_from(ledger, seat) if may_default else None
    phase, active = str(waiting.get("phase", "")), public.get("active")
    if active in ledger.seats and active != seat:
        return deadlines.Answer(seat, phase, Seat(str(active)), asked, ledger.due, limit)
    return deadlines.Decision(seat, phase, asked, ledger.due, limit)
