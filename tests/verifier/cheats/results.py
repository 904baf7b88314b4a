"""Lies about draws, rolls and what a player signed: steps (6) and (8)."""

from __future__ import annotations

import copy

from pbem.game import JsonObject
from tests.forge import Bodies, Forge
from tests.verifier.cheats.cheat import (
    Lines,
    acting,
    chance_where,
    changed,
    cheat,
    face_up,
    first,
    flipped,
    is_roll,
    other_action,
    without,
)
from tests.verifier.cheats.consents import goes_on


@cheat("a shot is forged", 6, "leaf")
def _forged_shot(forge: Forge) -> Lines | None:
    def other(entry: JsonObject) -> None:
        entry["card"] = "wyatt-earp" if entry["card"] != "wyatt-earp" else "belle-starr"

    return changed(forge, lambda b: chance_where(b, face_up), other)


@cheat("a card is turned up with another salt", 6, "leaf")
def _other_salt(forge: Forge) -> Lines | None:
    return changed(forge, lambda b: chance_where(b, face_up), lambda e: e.update(salt=flipped(e["salt"])))


@cheat("a card from another place", 6, "place")
def _other_place(forge: Forge) -> Lines | None:
    return changed(forge, lambda b: chance_where(b, face_up), lambda e: e.update(place=(e["place"] + 1) % 78))


@cheat("a card is skipped", 6, "draw-order")
def _skipped_card(forge: Forge) -> Lines | None:
    return changed(forge, lambda b: chance_where(b, lambda e: "draw" in e), lambda e: e.update(k=e["k"] + 1))


@cheat("a card is dealt from a generation that is not there", 6, "generation")
def _other_generation(forge: Forge) -> Lines | None:
    return changed(
        forge, lambda b: chance_where(b, lambda e: "draw" in e), lambda e: e.update(gen=e["gen"] + 1)
    )


@cheat("a card is dealt from another deck", 6, "deck")
def _foreign_deck(forge: Forge) -> Lines | None:
    return changed(forge, lambda b: chance_where(b, lambda e: "draw" in e), lambda e: e.update(draw="second"))


@cheat("a reshuffle leaves a generation out", 6, "generation")
def _skipped_generation(forge: Forge) -> Lines | None:
    return changed(
        forge, lambda b: chance_where(b, lambda e: "shuffle" in e), lambda e: e.update(gen=e["gen"] + 1)
    )


@cheat("a roll is forged", 6, "roll-value")
def _forged_roll(forge: Forge) -> Lines | None:
    return changed(
        forge, lambda b: chance_where(b, is_roll), lambda e: e.update(value=e["value"] % e["sides"] + 1)
    )


@cheat("a roll is skipped", 6, "roll-order")
def _skipped_roll(forge: Forge) -> Lines | None:
    return changed(forge, lambda b: chance_where(b, is_roll), lambda e: e.update(j=e["j"] + 1))


@cheat("a roll with a link that is not on the tape", 6, "roll-link")
def _foreign_link(forge: Forge) -> Lines | None:
    return changed(forge, lambda b: chance_where(b, is_roll), lambda e: e.update(link=flipped(e["link"])))


@cheat("a roll from another tape", 6, "tape")
def _foreign_tape(forge: Forge) -> Lines | None:
    return changed(forge, lambda b: chance_where(b, is_roll), lambda e: e.update(roll="second"))


@cheat("a result of an epoch that is not running", 6, "epoch")
def _foreign_epoch(forge: Forge) -> Lines | None:
    return changed(forge, lambda b: first(b, acting), lambda body: body.update(epoch=body["epoch"] + 1))


def _open_step(bodies: Bodies) -> JsonObject | None:
    body = first(bodies, lambda b: acting(b) and any(s["by"] == "file" for s in b["steps"]))
    return next(s for s in body["steps"] if s["by"] == "file") if body else None


@cheat("an open action is not done as it was signed", 8, "steps")
def _other_action(forge: Forge) -> Lines | None:
    def done(step: JsonObject) -> None:
        step["action"] = other_action(forge, step["action"])

    return changed(forge, _open_step, done)


@cheat("an open action is dropped in silence", 8, "steps")
def _dropped_action(forge: Forge) -> Lines | None:
    def dropped(body: JsonObject) -> None:
        own = [step for step in body["steps"] if step["by"] != "file" or step["chance"]]
        body["applied"] -= len(body["steps"]) - len(own)
        body["steps"] = own

    def quiet(body: JsonObject) -> bool:
        steps = body.get("steps", [])
        return acting(body) and any(s["by"] == "file" and not s["chance"] for s in steps)

    return changed(forge, lambda b: first(b, quiet), dropped)


