"""Lies about new keys, new people and the chains they begin: steps (2) and (3)."""

from __future__ import annotations

from pbem.game import JsonObject
from pbem.protocol.crypto.digest import b64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.draws import chain, seat_label
from tests.forge import Bodies, Forge
from tests.verifier.cheats.cheat import Lines, changed, cheat, first, record_with, without
from tests.world import secret


def _by_paper(bodies: Bodies, forge: Forge) -> JsonObject | None:
    """The rekey that a recovery key signed."""
    papers = {b64(paper.public) for paper in forge.papers}
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


@cheat("a newcomer begins with the number of a first join", 2, "number", by="player")
def _low_newcomer(forge: Forge) -> Lines | None:
    return changed(forge, record_with("substitute"), lambda body: body["msg"]["body"].update(n=0))


@cheat("a takeover is carried out that nobody proposed", 2, "proposal")
def _not_proposed(forge: Forge) -> Lines | None:
    return changed(forge, record_with("substitute", "proposal"), lambda body: body.update(proposal=1))


@cheat("a takeover is carried out before its hold is over", 4, "hold")
def _too_early(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    record = first(bodies, lambda b: b["kind"] == "substitute" and "proposal" in b)
    if record is None:
        return None
    record["at"] = bodies[bodies.index(record) - 1]["at"]
    return forge.write(bodies)


@cheat("a hold ends sooner than the deadlines give", 4, "hold")
def _short_hold(forge: Forge) -> Lines | None:
    return changed(forge, record_with("propose"), lambda body: body.update(until=body["at"]))


@cheat("a seat is to be taken over that nobody has", 2, "propose")
def _nobody_replaced(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    record = first(bodies, lambda b: b["kind"] == "propose")
    if record is None:
        return None
    left = first(bodies, lambda b: b["kind"] == "join" and b["msg"]["body"]["seat"] == record["what"]["seat"])
    return forge.write(without(bodies, left)) if left else None


def _from_chain(forge: Forge, kind: str, whose: Identity, *, proposed: bool) -> Lines | None:
    """Who gave no link with their old keys gives one with the new, for an epoch laid before; from this chain."""
    bodies = forge.bodies()
    papers = {b64(paper.public) for paper in forge.papers}
    record = first(
        bodies,
        lambda b: (
            b["kind"] == kind
            and ("proposal" in b if proposed else "msg" in b and b["msg"]["sig"]["key"] in papers)
        ),
    )
    if record is None:
        return None
    announced = first(bodies[: record["_was"]][::-1], lambda b: b["kind"] == "announce")
    assert announced is not None
    about = bodies[record["proposal"]]["what"] if proposed else record["msg"]["body"]
    seat = about["seat"]
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
    return _from_chain(forge, "substitute", Identity(secret(f"dora {forge.world.seed}")), proposed=True)


@cheat("a link of a chain that was found again, for a deck laid before", 3, "link", by="player")
def _recovered_link(forge: Forge) -> Lines | None:
    return _from_chain(forge, "rekey", Identity(secret("burt's new keys")), proposed=False)


@cheat("a link of a chain that was lost", 3, "link", by="player")
def _lost_link(forge: Forge) -> Lines | None:
    return _from_chain(forge, "rekey", Identity(secret(f"curt {forge.world.seed}")), proposed=True)
