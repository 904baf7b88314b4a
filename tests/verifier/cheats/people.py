"""Lies about new keys, new people and the chains they begin: steps (2) and (3)."""

from __future__ import annotations

import copy

from pbem.crypto.digest import b64
from pbem.crypto.identity import Identity
from pbem.draws.chain import chain, seat_label
from pbem.game import JsonObject
from tests.verifier.cheats.cheat import Lines, changed, cheat, first, record_with, without
from tests.verifier.forging import Bodies, Forge
from tests.world import secret


def _by_paper(bodies: Bodies, forge: Forge) -> JsonObject | None:
    """The rekey that a recovery key signed."""
    papers = {b64(paper.public_key().public_bytes_raw()) for paper in forge.papers}
    return first(bodies, lambda b: b["kind"] == "rekey" and "msg" in b and b["msg"]["sig"]["key"] in papers)


@cheat("a recovery key signs what is no new key", 2, "signature")
def _paper_signs(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    rekey = _by_paper(bodies, forge)
    if rekey is None:
        return None
    seat = rekey["msg"]["body"]["seat"]
    ready = first(bodies, lambda b: b["kind"] == "ready" and b["msg"]["body"]["seat"] == seat)
    if ready is None:
        return None
    ready["msg"]["sig"]["key"] = rekey["msg"]["sig"]["key"]
    return forge.write(bodies)


@cheat("new keys by a paper that the join does not name", 2, "signature")
def _other_paper(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    rekey = _by_paper(bodies, forge)
    if rekey is None:
        return None
    for join in bodies[1 : len(forge.world.seats) + 1]:
        join["msg"]["body"].pop("recovery", None)
    return forge.write(bodies)


@cheat("new keys that are none", 2, "key", by="player")
def _no_new_key(forge: Forge) -> Lines | None:
    return changed(
        forge, record_with("rekey", "msg"), lambda body: body["msg"]["body"].update(seal=b64(bytes(32)))
    )


@cheat("a newcomer joins in another seat", 2, "substitute")
def _other_newcomer(forge: Forge) -> Lines | None:
    return changed(forge, record_with("substitute"), lambda body: body["msg"]["body"].update(seat="anna"))


@cheat("a newcomer begins below the number of who left", 2, "number", by="player")
def _low_newcomer(forge: Forge) -> Lines | None:
    return changed(forge, record_with("substitute"), lambda body: body["msg"]["body"].update(n=1))


@cheat("a newcomer begins below what the seat signed in the same record", 2, "number", by="player")
def _lower_newcomer(forge: Forge) -> Lines | None:
    def agreed(body: JsonObject) -> None:
        own = copy.deepcopy(body["consents"][0])
        own["body"] |= {"seat": body["what"]["seat"], "n": body["msg"]["body"]["n"]}
        old = Identity(secret(f"{body['what']['seat']} {forge.world.seed}"))
        body["consents"].append({**own, "_key": old})

    return changed(forge, record_with("substitute"), agreed)


@cheat("a seat is taken over that nobody has", 2, "substitute")
def _nobody_replaced(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    record = first(bodies, lambda b: b["kind"] == "substitute")
    if record is None:
        return None
    left = first(bodies, lambda b: b["kind"] == "join" and b["msg"]["body"]["seat"] == record["what"]["seat"])
    return forge.write(without(bodies, left)) if left else None


def _from_chain(forge: Forge, kind: str, whose: Identity) -> Lines | None:
    """Who gave no link with his old keys gives one with the new, for an epoch that was laid before; from this chain."""
    bodies = forge.bodies()
    papers = {b64(paper.public_key().public_bytes_raw()) for paper in forge.papers}
    record = first(bodies, lambda b: b["kind"] == kind and ("what" in b or b["msg"]["sig"]["key"] in papers))
    if record is None:
        return None
    announced = first(bodies[: record["_was"]][::-1], lambda b: b["kind"] == "announce")
    assert announced is not None
    seat = record["what"]["seat"] if "what" in record else record["msg"]["body"]["seat"]
    number = announced["epoch"]
    for body in bodies[announced["_was"] : record["_was"]]:
        if "msg" in body and body["msg"]["body"]["seat"] == seat:
            if body["kind"] == "ready":
                bodies = without(bodies, body)
            body["msg"]["body"].pop("link", None)
    links = chain(seat_label(seat), forge.world.record.game, whose.chain_seed(forge.world.record.game))
    later = first(
        bodies[bodies.index(record) :],
        lambda b: b["kind"] == "turn" and b["msg"]["body"]["seat"] == seat and "link" not in b["msg"]["body"],
    )
    if later is None:
        return None
    later["msg"]["body"]["link"] = {"epoch": number, "value": b64(links[number])}
    return forge.write(bodies)


@cheat("a newcomer's link for a deck that was laid before he came", 3, "link", by="player")
def _newcomers_link(forge: Forge) -> Lines | None:
    return _from_chain(forge, "substitute", Identity(secret("dora")))


@cheat("a link of a chain that was found again, for a deck laid before", 3, "link", by="player")
def _recovered_link(forge: Forge) -> Lines | None:
    return _from_chain(forge, "rekey", Identity(secret("burt's new keys")))


@cheat("a link of a chain that was lost", 3, "link", by="player")
def _lost_link(forge: Forge) -> Lines | None:
    return _from_chain(forge, "rekey", Identity(secret(f"burt {forge.world.seed}")))
