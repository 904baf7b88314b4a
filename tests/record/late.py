"""Somebody who missed its time while it owed a link, and every word by which it may come back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pbem.game import Seat
from pbem.protocol.client import NO_ORDERS
from pbem.protocol.crypto.digest import b64, sha
from pbem.protocol.crypto.identity import Identity, recovery_key
from pbem.protocol.formats.envelopes import make_file, seal_part, seal_tell
from pbem.protocol.referee import perform_default
from pbem.protocol.referee.draft import Draft
from tests.world import World, accepted, secret

RECOVERY = recovery_key(secret("recovery of the late one"))


THREE: Final = ("anna", "burt", "curt")


def owing(*, seats: Sequence[str] = THREE, reveal: str = "epoch") -> tuple[World, Seat]:
    """A hand in which the first to act owes a link; all have a recovery key."""
    world = World("wyatt-earp", seats, reveal=reveal, seed="aim")
    for seat in world.seats:
        accepted(world.join(seat, recovery=sha(RECOVERY.public)))
    for seat in world.seats:
        accepted(world.ready(seat))
    assert world.record.waiting is not None
    late = Seat(world.record.waiting["seat"])
    assert late in world.record.missing_links
    return world, late


def defaulted(*, burned: bool, seats: Sequence[str] = THREE, reveal: str = "epoch") -> tuple[World, Seat]:
    """The first to act misses its time while it owes a link; ``burned``: as a program does."""
    world, late = owing(seats=seats, reveal=reveal)
    world.tick(96)
    if burned:
        world.take(perform_default(world.record, world.host, late, world.now))
        return world, late
    draft = Draft(world.record, world.host, world.now)
    play = draft.play()
    play.default(late)
    draft.add("default", {"epoch": play.table.epoch, "seat": late, **draft.result(play, failed=late)})
    world.take(draft.accepted())
    return world, late


def talk(world: World, seat: Seat) -> None:
    """A word of this seat, without the link that it owes."""
    who = world.people[seat]
    body = {
        "game": b64(world.record.game),
        "seat": seat,
        "n": world.number(seat),
        "seen": world.head.seen,
        "actions": [],
    }
    accepted(world.send(make_file("turn", {**body, "say": "I am back"}, who.sign_key, who.sign_public)))


def signed(world: World, seat: Seat, kind: str, **members: object) -> None:
    """A file of this seat with these members, without the link that it owes; the host must take it."""
    who = world.people[seat]
    body = {"game": b64(world.record.game), "seat": seat, "n": world.number(seat), "seen": world.head.seen}
    accepted(world.send(make_file(kind, {**body, **members}, who.sign_key, who.sign_public)))


def orders(world: World, seat: Seat) -> None:
    """New standing orders."""
    key, own = world.record.ledger.host_seal, world.people[seat].seal_public
    part = seal_part(
        "order", world.record.game, seat, world.numbers[seat] + 1, key, own, bytes(16), NO_ORDERS
    )
    signed(world, seat, "turn", actions=[], orders=part)


def private_word(world: World, seat: Seat) -> None:
    """A word to one other seat."""
    to = next(other for other in world.record.seats if other != seat)
    key = world.record.ledger.players[to].seal
    message = seal_tell(world.record.game, seat, world.numbers[seat] + 1, to, key, "wait for me")
    signed(world, seat, "turn", actions=[], tell=[message])


def absence(world: World, seat: Seat) -> None:
    """They say that they are away."""
    terms = {"kind": "absence", "seat": seat, "from": world.now, "until": world.later(48)}
    signed(world, seat, "consent", what=terms)


def resigns(world: World, seat: Seat) -> None:
    """They give up."""
    signed(world, seat, "consent", what={"kind": "resign", "seat": seat})


def new_keys(world: World, seat: Seat) -> None:
    """New keys, by the key on paper; the link of the old chain is still owed."""
    new = Identity(secret("new keys of the late one"))
    accepted(world.send(world.rekey_file(seat, RECOVERY, new)))
    world.people[seat] = new


WORDS: Final = (talk, orders, private_word, absence, resigns, new_keys)
"""Every kind of file that a seat can send without its link."""
