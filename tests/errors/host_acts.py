"""What a host cannot do with a match, and why: each reason once, from matches in memory."""

from __future__ import annotations

from typing import Any, Final

from pbem.game import Seat
from pbem.protocol.record import Deadlines
from pbem.protocol.record.kinds.burn import burn_fault
from pbem.protocol.record.kinds.default import default_fault
from pbem.protocol.record.kinds.retake import join_fault, retake_fault
from pbem.protocol.record.kinds.rewind import rewind_fault
from pbem.protocol.record.takeover import open_proposal_fault, unseen_word
from pbem.protocol.referee import MatchPlan, carry_out, create_match, substitute, withdraw
from pbem.protocol.referee.host_acts import burn, perform_default, reseal
from tests.errors.calls import Call
from tests.errors.matches import (
    ANNA,
    BURT,
    CURT,
    SEATS,
    announced,
    announced_again,
    begun,
    closed,
    created,
    fault_in,
    judged,
    key_of,
    last_result,
    proposed,
    proposed_again,
    resigned,
    running,
    seat_asked,
)
from tests.world import World


def _five_times(*_: object) -> object:
    world = announced_again()
    for name in ("one", "two", "three", "four"):
        world.retake("burt", name)
    return world.retake("burt", "five")


def _after_a_turn(*_: object) -> object:
    world = begun()
    asked = seat_asked(world)
    world.move()
    return retake_fault(world.record.ledger, Seat(asked))


def _hosts_own(*_: object) -> object:
    world = World("wyatt-earp", SEATS, plays="anna")
    world.join("anna")
    return retake_fault(world.record.ledger, ANNA)


def _wrong_newcomer(*_: object) -> object:
    world = begun()
    consents = [world.consent(seat, world.substitute_terms("curt", "anna")) for seat in ("anna", "burt")]
    join = world.newcomer("curt", "anna", 0)
    return substitute(world.record, world.host, join, consents, world.now)


def _waiting_for_good(*_: object) -> object:
    world = begun(deadlines=Deadlines(then="wait"))
    return default_fault(world.record.ledger, Seat(seat_asked(world)), world.later(9999))


def _second_result(*_: object) -> object:
    world = begun()
    world.move()
    first = last_result(world)
    while world.move():
        if rewind_fault(world.record.ledger, first):
            return rewind_fault(world.record.ledger, first)
    return ""


def _voided_for_all(*_: object) -> str:
    """The time of all is up, one after the other."""
    world = begun()
    for _seat in SEATS:
        world.tick(9999)
        for _more in range(2):
            world.take(perform_default(world.record, world.host, Seat(seat_asked(world)), world.now))
            world.tick(9999)
    ledger = world.record.ledger
    assert ledger.newest is not None
    return burn_fault(ledger, ledger.newest.number, ledger.newest.missing, world.now)


def _held_resignation(*_: object) -> object:
    world = begun()
    world.send(world.consent("curt", {"kind": "resign", "seat": "curt"}))
    return carry_out(world.record, world.host, CURT, world.now)


def _agreed_before(*_: object) -> object:
    """The others agreed, and agreed again after Curt wrote; one of them has not seen that."""
    world = proposed_again()
    early = world.consent("anna", world.substitute_terms("curt", "dora"))
    world.turn("curt", say="I am here")
    return unseen_word(world.record.ledger, CURT, early["body"])


def _deadlines(**more: Any) -> Call:
    """Deadlines with a calendar, of which these members are wrong."""
    calendar = {"days": ["mon"], "from": "09:00", "to": "21:00", "zone": "Europe/Berlin"}
    offsets = [{"since": "2026-11-21T18:00:00Z", "minutes": 60}]
    return lambda *_: Deadlines.from_json({**Deadlines().to_json(), **calendar, "offsets": offsets, **more})


HOST_ACTS: Final[dict[str, dict[str, Call]]] = {
    "acts of a host": {
        "the host's seat again": _hosts_own,
        "a seat that has resigned again": fault_in(
            resigned, lambda w: retake_fault(w.record.as_of(w.now).ledger, CURT)
        ),
        "a seat that has made a turn again": _after_a_turn,
        "a seat five times": _five_times,
        "a join with a number": fault_in(
            announced, lambda w: join_fault(w.record.ledger, w.join_file("anna", n=3)["body"])
        ),
        "a join that is there": fault_in(
            announced, lambda w: join_fault(w.record.ledger, w.record.lines[1].messages[0]["body"])
        ),
        "a join with the same key": fault_in(
            announced, lambda w: join_fault(w.record.ledger, w.join_file("anna", name="Annie")["body"])
        ),
        "back to the beginning": fault_in(
            running, lambda w: rewind_fault(w.record.ledger, w.record.lines[0].reference)
        ),
        "back behind what was shown": _second_result,
        "back behind a hand": fault_in(closed, lambda w: rewind_fault(w.record.ledger, last_result(w))),
        "no deal to void": lambda *_: burn(created().record, created().host, created().now),
        "another deal": fault_in(running, lambda w: burn_fault(w.record.ledger, 9, (ANNA,), w.now)),
        "the first deal": fault_in(announced, lambda w: burn_fault(w.record.ledger, 1, (ANNA,), w.now)),
        "a part that is not missing": fault_in(
            running, lambda w: burn_fault(w.record.ledger, 2, (Seat("dora"),), w.now)
        ),
        "nobody is left": _voided_for_all,
        "no timeout moves": _waiting_for_good,
        "a timeout move of somebody else": lambda *_: perform_default(
            running().record, running().host, CURT if seat_asked(running()) != "curt" else BURT, running().now
        ),
        "nothing to seal again": lambda *_: reseal(created().record, created().host, ANNA, created().now),
        "two proposals about one seat": fault_in(
            proposed, lambda w: open_proposal_fault(w.record.ledger, CURT)
        ),
        "a proposal that is held": lambda *_: carry_out(
            proposed().record, proposed().host, CURT, proposed().now, proposed().newcomer("curt", "dora")
        ),
        "a replacement player for somebody else": lambda *_: carry_out(
            proposed().record,
            proposed().host,
            CURT,
            proposed().later(999),
            proposed().newcomer("burt", "dora"),
        ),
        "no replacement player": lambda *_: carry_out(
            proposed().record, proposed().host, CURT, proposed().later(999)
        ),
        "a resignation that is held": _held_resignation,
        "an agreement from before": _agreed_before,
        "a new player before the first deal": judged(
            announced,
            lambda w: w.consent("anna", w.substitute_terms("curt", "dora")),
        ),
        "a join without a number": _wrong_newcomer,
        "a seat called like the table": lambda *_: create_match(
            MatchPlan("wyatt-earp", ["table", "anna"]), key_of("host"), bytes(16), "2026-11-23T18:00:00Z"
        ),
        "nothing proposed": lambda *_: withdraw(running().record, running().host, CURT, running().now),
        "days in another order": _deadlines(days=["sun", "mon"]),
        "a day that ends before it begins": _deadlines(**{"from": "21:00", "to": "09:00"}),
        "offsets in another order": _deadlines(
            offsets=[
                {"since": "2026-11-23T18:00:00Z", "minutes": 60},
                {"since": "2026-11-22T18:00:00Z", "minutes": 0},
            ]
        ),
        "an excuse where nothing is due": lambda *_: Deadlines.from_json(
            {**Deadlines().to_json(), "then": "wait", "excused": 1}
        ),
    },
}
