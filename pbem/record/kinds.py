"""The members of every record kind (protocol §4.2, §4.3), as compiled shapes.

``check_body(body)`` is step (1) of protocol 4.8: known kind, known members, right types. What the values *mean* is
checked by the verifier.
"""

from __future__ import annotations

from pbem.errors import FormatError
from pbem.game import JsonObject
from pbem.record.shape import (
    Check,
    Where,
    any_object,
    anything,
    b64,
    b64_any,
    b64_some,
    bounded,
    const,
    instant,
    integer,
    language,
    listof,
    mapof,
    obj,
    seat_id,
    text,
    word,
)

HASH = b64(32)
SALT = b64(16)
SIGNATURE = obj({"key": HASH, "value": b64(64)})

seen = obj({"seq": integer(), "line": HASH})
link = obj({"epoch": integer(1), "value": HASH})
sealed_part = obj({"commit": HASH, "ct": b64_some})
what = obj(
    {"kind": word},
    {
        "seat": seat_id,
        "from": instant,
        "until": instant,
        "to": seen,
        "why": text,
        "due": instant,
        "sign": HASH,
        "seal": HASH,
        "anchor": HASH,
        "length": integer(1),
    },
)
_common: dict[str, Check] = {"game": HASH, "seat": seat_id, "n": integer(), "seen": seen}


def _message(required: dict[str, Check], optional: dict[str, Check] | None = None) -> Check:
    return obj({"body": obj({**_common, **required}, optional), "sig": SIGNATURE})


JOIN = _message(
    {"name": bounded(60), "lang": language, "sign": HASH, "seal": HASH, "anchor": HASH, "length": integer(1)},
    {"recovery": HASH, "contact": b64_any, "word": text},
)
READY = _message({"link": link})
TURN = _message(
    {"actions": listof(any_object)},
    {
        "link": link,
        "sealed": sealed_part,
        "orders": sealed_part,
        "say": bounded(280),
        "tell": listof(obj({"to": seat_id, "ct": b64_some})),
    },
)
REKEY = _message({"sign": HASH, "seal": HASH, "anchor": HASH, "length": integer(1)})
CONSENT = _message({"what": what})

_chance_draw_hand = obj({"draw": word, "gen": integer(), "k": integer(), "to": seat_id})
_chance_draw_table = obj(
    {
        "draw": word,
        "gen": integer(),
        "k": integer(),
        "to": const("table"),
        "place": integer(),
        "card": text,
        "salt": SALT,
    }
)
_chance_shuffle = obj({"shuffle": word, "gen": integer(), "leaves": listof(HASH)})
_chance_roll = obj(
    {"roll": word, "j": integer(1), "sides": integer(1), "value": integer(1), "link": HASH, "for": text}
)


def _chance(value: object, where: Where) -> None:
    members = value if isinstance(value, dict) else {}
    if "draw" in members:
        (_chance_draw_table if members.get("to") == "table" else _chance_draw_hand)(value, where)
    elif "shuffle" in members:
        _chance_shuffle(value, where)
    else:
        _chance_roll(value, where)


_step = obj(
    {"by": const("file", "sealed", "order", "default", "game"), "chance": listof(_chance)}
    | {"events": listof(any_object)},
    {"seat": seat_id, "action": any_object, "n": integer()},
)
packet = obj({"commit": HASH, "ct": b64_some})
packets = mapof(seat_id, packet)
_result: dict[str, Check] = {"steps": listof(_step), "public": any_object}
_result_optional: dict[str, Check] = {"packets": packets, "due": instant}
stopped = obj(
    {"at": integer(), "why": const("illegal", "waiting", "epoch")},
    {"code": word, "rules": listof(text)},
)
_opened = listof(
    obj(
        {
            "seat": seat_id,
            "n": integer(),
            "part": const("sealed", "orders"),
            "salt": SALT,
            "content": anything,
        }
    )
)
_facts = listof(obj({"seq": integer(), "seat": seat_id, "facts": listof(any_object)}))
_deck = obj({"gen": const(0), "leaves": listof(HASH)})
_tape = obj({"anchor": HASH, "length": integer(1)})
_deadlines = any_object
_head: dict[str, Check] = {"kind": word, "seq": integer(), "prev": text, "at": instant}


