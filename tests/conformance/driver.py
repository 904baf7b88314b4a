"""A host in small: plays a game with keyed chance and writes down what records and packets would hold.

It keeps the decks, as the service does: a deal is the next card of the deck's order. Each record holds the
steps of one to three decisions and ends where an epoch (a span) ends; a step "by game" opens the next.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from pbem.game import (
    PUBLIC,
    TABLE,
    AnyRules,
    AnyStep,
    Chance,
    Decision,
    Game,
    JsonObject,
    Outcome,
    Seat,
    Setup,
    Shuffle,
    Terminal,
)
from tests.conformance.keyed import Keyed
from tests.conformance.late import LATE
from tests.conformance.variants import variants
from tests.toy import REGISTRY, find_any

SEATS = tuple(map(Seat, ("anna", "burt", "curt", "dora", "emil")))


@dataclass(frozen=True)
class Case:
    """One match to play; hashable, so that plays are made once."""

    game_id: str
    seats: int
    profile: str = "default"
    options: tuple[tuple[str, Any], ...] = ()
    decisions: int = 160
    key: str = "conformance"
    late: str = ""
    """The name of a late position to start from."""

    def __str__(self) -> str:
        changed = [self.late] if self.late else [f"{name}={value}" for name, value in self.options]
        return "-".join([self.game_id, str(self.seats), self.profile, *changed])

    def match(self, most: int = 3) -> Match:
        position = next((place for name, _, place in LATE.get(self.game_id, ()) if name == self.late), None)
        return Match(self.rules(), Keyed(f"{self.key} {self}"), self.game_id, most, position)

    def game(self) -> Game:
        return find_any(self.game_id)

    def rules(self) -> AnyRules:
        game = self.game()
        seats = SEATS[: self.seats]
        options = game.resolve_options(self.profile, dict(self.options))
        return game.rules(Setup(seats, options, game.default_extra(seats), max(game.info.versions)))


@dataclass(frozen=True)
class Moment:
    """One decision: the state before it, who decided, what, and the engine's bare step."""

    state: Any
    seat: Seat
    action: Any
    step: AnyStep


@dataclass
class Record:
    """What a record would hold, and the state after it."""

    steps: list[JsonObject] = field(default_factory=list)
    draws: dict[Seat, list[JsonObject]] = field(default_factory=dict)
    facts: dict[Seat, list[JsonObject]] = field(default_factory=dict)
    moments: list[Moment] = field(default_factory=list)
    dealt: int = 0
    """Deals and facts that single engine steps made, in all."""
    state: Any = None

    def body(self, seat: Seat) -> JsonObject:
        return {"draws": self.draws.get(seat, []), "facts": self.facts.get(seat, [])}


