"""Lies about announcements, burns, defaults, deadlines and openings: steps (4) and (5)."""

from __future__ import annotations

import copy
from collections.abc import Callable
from datetime import timedelta

from pbem.game import JsonObject, Seat
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.draws import entropy, roll
from pbem.protocol.formats.envelopes import body_hash
from pbem.protocol.record.deadlines import format_time, parse_time, plus_hours
from tests.forge import Bodies, Forge, body_of
from tests.verifier.cheats.cheat import (
    Lines,
    acting,
    changed,
    cheat,
    first,
    is_roll,
    of_kind,
    the_announce,
    without,
)


@cheat("an epoch number is skipped", 4, "epoch-number")
def _skipped_epoch(forge: Forge) -> Lines | None:
    def last(bodies: Bodies) -> JsonObject | None:
        return first(bodies[::-1], of_kind("announce"))

    return changed(forge, last, lambda body: body.update(epoch=body["epoch"] + 1))


@cheat("a seat is left out of an announcement", 4, "epoch-seats")
def _left_out(forge: Forge) -> Lines | None:
    """Its link does not count then: the dice are those of the others' links."""
    bodies = forge.bodies()
    announce = the_announce(bodies)
    if announce is None:
        return None
    announce["seats"].pop()
    own = [body["msg"]["body"] for body in bodies if "link" in body.get("msg", {}).get("body", {})]
    links = {
        file["seat"]: unb64(file["link"]["value"])
        for file in own
        if file["link"]["epoch"] == announce["epoch"] and file["seat"] in announce["seats"]
    }
    shared = entropy(body_hash(body_of(forge.lines[0])), announce["epoch"], links)
    for body in bodies:
        if "steps" in body and body["epoch"] == announce["epoch"]:
            for die in (entry for step in body["steps"] for entry in step["chance"] if is_roll(entry)):
                die["value"] = roll(unb64(die["link"]), shared, die["roll"], die["j"], die["sides"])
    return forge.write(bodies)


@cheat("a deck has a place too many", 4, "decks")
def _extra_place(forge: Forge) -> Lines | None:
    def extra(body: JsonObject) -> None:
        body["decks"]["main"]["leaves"].append(b64(bytes(32)))

    return changed(forge, lambda b: first(b, lambda x: "decks" in x), extra)


@cheat("a deck that the game does not have", 4, "decks")
def _other_deck(forge: Forge) -> Lines | None:
    def extra(body: JsonObject) -> None:
        body.setdefault("decks", {})["second"] = {"gen": 0, "leaves": [b64(bytes(32))]}

    return changed(forge, the_announce, extra)


