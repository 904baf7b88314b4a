"""Golden game files: written walks through both games, kept as text and compared.

What HPKE draws at random (``ct``) and what follows from it (hashes of lines, signatures over them) is left out by
``normalised``; everything else of every record must stay as it is. ``python -m tests.record.golden`` writes them again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from pbem.game import Json, JsonObject, Seat
from pbem.protocol.crypto.digest import sha
from pbem.protocol.crypto.identity import Identity, recovery_key
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.referee import Held, extend, perform_default, reseal, withdraw
from tests.world import World, accepted, secret

FOLDER = Path(__file__).parent / "golden"
_RANDOM = {
    "ct": "(sealed)",
    "own": "(sealed)",
    "prev": "(hash)",
    "line": "(hash)",
    "value": "(signature)",
    "sig": "(signature)",
}

DRAW = {"do": "draw", "from": "supply"}


def normalised(value: Json, name: str = "") -> Json:
    """The value without what is different every time."""
    if isinstance(value, dict) and name == "contacts":
        return dict.fromkeys(value, "(sealed)")
    if isinstance(value, dict):
        return {key: normalised(item, key) for key, item in value.items()}
    if isinstance(value, list):
        return [normalised(item) for item in value]
    if name in _RANDOM and isinstance(value, str) and value:
        return _RANDOM[name] if name != "value" or len(value) == 86 else value
    return value


def text_of(world: World) -> str:
    """The match as golden text: one normalised record a line."""
    return "".join(canon(normalised(line.file)).decode() + "\n" for line in world.record.lines)


def hand_of_wyatt_earp() -> World:
    """A hand of Wyatt Earp: three seats, from genesis to the opening of the second hand."""
    world = World("wyatt-earp", ("anna", "burt", "curt"), seed="golden hand").start()
    while not any(line.kind == "close" for line in world.record.lines):
        world.move()
    return world


def turn_of_way_out_west() -> World:
    """A beginning of Way Out West: three seats, the setup and two turns, bids, both actions, closes."""
    world = World("way-out-west", ("anna", "burt", "curt"), seed="golden turn").start()
    while sum(line.kind == "close" for line in world.record.lines) < 2:
        world.move()
    return world


def last_to_act_opens_the_bidding() -> World:
    """The seat that ends a turn opens the next bidding: their file ends with the turn, their order bids in ``open``."""
    world = World("way-out-west", ("anna", "burt", "curt"), seed="golden bidding").start()
    orders = {"rules": [{"when": "bid", "do": {"do": "bid", "up_to": 3}}]}
    for seat in ("anna", "burt", "curt"):
        accepted(world.turn(seat, orders=orders))
    kept = dict.fromkeys(world.seats, orders)
    while sum(line.kind == "close" for line in world.record.lines) < 2:
        waiting = world.record.waiting
        if waiting is None:
            world.ready(world.record.missing_links[0])
            continue
        seat = waiting["seat"]
        rules = world.record.rules
        action = rules.action_to_json(rules.suggest(world.view(seat).view))
        accepted(world.turn(seat, action, {"do": "bid", "amount": 1}, orders=kept[seat]))
    return world


def absent_in_way_out_west() -> World:
    """A seat that never answers after the setup: one burn, then defaults without further waits."""
    world = World("way-out-west", ("anna", "burt", "curt"), seed="golden absent").start()
    waits = 0
    while sum(line.kind == "close" for line in world.record.lines) < 3:
        waiting = world.record.waiting
        if waiting is None:
            world.ready(world.record.missing_links[0])
        elif waiting["seat"] == "curt" and waiting["phase"] != "setup":
            if "curt" not in world.record.ledger.silent:
                world.tick(96)
                waits += 1
            world.take(perform_default(world.record, world.host, Seat("curt"), world.now))
        else:
            world.move()
    assert waits == 1
    return world


def one_of_each() -> World:
    """Every kind of record that the walks do not have."""
    world = World("wyatt-earp", ("anna", "burt", "curt"), seed="golden kinds")
    paper = recovery_key(secret("anna's golden paper"))
    for seat in world.seats:
        accepted(world.join(seat, **({"recovery": sha(paper.public)} if seat == "anna" else {})))
    for seat in world.seats:
        accepted(world.ready(seat))
    hand = world.view("anna").view_json["hands"]["anna"]
    accepted(world.turn("curt", say="Nice shot", tell={Seat("burt"): "he has it"}))
    world.take(extend(world.record, world.host, Seat("anna"), "2026-12-24T18:00:00Z", world.now))
    accepted(world.turn("anna", DRAW, {"do": "lay", "outlaw": "bob-dalton", "count": 7}))
    target = world.head
    accepted(world.turn("anna", {"do": "discard", "card": hand[0]}))
    _all_agree(world, {"kind": "rewind", "to": target.reference})
    away = {
        "kind": "absence",
        "seat": "burt",
        "from": "2026-12-01T00:00:00Z",
        "until": "2026-12-03T00:00:00Z",
    }
    accepted(world.send(world.consent("burt", away)))
    _all_agree(world, {"kind": "pause", "until": "2027-01-03T00:00:00Z"})
    world.tick(24)
    _all_agree(world, world.pause(0))
    world.take(reseal(world.record, world.host, Seat("burt"), world.now))
    accepted(world.ready("burt"))
    new = Identity(secret("burt golden, new"))
    accepted(world.send(world.rekey_file("burt", world.people[Seat("burt")].sign_key, new)))
    world.people[Seat("burt")] = new
    _substitute(world, "curt")
    accepted(world.send(world.consent("anna", {"kind": "resign", "seat": "anna"}, paper)))
    world.take(perform_default(world.record, world.host, Seat("anna"), world.now))
    _all_agree(world, {"kind": "end", "why": "supper"})
    return world


def taken_again() -> World:
    """A seat taken again by its invitation: before the announcement, before the deal (laid again), and after it.

    Its host serves a page; one seat joins in it, another uses it later.
    """
    world = World("wyatt-earp", ("anna", "burt", "curt"), seed="golden again", page=True, in_page={"burt"})
    for seat in ("anna", "burt"):
        accepted(world.join(seat))
    world.retake("burt", "burt elsewhere")
    accepted(world.join("curt"))
    accepted(world.ready("anna"))
    world.retake("curt", "curt elsewhere")
    for seat in world.seats:
        accepted(world.ready(seat))
    world.retake("anna", "anna elsewhere")
    world.in_page = {"burt", "curt"}
    for _ in range(3):
        world.move()
    return world


def _all_agree(world: World, terms: JsonObject) -> None:
    kept: list[JsonObject] = []
    for seat in world.seats:
        kept.append(world.consent(seat, terms))
        ruling = world.send(kept[-1], kept)
        assert isinstance(ruling, Held) or seat == world.seats[-1], ruling
    accepted(ruling)


def _substitute(world: World, seat: str) -> None:
    """Proposed, withdrawn, proposed again and carried out."""
    terms = world.substitute_terms(seat, "dora")
    others = [other for other in world.seats if other != seat]
    accepted(world.agree(terms, *others))
    world.take(withdraw(world.record, world.host, Seat(seat), world.now))
    accepted(world.agree(terms, *others))
    world.carry_out(seat, world.newcomer(seat, "dora"))
    world.people[Seat(seat)] = Identity(secret(f"dora {world.seed}"))


WALKS: dict[str, Callable[[], World]] = {
    "wyatt-earp-hand": hand_of_wyatt_earp,
    "way-out-west-turn": turn_of_way_out_west,
    "way-out-west-bidding": last_to_act_opens_the_bidding,
    "way-out-west-absent": absent_in_way_out_west,
    "one-of-each": one_of_each,
    "taken-again": taken_again,
}


@cache
def walked(name: str) -> World:
    """The golden match of this name, played once; nobody may change it."""
    return WALKS[name]()


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, walk in WALKS.items():
        (FOLDER / f"{name}.jsonl").write_text(text_of(walk()), encoding="utf-8")
        print(FOLDER / f"{name}.jsonl")
