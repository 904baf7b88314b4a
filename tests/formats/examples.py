"""One record of each kind (schemas/README.md §7) and one message of each, with values of the right form."""

from __future__ import annotations

from pbem.game import JsonObject
from pbem.protocol.crypto.digest import b64, fingerprint, sha
from pbem.protocol.crypto.identity import Identity, sign_record
from pbem.protocol.formats.envelopes import (
    make_entry,
    seal_channel,
    seal_contact,
    seal_packet,
    seal_part,
    seal_tell,
)
from pbem.protocol.formats.messages import (
    build_channel,
    build_consent,
    build_join,
    build_ready,
    build_reject,
    build_rekey,
    build_turn,
    message_of,
)

GAME = sha(b"match")
LINE = sha(b"line")
SALT = bytes(range(16))
ANNA, BURT, HOST = (Identity(sha(name)) for name in (b"anna", b"burt", b"host"))
AT = "2026-11-21T18:00:00Z"
DUE = "2026-11-24T18:00:00Z"


def named(seq: int) -> JsonObject:
    """The record ``seq``, as a refusal names it."""
    return {"seq": seq, "line": b64(LINE)}


def seen_at(seq: int) -> JsonObject:
    """The record ``seq``, as a player has seen it."""
    return {**named(seq), "sig": b64(sign_record(GAME, seq, LINE, HOST.sign_key))}


JOIN = build_join(
    ANNA,
    GAME,
    "anna",
    0,
    seen_at(0),
    name="Anna",
    lang="de-AT",
    anchor=LINE,
    length=1024,
    recovery=sha(b"recovery"),
    contact=seal_contact(GAME, "anna", HOST.seal_public, "anna@example.org"),
)
READY = build_ready(ANNA, GAME, "anna", 1, seen_at(4), epoch=1, link=LINE)
TURN = build_turn(
    ANNA,
    GAME,
    "anna",
    3,
    seen_at(10),
    actions=[{"do": "lay", "outlaw": "jesse-james", "count": 3}, {"do": "bank-robbery", "on": "jesse-james"}],
    link=(2, LINE),
    sealed=seal_part(
        "sealed",
        GAME,
        "anna",
        3,
        HOST.seal_public,
        ANNA.seal_public,
        SALT,
        [{"do": "discard", "card": "hideout"}],
    ),
    orders=seal_part("order", GAME, "anna", 3, HOST.seal_public, ANNA.seal_public, SALT, {"rules": []}),
    say="Reach for the sky",
    tell=[seal_tell(GAME, "anna", 3, "burt", BURT.seal_public, "Nice shot")],
)
TALK = build_turn(ANNA, GAME, "anna", 4, seen_at(11), say="Nice shot")
REKEY = build_rekey(ANNA.sign_key, GAME, "anna", 12, seen_at(70), new=BURT, anchor=LINE, length=1024)
TERMS: dict[str, JsonObject] = {
    "absence": {"kind": "absence", "seat": "anna", "from": AT, "until": DUE},
    "pause": {"kind": "pause", "until": DUE},
    "resign": {"kind": "resign", "seat": "anna"},
    "substitute": {"kind": "substitute", "seat": "anna", "newcomer": fingerprint(BURT.sign_public)},
    "rewind": {"kind": "rewind", "to": named(7)},
    "rekey": {
        "kind": "rekey",
        "seat": "anna",
        "sign": b64(BURT.sign_public),
        "seal": b64(BURT.seal_public),
        "anchor": b64(LINE),
        "length": 1024,
    },
    "end": {"kind": "end", "why": "Dinner is ready"},
}
CONSENTS = {
    kind: build_consent(ANNA, GAME, "anna", 9, seen_at(70), terms=terms) for kind, terms in TERMS.items()
}
CHANNEL = build_channel(
    ANNA,
    GAME,
    "anna",
    9,
    seen_at(70),
    channel=seal_channel(GAME, "anna", 9, HOST.seal_public, "ntfys://anna"),
)
REJECT = build_reject(HOST, message_of(TURN), code="illegal", head=named(14), at=AT, action=1, rules=["D4"])
MESSAGES: dict[str, JsonObject] = {
    "join": JOIN,
    "ready": READY,
    "turn": TURN,
    "rekey": REKEY,
    "consent": CONSENTS["rewind"],
    "channel": CHANNEL,
    "reject": REJECT,
}

