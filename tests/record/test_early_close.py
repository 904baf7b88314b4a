"""A hand in play is closed by nobody but all its seats, whenever the host tries (schemas/README.md §16)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import pytest

from pbem.game import JsonObject, Seat
from pbem.protocol.audit import audit
from pbem.protocol.record.kinds.close import close
from pbem.protocol.record.line import write_line
from pbem.protocol.referee import perform_default
from pbem.protocol.referee.draft import Draft
from tests.verifier.node import verify_all
from tests.world import World, accepted

THREE: Final = ("anna", "burt", "curt")
END: Final[JsonObject] = {"kind": "end"}


def dealt() -> World:
    return World("wyatt-earp", THREE, seed="early").start()


def in_the_middle() -> World:
    return dealt().play(7)


def before_an_answer() -> World:
    """Somebody else than the player of the turn is asked."""
    for seed in range(40):
        world = World("wyatt-earp", THREE, seed=f"answer {seed}").start()
        for _ in range(30):
            waiting, public = world.record.waiting, world.record.public or {}
            if waiting is not None and public.get("active") not in (None, waiting["seat"]):
                return world
            if not world.move():
                break
    raise AssertionError("nobody was ever asked in another's turn")


def after_a_default() -> World:
    world = dealt()
    assert world.record.waiting is not None
    world.tick(96)
    world.take(perform_default(world.record, world.host, Seat(world.record.waiting["seat"]), world.now))
    return world


def in_a_pause() -> World:
    world = dealt()
    accepted(world.agree(world.pause(), *THREE))
    return world


def with_a_seat_proposed() -> World:
    world = dealt()
    accepted(world.agree(world.substitute_terms("anna", "dora"), "burt", "curt"))
    return world


def of_two() -> World:
    return World("wyatt-earp", THREE[:2], seed="early").start().play(3)


def of_a_match_that_opens_at_its_end() -> World:
    return World("wyatt-earp", THREE, reveal="match", seed="early").start().play(3)


def of_way_out_west() -> World:
    return World("way-out-west", THREE, seed="early").start().play(5)


MOMENTS: Final = (
    dealt, in_the_middle, before_an_answer, after_a_default, in_a_pause, with_a_seat_proposed, of_two,
    of_a_match_that_opens_at_its_end, of_way_out_west,
)  # fmt: skip


def closed(world: World, agreed: JsonObject | None = None) -> list[bytes]:
    """The match with a close of what runs, signed by a host whom no second reader stops."""
    record, running = world.record, world.record.ledger.running
    assert running is not None

    class Unread(Draft):
        def add(self, kind: str, members: JsonObject):  # type: ignore[no-untyped-def]
            line = write_line(kind, members, self.host, game=record.game, after=record.head, at=self.at)
            self.lines.append(line)
            return line

    draft = Unread(record, world.host, world.now)
    close(draft, running, agreed)
    return [*world.lines, draft.lines[0].raw]


def codes(lines: Sequence[bytes]) -> set[tuple[int, str]]:
    """What both verifiers say of the last record."""
    last = len(lines) - 1
    faults = [
        fault for fault in audit(lines).faults if fault.seq == last and fault.step <= 10
    ]  # the rules say so too
    ours = {(fault.step, fault.code) for fault in faults}
    theirs = verify_all({"early": lines})["early"]["faults"]
    assert {(fault["step"], fault["code"]) for fault in theirs if fault["record"] == last} == ours
    return ours


@pytest.mark.parametrize("moment", MOMENTS)
def test_the_host_alone_closes_no_hand_in_play(moment: Callable[[], World]) -> None:
    assert (9, "early") in codes(closed(moment()))


def missing_one(world: World) -> JsonObject:
    return {"what": END, "consents": [world.consent(seat, END) for seat in world.seats[1:]]}


def nobodys(world: World) -> JsonObject:
    return {"what": END, "consents": []}


def of_another_reason(world: World) -> JsonObject:
    why = {**END, "why": "we like to stop"}
    return {"what": END, "consents": [world.consent(seat, why) for seat in world.seats]}


def one_twice(world: World) -> JsonObject:
    seats = [*world.seats[1:], world.seats[1]]
    return {"what": END, "consents": [world.consent(seat, END) for seat in seats]}


def by_another_key(world: World) -> JsonObject:
    files = [world.consent(seat, END) for seat in world.seats]
    files[0] = {**files[0], "sig": files[1]["sig"]}
    return {"what": END, "consents": files}


@pytest.mark.parametrize("agreed", [missing_one, nobodys, of_another_reason, one_twice, by_another_key])
def test_nor_with_less_than_everybodys_consent(agreed: Callable[[World], JsonObject]) -> None:
    world = dealt()
    assert codes(closed(world, agreed(world)))
