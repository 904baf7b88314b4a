"""Lies about the end of a match: step (10)."""

from __future__ import annotations

from pbem.player.world.forge import Forge
from tests.verifier.cheats.cheat import (
    Lines,
    cheat,
    first,
    of_kind,
    without,
)


@cheat("the match ends with an epoch still sealed", 10, "end")
def _unclosed_end(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    if bodies[-1]["kind"] != "end":
        return None
    last = first(bodies[::-1], of_kind("close"))
    return None if last is None else forge.write(without(bodies, last))


@cheat("orders are never opened", 10, "unopened")
def _never_opened(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    if bodies[-1]["kind"] != "end" or not bodies[-1]["opened"]:
        return None
    bodies[-1]["opened"].pop()
    return forge.write(bodies)


@cheat("a record after the end", 10, "after-end")
def _after_end(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    if bodies[-1]["kind"] != "end":
        return None
    more = {
        "kind": "extend",
        "at": bodies[-1]["at"],
        "seat": forge.world.seats[0],
        "due": "2031-01-01T00:00:00Z",
    }
    return forge.write([*bodies, {**more, "_was": -1}])


@cheat("the host ends a match that is not over", 10, "early")
def _early_end(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    end = bodies[-1]
    if end["kind"] != "end" or "what" not in end:
        return None
    del end["what"], end["consents"]
    return forge.write(bodies)


@cheat("somebody wins who has no seat", 10, "end")
def _foreign_winner(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    if bodies[-1]["kind"] != "end":
        return None
    bodies[-1]["outcome"]["winners"].append("zed")
    return forge.write(bodies)


@cheat("somebody wins a match that ends by consent", 10, "outcome")
def _agreed_winner(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    if bodies[-1]["kind"] != "end" or "what" not in bodies[-1]:
        return None
    bodies[-1]["outcome"]["winners"] = [forge.world.seats[0]]
    return forge.write(bodies)
