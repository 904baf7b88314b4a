"""Taking a seat over without the word of who sits there: proposed, held for a while, then carried out or undone.

A ``propose`` record says to everybody what the others have agreed to. The hold (schemas/README.md §10.8) gives the
seat's own player time: any word of his own key in the record undoes it. Only afterwards a ``rekey`` or ``substitute``
may name the proposal.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.base.sentences import sentence
from pbem.game import JsonObject, Seat
from pbem.protocol.crypto.digest import unb64
from pbem.protocol.record.ledger import Epoch, Ledger, Proposal
from pbem.protocol.record.line import Fault, Line
from pbem.protocol.record.waiting import away

HOST_ACTS_FOR: Final = 2
"""In a match of so many seats one opponent would be enough; there the host takes a takeover on himself, visibly."""


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


def needs_proposal(ledger: Ledger, what: JsonObject) -> bool:
    """Whether this needs a proposal and its hold: a new key or player for a seat that has not resigned."""
    if what["kind"] == "rekey":
        return True
    return what["kind"] == "substitute" and what["seat"] not in ledger.resigned


def open_proposal_fault(ledger: Ledger, seat: Seat) -> str:
    """Why nothing new can be proposed about this seat; empty if it can."""
    if seat not in ledger.proposals:
        return ""
    return sentence(
        "record {seq} proposes something about {seat} already; one at a time",
        seq=ledger.proposals[seat].line.seq,
        seat=seat,
    )


def proposable_fault(ledger: Ledger, seat: Seat) -> str:
    """Why nobody can agree to a takeover of this seat now; empty if they can."""
    return takeover_fault(ledger, seat) or open_proposal_fault(ledger, seat)


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
    expected, found = hold_until(ledger, seat, line.at), line.body["until"]
    if found != expected:
        yield Fault(line.seq, 4, "hold", f"held until {found}; the deadlines of this match give {expected}")


def unseen_word(ledger: Ledger, seat: Seat, consent: JsonObject) -> str:
    """Why this consent to a takeover is too old: it had not seen how the last proposal about the seat ended."""
    heard = ledger.settled.get(seat, 0)
    if consent["seen"]["seq"] >= heard:
        return ""
    return sentence(
        "{name} agreed before record {seq}, by which an earlier proposal about {seat} ended; agree again",
        name=consent["seat"],
        seq=heard,
        seat=seat,
    )


def proposal_of(ledger: Ledger, seq: int) -> Proposal | None:
    """The open proposal that record ``seq`` made."""
    return next((proposal for proposal in ledger.proposals.values() if proposal.line.seq == seq), None)


def settle(ledger: Ledger, seat: Seat, seq: int) -> None:
    """Record ``seq`` ends what is proposed about a seat, if anything is: by a word of the seat itself it is undone.

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
        words = f"record {line.body['proposal']} is no open proposal of a {line.kind}"
        yield Fault(line.seq, 2, "proposal", words)
        return
    reason = completion_fault(ledger, proposal, line.at)
    if reason:
        yield Fault(line.seq, 4, "hold", reason)
    if host_must_act(ledger) != ("act" in line.body):
        wanted = "is the host's own act, and says so" if host_must_act(ledger) else "is no act of the host's"
        yield Fault(line.seq, 2, "act", f"a {line.kind} in a match of {len(ledger.seats)} seats {wanted}")


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


# --- keys -----------------------------------------------------------------------------------------------------------


def shared_key(ledger: Ledger, seat: Seat, keys: JsonObject) -> str:
    """Whose key one of these is already, in words; empty if they are nobody else's and differ from each other.

    One key in two seats would sign for both; the host's own would open what is sealed to him, or sign for him.
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
