"""A match in which everything that a cheat needs has happened: the stage on which every cheat is carried out.

Host, referee, players' programs and verifier are those of the product; only clock and entropy are fixed text, so a
stage is the same every time (but for the fresh keys inside sealed envelopes). For TEST keys only.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import field
from functools import cache
from itertools import chain, islice
from typing import Any, Final

from pbem.base.errors import PbemError, UsageProblem
from pbem.base.values import dataclass
from pbem.game import JsonObject, MalformedAction, Seat
from pbem.protocol.client import Composed, SeatView, compose_turn
from pbem.protocol.formats.api_key import SealedCopy
from pbem.protocol.formats.messages import message_of
from pbem.protocol.record import Record
from pbem.protocol.record.takeover import default_from
from pbem.protocol.referee import Accepted, perform_default
from tests.world import NAMES, FixedSalts, World

USUAL: Final = 3
"""How many seats a match has if nobody says otherwise."""
_MOST_FILES: Final = 400
_SPARE: Final = 100
"""Numbers that a branch leaves free, so that none of its files has the number of another."""
_SPARE_SALTS: Final = 10_000
_MOVES_IN_SECOND_EPOCH: Final = 5

Lines = list[bytes]


@dataclass
class Stage(World):
    """One match with all its people; ``past`` holds the record as it stood after each ruling."""

    seats: Sequence[str] = NAMES[:USUAL]
    seed: str = "13"
    sent: dict[bytes, JsonObject] = field(default_factory=dict)
    """Every file that a player signed, by its hash, in the order of signing."""
    copies: list[SealedCopy] = field(default_factory=list)
    past: list[Record] = field(default_factory=list)
    orders: dict[Seat, JsonObject] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.past.append(self.record)

    # --- what there is ------------------------------------------------------------------------------------

    def view_before(self, seq: int, seat: Seat) -> SeatView:
        """What a seat saw before record ``seq``."""
        record = next(record for record in self.past[::-1] if record.head.seq < seq)
        return SeatView(Record(record.ledger), self.people[seat], seat, self.packets)

    def branch(self, record: Record) -> Stage:
        """The same people at another point of the match, to go on from there."""
        other = copy.copy(self)
        other.sent, other.copies, other.orders = dict(self.sent), list(self.copies), dict(self.orders)
        other.people, other.ordered, other.files = dict(self.people), dict(self.ordered), list(self.files)
        other.salts = {seat: FixedSalts(salt.name, _SPARE_SALTS) for seat, salt in self.salts.items()}
        known = record.ledger.players
        other.numbers = {s: (known[s].n if s in known else 0) + _SPARE for s in self.people}
        other.record = record
        other.now = max(self.now, record.head.at)
        other.past = [record]
        return other

    def playing(self) -> tuple[Stage, Seat] | None:
        """The match at a decision of its first epoch, and whoever is asked."""
        record = self.moment(lambda r: r.waiting is not None and len(r.lines) > len(self.seats) * 3)
        if record is None:
            return None
        branch = self.branch(record)
        seat = branch.seat_to_act()
        return (branch, seat) if seat is not None else None

    def another(self, seed: str, seats: Sequence[str] = ()) -> Stage:
        """Another match of the same game with as many seats, or these: nobody has joined yet."""
        return Stage(self.game, seats or self.seats, seed=seed)

    def moment(self, test: Callable[[Record], object]) -> Record | None:
        """The record as it stood at the first moment that passes ``test``."""
        return next((record for record in self.past if test(record)), None)

    # --- sending ------------------------------------------------------------------------------------------

    def take(self, ruling: Accepted) -> Accepted:
        """Record what was ruled."""
        super().take(ruling)
        self.past.append(self.record)
        return ruling

    def keep(self, file: JsonObject) -> JsonObject:
        """A player keeps what they signed."""
        self.sent[message_of(file).hash] = file
        return file

    def ready_file(self, seat: str) -> JsonObject:
        """A signed ``ready``, not sent."""
        return self.keep(super().ready_file(seat))

    def compose(self, seat: str, *actions: JsonObject, **more: Any) -> Composed:
        """A signed turn with the seat's standing orders; its owner keeps it, and a copy of what they sealed."""
        composed = super().compose(seat, *actions, orders=self.orders.get(Seat(seat)), **more)
        self.copies += composed.copies
        self.keep(composed.file)
        return composed

    # --- playing ------------------------------------------------------------------------------------------

    def seat_to_act(self) -> Seat | None:
        """Who is asked to act, if anybody is."""
        waiting = self.record.waiting
        return None if waiting is None else Seat(waiting["seat"])

    def choose(self, seat: str) -> Sequence[JsonObject]:
        """What a sensible player does now, with orders and, now and then, a second action."""
        self._think_ahead(Seat(seat))
        action = self.advice(seat)
        return [action, *self._second(Seat(seat), [action])]

    def play_until(self, kind: str) -> Stage:
        """Play on until the next record of ``kind``."""
        begun = len(self.record.lines)
        for _ in range(_MOST_FILES):
            if any(line.kind == kind for line in self.record.lines[begun:]) or not self.move():
                break
        return self

    def _second(self, seat: Seat, actions: list[JsonObject]) -> list[JsonObject]:
        """A second action, sealed behind the first look, now and then: what happens to be right."""
        rules = self.record.rules
        if seat == self.seats[0] or not rules.may_reveal(rules.action_from_json(actions[0])):
            return []
        trial = compose_turn(
            self.copy(),
            self.people[seat],
            seat,
            self.numbers[seat] + 1,
            actions=actions,
            salt=lambda: bytes(16),
        )
        ruling = self.judge(trial.file)
        if not isinstance(ruling, Accepted) or (ruling.record.waiting or {}).get("seat") != seat:
            return []
        view = SeatView(Record(ruling.record.ledger), self.people[seat], seat, self.packets).view
        return [rules.action_to_json(rules.suggest(view))]

    def _think_ahead(self, seat: Seat) -> None:
        """The first seat leaves a standing order: to do again what it does when it is first asked."""
        rules = self.record.rules
        if seat != self.seats[0] or seat in self.orders or self.record.waiting is None:
            return
        order: JsonObject = {"rules": [{"when": self.record.waiting["phase"], "do": self.advice(seat)}]}
        try:
            rules.check_order(order)
        except MalformedAction:
            return
        self.orders[seat] = order

    def silence(self, seat: Seat) -> None:
        """A seat does not answer until its default is due; the host records it."""
        due = default_from(self.record.ledger, seat)
        if due is None:
            raise PbemError(f"nothing is asked of {seat}")
        self.now = max(self.now, due)
        self.take(perform_default(self.record, self.host, seat, self.now))

    def perform(self) -> Stage:
        """Joins, a first epoch up to its close, some turns of the second, and a seat that stops writing in it."""
        for seat in map(Seat, self.seats):
            self.send(self.keep(self.join_file(seat)))
        for seat in self.record.ledger.linking:
            self.send(self.ready_file(seat))
        self.play_until("close")
        silent = Seat(self.seats[-1])
        for turn in range(_MOST_FILES):
            if self.seat_to_act() == silent and turn >= _MOVES_IN_SECOND_EPOCH and self._owes_link(silent):
                self.silence(silent)
            elif not self._held_back(silent):
                break
            if any(line.kind == "burn" for line in self.record.lines):
                break
        return self

    def _owes_link(self, seat: Seat) -> bool:
        return seat in self.record.missing_links

    def _held_back(self, silent: Seat) -> bool:
        """A move; the seat that is to stop writing sends nothing once its link is awaited."""
        if self.seat_to_act() == silent and self._owes_link(silent):
            self.silence(silent)
            return True
        return self.move()


