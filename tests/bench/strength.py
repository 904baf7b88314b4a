"""How strong the computer players are: a table of wins, Elo and time.

::

    python -m tests.bench.strength --minutes 60 --log tests/bench/strength.jsonl     # prints the table
    python -m tests.bench.strength --mixed 20000 --log tests/bench/mixed.jsonl     # does every match end?

Every contest seats one kind of player against others that are all of one kind, in every seat equally often, on the same
decks and dice: match ``k`` of each rotation draws from the same key.

Both keep logs: the contests a line for each rotation, the mixed matches, which follow from their numbers, one for every
fifty. Stopped at any time, the same command goes on behind what its log holds; what it prints is of the whole log.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import log10, sqrt
from pathlib import Path
from time import process_time
from typing import Any

from pbem.bots import LEVELS, STRONG, ComputerPlayer, Level, player_for
from pbem.bots.player import Weighed
from pbem.game import PUBLIC, AnyRules, Chance, Decision, JsonObject, Seat, Setup, Terminal
from pbem.games import find_game
from tests.conformance.keyed import Keyed

NAMES = tuple(map(Seat, ("anna", "burt", "curt", "dora", "emil")))
LONGEST = {"wyatt-earp": 600, "way-out-west": 1500}
"""Decisions of the longest match of people: eight hands of two whole decks; a fight in each action of twelve turns."""


class Frozen(ComputerPlayer):
    """``Rules.suggest`` as it is."""

    def choose(self, view: Any) -> Any:
        return self._rules.suggest(view)

    def follow(self, events: Iterable[JsonObject], public: Any) -> None:
        """It remembers nothing."""

    def _values(self, view: Any, seed: str) -> list[Weighed]:  # noqa: ARG002  it imagines nothing
        return [Weighed(self._rules.suggest(view), 0.0)]


class Greedy(Frozen):
    """Most capture points now, or most income and points now: the plainest thing that tries."""

    def choose(self, view: Any) -> Any:
        from tests.bench.greedy import greedy

        return greedy(self._rules, view)


MAKERS: Mapping[str, Callable[[AnyRules, str], ComputerPlayer]] = {
    "suggest": lambda rules, seed: Frozen(rules, seed, STRONG),
    "greedy": lambda rules, seed: Greedy(rules, seed, STRONG),
    **{level.name: partial(player_for, level=level) for level in LEVELS},
    "brisk": partial(player_for, level=replace(STRONG, hands=24)),
    "swift": partial(player_for, level=Level("swift", 3, 1, 1.0)),
}
"""``brisk`` is ``strong`` with few hands, ``swift`` looks at hardly any and errs."""
FROZEN = ("suggest", "greedy")
CHEAP = (*FROZEN * 2, "swift")
MIXED = (*FROZEN * 8, *("swift",) * 8, "easy", "easy", "brisk")
EXPENSIVE = 50
"""In one of so many mixed matches a seat plays as ``strong`` does."""
BATCH = 50


@dataclass
class Result:
    """The result of one match."""

    winners: tuple[str, ...]
    decisions: int
    finished: bool
    game: str = ""
    spent: dict[str, float] = field(default_factory=partial(defaultdict, float))
    asked: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Contest:
    """One of ``hero`` against others that are all ``foe``."""

    game: str
    seats: int
    hero: str
    foe: str

    @property
    def aim(self) -> float:
        """The share of wins that is to be shown: where none is set, the fair one."""
        return AIMS.get((self.game, self.hero, self.foe), {}).get(self.seats, 1 / self.seats)

    def rotation(self, number: int) -> list[Result]:
        """The hero once in every seat, on the same decks and dice."""
        rules = rules_for(self.game, self.seats)
        key = f"{self.game}/{self.seats}/{number}"
        kinds = [
            [self.hero if at == seat else self.foe for at in range(self.seats)] for seat in range(self.seats)
        ]
        return [play(rules, kind, key) for kind in kinds]


AIMS: Mapping[tuple[str, str, str], Mapping[int, float]] = {
    ("wyatt-earp", "strong", "greedy"): {2: 0.60, 3: 0.55, 4: 0.45},
    ("wyatt-earp", "strong", "suggest"): {2: 0.70, 3: 0.55, 4: 0.45},
    ("way-out-west", "strong", "suggest"): {3: 0.55, 4: 0.45, 5: 0.38},
}
CONTESTS = [
    *(Contest("wyatt-earp", seats, "strong", "greedy") for seats in (2, 3, 4)),
    *(Contest("way-out-west", seats, "strong", "suggest") for seats in (3, 4, 5)),
    *(Contest("wyatt-earp", seats, "strong", "suggest") for seats in (2, 3, 4)),
    Contest("way-out-west", 3, "strong", "greedy"),
    *(Contest("wyatt-earp", 2, "easy", foe) for foe in ("strong", "suggest")),
    *(Contest("way-out-west", 3, "easy", foe) for foe in ("strong", "suggest")),
]
FEWEST, MOST = 10, 400
"""Rotations of a contest before it says anything, and at most."""
SURE, SHOWN = 3.29, 1.96
"""Standard deviations: 99.9 % to stop early, since a look is taken after every rotation; 95 % in the table."""


@dataclass
class Standing:
    """A contest so far."""

    contest: Contest
    matches: int = 0
    wins: float = 0.0
    longest: int = 0
    decisions: int = 0
    unfinished: int = 0
    spent: float = 0.0
    """Seconds of processor of the hero."""
    asked: int = 0

    def add(self, rotation: Sequence[Result]) -> JsonObject:
        """Count the matches of a rotation; the line of the log that says the same."""
        contest, hero = self.contest, self.contest.hero
        line: JsonObject = {
            "contest": [contest.game, contest.seats, hero, contest.foe],
            "matches": len(rotation),
            "wins": sum(
                (NAMES[seat] in result.winners) / max(1, len(result.winners))
                for seat, result in enumerate(rotation)
            ),
            "longest": max(result.decisions for result in rotation),
            "decisions": sum(result.decisions for result in rotation),
            "unfinished": sum(not result.finished for result in rotation),
            "spent": round(sum(result.spent[hero] for result in rotation), 3),
            "asked": sum(result.asked[hero] for result in rotation),
        }
        self.take(line)
        return line

    def take(self, line: JsonObject) -> None:
        """Count what a line of the log says."""
        for name in ("matches", "wins", "decisions", "unfinished", "spent", "asked"):
            setattr(self, name, getattr(self, name) + line[name])
        self.longest = max(self.longest, line["longest"])

    def interval(self, deviations: float) -> tuple[float, float]:
        """Wilson's interval of the share of wins."""
        n, p, z = self.matches, self.wins / self.matches, deviations
        middle, half = p + z * z / (2 * n), z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)

    @property
    def decided(self) -> bool:
        """Whether the aim lies outside the wide interval."""
        if self.matches < FEWEST * self.contest.seats:
            return False
        low, high = self.interval(SURE)
        return not low <= self.contest.aim <= high

    def elo(self, share: float) -> float:
        """The lead that explains this share: each foe's chance is equal."""
        share = min(max(share, 0.005), 0.995)
        return 400 * log10(share / (1 - share) * (self.contest.seats - 1))

    def aim_text(self, low: float) -> str:
        """The aim for the lower end, in percent, and whether it is shown; nothing where none is set."""
        contest = self.contest
        if contest.seats not in AIMS.get((contest.game, contest.hero, contest.foe), {}):
            return ""
        shown = low >= contest.aim and self.matches >= FEWEST * contest.seats
        return f"{100 * contest.aim:.0f}: {'reached' if shown else 'not shown'}"

    def row(self) -> str:
        contest, (low, high) = self.contest, self.interval(SHOWN)
        hero = contest.hero
        each = 1000 * self.spent / max(1, self.asked)
        cells = (
            find_game(contest.game).info.title, contest.seats, hero, contest.foe, self.matches,
            f"{100 * self.wins / self.matches:.1f} [{100 * low:.0f}–{100 * high:.0f}]", f"{100 / contest.seats:.0f}",
            f"{self.elo(self.wins / self.matches):+.0f} [{self.elo(low):+.0f}, {self.elo(high):+.0f}]",
            f"{each:.1f}", f"{self.decisions / self.matches:.0f}", self.longest, self.unfinished, self.aim_text(low),
        )  # fmt: skip
        return "| " + " | ".join(map(str, cells)) + " |"