PACKETS = {"anna": seal_packet(GAME, 8, "anna", ANNA.seal_public, SALT, {"draws": [], "facts": []}, 512)}
CHANCE: list[JsonObject] = [
    {"draw": "main", "gen": 0, "k": 0, "to": "anna"},
    {"draw": "main", "gen": 0, "k": 30, "to": "table", "place": 44, "card": "hideout", "salt": b64(SALT)},
    {"shuffle": "main", "gen": 1, "leaves": [b64(LINE)]},
    {
        "roll": "public",
        "j": 5,
        "sides": 6,
        "value": 5,
        "link": b64(LINE),
        "for": "gunfight deadwood defence 1",
    },
]
GAME_STEP: JsonObject = {"by": "game", "chance": CHANCE, "events": [{"event": "hand-started", "hand": 1}]}
FILE_STEP: JsonObject = {"by": "file", "seat": "anna", "action": {"do": "pass"}, "chance": [], "events": []}
ORDER_STEP: JsonObject = FILE_STEP | {"by": "order", "n": 5}
RESULT: JsonObject = {
    "steps": [GAME_STEP, FILE_STEP, ORDER_STEP],
    "public": {"phase": "draw"},
    "packets": PACKETS,
    "due": DUE,
}
GENESIS: JsonObject = {
    "pbem": 1,
    "nonce": b64(LINE),
    "host": {"sign": b64(HOST.sign_public), "seal": b64(HOST.seal_public)},
    "rules": {"id": "wyatt-earp", "version": 1},
    "options": {"tie_payment": "block"},
    "setup": {"dealer": "curt"},
    "seats": ["anna", "burt", "curt"],
    "draw": {"alg": "pbem-draw-1", "reveal": "epoch"},
    "deadlines": {"hours": 72, "grace": 24, "again": 0, "then": "default"},
    "consent": {"pause": "all", "substitute": "others"},
}
OPENED = [{"seat": "anna", "n": 3, "part": "sealed", "salt": b64(SALT), "content": [{"do": "pass"}]}]
MEMBERS: dict[str, JsonObject] = {
    "genesis": GENESIS,
    "join": {"msg": JOIN},
    "ready": {"msg": READY},
    "announce": {
        "epoch": 1,
        "commit": b64(LINE),
        "seats": ["anna", "burt"],
        "due": DUE,
        "decks": {"main": {"gen": 0, "leaves": [b64(LINE)]}},
        "tapes": {"public": {"anchor": b64(LINE), "length": 1024}},
    },
    "open": {"epoch": 1, **RESULT},
    "turn": {
        "msg": TURN,
        "epoch": 1,
        "applied": 1,
        "stopped": {"at": 1, "why": "illegal", "code": "illegal", "rules": ["D4"]},
        **RESULT,
    },
    "default": {"epoch": 1, "seat": "anna", **RESULT},
    "burn": {"epoch": 2, "missing": ["burt"]},
    "close": {
        "epoch": 1,
        "seed": b64(LINE),
        "opened": OPENED,
        "facts": [{"seq": 27, "seat": "burt", "facts": [{"found": "hideout"}]}],
        "due": DUE,
    },
    "extend": {"seat": "burt", "due": DUE},
    "rekey": {"msg": REKEY, "epoch": 2, "packets": PACKETS},
    "reseal": {"epoch": 2, "packets": PACKETS},
    "substitute": {
        "what": TERMS["substitute"],
        "consents": [CONSENTS["substitute"]],
        "msg": JOIN,
        "epoch": 2,
        "packets": PACKETS,
    },
    "propose": {"what": TERMS["rekey"], "consents": [CONSENTS["rekey"]], "until": DUE},
    "withdraw": {"proposal": 5},
    "resign": {"what": TERMS["resign"], "consents": [CONSENTS["resign"]]},
    "end": {"outcome": {"winners": ["anna"], "money": {"anna": 27000}}, "opened": OPENED},
} | {kind: {"what": TERMS[kind], "consents": [CONSENTS[kind]]} for kind in ("absence", "pause", "rewind")}


def record(kind: str, members: JsonObject) -> JsonObject:
    """A signed record; its place in a file is made up."""
    head = {"kind": kind, "seq": 0 if kind == "genesis" else 8, "at": AT}
    body = head | {"prev": "" if kind == "genesis" else b64(LINE)} | members
    return make_entry(body, HOST.sign_key, HOST.sign_public, None if kind == "genesis" else GAME)


RECORDS = {kind: record(kind, members) for kind, members in MEMBERS.items()} | {
    "talk": record("turn", {"msg": TALK}),
    "rekey by proposal": record("rekey", {"proposal": 4, "epoch": 0}),
    "rekey of two": record("rekey", {"proposal": 4, "act": "host", "epoch": 2, "packets": PACKETS}),
    "substitute by proposal": record("substitute", {"proposal": 4, "msg": JOIN, "epoch": 0}),
    "propose a substitute": record(
        "propose", {"what": TERMS["substitute"], "consents": [CONSENTS["substitute"]], "until": DUE}
    ),
    "propose a resignation": record(
        "propose", {"what": TERMS["resign"], "consents": [CONSENTS["resign"]], "until": DUE}
    ),
    "end by consent": record(
        "end",
        {
            "outcome": {"winners": []},
            "opened": [],
            "what": TERMS["end"],
            "consents": [CONSENTS["end"]],
        },
    ),
}
