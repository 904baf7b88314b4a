"""The members of every record kind (protocol §4.2, §4.3), as compiled shapes.

``check_body(body)`` is step (1) of protocol 4.8: known kind, known members, right types. What the values *mean* is
checked by the verifier.
"""

from __future__ import annotations

from pbem.draws.chain import MAX_LENGTH
from pbem.errors import FormatError
from pbem.game import JsonObject
from pbem.record.shape import (
    Check,
    Where,
    any_object,
    b64,
    b64_from,
    by_member,
    const,
    container,
    instant,
    integer,
    language,
    listof,
    mapof,
    named,
    obj,
    person,
    seat_id,
    some_object,
    spoken,
    text,
    token,
    word,
)

_MANY = 10_000
_SEATS = 8
HASH = b64(32)
SALT = b64(16)
SIGNATURE = obj({"key": HASH, "value": b64(64)})
SEALED = b64_from(48 + 512, 1 << 20)
"""What HPKE adds, and at least one padded block."""

seen = obj({"seq": integer(), "line": HASH})
link = obj({"epoch": integer(1), "value": HASH})
sealed_part = obj({"commit": HASH, "ct": SEALED})
action = named("do")
event = named("event")
_keys: dict[str, Check] = {"sign": HASH, "seal": HASH, "anchor": HASH, "length": integer(1, MAX_LENGTH)}
_WHAT: dict[str, tuple[dict[str, Check], dict[str, Check]]] = {
    "absence": ({"seat": seat_id, "from": instant, "until": instant}, {}),
    "pause": ({}, {"until": instant}),
    "resume": ({}, {}),
    "resign": ({"seat": seat_id}, {}),
    "substitute": ({"seat": seat_id}, {}),
    "rewind": ({"to": seen}, {}),
    "rekey": ({"seat": seat_id, **_keys}, {}),
    "end": ({}, {"why": spoken(280)}),
}
WHAT = {
    kind: obj({"kind": const(kind), **required}, optional) for kind, (required, optional) in _WHAT.items()
}
"""What people agree to, by kind (protocol §4.2)."""
_common: dict[str, Check] = {"game": HASH, "seat": seat_id, "n": integer(), "seen": seen}


def _message(required: dict[str, Check], optional: dict[str, Check] | None = None) -> Check:
    return obj({"body": obj({**_common, **required}, optional), "sig": SIGNATURE})


JOIN = _message(
    {"name": person, "lang": language, **_keys},
    {"recovery": HASH, "contact": SEALED, "word": token},
)
READY = _message({"link": link})
TURN = _message(
    {"actions": listof(action, 64)},
    {
        "link": link,
        "sealed": sealed_part,
        "orders": sealed_part,
        "say": spoken(280),
        "tell": listof(obj({"to": seat_id, "ct": SEALED}), _SEATS, 1),
    },
)
REKEY = _message(_keys)
CONSENT = _message({"what": by_member("kind", WHAT)})
_consents = listof(CONSENT, _SEATS)

_chance_draw_hand = obj({"draw": word, "gen": integer(), "k": integer(), "to": seat_id})
_chance_draw_table = obj(
    {
        "draw": word,
        "gen": integer(),
        "k": integer(),
        "to": const("table"),
        "place": integer(),
        "card": spoken(80),
        "salt": SALT,
    }
)
_chance_shuffle = obj({"shuffle": word, "gen": integer(1), "leaves": listof(HASH, _MANY)})
_chance_roll = obj(
    {
        "roll": word,
        "j": integer(1),
        "sides": integer(1),
        "value": integer(1),
        "link": HASH,
        "for": spoken(280),
    }
)


def _chance(value: object, where: Where) -> None:
    members = value if isinstance(value, dict) else {}
    if "draw" in members:
        (_chance_draw_table if members.get("to") == "table" else _chance_draw_hand)(value, where)
    elif "shuffle" in members:
        _chance_shuffle(value, where)
    else:
        _chance_roll(value, where)


_happened: dict[str, Check] = {"chance": listof(_chance, _MANY), "events": listof(event, _MANY)}
_own: dict[str, Check] = {"seat": seat_id, "action": action}
_step = by_member(
    "by",
    {
        "file": obj({"by": const("file"), **_own, **_happened}),
        "sealed": obj({"by": const("sealed"), **_own, **_happened}),
        "order": obj({"by": const("order"), **_own, "n": integer(), **_happened}),
        "default": obj({"by": const("default"), **_own, **_happened}),
        "game": obj({"by": const("game"), **_happened}),
    },
)
packet = obj({"commit": HASH, "ct": SEALED})
packets = mapof(seat_id, packet, _SEATS)
_result: dict[str, Check] = {"epoch": integer(1), "steps": listof(_step, _MANY), "public": any_object}
_result_optional: dict[str, Check] = {"packets": packets, "due": instant}
stopped = obj(
    {"at": integer(0, 127), "why": const("illegal", "waiting", "epoch")},
    {"code": word, "rules": listof(spoken(16), 32)},
)
_opening = {
    "seat": seat_id,
    "n": integer(),
    "part": const("sealed", "orders"),
    "salt": SALT,
    "content": container,
}
_opened = listof(obj(_opening), 100_000)
_fact = obj({"seq": integer(), "seat": seat_id, "facts": listof(some_object, 1000, 1)})
_facts = listof(_fact, 100_000)
_deck = obj({"gen": const(0), "leaves": listof(HASH, _MANY, 1)})
_tape = obj({"anchor": HASH, "length": integer(1, MAX_LENGTH)})
_some_seats = listof(seat_id, _SEATS, 1, unique=True)


