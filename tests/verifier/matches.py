"""Matches to verify: both games, every way to play on, and every kind of record that people agree to."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from pbem.game import JsonObject, Seat
from pbem.protocol.crypto.digest import sha
from pbem.protocol.crypto.identity import Identity, recovery_key
from pbem.protocol.draws import LENGTH, chain, seat_label
from pbem.protocol.formats.messages import build_rekey
from pbem.protocol.record.deadlines import plus_hours
from pbem.protocol.referee import burn, end_early, extend, perform_default, reseal, withdraw
from tests.world import World, accepted, secret

THREE = ("anna", "burt", "curt")
DRAW: JsonObject = {"do": "draw", "from": "supply"}


def _played(game: str, seats: tuple[str, ...], limit: int = 100_000, **more: object) -> World:
    return World(game, seats, **more).start().play(limit)  # type: ignore[arg-type]


def _agree(world: World, terms: JsonObject, *seats: str) -> None:
    files = [world.consent(seat, terms) for seat in seats]
    for number, file in enumerate(files):
        ruling = world.send(file, files[:number])
    accepted(ruling)


def _absent() -> World:
    """Curt never answers: defaults, one burn, and a match that goes on; an extension; anna's orders answer."""
    world = World("wyatt-earp", THREE, seed="absent").start()
    world.take(extend(world.record, world.host, Seat("anna"), "2026-12-24T00:00:00Z", world.now))
    orders = {"rules": [{"when": "draw", "do": DRAW}]}
    accepted(world.turn("anna", orders=orders))
    for _ in range(70):
        waiting = world.record.waiting
        if waiting is None:
            missing = world.record.missing_links
            if not missing:
                break
            accepted(world.ready(missing[0]))
        elif waiting["seat"] == "curt":
            world.tick(0 if "curt" in world.record.ledger.silent else 96)
            world.take(perform_default(world.record, world.host, Seat("curt"), world.now))
        else:
            world.move()
    return world


def _rekeyed(world: World, seat: str, new: Identity, key: object) -> None:
    anchor = chain(seat_label(seat), world.record.game, new.chain_seed(world.record.game))[0]
    head = world.head.seen
    game, n = world.record.game, world.number(seat)
    file = build_rekey(key, game, seat, n, head, new=new, anchor=anchor, length=LENGTH)  # type: ignore[arg-type]
    accepted(world.send(file))
    world.people[Seat(seat)] = new


PAPER = recovery_key(secret("burt's paper"))
"""Burt's recovery key in the matches that use it."""


def _agreed(*, rewound: bool) -> World:
    """Pause, absence, rekey by both keys, a substitute, a reseal, a rewind, and an early end by consent."""
    world = World("wyatt-earp", THREE, seed="agreed")
    for seat in THREE:
        more = {"recovery": sha(PAPER.public)} if seat == "burt" else {}
        accepted(world.join(seat, **more))
    for seat in THREE:
        accepted(world.ready(seat))
    span = {"from": "2026-11-21T00:00:00Z", "until": "2026-12-01T00:00:00Z"}
    _agree(world, {"kind": "absence", "seat": "anna", **span}, "anna")
    accepted(world.turn("anna", DRAW))
    for seat in ("burt", "curt"):  # their links, while they still have the keys of their first chains
        accepted(world.ready(seat))
    _agree(world, {"kind": "pause", "until": "2027-01-03T00:00:00Z"}, *THREE)
    world.tick(48)
    _agree(world, world.pause(0), *THREE)
    _rekeyed(world, "anna", Identity(secret("anna's new keys")), world.people[Seat("anna")].sign_key)
    _rekeyed(world, "burt", Identity(secret("burt's new keys")), PAPER)
    world.take(reseal(world.record, world.host, Seat("anna"), world.now))
    if rewound:
        _rewind(world)
    _agree(world, world.substitute_terms("curt", "dora"), "anna", "burt")
    dora = world.newcomer("curt", "dora", 9)
    world.carry_out("curt", dora)
    world.people[Seat("curt")], world.numbers[Seat("curt")] = Identity(secret("dora agreed")), 9
    while not any(line.kind == "close" for line in world.record.lines):
        world.move()
    accepted(world.send(world.consent("burt", {"kind": "resign", "seat": "burt"}, PAPER)))
    ending: JsonObject = {"kind": "end", "why": "it is late"}
    files = [world.consent(seat, ending) for seat in THREE]
    world.take(end_early(world.record, world.host, "it is late", files, world.now))
    return world


