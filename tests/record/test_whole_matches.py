"""Whole matches through real turn files: they end, load for a stranger, and audit open and clean."""

from __future__ import annotations

import random

import pytest

from pbem.game import Seat
from pbem.games import find_game
from pbem.protocol.audit import audit
from pbem.protocol.client import Packets, SeatView, split_actions
from pbem.protocol.record import HostOpenings, Record
from tests.world import NAMES, FixedSalts, World, accepted, top_of


def proven(world: World) -> None:
    """Load as a stranger, load as the host, and audit."""
    Record.load(world.lines)
    host = Record.load(world.lines, HostOpenings(world.host, world.record.lines[0]))
    assert host.table.public == world.record.table.public
    report = audit(world.lines)
    assert report.ok, report.faults[:3]
    assert report.mode == "open"
    assert report.counts["bound only"] == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seats", "profile"), [(2, "default"), (3, "french"), (4, "italian"), (2, "review"), (4, "default")]
)
def test_wyatt_earp_to_the_end(profile: str, seats: int) -> None:
    """Every player number with every profile: ``test_random_matches``."""
    world = World("wyatt-earp", NAMES[:seats], profile=profile, seed=f"{profile} {seats}").start().play()
    assert world.record.over
    proven(world)


@pytest.mark.slow
@pytest.mark.parametrize("seats", [3, 4, 5])
def test_way_out_west_to_the_end(seats: int) -> None:
    world = World("way-out-west", NAMES[:seats], seed=f"west {seats}").start().play()
    assert world.record.over
    proven(world)


def test_way_out_west_with_hidden_money() -> None:
    world = World("way-out-west", NAMES[:3], options={"money_public": False}, seed="purse").start().play(60)
    public = world.record.public
    assert public is not None
    assert "cash" not in public or not public["cash"]
    mine = world.view("anna").view_json["cash"]
    assert set(mine) == {"anna"}
    Record.load(world.lines)
    assert audit(world.lines).ok


@pytest.mark.parametrize("number", range(6))
def test_random_files_of_many_actions(number: int) -> None:
    """Files with wild lists of actions: whatever is accepted verifies, and nothing else changes anything."""
    rng = random.Random(number)
    game, seats = ("wyatt-earp", 3) if number % 2 else ("way-out-west", 4)
    world = World(game, NAMES[:seats], seed=f"wild {number}").start()
    for _ in range(60):
        waiting = world.record.waiting
        if waiting is None:
            if not world.move():
                break
            continue
        seat = waiting["seat"] if rng.random() < 0.9 else rng.choice(world.seats)
        rules = world.record.rules
        legal = world.view(seat).legal
        actions = [rng.choice(legal)] if legal else []
        actions += (
            [rules.action_to_json(rules.suggest(world.view(seat).view))]
            if legal and rng.random() < 0.5
            else []
        )
        before = world.lines
        world.turn(seat, *actions)
        assert world.lines[: len(before)] == before
    Record.load(world.lines)
    report = audit(world.lines)
    assert report.ok, report.faults[:3]


def test_a_reshuffle_in_the_middle_of_a_hand_is_bound_at_once_and_fair_after_the_close() -> None:
    world, seq = next(record for seed in range(50) if (record := _reshuffled(f"audit {seed}")))
    late = [label for label in world.record.labels(seq) if label.gen > 0]
    assert {label.label for label in late} <= {"bound only"}
    epoch = world.record.lines[seq].body["epoch"]
    while world.record.ledger.epochs[epoch].closed is None:
        assert world.move()
    assert {label.label for label in world.record.labels(seq) if label.gen > 0} <= {"fair after reveal"}
    assert audit(world.lines).ok


def _reshuffled(seed: str) -> tuple[World, int] | None:
    """A match up to the record that reshuffles the discard in its first hand, and that record; None if none does."""
    world = World("wyatt-earp", NAMES[:3], seed=seed).start()
    while world.record.ledger.epochs[1].closed is None:
        assert world.move()
        for line in world.record.lines[-3:]:
            if any("shuffle" in entry for step in line.body.get("steps", ()) for entry in step["chance"]):
                return world, line.seq
    return None


def test_what_follows_a_first_look_is_sealed() -> None:
    game = find_game("wyatt-earp")
    world = World("wyatt-earp", NAMES[:2], seed="split").start()
    assert game.info.id == world.record.game_info.id
    openly, sealed = split_actions(
        world.record.rules, [{"do": "draw", "from": "supply"}, {"do": "discard", "card": "hideout"}]
    )
    assert [action["do"] for action in openly] == ["draw"]
    assert [action["do"] for action in sealed] == ["discard"]


def test_orders_answer_at_once_and_are_named() -> None:
    world = World("wyatt-earp", NAMES[:2], seed="orders").start()
    orders = {"rules": [{"when": "draw", "do": {"do": "draw", "from": "supply"}}]}
    accepted(world.turn("burt", orders=orders))
    n = world.numbers[Seat("burt")]
    top = top_of(world)
    ruling = accepted(world.turn("anna", {"do": "draw", "from": "discard"}, {"do": "discard", "card": top}))
    step = ruling.lines[0].body["steps"][-1]
    assert (step["by"], step["seat"], step["n"]) == ("order", "burt", n)
    assert world.record.waiting == {"seat": "burt", "phase": "play"}
    assert audit(world.lines).ok


def test_who_goes_on_has_learned_what_who_begins_learns() -> None:
    """Forward, back, and on another way from there, with one keeper of packets for all of it."""
    world = World("wyatt-earp", NAMES[:2], seed="13").start()
    past = [world.record]
    while world.record.ledger.running is not None and world.record.ledger.running.closed is None:
        world.move()
        past.append(world.record)
    fork = past[len(past) // 2]
    other = World("wyatt-earp", NAMES[:2], seed="13")
    other.record, other.numbers = fork, {Seat(s): fork.ledger.players[Seat(s)].n for s in NAMES[:2]}
    other.salts[Seat("anna")], other.salts[Seat("burt")] = FixedSalts("another"), FixedSalts("way")
    for _ in range(6):
        other.move()
        past.append(other.record)
    kept = Packets()
    for record in [*past, *reversed(past), *past[::3]]:
        for seat in map(Seat, NAMES[:2]):
            copy = Record(record.ledger)
            going_on, beginning = (
                SeatView(copy, world.people[seat], seat, packets) for packets in (kept, None)
            )
            assert going_on.own == beginning.own
    assert len({str(record.head.hash) for record in past}) == len(past)
