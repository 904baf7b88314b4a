"""Running one scenario: bind the rules, load the position, apply the steps, compare (schemas/scenario.schema.json).

Never a traceback: whatever is wrong with a scenario is a failed result that says what and where.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from pbem.base.errors import FormatError
from pbem.base.shapes import schema
from pbem.base.values import dataclass
from pbem.game import (
    FULL,
    AnyRules,
    BadSetup,
    Chance,
    Decision,
    Draw,
    Game,
    IllegalAction,
    Json,
    JsonObject,
    MalformedAction,
    Outcome,
    Roll,
    Seat,
    Setup,
    Shuffle,
    Terminal,
)
from pbem.games import find_game
from pbem.protocol.formats.strict_json import parse
from pbem.protocol.scenario.expect import Mismatch, check_after, check_refused, one_line, shown

FindGame = Callable[[str], Game]


def run_scenario(scenario: Json, *, place: str = "", find: FindGame = find_game) -> ScenarioResult:
    """The answer to one scenario; ``place`` names its file in the result, ``find`` looks a game up."""
    members = scenario if isinstance(scenario, dict) else {}
    return ScenarioResult(
        title=_text(members.get("title")),
        game=_text(members.get("game")),
        rules=tuple(map(_text, rules)) if isinstance(rules := members.get("rules"), list) else (),
        place=place,
        difference=_first_difference(scenario, find),
    )


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _first_difference(scenario: Json, find: FindGame) -> Mismatch | None:
    where = ""
    try:
        schema.validate("scenario", scenario)
        table = _set_up(scenario, find)
        for number, step in enumerate(scenario["steps"], 1):
            where = f"step {number}"
            _play(table, step)
    except Mismatch as mismatch:
        return mismatch.within(where)
    except FormatError as fault:
        return Mismatch("", "a scenario", str(fault))
    except BadSetup as fault:
        return Mismatch("", "a position, seats and options that can be played", one_line(str(fault)))
    except Exception as fault:  # noqa: BLE001  an outsider's scenario may break the engine: that is a result too
        return Mismatch(where, "an answer of the engine", one_line(f"{type(fault).__name__}: {fault}"))
    return None


# --- setting up -------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Table:
    """The position on the table, and the chance that is left."""

    rules: AnyRules
    state: object
    chance: ScriptedChance

    def settle(self) -> tuple[JsonObject, ...]:
        """Answer chance as long as the scenario gives it; the events, with every field."""
        events: list[JsonObject] = []
        while isinstance(node := self.rules.node(self.state), Chance):
            outcome = self.chance.answer(node.draw)
            if outcome is None:
                break
            step = self.rules.resolve(self.state, outcome)
            self.state = step.state
            events.extend(self.rules.event_to_json(event, FULL) for event in step.events)
        return tuple(events)

    def act(self, seat: Seat, obj: Json) -> tuple[JsonObject, ...]:
        """Apply one action and the chance after it; ``IllegalAction`` or ``MalformedAction`` if refused."""
        action = self.rules.action_from_json(obj)
        node = self.rules.node(self.state)
        if not (isinstance(node, Decision) and node.seat == seat):
            raise self._out_of_turn(seat, action)
        step = self.rules.apply(self.state, action)
        self.state = step.state
        return (*(self.rules.event_to_json(event, FULL) for event in step.events), *self.settle())

    def _out_of_turn(self, seat: Seat, action: object) -> IllegalAction:
        """Nobody asked this seat; the game may have rows that say so."""
        rows: tuple[str, ...] = ()
        if seat in self.rules.setup.seats:
            try:
                self.rules.check(self.rules.observe(self.state, seat), action)
            except IllegalAction as refusal:
                rows = refusal.rules
        return IllegalAction(rows, f"{seat} is not to act: {self._waiting()}")

    def _waiting(self) -> str:
        node = self.rules.node(self.state)
        if isinstance(node, Decision):
            return f"{node.seat} is ({node.phase})"
        return "the match is over" if isinstance(node, Terminal) else f"chance is ({node.draw.label})"


def _set_up(scenario: JsonObject, find: FindGame) -> _Table:
    try:
        game = find(scenario["game"])
    except KeyError as fault:
        raise Mismatch("game", "a game that is known", str(fault.args[0])) from None
    position: JsonObject | None = _without_nulls(scenario.get("position"))
    rules = game.rules(_setup_of(game, scenario, position or {}))
    state = rules.initial_state() if position is None else rules.position_from_json(position)
    table = _Table(rules, state, ScriptedChance(scenario.get("chance", {}), game.info.deck_lists))
    table.settle()
    return table


def _without_nulls(value: Json) -> Json:
    """A position without its nulls: what is null is nobody, or not there (schemas/README.md §1.1 has none)."""
    if not isinstance(value, dict):
        return value
    return {name: _without_nulls(member) for name, member in value.items() if member is not None}


def _setup_of(game: Game, scenario: JsonObject, position: JsonObject) -> Setup:
    """Seats, options and setup of a scenario.

    What the game keeps in genesis beside its options is taken from ``options`` (a whole ``board``) or from
    the position (the ``dealer``), and is the game's own default otherwise.
    """
    seats = tuple(Seat(seat) for seat in scenario["seats"])
    options: JsonObject = dict(scenario.get("options", {}))
    extra = dict(game.default_extra(seats))
    for name in extra:
        if name in position:
            extra[name] = position[name]
        if name in options and name not in game.info.options:
            extra[name] = options.pop(name)
    resolved = game.resolve_options("default", options)
    return Setup(seats, resolved, extra, max(game.info.versions))


def _play(table: _Table, step: JsonObject) -> None:
    expect: JsonObject = step.get("expect", {})
    refused = expect.get("refused", False) or "rule" in expect
    before = table.rules.position_to_json(table.state)
    try:
        events = table.act(Seat(step["seat"]), step["action"])
    except (IllegalAction, MalformedAction) as refusal:
        if not refused:
            raise Mismatch("action", "a legal action", _refused(refusal)) from None
        check_refused(expect, refusal, before, table.rules.position_to_json(table.state))
        events = ()
    else:
        if refused:
            raise Mismatch("action", "a refusal", f"it was carried out: {shown(list(events))}")
    check_after(expect, table.rules, table.state, events)


def _refused(refusal: IllegalAction | MalformedAction) -> str:
    rows = f" [{' '.join(refusal.rules)}]" if refusal.rules else ""
    return f"refused{rows}: {one_line(str(refusal))}"


# --- chance -----------------------------------------------------------------------------------------------
#
# The chance that a scenario brings along, used in order (``chance`` of schemas/scenario.schema.json).
#
# A shuffle is written as card names, top first. A shorter list fixes the top and leaves the rest in deck-
# list order. Dice are taken one by one; a roll that finds too few of them finds none.


class ScriptedChance:
    """Answers draws from the lists of one scenario."""

    def __init__(self, chance: JsonObject, deck_lists: Mapping[str, Sequence[str]]) -> None:
        self._shuffles: list[list[str]] = list(chance.get("shuffles", ()))
        self._rolls: list[int] = list(chance.get("rolls", ()))
        self._deck_lists = deck_lists
        self._shuffled = 0
        self._rolled = 0

    def answer(self, draw: Draw) -> Outcome | None:
        """The outcome of ``draw``, or None if the scenario gives no chance (or too few dice) for it.

        Raises:
            Mismatch: if what the scenario gives does not fit what is drawn.
        """
        return self._roll(draw) if isinstance(draw, Roll) else self._shuffle(draw)

    def _roll(self, draw: Roll) -> Outcome | None:
        end = self._rolled + len(draw.sides)
        if end > len(self._rolls):
            return None
        values = self._rolls[self._rolled : end]
        for number, (value, sides) in enumerate(zip(values, draw.sides, strict=True), self._rolled + 1):
            if not 1 <= value <= sides:
                raise Mismatch(f"chance.rolls {number}", f"1 to {sides} ({draw.label})", str(value))
        self._rolled = end
        return tuple(values)

    def _shuffle(self, draw: Shuffle) -> Outcome | None:
        if self._shuffled == len(self._shuffles):
            return None
        self._shuffled += 1
        return self._permutation(self._shuffles[self._shuffled - 1], draw)

    def _permutation(self, order: list[str], draw: Shuffle) -> Outcome:
        surplus = Counter(order) - Counter(draw.cards)
        if surplus:
            expected = f"cards that are shuffled ({draw.label}: {len(draw.cards)} cards)"
            too_many = ", ".join(f"{count} {card} too many" for card, count in sorted(surplus.items()))
            raise Mismatch(f"chance.shuffles {self._shuffled}", expected, too_many)
        places: dict[str, list[int]] = {}
        for index in reversed(range(len(draw.cards))):
            places.setdefault(draw.cards[index], []).append(index)
        top = [places[card].pop() for card in order]
        others = [index for indices in places.values() for index in indices]
        return (*top, *sorted(others, key=lambda index: (self._rank(draw, index), index)))

    def _rank(self, draw: Shuffle, index: int) -> int:
        """The place of a card in the deck list; cards it does not name come last, in order of their bytes."""
        deck_list = self._deck_lists.get(draw.deck, ())
        card = draw.cards[index]
        return deck_list.index(card) if card in deck_list else len(deck_list)


# --- the result of a scenario, for a person (one line) and for a program (JSON) ---------------------------


@dataclass(frozen=True, slots=True)
class ScenarioResult:
    """One scenario's answer; ``difference`` is the first one, None if there is none."""

    title: str
    game: str
    rules: tuple[str, ...]
    place: str
    """Its file, with ``#2`` behind it for the second of a list; empty if it came from no file."""
    difference: Mismatch | None

    @property
    def ok(self) -> bool:
        """Whether the engine did all that the scenario says."""
        return self.difference is None

    def line(self) -> str:
        """``ok   place: title`` or ``FAIL place: title: where: expected …, got …``."""
        name = one_line(": ".join(part for part in (self.place, self.title) if part)) or "scenario"
        return f"ok   {name}" if self.difference is None else f"FAIL {name}: {one_line(str(self.difference))}"

    def to_json(self) -> JsonObject:
        """The result as JSON; ``difference`` only if there is one."""
        facts: JsonObject = {
            "ok": self.ok,
            "title": self.title,
            "game": self.game,
            "rules": list(self.rules),
            "place": self.place,
        }
        if self.difference is not None:
            difference = self.difference
            facts["difference"] = {
                "where": difference.where,
                "expected": difference.expected,
                "got": difference.got,
            }
        return facts


