"""Lies about decks, tapes, packets and facts that the opening of an epoch brings to light: step (9)."""

from __future__ import annotations

import copy
from collections.abc import Callable

from pbem.game import JsonObject
from pbem.protocol.crypto.digest import b64
from pbem.protocol.draws import chain, lay, leaf, roll, tape_label
from tests.forge import Forge
from tests.verifier.cheats.cheat import (
    Lines,
    acting,
    chance_where,
    changed,
    cheat,
    face_up,
    first,
    flipped,
    of_kind,
    some_packets,
    the_announce,
    the_close,
)


@cheat("a close opens another seed", 9, "seed", seen="close")
def _wrong_seed(forge: Forge) -> Lines | None:
    return changed(forge, the_close, lambda body: body.update(seed=flipped(body["seed"])))


@cheat("an epoch is closed that is not open", 9, "close", seen="close")
def _wrong_close(forge: Forge) -> Lines | None:
    return changed(forge, the_close, lambda body: body.update(epoch=body["epoch"] + 50))


@cheat("the seed commitment was made from another seed", 9, "seed", seen="close")
def _wrong_commit(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    if the_close(bodies) is None:
        return None
    return changed(forge, the_announce, lambda body: body.update(commit=flipped(body["commit"])))


def _laid(forge: Forge, change: Callable[[list[str], list[int]], None]) -> Lines | None:
    """The first closed deck laid by hand: ``change`` gets the cards by place, and the places never drawn."""
    bodies = forge.bodies()
    close = the_close(bodies)
    announce = the_announce(bodies)
    if close is None or announce is None or "decks" not in announce or close["epoch"] != announce["epoch"]:
        return None
    epoch = announce["epoch"]
    game = forge.world.record.game
    full = forge.world.record.ledger.info.decks["main"]
    laid = lay(forge.seed(epoch), game, epoch, "main", 0, full)
    cards = [full[index] for index in laid.order]
    cut = forge.world.record.ledger.epochs[epoch].decks["main"][0].cut or ()
    drawn = forge.world.record.ledger.epochs[epoch].decks["main"][0].drawn
    free = list(cut[drawn:])
    if len({cards[place] for place in free}) < 2:
        return None
    change(cards, free)
    announce["decks"]["main"]["leaves"] = [
        b64(_leaf(game, epoch, place, laid.salts[place], card)) for place, card in enumerate(cards)
    ]
    return forge.write(bodies)


def _leaf(game: bytes, epoch: int, place: int, salt: bytes, card: str) -> bytes:
    return leaf(game, epoch, "main", 0, place, salt, card)


@cheat("the host arranges the deck: two cards he swaps", 9, "arranged", seen="close")
def _arranged(forge: Forge) -> Lines | None:
    def swap(cards: list[str], free: list[int]) -> None:
        first = free[0]
        other = next(place for place in free if cards[place] != cards[first])
        cards[first], cards[other] = cards[other], cards[first]

    return _laid(forge, swap)


@cheat("an extra card in the deck, another missing", 9, "multiset", seen="close")
def _extra_card(forge: Forge) -> Lines | None:
    def replace(cards: list[str], free: list[int]) -> None:
        other = next(place for place in free if cards[place] != cards[free[0]])
        cards[other] = cards[free[0]]

    return _laid(forge, replace)


@cheat("a card that the game does not have", 9, "leaf", seen="close")
def _foreign_card(forge: Forge) -> Lines | None:
    def replace(cards: list[str], free: list[int]) -> None:
        cards[free[0]] = "joker"

    return _laid(forge, replace)


@cheat("a leaf that opens to nothing", 9, "leaf", seen="close")
def _wrong_leaf(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    announce = the_announce(bodies)
    if the_close(bodies) is None or announce is None or "decks" not in announce:
        return None
    generation = forge.world.record.ledger.epochs[1].decks["main"][0]
    place = (generation.cut or ())[-1]
    if generation.drawn >= len(generation.leaves):
        return None
    leaves = announce["decks"]["main"]["leaves"]
    leaves[place] = flipped(leaves[place])
    return forge.write(bodies)


@cheat("a reshuffle of cards that the discard did not hold", 9, "multiset", seen="close")
def _extra_in_reshuffle(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    record = first(bodies, lambda b: any("shuffle" in e for s in b.get("steps", ()) for e in s["chance"]))
    if record is None or not any(b["kind"] == "close" and b["epoch"] == record["epoch"] for b in bodies):
        return None
    epoch, game = record["epoch"], forge.world.record.game
    entry = chance_where([record], lambda e: "shuffle" in e)
    assert entry is not None
    generation = next(
        g for g in forge.world.record.ledger.epochs[epoch].decks["main"] if g.number == entry["gen"]
    )
    cut = generation.cut or ()
    free = cut[generation.drawn :]
    if not free:
        return None
    size = len(entry["leaves"])
    cards = sorted(["wyatt-earp"] * 8 + ["hideout"] * (size - 8)) if size >= 8 else ["hideout"] * size
    laid = lay(forge.seed(epoch), game, epoch, "main", entry["gen"], cards)
    entry["leaves"] = list(map(b64, laid.leaves))
    drawn = [
        e
        for b in bodies
        if b.get("epoch") == epoch
        for s in b.get("steps", ())
        for e in s["chance"]
        if face_up(e) and e["gen"] == entry["gen"]
    ]
    for shot in drawn:
        shot |= {"card": cards[laid.order[shot["place"]]], "salt": b64(laid.salts[shot["place"]])}
    return forge.write(bodies)


@cheat("a tape that was not made from the seed", 9, "tape-anchor", seen="close")
def _wrong_tape(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    close, announce = the_close(bodies), the_announce(bodies)
    if close is None or announce is None or "tapes" not in announce or close["epoch"] != announce["epoch"]:
        return None
    epoch, game = announce["epoch"], forge.world.record.game
    links = chain(tape_label("public", epoch), game, bytes(32))
    announce["tapes"]["public"]["anchor"] = b64(links[0])
    entropy = forge.world.record.ledger.epochs[epoch].entropy
    rolls = [e for b in bodies if b.get("epoch") == epoch for s in b.get("steps", ()) for e in s["chance"]]
    for entry in rolls:
        link = links[entry["j"]]
        entry |= {"link": b64(link), "value": roll(link, entropy, "public", entry["j"], entry["sides"])}
    return forge.write(bodies)


@cheat("a lie in a packet", 9, "packet", seen="close")
def _lie_in_packet(forge: Forge) -> Lines | None:
    if the_close(forge.bodies()) is None:
        return None

    def lie(packets: JsonObject) -> None:
        packet = packets[next(iter(packets))]
        packet["commit"] = flipped(packet["commit"])

    return changed(forge, some_packets, lie)


@cheat("two seats' packets are exchanged", 9, "packet", seen="close")
def _swapped_packets(forge: Forge) -> Lines | None:
    if the_close(forge.bodies()) is None:
        return None

    def swap(packets: JsonObject) -> None:
        first, other = list(packets)[:2]
        packets[first], packets[other] = packets[other], packets[first]

    return changed(forge, some_packets, swap)


@cheat("a fact is kept back at the close", 9, "packet", seen="close")
def _no_fact(forge: Forge) -> Lines | None:
    return changed(
        forge,
        lambda bodies: first(bodies, lambda b: b["kind"] == "close" and b["facts"]),
        lambda body: body["facts"].pop(0),
    )


@cheat("a fact is invented at the close", 9, "packet", seen="close")
def _new_fact(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    record = first(bodies, lambda b: acting(b) and "packets" in b)
    close = the_close(bodies)
    if record is None or close is None or record["epoch"] != close["epoch"]:
        return None
    seat = forge.world.seats[0]
    if any((fact["seq"], fact["seat"]) == (record["_was"], seat) for fact in close["facts"]):
        return None
    close["facts"].append({"seq": record["_was"], "seat": seat, "facts": [{"found": "hideout"}]})
    return forge.write(bodies)


@cheat("a fact for a record that has no packets", 9, "facts", seen="close")
def _fact_nowhere(forge: Forge) -> Lines | None:
    def invented(body: JsonObject) -> None:
        body["facts"].append({"seq": 0, "seat": forge.world.seats[0], "facts": [{"found": "hideout"}]})

    if not forge.world.record.rules.has_secrets:
        return None
    return changed(forge, the_close, invented)


@cheat("a card is played that was never held", 9, "not-held", seen="close")
def _not_held(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    close = the_close(bodies)
    if close is None:
        return None
    events = [
        (step["events"], event)
        for body in bodies[: close["_was"]]
        for step in body.get("steps", ())
        for event in step["events"]
        if event["event"] == "discarded" and event["why"] == "turn"
    ]
    if not events:
        return None
    fact, event = events[-1]
    fact[:0] = [copy.deepcopy(event) for _ in range(9)]
    return forge.write(bodies)


@cheat("an epoch is closed twice", 9, "close", seen="close")
def _closed_twice(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    close = the_close(bodies)
    if close is None:
        return None
    at = bodies.index(close) + 1
    return forge.write([*bodies[:at], {**copy.deepcopy(close), "_was": -1}, *bodies[at:]])


@cheat("an epoch is closed that was only announced", 9, "close", seen="close")
def _closed_unopened(forge: Forge) -> Lines | None:
    return changed(forge, the_close, lambda body: body.update(epoch=body["epoch"] + 1))


def _resealed(kind: str) -> Callable[[Forge], Lines | None]:
    def lie(body: JsonObject) -> None:
        for packet in body["packets"].values():
            packet["commit"] = flipped(packet["commit"])

    def make(forge: Forge) -> Lines | None:
        if the_close(forge.bodies()) is None:
            return None
        return changed(forge, lambda bodies: first(bodies, of_kind(kind)), lie)

    return make


for _kind in ("rekey", "substitute", "reseal"):
    cheat(f"a lie in the packet of a record {_kind}", 9, "packet", seen="close")(_resealed(_kind))


@cheat("a fact of somebody who has no seat", 9, "facts", seen="close")
def _fact_of_nobody(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    close = the_close(bodies)
    record = first(bodies, lambda b: acting(b) and "packets" in b)
    if close is None or record is None or record["epoch"] != close["epoch"]:
        return None
    close["facts"].append({"seq": record["_was"], "seat": "zed", "facts": [{"found": "hideout"}]})
    return forge.write(bodies)


@cheat("the facts of a seat are opened twice", 9, "facts", seen="close")
def _facts_twice(forge: Forge) -> Lines | None:
    return changed(
        forge,
        lambda bodies: first(bodies, lambda b: b["kind"] == "close" and b["facts"]),
        lambda body: body["facts"].insert(0, copy.deepcopy(body["facts"][0])),
    )


@cheat("the host arranges a reshuffle: two cards he swaps", 9, "arranged", seen="close")
def _arranged_reshuffle(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    record = first(bodies, lambda b: any("shuffle" in e for s in b.get("steps", ()) for e in s["chance"]))
    if record is None or not any(b["kind"] == "close" and b["epoch"] == record["epoch"] for b in bodies):
        return None
    entry = chance_where([record], lambda e: "shuffle" in e)
    assert entry is not None
    epoch, game, gen = record["epoch"], forge.world.record.game, entry["gen"]
    full = forge.world.record.ledger.info.decks["main"]
    generation = forge.world.record.ledger.epochs[epoch].decks["main"][gen]
    seed = forge.seed(epoch)
    size = len(entry["leaves"])
    salts = lay(seed, game, epoch, "main", gen, [""] * size).salts

    def leaf_of(place: int, card: str) -> str:
        return b64(leaf(game, epoch, "main", gen, place, salts[place], card))

    free = (generation.cut or ())[generation.drawn :]
    cards = {
        place: next(card for card in full if leaf_of(place, card) == entry["leaves"][place]) for place in free
    }
    other = next((place for place in free if cards[place] != cards[free[0]]), None)
    if other is None:
        return None
    entry["leaves"][free[0]] = leaf_of(free[0], cards[other])
    entry["leaves"][other] = leaf_of(other, cards[free[0]])
    return forge.write(bodies)
