"""Matches in which somebody is after a seat, and what both verifiers say of a record that a false host signs there."""

from __future__ import annotations

from pbem.game import JsonObject, Seat
from pbem.protocol.audit import audit
from pbem.protocol.crypto.digest import b64, sha
from pbem.protocol.crypto.identity import Identity, recovered, recovery_key
from pbem.protocol.crypto.primitives import SignKey
from pbem.protocol.record import Record
from pbem.protocol.record.line import Fault
from pbem.protocol.referee import reseal
from tests.verifier.node import verify_all
from tests.verifier.verdicts import codes_of_last, with_record
from tests.world import World, accepted, secret

ANNA, BURT, CURT = Seat("anna"), Seat("burt"), Seat("curt")
DRAW: JsonObject = {"do": "draw", "from": "supply"}
THIEF = Identity(secret("the opponent's own key"))
NO_KEY = b64(b"\1" + bytes(31))
"""The neutral element: of small order."""


def two() -> World:
    return World("wyatt-earp", ("anna", "burt"), seed="two").start()


def three(**more: object) -> World:
    return World("wyatt-earp", ("anna", "burt", "curt"), seed="three", **more).start()  # type: ignore[arg-type]


def clean(world: World) -> None:
    """Both verifiers find nothing."""
    Record.load(world.lines)
    assert audit(world.lines).ok
    assert verify_all({"file": world.lines})["file"]["ok"]


def forged(world: World, kind: str, members: JsonObject) -> str:
    """What both verifiers say of a record that a dishonest host signs here: one and the same code."""
    return forged_fault(world, kind, members).code


def forged_fault(world: World, kind: str, members: JsonObject) -> Fault:
    """The same with what is said of it to a person."""
    lines = with_record(world, kind, members)
    assert codes_of_last(lines)
    return audit(lines, engine=False).faults[0]


def packets(world: World, seat: Seat) -> JsonObject:
    """``epoch`` and ``packets`` that an honest host would write."""
    body = reseal(world.record, world.host, seat, world.now).lines[0].body
    return {"epoch": body["epoch"], "packets": body["packets"]}


def joined_with_paper(seat: str, seed: str) -> tuple[World, SignKey]:
    """A match of three who have joined, one of them with a recovery key; and that key."""
    paper = secret(f"{seat}'s paper")
    key = recovery_key(paper)
    world = World("wyatt-earp", ("anna", "burt", "curt"), seed=seed)
    world.people[Seat(seat)] = recovered(paper)
    for player in world.seats:
        more = {"recovery": sha(key.public)} if player == seat else {}
        accepted(world.join(player, **more))
    for player in world.seats:
        accepted(world.ready(player))
    return world, key
