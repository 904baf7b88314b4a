"""Matches in memory of which the calls are asked; a cached one is for calls that do not change it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import cache
from typing import Any, Final

from pbem.base.errors import PbemError
from pbem.game import JsonObject, Seat
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.crypto.identity import Identity, check_sign_key, recovery_hash
from pbem.protocol.referee import substitute
from tests.errors.calls import Call
from tests.world import World, secret

SEATS: Final = ("anna", "burt", "curt")
ANNA, BURT, CURT = map(Seat, SEATS)


@cache
def created() -> World:
    """Nobody has joined."""
    return World("wyatt-earp", SEATS)


@cache
def announced() -> World:
    """Everybody has joined, and nobody has given a part of the shuffle."""
    world = World("wyatt-earp", SEATS)
    for seat in SEATS:
        world.join(
            seat, recovery=recovery_hash(key_of(f"{seat} paper").sign_public) if seat == "anna" else None
        )
    return world


@cache
def running() -> World:
    """Anna is to draw."""
    return World("wyatt-earp", SEATS).start()


def begun(**more: Any) -> World:
    """The same, for a call that changes it."""
    return World("wyatt-earp", SEATS, **more).start()


@cache
def paused() -> World:
    """The match is paused."""
    world = begun()
    world.agree(world.pause(), *SEATS)
    return world


@cache
def over() -> World:
    """The match has ended by consent."""
    world = begun()
    world.agree({"kind": "end"}, *SEATS)
    return world


@cache
def resigned() -> World:
    """Curt has resigned."""
    world = begun()
    world.resign("curt")
    return world


@cache
def proposed() -> World:
    """The others want a new player for Curt, and that is held."""
    world = begun()
    consents = [world.consent(seat, world.substitute_terms("curt", "dora")) for seat in ("anna", "burt")]
    world.take(substitute(world.record, world.host, world.newcomer("curt", "dora"), consents, world.now))
    return world


@cache
def closed() -> World:
    """A hand is over."""
    world = World("wyatt-earp", SEATS).start()
    while not any(line.kind == "close" for line in world.record.lines):
        assert world.move()
    return world


def judged(world: Callable[[], World], file: Callable[[World], JsonObject]) -> Call:
    """What the host says to this file in this match."""
    return lambda *_: world().judge(file(world()))


def fault_in(world: Callable[[], World], fault: Callable[[World], str]) -> Call:
    """What a check finds wrong in this match."""
    return lambda *_: fault(world())


def seat_asked(world: World) -> str:
    waiting = world.record.waiting
    assert waiting is not None
    return str(waiting["seat"])


def key_of(name: str) -> Identity:
    return Identity(secret(name))


def keys_of(identity: Identity, other: Identity | None = None) -> JsonObject:
    return {"sign": b64(identity.sign_public), "seal": b64((other or identity).seal_public)}


def zeros() -> str:
    return b64(bytes(32))


def announced_again() -> World:
    """As ``announced``, for a call that changes it."""
    return announced.__wrapped__()


@cache
def announced_alone() -> World:
    """Anna alone has joined."""
    world = World("wyatt-earp", SEATS)
    world.join("anna")
    return world


def proposed_again() -> World:
    """As ``proposed``, for a call that changes it."""
    return proposed.__wrapped__()


def last_result(world: World) -> JsonObject:
    lines = world.record.lines
    end = next((line.seq for line in lines if line.kind == "close"), len(lines))
    return next(line.reference for line in reversed(lines[:end]) if "steps" in line.body)


def last_file(world: World) -> JsonObject:
    """The body of the last file of a player."""
    body: JsonObject = next(
        line.body["msg"]["body"] for line in reversed(world.record.lines) if "msg" in line.body
    )
    return body


def twofold_key() -> JsonObject:
    """One key that could be both."""
    for number in range(99):
        keys = keys_of(key_of(f"key {number}"))
        with contextlib.suppress(PbemError):
            check_sign_key(unb64(keys["seal"], 32))
            return {"sign": keys["seal"], "seal": keys["seal"]}
    raise AssertionError("no key can be both")
