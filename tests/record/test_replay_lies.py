"""What only the rules can find: signed, sealed and drawn in order, and yet not what the rules of the game give."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from pbem.base.errors import FormatError, PbemError, VerificationError
from pbem.base.shapes.schema import validate
from pbem.game import JsonObject, Seat
from pbem.games.wyatt_earp.deck import NAMES
from pbem.protocol.audit import audit
from pbem.protocol.crypto.digest import b64
from pbem.protocol.formats.envelopes import make_file, part_commit
from pbem.protocol.formats.messages import build_turn
from pbem.protocol.record import ClosedOpenings, HostOpenings, Record
from pbem.protocol.record.kinds.turn import with_actions
from pbem.protocol.record.line import read_line
from pbem.protocol.record.open_play import order_misused
from pbem.protocol.record.takeover import awaited_seats
from tests.forge import Bodies, Forge
from tests.record.golden import walked
from tests.verifier.cheats.cheat import first, flipped
from tests.world import World, accepted


@cache
def ended() -> World:
    return World("way-out-west", ("anna", "burt", "curt"), seed="ended").start().play()


def _turn(bodies: Bodies) -> JsonObject:
    """A turn whose first step has an event with a number in it."""
    turn = first(
        bodies, lambda body: body["kind"] == "turn" and body.get("steps") and body["steps"][0]["events"]
    )
    assert turn is not None
    return turn


def _event_changed(bodies: Bodies) -> None:
    event = _turn(bodies)["steps"][0]["events"][0]
    event["seat"] = "anna" if event["seat"] != "anna" else "burt"


def _event_left_out(bodies: Bodies) -> None:
    _turn(bodies)["steps"][0]["events"].pop(0)


def _event_invented(bodies: Bodies) -> None:
    events = _turn(bodies)["steps"][0]["events"]
    events.append(copy.deepcopy(events[0]))


def _view_changed(bodies: Bodies) -> None:
    """Money that nobody earned."""
    public = _turn(bodies)["public"]
    public["money" if "money" in public else "cash"]["burt"] += 7


def _time_left_out(bodies: Bodies) -> None:
    """Nobody's time would ever be up, and in a match that reveals at its end no epoch would seem to run."""
    del _turn(bodies)["due"]


def _step_invented(bodies: Bodies) -> None:
    step = {**_turn(bodies)["steps"][0], "by": "order", "n": 1, "chance": [], "events": []}
    _turn(bodies)["steps"].append(step)


def _illegal_recorded(bodies: Bodies) -> None:
    """They record a bid that nobody can pay, as its player wrote it."""
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


def _facts(bodies: Bodies) -> list[JsonObject]:
    """The facts of the first hand that has some."""
    body = first(bodies, lambda b: b["kind"] == "close" and b["facts"])
    assert body is not None
    facts: list[JsonObject] = body["facts"]
    return facts


def _facts_left_out(bodies: Bodies) -> None:
    _facts(bodies).pop(0)


def _facts_invented(bodies: Bodies) -> None:
    _facts(bodies)[0]["facts"].append({"found": "hideout"})


LIES: list[tuple[str, Callable[[Bodies], None], str, str]] = [
    ("way-out-west-turn", _event_changed, "step", "step 1, events 1, seat: expected"),
    ("way-out-west-turn", _event_left_out, "step", "step 1, events 1: expected "),
    ("way-out-west-turn", _event_invented, "step", "step 1, events 2: expected nothing, found "),
    ("wyatt-earp-hand", _event_invented, "step", ": expected nothing, found "),
    ("way-out-west-turn", _view_changed, "public", "the table, cash, burt: expected 20, found 27"),
    ("wyatt-earp-hand", _view_changed, "public", "the table, money, burt: expected 0, found 7"),
    ("way-out-west-turn", _time_left_out, "due", "deadline: expected one for "),
    ("way-out-west-turn", _step_invented, "steps", "steps: expected 1, found 2"),
    ("way-out-west-turn", _step_invented, "order", ": expected nothing, found "),
    ("way-out-west-turn", _illegal_recorded, "should-be-refused", "the rules do not allow move 1: "),
    ("way-out-west-bidding", _stopped_otherwise, "stopped", "stopped at move, why: expected "),
]


