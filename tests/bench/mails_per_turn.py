"""Files per turn and days per match, without and with standing orders: the table of examples/mails-per-turn.md.

::

    python -m tests.bench.mails_per_turn --matches 200 > examples/mails-per-turn.md

Plays that many matches of each game with the demo's players, once as ``pbem demo`` plays (each looks after every draw,
shot or roll) and once with standing orders and orders for the rest of the turn, as ``pbem demo --orders``. Chance
follows from the number of the match, so the table is the same on every machine.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from pbem.game import Seat, Setup
from pbem.games import find_game
from tests.bench.paper import Given, KeyedChance, Paper, days
from tests.conformance.keyed import Keyed

SEATS = tuple(map(Seat, ("anna", "burt", "curt", "dora", "emil")))
ENVELOPE = 2048
COMMAND = "python -m tests.bench.mails_per_turn --matches {matches} > examples/mails-per-turn.md"
AIM = {"wyatt-earp": 1.3, "way-out-west": 1.5}
"""Files for each turn that a seat takes; files per seat and game turn."""


@dataclass(frozen=True)
class Count:
    """What one match took."""

    files: int
    turns: int
    """Turns that seats took; in Way Out West each seat takes one in each turn of the game."""
    epochs: int
    readies: int
    days: int
    answers: int
    alike: int
    longest: int


def play(game_id: str, seats: int, number: int, given: Given) -> Count:
    """One match, counted."""
    game = find_game(game_id)
    names = SEATS[:seats]
    rules = game.rules(Setup(names, game.resolve_options("default", {}), game.default_extra(names)))
    key = f"mails {game_id} {seats} {number}"
    match = Paper(rules, lambda epoch: KeyedChance(Keyed(f"{key} {epoch}")), given).run()
    draws = sum(step.get("action", {}).get("do") == "draw" for step in match.steps)
    turns = draws if game.info.decks else seats * match.epochs
    return Count(
        match.files,
        turns,
        match.epochs,
        match.readies,
        days(match.sent, names),
        match.answers,
        match.alike,
        match.longest,
    )


@dataclass(frozen=True)
class Group:
    """All matches of one game with one number of seats, played in one way."""

    game: str
    seats: int
    given: Given
    counts: Sequence[Count]

    @property
    def per_turn(self) -> float:
        """Files for each turn that a seat takes."""
        return sum(c.files for c in self.counts) / sum(c.turns for c in self.counts)

    @property
    def worst(self) -> float:
        """The same, of the match in which it was highest."""
        return max(c.files / c.turns for c in self.counts)

    def mean(self, member: str) -> float:
        """The mean of a member over the matches."""
        return float(sum(getattr(c, member) for c in self.counts)) / len(self.counts)

    def share(self, quantile: float) -> int:
        """Days that this share of the matches does not exceed."""
        ordered = sorted(c.days for c in self.counts)
        return ordered[min(len(ordered) - 1, math.ceil(quantile * len(ordered)) - 1)]


def groups(game_id: str, matches: int, workers: int | None = None) -> Iterable[Group]:
    """Every number of seats in turn, without and with orders; the matches are dealt out evenly among them."""
    sizes = list(find_game(game_id).info.seats)
    with ProcessPoolExecutor(workers) as pool:
        for at, seats in enumerate(sizes):
            numbers = range(at, matches, len(sizes))
            for given in Given:
                jobs = len(numbers)
                results = pool.map(
                    play, [game_id] * jobs, [seats] * jobs, numbers, [given] * jobs, chunksize=4
                )
                yield Group(game_id, seats, given, list(results))


def together(groups_played: Sequence[Group], given: Given) -> Group:
    """All numbers of seats in one."""
    counts = [count for group in groups_played if group.given is given for count in group.counts]
    return Group(groups_played[0].game, 0, given, counts)


# --- the table --------------------------------------------------------------------------------------------


def _row(group: Group) -> str:
    cells = [
        str(group.seats or "all"),
        str(len(group.counts)),
        group.given.value,
        f"{group.mean('files'):.0f}",
        f"**{group.per_turn:.2f}**",
        f"{group.worst:.2f}",
        f"{group.mean('files') / group.mean('epochs'):.1f}",
        f"{group.mean('days'):.0f}",
        str(group.share(0.9)),
    ]
    return "| " + " | ".join(cells) + " |"


HEAD = """# How many emails a match takes