def ladder(contests: Sequence[Contest], minutes: float, log: Path | None) -> Iterator[Standing]:
    """Contests in turn, rotation by rotation, until each is decided or the processor time is used up."""
    standings = {contest: Standing(contest) for contest in contests}
    played: Counter[Contest] = Counter()
    if log is not None and log.exists():
        for line in map(json.loads, log.read_text(encoding="utf-8").splitlines()):
            contest = Contest(*line["contest"])
            standings.setdefault(contest, Standing(contest)).take(line)
            played[contest] += 1
    ends_at = process_time() + 60 * minutes
    while process_time() < ends_at:
        left = [contest for contest in contests if played[contest] < MOST and not standings[contest].decided]
        if not left:
            break
        contest = min(left, key=lambda contest: standings[contest].matches)
        line = standings[contest].add(contest.rotation(played[contest]))
        played[contest] += 1
        if log is not None:
            with log.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
    yield from (standing for standing in standings.values() if standing.matches)


def mixed(number: int, kinds: Sequence[str] = MIXED) -> Result:
    """A match of any players: game, seats, profile and kinds follow from its number; at least one is not frozen."""
    dice = Keyed(f"mixed/{number}")
    longer = dice.below(16 if kinds is CHEAP else 2) > 0  # of Wyatt Earp a match may go on and on
    game = "wyatt-earp" if longer else "way-out-west"
    info = find_game(game).info
    seats = dice.choice(list(info.seats))
    chosen = [dice.choice(kinds) for _ in range(seats)]
    chosen[dice.below(seats)] = dice.choice([kind for kind in kinds if kind not in FROZEN])
    if kinds is MIXED and number % EXPENSIVE == 0:
        chosen[dice.below(seats)] = "strong"
    rules = rules_for(game, seats, dice.choice(sorted(info.profiles)))
    result = play(rules, chosen, f"mixed/{number}", limit=2 * LONGEST[game], timed=False)
    result.game = game
    return result


