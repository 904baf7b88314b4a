"""Late in a match against early in it: rulings, emails, standing and status at turn 10, 100 and 1,000 of one hand."""

from __future__ import annotations

import time
from collections.abc import Callable

from pbem.game import JsonObject, Seat
from pbem.host.status import status_of
from pbem.protocol.formats.messages import build_turn
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.referee import Accepted, receive
from tests.bench.measure import interleaved, line, ratio_line
from tests.letters.batch import letters_for
from tests.world import World, top_of

REPEAT = 20
TURNS = (10, 100, 1_000)


def turn_of(world: World) -> JsonObject:
    """The next turn of a hand without end: the top of the discard is taken and laid back, nothing is sealed."""
    waiting = world.record.waiting
    assert waiting is not None
    seat = Seat(waiting["seat"])
    actions: list[JsonObject] = [
        {"do": "draw", "from": "discard"},
        {"do": "discard", "card": top_of(world)},
    ]
    n, record = world.number(seat), world.record
    return build_turn(world.people[seat], record.game, seat, n, record.head.seen, actions=actions)


def endless(turns: int) -> World:
    """A match of two that has so many turns in its first hand."""
    world = World("wyatt-earp", ("anna", "burt"), seed="endless").start()
    world.turn("anna", say="the link goes along", leave_orders=True)
    world.turn("burt", say="and mine", leave_orders=True)
    for _ in range(turns):
        assert isinstance(world.send(turn_of(world)), Accepted)
    return world


def main() -> None:
    """Print what each costs late in the match, over what it costs early in it."""
    kept = {turns: endless(turns) for turns in TURNS}
    files = {turns: canon(turn_of(world)) for turns, world in kept.items()}

    def ruling(turns: int) -> None:
        assert isinstance(
            receive(kept[turns].record, kept[turns].host, files[turns], kept[turns].now), Accepted
        )

    def letters(turns: int) -> None:
        record = kept[turns].record
        letters_for(record, record.head.seq, record.head.seq, Seat("anna"), pictures=False)

    def standing(turns: int) -> None:
        record = kept[turns].record
        assert record.as_of(kept[turns].now).standing is not None

    def status(turns: int) -> None:
        status_of(kept[turns].record, kept[turns].now)

    print("growth: late in a match against early in it (one hand without an end, processor time)")
    works: dict[str, Callable[[int], None]] = {
        "ruling": ruling,
        "letters": letters,
        "standing": standing,
        "status": status,
    }
    for name, work in works.items():
        parts = {f"turn {turns:,}": _repeated(work, turns) for turns in TURNS}
        times = interleaved(parts, rounds=15, clock=time.process_time)
        line(
            f"{name} at turn 10",
            f"{times['turn 10'].median / REPEAT * 1e6:8.0f} µs   spread {times['turn 10'].spread:.0%}",
        )
        for turns in TURNS[1:]:
            ratio_line(f"{name}: turn {turns:,} / turn 10", times, f"turn {turns:,}", "turn 10", 1.05)


def _repeated(work: Callable[[int], None], turns: int) -> Callable[[], object]:
    def repeated() -> None:
        for _ in range(REPEAT):
            work(turns)

    return repeated
