"""Who would ruin the match: records that nobody could read, a file filled up, numbers and absences without end."""

from __future__ import annotations

import copy
from typing import Final

from pbem.game import Json, JsonObject, Seat
from pbem.protocol.audit import audit
from pbem.protocol.client import compose_consent, link_of
from pbem.protocol.crypto.digest import b64, lp, u32
from pbem.protocol.crypto.identity import pad, seal
from pbem.protocol.formats.envelopes import Part, make_file, part_commit, seal_part, seal_tell
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record.deadlines import plus_hours
from pbem.protocol.referee import Accepted, Ruling, end_early
from tests.attacks.attack import ANYBODY, FUTILE, REFUSED, Aftermath, attack
from tests.attacks.stage import Stage
from tests.forge import Forge

_MOST_TRIES: Final = 64
_STUFFED: Final = 40 * 512
_SIZES: Final = (_STUFFED, 11 * 512, 5 * 512, 512)
"""Of what is sealed, the longest first: together they leave no space even for the least."""
_HIGHEST: Final = 2**32 - 1


def _signed_turn(stage: Stage, seat: Seat, body: JsonObject) -> JsonObject:
    who = stage.people[seat]
    return make_file("turn", body, who.sign_key, who.sign_public)


def _part(stage: Stage, body: JsonObject, content: Json, name: Part = "sealed") -> JsonObject:
    """Sealed actions or orders written by hand: what is inside need be none."""
    seat = Seat(body["seat"])
    ledger = stage.record.ledger
    keys = ledger.host_seal, ledger.players[seat].seal
    return seal_part(name, stage.record.game, seat, body["n"], *keys, stage.salt(seat), content)


@attack("player", "seals what would make a later record unreadable", REFUSED)
def _deep(stage: Stage) -> Aftermath | None:
    """Lists in lists, legal in their own file, and too deep for the close that must open them."""
    moment = stage.playing()
    if moment is None:
        return None
    branch, seat = moment
    body = copy.deepcopy(branch.turn_file(seat, branch.advice(seat))["body"])
    nested: Json = []
    for _ in range(26):
        nested = [nested]
    body["sealed"] = _part(branch, body, [{"do": "draw", "from": nested}])
    return Aftermath(ruling=branch.judge(_signed_turn(branch, seat, body)))


@attack("player", "seals so much that no reveal could open it all", REFUSED)
def _filled(stage: Stage) -> Aftermath | None:
    """Files without actions, each with as much sealed in it as it may hold, until the host takes no more."""
    moment = stage.playing()
    if moment is None:
        return None
    branch, seat = moment
    return Aftermath(ruling=_fill(branch, seat, _STUFFED))


def _fill(stage: Stage, seat: Seat, size: int) -> Ruling:
    """Talk with so much sealed in it, again and again, until the host refuses one; what they say to that one."""
    for _ in range(_MOST_TRIES):
        body = {**_head(stage, seat), "actions": []}
        body["sealed"] = _stuffed(stage, body, size)
        ruling = stage.send(_signed_turn(stage, seat, body))
        if not isinstance(ruling, Accepted):
            break
    return ruling


def _head(stage: Stage, seat: Seat) -> JsonObject:
    """What every turn of this seat begins with now, with its link if one is awaited."""
    given = link_of(stage.copy(), stage.people[seat], seat)
    link = {} if given is None else {"link": {"epoch": given[0], "value": b64(given[1])}}
    head = {"game": b64(stage.record.game), "seat": seat, "seen": stage.record.head.seen, **link}
    return {**head, "n": stage.number(seat)}


def _stuffed(stage: Stage, body: JsonObject, size: int) -> JsonObject:
    """Sealed actions in texts of this length; what is in them is for the host to find out."""
    game, seat, salt = stage.record.game, body["seat"], stage.salt(body["seat"])
    plain = pad(canon({"actions": [], "salt": b64(salt)}), size)
    ledger = stage.record.ledger
    labels = {"ct": ("sealed", ledger.host_seal), "own": ("own sealed", ledger.players[Seat(seat)].seal)}
    texts = {
        member: b64(seal(plain, public, lp(f"pbem/1 {label}", game, seat, u32(body["n"]), public)))
        for member, (label, public) in labels.items()
    }
    return {**texts, "commit": b64(part_commit("sealed", game, seat, body["n"], salt, []))}


def _full(stage: Stage) -> tuple[Stage, Seat] | None:
    """A match in which whoever is asked has sealed so much in talk that only the space for choices is left."""
    moment = stage.playing()
    if moment is None:
        return None
    branch, seat = moment
    for size in _SIZES:
        _fill(branch, seat, size)
    return branch, seat