def _record(required: dict[str, Check], optional: dict[str, Check] | None = None) -> Check:
    return obj({**_head, **required}, optional)


def _by_consent(extra: dict[str, Check] | None = None, optional: dict[str, Check] | None = None) -> Check:
    return _record({"what": what, "consents": listof(CONSENT), **(extra or {})}, optional)


BODIES: dict[str, Check] = {
    "genesis": _record(
        {
            "pbem": const(1),
            "nonce": b64_any,
            "host": obj({"sign": HASH, "seal": HASH}),
            "rules": obj({"id": word, "version": integer(1)}),
            "profile": word,
            "options": any_object,
            "setup": any_object,
            "seats": listof(seat_id),
            "draw": obj({"alg": const("pbem-draw-1"), "reveal": const("epoch", "match")}),
            "deadlines": _deadlines,
            "consent": mapof(word, const("all", "others", "host", "seat")),
        }
    ),
    "join": _record({"msg": JOIN}),
    "ready": _record({"msg": READY}),
    "announce": _record(
        {"epoch": integer(1), "commit": HASH, "seats": listof(seat_id), "due": instant},
        {"decks": mapof(word, _deck), "tapes": mapof(word, _tape)},
    ),
    "open": _record({"epoch": integer(1), **_result}, _result_optional),
    "turn": _record(
        {"msg": TURN},
        {"epoch": integer(1), "applied": integer(), "stopped": stopped, **_result, **_result_optional},
    ),
    "default": _record({"epoch": integer(1), "seat": seat_id, **_result}, _result_optional),
    "close": _record(
        {"epoch": integer(1), "seed": HASH, "opened": _opened, "facts": _facts}, {"due": instant}
    ),
    "burn": _record({"epoch": integer(1), "missing": listof(seat_id)}),
    "extend": _record({"seat": seat_id, "due": instant}),
    "rekey": _record(
        {"epoch": integer()},
        {"msg": REKEY, "what": what, "consents": listof(CONSENT), "packets": packets},
    ),
    "reseal": _record({"epoch": integer(1), "packets": packets}),
    "absence": _by_consent(),
    "pause": _by_consent(),
    "resume": _by_consent(),
    "resign": _by_consent(),
    "rewind": _by_consent(),
    "substitute": _by_consent({"msg": JOIN, "epoch": integer()}, {"packets": packets}),
    "end": _record(
        {"outcome": any_object, "opened": _opened},
        {"why": text, "what": what, "consents": listof(CONSENT)},
    ),
}

_FILE = obj({"body": any_object, "sig": SIGNATURE})


def check_file(file: JsonObject) -> None:
    """Raise ``FormatError`` unless ``file`` is a signed record of a known kind with its members."""
    _FILE(file, "")
    body = file["body"]
    kind = body.get("kind")
    shape = BODIES.get(kind) if isinstance(kind, str) else None
    if shape is None:
        raise FormatError(f"unknown record kind {kind!r}", where="/body/kind")
    shape(body, "/body")
    _check_result_members(kind, body)


def _check_result_members(kind: str, body: JsonObject) -> None:
    """A turn has either all members of a result or none of them (protocol §4.2)."""
    if kind != "turn":
        return
    named = [name for name in ("epoch", "applied", "steps", "public") if name in body]
    if named and len(named) != 4:
        raise FormatError(
            f"a result needs epoch, applied, steps and public; found only {named}", where="/body"
        )
    if not named and ("packets" in body or "stopped" in body or "due" in body):
        raise FormatError("packets, stopped or due without a result", where="/body")
