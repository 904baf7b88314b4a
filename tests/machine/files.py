"""Files as people write them by hand: everything is signed by a real key, nothing need make sense.

Sealed parts are made here byte by byte after ``schemas/README.md`` §3, not by the product's client: that one refuses to
write most of this.
"""

from __future__ import annotations

import json
import zlib
from typing import Any

from pbem.base.errors import UsageProblem
from pbem.game import Json, JsonObject, Seat
from pbem.protocol.crypto.digest import b64, lp, sha, u32
from pbem.protocol.crypto.identity import Identity, pad, seal
from pbem.protocol.draws import LENGTH, chain, seat_label
from pbem.protocol.formats.envelopes import make_file
from tests.machine.match import Match
from tests.world import secret

LABEL = {"sealed": "sealed", "orders": "order"}
MEMBER = {"sealed": "actions", "orders": "order"}
SMALL_ORDER = bytes([1]) + bytes(31)
OFF_CURVE = bytes([2]) + bytes(31)


def signed(kind: str, body: JsonObject, who: Identity) -> JsonObject:
    """``body`` with this person's signature."""
    return make_file(kind, body, who.sign_key, who.sign_public)


def turn(match: Match, seat: Seat, *actions: JsonObject, **more: Any) -> JsonObject:
    """The body of a turn as the product's client writes it."""
    match.world.people[seat] = match.who(seat)
    match.number(seat)
    match.world.numbers[seat] -= 1
    try:
        body: JsonObject = match.world.turn_file(seat, *actions, **more)["body"]
    except UsageProblem:  # there is no space to withdraw the orders that it has: they stay
        if "orders" in more:
            raise
        match.world.numbers[seat] -= 1
        body = match.world.turn_file(seat, *actions, **more, leave_orders=True)["body"]
    if body["seen"] not in match.seens:
        match.seens.append(body["seen"])
    return body


def head(match: Match, seat: Seat) -> JsonObject:
    """What every message of a seat begins with."""
    body = turn(match, seat, say="x")
    return {name: body[name] for name in ("game", "seat", "n", "seen")}


def keys(match: Match, seat: Seat, who: Identity) -> JsonObject:
    """The members of a join or rekey that bring keys."""
    game = match.record.game
    anchor = chain(seat_label(seat), game, who.chain_seed(game))[0]
    return {
        "sign": b64(who.sign_public),
        "seal": b64(who.seal_public),
        "anchor": b64(anchor),
        "length": LENGTH,
    }


def consent(match: Match, seat: Seat, terms: JsonObject) -> JsonObject:
    """A seat's signed consent."""
    return signed("consent", {**head(match, seat), "what": terms}, match.who(seat))


def written(value: Json) -> bytes:
    """The canonical form of anything, also of what the product refuses to write."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


# --- sealed parts ------------------------------------------------------------------------------------------------


def part(match: Match, body: JsonObject, name: str, content: Json, *, size: int = 512) -> JsonObject:
    """The member ``sealed`` or ``orders`` of a turn with this content, whatever it is."""
    salt = secret(f"salt of {body['seat']} {body['n']} {name}")[:16]
    game, seat, n = match.record.game, body["seat"], u32(body["n"])
    commit = sha(lp(f"pbem/1 {LABEL[name]}", game, seat, n, salt, written(content)))
    plain = written({"salt": b64(salt), MEMBER[name]: content})
    plain = zlib.compress(plain, 9) if name == "orders" else plain
    return {"commit": b64(commit), **sealed(match, body, name, plain, size)}


def sealed(match: Match, body: JsonObject, name: str, plain: bytes, size: int) -> JsonObject:
    """The sealed texts of a part that holds these bytes."""
    game, seat, n = match.record.game, body["seat"], u32(body["n"])
    texts = {}
    for member, label, public in (
        ("ct", LABEL[name], match.ledger.host_seal),
        ("own", f"own {LABEL[name]}", match.ledger.players[Seat(seat)].seal),
    ):
        texts[member] = b64(seal(pad(plain, size), public, lp(f"pbem/1 {label}", game, seat, n, public)))
    return texts


def word(match: Match, body: JsonObject, to: str, text: Json) -> JsonObject:
    """One item of ``tell``, to anybody."""
    player = match.ledger.players.get(Seat(to))
    public = player.seal if player else match.ledger.host_seal
    info = lp("pbem/1 tell", match.record.game, body["seat"], u32(body["n"]), to, public)
    return {"to": to, "ct": b64(seal(pad(written({"text": text}), 512), public, info))}


def nested(depth: int) -> Json:
    """Lists in lists."""
    value: Json = []
    for _ in range(depth):
        value = [value]
    return value


def flipped(text: str) -> str:
    """Another text in base64url of the same length, its last character kept."""
    return ("B" if text[0] != "B" else "C") + text[1:]