def batch(first: int, last: int) -> JsonObject:
    """These mixed matches, counted: a line of the log."""
    began = process_time()
    line: JsonObject = {"from": first, "to": last, "unfinished": []}
    for number in range(first, last):
        result = mixed(number)
        if not result.finished:
            line["unfinished"].append(number)
        figures = line.setdefault(result.game, {"matches": 0, "decisions": 0, "longest": 0})
        figures["matches"] += 1
        figures["decisions"] += result.decisions
        figures["longest"] = max(figures["longest"], result.decisions)
    line["seconds"] = round(process_time() - began, 1)
    return line


def ends(number: int, minutes: float, log: Path | None) -> str:
    """Mixed matches, as many of ``number`` as fit into the processor time: how many did not end, and the longest."""
    lines: list[JsonObject] = []
    if log is not None and log.exists():
        lines = [json.loads(text) for text in log.read_text(encoding="utf-8").splitlines()]
    first = lines[-1]["to"] if lines else 0
    used = 0.0
    for at in range(first, number, BATCH):
        if used > 60 * minutes:
            break
        line = batch(at, min(at + BATCH, number))
        used += line["seconds"]
        lines.append(line)
        if log is not None:
            with log.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
    return summed(lines)


def summed(lines: Sequence[JsonObject]) -> str:
    """A log of mixed matches in words."""
    lost = [number for line in lines for number in line["unfinished"]]
    parts = [f"{len(lost)} unfinished of {sum(line['to'] - line['from'] for line in lines)} mixed matches"]
    parts.append(f"{sum(line['seconds'] for line in lines) / 60:.0f} minutes of processor")
    for game, longest in LONGEST.items():
        counts = [line[game] for line in lines if game in line]
        if counts:
            count, decisions = (sum(figures[key] for figures in counts) for key in ("matches", "decisions"))
            parts.append(f"{game}: {count} matches, {decisions / count:.0f} decisions in the mean")
            parts.append(
                f"{max(figures['longest'] for figures in counts)} at most (longest of people: {longest})"
            )
    return "; ".join(parts)


