"""What the prose once left open, and two readers of it decided otherwise: now it says, and both verifiers do so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from pbem.game import Seat
from pbem.protocol.audit import audit
from pbem.protocol.record.takeover import links_by
from tests.forge import Bodies, Forge, first
from tests.verifier.matches import PAPER, by_orders, match
from tests.verifier.node import verify_all
from tests.verifier.tampering import CHEATS, shortest
from tests.verifier.test_genesis import HOSTILE, line_of
from tests.verifier.verdicts import found_by_js
from tests.world import World, accepted

PROSE: Final = (Path(__file__).resolve().parents[2] / "schemas" / "README.md").read_text(encoding="utf-8")
DRAW: Final = {"rules": [{"when": "draw", "do": {"do": "draw", "from": "supply"}}]}


def alike(lines: list[bytes]) -> bool:
    """Both verifiers give one verdict without the rules; whether it is good."""
    theirs = found_by_js(verify_all({"open": lines})["open"])
    ours = audit(lines, engine=False)
    assert ours.ok != bool(theirs), (ours.faults, theirs)
    return ours.ok


def cheat(name: str) -> list[bytes]:
    cheat = next(cheat for cheat in CHEATS if cheat.name == name)
    lines = cheat.make(Forge(match(shortest(cheat)), [PAPER]))
    assert lines is not None
    return lines


def genesis(name: str) -> list[bytes]:
    _, game, change = next(hostile for hostile in HOSTILE if hostile[0] == name)
    return [line_of(game, change)]


def orders_of_a_former_player() -> None:
    """They answer nothing any more: the newcomer is asked."""
    world = World("wyatt-earp", ("anna", "burt", "curt"), seed="left open").start()
    asked = world.record.waiting or {}
    seat = Seat(asked["seat"])
    after = Seat(world.seats[(world.seats.index(seat) + 1) % 3])
    accepted(world.turn(after, orders=DRAW))
    world.resign(after)
    world.put(after, "dora")
    while asked.get("seat") == seat:
        assert world.move()
        asked = world.record.waiting or {}
    assert (asked["seat"], asked["phase"]) == (after, "draw")
    assert alike(world.lines)


def orders_not_in_force() -> None:
    assert not alike(cheat("a step by orders that are not in force"))


def an_end_by_consent_with_an_open_hand() -> None:
    assert not alike(cheat("the match ends with an epoch still sealed"))


def too_many_seats() -> None:
    assert not alike(genesis("too many seats"))


def too_few_seats() -> None:
    assert not alike(genesis("too few seats"))


def a_close_without_a_limit_for_links() -> None:
    """It is no fault, and sets none."""
    forge = Forge(by_orders(), [PAPER])
    bodies = forge.bodies()
    close = first(bodies, lambda body: body["kind"] == "close" and "due" in body)
    assert close is not None
    del close["due"]
    assert alike(forge.write(bodies[: close["_was"] + 1]))


def a_close_with_a_limit_and_no_link_missing() -> None:
    world = World("way-out-west", ("anna", "burt", "curt"), seed="left open").start()
    bodies: Bodies = []
    while not bodies:
        assert world.move()
        forge = Forge(world, [PAPER])
        close = first(forge.bodies(), lambda body: body["kind"] == "close" and "due" not in body)
        if close is not None:
            bodies = forge.bodies()[: close["_was"] + 1]
    bodies[-1]["due"] = links_by(world.record.ledger, world.record.seats, bodies[-1]["at"])
    assert not alike(forge.write(bodies))


def a_packet_of_a_new_key_longer_than_it_should_be() -> None:
    assert not alike(cheat("the packet of a new key is longer than its cards ask"))


def a_packet_sealed_again_shorter_than_it_should_be() -> None:
    assert not alike(cheat("a packet sealed again is too short for the cards that were found"))


def the_board_of_scenarios_as_an_option() -> None:
    assert not alike(genesis("the board of scenarios as an option"))


OPEN: Final[dict[Callable[[], None], str]] = {
    orders_of_a_former_player: "A `substitute` ends the standing orders of its seat",
    orders_not_in_force: "A `substitute` ends the standing orders of its seat",
    an_end_by_consent_with_an_open_hand: "`end` stands after all closes",
    too_many_seats: "* **Seats**: two to four.",
    too_few_seats: "* **Seats**: three to five.",
    a_close_without_a_limit_for_links: "a close without one is no fault",
    a_close_with_a_limit_and_no_link_missing: "A close has a `due` if links are missing and the match goes on",
    a_packet_of_a_new_key_longer_than_it_should_be: "every packet has a length of its own",
    a_packet_sealed_again_shorter_than_it_should_be: "every packet has a length of its own",
    the_board_of_scenarios_as_an_option: "`board` there is for scenarios and no option of a match",
}


@pytest.mark.parametrize("left_open", OPEN, ids=lambda function: function.__name__.replace("_", " "))
def test_what_the_prose_left_open_is_said_and_done_by_both(left_open: Callable[[], None]) -> None:
    assert OPEN[left_open] in PROSE
    left_open()