{matches} matches of each game, dealt out evenly among the numbers of seats, played by the demo's players with default
options. Made by:

```
{command}
```

*Without* orders players send what they can before they have to look: a draw, then what they do with the cards up to a
shot, then the rest. *With* orders each file also says how they draw next time, answer in a reaction or a
gunfight, bid, and go on. *Only what is offered*: the same player writes no
orders, but takes every one that `pbem play` and `pbem turn --then` offer; they follow from what is public.

Counted is every file that a player signs after the first cards are dealt. Before that each seat signs two, its join and
the first Ready. *Days* are those of a match in which every player reads and writes once a day, at an hour of
their own. They send one file at most.
"""
FOOT = """\
A seat's turn in Way Out West is its bids, both its actions, and its answers in gunfights. One file is the least, since
every game turn needs a new part of the shuffle from every seat.
"""


def _section(title: str, unit: str, span: str, groups_played: Sequence[Group]) -> list[str]:
    without, offered, ordered = (together(groups_played, given) for given in Given)
    heads = ["seats", "matches", "orders", "files a match", f"files {unit}", "worst match", f"files {span}"]
    return [
        f"## {title}",
        "",
        f"| {' | '.join([*heads, 'days', '9 in 10 within'])} |",
        "|---|---:|---|---:|---:|---:|---:|---:|---:|",
        *(_row(group) for group in (*groups_played, without, offered, ordered)),
        "",
        _verdict(unit, without, offered, ordered),
        "",
        _quality(ordered),
        "",
    ]


def _verdict(unit: str, without: Group, offered: Group, ordered: Group) -> str:
    aim = AIM[ordered.game]
    verdict = "met" if ordered.per_turn <= aim else f"missed by {ordered.per_turn - aim:.2f}"
    shorter = without.mean("days") / ordered.mean("days")
    return (
        f"With orders {ordered.per_turn:.2f} files {unit}; the aim is at most {aim}: **{verdict}**.\n"
        f"The match takes a day where it takes {shorter:.1f} without.\n"
        f"A player who only takes what is offered sends {offered.per_turn:.2f}."
    )


def _quality(ordered: Group) -> str:
    answers = sum(c.answers for c in ordered.counts)
    alike = sum(c.alike for c in ordered.counts) / max(answers, 1)
    over = sum(c.longest > ENVELOPE for c in ordered.counts)
    return (
        f"Orders answered {answers:,} questions, {alike:.0%} of them as the same player would have answered if asked.\n"
        f"Files that held nothing but a link: {sum(c.readies for c in ordered.counts)}. The longest orders took "
        f"{max(c.longest for c in ordered.counts):,} of {ENVELOPE:,} bytes;\nmatches in which some did not fit: {over}."
    )


def report(by_game: dict[str, list[Group]], matches: int) -> str:
    """The whole Markdown file."""
    earp, west = by_game["wyatt-earp"], by_game["way-out-west"]
    lines = [
        HEAD.format(matches=matches, command=COMMAND.format(matches=matches)),
        *_section("Wyatt Earp", "for each turn that a seat takes", "a hand", earp),
        *_section("Way Out West", "per seat and game turn", "a game turn", west),
        FOOT,
    ]
    return "\n".join(lines).rstrip()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description="files and days of a match, without and with standing orders"
    )
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--workers", type=int)
    asked = parser.parse_args()
    by_game = {game: list(groups(game, asked.matches, asked.workers)) for game in AIM}
    print(report(by_game, asked.matches))


if __name__ == "__main__":
    main()
