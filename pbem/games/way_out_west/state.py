"""The position of a match as values, and what follows from it by counting (schemas/way-out-west/position.schema.json).

Seats and towns are numbers here: seats clockwise from 0, towns from the lowest. ``Match`` knows their names.
Everything lies open on the table, so the position is also what every viewer sees (but see ``view``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias

from pbem.game import Seat, Words
from pbem.games.way_out_west.actions import AssetTarget, CattleTarget, FarmerTarget, Plan, Target
from pbem.games.way_out_west.board import ASSETS, Board, Box, BoxIndex, box_index
from pbem.games.way_out_west.options import Options

NOBODY: Final = -1
UNLIMITED: Final = 1_000
"""Counters in stock when ``counter_limit`` is off."""
TOKENS: Final = 2
"""A2, C1: black action tokens of a player in each turn."""
SETUP_COWBOYS: Final = 3
"""A6."""

Phase: TypeAlias = Literal["setup", "auction", "actions", "gunfight", "chance", "over"]
Side: TypeAlias = Literal["attack", "defence"]
Ask: TypeAlias = Literal["ask-sheriff", "lend-sheriff", "fire", "leave-town", "take-wanted"]
ASSET_NUMBER: Final[Mapping[str, int]] = {asset: at for at, asset in enumerate(ASSETS)}
BANK: Final = ASSET_NUMBER["bank"]
JAIL: Final = ASSET_NUMBER["jail"]
TRAIN: Final = ASSET_NUMBER["train"]
STAGECOACH: Final = ASSET_NUMBER["stagecoach"]


@dataclass(frozen=True)
class Match:
    """What stays the same for a whole match: seats, options, board."""

    seats: tuple[Seat, ...]
    options: Options
    board: Board
    seat_numbers: Mapping[str, int] = field(repr=False)
    everybody: tuple[int, ...] = field(repr=False)
    """All seats by number."""
    boxes: tuple[Box, ...] = field(repr=False)
    """The boxes of the board that exist with this number of players (C6)."""
    town_ids: tuple[str, ...] = field(repr=False)
    box_index: BoxIndex = field(repr=False)
    """What these boxes are for and cost."""
    corrals: tuple[int, ...] = field(repr=False)
    """Corral boxes of each town."""
    words: Words = field(repr=False)
    """The names that its schemas speak of."""

    @property
    def start_space(self) -> int:
        """The space that the turn marker starts on, by the number of seats (A8)."""
        return self.board.start_space[len(self.seats)]

    @property
    def start_cash(self) -> int:
        """Dollars that each seat starts with, by the number of seats (A3)."""
        return self.board.start_cash[len(self.seats)]

    def town_names(self, numbers: Iterable[int]) -> tuple[str, ...]:
        """Ids of towns given by number."""
        return tuple([self.town_ids[number] for number in numbers])

    def other_towns(self, town: int) -> tuple[int, ...]:
        """Every town but one, from the lowest."""
        return tuple(at for at in range(len(self.board.towns)) if at != town)


def make_match(seats: tuple[Seat, ...], options: Options, board: Board) -> Match:
    """Bind seats, options and board together."""
    index = box_index(board.boxes, len(seats))
    town_ids = tuple(town.id for town in board.towns)
    return Match(
        seats=seats,
        options=options,
        board=board,
        seat_numbers={seat: at for at, seat in enumerate(seats)},
        everybody=tuple(range(len(seats))),
        boxes=index.boxes,
        box_index=index,
        corrals=tuple(town.corrals for town in board.towns),
        town_ids=town_ids,
        words=(
            ("seat", seats),
            ("town", town_ids),
            ("box", tuple(box.id for box in board.boxes)),
        ),
    )


class Town(NamedTuple):
    """What lies in one town: counters by seat, the owner of each asset, whose farmer, the sheriff's health."""

    cowboys: tuple[int, ...]
    cattle: tuple[int, ...]
    assets: tuple[int, ...] = (NOBODY,) * len(ASSETS)
    farmer: int = NOBODY
    sheriff_down: bool = False

    @property
    def size(self) -> int:
        """Asset counters in the town, whoever owns them (row Q1)."""
        return len(self.assets) - self.assets.count(NOBODY)

    @property
    def corrals_taken(self) -> int:
        """Corral boxes that hold a cattle counter or a farmer (D2)."""
        return sum(self.cattle) + (self.farmer != NOBODY)

    def owner(self, asset: str) -> int:
        """Whose this asset is, or NOBODY."""
        return self.assets[ASSET_NUMBER[asset]]

    def holdings(self, seat: int) -> int:
        """How many assets the seat has here (F3)."""
        return self.assets.count(seat)

    def add_cowboys(self, seat: int, count: int) -> Town:
        """The town with so many cowboys more (or fewer) of a seat."""
        return self._replace(cowboys=added(self.cowboys, seat, count))

    def add_cattle(self, seat: int, count: int) -> Town:
        """The town with so many cattle more (or fewer) of a seat."""
        return self._replace(cattle=added(self.cattle, seat, count))

    def give(self, asset: str, owner: int) -> Town:
        """The town with the asset in other hands; a jail that changes has a fresh sheriff (K10)."""
        at = ASSET_NUMBER[asset]
        down = self.sheriff_down and asset != "jail"
        assets = (*self.assets[:at], owner, *self.assets[at + 1 :])
        return self._replace(assets=assets, sheriff_down=down)


def added(counts: tuple[int, ...], seat: int, count: int) -> tuple[int, ...]:
    """The counts with so many more of a seat."""
    changed = list(counts)
    changed[seat] += count
    return tuple(changed)


