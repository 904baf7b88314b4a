"""Host and player say one thing of one file: the same code, sentence, rows and place.

Some hundred files are made at each of several moments of two matches: good ones, and copies of them with one thing
changed and signed again. The host's program rules on each, and so does the player's check, which holds nothing but the
game file and that seat's own key and copies. They must agree in every word. Where the player cannot know:

* whether a sealed part opens (``bad-seal``): it was sealed to the host;
* the row and place of a fault in a sealed action: the host keeps them secret, the player's own program shows them;
* what follows once an action shows something new, and another seat's standing orders;
* consents of others that the host keeps, and records that have not arrived yet.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import pytest

from pbem.base.errors import FormatError
from pbem.base.shapes.schema import load
from pbem.game import JsonObject, Seat
from pbem.player.seat import check_file
from pbem.protocol.client import SeatView
from pbem.protocol.client.compose import link_of
from pbem.protocol.crypto.digest import b64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.envelopes import make_file, seal_part
from pbem.protocol.formats.messages import (
    build_consent,
    build_join,
    build_ready,
    build_reject,
    build_rekey,
    build_turn,
    message_of,
)
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record.check_messages import TALK, placed
from pbem.protocol.referee import Ignored, Refused, Repeated, Ruling, receive
from tests.hostile.test_reading import filled
from tests.world import World, accepted, secret

DRAW = {"do": "draw", "from": "supply"}
HIDDEN = {"bad-seal"}
"""Codes that the player cannot foresee."""


@dataclass(frozen=True)
class File:
    """A file to judge: ``sealed`` is its signer's own copy of what it seals."""

    name: str
    raw: bytes
    seat: str
    sealed: tuple[JsonObject, ...] = ()


# --- moments ----------------------------------------------------------------------------------------------


def _joining() -> World:
    world = World("wyatt-earp", ("anna", "burt", "curt"))
    accepted(world.join("anna"))
    return world


def _before_links() -> World:
    world = World("wyatt-earp", ("anna", "burt", "curt"))
    for seat in world.seats:
        accepted(world.join(seat))
    accepted(world.ready("anna"))
    return world


def _playing() -> World:
    return World("wyatt-earp", ("anna", "burt", "curt")).start()


def _in_a_turn() -> World:
    world = _playing()
    accepted(world.turn("anna", DRAW))
    return world


def _paused() -> World:
    world = _playing()
    terms = {"kind": "pause", "until": "2026-12-01T00:00:00Z"}
    files = [world.consent(seat, terms) for seat in world.seats]
    accepted(world.send(files[-1], files[:-1]))
    return world


def _pause_ran_out() -> World:
    world = _paused()
    world.tick(24 * 30)
    return world


def _talked() -> World:
    world = _playing()
    for seat in world.seats[:2]:
        for _ in range(TALK):
            accepted(world.turn(seat, say="and another thing"))
    return world


def _over() -> World:
    world = _playing()
    files = [world.consent(seat, {"kind": "end"}) for seat in world.seats]
    accepted(world.send(files[-1], files[:-1]))
    return world


def _town() -> World:
    return World("way-out-west", ("anna", "burt", "curt")).start()


def _auction() -> World:
    return _town().play(6)


MOMENTS: dict[str, Callable[[], World]] = {
    "joining": _joining,
    "before links": _before_links,
    "playing": _playing,
    "in a turn": _in_a_turn,
    "paused": _paused,
    "a pause that ran out": _pause_ran_out,
    "all was said": _talked,
    "all was sealed": filled,
    "over": _over,
    "a town is chosen": _town,
    "an auction": _auction,
}


@cache
def moment(name: str) -> World:
    return MOMENTS[name]()


# --- files ------------------------------------------------------------------------------------------------

