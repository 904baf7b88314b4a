"""What must be possible from every position of a match, each tried on a fork with time moved on as far as it takes."""

from __future__ import annotations

from typing import Final

from pbem.game import Seat
from pbem.protocol.client.compose import owes_old_link
from pbem.protocol.record.deadlines import plus_hours
from pbem.protocol.record.ledger import Ledger
from pbem.protocol.record.takeover import default_from, link_lost, missing_links, overdue_from
from pbem.protocol.referee import Accepted, burn, carry_on, perform_default
from tests.machine import files
from tests.machine.agreements import fill, substitute_terms
from tests.machine.match import Broken, Match, unbroken
from tests.machine.moves import join_file, past, play_one, ready_one
from tests.machine.sealed import FRAME, LEAST

LOST = 24 * 90
"""Hours after which a link that nobody can give any more is overdue, whatever absences its seat had."""
SELF_ABSENCE = 1_440
"""Hours that a seat may take off by its own word, in sum."""


def check_exits(match: Match, number: int | None = None) -> None:
    """All of them; with a number only that one, counted round.

    Where it takes a seat, it is one seat each time (which, follows from the length of the file).
    """
    if match.record.over:
        return
    if len(match.joined) < len(match.record.seats):
        a_free_seat_can_be_taken(match.fork())
        return
    for exit_ in EXITS if number is None else (EXITS[number % len(EXITS)],):
        exit_(match.fork())


# --- (c) (d) the close, and the end ---------------------------------------------------------------------------


def it_can_be_ended(fork: Match) -> None:
    """Everybody agrees to end: every epoch is closed, every seal opened, and a stranger reads it all."""
    with unbroken("an end by everybody's consent"):
        for seat in fork.record.seats:
            ruling = fork.send(files.consent(fork, seat, {"kind": "end", "why": "we stop here"}))
    if not isinstance(ruling, Accepted) or not fork.record.over:
        raise Broken(f"everybody agreed to end, and the host says {ruling}")


# --- (e) whoever is awaited ----------------------------------------------------------------------------------


def a_free_seat_can_be_taken(fork: Match) -> None:
    """Somebody new joins."""
    seat = next(seat for seat in fork.record.seats if seat not in fork.ledger.players)
    ruling = fork.send(join_file(fork, seat, fork.stranger(), "good"))
    if not isinstance(ruling, Accepted):
        raise Broken(f"nobody can take the free seat {seat}: {ruling}")


def resume(fork: Match) -> None:
    """A pause is over by its own time."""
    if fork.ledger.paused is None:
        return
    fork.world.now = max(fork.world.now, fork.ledger.paused.until)
    fork.act("the end of a pause", lambda record: carry_on(record, fork.host, fork.world.now))


def who_is_awaited_can_act(fork: Match) -> None:
    """The awaited seat's own program writes a file, and the host takes it; so does each missing link."""
    resume(fork)
    seat = fork.ledger.awaited
    if seat is not None:
        with unbroken(f"{seat} can act"):
            if not play_one(fork):
                raise Broken(f"{seat} is awaited, and its good turn is not taken")
        return
    for missing in missing_links(fork.ledger):
        newest = fork.ledger.newest
        if newest is None or link_lost(fork.ledger, newest, missing) or newest.opened is not None:
            continue
        if not ready_one(fork, missing):
            raise Broken(f"the link of {missing} is awaited, and is not taken")


def who_is_awaited_can_choose(fork: Match) -> None:
    """Whatever was sealed before: what must be chosen under seal is taken, as long as anything fits at all."""
    resume(fork)
    seat = fork.ledger.awaited
    if seat is None or fork.sealed.left_for_choices(seat) < LEAST + FRAME:
        return
    if owes_old_link(fork.world.copy(), fork.who(seat), seat):
        ready_one(fork, seat)
    with unbroken(f"{seat} can choose under seal"):
        ruling = fork.send(past(fork, seat, "a choice"))
    if not isinstance(ruling, Accepted):
        raise Broken(f"{seat} must choose under seal, and the host says {ruling}")