def _record(kind: str, required: dict[str, Check], optional: dict[str, Check] | None = None) -> Check:
    head = {"kind": const(kind), "seq": integer(1), "prev": HASH, "at": instant}
    return obj({**head, **required}, optional)


def _by_consent(kind: str) -> Check:
    return _record(kind, {"what": WHAT[kind], "consents": _consents})


_GENESIS = obj(
    {
        "kind": const("genesis"),
        "seq": integer(),  # whether it is the first record is told in words of its own
        "prev": text,
        "at": instant,
        "pbem": const(1),
        "nonce": b64_from(16, 64),
        "host": obj({"sign": HASH, "seal": HASH}),
        "rules": obj({"id": word, "version": integer(1)}),
        "profile": word,
        "options": any_object,
        "setup": any_object,
        "seats": _some_seats,
        "draw": obj({"alg": const("pbem-draw-1"), "reveal": const("epoch", "match")}),
        "deadlines": any_object,  # read by Deadlines.from_json
        "consent": mapof(const(*_WHAT), const("all", "others", "host", "seat"), len(_WHAT)),
    }
)
_TALK = _record("turn", {"msg": TURN})
_TURN = _record(
    "turn", {"msg": TURN, "applied": integer(0, 128), **_result}, {"stopped": stopped, **_result_optional}
)
_RESULT = ("epoch", "applied", "steps", "public", "stopped", "packets", "due")


def _turn(value: object, where: Where) -> None:
    """A turn has either all members of a result or none of them (protocol §4.2)."""
    has_result = isinstance(value, dict) and any(name in value for name in _RESULT)
    (_TURN if has_result else _TALK)(value, where)


_OWN_REKEY = _record("rekey", {"msg": REKEY, "epoch": integer()}, {"packets": packets})
_LOST_REKEY = _record(
    "rekey", {"what": WHAT["rekey"], "consents": _consents, "epoch": integer()}, {"packets": packets}
)


def _rekey(value: object, where: Where) -> None:
    (_OWN_REKEY if isinstance(value, dict) and "msg" in value else _LOST_REKEY)(value, where)


_opened_at_end: dict[str, Check] = {
    "outcome": obj({"winners": listof(seat_id, _SEATS, unique=True)}, rest=True),
    "opened": _opened,
}
_ENDED = _record("end", _opened_at_end, {"why": spoken(280)})
_AGREED_END = _record(
    "end", {**_opened_at_end, "what": WHAT["end"], "consents": _consents}, {"why": spoken(280)}
)


def _end(value: object, where: Where) -> None:
    agreed = isinstance(value, dict) and ("what" in value or "consents" in value)
    (_AGREED_END if agreed else _ENDED)(value, where)


BODIES: dict[str, Check] = {
    "genesis": _GENESIS,
    "join": _record("join", {"msg": JOIN}),
    "ready": _record("ready", {"msg": READY}),
    "announce": _record(
        "announce",
        {"epoch": integer(1), "commit": HASH, "seats": _some_seats, "due": instant},
        {"decks": mapof(word, _deck, 16, 1), "tapes": mapof(word, _tape, 16, 1)},
    ),
    "open": _record("open", _result, _result_optional),
    "turn": _turn,
    "default": _record("default", {"seat": seat_id, **_result}, _result_optional),
    "close": _record(
        "close", {"epoch": integer(1), "seed": HASH, "opened": _opened, "facts": _facts}, {"due": instant}
    ),
    "burn": _record("burn", {"epoch": integer(1), "missing": _some_seats}),
    "extend": _record("extend", {"seat": seat_id, "due": instant}),
    "rekey": _rekey,
    "reseal": _record("reseal", {"epoch": integer(1), "packets": packets}),
    **{kind: _by_consent(kind) for kind in ("absence", "pause", "resume", "resign", "rewind")},
    "substitute": _record(
        "substitute",
        {"what": WHAT["substitute"], "consents": _consents, "msg": JOIN, "epoch": integer()},
        {"packets": packets},
    ),
    "end": _end,
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