_COLUMNS = (
    "game", "seats", "player", "others", "matches", "wins % [95 %]", "fair", "Elo [95 %]", "ms a decision",
    "decisions", "longest", "unfinished", "aim (lower end)",
)  # fmt: skip
HEAD = f"""# How strong the computer players are

`{{command}}`, with the sequential test described in `tests/bench/strength.py`. `strong` and `easy` are the
levels of `pbem practice`. `suggest` is `Rules.suggest` as it is, `greedy`
takes most capture points (Wyatt Earp) or most points and income (Way Out West) now. One of the first kind sits against
others that are all of the second kind, in every seat equally often, on the same decks and dice.

| {" | ".join(_COLUMNS)} |
|{"---|" * len(_COLUMNS)}"""


def rules_for(game: str, seats: int, profile: str = "default") -> AnyRules:
    title = find_game(game)
    names = NAMES[:seats]
    options = title.resolve_options(profile, {})
    return title.rules(Setup(names, options, title.default_extra(names)))


def play(
    rules: AnyRules, kinds: Sequence[str], key: str, limit: int | None = None, *, timed: bool = True
) -> Result:
    """One match: ``kinds`` by seat; decks and dice follow from ``key`` alone."""
    clock = process_time if timed else lambda: 0.0
    seats = rules.setup.seats
    players = {seat: MAKERS[kind](rules, f"{key}/{seat}") for seat, kind in zip(seats, kinds, strict=True)}
    kind_of = dict(zip(seats, kinds, strict=True))
    luck: dict[str, Keyed] = {}
    result = Result((), 0, True)
    state = rules.initial_state()
    while not isinstance(node := rules.node(state), Terminal):
        if isinstance(node, Chance):
            span = str(rules.span(state))
            dice = luck.setdefault(span, Keyed(f"{key}/{span}"))
            step = rules.resolve(state, dice.outcome(node.draw))
        else:
            assert isinstance(node, Decision)
            view = rules.observe(state, node.seat)
            began = clock()
            action = players[node.seat].choose(view)
            result.spent[kind_of[node.seat]] += clock() - began
            result.asked[kind_of[node.seat]] += 1
            result.decisions += 1
            step = rules.apply(state, action)
            if result.decisions > (limit or 5000):
                result.finished = False
                return result
        state = step.state
        public = rules.observe(state, PUBLIC)
        events = [rules.event_to_json(event, PUBLIC) for event in step.events]
        for player in players.values():
            player.follow(events, public)
    result.winners = tuple(node.outcome["winners"])
    return result


def main() -> None:
    """Print the table, or count what does not end."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=12.0, help="processor time, at most")
    parser.add_argument(
        "--first", type=int, default=len(CONTESTS), help="only so many contests, in their order"
    )
    parser.add_argument("--mixed", type=int, default=0, help="play so many mixed matches instead")
    parser.add_argument("--log", type=Path, help="what it holds is not played again")
    given = parser.parse_args()
    if given.mixed:
        print(ends(given.mixed, given.minutes, given.log))
        return
    print(HEAD.format(command="python -m tests.bench.strength " + " ".join(sys.argv[1:])))
    for standing in ladder(CONTESTS[: given.first], given.minutes, given.log):
        print(standing.row())


if __name__ == "__main__":
    main()
