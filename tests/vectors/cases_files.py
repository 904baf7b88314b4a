"""Cases of signed files, records, packets and sealed parts."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from functools import cache

from pbem.game import JsonObject
from pbem.protocol.crypto.digest import b64, kdf, lp, u32, unb64
from pbem.protocol.crypto.identity import Identity, pad, sign_record
from pbem.protocol.formats.envelopes import make_entry, make_file, packet_commit, packet_salt, part_commit
from pbem.protocol.formats.strict_json import canon
from tests.crypto.curve import with_torsion
from tests.one_time_keys import seal_fixed
from tests.vectors.fixed import ANNA, BURT, GAME, HOST, SALT, SEED, Cases, bad, flipped, good, secret


def seen(seq: int) -> JsonObject:
    """A record that nobody has, and the host's signature on it."""
    name = secret(f"record {seq}")
    return {"seq": seq, "line": b64(name), "sig": b64(sign_record(GAME, seq, name, HOST.sign_key))}


def trapped_word() -> str:
    """The host's signature on record 10 as cofactored verifiers alone accept it."""
    signed = lp("pbem/1 entry", GAME, u32(10), secret("record 10"))
    return b64(with_torsion(kdf(HOST.secret, "pbem/1 sign"), signed))


@cache
def turn_text() -> str:
    body: JsonObject = {
        "game": b64(GAME),
        "seat": "anna",
        "n": 3,
        "seen": seen(10),
        "actions": [{"do": "lay", "outlaw": "jesse-james", "count": 3}],
        "link": {"epoch": 2, "value": b64(secret("a link"))},
        "sealed": part("sealed", 3, [{"do": "discard", "card": "hideout"}])["sealed"],
        "orders": part("order", 3, {"rules": []})["sealed"],
        "say": "Reach for the sky, J\u00fcrg",
    }
    return canon(make_file("turn", body, ANNA.sign_key, ANNA.sign_public)).decode()


def turn() -> Cases:
    given: JsonObject = {"kind": "turn", "key": b64(ANNA.sign_public), "text": turn_text()}

    def changed(change: Callable[[JsonObject], object], *, sign: bool = False) -> str:
        file: JsonObject = json.loads(turn_text())
        change(file)
        if sign:
            file = make_file("turn", file["body"], ANNA.sign_key, ANNA.sign_public)
        return canon(file).decode()

    def gesturing(react: list[JsonObject], nudge: str) -> str:
        return changed(lambda file: file["body"].update(react=react, nudge=nudge), sign=True)

    nine: list[JsonObject] = [{"to": seq, "with": "wow"} for seq in range(9)]
    pretty = json.dumps(json.loads(turn_text()), indent=2)
    trapped = json.loads(turn_text())
    signed = b"pbem/1 turn\n" + canon(trapped["body"])
    trapped["sig"]["value"] = b64(with_torsion(kdf(ANNA.secret, "pbem/1 sign"), signed))
    identity_point = b64(b"\1" + bytes(31))
    cases = [
        good("a turn file", "turn", given),
        good("the same in another layout", "turn", {**given, "text": pretty}),
        good(
            "a reaction and a nudge",
            "turn",
            {**given, "text": gesturing([{"to": 0, "with": "ouch"}], "burt")},
        ),
    ]
    cases += [
        bad(
            "one word was changed",
            "turn",
            given,
            "signature",
            text=changed(lambda f: f["body"].update(say="Stop")),
        ),
        bad("signed by somebody else", "turn", given, "signature", key=b64(BURT.sign_public)),
        bad(
            "a signature whose R has a torsion part, which cofactored verifiers accept",
            "turn",
            given,
            "signature",
            text=canon(trapped).decode(),
        ),
        bad("signed as another kind", "turn", given, "signature", kind="consent"),
        bad(
            "sig.key names another key",
            "turn",
            given,
            "signature",
            text=changed(lambda f: f["sig"].update(key=b64(BURT.sign_public))),
        ),
        bad(
            "a key of small order, which verifies anything",
            "turn",
            given,
            "signature",
            key=identity_point,
            text=changed(lambda f: f["sig"].update(key=identity_point, value=b64(b"\1" + bytes(63)))),
        ),
        bad(
            "a member that nobody knows",
            "turn",
            given,
            "malformed",
            text=changed(lambda f: f["body"].update(note="x"), sign=True),
        ),
        bad(
            "a copy for the player that is longer than the host's",
            "turn",
            given,
            "malformed",
            text=changed(lambda f: f["body"]["sealed"].update(own=f["body"]["orders"]["own"]), sign=True),
        ),
        bad(
            "orders of another size",
            "turn",
            given,
            "malformed",
            text=changed(lambda f: f["body"].update(orders=f["body"]["sealed"]), sign=True),
        ),
        bad("no seen", "turn", given, "malformed", text=changed(lambda f: f["body"].pop("seen"), sign=True)),
        bad(
            "a number as text",
            "turn",
            given,
            "malformed",
            text=changed(lambda f: f["body"].update(n="3"), sign=True),
        ),
        bad(
            "talk with a direction control",
            "turn",
            given,
            "malformed",
            text=changed(lambda f: f["body"].update(say="a\u202eb"), sign=True),
        ),
        bad(
            "a reaction that is none of the six",
            "turn",
            given,
            "malformed",
            text=gesturing([{"to": 0, "with": "applause"}], "burt"),
        ),
        bad("nine reactions", "turn", given, "malformed", text=gesturing(nine, "burt")),
        bad("a nudge for the table", "turn", given, "malformed", text=gesturing(nine[:1], "table")),
        bad(
            "base64url with unused bits set",
            "turn",
            given,
            "malformed",
            text=turn_text().replace(b64(GAME), b64(GAME)[:-1] + "B"),
        ),
    ]
    return (
        "README sections 2 and 6: a player's signed file, its name (SHA of the canonical body), and what is none",
        cases,
    )


