"""What only the rules can find: signed, sealed and drawn in order, and yet not what the rules of the game give."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest

from pbem.audit import audit
from pbem.errors import FormatError
from pbem.game import JsonObject
from pbem.record import ClosedOpenings
from pbem.record.kinds import check_file
from pbem.record.label import labels_of
from pbem.record.replay import order_misused
from pbem.record.verifier import _with_actions
from pbem.record.waiting import awaited_seat, awaited_seats
from tests.record.golden import WALKS
from tests.verifier.cheats.cheat import first
from tests.verifier.forging import Bodies, Forge
from tests.world import World, accepted


@cache
def walked(name: str) -> World:
    return WALKS[name]()


@cache
def ended() -> World:
    return World("way-out-west", ("anna", "burt", "curt"), seed="ended").start().play()


def _turn(bodies: Bodies) -> JsonObject:
    """A turn whose first step has an event with a number in it."""
    found = first(
        bodies, lambda body: body["kind"] == "turn" and body.get("steps") and body["steps"][0]["events"]
    )
    assert found is not None
    return found


def _event_changed(bodies: Bodies) -> None:
    _turn(bodies)["steps"][0]["events"][0]["seat"] = "curt, says the host"


def _event_left_out(bodies: Bodies) -> None:
    _turn(bodies)["steps"][0]["events"].pop(0)


def _event_invented(bodies: Bodies) -> None:
    _turn(bodies)["steps"][0]["events"].append({"event": "pardoned"})


def _view_changed(bodies: Bodies) -> None:
    _turn(bodies)["public"]["pardoned"] = True


def _illegal_recorded(bodies: Bodies) -> None:
    """He records a bid that nobody can pay, as its player wrote it."""
    body = first(
        bodies, lambda b: b["kind"] == "turn" and b.get("steps") and b["steps"][0]["action"]["do"] == "bid"
    )
    assert body is not None
    body["msg"]["body"]["actions"][0]["amount"] = 999
    body["steps"][0]["action"]["amount"] = 999


def _stopped_otherwise(bodies: Bodies) -> None:
    body = first(bodies, lambda b: "stopped" in b)
    assert body is not None
    body["stopped"]["why"] = "illegal" if body["stopped"]["why"] != "illegal" else "waiting"


def _ended_too_early(bodies: Bodies) -> None:
    end: JsonObject = {"kind": "end", "at": bodies[-1]["at"], "outcome": {"winners": ["anna"]}, "opened": []}
    bodies.append(end)


def _other_winner(bodies: Bodies) -> None:
    outcome = bodies[-1]["outcome"]
    outcome["winners"] = [next(seat for seat in ("anna", "burt", "curt") if seat not in outcome["winners"])]


def _facts_left_out(bodies: Bodies) -> None:
    body = first(bodies, lambda b: b["kind"] == "close" and b["facts"])
    assert body is not None
    body["facts"].pop(0)


def _facts_invented(bodies: Bodies) -> None:
    body = first(bodies, lambda b: b["kind"] == "close" and b["facts"])
    assert body is not None
    body["facts"][0]["facts"].append({"found": "hideout"})


LIES: list[tuple[str, Callable[[Bodies], None], str]] = [
    ("way-out-west-turn", _event_changed, "step"),
    ("way-out-west-turn", _event_left_out, "step"),
    ("way-out-west-turn", _event_invented, "step"),
    ("wyatt-earp-hand", _event_invented, "step"),
    ("way-out-west-turn", _view_changed, "public"),
    ("wyatt-earp-hand", _view_changed, "public"),
    ("way-out-west-turn", _illegal_recorded, "should-be-refused"),
    ("way-out-west-bidding", _stopped_otherwise, "stopped"),
    ("way-out-west-turn", _ended_too_early, "outcome"),
    ("ended", _other_winner, "outcome"),
]


@pytest.mark.parametrize(("match", "lie", "code"), LIES)
def test_the_rules_find_what_nothing_else_can(match: str, lie: Callable[[Bodies], None], code: str) -> None:
    world = ended() if match == "ended" else walked(match)
    assert audit(world.lines).ok
    lines = Forge(world).edited(lie)
    assert (12, code) in {(fault.step, fault.code) for fault in audit(lines).faults}
    assert 12 not in {fault.step for fault in audit(lines, engine=False).faults}


def test_private_facts_are_what_the_rules_told() -> None:
    """A found card that was never found: the packets' commitments say so, too."""
    world = World("wyatt-earp", ("anna", "burt"), seed="facts").start()
    while not any(line.kind == "close" and line.body["facts"] for line in world.record.lines):
        assert world.move(), "no hand of this match had a private fact"
    for lie in (_facts_left_out, _facts_invented):
        faults = audit(Forge(world).edited(lie)).faults
        assert {(9, "packet"), (12, "facts")} <= {(fault.step, fault.code) for fault in faults}