@cheat("a default stands in a player's turn", 8, "steps")
def _default_in_turn(forge: Forge) -> Lines | None:
    return changed(forge, _open_step, lambda step: step.update(by="default"))


@cheat("the game itself acts in a player's turn", 8, "steps")
def _game_in_turn(forge: Forge) -> Lines | None:
    step: JsonObject = {"by": "game", "chance": [], "events": []}
    return changed(forge, lambda b: first(b, acting), lambda body: body["steps"].append(step))


@cheat("a default is played for another seat than the one that is late", 8, "steps")
def _default_of_another(forge: Forge) -> Lines | None:
    def another(body: JsonObject) -> None:
        own = next(step for step in body["steps"] if step["by"] == "default")
        own["seat"] = "anna" if own["seat"] != "anna" else "burt"

    return changed(forge, lambda bodies: first(bodies, lambda b: b["kind"] == "default"), another)


@cheat("the number of applied actions is wrong", 8, "applied")
def _wrong_applied(forge: Forge) -> Lines | None:
    return changed(forge, lambda b: first(b, acting), lambda body: body.update(applied=body["applied"] + 1))


@cheat("stopped names another action", 8, "stopped")
def _wrong_stop(forge: Forge) -> Lines | None:
    def stopped(body: JsonObject) -> None:
        body["stopped"] = {"at": body["applied"] + 1, "why": "waiting"}

    return changed(forge, lambda b: first(b, acting), stopped)


@cheat("a step of the file in another's name", 8, "steps")
def _other_seat(forge: Forge) -> Lines | None:
    def other(step: JsonObject) -> None:
        step["seat"] = next(seat for seat in forge.world.seats if seat != step["seat"])

    return changed(forge, _open_step, other)


@cheat("a default in the middle of a turn", 8, "steps")
def _misplaced_step(forge: Forge) -> Lines | None:
    def inserted(body: JsonObject) -> None:
        of_file = body["steps"][0]
        step = {"by": "default", "seat": of_file["seat"], "action": copy.deepcopy(of_file["action"])}
        body["steps"].append({**step, "chance": [], "events": []})

    return changed(forge, lambda b: first(b, acting), inserted)


