"""Who would ruin the match: records that nobody could read, a file filled up, numbers and absences without end."""

from __future__ import annotations

import copy
from typing import Final

from pbem.attacks.attack import REFUSED, Aftermath, attack
from pbem.attacks.stage import Stage
from pbem.client import compose_consent
from pbem.crypto.digest import b64, lp, u32
from pbem.crypto.sealing import pad, seal
from pbem.formats.envelopes import part_commit, seal_part, seal_tell
from pbem.formats.signed import make_file
from pbem.formats.strict_json import canon
from pbem.game import Json, JsonObject, Seat
from pbem.record.deadlines import plus_hours
from pbem.referee import Accepted

_MOST_TRIES: Final = 64
_STUFFED: Final = 40 * 512
_HIGHEST: Final = 2**32 - 1


def _signed_turn(there: Stage, seat: Seat, body: JsonObject) -> JsonObject:
    who = there.people[seat]
    return make_file("turn", body, who.sign_key, who.sign_public)


def _part(there: Stage, body: JsonObject, content: Json) -> JsonObject:
    """Sealed actions written by hand: what is inside need be none."""
    seat = Seat(body["seat"])
    ledger = there.record.ledger
    keys = ledger.host_seal, ledger.players[seat].seal
    return seal_part("sealed", there.record.game, seat, body["n"], *keys, there.salt(), content)


@attack("player", "seals what would make a later record unreadable", REFUSED)
def _deep(stage: Stage) -> Aftermath | None:
    """Lists in lists, legal in his own file, and too deep for the close that must open them."""
    found = stage.playing()
    if found is None:
        return None
    there, seat = found
    body = copy.deepcopy(there.turn_file(seat, there.advice(seat))["body"])
    nested: Json = []
    for _ in range(26):
        nested = [nested]
    body["sealed"] = _part(there, body, [{"do": "draw", "from": nested}])
    return Aftermath(ruling=there.judge(_signed_turn(there, seat, body)))


@attack("player", "seals so much that no close could open it all", REFUSED)
def _filled(stage: Stage) -> Aftermath | None:
    """Files without actions, each with as much sealed in it as it may hold, until the host takes no more."""
    found = stage.playing()
    if found is None:
        return None
    there, seat = found
    for _ in range(_MOST_TRIES):
        n, seen = there.number(seat), there.record.head.seen
        body: JsonObject = {"game": b64(there.record.game), "seat": seat, "n": n, "seen": seen, "actions": []}
        body["sealed"] = _stuffed(there, body)
        ruling = there.send(_signed_turn(there, seat, body))
        if not isinstance(ruling, Accepted):
            return Aftermath(ruling=ruling)
    return Aftermath(ruling=ruling)


def _stuffed(there: Stage, body: JsonObject) -> JsonObject:
    """Sealed actions in texts as long as they may be; what is in them is for the host to find out."""
    game, seat, salt = there.record.game, body["seat"], there.salt()
    plain = pad(canon({"actions": [], "salt": b64(salt)}), _STUFFED)
    ledger = there.record.ledger
    labels = {"ct": ("sealed", ledger.host_seal), "own": ("own sealed", ledger.players[Seat(seat)].seal)}
    texts = {
        member: b64(seal(plain, public, lp(f"pbem/1 {label}", game, seat, u32(body["n"]), public)))
        for member, (label, public) in labels.items()
    }
    return {**texts, "commit": b64(part_commit("sealed", game, seat, body["n"], salt, []))}


@attack("player", "floods the match with talk", REFUSED)
def _flooded(stage: Stage) -> Aftermath | None:
    found = stage.playing()
    if found is None:
        return None
    there, seat = found
    for _ in range(_MOST_TRIES):
        ruling = there.send(there.turn_file(seat, say="Howdy"))
        if not isinstance(ruling, Accepted):
            return Aftermath(ruling=ruling)
    return Aftermath(ruling=ruling)


@attack("player", "writes a private word to nobody", REFUSED)
def _to_nobody(stage: Stage) -> Aftermath | None:
    """A file that is well signed, whose record no reader would take."""
    found = stage.playing()
    if found is None:
        return None
    there, seat = found
    body = copy.deepcopy(there.turn_file(seat)["body"])
    host = there.record.ledger.host_seal
    body["tell"] = [seal_tell(there.record.game, seat, body["n"], "nobody", host, "psst")]
    return Aftermath(ruling=there.judge(_signed_turn(there, seat, body)))


@attack("player", "announces absences without end", REFUSED)
def _away(stage: Stage) -> Aftermath | None:
    """Each is legal by itself; in sum they would keep every default away for years."""
    found = stage.playing()
    if found is None:
        return None
    there, seat = found
    begin = there.now
    for _ in range(_MOST_TRIES):
        until = plus_hours(begin, 24 * 30)
        what = {"kind": "absence", "seat": seat, "from": begin, "until": until}
        ruling = there.send(compose_consent(there.copy(), there.people[seat], seat, there.number(seat), what))
        if not isinstance(ruling, Accepted):
            return Aftermath(ruling=ruling)
        begin = until
    return Aftermath(ruling=ruling)


@attack("leaver", "signs the highest number, so that nobody can follow in his seat", REFUSED)
def _highest(stage: Stage) -> Aftermath | None:
    found = stage.playing()
    if found is None:
        return None
    there, seat = found
    body = copy.deepcopy(there.turn_file(seat, say="Good-bye")["body"])
    del body["sealed"], body["orders"]
    body["n"] = _HIGHEST
    return Aftermath(ruling=there.judge(_signed_turn(there, seat, body)))