@cheat("an announcement before everybody joined", 4, "early")
def _early_announce(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    announce = the_announce(bodies)
    if announce is None:
        return None
    at = bodies.index(announce)
    bodies[at - 1], bodies[at] = bodies[at], bodies[at - 1]
    return forge.write(bodies)


@cheat("an announcement is delayed until links could be known", 4, "late")
def _late_announce(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    opened = first(bodies, of_kind("open"))
    if opened is None:
        return None
    at = bodies.index(opened) + 1
    turn = bodies[at + 1]
    if turn["kind"] != "turn":
        return None
    turn["msg"]["body"].pop("link", None)
    turn["msg"]["body"]["seen"] = forge.world.record.lines[opened["_was"]].seen
    bodies[at], bodies[at + 1] = bodies[at + 1], bodies[at]
    bodies[at + 1]["at"] = bodies[at]["at"]
    return forge.write(bodies)


@cheat("a default before its time", 4, "default")
def _early_default(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    default = first(bodies, of_kind("default"))
    if default is None:
        return None
    return forge.write(_at_once(bodies, bodies.index(default)))


def _at_once(bodies: Bodies, at: int) -> Bodies:
    """Everything from ``at`` on happens at the time of the record before."""
    moment = bodies[at - 1]["at"]
    for body in bodies[at : at + 1]:
        body["at"] = moment
    return bodies


@cheat("a default of a seat that is not awaited", 4, "default")
def _other_default(forge: Forge) -> Lines | None:
    def other(body: JsonObject) -> None:
        body["seat"] = next(seat for seat in forge.world.seats if seat != body["seat"])
        for step in body["steps"]:
            if step["by"] == "default":
                step["seat"] = body["seat"]

    return changed(forge, lambda b: first(b, of_kind("default")), other)


@cheat("the host shortens the time of whoever is asked", 4, "due")
def _short_due(forge: Forge) -> Lines | None:
    return changed(
        forge,
        lambda b: first(
            b,
            lambda x: acting(x) and "due" in x and x["public"]["waiting"]["seat"] != x["msg"]["body"]["seat"],
        ),
        lambda body: body.update(due=body["at"]),
    )


@cheat("an extension that shortens", 4, "extend")
def _shortening(forge: Forge) -> Lines | None:
    return changed(
        forge, lambda b: first(b, of_kind("extend")), lambda body: body.update(due="2026-11-22T00:00:00Z")
    )


def _inserted_burn(forge: Forge, opened: JsonObject | None, seat: str) -> Lines | None:
    bodies = forge.bodies()
    if opened is None:
        return None
    at = opened["_was"]
    announced = bodies[at]
    burn = {
        "kind": "burn",
        "at": announced["at"],
        "epoch": announced["epoch"],
        "missing": [seat],
        "_was": -1,
    }
    return forge.write([*bodies[: at + 1], burn, *bodies[at + 1 :]])


@cheat("the first epoch is burned", 4, "burn")
def _first_burn(forge: Forge) -> Lines | None:
    return _inserted_burn(forge, the_announce(forge.bodies()), forge.world.seats[0])


@cheat("a burn of a seat that is not overdue", 4, "burn")
def _early_burn(forge: Forge) -> Lines | None:
    second = first(forge.bodies(), lambda b: b["kind"] == "announce" and b["epoch"] == 2)
    return _inserted_burn(forge, second, forge.world.seats[0])


def _burn_of_a_giver(forge: Forge, change: Callable[[JsonObject, str], None]) -> Lines | None:
    """``change`` is given the first burn and a seat whose link for that epoch came before it."""
    bodies = forge.bodies()
    burn = first(bodies, of_kind("burn"))
    if burn is None:
        return None
    giver = first(
        bodies, lambda b: "msg" in b and b["msg"]["body"].get("link", {}).get("epoch") == burn["epoch"]
    )
    if giver is None or giver["_was"] > burn["_was"]:
        return None
    change(burn, giver["msg"]["body"]["seat"])
    return forge.write(bodies)


@cheat("a burn although the link is there", 4, "burn")
def _burn_with_link(forge: Forge) -> Lines | None:
    def another(burn: JsonObject, giver: str) -> None:
        burn["missing"] = [giver]

    return _burn_of_a_giver(forge, another)


def _back(bodies: Bodies) -> JsonObject | None:
    return first(bodies, lambda b: "back" in b)


@cheat("a deck is kept that leaves out somebody who is back", 4, "late")
def _kept_without(forge: Forge) -> Lines | None:
    """Whoever is announced gives a link right behind the word."""
    bodies = forge.bodies()
    burn = _back(bodies)
    return None if burn is None else forge.write(without(bodies, burn))


@cheat("a burn brings back somebody who has not written", 4, "burn")
def _not_back(forge: Forge) -> Lines | None:
    def another(burn: JsonObject) -> None:
        burn["back"] = [next(seat for seat in forge.world.seats if seat not in burn["back"])]

    return changed(forge, _back, another)


@cheat("an epoch is opened without a link", 5, "link-missing")
def _opened_without(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    ready = first(bodies, of_kind("ready"))
    return None if ready is None else forge.write(without(bodies, ready))


@cheat("an epoch is opened before the one before is closed", 5, "open")
def _unclosed(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    close = first(bodies, of_kind("close"))
    if close is None or not any(b["kind"] == "open" for b in bodies[close["_was"] :]):
        return None
    return forge.write(without(bodies, close)) if forge.world.reveal == "epoch" else None


@cheat("an epoch is opened that was not announced", 5, "open")
def _unannounced(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    opened = first(bodies, of_kind("open"))
    assert opened is not None
    opened["epoch"] = 7
    return forge.write(bodies[: opened["_was"] + 1])


def _once_more(forge: Forge, kind: str, **members: object) -> Lines | None:
    """The last record of this kind stands a second time, right after it."""
    bodies = forge.bodies()
    record = first(bodies[::-1], of_kind(kind))
    if record is None:
        return None
    at = bodies.index(record) + 1
    return forge.write([*bodies[:at], {**copy.deepcopy(record), **members, "_was": -1}, *bodies[at:]])


@cheat("an epoch is announced while another waits for links", 4, "early")
def _announced_twice(forge: Forge) -> Lines | None:
    newest = forge.world.record.ledger.newest
    assert newest is not None
    return _once_more(forge, "announce", epoch=newest.number + 1)


@cheat("a seat that was burned out is asked for a link", 4, "epoch-seats")
def _burned_seat(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    burn = first(bodies, of_kind("burn"))
    if burn is None:
        return None
    announce = bodies[burn["_was"] + 1]
    return changed(
        forge, lambda b: b[announce["_was"]], lambda body: body["seats"].append(burn["missing"][0])
    )


@cheat("a deck is left out", 4, "decks")
def _no_deck(forge: Forge) -> Lines | None:
    return changed(forge, lambda b: first(b, lambda x: "decks" in x), lambda body: body.pop("decks"))


@cheat("a tape is left out", 4, "tapes")
def _no_tape(forge: Forge) -> Lines | None:
    return changed(forge, lambda b: first(b, lambda x: "tapes" in x), lambda body: body.pop("tapes"))


@cheat("a tape that the game does not have", 4, "tapes")
def _other_tape(forge: Forge) -> Lines | None:
    def extra(body: JsonObject) -> None:
        body.setdefault("tapes", {})["second"] = {"anchor": b64(bytes(32)), "length": 1}

    return changed(forge, the_announce, extra)


@cheat("the announcement after a burn is delayed", 4, "late")
def _late_after_burn(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    burn = first(bodies, of_kind("burn"))
    if burn is None:
        return None
    more = {"kind": "extend", "at": burn["at"], "seat": burn["missing"][0], "due": "2031-01-01T00:00:00Z"}
    at = bodies.index(burn) + 1
    return forge.write([*bodies[:at], {**more, "_was": -1}, *bodies[at:]])


@cheat("an epoch is burned twice", 4, "burn")
def _burned_twice(forge: Forge) -> Lines | None:
    return _once_more(forge, "burn")


@cheat("a burn names somebody more, whose link is there", 4, "burn")
def _burn_of_one_more(forge: Forge) -> Lines | None:
    def one_more(burn: JsonObject, giver: str) -> None:
        burn["missing"].append(giver)

    return _burn_of_a_giver(forge, one_more)


@cheat("an epoch is opened that was burned", 5, "open")
def _opened_burned(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    burn = first(bodies, of_kind("burn"))
    opened = first(bodies, lambda b: b["kind"] == "open" and burn is not None and b["_was"] > burn["_was"])
    if burn is None or opened is None:
        return None
    opened["epoch"] = burn["epoch"]
    return forge.write(bodies)


@cheat("an epoch is opened twice", 5, "open")
def _opened_twice(forge: Forge) -> Lines | None:
    return _once_more(forge, "open")


@cheat("the time of a turn is a second too short", 4, "due")
def _second_short(forge: Forge) -> Lines | None:
    def shorter(body: JsonObject) -> None:
        body["due"] = format_time(parse_time(body["due"]) - timedelta(seconds=1))

    return changed(forge, lambda b: first(b, lambda x: acting(x) and "due" in x), shorter)


@cheat("there is a time for an answer, but nobody to answer", 4, "due")
def _time_for_nobody(forge: Forge) -> Lines | None:
    return changed(
        forge,
        lambda b: first(b, lambda x: acting(x) and "due" not in x),
        lambda body: body.update(due="2031-01-01T00:00:00Z"),
    )


@cheat("somebody gets more time who is not awaited", 4, "extend")
def _time_for_another(forge: Forge) -> Lines | None:
    def another(body: JsonObject) -> None:
        body["seat"] = next(seat for seat in forge.world.seats if seat != body["seat"])

    return changed(forge, lambda b: first(b, of_kind("extend")), another)


@cheat("somebody gets more time when nobody is awaited", 4, "extend")
def _time_between(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    close = first(bodies, of_kind("close"))
    if close is None or "due" in bodies[close["_was"] - 1]:
        return None
    more = {
        "kind": "extend",
        "at": close["at"],
        "seat": bodies[close["_was"] - 1].get("public", {}).get("waiting", {}).get("seat", "anna"),
        "due": "2031-01-01T00:00:00Z",
    }
    at = close["_was"]
    return forge.write([*bodies[:at], {**more, "_was": -1}, *bodies[at:]])


@cheat("a default of who is not awaited, when his time would be over", 4, "default")
def _default_of_another(forge: Forge) -> Lines | None:
    """The same as above, but nothing else is wrong in this record or before it."""
    bodies = forge.bodies()
    default = first(bodies, of_kind("default"))
    if default is None:
        return None
    other = next(seat for seat in forge.world.seats if seat != default["seat"])
    default |= {"seat": other, "steps": []}
    return forge.write(bodies[: default["_was"] + 1])


@cheat("a burned epoch is opened in place of the next announcement", 5, "open")
def _opened_after_burn(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    burn = first(bodies, of_kind("burn"))
    opened = first(bodies, of_kind("open"))
    if burn is None or opened is None:
        return None
    again = {**copy.deepcopy(opened), "at": burn["at"], "epoch": burn["epoch"], "_was": -1}
    return forge.write([*bodies[: burn["_was"] + 1], again])


@cheat("a burn between two epochs, before the links are due", 4, "burn")
def _burn_between(forge: Forge) -> Lines | None:
    """A seat owes its link when the epoch ends; the host burns at once."""
    bodies = forge.bodies()
    close = first(bodies, of_kind("close"))
    if close is None:
        return None
    announced = first(bodies[: close["_was"]][::-1], of_kind("announce"))
    assert announced is not None
    giver = first(
        bodies[announced["_was"] : close["_was"]],
        lambda b: b["kind"] == "turn" and b["msg"]["body"].get("link", {}).get("epoch") == announced["epoch"],
    )
    if giver is None:
        return None
    message = giver["msg"]["body"]
    del message["link"]
    more = {"kind": "burn", "at": close["at"], "epoch": announced["epoch"], "missing": [message["seat"]]}
    return forge.write([*bodies[: close["_was"] + 1], {**more, "_was": -1}])


@cheat("a time to answer when nobody is to act", 4, "due")
def _time_without_question(forge: Forge) -> Lines | None:
    return changed(forge, lambda b: first(b, of_kind("open")), lambda body: body["public"].pop("waiting"))


@cheat("the first epoch is burned when its links are overdue", 4, "burn")
def _late_first_burn(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    announce = the_announce(bodies)
    if announce is None:
        return None
    burn = {"kind": "burn", "at": "2031-01-01T00:00:00Z", "epoch": 1, "missing": [forge.world.seats[0]]}
    return forge.write([*bodies[: announce["_was"] + 1], {**burn, "_was": -1}])


@cheat("a burn in a pause", 4, "burn")
def _burn_in_pause(forge: Forge) -> Lines | None:
    """The match is paused between the default and the burn that follows from it."""
    bodies = forge.bodies()
    burn = first(bodies, of_kind("burn"))
    if burn is None or bodies[burn["_was"] - 1]["kind"] != "default":
        return None
    game, ledger = b64(forge.world.record.game), forge.world.record.ledger
    terms = {"kind": "pause", "until": plus_hours(burn["at"], 24)}
    consents = [
        {
            "body": {
                "game": game,
                "seat": seat,
                "n": 9999,
                "seen": forge.world.record.lines[0].seen,
                "what": terms,
            },
            "sig": {"key": b64(ledger.players[Seat(seat)].sign), "value": ""},
        }
        for seat in forge.world.seats
    ]
    pause = {"kind": "pause", "at": burn["at"], "what": terms, "consents": consents, "_was": -1}
    return forge.write([*bodies[: burn["_was"]], pause, burn])