def _early() -> World:
    """Anna has new keys before the first card is dealt: a packet that holds nothing."""
    world = World("wyatt-earp", THREE[:2], seed="early")
    for seat in world.seats:
        accepted(world.join(seat))
    accepted(world.ready("anna"))
    _rekeyed(world, "anna", Identity(secret("anna's early keys")), world.people[Seat("anna")].sign_key)
    return world


def _lost() -> World:
    """Curt loses both keys before he gave his link: the others agree to new ones, the epoch is burned, all play on.

    A proposal for Burt's seat was withdrawn before, and one for Anna's undone by a word of hers.
    """
    world = World("wyatt-earp", THREE, seed="lost").start()
    accepted(world.turn("anna", DRAW))
    accepted(world.ready("burt"))
    _agree(world, world.substitute_terms("burt", "dora"), "anna", "curt")
    world.take(withdraw(world.record, world.host, Seat("burt"), world.now))
    _agree(world, world.new_keys("anna", Identity(secret("anna's thief"))), "burt", "curt")
    accepted(world.turn("anna", say="I am here"))
    new = Identity(secret("curt's new keys"))
    _agree(world, world.new_keys("curt", new), "anna", "burt")
    _agree(world, {"kind": "pause", "until": plus_hours(world.now, 50)}, *THREE[:2], "curt")
    _agree(world, world.new_keys("curt", new), "anna", "burt")
    world.carry_out("curt")
    world.people[Seat("curt")] = new
    world.tick(96)
    world.take(burn(world.record, world.host, world.now))
    while not any(line.kind == "close" for line in world.record.lines):
        world.move()
    return world


def _at_the_end() -> World:
    """All seeds are revealed at the end, which comes early."""
    world = World("way-out-west", THREE, reveal="match", seed="whole").start().play(30)
    _agree(world, {"kind": "end", "why": "it is late"}, *THREE)
    return world


def _sealed() -> World:
    """Files with open and sealed actions, one stopped, its packet sealed again; talk with a sealed list never used."""
    world = World("wyatt-earp", THREE[:2], seed="sealed").start()
    accepted(world.turn("burt", say="well?"))
    for _ in range(2):
        for seat in world.seats:
            hand = world.view(seat).view_json["hands"][seat]
            accepted(world.turn(seat, DRAW, {"do": "discard", "card": hand[0]}, say="and on"))
    accepted(world.turn("anna", DRAW, {"do": "lay", "outlaw": "bob-dalton", "count": 7}))
    world.take(reseal(world.record, world.host, Seat("anna"), world.now))
    while not any(line.kind == "close" for line in world.record.lines):
        world.move()
    return world


MOST = 100
"""Moves of one turn of the game, if it ends at all."""
IDLE: JsonObject = {
    "rules": [{"when": "bid", "do": {"do": "bid", "up_to": 0}}, {"when": "actions", "do": {"do": "pass"}}]
}
"""Orders of Way Out West for a whole turn in which nothing is done."""


def by_orders(reveal: str = "epoch") -> World:
    """Everybody's orders play a whole turn of the game, at once when it begins: then all links are missing."""
    world = World("way-out-west", THREE, reveal=reveal, seed="by orders").start()
    for _ in range(MOST):
        if world.record.waiting is None:
            return world
        seat = world.record.waiting["seat"]
        placed = world.record.rules.suggest(world.view(seat).view)
        accepted(world.turn(seat, world.record.rules.action_to_json(placed), orders=IDLE))
    raise AssertionError("the turn does not end")