def record() -> Cases:
    prev = b64(secret("the line before"))
    body: JsonObject = {"kind": "burn", "seq": 20, "prev": prev, "at": "2026-11-21T18:00:00Z"}
    body |= {"epoch": 2, "missing": ["curt"]}

    def line(change: JsonObject | None = None, signer: Identity = HOST, game: bytes = GAME) -> str:
        changed = {**body, **(change or {})}
        return canon(make_entry(changed, signer.sign_key, signer.sign_public, game)).decode()

    given: JsonObject = {"key": b64(HOST.sign_public), "game": b64(GAME), "prev": prev, "line": line()}
    as_turn = canon(make_file("turn", body, HOST.sign_key, HOST.sign_public)).decode()
    unsigned = line().replace("curt", "burt")
    cases = [
        good("a record", "record", given),
        bad("another record stands before it", "record", given, "prev", prev=b64(bytes(32))),
        bad("one name was changed", "record", given, "signature", line=unsigned),
        bad("signed by a player", "record", given, "signature", line=line(signer=ANNA)),
        bad("signed for another match", "record", given, "signature", line=line(game=bytes(32))),
        bad("signed as a turn", "record", given, "signature", line=as_turn),
        bad("a blank in the line", "record", given, "malformed", line=line().replace(":20", ": 20")),
        bad("an unknown kind", "record", given, "malformed", line=line({"kind": "miracle"})),
        bad("a member too many", "record", given, "malformed", line=line({"why": "late"})),
        bad("a seat id in capitals", "record", given, "malformed", line=line({"missing": ["Curt"]})),
        bad("no time", "record", given, "malformed", line=line({"at": "2026-11-21"})),
    ]
    word: JsonObject = {"key": b64(HOST.sign_public), "game": b64(GAME), "seen": seen(10)}
    cases += [
        good("a player's seen proves that the host signed that record", "seen", word),
        good("not of another match", "seen", {**word, "game": b64(bytes(32))}),
        good("not of another number", "seen", {**word, "seen": {**seen(10), "seq": 11}}),
        good("not of another record", "seen", {**word, "seen": {**seen(10), "line": prev}}),
        good("not with a torsion part in R", "seen", {**word, "seen": {**seen(10), "sig": trapped_word()}}),
        good("not by another host", "seen", {**word, "key": b64(ANNA.sign_public)}),
    ]
    return "README section 7: one line of a game file, its name, and what is none", cases