@pytest.mark.parametrize(("name", "lie", "code", "says"), LIES)
def test_the_rules_find_what_nothing_else_can(
    name: str, lie: Callable[[Bodies], None], code: str, says: str
) -> None:
    world = walked(name)
    assert audit(world.lines).ok
    lines = Forge(world).edited(lie)
    sentences = [fault.sentence for fault in audit(lines).faults if (fault.step, fault.code) == (12, code)]
    assert sentences
    assert says in sentences[0]
    assert 12 not in {fault.step for fault in audit(lines, engine=False).faults}
    with pytest.raises(VerificationError):
        Record.load(lines, HostOpenings(world.host, read_line(lines[0])))


def test_who_counts_the_applied_actions_wrongly_is_contradicted_by_the_rules_too() -> None:
    def one_more(bodies: Bodies) -> None:
        _turn(bodies)["applied"] += 1

    faults = {
        (fault.step, fault.code)
        for fault in audit(Forge(walked("way-out-west-turn")).edited(one_more)).faults
    }
    assert {(8, "applied"), (12, "applied")} <= faults


def test_a_match_that_only_rolls_is_replayed_while_it_runs() -> None:
    """The dice of the running epoch are in the record; a card of a running epoch nobody knows."""
    world = walked("way-out-west-turn")
    opened = next(line.seq for line in world.record.lines if line.kind == "open")
    assert b'"roll":' in world.lines[opened]
    report = audit(world.lines[: opened + 1])
    assert report.ok, report.faults
    assert report.replayed == 1
    assert "nothing was replayed" not in " ".join(report.notes)

    def no_roll(bodies: Bodies) -> None:
        bodies[opened]["steps"][0]["chance"].clear()

    unrolled = audit(Forge(world).edited(no_roll)[: opened + 1])
    assert unrolled.replayed == 0
    assert "the record does not roll die 1 of public" in " ".join(unrolled.notes)
    sealed = audit(walked("wyatt-earp-hand").lines[:12])
    assert sealed.replayed == 0
    assert "nothing was replayed: epoch 1 is not closed yet" in " ".join(sealed.notes)


@pytest.mark.parametrize("game", ["wyatt-earp", "way-out-west"])
def test_money_that_nobody_earned_is_refused_while_the_hand_runs(game: str) -> None:
    """schemas/README.md §11, engine: by whoever reads without a key, before anything is opened."""
    forge = Forge(World(game, ("anna", "burt", "curt"), seed="open").start().play(4))
    Record.load(forge.write(forge.bodies()))
    bodies = forge.bodies()
    assert "close" not in {body["kind"] for body in bodies}
    _view_changed(bodies)
    with pytest.raises(VerificationError, match="the table"):
        Record.load(forge.write(bodies))


def test_orders_that_should_have_answered_at_once_are_missed() -> None:
    """The host records new orders as if they were talk, although their seat is to act."""
    world = World("wyatt-earp", ("anna", "burt"), seed="unanswered").start()
    accepted(world.turn("anna", orders={"rules": [{"when": "draw", "do": {"do": "draw", "from": "supply"}}]}))
    ordered = world.head.seq
    assert [step["by"] for step in world.head.body["steps"]] == ["order"]
    _agreed(world, {"kind": "end"})

    def as_talk(bodies: Bodies) -> None:
        for member in ("epoch", "applied", "steps", "public", "packets", "due"):
            del bodies[ordered][member]

    assert audit(world.lines).ok
    faults = audit(Forge(world).edited(as_talk)).faults
    (missed,) = [fault for fault in faults if (fault.step, fault.code) == (12, "order")]
    assert missed.seq == ordered
    assert missed.sentence.startswith("the standing order of anna (message 2): expected ")


