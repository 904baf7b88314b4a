"""The ways that were looked for to a deck that somebody chose, each one tried: the last table of examples/cheats.md."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from pbem.base.errors import RefusedError
from pbem.game import JsonObject, Seat
from pbem.protocol.audit import audit
from pbem.protocol.client import compose_ready
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.record import Epoch
from pbem.protocol.record.kinds.burn import seats_to_burn
from pbem.protocol.record.takeover import overdue_from
from pbem.protocol.referee import Held, burn, perform_default
from tests.record.late import RECOVERY, defaulted, owing, talk
from tests.world import World, accepted, refusal, secret

PAGE: Final = Path(__file__).resolve().parents[2] / "examples" / "cheats.md"
YEAR: Final = 24 * 365


def laid(world: World) -> Epoch:
    """The announcement that waits."""
    newest = world.record.ledger.newest
    assert newest is not None
    assert newest.opened is None
    return newest


def others(world: World, seat: Seat) -> list[Seat]:
    return [other for other in world.record.seats if other != seat]


def marked(world: World, seat: Seat, void: int) -> None:
    """What waits was laid again for this seat after so many void layings, has no part of it, and the audit is clean."""
    epoch = laid(world)
    assert (epoch.again, epoch.thrown_away, epoch.left_out) == ((seat,), void, (seat,))
    assert audit(world.lines).ok


def in_time(world: World) -> None:
    """Nothing may be burned now."""
    assert seats_to_burn(world.record.as_of(world.now).ledger, world.now) == ()
    with pytest.raises(RefusedError):
        burn(world.record, world.host, world.now)


def a_message_after_the_timeout_move() -> None:
    world, late = defaulted(burned=False)
    assert seats_to_burn(world.record.ledger, world.now) == (late,)
    talk(world, late)
    in_time(world)


def a_pause() -> None:
    world, late = defaulted(burned=False)
    kept = [world.consent(seat, world.pause(24 * 60)) for seat in others(world, late)]
    ruling = world.send(kept[0], kept[1:])
    assert isinstance(ruling, Held)
    assert ruling.missing == (late,)
    accepted(world.send(world.consent(late, world.pause(24 * 60)), kept))
    world.tick(24 * 60 - 1)
    in_time(world)


def time_away() -> None:
    world, late = owing()
    due = overdue_from(world.record.ledger, late)
    terms: JsonObject = {"kind": "absence", "seat": late, "from": world.now, "until": world.later(48)}
    assert isinstance(world.send(world.consent(others(world, late)[0], terms)), Held)
    accepted(world.send(world.consent(late, terms)))
    assert due is not None
    assert (overdue_from(world.record.ledger, late) or "") >= due
    in_time(world)


def a_replacement_player() -> None:
    world, late = owing()
    terms = world.substitute_terms(late, "dora")
    accepted(world.agree(terms, *others(world, late)))
    talk(world, late)  # any word undoes it
    assert world.record.ledger.proposals == {}
    accepted(world.agree(terms, *others(world, late)))
    number = laid(world).number
    world.carry_out(late, world.newcomer(late, "dora"))
    assert (laid(world).number, late in laid(world).missing) == (number, True)  # no new chain serves it
    in_time(world)
    world.tick(96)
    world.take(burn(world.record, world.host, world.now))
    marked(world, late, 1)


def new_keys_by_the_old_key() -> None:
    world, late = owing()
    file = world.rekey_file(late, world.people[late].sign_key, Identity(secret("another browser")))
    assert refusal(world.send(file)).code == "link-missing"


def new_keys_by_the_recovery_key() -> None:
    world, late = owing()
    number, old, new = laid(world).number, world.people[late], Identity(secret("found on paper"))
    accepted(world.send(world.rekey_file(late, RECOVERY, new)))
    assert (laid(world).number, laid(world).again) == (number, ())
    accepted(world.send(compose_ready(world.copy(), new, late, world.number(late), old=old)))
    assert late in laid(world).links  # of the chain that was chosen before the laying


def new_keys_by_proposal() -> None:
    world, late = owing()
    new = Identity(secret("given by the others"))
    accepted(world.agree(world.new_keys(late, new), *others(world, late)))
    world.carry_out(late)
    assert late in laid(world).missing
    in_time(world)
    world.tick(96)
    world.take(burn(world.record, world.host, world.now))
    marked(world, late, 1)


def a_resignation() -> None:
    world, late = owing()
    world.resign(late)
    world.take(perform_default(world.record, world.host, late, world.now))
    marked(world, late, 1)


def seeds_revealed_at_the_end() -> None:
    world, late = defaulted(burned=False, reveal="match")
    talk(world, late)
    in_time(world)
    world, late = defaulted(burned=True, reveal="match")
    marked(world, late, 1)
    talk(world, late)
    assert (laid(world).left_out, laid(world).thrown_away) == ((), 2)


def an_agreed_end() -> None:
    world, late = defaulted(burned=True)
    kept = [world.consent(seat, {"kind": "end"}) for seat in others(world, late)]
    assert isinstance(world.send(kept[0], kept[1:]), Held)
    ruling = accepted(world.send(world.consent(late, {"kind": "end"}), kept))
    assert [line.kind for line in ruling.lines] == ["close", "end"]


def a_match_of_two() -> None:
    world, late = defaulted(burned=True, seats=("anna", "burt"))
    marked(world, late, 1)
    (other,) = others(world, late)
    assert laid(world).seats == (other,)
    world = World("wyatt-earp", ("anna", "burt"), seed="aim", plays="anna").start()
    world.tick(YEAR)
    in_time(world)  # where the other one hosts, the match waits


def a_rewind() -> None:
    world, late = defaulted(burned=True)
    target = next(line for line in world.record.lines if line.kind == "open")
    said = refusal(world.send(world.consent(late, {"kind": "rewind", "to": target.reference})))
    assert said.code == "illegal"
    assert (laid(world).again, laid(world).left_out) == ((late,), (late,))


def a_seat_taken_again_after_the_deal() -> None:
    world, late = owing()
    number = laid(world).number
    world.retake(late, "phone")
    assert "void" not in world.head.body
    assert (laid(world).number, late in laid(world).missing) == (number, True)
    in_time(world)


def a_part_withheld_again_and_again() -> None:
    world, late = defaulted(burned=True)
    marked(world, late, 1)
    talk(world, late)
    while world.record.waiting is None or world.record.waiting["seat"] != late:
        assert world.move()
    world.tick(24 * 10)
    world.take(perform_default(world.record, world.host, late, world.now))
    marked(world, late, 3)  # each void laying is counted
    talk(world, late)
    marked(world, late, 3)  # and no word brings another


def a_message_held_back() -> None:
    """The host can do that; the deck then says who had no part in it, and the player has no receipt."""
    world, late = defaulted(burned=True)
    opened = sum(line.kind == "open" for line in world.record.lines)
    while sum(line.kind == "open" for line in world.record.lines) == opened:
        if world.record.waiting is not None and world.record.waiting["seat"] == late:
            world.tick(24 * 10)
            world.take(perform_default(world.record, world.host, late, world.now))
        else:
            assert world.move()
    line = [line for line in world.record.lines if line.kind == "open"][-1]
    assert {label.left_out for label in world.record.labels(line.seq)} == {(late,)}


WAYS: Final[dict[str, Callable[[], None]]] = {
    tried.__name__.replace("_", " "): tried
    for tried in (
        a_message_after_the_timeout_move, a_pause, time_away, a_replacement_player, new_keys_by_the_old_key,
        new_keys_by_the_recovery_key, new_keys_by_proposal, a_resignation, seeds_revealed_at_the_end, an_agreed_end,
        a_match_of_two, a_rewind, a_seat_taken_again_after_the_deal, a_part_withheld_again_and_again,
        a_message_held_back,
    )
}  # fmt: skip


@pytest.mark.parametrize("name", WAYS)
def test_no_way_leads_to_a_deck_that_was_chosen_and_does_not_say_who_could(name: str) -> None:
    WAYS[name]()


def test_the_page_lists_every_way_that_was_tried() -> None:
    section = PAGE.read_text(encoding="utf-8").split("## Other ways to a chosen deck\n")[1]
    assert re.findall(r"^\| ([a-z][^|]*?) \|", section, re.MULTILINE) == list(WAYS)