# --- whose order was misused ----------------------------------------------------------------------------------

ORDER: JsonObject = {"by": "order", "seat": "burt", "n": 3, "action": {"do": "react", "with": "pass"}}
FILE: JsonObject = {"by": "file", "seat": "anna", "action": {"do": "draw", "from": "supply"}}


def _with(step: JsonObject, **more: object) -> JsonObject:
    return {**copy.deepcopy(step), **more}


@pytest.mark.parametrize(
    ("made", "told", "says"),
    [
        ([FILE, ORDER], [FILE, _with(ORDER, action={"do": "react", "with": "hideout"})], "answers"),
        ([FILE, ORDER], [FILE], "stands nowhere"),
        ([FILE, ORDER], [FILE, _with(FILE, by="default", seat="burt")], "default acted instead"),
        ([FILE], [FILE, ORDER], "did not answer"),
        ([FILE, _with(FILE, by="default")], [FILE, ORDER], "did not answer"),
        ([FILE, ORDER], [FILE, _with(ORDER, seat="curt")], "should have answered"),
    ],
)
def test_an_order_misused_is_told_where_the_steps_part(
    made: list[JsonObject], told: list[JsonObject], says: str
) -> None:
    assert says in order_misused(made, told)


def test_where_no_order_is_concerned_nothing_is_told_of_orders() -> None:
    assert order_misused([FILE, ORDER], [FILE, ORDER]) == ""
    assert order_misused([FILE], [_with(FILE, action={"do": "draw", "from": "discard"})]) == ""
    assert order_misused([FILE, FILE], [_with(FILE, seat="curt"), ORDER]) == ""


def test_only_closes_and_the_end_open_anything() -> None:
    world = walked("one-of-each")
    opened = [
        line.body for line in world.record.lines if line.kind in ("close", "end") and line.body["opened"]
    ]
    assert opened
    parts = [(one["seat"], one["n"], one["part"]) for body in opened for one in body["opened"]]
    assert set(ClosedOpenings(line.body for line in world.record.lines)._contents) == set(parts)
    others = ({**body, "kind": "turn"} for body in opened)
    assert ClosedOpenings(others)._contents == {}


# --- small things ---------------------------------------------------------------------------------------------


def test_who_is_awaited_before_in_and_after_a_match() -> None:
    world = World("wyatt-earp", ("anna", "burt"), seed="awaited")
    for seat in world.seats:
        accepted(world.join(seat))
    assert awaited_seats(world.record.ledger) == ("anna", "burt")  # their links
    accepted(world.ready("anna"))
    assert awaited_seats(world.record.ledger) == ("burt",)
    accepted(world.ready("burt"))
    assert awaited_seats(world.record.ledger) == ("anna",)
    ended_early = walked("one-of-each").record
    assert ended_early.ledger.waiting is not None
    assert awaited_seat(ended_early.ledger) is None
    assert awaited_seats(ended_early.ledger) == ()


def test_draws_of_no_known_epoch_are_bound_only() -> None:
    lines = [line for line in walked("way-out-west-turn").record.lines if "steps" in line.body]
    found = [label.label for line in lines for label in labels_of(line, None, proven=True)]
    assert set(found) == {"bound only"}
    epoch = walked("way-out-west-turn").record.ledger.epochs[1]
    assert {label.label for label in labels_of(lines[0], epoch, proven=False)} <= {"fair"}


def test_a_fault_of_form_names_its_place_from_the_outside_in() -> None:
    file = copy.deepcopy(walked("way-out-west-turn").record.lines[8].file)
    file["body"]["steps"][0]["chance"][0]["j"] = -1
    with pytest.raises(FormatError, match=r"^/body/steps/0/chance/0/j: expected an integer from 1"):
        check_file(file)


@pytest.mark.parametrize(
    ("actions", "more", "counts"),
    [
        ([], {"applied": 0}, False),
        ([{"do": "x"}], {"applied": 0}, True),
        ([], {"applied": 1}, True),
        ([], {"applied": 0, "stopped": {"at": 0, "why": "epoch"}}, True),
    ],
)
def test_a_turn_had_actions_if_the_record_says_so(
    actions: list[JsonObject], more: JsonObject, counts: bool
) -> None:
    line = replace(walked("one-of-each").head, body={"msg": {"body": {"actions": actions}}, **more})
    assert _with_actions(line) is counts