def packet_of(seq: int, seat: str, to: Identity, body: JsonObject) -> JsonObject:
    salt = packet_salt(SEED, GAME, seq, seat)
    info = lp("pbem/1 packet", GAME, u32(seq), seat, to.seal_public)
    padded = pad(canon({"salt": b64(salt), "body": body}), 512)
    ct = seal_fixed(padded, to.seal_public, info, secret(f"once {seq} {seat}"))
    return {"commit": b64(packet_commit(GAME, seq, seat, salt, body)), "ct": b64(ct)}


def packet() -> Cases:
    body: JsonObject = {
        "draws": [{"card": "hideout", "deck": "main", "gen": 0, "k": 4, "place": 17, "salt": b64(SALT)}],
        "facts": [{"found": "fastest-gun"}],
    }
    sealed = packet_of(8, "anna", ANNA, body)
    given: JsonObject = {
        "game": b64(GAME),
        "seq": 8,
        "seat": "anna",
        "secret": b64(ANNA.secret),
        "packet": sealed,
    }
    empty = packet_of(9, "anna", ANNA, {"draws": [], "facts": []})
    ct = sealed["ct"]
    cases = [
        good("a packet with a card and a fact", "packet", given),
        good("an empty packet is as long", "packet", {**given, "seq": 9, "packet": empty}),
        bad("opened by another seat's key", "packet", given, "seal", secret=b64(BURT.secret)),
        bad("copied to another record", "packet", given, "seal", seq=9),
        bad("copied to another seat", "packet", given, "seal", seat="burt"),
        bad("copied to another match", "packet", given, "seal", game=b64(bytes(32))),
        bad("one bit of the key part", "packet", given, "seal", packet={**sealed, "ct": flipped(ct, 3)}),
        bad("one bit of the text", "packet", given, "seal", packet={**sealed, "ct": flipped(ct, 100)}),
        bad("cut off", "packet", given, "seal", packet={**sealed, "ct": b64(unb64(ct)[:-8])}),
        bad("a lie beside it", "packet", given, "commit", packet={**sealed, "commit": b64(bytes(32))}),
    ]
    return (
        "README section 3.1: packets, opened with a seat's identity secret; the one-time keys are fixed text",
        cases,
    )


def part(label: str, n: int, content: object, behind: bytes = b"") -> JsonObject:
    """What a player seals; ``behind`` stands behind it before it is padded."""
    name = {"sealed": "actions", "order": "order"}[label]
    plain = canon({"salt": b64(SALT), name: content})
    padded = pad(plain, 512) if label == "sealed" else pad(zlib.compress(plain, 9) + behind, 1024)
    ct, own = (
        seal_fixed(
            padded,
            public,
            lp(f"pbem/1 {prefix}{label}", GAME, "anna", u32(n), public),
            secret(f"once {prefix}{label} {n}"),
        )
        for prefix, public in (("", HOST.seal_public), ("own ", ANNA.seal_public))
    )
    commit = part_commit(label, GAME, "anna", n, SALT, content)  # type: ignore[arg-type]
    return {
        "part": label,
        "game": b64(GAME),
        "seat": "anna",
        "n": n,
        "secret": b64(HOST.secret),
        "sealed": {"commit": b64(commit), "ct": b64(ct), "own": b64(own)},
    }


def orders_of(size: int) -> JsonObject:
    """Orders of so many bytes of text."""
    frame = canon({"salt": b64(SALT), "order": {"rules": [{"when": ""}]}})
    return {"rules": [{"when": "x" * (size - len(frame))}]}


