"""Matches in which values are falsified: each as it stood before every file, for the host and for everybody else."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from dataclasses import field
from typing import Any

from pbem.base.values import dataclass
from pbem.game import JsonObject
from pbem.games import find_game
from pbem.protocol.record import Line, Record
from pbem.protocol.referee import Accepted
from tests.falsified.values import Path, leaves, member_of
from tests.world import NAMES, World

GAMES = ("wyatt-earp", "way-out-west")


@dataclass(frozen=True, slots=True)
class Table:
    """One kind of match: a row of the result."""

    row: str
    game: str
    options: JsonObject = field(default_factory=dict)
    random: bool = False


TABLES = (
    Table("Wyatt Earp, default options", "wyatt-earp"),
    Table("Way Out West, public money", "way-out-west"),
    Table("Wyatt Earp, search_public", "wyatt-earp", {"search_public": True}),
    Table("Wyatt Earp, random options", "wyatt-earp", random=True),
    Table("Way Out West, money_public=false", "way-out-west", {"money_public": False}),
    Table("Way Out West, random options", "way-out-west", random=True),
)


@dataclass(frozen=True, slots=True)
class Place:
    """A member of an event or view in a running hand."""

    moment: Moment
    line: Line
    path: Path
    """From the record's body on."""

    @property
    def member(self) -> str:
        """What is falsified, in words."""
        seats = self.moment.world.seats
        if self.path[0] == "public":
            return "view " + member_of(self.path[1:], seats)
        event: JsonObject = self.line.body["steps"][self.path[1]]["events"][self.path[3]]
        return f"event {event['event']}/" + member_of(self.path[4:], seats)


@dataclass(frozen=True, slots=True)
class Moment:
    """The match before a file: ``world`` is the host's, ``public`` everybody's."""

    world: World
    public: Record
    file: JsonObject
    lines: tuple[Line, ...]
    """The true result of the file."""

    def places(self) -> Iterator[Place]:
        """Everything that a host can falsify here."""
        for line in self.lines:
            if "steps" not in line.body:
                continue
            for path, _ in leaves(line.body["public"], ("public",)):
                yield Place(self, line, path)
            for at, step in enumerate(line.body["steps"]):
                for index, event in enumerate(step["events"]):
                    for path, _ in leaves(event, ("steps", at, "events", index)):
                        if path[-1] != "event":
                            yield Place(self, line, path)


class Player(World):
    """Plays sensibly, and now and then anything."""

    rng: random.Random

    def advice(self, seat: str) -> JsonObject:
        """Two of three actions are what the rules suggest."""
        rules = self.record.rules
        view = self.view(seat).view
        if self.rng.random() < 0.6:
            return rules.action_to_json(rules.suggest(view))
        return rules.action_to_json(self.rng.choice(rules.legal_actions(view)))


def twin(world: World, record: Record) -> Any:
    """The same people with another record."""
    twin = copy.copy(world)
    twin.record = record
    twin.numbers, twin.ordered, twin.files = dict(world.numbers), dict(world.ordered), []
    if isinstance(twin, Player):
        twin.rng = random.Random(len(record.lines))
    return twin


def options_of(table: Table, rng: random.Random) -> JsonObject:
    """The options of one match."""
    if not table.random:
        return table.options
    info = find_game(table.game).info
    kept = {"money_public": True, "search_public": False}
    return {key: kept.get(key, rng.choice(values)) for key, values in info.options.items() if key != "board"}


def played(table: Table, number: int, files: int) -> list[Moment]:
    """The moments of one match, of at most so many files."""
    rng = random.Random(f"{table.row} {number}")
    least = 2 if table.game == "wyatt-earp" else 3
    seats = NAMES[: least + number % 3]
    world = Player(table.game, seats, options=options_of(table, rng), seed=f"falsified {table.row} {number}")
    world.rng = rng
    world.start()
    public = Record.load(world.lines)
    moments = []
    for _ in range(files):
        before = twin(world, world.record)
        file = world.next_file()
        if file is None:
            break
        ruling = world.judge(file)
        if not isinstance(ruling, Accepted):
            break
        moments.append(Moment(before, public, file, tuple(ruling.lines)))
        world.take(ruling)
        public = public.fork()
        public.extend([line.raw for line in ruling.lines])
    return moments