class Fight(NamedTuple):
    """A gunfight under way.

    ``attack`` and ``defence`` are present strengths. ``first`` is None until strengths are compared. ``defender``
    is NOBODY for a farmer. While dice are needed ``rolls`` says whose, and ``hits`` holds the attack's hits of a
    simultaneous round until the defence has rolled. ``left``: the defender's counters have left, the garrison
    fights on (``retreat_garrison=fights_on``).
    """

    town: int
    attacker: int
    defender: int
    target: Target
    attack: int
    defence: int
    sheriff: Side | None = None
    first: Side | Literal["both"] | None = None
    round: int = 0
    asks: Ask | None = None
    seat: int = NOBODY
    plan: Plan | None = None
    left: bool = False
    rolls: Side | Literal["robbery"] | None = None
    hits: int = 0

    def with_strengths(self, attack: int, defence: int) -> Fight:
        """The fight with other present strengths."""
        return self._replace(attack=attack, defence=defence)

    def asking(self, question: Ask, seat: int) -> Fight:
        """The fight while a seat is asked."""
        return self._replace(asks=question, seat=seat, rolls=None)

    def rolling(self, side: Side | Literal["robbery"]) -> Fight:
        """The fight while dice are needed."""
        return self._replace(asks=None, seat=NOBODY, rolls=side)


class Position(NamedTuple):
    """Everything that lies on the table; see ``position.schema.json`` for the members."""

    space: int
    phase: Phase
    order: tuple[int, ...]
    active: int
    cash: tuple[int, ...]
    wanted: tuple[int, ...]
    farmers: tuple[int, ...]
    tokens: tuple[int, ...]
    used: tuple[str, ...]
    towns: tuple[Town, ...]
    bids: tuple[int, ...]
    dropped: tuple[int, ...]
    jails_lost: tuple[int, ...]
    fight: Fight | None = None

    @property
    def decider(self) -> int:
        """The seat that must act, or NOBODY (chance, match over)."""
        phase, fight = self.phase, self.fight
        if phase == "gunfight" and fight is not None:
            return fight.seat
        return NOBODY if phase in ("chance", "over") else self.active


@dataclass(frozen=True, slots=True)
class View:
    """The position as one viewer sees it.

    ``viewer`` is a seat's number, or NOBODY for the public; ``shown`` are the seats whose cash is in ``position``
    (0 stands there for the others).
    """

    position: Position
    viewer: int
    shown: tuple[int, ...]

    @property
    def decides(self) -> bool:
        """Whether it is this viewer's decision."""
        return self.viewer != NOBODY and self.position.decider == self.viewer


# --- what follows by counting -----------------------------------------------------------------------------


class Lying(Protocol):
    """What counting looks at: a position, or one that is being changed."""

    @property
    def towns(self) -> Sequence[Town]:
        """From the lowest."""

    @property
    def order(self) -> Sequence[int]:
        """Of play."""

    @property
    def jails_lost(self) -> Sequence[int]:
        """By seat."""

    @property
    def wanted(self) -> Sequence[int]:
        """By seat."""


def on_map(towns: Iterable[Town], seat: int, counter: str) -> int:
    """Counters of one kind that a seat has on the map."""
    if counter == "cowboy":
        return sum([town.cowboys[seat] for town in towns])
    if counter == "cattle":
        return sum([town.cattle[seat] for town in towns])
    number = ASSET_NUMBER[counter]
    return sum([town.assets[number] == seat for town in towns])


def stock(match: Match, position: Lying, seat: int, counter: str) -> int:
    """Counters of one kind in the seat's stock (A10); ``counter_limit=off``: always enough."""
    if match.options.counter_limit == "off":
        return UNLIMITED
    return stock_on_board(match, position, seat, counter)


def stock_on_board(match: Match, position: Lying, seat: int, counter: str) -> int:
    """The same by what the board provides, whatever the limit."""
    lost = position.jails_lost[seat] if counter == "jail" else 0
    return match.board.counters[counter] - on_map(position.towns, seat, counter) - lost


def wanted_supply(match: Match, position: Lying) -> int:
    """Wanted counters that nobody has (M10)."""
    return max(0, match.board.wanted - sum(position.wanted))


def is_open(match: Match, towns: Sequence[Town], town: int) -> bool:
    """Whether cattle may be bought into this town (D3, D4); ``cattle_gate``: one or all lower towns count."""
    lowest_looked_at = 0 if match.options.cattle_gate == "all_lower" else max(0, town - 1)
    return all(more_than_half(match, towns, lower) for lower in range(lowest_looked_at, town))


def more_than_half(match: Match, towns: Sequence[Town], town: int) -> bool:
    """Whether more than half of the town's corral boxes are filled (D3, D5)."""
    return 2 * filled_corrals(match, towns[town]) > match.corrals[town]


def filled_corrals(match: Match, town: Town) -> int:
    """Corral boxes that count as filled (D5): those with cattle, under ``farmer_fills`` a farmer's too."""
    return town.corrals_taken if match.options.farmer_fills else sum(town.cattle)


def vacant_corrals(match: Match, towns: tuple[Town, ...], town: int) -> int:
    """Corral boxes with neither cattle nor farmer (D2, H1)."""
    return match.board.towns[town].corrals - towns[town].corrals_taken


def sheriff_available(town: Town) -> bool:
    """Whether there is a jail whose sheriff can join a gunfight now (K6)."""
    return town.assets[JAIL] != NOBODY and not town.sheriff_down


def target_owner(towns: Sequence[Town], town: int, target: Target, seats: Mapping[str, int]) -> int:
    """The player whose property a target is; NOBODY for a farmer and for an asset that is not there."""
    if isinstance(target, AssetTarget):
        return towns[town].owner(target.asset)
    if isinstance(target, CattleTarget):
        return seats[target.seat]
    assert isinstance(target, FarmerTarget)  # noqa: S101 (the union has no fourth member)
    return NOBODY