def sealed() -> Cases:
    actions = part("sealed", 3, [{"do": "discard", "card": "hideout"}])
    orders = part("order", 3, {"rules": []})
    mine = {**actions, "secret": b64(ANNA.secret)}
    return "README section 3.2: what a player seals, opened with the host's secret, or (own) with his own", [
        good("his own copy of the actions", "own", mine),
        good("his own copy of the orders", "own", {**orders, "secret": b64(ANNA.secret)}),
        bad("his own copy, for somebody else", "own", mine, "seal", secret=b64(BURT.secret)),
        bad("his own copy, for the host", "own", actions, "seal"),
        bad("his own copy of another file", "own", mine, "seal", n=4),
        bad(
            "the host's copy as his own",
            "own",
            mine,
            "seal",
            sealed={**mine["sealed"], "own": mine["sealed"]["ct"]},
        ),
        good("sealed actions", "sealed", actions),
        good("standing orders", "sealed", orders),
        bad("orders opened as actions", "sealed", orders, "seal", part="sealed"),
        good("the longest orders", "sealed", part("order", 3, orders_of(3071))),
        bad("orders that are longer", "sealed", part("order", 3, orders_of(3072)), "seal"),
        bad("something behind packed orders", "sealed", part("order", 3, {"rules": []}, b"x"), "seal"),
        bad("of another file", "sealed", actions, "seal", n=4),
        bad("of another seat", "sealed", actions, "seal", seat="burt"),
        bad("by somebody else", "sealed", actions, "seal", secret=b64(ANNA.secret)),
        bad(
            "a lie beside it",
            "sealed",
            actions,
            "commit",
            sealed={**actions["sealed"], "commit": b64(bytes(32))},
        ),
    ]


# --- how much a seat may seal: schemas/README.md §6 -------------------------------------------------------


def measure() -> Cases:
    """Four seats: 196,608 bytes each, of which 49,152 are kept for choices under seal; five, where it is rounded."""
    action: JsonObject = {"do": "draw", "from": "deck"}
    whole: JsonObject = {"seats": 4, "actions": [action], "sealed": 560, "orders": 1072, "result": True}
    full: JsonObject = {**whole, "held": [100_000, 147_456 - 100_000 - 816 - 3376]}
    choice: JsonObject = {"seats": 4, "actions": [], "sealed": 560, "result": True, "held": [196_608 - 816]}
    five: JsonObject = {**choice, "seats": 5, "held": [157_286 - 816]}
    talk: JsonObject = {**choice, "seats": 5, "held": [117_965 - 816], "result": False}
    late = [147_456]
    cases = [
        good("a whole turn that just fits", "measure", full),
        good("a sealed choice, alone, in the last quarter", "measure", choice),
        good("in a match of five, rounded down", "measure", five),
        good("talk with something sealed, in a match of five", "measure", talk),
        bad("a byte more before the whole turn", "measure", full, "over-budget", held=[147_456 - 816 - 3375]),
        bad(
            "orders beside an open action, in the last quarter",
            "measure",
            {"seats": 4, "actions": [action], "orders": 1072, "result": True, "held": late},
            "over-budget",
        ),
        bad(
            "a sealed choice with orders in the last quarter",
            "measure",
            choice,
            "over-budget",
            held=late,
            orders=1072,
        ),
        bad(
            "a sealed choice with an open action in the last quarter",
            "measure",
            choice,
            "over-budget",
            held=late,
            actions=[action],
        ),
        bad("a longer choice in the last quarter", "measure", choice, "over-budget", held=late, sealed=1072),
        bad(
            "without a result in the last quarter", "measure", choice, "over-budget", held=late, result=False
        ),
        bad("a byte more than everything", "measure", choice, "over-budget", held=[196_608 - 815]),
        bad("a byte more, in a match of five", "measure", five, "over-budget", held=[157_286 - 815]),
        bad("a byte more of talk, in a match of five", "measure", talk, "over-budget", held=[117_965 - 815]),
    ]
    return (
        "README section 6: what a turn's sealed parts count beside those held, in bytes, and the most",
        cases,
    )
