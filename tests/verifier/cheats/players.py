"""Lies about players' files and links: steps (2) and (3)."""

from __future__ import annotations

import copy

from pbem.game import JsonObject
from pbem.protocol.crypto.digest import b64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.draws import chain, seat_label
from tests.forge import Bodies, Forge, files_of
from tests.verifier.cheats.cheat import Lines, acting, changed, cheat, first, flipped, without
from tests.world import secret


def _message(bodies: Bodies, kind: str = "turn") -> JsonObject | None:
    body = first(bodies, lambda b: b["kind"] == kind and "msg" in b)
    return body["msg"] if body else None


@cheat("a turn is edited after its player signed it", 2, "signature")
def _edited_turn(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    message = _message(bodies)
    if message is None:
        return None
    message["body"]["say"] = "I give up"
    message["_key"] = Identity(secret("nobody"))
    return forge.write(bodies)


@cheat("a turn is invented in a player's name", 2, "signature")
def _invented_turn(forge: Forge) -> Lines | None:
    return changed(forge, _message, lambda message: message.update(_key=forge.host))


@cheat("a turn is recorded twice", 2, "number")
def _replayed_turn(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    turn = first(bodies, lambda b: b["kind"] == "ready")
    if turn is None:
        return None
    again = {**copy.deepcopy(turn), "at": bodies[-1]["at"], "_was": -1}
    at = bodies.index(turn) + 1
    again["at"] = turn["at"]
    return forge.write([*bodies[:at], again, *bodies[at:]])


@cheat("a number is used again after new keys", 2, "number", by="player")
def _number_after_rekey(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    rekey = first(bodies, lambda b: b["kind"] == "rekey" and "msg" in b)
    if rekey is None:
        return None
    signed = rekey["msg"]["body"]
    for body in bodies[bodies.index(rekey) + 1 :]:
        for file, _ in files_of(body):
            if file["body"]["seat"] == signed["seat"]:
                file["body"]["n"] = signed["n"]
                return forge.write(bodies)
    return None


@cheat("a turn of another match", 2, "other-game", by="player")
def _other_game(forge: Forge) -> Lines | None:
    return changed(forge, _message, lambda m: m["body"].update(game=b64(bytes(32))))


@cheat("a turn made on another history", 2, "other-history", by="player")
def _other_history(forge: Forge) -> Lines | None:
    return changed(forge, _message, lambda m: m["body"]["seen"].update(line=b64(bytes(32))))


@cheat("a turn that had seen the future", 2, "other-history", by="player")
def _future(forge: Forge) -> Lines | None:
    return changed(forge, _message, lambda m: m["body"]["seen"].update(seq=10**6, line=b64(bytes(32))))


@cheat("a turn that had not seen the newest result", 2, "stale", by="player")
def _stale(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    turns = [body for body in bodies if acting(body)]
    if len(turns) < 2:
        return None
    genesis = turns[1]["msg"]["body"]
    genesis["seen"] = forge.world.record.lines[0].seen
    genesis.pop("link", None)
    return forge.write(bodies)


@cheat("a join in another's seat", 2, "seat-taken")
def _second_join(forge: Forge) -> Lines:
    bodies = forge.bodies()
    again = {**copy.deepcopy(bodies[1]), "at": bodies[1]["at"], "_was": -1}
    return forge.write([*bodies[:2], again, *bodies[2:]])


@cheat("a consent is missing", 2, "consent")
def _missing_consent(forge: Forge) -> Lines | None:
    return changed(
        forge,
        lambda bodies: first(bodies, lambda b: b["kind"] == "pause"),
        lambda body: body["consents"].pop(),
    )


@cheat("a consent was about something else", 2, "consent")
def _other_consent(forge: Forge) -> Lines | None:
    return changed(
        forge,
        lambda bodies: first(bodies, lambda b: b["kind"] == "pause"),
        lambda body: body["what"].update(until="2026-12-24T00:00:00Z"),
    )


def _link(bodies: Bodies) -> JsonObject | None:
    body = first(bodies, lambda b: "msg" in b and "link" in b["msg"]["body"])
    return body["msg"]["body"] if body else None


@cheat("a link that is not on the player's chain", 3, "link", by="player")
def _wrong_link(forge: Forge) -> Lines | None:
    return changed(forge, _link, lambda body: body["link"].update(value=flipped(body["link"]["value"])))


@cheat("a link of another epoch", 3, "link", by="player")
def _other_epoch(forge: Forge) -> Lines | None:
    return changed(forge, _link, lambda body: body["link"].update(epoch=body["link"]["epoch"] + 1))


@cheat("a link signed before the announcement", 3, "link", by="player")
def _early_link(forge: Forge) -> Lines | None:
    def early(body: JsonObject) -> None:
        body["seen"] = forge.world.record.lines[0].seen

    return changed(forge, _link, early)


@cheat("another link for the same epoch", 3, "link", by="player")
def _second_link(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    carrier = first(bodies, lambda b: b["kind"] == "turn" and "link" in b["msg"]["body"])
    if carrier is None:
        return None
    again = copy.deepcopy(carrier["msg"])
    again["body"] |= {"n": again["body"]["n"] * 1000, "actions": []}
    again["body"] = {k: v for k, v in again["body"].items() if k not in ("sealed", "orders", "say")}
    again["body"]["link"]["value"] = flipped(again["body"]["link"]["value"])
    at = bodies.index(carrier) + 1
    if bodies[at]["kind"] == "announce":
        return None
    talk = {"kind": "turn", "at": carrier["at"], "msg": again, "_was": -1}
    return forge.write([*bodies[:at], talk, *bodies[at:]])


@cheat("a turn without the link it owes", 3, "link-missing", by="player")
def _owed_link(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    carrier = first(bodies, lambda b: acting(b) and "link" in b["msg"]["body"])
    if carrier is None or carrier["msg"]["body"]["seen"]["seq"] < max(
        body["_was"] for body in bodies[: carrier["_was"]] if body["kind"] == "announce"
    ):
        return None
    del carrier["msg"]["body"]["link"]
    return forge.write(bodies)


@cheat("a link from beyond the end of its chain", 3, "link", by="player")
def _beyond(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    late = first(
        bodies,
        lambda b: "msg" in b and b["msg"]["body"].get("link", {}).get("epoch", 0) > 1,
    )
    if late is None:
        return None
    join = first(
        bodies, lambda b: b["kind"] == "join" and b["msg"]["body"]["seat"] == late["msg"]["body"]["seat"]
    )
    assert join is not None
    join["msg"]["body"]["length"] = late["msg"]["body"]["link"]["epoch"] - 1
    return forge.write(bodies)


@cheat("the right link of an epoch that is not announced yet", 3, "link", by="player")
def _link_too_soon(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    body = _link(bodies)
    if body is None:
        return None
    whose, number = Identity(secret(f"{body['seat']} {forge.world.seed}")), body["link"]["epoch"] + 1
    game = forge.world.record.game
    links = chain(seat_label(body["seat"]), game, whose.chain_seed(game))
    body["link"] = {"epoch": number, "value": b64(links[number])}
    at = next(b["_was"] for b in bodies if b.get("msg", {}).get("body") is body)
    return forge.write(bodies[: at + 1])


# --- who may write -------------------------------------------------------------------------------------------


def _join(bodies: Bodies) -> JsonObject | None:
    body = first(bodies, lambda b: b["kind"] == "join")
    return body["msg"]["body"] if body else None


@cheat("somebody joins who has no seat", 2, "no-seat")
def _stranger(forge: Forge) -> Lines | None:
    return changed(forge, _join, lambda body: body.update(seat="zed"))


@cheat("somebody signs who never joined", 2, "no-seat")
def _never_joined(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    return forge.write(without(bodies, bodies[1]))


@cheat("a join has a number", 2, "number", by="player")
def _numbered_join(forge: Forge) -> Lines | None:
    return changed(forge, _join, lambda body: body.update(n=1))


@cheat("a signing key that is none", 2, "key", by="player")
def _no_sign_key(forge: Forge) -> Lines | None:
    return changed(forge, _join, lambda body: body.update(sign=b64(bytes(32))))


@cheat("a key to seal to that is none", 2, "key", by="player")
def _no_seal_key(forge: Forge) -> Lines | None:
    return changed(forge, _join, lambda body: body.update(seal=b64(bytes(32))))


@cheat("a file longer than any may be", 2, "size", by="player")
def _long_file(forge: Forge) -> Lines | None:
    sealed = {"to": forge.world.seats[1], "ct": b64(bytes(60_000))}
    return changed(forge, _message, lambda message: message["body"].update(tell=[sealed]))


@cheat("a private message to a seat that the match has not", 2, "no-seat", by="player")
def _private_to_nobody(forge: Forge) -> Lines | None:
    sealed = {"to": "zoe", "ct": b64(bytes(560))}
    return changed(forge, _message, lambda message: message["body"].update(tell=[sealed]))


# --- how much one seat may write -----------------------------------------------------------------------------


@cheat("a number far above the one before", 2, "number", by="player")
def _far_ahead(forge: Forge) -> Lines | None:
    return changed(forge, _message, lambda message: message["body"].update(n=message["body"]["n"] + 1000))


@cheat("a ready for a link that stands there already", 3, "again")
def _ready_again(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    ready = first(bodies, lambda b: b["kind"] == "ready")
    if ready is None:
        return None
    again = {**copy.deepcopy(ready), "_was": -1}
    again["msg"]["body"]["n"] += 1
    at = bodies.index(ready) + 1
    return forge.write([*bodies[:at], again]) if bodies[at]["kind"] == "ready" else None


@cheat("a seat talks without end", 2, "too-many", by="player")
def _talks_on(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    said = first(bodies, acting)
    if said is None:
        return None
    at = bodies.index(said)
    words = []
    for count in range(17):
        msg = copy.deepcopy(said["msg"])
        kept = {name: msg["body"][name] for name in ("game", "seat", "seen")}
        msg["body"] = {**kept, "n": msg["body"]["n"] + 1 + count, "actions": [], "say": f"word {count}"}
        words.append({"kind": "turn", "at": bodies[at]["at"], "msg": msg, "_was": -1})
    after = at + 1 if bodies[at + 1]["kind"] != "announce" else at + 2
    return forge.write([*bodies[:after], *words]) if bodies[after - 1]["kind"] == "turn" else None


@cheat("more is sealed than a seat may", 2, "over-budget", by="player")
def _seals_too_much(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    said = first(bodies, acting)
    if said is None or "sealed" not in said["msg"]["body"]:
        return None
    at = bodies.index(said) + 1
    long = []
    for count in range(15):  # enough for a match of two seats, and fewer than a seat may say in a row
        msg = copy.deepcopy(said["msg"])
        kept = {name: msg["body"][name] for name in ("game", "seat", "seen")}
        part = {name: b64(bytes(48 + 20_480)) for name in msg["body"]["sealed"]} | {"commit": b64(bytes(32))}
        msg["body"] = {**kept, "n": msg["body"]["n"] + 1 + count, "actions": [], "sealed": part}
        long.append({"kind": "turn", "at": said["at"], "msg": msg, "_was": -1})
    return forge.write([*bodies[:at], *long])


@cheat("a seat that was left out of an epoch gives a link for it", 3, "link")
def _left_out(forge: Forge) -> Lines | None:
    bodies, seats = forge.bodies(), forge.world.seats
    laid = first(bodies, lambda b: b["kind"] == "announce" and len(b["seats"]) < len(seats))
    if laid is None:
        return None
    seat = next(seat for seat in seats if seat not in laid["seats"])
    at = bodies.index(laid) + 1
    own = [b["msg"] for b in bodies[:at] if b.get("msg", {}).get("body", {}).get("seat") == seat]
    msg, game = copy.deepcopy(own[-1]), forge.world.record.game
    value = chain(seat_label(seat), game, Identity(secret(f"{seat} {forge.world.seed}")).chain_seed(game))
    seen = {**forge.world.record.lines[laid["_was"]].seen}
    link = {"epoch": laid["epoch"], "value": b64(value[laid["epoch"]])}
    kept = {name: msg["body"][name] for name in ("game", "seat")}
    msg["body"] = {**kept, "n": msg["body"]["n"] + 1, "seen": seen, "link": link}
    return forge.write([*bodies[:at], {"kind": "ready", "at": laid["at"], "msg": msg, "_was": -1}])
