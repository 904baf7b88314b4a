"""No draw is called fair that somebody could have chosen (schemas/README.md §4.4, §5)."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from pbem.base.errors import RefusedError
from pbem.game import Seat
from pbem.protocol.audit import audit
from pbem.protocol.client import NO_ORDERS
from pbem.protocol.crypto.digest import b64, sha
from pbem.protocol.crypto.identity import Identity, recovery_key
from pbem.protocol.formats.envelopes import seal_part, seal_tell
from pbem.protocol.formats.signed import make_file
from pbem.protocol.record.kinds.burn import seats_to_burn
from pbem.protocol.referee import burn, perform_default
from pbem.protocol.referee.draft import Draft
from tests.verifier.node import verify_all
from tests.world import World, accepted, secret

RECOVERY = recovery_key(secret("recovery of the late one"))


def defaulted(*, burned: bool) -> tuple[World, Seat]:
    """A hand of three in which the first to act misses its time while it owes a link; ``burned``: as a program does."""
    world = World("wyatt-earp", ("anna", "burt", "curt"), seed="aim")
    for seat in world.seats:
        accepted(world.join(seat, recovery=sha(RECOVERY.public)))
    for seat in world.seats:
        accepted(world.ready(seat))
    assert world.record.waiting is not None
    late = Seat(world.record.waiting["seat"])
    assert late in world.record.missing_links
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


def test_a_seat_that_wrote_after_its_default_is_not_overdue() -> None:
    """Else a host waits until he and the others know the next cut, burns, and lays the deck that he likes."""
    world, late = defaulted(burned=False)
    assert seats_to_burn(world.record.ledger, world.now) == (late,)
    talk(world, late)
    assert seats_to_burn(world.record.ledger, world.now) == ()
    with pytest.raises(RefusedError, match=f"the link of {late} is not overdue"):
        burn(world.record, world.host, world.now)


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
    told = seal_tell(world.record.game, seat, world.numbers[seat] + 1, to, key, "wait for me")
    signed(world, seat, "turn", actions=[], tell=[told])


def absence(world: World, seat: Seat) -> None:
    """He says that he is away."""
    what = {"kind": "absence", "seat": seat, "from": world.now, "until": world.later(48)}
    signed(world, seat, "consent", what=what)


def resigns(world: World, seat: Seat) -> None:
    """He gives up."""
    signed(world, seat, "consent", what={"kind": "resign", "seat": seat})


def new_keys(world: World, seat: Seat) -> None:
    """New keys, by the key on paper; the link of the old chain is still owed."""
    new = Identity(secret("new keys of the late one"))
    accepted(world.send(world.rekey_file(seat, RECOVERY, new)))
    world.people[seat] = new


@pytest.mark.parametrize("word", [talk, orders, private_word, absence, resigns, new_keys])
def test_whatever_it_wrote_it_is_not_overdue_at_once(word: Callable[[World, Seat], None]) -> None:
    """Every kind of file that a seat can send without its link; with the link nothing is missing."""
    world, late = defaulted(burned=False)
    word(world, late)
    assert late not in seats_to_burn(world.record.ledger, world.now)
    with pytest.raises(RefusedError):
        burn(world.record, world.host, world.now)


def test_nobody_is_burned_out_in_a_pause_or_before_the_first_deal() -> None:
    world = World("wyatt-earp", ("anna", "burt", "curt"), seed="aim")
    for seat in world.seats:
        accepted(world.join(seat))
    world.tick(24 * 365)
    with pytest.raises(RefusedError, match="never burned"):
        burn(world.record, world.host, world.now)
    world, late = defaulted(burned=False)
    kept = [world.consent(seat, {"kind": "pause"}) for seat in world.seats if seat != late]
    kept.append(world.consent(late, {"kind": "pause"}))
    accepted(world.send(kept[-1], kept))
    world.tick(24 * 365)
    assert seats_to_burn(world.record.ledger, world.now) == ()


def test_a_draw_tells_who_could_have_chosen_it() -> None:
    world, late = defaulted(burned=True)
    others = tuple(seat for seat in world.record.seats if seat != late)
    assert [line.kind for line in world.record.lines[-3:]] == ["default", "burn", "announce"]
    while len([line for line in world.record.lines if line.kind == "open"]) < 2:
        waiting = world.record.waiting
        if waiting is not None and waiting["seat"] == late:
            world.tick(96)
            world.take(perform_default(world.record, world.host, late, world.now))
        elif not world.move():
            accepted(world.ready(world.record.missing_links[0]))
    opened = [line for line in world.record.lines if line.kind == "open"][-1]
    label = world.record.labels(opened.seq)[0]
    assert (label.label, label.again, label.thrown_away) == ("fair", (late,), 1)
    assert (label.left_out, label.cut_by) == ((late,), others)
    first = next(line for line in world.record.lines if line.kind == "open")
    assert world.record.labels(first.seq)[0].left_out == ()
    ours = {epoch["epoch"]: epoch for epoch in audit(world.lines).to_json()["epochs"]}
    laid = opened.body["epoch"]
    assert (ours[laid]["again"], ours[laid]["thrown_away"], ours[laid]["left_out"]) == ([late], 1, [late])
    theirs = {epoch["number"]: epoch for epoch in verify_all({"aim": world.lines})["aim"]["epochs"]}
    assert (theirs[laid]["again"], theirs[laid]["thrownAway"], theirs[laid]["leftOut"]) == ([late], 1, [late])
    assert theirs[laid]["cutBy"] == json.loads(json.dumps(others))
