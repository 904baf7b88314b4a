"""A host who ignores a standing order, misapplies one, or invents one: named by all at the close.

The host is honest in everything else. Their program is the real one, with one change: it reads other orders than were
sealed. So signatures, draws, packets and views all fit; only what the players sealed says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from pbem.game import Json, JsonObject, Seat
from pbem.protocol.audit import Report, audit
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.record import HostOpenings, Line, Record, SealedPart
from tests.ordering.playing import THREE, Ordered
from tests.world import World

NOTHING: JsonObject = {"rules": []}


class Liar(HostOpenings):
    """Opens at the close what was sealed, but plays by what they like."""

    def __init__(self, host: Identity, genesis: Line) -> None:
        super().__init__(host, genesis)
        self.lies: dict[tuple[Seat, int], JsonObject] = {}
        self.actions: dict[tuple[Seat, int], list[JsonObject]] = {}
        """What they do in place of sealed actions."""

    def _lie(self, part: SealedPart) -> Json | None:
        return (self.lies if part.part == "orders" else self.actions).get((part.seat, part.n))

    def content(self, part: SealedPart) -> Json | None:
        return self._lie(part) or super().content(part)

    def open(self, part: SealedPart) -> tuple[bytes, Json]:
        salt, content = super().open(part)
        at_intake = part.seq == -1
        return salt, (self._lie(part) or content) if at_intake else content


@dataclass
class Case:
    """Orders as they were sealed, and those that the host plays by."""

    game: str
    real: JsonObject
    played: JsonObject
    says: str
    """What the finding says of the order."""
    match: Ordered = field(init=False)
    seat: Seat = field(init=False)
    n: int = 0
    seq: int = 0
    """The record that is wrong."""
    unused: str = ""
    """What the seat's own program says then that its orders should have answered."""


def rule(when: str, do: JsonObject, **facts: Json) -> JsonObject:
    return {"rules": [{"when": when, **({"if": facts} if facts else {}), "do": do}]}


SUPPLY = rule("draw", {"do": "draw", "from": "supply"})
TOP = rule("draw", {"do": "draw", "from": "discard"})
PASS = rule("react", {"do": "react", "with": "pass"})
NEVER = rule("draw", {"do": "draw", "from": "supply"}, hand_at_most=2)
ABILENE = rule("setup", {"do": "place-cowboy", "towns": ["abilene", "abilene", "abilene"]})
DEADWOOD = rule("setup", {"do": "place-cowboy", "towns": ["deadwood", "deadwood", "deadwood"]})
CASES = {
    "earp-ignored": Case("wyatt-earp", SUPPLY, NOTHING, "expected do draw, from supply, found nothing"),
    "earp-misapplied": Case(
        "wyatt-earp", SUPPLY, TOP, "expected do draw, from supply, found do draw, from discard"
    ),
    "earp-invented": Case("wyatt-earp", PASS, SUPPLY, "found do draw, from supply"),
    "earp-did-not-match": Case("wyatt-earp", NEVER, SUPPLY, "found do draw, from supply"),
    "earp-withdrawn": Case("wyatt-earp", NOTHING, SUPPLY, "found do draw, from supply"),
    "west-ignored": Case(
        "way-out-west", ABILENE, NOTHING, "expected do place-cowboy, town abilene, found nothing"
    ),
    "west-misapplied": Case("way-out-west", ABILENE, DEADWOOD, "found do place-cowboy, town deadwood"),
    "west-invented": Case("way-out-west", NOTHING, DEADWOOD, "found do place-cowboy, town deadwood"),
}


def lying_match(case: Case) -> Case:
    """A match in which ``seat`` gives orders in file ``n``, and the host plays by others until they are caught."""
    world = World(case.game, THREE, seed="liar")
    liar = Liar(world.host, world.record.lines[0])
    world.record = Record.begin(world.lines[0], liar)
    world.start()
    asked = world.record.waiting
    assert asked is not None
    case.seat = next(seat for seat in world.record.seats if seat != asked["seat"])
    case.n = world.numbers[case.seat] + 1
    case.match = Ordered(world)
    liar.lies[case.seat, case.n] = case.played
    case.match.give(case.seat, [], case.real)
    case.seq = _until_wrong(case)
    while not any(line.kind == "close" for line in world.record.lines):
        assert world.move()
    return case


