"""Every cache names all that its values depend on: a host that runs on and one that was started again rule alike.

All the caches there are, found by a search for ``lru_cache``, ``cache``, ``cached_property`` and dictionaries that
outlive a call, and the keys of their values:

=========================================  =========================================================================
``record/openings.py``                     the host's: none, sealed bytes are opened each time; ``ClosedOpenings``: of
                                           one game file, by seat, number and part, which no file holds twice
``record/record.py`` ``Replay.contents``   orders by seat, number and commitment; ``states``,
                                           ``packet_bodies``: by record of one file, and a fork has its own
``record/record.py`` ``fork`` ``as_of``    copies; the host keeps the one that read the bytes it committed
``client/seat_view.py`` ``seat/client.py`` of one record; a client's view by the hash of the head
``player/seat/own_word.py`` ``_copies``    own orders by number, of one folder, which holds one match
``draws/__init__.py`` ``chain``            label, match, secret, length: all that a chain is made of
``crypto/identity.py`` ``_proper_key``     a key's 32 bytes
``crypto/identity.py``                     derived keys of one secret
``shapes/schema.py`` ``strict_json.py``    schemas by name, read from the program's own folder; member names
``letters/*`` ``pictures/*`` ``report/*``  templates by name; faces of one record; pictures by the value drawn
``mail/gate.py``                           parts of one mail
``host/service/context.py`` ``Records``    a match's record by its id, held against the head in the database
=========================================  =========================================================================
"""

from __future__ import annotations

import copy
from collections.abc import Callable

import pytest

from pbem.game import Json, JsonObject, Seat
from pbem.protocol.audit import audit
from pbem.protocol.crypto.digest import b64, lp, u32
from pbem.protocol.crypto.identity import pad, seal
from pbem.protocol.formats.envelopes import part_commit, seal_part
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import HostOpenings, Record
from pbem.protocol.referee import Accepted, Ruling, receive
from tests.record.test_referee import resigned
from tests.world import World, accepted, refusal

DRAW = {"do": "draw", "from": "supply"}
ORDERS: JsonObject = {"rules": [{"when": "draw", "do": DRAW}]}


def started(seed: str = "caches") -> World:
    return World("wyatt-earp", ("anna", "burt", "curt"), seed=seed).start()


def restarted(world: World) -> Record:
    """The same match as a host has it who was started a moment ago."""
    return Record.load(world.lines, HostOpenings(world.host, world.record.lines[0]))


def alike(ruling: Ruling, other: Ruling) -> bool:
    """Whether two rulings are the same; what is sealed again differs in its bytes and not in what it holds."""
    if isinstance(ruling, Accepted) and isinstance(other, Accepted):
        return [_bare(line.body) for line in ruling.lines] == [_bare(line.body) for line in other.lines]
    return type(ruling) is type(other) and _bare(ruling) == _bare(other)


def _bare(value: object) -> object:
    if isinstance(value, dict):
        return {name: _bare(held) for name, held in value.items() if name not in ("ct", "prev", "packets")}
    if isinstance(value, list):
        return [_bare(item) for item in value]
    if isinstance(value, (str, int)) or value is None:
        return value
    return [
        (name, getattr(value, name))
        for name in ("code", "sentence", "action", "reason")
        if hasattr(value, name)
    ]


def send(world: World, file: JsonObject) -> Ruling:
    """The host who runs on rules; so does one who was started again, and they agree."""
    again = receive(restarted(world), world.host, canon(file), world.now)
    ruling = world.send(file)
    assert alike(ruling, again)
    return ruling


def spoilt(world: World, file: JsonObject, change: Callable[[JsonObject], object]) -> JsonObject:
    body = copy.deepcopy(file["body"])
    change(body)
    return resigned({"body": body}, world.people[Seat(body["seat"])])


# --- what was sealed as one thing comes as another --------------------------------------------------------


def test_orders_of_a_refused_file_are_no_sealed_actions_of_the_next() -> None:
    """The host had opened the orders; the second file of that number passed them off as its actions."""
    world = started()
    first = world.turn_file("anna", {"do": "discard", "card": "hideout"}, orders=ORDERS)
    assert refusal(send(world, first)).code == "illegal"
    second = spoilt(world, first, lambda b: b.update(actions=[], sealed=b.pop("orders")))
    assert refusal(send(world, second)).code == "bad-seal"
    world.play(8)
    assert audit(world.lines).ok


def test_sealed_actions_of_a_refused_file_are_no_orders_of_the_next() -> None:
    world = started()
    first = world.turn_file("anna", {"do": "discard", "card": "hideout"})
    assert refusal(send(world, first)).code == "illegal"
    second = spoilt(world, first, lambda b: b.update(actions=[], orders=b.pop("sealed")))
    assert refusal(send(world, second)).code == "malformed"  # orders have a size of their own