def who_is_awaited_can_be_passed_over(fork: Match) -> None:
    """Time goes by, and the host plays a default or burns the deck that waits for a link."""
    resume(fork)
    ledger = fork.record.as_of(max(fork.world.now, fork.record.head.at)).ledger
    seat = ledger.awaited
    if seat is not None:
        limit = default_from(ledger, seat)
        if ledger.deadlines.then == "wait" and seat not in ledger.resigned:
            return
        _in_time(fork, ledger, seat, limit)
        fork.world.now = max(fork.world.now, limit or "")
        reason = fork.act("a default", lambda r: perform_default(r, fork.host, seat, fork.world.now))
        if reason:
            raise Broken(f"{seat} is overdue from {limit}, and cannot be passed over: {reason}")
        return
    newest = ledger.newest
    if newest is None or newest.opened is not None or newest.number == 1 or not newest.missing:
        return
    if set(newest.missing) >= set(newest.seats):
        return  # nobody would be left
    limit = max(overdue_from(ledger, missing) or "" for missing in newest.missing)
    limit = plus_hours(max(fork.world.now, limit), LOST)
    fork.world.now = limit
    reason = fork.act("a burn", lambda record: burn(record, fork.host, fork.world.now))
    if reason:
        raise Broken(f"the links of {newest.missing} are overdue from {limit}: {reason}")


def _in_time(fork: Match, ledger: Ledger, seat: Seat, limit: str | None) -> None:
    """Nobody holds a match up for ever by their own word: the agreed hours, each time, and the absences allowed."""
    policy = ledger.deadlines
    allowed = (policy.hours + policy.grace + 24 * 14) * (1 + policy.excused) + _away_by_consent(fork, seat)
    given = max(ledger.due or "", ledger.head.at, fork.world.now)
    if limit is None or limit > plus_hours(given, allowed):
        raise Broken(f"{seat} cannot be passed over before {limit}; it is {fork.world.now}")


def _away_by_consent(fork: Match, seat: Seat) -> int:
    """Hours off: what a seat may take by its own word, and all that everybody agreed to."""
    more = 0
    for line in fork.ledger.absences:
        if line.body["what"]["seat"] == seat and len(line.body["consents"]) == len(fork.record.seats):
            more += 24 * 366
    return SELF_ABSENCE + more


# --- (f) a lost seat -------------------------------------------------------------------------------------------


def a_lost_seat_can_be_filled(fork: Match) -> None:
    """Its holder is gone for good: the others put somebody new there, and the match goes on with them."""
    seat = fork.record.seats[len(fork.record.lines) % len(fork.record.seats)]
    newest = fork.ledger.newest
    if newest is not None and fork.ledger.running is None and not newest.burned and seat in newest.missing:
        return  # documented: the first deck waits for this link; begin a new match
    others = [other for other in fork.record.seats if other != seat]
    terms = substitute_terms(fork, seat)
    resume(fork)
    now = max(fork.world.now, fork.record.head.at)
    held = fork.record.as_of(now).ledger.proposals.get(seat)
    if held is not None and held.counts:  # a resignation: it counts by itself
        fork.world.now = held.until
    if held is None or held.counts:
        with unbroken(f"the seat of {seat} can be filled"):
            for other in others:
                fork.send(files.consent(fork, other, terms))
    now = max(fork.world.now, fork.record.head.at)
    held = fork.ledger.proposals.get(seat)
    if held is not None and not held.counts:  # a pause that is over by now has moved its hold
        fork.world.now = max(now, fork.record.as_of(now).ledger.proposals[seat].until)
    elif seat not in fork.record.as_of(now).ledger.resigned:
        raise Broken(f"all others agreed to a new player for {seat}, and nothing was proposed")
    reason = fill(fork, seat)
    if reason:
        raise Broken(f"the seat of {seat} cannot be filled: {reason}")
    who_is_awaited_can_act(fork.fork())
    who_is_awaited_can_be_passed_over(fork)


EXITS: Final = (
    it_can_be_ended,
    who_is_awaited_can_act,
    who_is_awaited_can_choose,
    who_is_awaited_can_be_passed_over,
    a_lost_seat_can_be_filled,
)
"""What must be possible once every seat is taken."""
