"""Lies about what people agree to: step (2)."""

from __future__ import annotations

import copy
from collections.abc import Callable

from pbem.game import JsonObject
from pbem.protocol.crypto.digest import b64
from tests.forge import Forge, files_of
from tests.verifier.cheats.cheat import Lines, changed, cheat, first, record_with


def _lacking(kind: str, whose: int) -> Callable[[Forge], Lines | None]:
    def lacking(forge: Forge) -> Lines | None:
        def left_out(body: JsonObject) -> None:
            body["consents"].pop(whose)

        return changed(forge, record_with(kind, "consents"), left_out)

    return lacking


for _kind in ("absence", "pause", "resign", "propose", "rewind", "close"):
    for _whose, _which in ((0, "the first"), (-1, "the last")):
        cheat(f"{_which} consent to a record {_kind} is missing", 2, "consent")(_lacking(_kind, _whose))


@cheat("a consent more, to something else", 2, "consent")
def _one_more(forge: Forge) -> Lines | None:
    def more(body: JsonObject) -> None:
        own = copy.deepcopy(body["consents"][-1])
        own["body"] |= {"n": own["body"]["n"] + 1, "what": {"kind": "end"}}
        body["consents"].append(own)

    return changed(forge, record_with("pause"), more)


@cheat("a consent stands twice", 2, "number")
def _consent_twice(forge: Forge) -> Lines | None:
    def twice(body: JsonObject) -> None:
        body["consents"].append(copy.deepcopy(body["consents"][0]))

    return changed(forge, record_with("pause"), twice)


@cheat("a consent is signed by another seat", 2, "signature")
def _anothers_consent(forge: Forge) -> Lines | None:
    def another(body: JsonObject) -> None:
        body["consents"][0]["sig"]["key"] = body["consents"][1]["sig"]["key"]

    return changed(forge, record_with("pause"), another)


def _once_more(forge: Forge, test: Callable[[JsonObject], bool]) -> Lines | None:
    """The record stands a second time, right after it; everybody signed it again."""
    bodies = forge.bodies()
    record = first(bodies, test)
    if record is None:
        return None
    again = {**copy.deepcopy(record), "_was": -1}
    for file in again["consents"]:
        file["body"]["n"] += 1000
    at = bodies.index(record) + 1
    return forge.write([*bodies[:at], again, *bodies[at:]])


def goes_on(body: JsonObject) -> bool:
    """Whether it is a pause by which another one ends."""
    return bool(body["kind"] == "pause" and body["what"]["until"] <= body["at"])


@cheat("a match goes on that was not paused", 2, "pause")
def _goes_on_again(forge: Forge) -> Lines | None:
    return _once_more(forge, goes_on)


def _agreed_to(kind: str, **members: object) -> Callable[[Forge], Lines | None]:
    """Everybody agreed to something else, and the record says so."""

    def agreed(forge: Forge) -> Lines | None:
        def other(body: JsonObject) -> None:
            for terms in (body["what"], *(file["body"]["what"] for file in body["consents"])):
                terms.update(members)

        return changed(forge, record_with(kind), other)

    return agreed


cheat("a pause is over when it begins", 2, "pause")(_agreed_to("pause", until="2026-11-21T18:00:00Z"))
cheat("a pause of a second more than 60 days", 2, "pause")(_agreed_to("pause", until="2027-01-20T18:00:01Z"))
cheat("an absence ends when it begins", 2, "absence")(_agreed_to("absence", until="2026-11-21T00:00:00Z"))
cheat("an absence of a second more than 366 days", 2, "absence")(
    _agreed_to("absence", until="2027-11-22T00:00:01Z")
)


@cheat("somebody resigns who has no seat", 2, "resign")
def _nobody_resigns(forge: Forge) -> Lines | None:
    """Signed by the seat's own key: its recovery key speaks for no other seat."""
    players = forge.world.record.ledger.players

    def other(body: JsonObject) -> None:
        for terms in (body["what"], *(file["body"]["what"] for file in body["consents"])):
            terms["seat"] = "zed"
        for file in body["consents"]:
            file["sig"]["key"] = b64(players[file["body"]["seat"]].sign)

    return changed(forge, record_with("resign"), other)


def _back_to(test: Callable[[JsonObject], object]) -> Callable[[Forge], Lines | None]:
    """A match goes back to the last record before the one it went back to, of which ``test`` holds."""

    def back(forge: Forge) -> Lines | None:
        bodies = forge.bodies()
        rewind = first(bodies, lambda b: b["kind"] == "rewind")
        if rewind is None:
            return None
        body = first(bodies[: rewind["what"]["to"]["seq"]][::-1], test)
        if body is None:
            return None
        reference = forge.world.record.lines[body["_was"]].reference
        for terms in (rewind["what"], *(file["body"]["what"] for file in rewind["consents"])):
            terms["to"] = dict(reference)
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
    for terms in (rewind["what"], *(file["body"]["what"] for file in rewind["consents"])):
        terms["to"]["line"] = b64(bytes(32))
    return forge.write(bodies)


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
