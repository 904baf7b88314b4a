"""What a player cannot sign or be dealt, and why: each reason once, from matches in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from pbem.game import JsonObject, Seat, Setup
from pbem.games import find_game
from pbem.protocol.audit.audit import holding
from pbem.protocol.client import Packets, SeatView, compose_ready, compose_turn, read_webhook
from pbem.protocol.client.seat_view import seat_of
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.record import Record
from tests.errors.calls import Call
from tests.errors.matches import ANNA, BURT, SEATS, announced, begun, fault_in, key_of, running, seat_asked
from tests.errors.stage import Stage
from tests.ordering.test_attacks import Liar
from tests.ordering.test_owner import sit_down
from tests.world import World, accepted


def _ready_for_nothing(*_: object) -> object:
    """Whose part of the next deal came with the turn presses Ready."""
    world = begun()
    asked = Seat(seat_asked(world))
    world.move()
    return compose_ready(world.copy(), world.people[asked], asked, 9)


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


SIGNING: Final[dict[str, dict[str, Call]]] = {
    "what a player signs": {
        "Ready with another identity": fault_in(
            announced, lambda w: str(compose_ready(w.copy(), key_of("other"), ANNA, 9))
        ),
        "nothing to be ready for": _ready_for_nothing,
        "a webhook that is none": lambda *_: read_webhook("nowhere"),
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