def summary(results: Sequence[ScenarioResult]) -> str:
    """The plain last line."""
    passed = sum(result.ok for result in results)
    return f"{passed} passed, {len(results) - passed} failed"


def results_to_json(results: Sequence[ScenarioResult]) -> JsonObject:
    """What ``pbem check --scenario --json`` prints."""
    passed = sum(result.ok for result in results)
    listed = [result.to_json() for result in results]
    return {"passed": passed, "failed": len(results) - passed, "results": listed}


# --- scenario files: found in folders, read strictly, run one after the other -----------------------------
#
# A file holds one scenario or a list of scenarios. A path that is not there, a folder without scenarios
# and a file that is no JSON are failed results, so that nothing that was named goes unsaid.

MAX_SCENARIO_FILE: Final = 4 * 1024 * 1024
"""Bytes of a scenario file (a list of scenarios may be long)."""


def find_scenarios(paths: Sequence[Path]) -> Iterator[Path]:
    """The files named, and every ``*.json`` below the folders named, in order of their names."""
    for path in paths:
        if path.is_dir():
            yield from sorted(file for file in path.rglob("*.json") if file.is_file())
        else:
            yield path


def run_paths(paths: Sequence[Path], *, find: FindGame = find_game) -> Iterator[ScenarioResult]:
    """Run every scenario of these files and folders."""
    for path in paths:
        files = list(find_scenarios([path]))
        if not files:
            yield _fault(path, Mismatch("", "a folder with scenario files (*.json)", "none in it"))
        for file in files:
            yield from run_file(file, find=find)


def run_file(path: Path, *, find: FindGame = find_game) -> Iterator[ScenarioResult]:
    """Run the scenario, or the list of scenarios, of one file."""
    try:
        with path.open("rb") as file:
            content = parse(file.read(MAX_SCENARIO_FILE + 1), limit=MAX_SCENARIO_FILE, null=True)
    except OSError as fault:
        yield _fault(path, Mismatch("", "a file that can be read", fault.strerror or type(fault).__name__))
        return
    except FormatError as fault:
        yield _fault(path, Mismatch("", "strict JSON", str(fault)))
        return
    if not isinstance(content, list):
        yield run_scenario(content, place=str(path), find=find)
        return
    if not content:
        yield _fault(path, Mismatch("", "a scenario or a list of them", "an empty list"))
    for number, scenario in enumerate(content, 1):
        yield run_scenario(scenario, place=f"{path}#{number}", find=find)


def _fault(path: Path, difference: Mismatch) -> ScenarioResult:
    return ScenarioResult(title="", game="", rules=(), place=str(path), difference=difference)
