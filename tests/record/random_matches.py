"""Random complete matches through real turn files: every card and every dollar accounted for, replayed from the file.

``python -m tests.record.random_matches 1000`` plays that many of Wyatt Earp, all player numbers and profiles in turn,
with random legal actions; after every step the cards and the money must add up, and at the end the file, read by
a stranger, must lead to the same state.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from typing import Any

from pbem.game import JsonObject
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import ClosedOpenings, HostOpenings, Record
from tests.world import NAMES, World, accepted

PROFILES = ("default", "french", "italian", "review")
DECK = 78


def cards_of(position: JsonObject) -> int:
    """All cards of a position: hands, supply, discard, territories."""
    lying = sum(
        group.get("outlaws", 0)
        + bool(group.get("photo"))
        + group.get("bank-robbery", 0)
        + group.get("stagecoach-robbery", 0)
        + group.get("fastest-gun", 0)
        + bool(group.get("hideout"))
        for groups in position["territories"].values()
        for group in groups.values()
    )
    hands = sum(map(len, position["hands"].values()))
    return int(hands + len(position["supply"]) + len(position["discard"]) + lying)


def money_of(position: JsonObject) -> int:
    """All money outside the bank."""
    return int(sum(position["posters"].values()) + sum(position["money"].values()))


class Purse:
    """What the bank must have paid out, shown by the events alone."""

    def __init__(self) -> None:
        self.paid = 7000

    def follow(self, events: list[JsonObject]) -> None:
        """Take a step's events: rewards as they come, and what H2 adds to the posters of a new hand."""
        for event in events:
            self.paid += event.get("reward", 0)
            if event["event"] == "hand-started" and event["hand"] > 1:
                self.paid += 7000


def random_match(number: int) -> World:
    """One random match, checked after every record."""
    rng = random.Random(number)
    seats, profile = NAMES[: 2 + number % 3], PROFILES[number // 3 % 4]
    world = World("wyatt-earp", seats, profile=profile, seed=f"random {number}").start()
    purse = Purse()
    followed = 0
    while True:
        for line in world.record.lines[followed:]:
            for step in line.body.get("steps", ()):
                purse.follow(step["events"])
        followed = len(world.record.lines)
        check(world, purse)
        if world.record.over:
            return world
        if world.record.waiting is None:
            accepted(world.ready(world.record.missing_links[0]))
            continue
        rules: Any = world.record.rules
        legal = rules.legal(world.record.table.state)
        send(world, world.record.waiting["seat"], rules.action_to_json(rng.choice(legal)))


def send(world: World, name: str, action: JsonObject) -> None:
    """One turn with one action."""
    accepted(world.send(canon(world.turn_file(name, action))))


def check(world: World, purse: Purse) -> None:
    """Every card is somewhere, and so is every dollar."""
    position = world.record.rules.position_to_json(world.record.table.state)
    assert cards_of(position) == DECK, cards_of(position)
    assert money_of(position) == purse.paid, (money_of(position), purse.paid)


def replayed(world: World) -> None:
    """A stranger with the file alone, and the host with their secret, arrive at the same state."""
    lines = world.lines
    stranger = Record.load(lines, ClosedOpenings(line.body for line in world.record.lines))
    host = Record.load(lines, HostOpenings(world.host, world.record.lines[0]))
    assert stranger.table.state == host.table.state == world.record.table.state


def main(count: int, first: int) -> None:
    totals: Counter[str] = Counter()
    for number in range(first, first + count):
        world = random_match(number)
        replayed(world)
        totals["matches"] += 1
        totals["records"] += len(world.record.lines)
        totals[f"{len(world.seats)} seats"] += 1
        totals[world.profile] += 1
        if totals["matches"] % 50 == 0:
            print(dict(totals), flush=True)
    print(f"{totals['matches']} random matches ended, added up and replayed: {dict(totals)}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, int(sys.argv[2]) if len(sys.argv) > 2 else 0)