@pytest.mark.parametrize(
    "orders", [{"rules": [{}]}, {"rules": [{"when": "draw", "do": {"do": "fly"}}]}], ids=json.dumps
)
def test_orders_that_are_none_are_shown_at_the_close(orders: JsonObject) -> None:
    """Host and player seal together what no program reads; an honest host refuses such a file."""
    world = World("wyatt-earp", ("anna", "burt"), seed="no orders").start()
    accepted(world.turn("anna", orders={"rules": []}))
    ordered, salt = world.head.seq, b"s" * 16
    accepted(world.turn("anna", {"do": "draw", "from": "supply"}))
    _agreed(world, {"kind": "end"})

    def sealed_together(bodies: Bodies) -> None:
        message = bodies[ordered]["msg"]["body"]
        commit = part_commit("order", world.record.game, "anna", message["n"], salt, orders)
        message["orders"]["commit"] = b64(commit)
        which = {"seat": "anna", "n": message["n"], "part": "orders"}
        everything = [part for body in bodies for part in body.get("opened", ())]
        (opened,) = [part for part in everything if part.items() >= which.items()]
        opened.update(salt=b64(salt), content=orders)

    assert audit(world.lines).ok
    faults = audit(Forge(world).edited(sealed_together)).faults
    (none,) = faults
    assert (none.seq, none.step, none.code) == (ordered, 12, "order")
    assert none.sentence.startswith("the standing order of anna (message 2): ")


def test_orders_that_need_not_have_answered_are_not_missed() -> None:
    """In a pause, before the first card, and while nobody but the host can read them."""
    world = World("wyatt-earp", ("anna", "burt"), seed="not missed")
    orders = {"rules": [{"when": "draw", "do": {"do": "draw", "from": "supply"}}]}
    for seat in world.seats:
        accepted(world.join(seat))
    accepted(world.turn("anna", orders=orders))
    assert audit(world.lines).ok
    accepted(world.turn("anna", orders={"rules": []}))  # with her link
    accepted(world.ready("burt"))
    _agreed(world, world.pause())
    accepted(world.turn("anna", orders=orders))
    assert "steps" not in world.head.body
    assert audit(world.lines).ok
    _agreed(world, {"kind": "end"})
    assert audit(world.lines).ok
    rolling = World("way-out-west", ("anna", "burt", "curt"), seed="unread").start()
    assert rolling.record.waiting is not None
    bid = {"rules": [{"when": "bid", "do": {"do": "bid", "up_to": 3}}]}
    accepted(rolling.turn(rolling.record.waiting["seat"], orders=bid))
    assert "steps" not in rolling.head.body
    assert audit(rolling.lines).ok


def _agreed(world: World, terms: JsonObject) -> None:
    files = [world.consent(seat, terms) for seat in world.seats]
    for number, file in enumerate(files):
        ruling = world.send(file, files[:number])
    accepted(ruling)


def test_a_file_written_by_hand_that_seals_nothing_is_replayed() -> None:
    world = World("wyatt-earp", ("anna", "burt"), seed="by hand").start()
    accepted(world.ready("anna"))
    head = world.head.seen
    draw = {"do": "draw", "from": "supply"}
    file = build_turn(
        world.people[Seat("anna")], world.record.game, "anna", world.number("anna"), head, actions=[draw]
    )
    accepted(world.send(file))
    _agreed(world, {"kind": "end"})
    report = audit(world.lines)
    assert report.ok, report.faults
    assert report.replayed == 2


def test_a_card_that_stopped_a_file_written_by_hand_is_in_no_hand_that_readers_fill_in() -> None:
    world = World("wyatt-earp", ("anna", "burt"), seed="by hand").start()
    body = world.turn_file("anna", {"do": "draw", "from": "supply"}, say="which?")["body"]
    who, ledger = world.people[Seat("anna")], world.record.ledger
    assert ledger.remembered is not None
    stopped = 0
    for kind, name in enumerate(NAMES):
        body["actions"][1:] = [{"do": "discard", "card": name}]
        (line, *_) = accepted(world.judge(make_file("turn", body, who.sign_key, who.sign_public))).lines
        if line.body.get("stopped") != {"at": 1, "why": "illegal"}:
            continue
        stopped += 1
        rules: Any = ledger.rules
        view = rules.public_from_json(line.body["public"])
        for pick in (0, 2, 4):
            state = rules.follow(ledger.remembered.memory, line.body, pick).filled(view, 1).state
            assert kind not in state.hands[0]
    assert stopped > len(NAMES) / 2