SPOIL: dict[str, Callable[[JsonObject], object]] = {
    "as it is": lambda _: None,
    "n 0": lambda b: b.update(n=0),
    "n again": lambda b: b.update(n=max(b["n"] - 5, 0)),
    "n far ahead": lambda b: b.update(n=2**32 - 1),
    "n a little ahead": lambda b: b.update(n=b["n"] + 200),
    "n 256 and more ahead": lambda b: b.update(n=b["n"] + 300),
    "seen nothing": lambda b: b["seen"].update(seq=0, line=b["game"]),
    "seen another": lambda b: b["seen"].update(line=b64(bytes(32))),
    "seen the future": lambda b: b["seen"].update(seq=9999),
    "seen an old one": lambda b: b["seen"].update(seq=1),
    "another match": lambda b: b.update(game=b64(bytes(32))),
    "another seat": lambda b: b.update(seat="burt" if b["seat"] != "burt" else "curt"),
    "no such seat": lambda b: b.update(seat="zoe"),
    "nobody's seat": lambda b: b.update(seat="nobody"),
    "a member more": lambda b: b.update(more=1),
    "a link of epoch 7": lambda b: b.update(link={"epoch": 7, "value": b64(bytes(32))}),
    "a link of epoch 1": lambda b: b.update(link={"epoch": 1, "value": b64(bytes(32))}),
    "a link of epoch 2": lambda b: b.update(link={"epoch": 2, "value": b64(bytes(32))}),
    "no link": lambda b: b.pop("link", None),
    "talk of nothing": lambda b: b.update(say=""),
    "talk": lambda b: b.update(say="Reach for the sky"),
    "talk too long": lambda b: b.update(say="x" * 281),
    "keys that are none": lambda b: b.update(sign=b64(bytes(32))) if "sign" in b else None,
    "a seal key that is none": lambda b: b.update(seal=b64(bytes(32))) if "seal" in b else None,
    "sealed is spoilt": lambda b: b["sealed"].update(commit=b64(bytes(32))) if "sealed" in b else None,
    "no sealed": lambda b: b.pop("sealed", None),
    "orders instead of sealed": lambda b: b.update(sealed=b["orders"]) if "orders" in b else None,
}
ACTIONS: list[list[JsonObject]] = [
    [],
    [DRAW],
    [{"do": "draw", "from": "discard"}],
    [{"do": "discard", "card": "hideout"}],
    [{"do": "draw", "from": "discard"}, {"do": "discard", "card": "no-card"}],
    [{"do": "draw", "from": "discard"}, {"do": "lay", "outlaw": "bob-dalton", "count": 7}],
    [{"do": "wyatt-earp", "mode": "search", "take": ["hideout"]}],
    [{"do": "shoot"}],
    [DRAW, {"do": "shoot"}],
    [DRAW, {"do": "shoot", "at": 7, "with": [[[]]]}],
    [{"do": "lay", "outlaw": "john-wayne", "count": 3}],
    [{"do": "settle", "town": "tombstone"}],
    [{"do": "bid", "amount": 0}],
    [{"do": "bid", "amount": 10**9}],
    [{"do": "pass"}],
    [{"do": "pass"}, {"do": "pass"}],
]
TERMS: list[JsonObject] = [
    {"kind": "absence", "seat": "anna", "from": "2026-12-01T00:00:00Z", "until": "2026-12-09T00:00:00Z"},
    {"kind": "absence", "seat": "anna", "from": "2026-12-01T00:00:00Z", "until": "2026-11-09T00:00:00Z"},
    {"kind": "absence", "seat": "anna", "from": "2026-12-01T00:00:00Z", "until": "2036-11-09T00:00:00Z"},
    {"kind": "absence", "seat": "zoe", "from": "2026-12-01T00:00:00Z", "until": "2026-12-09T00:00:00Z"},
    {"kind": "pause", "until": "2026-12-09T00:00:00Z"},
    {"kind": "pause", "until": "2026-11-09T00:00:00Z"},
    {"kind": "resign", "seat": "anna"},
    {"kind": "substitute", "seat": "burt", "newcomer": "F7X9D-TXWT0-EBRH1-EKWWK"},
    {"kind": "rewind", "to": {"seq": 0, "line": b64(bytes(32))}},
    {"kind": "end"},
]


def _turn(world: World, seat: str, n: int, actions: list[JsonObject], *, sealed: bool) -> JsonObject:
    """The body of a turn, its actions open or all sealed, with the link that it owes."""
    record, who, salt = world.copy(), world.people[Seat(seat)], world.salts[Seat(seat)]
    game, key = record.game, record.ledger.host_seal
    seated = Seat(seat) in record.ledger.players
    message = build_turn(
        who,
        game,
        seat,
        n,
        record.head.seen,
        actions=[] if sealed else actions,
        link=link_of(record, who, Seat(seat)) if seated else None,
        sealed=seal_part("sealed", game, seat, n, key, who.seal_public, salt(), actions if sealed else []),
        orders=seal_part("order", game, seat, n, key, who.seal_public, salt(), {"rules": []}),
    )
    body: JsonObject = message["body"]
    return body


def _bases(world: World, seat: str, n: int) -> Iterator[tuple[str, str, JsonObject, tuple[JsonObject, ...]]]:
    """Kind, name, body and sealed actions of one file of each sort."""
    for index, actions in enumerate(ACTIONS):
        yield "turn", f"turn {index}", _turn(world, seat, n, actions, sealed=False), ()
        yield "turn", f"sealed turn {index}", _turn(world, seat, n, actions, sealed=True), tuple(actions)
    record, who = world.copy(), world.people[Seat(seat)]
    head, game = record.head.seen, record.game
    join = build_join(who, game, seat, 0, head, name=seat.title(), lang="en", anchor=bytes(32), length=9)
    yield "join", "join", join["body"], ()
    new = Identity(secret("new keys"))
    rekey = build_rekey(who.sign_key, game, seat, n, head, new=new, anchor=bytes(32), length=9)
    yield "rekey", "rekey", rekey["body"], ()
    for index, terms in enumerate(TERMS):
        agreed = build_consent(who, game, seat, n, head, terms=terms)
        yield "consent", f"consent {index} to {terms['kind']}", agreed["body"], ()
    for epoch in (1, 2):
        ready = build_ready(who, game, seat, n, head, epoch=epoch, link=bytes(32))
        yield "ready", f"ready for {epoch}", ready["body"], ()
    link = link_of(record, who, Seat(seat)) if Seat(seat) in record.ledger.players else None
    if link is not None:
        right = build_ready(who, game, seat, n, head, epoch=link[0], link=link[1])
        yield "ready", "the right ready", right["body"], ()


