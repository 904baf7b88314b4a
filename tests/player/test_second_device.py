"""A player with two devices: what they sealed on one is known on the other, from the record and their key alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.base.errors import UsageProblem
from pbem.game import JsonObject, Seat
from pbem.player.seat import PlayerClient, Signed
from pbem.player.seat.own_copies import OwnCopies
from pbem.player.store import Sealed
from pbem.protocol.client import SeatView
from pbem.protocol.client.seat_view import sealed_faults
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.envelopes import open_part
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import Line
from tests.player.test_client import DRAW, Salt, awaited, client
from tests.world import World, accepted, secret

RULES: JsonObject = {
    "rules": [
        {"when": "draw", "if": {"supply_at_most": count}, "do": {"do": "draw", "from": "supply"}}
        for count in range(15)
    ]
}


@pytest.fixture
def world() -> World:
    return World("wyatt-earp", ["anna", "burt"]).start()


def sent(world: World, signed: Signed) -> Line:
    """Hand in what was signed; the record that holds it."""
    world.numbers[signed.seat] = signed.n
    return next(line for line in accepted(world.send(signed.raw)).lines if line.kind in ("turn", "rekey"))


def in_force(world: World, seat: str) -> object:
    """The standing orders that the host has."""
    part = world.record.ledger.orders[Seat(seat)]
    host = world.host
    where = (world.record.game, seat, part.n, host.seal_key, host.seal_public)
    return open_part("order", *where, part.sealed)[1]


def test_fifteen_rules_survive_a_turn_that_is_written_on_a_second_device(
    world: World, tmp_path: Path
) -> None:
    seat = awaited(world)
    sent(world, client(world, seat, tmp_path / "first").turn(orders=RULES))
    assert in_force(world, seat) == RULES
    second = client(world, seat, tmp_path / "second")
    assert second.orders() == RULES
    signed = second.turn([DRAW])
    line = sent(world, signed)
    assert line.body["msg"]["body"]["orders"]["commit"] == signed.file["body"]["orders"]["commit"]
    assert in_force(world, seat) == RULES
    assert any("not signed on this device" in warning for warning in signed.warnings)


def test_lost_copies_are_read_again_and_nothing_is_warned_of_where_the_newest_file_was_signed(
    world: World, tmp_path: Path
) -> None:
    seat = awaited(world)
    first = client(world, seat, tmp_path)
    sent(world, first.turn(orders=RULES))
    for copy in (tmp_path / "sealed").iterdir():
        copy.unlink()
    again = client(world, seat, tmp_path)
    again.take_in(world.lines)
    signed = again.turn([DRAW])
    assert signed.warnings == ()
    sent(world, signed)
    assert in_force(world, seat) == RULES


def test_of_two_files_with_one_number_the_recorded_one_says_what_is_in_force(
    world: World, tmp_path: Path
) -> None:
    seat = awaited(world)
    first, second = (client(world, seat, tmp_path / name) for name in ("first", "second"))
    never = first.turn(orders={"rules": []})
    recorded = second.turn(orders=RULES)
    assert never.n == recorded.n
    sent(world, recorded)
    fresh = PlayerClient.open(tmp_path / "first", world.people[Seat(seat)], Salt())
    fresh.take_in(world.lines)
    assert fresh.orders() == RULES


def test_sealed_actions_of_another_device_are_held_against_the_record(world: World, tmp_path: Path) -> None:
    seat = awaited(world)
    hand = world.view(seat).view_json["hands"][seat]
    sent(world, client(world, seat, tmp_path / "first").turn([DRAW, {"do": "discard", "card": hand[0]}]))
    second = client(world, seat, tmp_path / "second")
    assert second.altered_actions() == []
    body = world.record.lines[-1].body
    assert [step["by"] for step in body["steps"]][:2] == ["file", "sealed"]
    step = next(step for step in body["steps"] if step["by"] == "sealed")
    step["action"] = {**step["action"], "card": "something else"}
    view = SeatView(world.copy(), world.people[Seat(seat)])
    copies = OwnCopies(Sealed(tmp_path / "nothing"), world.people[Seat(seat)])
    faults = sealed_faults(view, lambda n: copies.of_number(view.record, view.seat, n, "sealed"))
    assert [fault.code for fault in faults] == ["own-sealed"]


def test_orders_that_nobody_can_read_any_more_are_left_as_they_are(world: World, tmp_path: Path) -> None:
    """New keys on a new device: the old copies were sealed to the old key."""
    seat = awaited(world)
    first = client(world, seat, tmp_path / "first")
    old = world.people[Seat(seat)]
    sent(world, first.turn(orders=RULES))
    new = Identity(secret("new keys"))
    moving = client(world, seat, tmp_path / "moving")
    sent(world, moving.rekey(Seat(seat), old.sign_key, new))
    world.people[Seat(seat)] = new
    second = client(world, seat, tmp_path / "second")
    assert second.orders() is None
    signed = second.turn([DRAW])
    assert "orders" not in signed.file["body"]
    assert any("keys that are not here" in warning for warning in signed.warnings)
    sent(world, signed)
    assert in_force(world, seat) == RULES
    cleared = second.turn(orders={"rules": []})
    assert "orders" in cleared.file["body"]


def test_more_orders_than_fit_are_refused_before_anything_is_signed(world: World, tmp_path: Path) -> None:
    seat = awaited(world)
    mine = client(world, seat, tmp_path)
    many = {"rules": RULES["rules"] * 4}
    with pytest.raises(UsageProblem, match=r"take \d+ bytes; 3071 fit"):
        mine.turn(orders=many)
    assert list((tmp_path / "sent").glob("*.json")) == []
    assert len(canon(many)) > 3072 > len(canon(RULES))
