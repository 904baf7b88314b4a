"""Why the host or a reader does not take something: each reason once, from matches in memory that are as it needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from pbem.game import JsonObject, Seat, Setup
from pbem.games import find_game
from pbem.protocol.audit.audit import holding
from pbem.protocol.client import Packets, SeatView, compose_ready, compose_turn
from pbem.protocol.client.compose import channel_address
from pbem.protocol.client.seat_view import seat_of
from pbem.protocol.crypto.digest import b64
from pbem.protocol.crypto.identity import Identity, recovery_hash
from pbem.protocol.formats.envelopes import make_file
from pbem.protocol.record import Deadlines, Record
from pbem.protocol.record.agreement import why_not
from pbem.protocol.record.check_messages import (
    gesture_fault,
    key_fault,
    link_fault,
    newcomer_fault,
    number_ahead,
    over_budget,
    tell_fault,
    too_many,
)
from pbem.protocol.record.deadlines import clock_jumped
from pbem.protocol.record.kinds.agreements import AGREEMENTS
from pbem.protocol.record.kinds.burn import _return_fault, burn_fault
from pbem.protocol.record.kinds.default import default_fault
from pbem.protocol.record.kinds.handover import (
    accept_fault,
    gone_from,
    host_fault,
    offer_body,
    sealed_to_another,
)
from pbem.protocol.record.kinds.object import named_fault
from pbem.protocol.record.kinds.rekey import recovery_fault
from pbem.protocol.record.kinds.retake import join_fault, retake_fault
from pbem.protocol.record.kinds.rewind import rewind_fault
from pbem.protocol.record.takeover import open_proposal_fault, unseen_word
from pbem.protocol.referee import (
    MatchPlan,
    Refused,
    carry_out,
    create_match,
    offer,
    retire,
    substitute,
    withdraw,
)
from pbem.protocol.referee.host_acts import burn, hand_over, perform_default, reseal, stay
from tests.errors.calls import Call
from tests.errors.matches import (
    ANNA,
    BURT,
    CURT,
    SEATS,
    announced,
    announced_again,
    announced_alone,
    begun,
    closed,
    given,
    gone,
    key_of,
    keys_of,
    last_file,
    last_result,
    made,
    over,
    paused,
    proposed,
    proposed_again,
    resigned,
    running,
    seat_asked,
    twofold_key,
    zeros,
)
from tests.errors.stage import Stage
from tests.ordering.test_attacks import Liar
from tests.ordering.test_owner import sit_down
from tests.world import World, accepted

# --- files ------------------------------------------------------------------------------------------------


def _judged(world: Callable[[], World], file: Callable[[World], JsonObject]) -> Call:
    """What the host says to this file in this match."""
    return lambda *_: world().judge(file(world()))


def _told(world: Callable[[], World], fault: Callable[[World], str]) -> Call:
    """What a check says of something in this match."""
    return lambda *_: fault(world())


def _signed(world: World, kind: str, seat: str, body: JsonObject) -> JsonObject:
    identity = world.people[Seat(seat)]
    return make_file(kind, body, identity.sign_key, identity.sign_public)


def _changed(world: World, file: JsonObject, **members: Any) -> JsonObject:
    """The file with other members, signed again."""
    return _signed(world, "turn", file["body"]["seat"], {**file["body"], **members})


def _consent(by: str, **what: Any) -> Callable[[World], JsonObject]:
    return lambda world: world.consent(by, what)


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


def _five_times(*_: object) -> object:
    world = announced_again()
    for name in ("one", "two", "three", "four"):
        world.retake("burt", name)
    return world.retake("burt", "five")


def _after_a_turn(*_: object) -> object:
    world = begun()
    asked = seat_asked(world)
    world.move()
    return retake_fault(world.record.ledger, Seat(asked))


def _hosts_own(*_: object) -> object:
    world = World("wyatt-earp", SEATS, plays="anna")
    world.join("anna")
    return retake_fault(world.record.ledger, ANNA)


def _wrong_newcomer(*_: object) -> object:
    world = begun()
    consents = [world.consent(seat, world.substitute_what("curt", "anna")) for seat in ("anna", "burt")]
    join = world.newcomer("curt", "anna", 0)
    return substitute(world.record, world.host, join, consents, world.now)


def _other_offer(*_: object) -> object:
    world = running()
    return retire(world.record, world.host, offer(bytes(32), key_of("helga")), world.now)


def _gone_silently(*_: object) -> object:
    world = begun()
    offered = offer(world.record.game, key_of("helga"))
    world.take(retire(world.record, world.host, offered, world.now))
    held = world.record.ledger.retiring
    assert held is not None
    world.take(hand_over(world.record, world.host, {}, (), held.until))
    return gone_from(world.record.ledger, world.host.sign_public)


def _owing_host(*_: object) -> object:
    world = begun()
    world.retire("helga", plays="curt")
    held = world.record.ledger.retiring
    assert held is not None
    return hand_over(world.record, world.host, {}, (), held.until)


def _waiting_for_good(*_: object) -> object:
    world = begun(deadlines=Deadlines(then="wait"))
    return default_fault(world.record.ledger, Seat(seat_asked(world)), world.later(9999))


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


def _ready_for_nothing(*_: object) -> object:
    """Whose part of the next deal came with the turn presses Ready."""
    world = begun()
    asked = Seat(seat_asked(world))
    world.move()
    return compose_ready(world.copy(), world.people[asked], asked, 9)


def _other_part(*_: object) -> str:
    """A seat whose part of the next deal came with its turn sends another."""
    world = begun()
    asked = Seat(seat_asked(world))
    world.move()
    epoch = world.record.ledger.newest
    assert epoch is not None
    return link_fault(world.record.ledger, asked, {"epoch": epoch.number, "value": zeros()}, world.head.seq)


def _second_result(*_: object) -> object:
    world = begun()
    world.move()
    first = last_result(world)
    while world.move():
        if rewind_fault(world.record.ledger, first):
            return rewind_fault(world.record.ledger, first)
    return ""


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
    """A choice in clear, which tells what a search takes."""
    turn = world.turn_file(seat_asked(world), say="Howdy")
    return _changed(world, turn, actions=[{"do": "choose", "take": "jesse-james"}])


def _retired(world: World) -> object:
    return retire(world.record, world.host, offer(world.record.game, key_of("helga")), world.now)


def _voided_for_all(*_: object) -> str:
    """The time of all is up, one after the other."""
    world = begun()
    for _seat in SEATS:
        world.tick(9999)
        for _more in range(2):
            world.take(perform_default(world.record, world.host, Seat(seat_asked(world)), world.now))
            world.tick(9999)
    ledger = world.record.ledger
    assert ledger.newest is not None
    return burn_fault(ledger, ledger.newest.number, ledger.newest.missing, world.now)


def _held_resignation(*_: object) -> object:
    world = begun()
    world.send(world.consent("curt", {"kind": "resign", "seat": "curt"}))
    return carry_out(world.record, world.host, CURT, world.now)


def _agreed_before(*_: object) -> object:
    """The others agreed, and agreed again after Curt wrote; one of them has not seen that."""
    world = proposed_again()
    early = world.consent("anna", world.substitute_what("curt", "dora"))
    world.turn("curt", say="I am here")
    return unseen_word(world.record.ledger, CURT, early["body"])


def _deadlines(**more: Any) -> Call:
    """Deadlines with a calendar, of which these members are wrong."""
    calendar = {"days": ["mon"], "from": "09:00", "to": "21:00", "zone": "Europe/Berlin"}
    offsets = [{"since": "2026-11-21T18:00:00Z", "minutes": 60}]
    return lambda *_: Deadlines.from_json({**Deadlines().to_json(), **calendar, "offsets": offsets, **more})


def _set_up(game: str, seats: Sequence[str], *, version: int = 1, extra: JsonObject | None = None) -> Call:
    """The rules bound to a match that cannot be."""

    def call(*_: object) -> object:
        info, named = find_game(game), tuple(map(Seat, seats))
        board = info.default_extra(named) if extra is None else extra
        return info.rules(Setup(named, info.resolve_options("default", {}), board, version))

    return call


class _Lying(Packets):
    """What a seat reads if the host sealed it something else."""

    def __init__(self, change: Callable[[JsonObject], None]) -> None:
        super().__init__()
        self._change = change

    def open(self, identity: Identity, game: bytes, seq: int, seat: Seat, packet: JsonObject) -> JsonObject:
        body = super().open(identity, game, seq, seat, packet)
        self._change(body)
        return body


def _lied(change: Callable[[JsonObject], None]) -> Call:
    return lambda *_: SeatView(running().copy(), running().people[ANNA], ANNA, _Lying(change)).own


def _fewer(body: JsonObject) -> None:
    body["draws"] = body["draws"][1:]


def _other_card(body: JsonObject) -> None:
    for draw in body["draws"]:
        draw["card"] = "hideout"


def _not_held(*_: object) -> object:
    """A seat that has played a card of which it remembers nothing."""
    world = begun()
    while not any(
        event["event"] == "discarded" for step in world.head.body.get("steps", ()) for event in step["events"]
    ):
        assert world.move()
    seat = next(Seat(step["seat"]) for step in world.head.body["steps"])
    view = SeatView(world.copy(), world.people[seat], seat)
    assert view.epoch is not None
    before = view.epoch.results[-2]
    which = (view.identity.seal_public, world.record.game, seat)
    view.packets.learned[which] = (
        len(view.epoch.results) - 1,
        before.hash,
        world.record.rules.knowledge(seat),
    )
    return view.own


def _other_move(_: Stage, folder: Path) -> object:
    """Burt draws and seals a discard; the host discards another card for him, and he would sign on top of it."""
    world = World("wyatt-earp", SEATS[:2])
    liar = Liar(world.host, world.record.lines[0])
    world.record = Record.begin(world.lines[0], liar)
    world.start()
    while seat_asked(world) == "anna":
        assert world.move()
    client = sit_down(world, "burt", folder / "burt")
    mine, other = sorted(set(client.view.view_json["hands"]["burt"]))[:2]
    signed = client.turn([{"do": "draw", "from": "supply"}, {"do": "discard", "card": mine}])
    liar.actions[BURT, signed.n] = [{"do": "discard", "card": other}]
    accepted(world.send(signed.raw))
    return sit_down(world, "burt", folder / "burt").turn(say="Hm")


_RULE: Final = {"when": "react", "do": {"do": "react", "with": "pass"}}


def _big(world: World) -> str:
    part = {"commit": zeros(), "ct": "A" * 400_000, "own": "A" * 400_000}
    return over_budget(world.record.ledger, {"seat": "anna", "actions": [], "sealed": part}, result=True)


REFUSALS: Final[dict[str, dict[str, Call]]] = {
    "refusals": {
        "a private message to nobody": _told(
            running, lambda w: tell_fault(w.record.ledger, {"tell": [{"to": "zoe"}]})
        ),
        "a reaction to the future": _told(
            running,
            lambda w: gesture_fault(
                w.record.ledger, {"seat": "anna", "seen": {"seq": 3}, "react": [{"to": 5}]}
            ),
        ),
        "two reactions to one record": _told(
            running,
            lambda w: gesture_fault(
                w.record.ledger, {"seat": "anna", "seen": {"seq": 3}, "react": [{"to": 2}, {"to": 2}]}
            ),
        ),
        "a nudge of oneself": _told(
            running,
            lambda w: gesture_fault(w.record.ledger, {"seat": "anna", "seen": {"seq": 3}, "nudge": "anna"}),
        ),
        "a replacement player's first file": _told(
            running, lambda w: newcomer_fault(w.record.ledger, {"n": 0})
        ),
        "a file that is there already": _told(
            running,
            lambda w: newcomer_fault(w.record.ledger, last_file(w)),
        ),
        "one key for both": _told(
            running,
            lambda w: key_fault(w.record.ledger, ANNA, twofold_key()),
        ),
        "the host's key": _told(running, lambda w: key_fault(w.record.ledger, ANNA, keys_of(w.host))),
        "somebody else's key": _told(
            running, lambda w: key_fault(w.record.ledger, ANNA, keys_of(w.people[BURT]))
        ),
        "a deal that is not announced": _told(
            running, lambda w: link_fault(w.record.ledger, ANNA, {"epoch": 9, "value": zeros()}, 9)
        ),
        "a deal that was not seen": _told(
            announced, lambda w: link_fault(w.record.ledger, ANNA, {"epoch": 1, "value": zeros()}, 0)
        ),
        "a deal without that seat": _told(
            announced, lambda w: link_fault(w.record.ledger, Seat("dora"), {"epoch": 1, "value": zeros()}, 9)
        ),
        "another part of the shuffle": _other_part,
        "no part of the shuffle so early": _told(announced, _no_chain),
        "a number far ahead": lambda *_: number_ahead(1, 99_999_999),
        "more than a seat may write": _told(running, lambda w: too_many(w.record.ledger, ANNA, 0)),
        "more than a seat may seal": _told(running, _big),
        "agreeing to more than there is": _told(
            running,
            lambda w: why_not(w.record.ledger, {"kind": "pause", "seat": "anna"}, AGREEMENTS["pause"]),
        ),
        "a deal voided for nobody who is back": _told(
            running, lambda w: _return_fault(w.record.ledger, 2, (ANNA,))
        ),
        "agreeing to nothing": _told(running, lambda w: why_not(w.record.ledger, {"kind": "tea"}, None)),
        "a clock behind": lambda *_: clock_jumped("2026-11-23T18:00:00Z", "2026-11-22T18:00:00Z", 24),
        "a clock far ahead": lambda *_: clock_jumped("2026-11-21T18:00:00Z", "2026-11-23T18:00:00Z", 24),
        "away backwards": _judged(
            running,
            _consent(
                "anna",
                **{
                    "kind": "absence",
                    "seat": "anna",
                    "from": "2026-12-02T00:00:00Z",
                    "until": "2026-12-01T00:00:00Z",
                },
            ),
        ),
        "away for years": _judged(
            running,
            _consent(
                "anna",
                **{
                    "kind": "absence",
                    "seat": "anna",
                    "from": "2026-12-02T00:00:00Z",
                    "until": "2029-12-01T00:00:00Z",
                },
            ),
        ),
        "a pause in a pause": _judged(paused, _consent("anna", kind="pause")),
        "an end of no pause": _judged(running, _consent("anna", kind="resume")),
        "resigned twice": _judged(resigned, _consent("curt", kind="resign", seat="curt")),
        "a turn in a pause": _judged(paused, lambda w: w.move_file(seat_asked(w))),
        "a turn before the deal": _judged(
            announced, lambda w: w.turn_file("anna", {"do": "draw", "from": "supply"})
        ),
        "a turn after the end": _judged(over, lambda w: w.turn_file("anna", say="Good night")),
        "a turn by a stale copy": _stale,
        "a join with a number": _judged(made, lambda w: w.join_file("anna", n=3)),
        "a seat that is taken": _judged(running, lambda w: w.join_file("anna", key_of("zoe"), name="Zoe")),
        "a seat that nobody has": _judged(
            made,
            _ready_by_nobody,
        ),
        "the host's own word": _judged(running, _rejected),
        "a name like another": _judged(announced_alone, lambda w: w.join_file("burt", name="Anna")),
        "a new key before Ready": _judged(
            announced, lambda w: w.rekey_file("anna", w.people[ANNA].sign_key, key_of("new"))
        ),
        "the recovery key of now": _told(
            announced,
            lambda w: recovery_fault(
                w.record.ledger,
                {"seat": "anna", "recovery": b64(recovery_hash(key_of("anna paper").sign_public))},
            ),
        ),
        "a recovery key that was claimed twice": _frozen,
        "a secret in clear": _judged(running, _openly_secret),
    },
    "acts of a host": {
        "the host's seat again": _hosts_own,
        "a seat that has resigned again": _told(
            resigned, lambda w: retake_fault(w.record.as_of(w.now).ledger, CURT)
        ),
        "a seat that has made a turn again": _after_a_turn,
        "a seat five times": _five_times,
        "a join with a number": _told(
            announced, lambda w: join_fault(w.record.ledger, w.join_file("anna", n=3)["body"])
        ),
        "a join that is there": _told(
            announced, lambda w: join_fault(w.record.ledger, w.record.lines[1].messages[0]["body"])
        ),
        "a join with the same key": _told(
            announced, lambda w: join_fault(w.record.ledger, w.join_file("anna", name="Annie")["body"])
        ),
        "giving a match away before all have joined": lambda *_: _retired(made()),
        "giving it away twice": lambda *_: _retired(given()),
        "a host with a player's key": _told(
            running, lambda w: host_fault(w.record.ledger, keys_of(w.people[ANNA]))
        ),
        "an objection to something else": _told(
            given, lambda w: named_fault(w.record.ledger, {"to": w.record.lines[0].reference})
        ),
        "a new host who has not signed": _told(
            running,
            lambda w: accept_fault(
                w.record.ledger, offer_body(w.record.game, keys_of(key_of("helga"))), b64(bytes(64))
            ),
        ),
        "an offer for another match": _other_offer,
        "handing over what nobody gives": lambda *_: hand_over(
            running().record, running().host, {}, (), running().now
        ),
        "a match that has gone nobody knows where": _gone_silently,
        "handing over to who owes a part of the shuffle": _owing_host,
        "handing over too early": lambda *_: hand_over(given().record, given().host, {}, (), given().now),
        "staying with what nobody gives": lambda *_: stay(running().record, running().host, running().now),
        "a match that has gone": lambda *_: gone_from(gone()[0].record.ledger, gone()[2].sign_public),
        "a file for the host before": lambda *_: sealed_to_another(
            gone()[0].record.ledger, gone()[1]["body"]
        ),
        "back to the beginning": _told(
            running, lambda w: rewind_fault(w.record.ledger, w.record.lines[0].reference)
        ),
        "back behind what was shown": _second_result,
        "back behind a hand": _told(closed, lambda w: rewind_fault(w.record.ledger, last_result(w))),
        "no deal to void": lambda *_: burn(made().record, made().host, made().now),
        "another deal": _told(running, lambda w: burn_fault(w.record.ledger, 9, (ANNA,), w.now)),
        "the first deal": _told(announced, lambda w: burn_fault(w.record.ledger, 1, (ANNA,), w.now)),
        "a part that is not missing": _told(
            running, lambda w: burn_fault(w.record.ledger, 2, (Seat("dora"),), w.now)
        ),
        "nobody is left": _voided_for_all,
        "no timeout moves": _waiting_for_good,
        "a timeout move of somebody else": lambda *_: perform_default(
            running().record, running().host, CURT if seat_asked(running()) != "curt" else BURT, running().now
        ),
        "nothing to seal again": lambda *_: reseal(made().record, made().host, ANNA, made().now),
        "two proposals about one seat": _told(proposed, lambda w: open_proposal_fault(w.record.ledger, CURT)),
        "a proposal that is held": lambda *_: carry_out(
            proposed().record, proposed().host, CURT, proposed().now, proposed().newcomer("curt", "dora")
        ),
        "a replacement player for somebody else": lambda *_: carry_out(
            proposed().record,
            proposed().host,
            CURT,
            proposed().later(999),
            proposed().newcomer("burt", "dora"),
        ),
        "no replacement player": lambda *_: carry_out(
            proposed().record, proposed().host, CURT, proposed().later(999)
        ),
        "a resignation that is held": _held_resignation,
        "an agreement from before": _agreed_before,
        "a new player before the first deal": _judged(
            announced,
            lambda w: w.consent("anna", w.substitute_what("curt", "dora")),
        ),
        "a join without a number": _wrong_newcomer,
        "a seat called like the table": lambda *_: create_match(
            MatchPlan("wyatt-earp", ["table", "anna"]), key_of("host"), bytes(16), "2026-11-23T18:00:00Z"
        ),
        "nothing proposed": lambda *_: withdraw(running().record, running().host, CURT, running().now),
        "days in another order": _deadlines(days=["sun", "mon"]),
        "a day that ends before it begins": _deadlines(**{"from": "21:00", "to": "09:00"}),
        "offsets in another order": _deadlines(
            offsets=[
                {"since": "2026-11-23T18:00:00Z", "minutes": 60},
                {"since": "2026-11-22T18:00:00Z", "minutes": 0},
            ]
        ),
        "an excuse where nothing is due": lambda *_: Deadlines.from_json(
            {**Deadlines().to_json(), "then": "wait", "excused": 1}
        ),
    },
    "what a player signs": {
        "Ready with another identity": _told(
            announced, lambda w: str(compose_ready(w.copy(), key_of("other"), ANNA, 9))
        ),
        "nothing to be ready for": _ready_for_nothing,
        "a channel that is none": lambda *_: channel_address("nowhere"),
        "no records to check": lambda *_: str(holding(()).fault),
        "too few seats for Way Out West": _set_up("way-out-west", ("anna",)),
        "rules of tomorrow": _set_up("way-out-west", SEATS, version=99),
        "no board": _set_up("way-out-west", SEATS, extra={}),
        "too many seats for Wyatt Earp": _set_up("wyatt-earp", (*SEATS, "dora", "emil")),
        "rules of tomorrow in Wyatt Earp": _set_up("wyatt-earp", SEATS, version=99),
        "a dealer from elsewhere": _set_up("wyatt-earp", SEATS, extra={"dealer": "zoe"}),
        "a turn with another identity": lambda *_: compose_turn(
            announced().copy(),
            key_of("other"),
            ANNA,
            9,
            actions=[{"do": "draw", "from": "supply"}],
            salt=lambda: bytes(16),
        ),
        "orders that are too long": lambda *_: running().compose("anna", orders={"rules": [_RULE] * 64}),
        "fewer draws than the record has": _lied(_fewer),
        "another card than the committed one": _lied(_other_card),
        "a packet for somebody else": lambda *_: SeatView(running().copy(), running().people[BURT], ANNA).own,
        "a card that was never held": _not_held,
        "another move than was sealed": _other_move,
        "no seat": lambda *_: seat_of(running().copy(), key_of("other")),
    },
}