@cheat("a turn of a seat that is not awaited", 8, "not-your-turn", by="player")
def _out_of_turn(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    turn = first(bodies, acting)
    if turn is None:
        return None
    before = next(b for b in bodies[: turn["_was"]][::-1] if "public" in b)
    sender = turn["msg"]["body"]["seat"]
    before["public"]["waiting"]["seat"] = next(seat for seat in forge.world.seats if seat != sender)
    return forge.write(bodies)


@cheat("a step by orders that are not in force", 8, "order")
def _wrong_order(forge: Forge) -> Lines | None:
    def order(body: JsonObject) -> JsonObject | None:
        return next((step for step in body.get("steps", ()) if step["by"] == "order"), None)

    def find(bodies: Bodies) -> JsonObject | None:
        body = first(bodies, order)
        return order(body) if body else None

    return changed(forge, find, lambda step: step.update(n=step["n"] + 1))


@cheat("an order is invented", 8, "order")
def _invented_order(forge: Forge) -> Lines | None:
    def invented(body: JsonObject) -> None:
        step = copy.deepcopy(body["steps"][-1])
        body["steps"].append({**step, "by": "order", "n": 4000, "chance": [], "events": []})

    return changed(forge, lambda b: first(b, acting), invented)


# --- cards and dice that nobody should have missed -------------------------------------------------------------


@cheat("a card is dealt to nobody", 6, "draw")
def _dealt_to_nobody(forge: Forge) -> Lines | None:
    return changed(
        forge,
        lambda b: chance_where(b, lambda e: "draw" in e and not face_up(e)),
        lambda e: e.update(to="zed"),
    )


@cheat("more cards are drawn than a reshuffle laid", 6, "draw-order")
def _short_reshuffle(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    entry = chance_where(bodies, lambda e: "shuffle" in e)
    if entry is None:
        return None
    chance = [e for b in bodies for s in b.get("steps", ()) for e in s["chance"]]
    rest = chance[chance.index(entry) :]
    del entry["leaves"][max(e["k"] for e in rest if e.get("gen") == entry["gen"] and "k" in e) :]
    return forge.write(bodies)


@cheat("more dice are rolled than the tape has", 6, "roll-order")
def _short_tape(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    last = max(
        (e["j"] for b in bodies for s in b.get("steps", ()) for e in s["chance"] if "j" in e), default=0
    )
    long = first(bodies, lambda b: any(e.get("j") == last for s in b.get("steps", ()) for e in s["chance"]))
    if long is None or last == 1:  # a tape has one die at least
        return None
    announce = first(bodies, lambda b: b["kind"] == "announce" and b["epoch"] == long["epoch"])
    assert announce is not None
    announce["tapes"]["public"]["length"] = last - 1
    return forge.write(bodies)


@cheat("a die is rolled again", 6, "roll-order")
def _rolled_again(forge: Forge) -> Lines | None:
    def second(bodies: Bodies) -> JsonObject | None:
        return chance_where(bodies, lambda e: is_roll(e) and e["j"] > 1)

    return changed(forge, second, lambda e: e.update(j=e["j"] - 1))


@cheat("a turn after its epoch was closed", 6, "epoch")
def _after_close(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    close = first(bodies, lambda b: b["kind"] == "close")
    if close is None:
        return None
    at = close["_was"]
    if not acting(bodies[at - 1]) or bodies[at - 1]["epoch"] != close["epoch"]:
        return None
    bodies[at - 1], bodies[at] = bodies[at], bodies[at - 1]
    bodies[at - 1]["at"] = bodies[at]["at"]
    return forge.write(bodies)


# --- what a player signed ------------------------------------------------------------------------------------


@cheat("a turn with actions has no result", 8, "steps")
def _no_result(forge: Forge) -> Lines | None:
    def bare(body: JsonObject) -> None:
        for member in ("epoch", "applied", "steps", "public", "stopped", "packets", "due"):
            body.pop(member, None)

    return changed(forge, lambda b: first(b, lambda x: acting(x) and x["msg"]["body"]["actions"]), bare)


@cheat("a turn in a pause", 8, "paused")
def _turn_in_pause(forge: Forge) -> Lines | None:
    bodies = forge.bodies()
    resume = first(bodies, goes_on)
    return forge.write(without(bodies, resume)) if resume else None


def _mixed(body: JsonObject) -> bool:
    """A turn that applied open actions and sealed ones."""
    return acting(body) and {"file", "sealed"} <= {step["by"] for step in body["steps"]}


@cheat("a sealed action before an open one", 8, "steps")
def _sealed_first(forge: Forge) -> Lines | None:
    def turned(body: JsonObject) -> None:
        body["steps"].reverse()

    return changed(forge, lambda b: first(b, _mixed), turned)


@cheat("a sealed action although an open one was dropped", 8, "steps")
def _open_one_dropped(forge: Forge) -> Lines | None:
    def dropped(body: JsonObject) -> None:
        body["msg"]["body"]["actions"].append({"do": "pass"})
        body["stopped"] = {"at": body["applied"], "why": "waiting"}

    return changed(forge, lambda b: first(b, _mixed), dropped)


@cheat("a sealed action of a file that has none", 8, "steps")
def _nothing_sealed(forge: Forge) -> Lines | None:
    return changed(forge, lambda b: first(b, _mixed), lambda body: body["msg"]["body"].pop("sealed"))


@cheat("an open action that tells a secret", 8, "must-be-sealed", by="player")
def _open_secret(forge: Forge) -> Lines | None:
    def in_the_open(body: JsonObject) -> None:
        action = {"do": "wyatt-earp", "mode": "search", "take": ["hideout"]}
        body["msg"]["body"]["actions"][0] = action
        next(step for step in body["steps"] if step["by"] == "file")["action"] = action

    if forge.world.game != "wyatt-earp":
        return None
    return changed(
        forge,
        lambda b: first(b, lambda x: acting(x) and any(s["by"] == "file" for s in x["steps"])),
        in_the_open,
    )


@cheat("a player acts in an opening", 8, "steps")
def _file_in_opening(forge: Forge) -> Lines | None:
    def acts(body: JsonObject) -> None:
        step = {"by": "file", "seat": forge.world.seats[0], "action": other_action(forge)}
        body["steps"].append({**step, "chance": [], "events": []})

    return changed(forge, lambda b: first(b, lambda x: x["kind"] == "open"), acts)


@cheat("a player acts in another's default", 8, "steps")
def _file_in_default(forge: Forge) -> Lines | None:
    return changed(
        forge,
        lambda b: first(b, lambda x: x["kind"] == "default"),
        lambda body: body["steps"][0].update(by="file"),
    )


@cheat("an opening is answered by orders that are not in force", 8, "order")
def _order_in_opening(forge: Forge) -> Lines | None:
    def answers(body: JsonObject) -> None:
        step = {"by": "order", "seat": forge.world.seats[0], "action": other_action(forge), "n": 0}
        body["steps"].append({**step, "chance": [], "events": []})

    return changed(forge, lambda b: first(b, lambda x: x["kind"] == "open"), answers)