@attack("player", "seals orders in the room that is kept for choices", REFUSED)
def _ordered(stage: Stage) -> Aftermath | None:
    """Their turn is good, but for the orders that they bring with it."""
    moment = _full(stage)
    if moment is None:
        return None
    branch, seat = moment
    body = _with_orders(branch, {**_head(branch, seat), "actions": [branch.advice(seat)]})
    return Aftermath(ruling=branch.judge(_signed_turn(branch, seat, body)))


def _with_orders(stage: Stage, body: JsonObject) -> JsonObject:
    return {**body, "orders": _part(stage, body, {"rules": []}, "order")}


@attack("host", "takes orders in the room that is kept for choices", ANYBODY)
def _overlooked(stage: Stage) -> Aftermath | None:
    """They count nothing for a friend: the very turn that an honest host takes, with orders in it."""
    moment = _full(stage)
    if moment is None:
        return None
    branch, seat = moment
    since = len(branch.lines)
    if not _acted(branch, seat):
        return None
    forge = Forge(branch)
    bodies = forge.bodies()
    taken = bodies[since]["msg"]
    taken["body"] = _with_orders(branch, taken["body"])
    return Aftermath(forge.write(bodies), upto=since + 1, since=since, stage=branch)


@attack("player", "fills the room of their choices, so that nobody can go on", FUTILE)
def _stuck(stage: Stage) -> Aftermath | None:
    """All the same they can choose under seal or act, be passed over, and all can agree to end."""
    moment = _full(stage)
    if moment is None:
        return None
    branch, seat = moment
    ways = (_chosen, _acted, _passed_over, _ended)
    return Aftermath(tries=len(ways), gained=sum(not way(branch.branch(branch.record), seat) for way in ways))


def _chosen(stage: Stage, seat: Seat) -> bool:
    body = {**_head(stage, seat), "actions": []}
    body["sealed"] = _part(stage, body, [stage.advice(seat)])
    return isinstance(stage.send(_signed_turn(stage, seat, body)), Accepted)


def _acted(stage: Stage, seat: Seat) -> bool:
    body = {**_head(stage, seat), "actions": [stage.advice(seat)]}
    return isinstance(stage.send(_signed_turn(stage, seat, body)), Accepted)


def _passed_over(stage: Stage, seat: Seat) -> bool:
    stage.silence(seat)
    return stage.record.head.kind == "default"


def _ended(stage: Stage, _: Seat) -> bool:
    """What was sealed is opened in the records that end the match, and anybody can read them."""
    terms = {"kind": "end"}
    files = [
        compose_consent(stage.copy(), stage.people[each], each, stage.number(each), terms)
        for each in map(Seat, stage.seats)
    ]
    stage.take(end_early(stage.record, stage.host, "", files, stage.now))
    return audit(stage.lines).ok


@attack("player", "floods the match with talk", REFUSED)
def _flooded(stage: Stage) -> Aftermath | None:
    moment = stage.playing()
    if moment is None:
        return None
    branch, seat = moment
    for _ in range(_MOST_TRIES):
        ruling = branch.send(branch.turn_file(seat, say="Howdy"))
        if not isinstance(ruling, Accepted):
            return Aftermath(ruling=ruling)
    return Aftermath(ruling=ruling)


@attack("player", "writes a private message to nobody", REFUSED)
def _to_nobody(stage: Stage) -> Aftermath | None:
    """A file that is well signed, whose record no reader would take."""
    moment = stage.playing()
    if moment is None:
        return None
    branch, seat = moment
    body = copy.deepcopy(branch.turn_file(seat)["body"])
    host = branch.record.ledger.host_seal
    body["tell"] = [seal_tell(branch.record.game, seat, body["n"], "nobody", host, "psst")]
    return Aftermath(ruling=branch.judge(_signed_turn(branch, seat, body)))


@attack("player", "is away again and again without end", REFUSED)
def _away(stage: Stage) -> Aftermath | None:
    """Each is legal by itself; in sum they would keep every default away for years."""
    moment = stage.playing()
    if moment is None:
        return None
    branch, seat = moment
    begin = branch.now
    for _ in range(_MOST_TRIES):
        until = plus_hours(begin, 24 * 30)
        terms = {"kind": "absence", "seat": seat, "from": begin, "until": until}
        ruling = branch.send(
            compose_consent(branch.copy(), branch.people[seat], seat, branch.number(seat), terms)
        )
        if not isinstance(ruling, Accepted):
            return Aftermath(ruling=ruling)
        begin = until
    return Aftermath(ruling=ruling)


@attack("leaver", "signs the highest number, so that nobody can follow in that seat", REFUSED)
def _highest(stage: Stage) -> Aftermath | None:
    moment = stage.playing()
    if moment is None:
        return None
    branch, seat = moment
    body = copy.deepcopy(branch.turn_file(seat, say="Good-bye")["body"])
    del body["sealed"], body["orders"]
    body["n"] = _HIGHEST
    return Aftermath(ruling=branch.judge(_signed_turn(branch, seat, body)))
