"""Lies about what players sealed, and about its opening: step (9)."""

from __future__ import annotations

import copy
from collections.abc import Callable

from pbem.game import Json, JsonObject
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.formats.envelopes import part_commit
from tests.forge import Bodies, Forge
from tests.verifier.cheats.cheat import (
    Lines,
    acting,
    changed,
    cheat,
    first,
    other_action,
    the_close,
)


def _opened(bodies: Bodies) -> JsonObject | None:
    return first(bodies, lambda b: b["kind"] == "close" and b["opened"])


@cheat("a sealed part is not opened", 9, "unopened", seen="close")
def _unopened(forge: Forge) -> Lines | None:
    return changed(forge, _opened, lambda body: body["opened"].pop())


@cheat("a sealed part is opened as something else", 9, "commitment", seen="close")
def _other_opening(forge: Forge) -> Lines | None:
    def other(body: JsonObject) -> None:
        body["opened"][0]["content"] = [{"do": "pass"}]

    return changed(forge, _opened, other)


@cheat("a sealed part is opened twice", 9, "opened", seen="close")
def _opened_twice(forge: Forge) -> Lines | None:
    return changed(forge, _opened, lambda body: body["opened"].append(copy.deepcopy(body["opened"][0])))


@cheat("something is opened that nobody sealed", 9, "opened", seen="close")
def _opened_nothing(forge: Forge) -> Lines | None:
    def invented(body: JsonObject) -> None:
        body["opened"].append({**copy.deepcopy(body["opened"][0]), "n": 60000})

    return changed(forge, _opened, invented)


@cheat("orders still in force are opened", 9, "opened-early", seen="close")
def _opened_early(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    close = the_close(bodies)
    if close is None:
        return None
    parts = [
        (opening, other)
        for other in bodies[close["_was"] + 1 :]
        for opening in other.get("opened", ())
        if opening["part"] == "orders" and _sent_before(bodies, opening, close["_was"])
    ]
    if not parts:
        return None
    opening, holder = parts[0]
    holder["opened"].remove(opening)
    close["opened"].append(opening)
    return forge.write(bodies)


def _sent_before(bodies: Bodies, opening: JsonObject, seq: int) -> bool:
    return any(
        "msg" in b and (b["msg"]["body"]["seat"], b["msg"]["body"]["n"]) == (opening["seat"], opening["n"])
        for b in bodies[:seq]
    )


@cheat("a sealed action is not done as it was sealed", 9, "sealed-step", seen="close")
def _other_sealed(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    close = the_close(bodies)
    if close is None:
        return None
    body = first(
        bodies[: close["_was"]], lambda b: acting(b) and any(s["by"] == "sealed" for s in b["steps"])
    )
    if body is None:
        return None
    step = next(s for s in body["steps"] if s["by"] == "sealed")
    step["action"] = other_action(forge, step["action"])
    return forge.write(bodies)


def _sealed_otherwise(
    forge: Forge, test: Callable[[JsonObject], object], content: Callable[[list[JsonObject]], Json]
) -> Lines | None:
    """A player sealed something else in the first file of this kind, and that is opened as they sealed it."""
    bodies = forge.bodies()
    body = first(bodies, lambda b: "sealed" in b.get("msg", {}).get("body", {}) and test(b))
    if body is None:
        return None
    message = body["msg"]["body"]
    name = (message["seat"], message["n"], "sealed")
    opening = next(
        (o for b in bodies for o in b.get("opened", ()) if (o["seat"], o["n"], o["part"]) == name), None
    )
    if opening is None:
        return None
    opening["content"] = content(opening["content"])
    salt, game = unb64(opening["salt"]), forge.world.record.game
    message["sealed"]["commit"] = b64(
        part_commit("sealed", game, message["seat"], message["n"], salt, opening["content"])
    )
    return forge.write(bodies)


def _with_sealed_step(body: JsonObject) -> bool:
    return acting(body) and any(step["by"] == "sealed" for step in body["steps"])


@cheat("a sealed action is dropped without a reason", 9, "sealed-step", seen="close")
def _dropped_sealed(forge: Forge) -> Lines | None:
    return _sealed_otherwise(forge, _with_sealed_step, lambda content: [*content, {"do": "pass"}])


@cheat("a sealed action is done that nobody sealed", 9, "sealed-step", seen="close")
def _never_sealed(forge: Forge) -> Lines | None:
    return _sealed_otherwise(forge, _with_sealed_step, lambda content: content[:-1])


@cheat("what was sealed is no action at all", 9, "sealed-step", seen="close")
def _no_action(forge: Forge) -> Lines | None:
    return _sealed_otherwise(forge, _with_sealed_step, lambda _: [{"do": "dance"}])


@cheat("the sealed actions of a file without a result are passed over", 9, "sealed-step", seen="close")
def _passed_over(forge: Forge) -> Lines | None:
    return _sealed_otherwise(
        forge, lambda b: b["kind"] == "turn" and "steps" not in b, lambda _: [{"do": "pass"}]
    )


@cheat("sealed actions that are no list", 9, "commitment", seen="close")
def _no_list(forge: Forge) -> Lines | None:
    return _sealed_otherwise(forge, lambda _: True, lambda _: {})


@cheat("what was sealed in a later epoch is opened before its time", 9, "opened-early", seen="close")
def _sealed_early(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    closes = [
        body
        for body in bodies
        if body["kind"] == "close" and any(o["part"] == "sealed" for o in body["opened"])
    ]
    if len(closes) < 2 or forge.world.reveal != "match":
        return None
    opening = next(o for o in closes[1]["opened"] if o["part"] == "sealed")
    closes[1]["opened"].remove(opening)
    closes[0]["opened"].append(opening)
    return forge.write(bodies)


@cheat("what may not be sealed is opened as it was committed to", 9, "commitment", by="player", seen="close")
def _too_deep(forge: Forge) -> Lines | None:
    """The commitment fits; so deep a content once made a close that nobody could read."""
    bodies = forge.bodies()
    close = _opened(bodies)
    opening = next((part for part in close["opened"] if part["part"] == "sealed"), None) if close else None
    if opening is None:
        return None
    deep: Json = "x"
    for _ in range(18):
        deep = [deep]
    opening["content"] = [{"do": "pass", "with": deep}]
    whose, n, salt = opening["seat"], opening["n"], unb64(opening["salt"])
    for body in bodies:
        message = body.get("msg", {}).get("body", {})
        if (message.get("seat"), message.get("n")) == (whose, n) and "sealed" in message:
            commit = part_commit("sealed", forge.world.record.game, whose, n, salt, opening["content"])
            message["sealed"]["commit"] = b64(commit)
            return forge.write(bodies)
    return None