_MOST_STAGES: Final = 8
"""So many are searched for an occasion. The rarest one shows in the fifth, at a table of five; what these do not offer
is not in the game, as dice are not in a game of cards."""
_SEEDS: Final = range(13, 53)
"""Matches that are played in search of one that fits; with two and three seats the first one does."""
_FIRST: Final = 3


@cache
def _played(game: str, seed: int, count: int) -> Stage | None:
    """The match of this seed; None if a hand in it is so long that a seat has no space left to seal its orders."""
    with suppress(UsageProblem):
        return Stage(game, NAMES[:count], seed=str(seed)).perform()
    return None


def stages_of(game: str, count: int = USUAL) -> Iterator[Stage]:
    """The matches of this game on which cheats are tried, each played once: their first decks are not used up."""
    played = (stage for seed in _SEEDS if (stage := _played(game, seed, count)) is not None)
    first = next(filter(_has_cards_left, islice(played, _FIRST)), None)
    if first is None:  # a game that deals its whole deck, always
        return (stage for seed in _SEEDS[:_FIRST] if (stage := _played(game, seed, count)) is not None)
    return islice(chain([first], filter(_has_cards_left, played)), _MOST_STAGES)


@cache
def stage_of(game: str, count: int = USUAL) -> Stage:
    """The first of them."""
    return next(stages_of(game, count))


@cache
def long_stage_of(game: str, count: int) -> Stage | None:
    """A match whose first deck ran out and was laid again, with something left of that; None if no deck ever does."""
    if not stage_of(game, count).record.game_info.decks:
        return None
    played = (stage for seed in _SEEDS if (stage := _played(game, seed, count)) is not None)
    return next((s for s in played if all(gens > 1 and left > 0 for gens, left in _first_decks(s))), None)


def _has_cards_left(stage: Stage) -> bool:
    return all(left > 0 for _, left in _first_decks(stage))


def _first_decks(stage: Stage) -> list[tuple[int, int]]:
    """How often each deck of the first epoch was laid, and how many cards are left of the last; with one kind, none."""
    ledger = stage.record.ledger
    if ledger.epochs[1].closed is None:
        return [(0, 0)]
    laid = ledger.epochs[1].decks.values()
    return [(len(gens), len(gens[-1].leaves) - gens[-1].drawn - 1) for gens in laid]