@pytest.mark.parametrize("part", ["sealed", "orders"])
def test_a_refused_file_leaves_nothing_behind_for_one_with_its_commitment(part: str) -> None:
    """The commitment is the refused file's, the sealed bytes are others."""
    world = started()
    first = world.turn_file("anna", {"do": "discard", "card": "hideout"}, orders=ORDERS)
    assert refusal(send(world, first)).code == "illegal"
    other = world.turn_file("anna", DRAW)["body"][part]
    second = spoilt(world, first, lambda b: b.update({"actions": [], part: {**b[part], "ct": other["ct"]}}))
    assert refusal(send(world, second)).code == "bad-seal"


def test_orders_of_a_refused_file_do_not_answer_for_the_file_that_is_taken() -> None:
    """Both files have one number; only the second stands in the record, and its orders are empty."""
    world = started()
    refused = world.turn_file("anna", {"do": "discard", "card": "hideout"}, orders=ORDERS)
    assert refusal(send(world, refused)).code == "illegal"
    quiet = _with_orders(world, refused, {"rules": []})
    assert len(accepted(send(world, quiet)).lines[0].body.get("steps", [])) == 0
    assert world.record.waiting == {"seat": "anna", "phase": "draw"}


def test_orders_of_a_refused_file_are_not_forgotten_when_they_come_again() -> None:
    world = started()
    refused = world.turn_file("anna", {"do": "discard", "card": "hideout"}, orders={"rules": []})
    assert refusal(send(world, refused)).code == "illegal"
    again = _with_orders(world, refused, ORDERS)
    assert [step["by"] for step in accepted(send(world, again)).lines[0].body["steps"]] == ["order"]


def _with_orders(world: World, file: JsonObject, order: JsonObject) -> JsonObject:
    seat, n, key = file["body"]["seat"], file["body"]["n"], world.record.ledger.host_seal
    own = world.people[seat].seal_public
    sealed = seal_part("order", world.record.game, seat, n, key, own, bytes(16), order)
    return spoilt(world, file, lambda b: b.update(actions=[], orders={**b["orders"], **sealed}))


@pytest.mark.parametrize("content", [[], {"rules": []}, [DRAW]], ids=["none", "orders", "a draw"])
def test_a_part_sealed_under_the_other_name_does_not_open(content: Json) -> None:
    """Not even with the right commitment for where it stands."""
    world = started()
    file = world.turn_file("anna", DRAW)
    game, n, key = world.record.game, file["body"]["n"], world.record.ledger.host_seal
    for label, part in (("order", "sealed"), ("sealed", "orders")):
        member, size = {"order": ("order", 512), "sealed": ("actions", 1024)}[label]
        padded = pad(canon({"salt": b64(bytes(16)), member: content}), size)  # as long as that place asks
        ct = b64(seal(padded, key, lp(f"pbem/1 {label}", game, "anna", u32(n), key)))
        right = part_commit("sealed" if part == "sealed" else "order", game, "anna", n, bytes(16), content)
        sealed = {"commit": b64(right), "ct": ct, "own": ct}
        changed = spoilt(world, file, lambda b, p=part, s=sealed: b[p].update(s))  # type: ignore[misc]
        assert refusal(send(world, changed)).code == "bad-seal"


# --- one match, two hosts ---------------------------------------------------------------------------------


def test_a_refusal_changes_nothing_in_what_comes_after() -> None:
    """Good and bad files in turn: who keeps running and who starts again before each say the same all along."""
    world = started("long")
    for index in range(24):
        waiting = world.record.waiting
        if waiting is None:
            world.move()
            continue
        seat = waiting["seat"]
        bad = world.turn_file(
            seat, {"do": "discard", "card": "hideout"}, orders=ORDERS if index % 2 else None
        )
        if isinstance(send(world, bad), Accepted):
            continue  # they held that card
        action = world.record.rules.action_to_json(world.record.rules.suggest(world.view(seat).view))
        accepted(send(world, world.turn_file(seat, action, orders=ORDERS if index % 3 else None)))
    assert audit(world.lines).ok


def test_openings_forget_what_they_opened() -> None:
    """Nothing but the bytes decides: a part whose ciphertext changes stops to open at once."""
    world = started()
    accepted(world.turn("anna", DRAW))
    openings = HostOpenings(world.host, world.record.lines[0])
    part = world.record.ledger.orders[Seat("anna")]
    assert openings.content(part) == {"rules": []}
    broken = copy.copy(part)
    object.__setattr__(broken, "sealed", {**part.sealed, "ct": part.sealed["ct"][:-8] + "AAAAAAAA"})
    assert openings.content(broken) is None
