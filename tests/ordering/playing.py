"""Whole matches in which everybody gives orders: the demo's players over the real referee."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pbem.game import JsonObject, Seat
from pbem.host.demo import choose_actions, choose_orders
from pbem.player.seat.orders import left_unused, running_turn
from tests.world import World, accepted

THREE = ("anna", "burt", "curt")


@dataclass
class Ordered:
    """A match, and everybody's own copies of their orders by the number of their file."""

    world: World
    copies: dict[Seat, dict[int, JsonObject]] = field(default_factory=dict)
    files: int = 0

    def move(self, record_limit: int = 1 << 30) -> bool:
        """One file of whoever is awaited; False when nobody is."""
        world = self.world
        if world.record.over or len(world.record.lines) > record_limit:
            return False
        self.files += 1
        waiting = world.record.waiting
        if waiting is None:
            accepted(world.ready(world.record.missing_links[0]))
            return True
        seat = Seat(waiting["seat"])
        rules, view = world.record.rules, world.view(seat).view
        chosen = choose_actions(rules, view, seat)
        orders = choose_orders(rules, chosen.view, running_turn(world.record) or {})
        assert orders is not None
        self.give(seat, chosen.actions, orders)
        return True

    def give(self, seat: str, actions: Sequence[JsonObject], orders: JsonObject) -> None:
        """Send a turn with orders, and keep a copy of them."""
        accepted(self.world.turn(seat, *actions, orders=orders))
        self.copies.setdefault(Seat(seat), {})[self.world.numbers[Seat(seat)]] = orders

    def play(self, limit: int = 100_000) -> Ordered:
        """Play on."""
        for _ in range(limit):
            if not self.move():
                break
        return self

    def left_unused(self, seat: str) -> str:
        """What ``pbem show`` says now that the own orders should have answered."""
        part = self.world.record.ledger.orders.get(Seat(seat))
        order = None if part is None else self.copies.get(Seat(seat), {}).get(part.n)
        return "" if order is None else left_unused(self.world.view(seat), order)


def ordered(game: str, seats: Sequence[str] = THREE, limit: int = 100_000, **more: object) -> Ordered:
    """A match with orders, played so far."""
    return Ordered(World(game, seats, **more).start()).play(limit)  # type: ignore[arg-type]
