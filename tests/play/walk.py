"""Random positions of whole matches, through the referee's own ``Play``, with fast chance.

The leaves of the decks are not committed to: what is tested here is which actions the referee accepts.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from pbem.game import Chance, Decision, JsonObject, Seat, Setup, Terminal
from pbem.games import find_game
from pbem.protocol.record.play import CommittedDeck, FileAction, Happened, Play, Table

SEATS = ("anna", "burt", "curt", "dora", "emil")


@dataclass
class QuickChance:
    """Shuffles and dice from a seeded generator, without commitments."""

    rng: random.Random

    def shuffle(self, deck: str, gen: int, cards: tuple[str, ...]) -> CommittedDeck:  # noqa: ARG002
        """A random order; salts and leaves are empty."""
        order = list(range(len(cards)))
        self.rng.shuffle(order)
        blank = (b"",) * len(cards)
        return CommittedDeck(tuple(order), tuple(cards[i] for i in order), tuple(order), blank, blank)

    def roll(self, tape: str, j: int, sides: int) -> tuple[int, bytes]:  # noqa: ARG002
        """A random die."""
        return self.rng.randint(1, sides), b""


def begin(game: str, seats: int, rng: random.Random, profile: str = "default", **options: object) -> Table:
    """A table before its first epoch."""
    entry = find_game(game)
    names = tuple(Seat(seat) for seat in SEATS[:seats])
    setup = Setup(names, entry.resolve_options(profile, dict(options)), entry.default_extra(names))
    return forward(Table.fresh(entry.rules(setup)), rng)


def forward(table: Table, rng: random.Random) -> Table:
    """Open epochs until somebody is asked or the match is over."""
    while not isinstance(table.node, Terminal) and (table.epoch_over or isinstance(table.node, Chance)):
        if table.epoch_over:
            table = table.with_epoch(table.epoch + 1, QuickChance(rng))
        table = table.settle(Happened())
    return table


def filed(table: Table, seat: Seat, actions: list[FileAction]) -> Play:
    """What the referee makes of these actions in one file."""
    play = Play(table, {})
    play.file(seat, actions)
    return play


def pick(rng: random.Random, actions: list[JsonObject]) -> JsonObject:
    """An action, each kind as likely as any other."""
    kinds = sorted({action["do"] for action in actions})
    kind = rng.choice(kinds)
    return rng.choice([action for action in actions if action["do"] == kind])


def positions(
    game: str, seats: int, seed: int, profile: str = "default", **options: object
) -> Iterator[tuple[Table, Seat]]:
    """The decisions of one match, each with the table and the seat that is asked."""
    rng = random.Random(seed)
    table = begin(game, seats, rng, profile, **options)
    rules = table.rules
    while isinstance(node := table.node, Decision):
        yield table, node.seat
        legal = [
            rules.action_to_json(action)
            for action in rules.legal_actions(rules.observe(table.state, node.seat))
        ]
        action = pick(rng, legal)
        if rng.random() < 0.4:
            action = rules.action_to_json(rules.suggest(rules.observe(table.state, node.seat)))
        table = forward(filed(table, node.seat, [FileAction("file", action)]).table, rng)
