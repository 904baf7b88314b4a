"""Lies about the end of a match: step (10)."""

from __future__ import annotations

from collections.abc import Callable

from tests.forge import Bodies, Forge
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
    close = next((place for place, body in enumerate(bodies) if body["kind"] == "close"), None)
    if close is None or "what" in bodies[close] or bodies[close + 1]["kind"] == "end":
        return None
    end = {"kind": "end", "at": bodies[close]["at"], "outcome": {"winners": []}, "opened": []}
    return forge.write([*bodies[: close + 1], {**end, "_was": -1}])


def _agreed_close(bodies: Bodies) -> int | None:
    """The place of the close that all agreed to."""
    places = (place for place, body in enumerate(bodies) if body["kind"] == "close" and "consents" in body)
    return next(places, None)


@cheat("the host closes a hand in play and ends the match", 9, "early")
def _early_close(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    place = _agreed_close(bodies)
    if place is None:
        return None
    for body in bodies[place:]:
        for name in ("what", "consents"):
            body.pop(name, None)
    return forge.write(bodies)


@cheat("a hand that all agreed to close is followed by something else than the end", 10, "after-end")
def _closed_and_on(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    place = _agreed_close(bodies)
    if place is None:
        return None
    more = {"at": bodies[place]["at"], "seat": forge.world.seats[0], "due": "2031-01-01T00:00:00Z"}
    return forge.write([*bodies[: place + 1], {"kind": "extend", **more, "_was": -1}])


@cheat("the end after an agreed close is about something else", 10, "consent")
def _other_end(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    if _agreed_close(bodies) is None or bodies[-1]["kind"] != "end":
        return None
    bodies[-1]["what"] = {"kind": "end", "why": "somebody won"}
    return forge.write(bodies)


@cheat("the close of a hand that is over holds consents to the end", 9, "consent")
def _needless_consents(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    over = first(bodies, lambda body: body["kind"] == "close" and "what" not in body)
    if over is None:
        return None
    over |= {"what": {"kind": "end"}, "consents": []}
    return forge.write(bodies)


def _other_outcome(**members: object) -> Callable[[Forge], Lines | None]:
    """A match that was played to its end has another outcome than its last result says."""

    def other(forge: Forge) -> Lines | None:
        bodies = forge.bodies()
        if bodies[-1]["kind"] != "end" or "what" in bodies[-1]:
            return None
        bodies[-1]["outcome"] |= members
        return forge.write(bodies)

    return other


cheat("somebody wins who has no seat", 10, "outcome")(_other_outcome(winners=["zed"]))
cheat("nobody wins who has won", 10, "outcome")(_other_outcome(winners=[]))
cheat("the host adds to the outcome of the match", 10, "outcome")(_other_outcome(disqualified="burt"))


@cheat("the host writes why the match has ended", 1, "malformed")
def _why(forge: Forge) -> Lines | None:
    """Beside what all agreed to: nobody could distinguish it from their word."""
    bodies = forge.bodies()
    if bodies[-1]["kind"] != "end":
        return None
    bodies[-1]["why"] = "burt was caught cheating"
    return forge.write(bodies)


@cheat("somebody wins a match that ends by consent", 10, "outcome")
def _agreed_winner(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    if bodies[-1]["kind"] != "end" or "what" not in bodies[-1]:
        return None
    bodies[-1]["outcome"]["winners"] = [forge.world.seats[0]]
    return forge.write(bodies)