def curt_idle(reveal: str) -> World:
    """Curt's standing orders alone have played a whole turn for him: he has not given his next link."""
    world = World("way-out-west", THREE, reveal=reveal, seed="curt sleeps").start()
    for _ in range(3 * len(THREE)):
        world.move()  # three counters each
    accepted(world.turn("curt", orders=IDLE))
    for _ in range(MOST):
        waiting = world.record.waiting
        if waiting is None:
            return world
        world.tick(1)
        if waiting["phase"] == "actions":
            accepted(world.turn(waiting["seat"], {"do": "pass"}))
        else:
            world.move()
    raise AssertionError("the turn does not end")


def _unclosed() -> World:
    """No seed is revealed when a turn ends; then curt's link is burned; all agree to end early."""
    world = curt_idle("match")
    world.tick(96)
    world.take(burn(world.record, world.host, world.now))
    for seat in THREE[:2]:
        accepted(world.ready(seat))
    _agree(world, {"kind": "end", "why": "curt sleeps"}, *THREE)
    return world


def _burned() -> World:
    """Two of three give no link between two epochs: anna plays on alone. Then she gives none, but burt is back."""
    world = by_orders()
    world.tick(96)
    accepted(world.ready("anna"))
    world.take(burn(world.record, world.host, world.now))
    accepted(world.ready("anna"))
    world.tick(96)
    accepted(world.turn("burt", say="Anna?"))
    accepted(world.ready("burt"))
    world.tick(96)
    world.take(burn(world.record, world.host, world.now))
    return world


def _rewind(world: World) -> None:
    """Anna takes a discard back, with everybody's consent, and plays on."""
    target = max((line for line in world.record.lines if "steps" in line.body), key=lambda line: line.seq)
    hand = world.view("anna").view_json["hands"]["anna"]
    accepted(world.turn("anna", {"do": "discard", "card": hand[0]}))
    _agree(world, {"kind": "rewind", "to": target.reference}, *THREE)


MATCHES: dict[str, Callable[[], World]] = {
    "wyatt-earp-3": lambda: _played("wyatt-earp", THREE),
    "wyatt-earp-2": lambda: _played("wyatt-earp", THREE[:2], 60, seed="two"),
    "wyatt-earp-french": lambda: _played("wyatt-earp", THREE[:2], 200, profile="french", seed="a"),
    "wyatt-earp-italian": lambda: _played("wyatt-earp", (*THREE, "dora"), 90, profile="italian", seed="a"),
    "wyatt-earp-review": lambda: _played("wyatt-earp", (*THREE, "dora"), 120, profile="review", seed="r"),
    "wyatt-earp-fresh": lambda: _played("wyatt-earp", THREE[:2], options={"duel_deck": "fresh_78"}, seed="e"),
    "wyatt-earp-match": lambda: _played("wyatt-earp", THREE, reveal="match", seed="m"),
    "wyatt-earp-absent": _absent,
    "wyatt-earp-agreed": lambda: _agreed(rewound=False),
    "wyatt-earp-early": _early,
    "wyatt-earp-lost": _lost,
    "wyatt-earp-sealed": _sealed,
    "way-out-west-whole": _at_the_end,
    "wyatt-earp-rewound": lambda: _agreed(rewound=True),
    "way-out-west-3": lambda: _played("way-out-west", THREE),
    "way-out-west-short": lambda: _played("way-out-west", THREE, 40),
    "way-out-west-burned": _burned,
    "way-out-west-unclosed": _unclosed,
    "way-out-west-hidden": lambda: _played("way-out-west", THREE, 80, options={"money_public": False}),
}
"""Every match by name; made when asked for."""


@cache
def match(name: str) -> World:
    """The match of this name, played once."""
    return MATCHES[name]()
