"""A host who would like another record: of turns, orders, defaults, burns and times."""

from __future__ import annotations

import copy

from pbem.game import JsonObject, Seat
from pbem.protocol.crypto.digest import unb64
from pbem.protocol.formats.envelopes import make_file
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import Line, Record
from pbem.protocol.record.deadlines import plus_hours
from pbem.protocol.record.takeover import default_from
from pbem.protocol.referee import Accepted, perform_default, receive
from tests.attacks.attack import ANYBODY, CLOSE, NOBODY, OWNER, Aftermath, attack
from tests.attacks.stage import Stage
from tests.forge import Bodies, Forge, acting, first, of_kind, steps_by

# --- turns ----------------------------------------------------------------------------------------------------


def _first_turn(bodies: Bodies) -> JsonObject | None:
    return first(bodies, acting)


@attack("host", "edits a player's turn", ANYBODY)
def _edited(stage: Stage) -> Aftermath | None:
    forge = Forge(stage)
    bodies = forge.bodies()
    body = _first_turn(bodies)
    if body is None:
        return None
    body["msg"]["body"]["say"] = "I give up"
    body["_keep"] = True
    return Aftermath(forge.write(bodies))


@attack("host", "invents a turn", ANYBODY)
def _invented(stage: Stage) -> Aftermath | None:
    forge = Forge(stage)
    bodies = forge.bodies()
    body = _first_turn(bodies)
    if body is None:
        return None
    message = body["msg"]
    message["body"]["actions"] = [*message["body"]["actions"], {"do": "pass"}]
    signer = unb64(message["sig"]["key"], 32)
    body["msg"] = make_file("turn", message["body"], stage.host.sign_key, signer)
    body["_keep"] = True
    return Aftermath(forge.write(bodies))


@attack("host", "rewrites what happened before a turn", ANYBODY)
def _rewritten(stage: Stage) -> Aftermath | None:
    forge = Forge(stage)
    bodies = forge.bodies()
    turns = [body for body in bodies if acting(body)]
    for body in bodies[turns[1]["_was"] :]:
        body["_keep"] = True  # they were signed over the history as it was
    turns[0]["at"] = turns[1]["at"]
    if bodies[turns[0]["_was"] + 1]["at"] < turns[0]["at"]:
        return None
    turns[0]["msg"]["body"]["say"] = "Well"
    return Aftermath(forge.write(bodies), upto=turns[1]["_was"] + 1)


@attack("host", "takes a turn out of the middle", ANYBODY)
def _taken_out(stage: Stage) -> Aftermath | None:
    forge = Forge(stage)
    bodies = forge.bodies()
    turns = [body for body in bodies if acting(body)]
    for body in bodies[turns[1]["_was"] :]:
        body["_keep"] = True
    return Aftermath(forge.write([body for body in bodies if body is not turns[0]]), upto=turns[1]["_was"])


@attack("host", "carries out another action than was signed", ANYBODY)
def _other_action(stage: Stage) -> Aftermath | None:
    forge = Forge(stage)
    bodies = forge.bodies()
    steps = [step for body in filter(acting, bodies) for step in steps_by(body, "file")]
    other = next((step["action"] for step in steps if step["action"] != steps[0]["action"]), None)
    if other is None:
        return None
    steps[0]["action"] = copy.deepcopy(other)
    return Aftermath(forge.write(bodies))


@attack("host", "carries out another action than was sealed", OWNER, CLOSE)
def _other_sealed(stage: Stage) -> Aftermath | None:
    forge = Forge(stage)
    bodies = forge.bodies()
    for body in filter(acting, bodies):
        sealed = steps_by(body, "sealed")
        view = stage.view(Seat(body["msg"]["body"]["seat"])).own if sealed else None
        if not sealed or view is None or body.get("epoch") != 1:
            continue
        step = next((step for step in sealed if _seen_on_top(body, step)), None)
        said = {
            s["action"]["card"] for b in bodies for s in b.get("steps", ()) if "card" in s.get("action", ())
        }
        others = said - {_EARP, *(card["action"].get("card") for card in sealed)}
        if step is None or not others:
            continue
        _discards_instead(body, step, min(others))
        return Aftermath(forge.write(bodies))
    return None


_EARP = "wyatt-earp"


def _seen_on_top(body: JsonObject, step: JsonObject) -> bool:
    """Whether a step discards a card that then lies on top, and is no card that everybody counts."""
    action, public = step["action"], body["public"]
    top = public.get("discard", {}).get("top")
    return (
        action.get("do") == "discard" and action["card"] == top and top != _EARP and len(step["events"]) > 1
    )


