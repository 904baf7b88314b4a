"""Why a host or a reader does not take a file or what stands in it: each reason once, from matches in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pbem.game import JsonObject, Seat
from pbem.protocol.crypto.digest import b64
from pbem.protocol.crypto.identity import recovery_hash
from pbem.protocol.formats.envelopes import make_file
from pbem.protocol.record.agreement import why_not
from pbem.protocol.record.check_messages import (
    gesture_fault,
    key_fault,
    link_fault,
    newcomer_fault,
    number_ahead,
    over_budget,
    private_message_fault,
    too_many,
)
from pbem.protocol.record.deadlines import clock_jumped
from pbem.protocol.record.kinds.agreements import AGREEMENTS
from pbem.protocol.record.kinds.burn import _return_fault
from pbem.protocol.record.kinds.rekey import recovery_fault
from pbem.protocol.referee import Refused
from tests.errors.calls import Call
from tests.errors.matches import (
    ANNA,
    BURT,
    SEATS,
    announced,
    announced_again,
    announced_alone,
    begun,
    created,
    fault_in,
    judged,
    key_of,
    keys_of,
    last_file,
    over,
    paused,
    resigned,
    running,
    seat_asked,
    twofold_key,
    zeros,
)
from tests.world import World


def _signed(world: World, kind: str, seat: str, body: JsonObject) -> JsonObject:
    identity = world.people[Seat(seat)]
    return make_file(kind, body, identity.sign_key, identity.sign_public)


def _changed(world: World, file: JsonObject, **members: Any) -> JsonObject:
    """The file with other members, signed again."""
    return _signed(world, "turn", file["body"]["seat"], {**file["body"], **members})


def _consent(by: str, **terms: Any) -> Callable[[World], JsonObject]:
    return lambda world: world.consent(by, terms)


def _away(start: str, end: str) -> Callable[[World], JsonObject]:
    return _consent("anna", **{"kind": "absence", "seat": "anna", "from": start, "until": end})


def _stale(*_: object) -> object:
    """Two files are signed at once, and the second comes after the first has changed the table."""
    world = begun()
    asked = seat_asked(world)
    first, second = world.move_file(asked), world.move_file(asked)
    world.send(first)
    return world.judge(second)


def _frozen(*_: object) -> object:
    """The recovery key was claimed by the old one and by the new one."""
    world = announced_again()
    paper = key_of("anna paper")
    for seat in SEATS:
        world.ready(seat)
    for name in ("first", "second"):
        hashed = recovery_hash(key_of(f"{name} paper").sign_public)
        world.send(world.rekey_file("anna", paper.sign_key, key_of(name), hashed))
        world.people[ANNA] = key_of(name)
    hashed = recovery_hash(key_of("third paper").sign_public)
    return world.judge(world.rekey_file("anna", world.people[ANNA].sign_key, key_of("third"), hashed))


def _no_chain(world: World) -> str:
    """The chain of a seat whose new player came later does not reach back to this deal."""
    ledger = world.record.ledger
    assert ledger.newest is not None
    players = dict(ledger.players)
    try:
        del ledger.players[ANNA]
        return link_fault(ledger, ANNA, {"epoch": 1, "value": zeros()}, ledger.head.seq)
    finally:
        ledger.players.update(players)


def _other_part(*_: object) -> str:
    """A seat whose part of the next deal came with its turn sends another."""
    world = begun()
    asked = Seat(seat_asked(world))
    world.move()
    epoch = world.record.ledger.newest
    assert epoch is not None
    return link_fault(world.record.ledger, asked, {"epoch": epoch.number, "value": zeros()}, world.head.seq)


def _ready_by_nobody(world: World) -> JsonObject:
    """Somebody presses Ready in a seat that nobody has."""
    file = announced().ready_file("anna")
    members = {**file["body"], "game": b64(world.record.game), "seen": world.record.head.seen}
    return _signed(world, "ready", "anna", members)


def _rejected(world: World) -> JsonObject:
    """The host's answer to a file, handed in as a player's."""
    refused = world.judge(_changed(world, world.turn_file(seat_asked(world), say="Howdy"), nudge="zoe"))
    assert isinstance(refused, Refused)
    assert refused.reject is not None
    return refused.reject


def _openly_secret(world: World) -> JsonObject:
    """A choice in clear, which shows what a search takes."""
    turn = world.turn_file(seat_asked(world), say="Howdy")
    return _changed(world, turn, actions=[{"do": "choose", "take": "jesse-james"}])


def _big(world: World) -> str:
    part = {"commit": zeros(), "ct": "A" * 400_000, "own": "A" * 400_000}
    return over_budget(world.record.ledger, {"seat": "anna", "actions": [], "sealed": part}, result=True)


REFUSALS: Final[dict[str, dict[str, Call]]] = {
    "refusals": {
        "a private message to nobody": fault_in(
            running, lambda w: private_message_fault(w.record.ledger, {"tell": [{"to": "zoe"}]})
        ),
        "a reaction to the future": fault_in(
            running,
            lambda w: gesture_fault(
                w.record.ledger, {"seat": "anna", "seen": {"seq": 3}, "react": [{"to": 5}]}
            ),
        ),
        "two reactions to one record": fault_in(
            running,
            lambda w: gesture_fault(
                w.record.ledger, {"seat": "anna", "seen": {"seq": 3}, "react": [{"to": 2}, {"to": 2}]}
            ),
        ),
        "a nudge of oneself": fault_in(
            running,
            lambda w: gesture_fault(w.record.ledger, {"seat": "anna", "seen": {"seq": 3}, "nudge": "anna"}),
        ),
        "a replacement player's first file": fault_in(
            running, lambda w: newcomer_fault(w.record.ledger, {"n": 0})
        ),
        "a file that is there already": fault_in(
            running,
            lambda w: newcomer_fault(w.record.ledger, last_file(w)),
        ),
        "one key for both": fault_in(
            running,
            lambda w: key_fault(w.record.ledger, ANNA, twofold_key()),
        ),
        "the host's key": fault_in(running, lambda w: key_fault(w.record.ledger, ANNA, keys_of(w.host))),
        "somebody else's key": fault_in(
            running, lambda w: key_fault(w.record.ledger, ANNA, keys_of(w.people[BURT]))
        ),
        "a deal that is not announced": fault_in(
            running, lambda w: link_fault(w.record.ledger, ANNA, {"epoch": 9, "value": zeros()}, 9)
        ),
        "a deal that was not seen": fault_in(
            announced, lambda w: link_fault(w.record.ledger, ANNA, {"epoch": 1, "value": zeros()}, 0)
        ),
        "a deal without that seat": fault_in(
            announced, lambda w: link_fault(w.record.ledger, Seat("dora"), {"epoch": 1, "value": zeros()}, 9)
        ),
        "another part of the shuffle": _other_part,
        "no part of the shuffle so early": fault_in(announced, _no_chain),
        "a number far ahead": lambda *_: number_ahead(1, 99_999_999),
        "more than a seat may write": fault_in(running, lambda w: too_many(w.record.ledger, ANNA, 0)),
        "more than a seat may seal": fault_in(running, _big),
        "agreeing to more than there is": fault_in(
            running,
            lambda w: why_not(w.record.ledger, {"kind": "pause", "seat": "anna"}, AGREEMENTS["pause"]),
        ),
        "a deal voided for nobody who is back": fault_in(
            running, lambda w: _return_fault(w.record.ledger, 2, (ANNA,))
        ),
        "agreeing to nothing": fault_in(running, lambda w: why_not(w.record.ledger, {"kind": "tea"}, None)),
        "a clock behind": lambda *_: clock_jumped("2026-11-23T18:00:00Z", "2026-11-22T18:00:00Z", 24),
        "a clock far ahead": lambda *_: clock_jumped("2026-11-21T18:00:00Z", "2026-11-23T18:00:00Z", 24),
        "away backwards": judged(running, _away("2026-12-02T00:00:00Z", "2026-12-01T00:00:00Z")),
        "away for years": judged(running, _away("2026-12-02T00:00:00Z", "2029-12-01T00:00:00Z")),
        "an end of no pause": judged(running, _consent("anna", kind="pause", until="2026-11-21T18:00:00Z")),
        "resigned twice": judged(resigned, _consent("curt", kind="resign", seat="curt")),
        "a turn in a pause": judged(paused, lambda w: w.move_file(seat_asked(w))),
        "a turn before the deal": judged(
            announced, lambda w: w.turn_file("anna", {"do": "draw", "from": "supply"})
        ),
        "a turn after the end": judged(over, lambda w: w.turn_file("anna", say="Good night")),
        "a turn by a stale copy": _stale,
        "a join with a number": judged(created, lambda w: w.join_file("anna", n=3)),
        "a seat that is taken": judged(running, lambda w: w.join_file("anna", key_of("zoe"), name="Zoe")),
        "a seat that nobody has": judged(
            created,
            _ready_by_nobody,
        ),
        "the host's own word": judged(running, _rejected),
        "a name like another": judged(announced_alone, lambda w: w.join_file("burt", name="Anna")),
        "a new key before Ready": judged(
            announced, lambda w: w.rekey_file("anna", w.people[ANNA].sign_key, key_of("new"))
        ),
        "the recovery key of now": fault_in(
            announced,
            lambda w: recovery_fault(
                w.record.ledger,
                {"seat": "anna", "recovery": b64(recovery_hash(key_of("anna paper").sign_public))},
            ),
        ),
        "a recovery key that was claimed twice": _frozen,
        "a secret in clear": judged(running, _openly_secret),
    },
}