def _until_wrong(case: Case) -> int:
    """Play to the record in which the seat should be answered for, or is; its number."""
    world = case.match.world
    for _ in range(12):
        before = len(world.record.lines)
        assert world.move()
        case.unused = case.match.left_unused(case.seat)
        for line in world.record.lines[before:]:
            waits = line.body.get("public", {}).get("waiting", {}).get("seat") == case.seat
            used = any(s["by"] == "order" and s["seat"] == case.seat for s in line.body.get("steps", ()))
            if waits or used:
                return line.seq
    raise AssertionError("the seat was never asked")


@pytest.fixture(scope="module", params=list(CASES))
def case(request: pytest.FixtureRequest) -> Case:
    return lying_match(CASES[str(request.param)])


def close_at(case: Case) -> int:
    return next(line.seq for line in case.match.world.record.lines if line.kind == "close")


def findings(report: Report) -> list[tuple[int, str]]:
    return [(fault.seq, fault.sentence) for fault in report.faults if fault.code == "order"]


def test_the_close_proves_it_and_names_record_seat_and_message(case: Case) -> None:
    report = audit(case.match.world.lines[: close_at(case) + 1])
    assert findings(report), report.faults
    seq, sentence = findings(report)[0]
    assert seq == case.seq
    assert f"the standing order of {case.seat} (message {case.n})" in sentence
    assert case.says in sentence
    assert min(fault.seq for fault in report.faults) == case.seq


def test_before_the_close_nobody_else_can_know(case: Case) -> None:
    """The orders are still sealed: that is what sealing is for."""
    report = audit(case.match.world.lines[: close_at(case)])
    assert report.ok, report.faults


def test_whoever_is_asked_although_their_orders_answer_is_warned_at_once(case: Case) -> None:
    asked = case.played is NOTHING
    assert bool(case.unused) is asked, case.unused
    if asked:
        assert case.unused in ("draw supply", "place abilene")


def test_a_quiet_file_whose_orders_should_answer_at_once_is_not_dropped() -> None:
    """schemas/README.md §6: a turn without actions has a result if its seat is to act and the new orders answer."""
    world = World("wyatt-earp", THREE, seed="quiet")
    liar = Liar(world.host, world.record.lines[0])
    world.record = Record.begin(world.lines[0], liar)
    world.start()
    match = Ordered(world)
    liar.lies[Seat("anna"), world.numbers[Seat("anna")] + 1] = NOTHING
    match.give("anna", [], SUPPLY)
    quiet = world.head.seq
    assert "steps" not in world.head.body
    assert match.left_unused("anna") == "draw supply"
    while not any(line.kind == "close" for line in world.record.lines):
        assert world.move()
    assert findings(audit(world.lines))[0][0] == quiet


@pytest.mark.parametrize("game", ["wyatt-earp", "way-out-west"])
def test_an_honest_match_full_of_orders_is_clean_for_the_audit_and_warns_nobody(game: str) -> None:
    match = Ordered(World(game, THREE, seed="honest 2").start())
    while sum(line.kind == "close" for line in match.world.record.lines) < (1 if game == "wyatt-earp" else 3):
        assert match.move()
        assert [match.left_unused(seat) for seat in THREE] == ["", "", ""], match.world.head.seq
    report = audit(match.world.lines)
    assert report.ok, report.faults


def test_an_order_in_force_that_answered_a_search_is_no_fault_of_the_audit() -> None:
    match = Ordered(World("wyatt-earp", THREE, seed="honest 1").start())
    while not any(line.kind == "close" for line in match.world.record.lines):
        assert match.move()
    report = audit(match.world.lines)
    assert report.ok, report.faults