def _discards_instead(body: JsonObject, step: JsonObject, card: str) -> None:
    """Another card than it was: in the step, its event, and on top."""
    step["action"]["card"] = body["public"]["discard"]["top"] = card
    for event in step["events"]:
        if event["event"] == "discarded" and event["why"] == "turn":
            event["card"] = card


@attack("host", "ends the match before its time", ANYBODY)
def _early_end(stage: Stage) -> Aftermath | None:
    forge = Forge(stage)
    bodies = forge.bodies()
    end = {"kind": "end", "at": bodies[-1]["at"], "outcome": {"winners": [stage.seats[0]]}, "opened": []}
    return Aftermath(forge.write([*bodies, {**end, "_was": -1}]))


# --- standing orders and sealed parts ---------------------------------------------------------------------------


@attack("host", "opens the wrong standing order", CLOSE)
def _wrong_order(stage: Stage) -> Aftermath | None:
    def wrong(opening: JsonObject) -> None:
        opening["content"] = (
            {"rules": []} if opening["content"].get("rules") else {"rules": [{"when": "draw"}]}
        )

    return _opened(stage, "orders", wrong)


@attack("host", "opens sealed actions as others", CLOSE)
def _wrong_opening(stage: Stage) -> Aftermath | None:
    return _opened(stage, "sealed", lambda opening: opening.update(content=[{"do": "pass"}]))


def _opened(stage: Stage, part: str, change: object) -> Aftermath | None:
    forge = Forge(stage)
    bodies = forge.bodies()
    close = first(bodies, lambda b: b["kind"] == "close" and any(o["part"] == part for o in b["opened"]))
    if close is None or not callable(change):
        return None
    change(next(opening for opening in close["opened"] if opening["part"] == part))
    return Aftermath(forge.write(bodies), upto=close["_was"])


@attack("host", "keeps a sealed part closed", CLOSE)
def _kept_closed(stage: Stage) -> Aftermath | None:
    forge = Forge(stage)
    bodies = forge.bodies()
    close = first(bodies, lambda b: b["kind"] == "close" and b["opened"])
    if close is None:
        return None
    close["opened"].pop()
    return Aftermath(forge.write(bodies), upto=close["_was"])


@attack("host", "ignores a standing order", CLOSE)
def _ignored_order(stage: Stage) -> Aftermath | None:
    """Played live: the host rules on the turn before as if the order were not there; the match goes on."""
    moment = _before_order(stage)
    if moment is None:
        return None
    before, line, seat = moment
    blind = before.fork()
    blind.ledger.orders.pop(seat, None)
    ruling = receive(blind, stage.host, canon(line.body["msg"]), line.at)
    return _played_on(stage, before, ruling) if isinstance(ruling, Accepted) else None


@attack("host", "answers by a standing order as it does not say", CLOSE)
def _misread_order(stage: Stage) -> Aftermath | None:
    """Played live: the host rules as if the order said something else that is legal."""
    moment = _before_order(stage)
    if moment is None:
        return None
    before, line, seat = moment
    rules = before.rules
    step = steps_by(line.body, "order")[0]
    part = before.ledger.orders[seat]
    kept = next(c.content for c in stage.copies if (c.seat, c.n, c.part) == (seat, part.n, "orders"))
    if not isinstance(kept, dict) or before.replay is None:
        return None
    blind = before.fork()
    blind.ledger.orders.pop(seat)
    asked = receive(blind, stage.host, canon(line.body["msg"]), line.at)
    if not isinstance(asked, Accepted) or asked.record.waiting is None:
        return None
    view = stage.branch(asked.record).view(seat).view
    legal = [rules.action_to_json(action) for action in rules.legal_actions(view)]
    other = next(action for action in legal if action != step["action"])
    wrong = before.fork()
    if wrong.replay is None:
        return None
    wrong.replay.contents[seat, part.n, part.sealed["commit"]] = {
        "rules": [{"when": asked.record.waiting["phase"], "do": other}]
    }
    ruling = receive(wrong, stage.host, canon(line.body["msg"]), line.at)
    return _played_on(stage, before, ruling) if isinstance(ruling, Accepted) else None


def _before_order(stage: Stage) -> tuple[Record, Line, Seat] | None:
    """A record of the first epoch in which another player's file let an order answer, and the match before it."""
    for before, after in zip(stage.past, stage.past[1:], strict=False):
        line = after.lines[len(before.lines)]
        by_order = steps_by(line.body, "order")
        if line.kind != "turn" or not by_order or line.body.get("epoch") != 1:
            continue
        if line.body["msg"]["body"]["seat"] != by_order[0]["seat"]:
            return before, line, Seat(by_order[0]["seat"])
    return None