class Match:
    """One play, record by record."""

    def __init__(
        self, rules: AnyRules, keyed: Keyed, game_id: str, most: int, position: JsonObject | None = None
    ) -> None:
        self.rules, self.keyed, self.game_id = rules, keyed, game_id
        self._most = most
        self._position = position
        self.state: Any = rules.initial_state()
        self.span = 0
        self._orders: dict[str, list[str]] = {}
        self._generation: dict[str, int] = {}
        self._next: dict[str, int] = {}

    def records(self, decisions: int) -> Iterator[Record]:
        """Records until the match is over or so many decisions were made."""
        if self._position is not None:
            yield self._loaded(self._position)
        while True:
            node = self.rules.node(self.state)
            if self.rules.span(self.state) > self.span and not isinstance(node, Terminal):
                yield self._opening()
                continue
            if isinstance(node, Terminal) or decisions <= 0:
                return
            record = self._turns(1 + self.keyed.below(self._most))
            decisions -= len(record.moments)
            yield record

    def _loaded(self, position: JsonObject) -> Record:
        """As if the hands and the supply of a position had been dealt just now."""
        self.state = self.rules.position_from_json(position)
        self.span = self.rules.span(self.state)
        whole: JsonObject = self.rules.position_to_json(self.state)
        record = Record(state=self.state)
        chance: list[JsonObject] = []
        for seat, hand in whole.get("hands", {}).items():
            for card in hand:
                entry = {"draw": "main", "gen": 0, "k": len(chance)}
                chance.append({**entry, "to": seat})
                opening = {"card": card, "place": 76, "salt": "A" * 22, "deck": "main", "gen": 0}
                record.draws.setdefault(Seat(seat), []).append({**opening, "k": entry["k"]})
        record.steps.append({"by": "game", "chance": chance, "events": []})
        self._orders["main"] = list(whole.get("supply", ()))
        self._generation["main"] = self._next["main"] = 0
        return record

    def _opening(self) -> Record:
        """A span begins: the decks are new."""
        self.span = self.rules.span(self.state)
        self._generation.clear()
        record = Record()
        written: JsonObject = {"by": "game", "chance": [], "events": []}
        self._settle(record, written)
        if written["chance"] or written["events"]:
            record.steps.append(written)
        return self._finish(record)

    def _turns(self, count: int) -> Record:
        record = Record()
        for _ in range(count):
            node = self.rules.node(self.state)
            if not isinstance(node, Decision) or self.rules.span(self.state) != self.span:
                break
            action = self._choose(node.seat)
            step = self.rules.apply(self.state, action)
            record.moments.append(Moment(self.state, node.seat, action, step))
            written: JsonObject = {
                "by": "file",
                "seat": node.seat,
                "action": self.rules.public_action(action),
            }
            written |= {"chance": [], "events": []}
            self._take_in(step, record, written)
            self._settle(record, written)
            record.steps.append(written)
        return self._finish(record)

    def _choose(self, seat: Seat) -> Any:
        view = self.rules.observe(self.state, seat)
        if self.keyed.below(3) == 0:
            return self.rules.suggest(view)
        action = self.keyed.choice(self.rules.legal_actions(view))
        if self.keyed.below(3) == 0:
            named = list(variants(self.game_id, self.rules, view, action, self.keyed))
            return self.keyed.choice(named) if named else action
        return action

    def _settle(self, record: Record, written: JsonObject) -> None:
        while isinstance(node := self.rules.node(self.state), Chance):
            if self.rules.span(self.state) != self.span:
                return
            outcome = self.keyed.outcome(node.draw)
            if isinstance(node.draw, Shuffle):
                self._lay(node.draw, outcome, written)
            else:
                rolled = zip(node.draw.sides, outcome, strict=True)
                written["chance"].extend(
                    {"roll": node.draw.tape, "sides": sides, "value": value, "for": node.draw.label}
                    for sides, value in rolled
                )
            self._take_in(self.rules.resolve(self.state, outcome), record, written)

    def _lay(self, draw: Shuffle, outcome: Outcome, written: JsonObject) -> None:
        generation = self._generation.get(draw.deck, -1) + 1
        self._generation[draw.deck] = generation
        self._orders[draw.deck] = [draw.cards[index] for index in outcome]
        self._next[draw.deck] = 0
        if generation:
            leaves = ["A" * 43 for _ in draw.cards]
            written["chance"].append({"shuffle": draw.deck, "gen": generation, "leaves": leaves})

    def _take_in(self, step: AnyStep, record: Record, written: JsonObject) -> None:
        for deal in step.deals:
            k = self._next[deal.deck]
            self._next[deal.deck] = k + 1
            card = self._orders[deal.deck][k]
            entry: JsonObject = {"draw": deal.deck, "gen": self._generation[deal.deck], "k": k}
            opening = {"card": card, "place": 76, "salt": "A" * 22}
            if deal.to is TABLE:
                written["chance"].append({**entry, "to": "table", **opening})
            else:
                written["chance"].append({**entry, "to": deal.to})
                body = {**opening, "deck": deal.deck, "gen": entry["gen"], "k": k}
                record.draws.setdefault(deal.to, []).append(body)
        for fact in step.facts:
            record.facts.setdefault(fact.seat, []).append(fact.body)
        written["events"].extend(self.rules.event_to_json(event, PUBLIC) for event in step.events)
        self.state = step.state

    def _finish(self, record: Record) -> Record:
        for fact in self.rules.standing_facts(self.state):
            record.facts.setdefault(fact.seat, []).append(fact.body)
        record.state = self.state
        return record


@cache
def played(case: Case) -> tuple[Record, ...]:
    """The records of one play of ``case``."""
    return tuple(case.match().records(case.decisions))


def moments(case: Case) -> list[Moment]:
    """All decisions of the play."""
    return [moment for record in played(case) for moment in record.moments]


def states(case: Case) -> list[Any]:
    """Every state that a decision or a record left, chance and end included."""
    states: list[Any] = []
    for record in played(case):
        states.extend(moment.step.state for moment in record.moments)
        states.append(record.state)
    return states


def profile_cases() -> list[Case]:
    """Every game with every number of seats and every profile."""
    return [
        Case(game.info.id, seats, profile)
        for game in REGISTRY
        for seats in game.info.seats
        for profile in game.info.profiles
    ]


def _a_few(game: Game) -> int:
    """One seat more than the fewest, where there is such a match."""
    return min(game.info.seats.start + 1, max(game.info.seats))


def whole_cases() -> list[Case]:
    """Every profile of every game, to the end of the match."""
    return [
        Case(
            game.info.id,
            min(game.info.seats.start + 1, max(game.info.seats)),
            profile,
            decisions=20_000,
            key="whole",
        )
        for game in REGISTRY
        for profile in game.info.profiles
    ]


def late_cases() -> list[Case]:
    """From every late position."""
    return [
        Case(game_id, 3, "default", tuple(options.items()), decisions=60, late=name)
        for game_id, positions in LATE.items()
        for name, options, _ in positions
        if game_id in {game.info.id for game in REGISTRY}
    ]


def option_cases() -> list[Case]:
    """Every value of every option that is not its default, alone."""
    return [
        Case(game.info.id, _a_few(game), "default", ((key, value),), decisions=60)
        for game in REGISTRY
        for key, values in game.info.options.items()
        for value in values[1:]
    ]