WHOLE = {"turn 1", "sealed turn 0", "sealed turn 1", "join", "rekey", "consent 4 to pause", "ready for 2"}
"""Bases that are spoilt in every way; the others are taken as they are."""


def files(world: World) -> Iterator[File]:
    """Good files and spoilt ones, signed by whom they say, some by others."""
    for seat in world.seats[:2]:
        who, n = world.people[Seat(seat)], world.numbers[Seat(seat)] + 7
        for kind, name, body, sealed in _bases(world, seat, n):
            for how, spoil in SPOIL.items() if name in WHOLE else [("as it is", SPOIL["as it is"])]:
                changed = copy.deepcopy(body)
                spoil(changed)
                held = sealed if changed.get("sealed") == body.get("sealed") else ()
                yield File(f"{name} of {seat}, {how}", _signed(kind, changed, who), seat, held)
        forged = _signed("turn", _turn(world, seat, n, [DRAW], sealed=False), Identity(secret("a stranger")))
        yield File(f"forged turn of {seat}", forged, seat)
    yield from _kept(world)
    for raw in (b"", b"not json", b"[" * 5000, b'{"body":{}}', b"\xff", b'{"body":{"n":1.5}}'):
        yield File(f"no file: {raw[:12]!r}", raw, world.seats[0])


def _kept(world: World) -> Iterator[File]:
    """What stands in the record, once more, and the host's refusal of it."""
    for line in world.record.lines:
        if "msg" in line.body:
            file = line.body["msg"]
            seat = file["body"]["seat"]
            yield File(f"record {line.seq} again", canon(file), seat)
            refused = build_reject(
                world.host, message_of(file), code="stale", head=world.record.lines[0].reference, at=world.now
            )
            yield File(f"the refusal of record {line.seq}", canon(refused), seat)


def _signed(kind: str, body: JsonObject, who: Identity) -> bytes:
    return canon(make_file(kind, body, who.sign_key, who.sign_public))


# --- both sides -------------------------------------------------------------------------------------------


def said_by_host(world: World, file: File) -> JsonObject:
    """The host's ruling in the words of a verdict."""
    ruling: Ruling = receive(world.record, world.host, file.raw, world.now)
    if isinstance(ruling, Refused):
        return _words(ruling.code, ruling.sentence, ruling.rules, ruling.action)
    if isinstance(ruling, Ignored):
        return _words("ignored", ruling.reason)
    return _words("again" if isinstance(ruling, Repeated) else "")


def said_by_player(world: World, file: File) -> JsonObject:
    """The player's verdict; a file of no form at all is an error with the host's sentence."""
    record = world.copy()
    view = SeatView(record, world.people[Seat(file.seat)], Seat(file.seat)) if record.public else None
    try:
        verdict = check_file(record, file.raw, view, file.sealed, at=world.now)
    except FormatError as error:
        return _words("malformed", str(error))
    if verdict.ok and any("in the record already" in note for note in verdict.notes):
        return _words("again")
    return _words(verdict.code, verdict.sentence, verdict.rules, verdict.action)


def _words(code: str, text: str = "", rules: tuple[str, ...] = (), action: int | None = None) -> JsonObject:
    return {"code": code, "sentence": text, "rules": list(rules), "action": action}


def agree(file: File, host: JsonObject, player: JsonObject) -> bool:
    """Whether the two say the same, as far as the player can know."""
    if host["code"] in HIDDEN:
        return True
    if file.sealed and host["action"] is None and player["action"] is not None:
        player = {**player, "rules": [], "action": None}
    return host == player


@cache
def ruled(name: str) -> list[tuple[File, JsonObject]]:
    """Every file of a moment, and what the host says of it."""
    world = moment(name)
    return [(file, said_by_host(world, file)) for file in files(world)]


@pytest.mark.parametrize("name", MOMENTS)
def test_host_and_player_say_one_thing(name: str) -> None:
    every = ruled(name)
    assert len(every) > 300
    apart = [
        (file.name, host, player)
        for file, host in every
        if not agree(file, host, player := said_by_player(moment(name), file))
    ]
    assert apart == []


def test_every_code_was_tried() -> None:
    codes = Counter(host["code"] for name in MOMENTS for _, host in ruled(name))
    schema = load("reject")["properties"]["body"]["properties"]["code"]["enum"]
    assert codes.keys() == {*schema, "ignored", "again", ""}
    assert min(codes.values()) >= 3, codes


def test_people_count_actions_from_one_and_programs_from_zero() -> None:
    world = moment("playing")
    top = {"do": "draw", "from": "discard"}
    body = _turn(world, "anna", 5, [top, {"do": "discard", "card": "no-card"}], sealed=False)
    file = File("", _signed("turn", body, world.people[Seat("anna")]), "anna")
    host, player = said_by_host(world, file), said_by_player(world, file)
    assert host == player
    assert (host["code"], host["action"]) == ("malformed", 1)
    assert placed(host["sentence"], host["rules"], host["action"]).startswith("action 2: ")