def _played_on(stage: Stage, before: Record, ruling: Accepted) -> Aftermath:
    """The honest file up to ``before``, the lie, and what comes after it up to the close."""
    after = stage.branch(ruling.record)
    after.orders.clear()
    after.play_until("close")
    return Aftermath(after.lines, upto=len(before.lines) + len(ruling.lines))


@attack("host", "invents a standing order", ANYBODY)
def _invented_order(stage: Stage) -> Aftermath | None:
    forge = Forge(stage)
    bodies = forge.bodies()
    body = _first_turn(bodies)
    if body is None:
        return None
    body["steps"].append({**body["steps"][-1], "by": "order", "n": 4000, "chance": [], "events": []})
    return Aftermath(forge.write(bodies))


@attack("host and player", "play a card that was never held", CLOSE)
def _never_held(stage: Stage) -> Aftermath | None:
    """Their own file names the card, the host lets it pass."""
    forge = Forge(stage)
    bodies = forge.bodies()
    for body in bodies:
        if not acting(body) or body.get("epoch") != 1:
            continue
        step = next((s for s in steps_by(body, "file") if _seen_on_top(body, s)), None)
        if step is None:
            continue
        seat = Seat(step["seat"])
        kinds = {card for deck in stage.record.game_info.decks.values() for card in deck} - {_EARP}
        card = min(kinds - set(stage.view_before(body["_was"], seat).view_json["hands"][seat]))
        number = steps_by(body, "file").index(step)
        _discards_instead(body, step, card)
        body["msg"]["body"]["actions"][number]["card"] = card
        return Aftermath(forge.write(bodies), accomplices=(seat,))
    return None


# --- burns, defaults, times -------------------------------------------------------------------------------------


def _burned(stage: Stage, epoch: int, *, given: bool) -> Aftermath | None:
    """A burn right after the announcement of ``epoch``, or after a link came in, for the seat that gave it."""
    forge = Forge(stage)
    bodies = forge.bodies()
    announce = first(bodies, of_kind("announce", epoch))
    if announce is None:
        return None
    giver = first(
        bodies[announce["_was"] :],
        lambda b: "msg" in b and b["msg"]["body"].get("link", {}).get("epoch") == epoch,
    )
    if giver is None:
        return None
    after = giver if given else announce
    burn = {
        "kind": "burn",
        "at": after["at"],
        "epoch": epoch,
        "missing": [giver["msg"]["body"]["seat"]],
        "_was": -1,
    }
    return Aftermath(forge.write([*bodies[: after["_was"] + 1], burn]))


@attack("host", "voids a deck though nobody is overdue", ANYBODY)
def _early_burn(stage: Stage) -> Aftermath | None:
    return _burned(stage, 2, given=False)


@attack("host", "voids a deck although no part of its shuffle is missing", ANYBODY)
def _burn_with_link(stage: Stage) -> Aftermath | None:
    return _burned(stage, 2, given=True)


@attack("host", "voids the first deck", ANYBODY)
def _first_burn(stage: Stage) -> Aftermath | None:
    return _burned(stage, 1, given=False)


@attack("host", "plays a timeout move before time is up", ANYBODY)
def _early_default(stage: Stage) -> Aftermath | None:
    forge = Forge(stage)
    bodies = forge.bodies()
    default = first(bodies, of_kind("default"))
    if default is None:
        return None
    moment = bodies[default["_was"] - 1]["at"]
    default["at"] = moment
    return Aftermath(forge.write(bodies[: default["_was"] + 1]))


@attack("host", "shortens a player's time", ANYBODY)
def _shortened(stage: Stage) -> Aftermath | None:
    forge = Forge(stage)
    bodies = forge.bodies()
    body = first(
        bodies,
        lambda b: acting(b) and "due" in b and b["public"]["waiting"]["seat"] != b["msg"]["body"]["seat"],
    )
    if body is None:
        return None
    body["due"] = body["at"]
    return Aftermath(forge.write(bodies))


@attack(
    "host",
    "picks the minute of a timeout move by what comes",
    NOBODY,
    words="Within the agreed time they may. So a timeout move takes no card and rolls no die where the rules allow it.",
)
def _timed(stage: Stage) -> Aftermath | None:
    """The same default at the first minute and a day later: two files, both good."""
    before = stage.moment(
        lambda r: (
            (r.waiting or {}).get("seat") == stage.seats[-1] and default_from(r.ledger, Seat(stage.seats[-1]))
        )
    )
    if before is None:
        return None
    seat = Seat(stage.seats[-1])
    due = default_from(before.ledger, seat)
    if due is None:
        return None
    lines = [line.raw for line in before.lines]
    late = perform_default(before, stage.host, seat, plus_hours(due, 24))
    other = [line.raw for line in late.lines]
    lines += other
    return Aftermath(lines, upto=len(lines), since=len(lines))