@pytest.mark.parametrize("waiting", [7, {}, "anna"])
def test_a_value_that_no_program_of_ours_writes_is_a_fault_and_no_crash(waiting: object) -> None:
    world = World("wyatt-earp", ("anna", "burt"), seed="foreign").start()

    def senseless(bodies: Bodies) -> None:
        opened = first(bodies, lambda body: body["kind"] == "open")
        assert opened is not None
        opened["public"]["waiting"] = waiting

    lines = Forge(world).edited(senseless)
    assert (1, "malformed") in {(fault.step, fault.code) for fault in audit(lines).faults}
    with pytest.raises(FormatError, match="public, waiting: "):
        Record.load(lines)


def test_private_facts_are_what_the_rules_gave() -> None:
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
    ("steps", "expected", "says"),
    [
        (
            [FILE, ORDER],
            [FILE, _with(ORDER, action={"do": "react", "with": "hideout"})],
            "expected do react, with pass, found do react, with hideout",
        ),
        ([FILE, ORDER], [FILE], "with pass, found nothing"),
        ([FILE, ORDER], [FILE, _with(FILE, by="default", seat="burt")], "with pass, found nothing"),
        ([FILE], [FILE, ORDER], "expected nothing, found do react"),
        ([FILE, _with(FILE, by="default")], [FILE, ORDER], "expected nothing, found do react"),
        ([FILE, ORDER], [FILE, _with(ORDER, seat="curt")], "with pass, found nothing"),
    ],
)
def test_an_order_misused_is_shown_where_the_steps_part(
    steps: list[JsonObject], expected: list[JsonObject], says: str
) -> None:
    assert says in order_misused(steps, expected)


def test_where_no_order_is_concerned_nothing_is_shown_of_orders() -> None:
    assert order_misused([FILE, ORDER], [FILE, ORDER]) == ""
    assert order_misused([FILE], [_with(FILE, action={"do": "draw", "from": "discard"})]) == ""
    assert order_misused([FILE, FILE], [_with(FILE, seat="curt"), ORDER]) == ""


def test_only_closes_and_the_end_open_anything() -> None:
    world = walked("one-of-each")
    opened = [
        line.body for line in world.record.lines if line.kind in ("close", "end") and line.body["opened"]
    ]
    assert opened
    parts = [(part["seat"], part["n"], part["part"]) for body in opened for part in body["opened"]]
    assert set(ClosedOpenings(line.body for line in world.record.lines)._contents) == set(parts)
    others = [line.body for line in world.record.lines if line.kind not in ("close", "end")]
    assert ClosedOpenings(others)._contents == {}


def test_what_does_not_open_to_the_host_is_not_read_and_stops_only_the_replay() -> None:
    """A player's file whose sealed part is damaged: an honest host refuses it, so nobody's copy should hold one."""
    world = World("wyatt-earp", ("anna", "burt"), seed="torn").start()
    accepted(world.turn("anna", {"do": "draw", "from": "supply"}))
    seq = world.head.seq

    def torn(bodies: Bodies) -> None:
        sealed = bodies[seq]["msg"]["body"]["sealed"]
        sealed["ct"] = flipped(sealed["ct"])

    lines = Forge(world).edited(torn)
    openings = HostOpenings(world.host, world.record.lines[0])
    with pytest.raises(PbemError, match=f"the sealed actions of anna in record {seq}"):
        Record.load(lines, openings)
    assert Record.load(lines).head.seq == seq
    assert Record.load(lines[:-1], openings).head.seq == seq - 1


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
    assert ended_early.ledger.awaited is None
    assert awaited_seats(ended_early.ledger) == ()
    lines = ended().lines
    last = max(seq for seq, raw in enumerate(lines) if b'"steps":' in raw)
    decided = Record.load(lines[: last + 1])
    assert decided.public is not None
    assert "waiting" not in decided.public
    assert decided.ledger.awaited is None
    _agreed(world, {"kind": "end"})
    assert world.record.ledger.newest is not None
    assert world.record.ledger.newest.missing == ("anna", "burt")
    assert awaited_seats(world.record.ledger) == ()  # the links of an epoch that will never open


def test_a_fault_of_form_names_its_place_from_the_outside_in() -> None:
    file = copy.deepcopy(walked("way-out-west-turn").record.lines[8].file)
    file["body"]["steps"][0]["chance"][0]["j"] = -1
    with pytest.raises(FormatError, match=r"^steps 1, chance 1, j: expected at least 1, found a number -1"):
        validate("record", file)


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
    assert with_actions(line) is counts
