"""Lies about players' files and links: steps (2) and (3)."""

from __future__ import annotations

import copy
from collections.abc import Callable

from pbem.crypto.digest import b64
from pbem.crypto.identity import Identity
from pbem.draws.chain import chain, seat_label
from pbem.game import JsonObject
from tests.verifier.cheats.cheat import Lines, acting, changed, cheat, first, flipped, without
from tests.verifier.forging import Bodies, Forge, files_of
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
    genesis["seen"] = {"seq": 0, "line": genesis["game"]}
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
        lambda body: body["what"].update(until="2031-01-01T00:00:00Z"),
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
        body["seen"] = {"seq": 0, "line": body["game"]}

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


# --- new keys and new people ---------------------------------------------------------------------------------


def _of_kind(kind: str, test: str = "kind") -> Callable[[Bodies], JsonObject | None]:
    return lambda bodies: first(bodies, lambda b: b["kind"] == kind and test in b)


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
        forge, _of_kind("rekey", "msg"), lambda body: body["msg"]["body"].update(seal=b64(bytes(32)))
    )


@cheat("a newcomer joins in another seat", 2, "substitute")
def _other_newcomer(forge: Forge) -> Lines | None:
    return changed(forge, _of_kind("substitute"), lambda body: body["msg"]["body"].update(seat="anna"))


@cheat("a newcomer begins below the number of who left", 2, "number", by="player")
def _low_newcomer(forge: Forge) -> Lines | None:
    return changed(forge, _of_kind("substitute"), lambda body: body["msg"]["body"].update(n=1))


@cheat("a newcomer begins below what the seat signed in the same record", 2, "number", by="player")
def _lower_newcomer(forge: Forge) -> Lines | None:
    def agreed(body: JsonObject) -> None:
        own = copy.deepcopy(body["consents"][0])
        own["body"] |= {"seat": body["what"]["seat"], "n": body["msg"]["body"]["n"]}
        old = Identity(secret(f"{body['what']['seat']} {forge.world.seed}"))
        body["consents"].append({**own, "_key": old})

    return changed(forge, _of_kind("substitute"), agreed)


@cheat("a seat is taken over that nobody has", 2, "substitute")
def _nobody_replaced(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    record = first(bodies, lambda b: b["kind"] == "substitute")
    if record is None:
        return None
    left = first(bodies, lambda b: b["kind"] == "join" and b["msg"]["body"]["seat"] == record["what"]["seat"])
    return forge.write(without(bodies, left)) if left else None


# --- what people agree to ------------------------------------------------------------------------------------


def _lacking(kind: str, whose: int) -> Callable[[Forge], Lines | None]:
    def lacking(forge: Forge) -> Lines | None:
        def left_out(body: JsonObject) -> None:
            body["consents"].pop(whose)

        return changed(forge, _of_kind(kind, "what"), left_out)

    return lacking


for _kind in ("absence", "resume", "resign", "substitute", "rewind", "rekey", "end"):
    for _whose, _which in ((0, "the first"), (-1, "the last")):
        cheat(f"{_which} consent to a record {_kind} is missing", 2, "consent")(_lacking(_kind, _whose))


@cheat("a consent more, to something else", 2, "consent")
def _one_more(forge: Forge) -> Lines | None:
    def more(body: JsonObject) -> None:
        own = copy.deepcopy(body["consents"][-1])
        own["body"] |= {"n": own["body"]["n"] + 1, "what": {"kind": "resume"}}
        body["consents"].append(own)

    return changed(forge, _of_kind("pause"), more)


@cheat("a consent stands twice", 2, "number")
def _consent_twice(forge: Forge) -> Lines | None:
    def twice(body: JsonObject) -> None:
        body["consents"].append(copy.deepcopy(body["consents"][0]))

    return changed(forge, _of_kind("pause"), twice)


@cheat("a consent is signed by another seat", 2, "signature")
def _anothers_consent(forge: Forge) -> Lines | None:
    def another(body: JsonObject) -> None:
        body["consents"][0]["sig"]["key"] = body["consents"][1]["sig"]["key"]

    return changed(forge, _of_kind("pause"), another)


def _once_more(forge: Forge, kind: str) -> Lines | None:
    """The record stands a second time, right after it; everybody signed it again."""
    bodies = forge.bodies()
    record = first(bodies, lambda b: b["kind"] == kind)
    if record is None:
        return None
    again = {**copy.deepcopy(record), "_was": -1}
    for file in again["consents"]:
        file["body"]["n"] += 1000
    at = bodies.index(record) + 1
    return forge.write([*bodies[:at], again, *bodies[at:]])


@cheat("a pause in a pause", 2, "pause")
def _second_pause(forge: Forge) -> Lines | None:
    return _once_more(forge, "pause")


@cheat("a match goes on that was not paused", 2, "resume")
def _second_resume(forge: Forge) -> Lines | None:
    return _once_more(forge, "resume")


def _agreed_to(kind: str, **members: object) -> Callable[[Forge], Lines | None]:
    """Everybody agreed to something else, and the record says so."""

    def agreed(forge: Forge) -> Lines | None:
        def other(body: JsonObject) -> None:
            for what in (body["what"], *(file["body"]["what"] for file in body["consents"])):
                what.update(members)

        return changed(forge, _of_kind(kind), other)

    return agreed


cheat("an absence ends when it begins", 2, "absence")(_agreed_to("absence", until="2026-11-21T00:00:00Z"))
cheat("an absence of a second more than 366 days", 2, "absence")(
    _agreed_to("absence", until="2027-11-22T00:00:01Z")
)
cheat("somebody resigns who has no seat", 2, "resign")(_agreed_to("resign", seat="zed"))


def _back_to(test: Callable[[JsonObject], object]) -> Callable[[Forge], Lines | None]:
    """A match goes back to the last record before the one it went back to, of which ``test`` holds."""

    def back(forge: Forge) -> Lines | None:
        bodies = forge.bodies()
        rewind = first(bodies, lambda b: b["kind"] == "rewind")
        if rewind is None:
            return None
        found = first(bodies[: rewind["what"]["to"]["seq"]][::-1], test)
        if found is None:
            return None
        reference = forge.world.record.lines[found["_was"]].reference
        for what in (rewind["what"], *(file["body"]["what"] for file in rewind["consents"])):
            what["to"] = dict(reference)
        return forge.write(bodies)

    return back


cheat("a match goes back to a record without a result", 2, "rewind")(_back_to(lambda b: "steps" not in b))
cheat("a match goes back across a card that was drawn", 2, "rewind")(_back_to(lambda b: b["kind"] == "open"))


@cheat("a match goes back to a record that says something else here", 2, "rewind")
def _back_to_another(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    rewind = first(bodies, lambda b: b["kind"] == "rewind")
    if rewind is None:
        return None
    for what in (rewind["what"], *(file["body"]["what"] for file in rewind["consents"])):
        what["to"]["line"] = b64(bytes(32))
    return forge.write(bodies)


# --- chains --------------------------------------------------------------------------------------------------


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


@cheat("a number is used again after a consent", 2, "number", by="player")
def _number_after_consent(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    pause = first(bodies, lambda b: b["kind"] == "pause")
    if pause is None:
        return None
    signed = {file["body"]["seat"]: file["body"]["n"] for file in pause["consents"]}
    for body in bodies[bodies.index(pause) + 1 :]:
        for file, _ in files_of(body):
            file["body"]["n"] = signed[file["body"]["seat"]]
            return forge.write(bodies)
    return None


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
