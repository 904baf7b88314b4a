"""What the computer players make of the default board: a table of money, points and wins.

::

    python -m tests.bench.way_out_west_balance --matches 500 > tests/bench/way-out-west-balance.md

Plays that many matches for each number of players with ``Rules.suggest`` in every seat. The dice follow from the number
of the match, so the table is the same on every machine.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial

from pbem.game import FULL, AnyRules, Chance, Decision, JsonObject, Seat, Setup
from pbem.games import find_game
from tests.conformance.keyed import Keyed

GAME = "way-out-west"
SEATS = tuple(map(Seat, ("anna", "burt", "curt", "dora", "emil")))
ASSETS = ("jail", "store", "stagecoach", "hotel", "bank", "train")
INCOME = ("cattle", "bank", "store", "hotel", "stagecoach", "robbery")
SPENT = ("bids", "cattle", "cowboy", *ASSETS, "robbed")
POINTS = ("assets", "cattle", "control", "cash", "wanted")
COMMAND = "python -m tests.bench.way_out_west_balance"


@dataclass
class Tally:
    """Sums over the matches of one number of players."""

    players: int
    matches: int = 0
    income: Counter[str] = field(default_factory=Counter)
    spent: Counter[str] = field(default_factory=Counter)
    points: Counter[str] = field(default_factory=Counter)
    built: Counter[str] = field(default_factory=Counter)
    standing: Counter[str] = field(default_factory=Counter)
    scored: Counter[str] = field(default_factory=Counter)
    """Points of the assets that stand at the end."""
    fights: Counter[str] = field(default_factory=Counter)
    prizes: Counter[str] = field(default_factory=Counter)
    actions: Counter[str] = field(default_factory=Counter)
    turns: int = 0
    wins: dict[str, Fraction] = field(default_factory=dict)
    first_order: tuple[str, ...] = ()

    def add(self, other: Tally) -> None:
        """Another match."""
        self.matches += other.matches
        self.turns += other.turns
        for name in (
            "income",
            "spent",
            "points",
            "built",
            "standing",
            "scored",
            "fights",
            "prizes",
            "actions",
        ):
            getattr(self, name).update(getattr(other, name))
        for key, share in other.wins.items():
            self.wins[key] = self.wins.get(key, Fraction(0)) + share


def play(players: int, number: int) -> Tally:
    """One match by the rules' suggestions, counted."""
    game = find_game(GAME)
    seats = SEATS[:players]
    setup = Setup(seats, game.resolve_options("default", {}), game.default_extra(seats))
    rules = game.rules(setup)
    dice = Keyed(f"balance {players} {number}")
    tally = Tally(players, matches=1)
    state = rules.initial_state()
    while True:
        node = rules.node(state)
        if isinstance(node, Chance):
            step = rules.resolve(state, dice.outcome(node.draw))
        elif isinstance(node, Decision):
            action = rules.suggest(rules.observe(state, node.seat))
            if node.phase == "actions":
                tally.actions[rules.action_to_json(action)["do"]] += 1
            step = rules.apply(state, action)
        else:
            _count_end(tally, node.outcome, rules, state)
            return tally
        for event in step.events:
            _count(tally, rules.event_to_json(event, FULL))
        state = step.state


def _count(tally: Tally, event: JsonObject) -> None:
    kind = event["event"]
    if kind == "turn-order" and "paid" not in event:
        tally.first_order = tuple(event["order"])
    elif kind == "turn-order":
        tally.spent["bids"] += sum(event["paid"].values())
    elif kind == "placed":
        tally.spent[event["what"]] += event["paid"]
        tally.built[event["what"]] += event["paid"] > 0
    elif kind == "income":
        tally.income[event["source"]] += event["amount"]
    elif kind == "toll":
        tally.income["stagecoach"] += event["amount"]
    elif kind == "robbed":
        tally.income["robbery"] += event["amount"]
        tally.spent["robbed"] += event["amount"]
    elif kind == "gunfight":
        tally.fights[_target(event)] += 1
    elif kind in ("captured", "removed"):
        tally.prizes[event["what"]] += 1
    elif kind == "turn-ended":
        tally.turns += 1
    elif kind == "scored":
        tally.points.update({source: event[source] for source in POINTS})


def _target(event: JsonObject) -> str:
    target = event["target"]
    return str(target.get("asset") or ("cattle" if "cattle" in target else "farmer"))


def _count_end(tally: Tally, outcome: JsonObject, rules: AnyRules, state: object) -> None:
    winners = outcome["winners"]
    for seat in winners:
        share = Fraction(1, len(winners))
        for key in (f"place {tally.first_order.index(seat) + 1}", f"seat {seat}"):
            tally.wins[key] = tally.wins.get(key, Fraction(0)) + share
    for town in rules.position_to_json(state)["towns"].values():
        tally.standing.update(town["assets"].keys())
        tally.scored.update(dict.fromkeys(town["assets"], len(town["assets"])))


def tallies(matches: int, jobs: int) -> Iterator[Tally]:
    """All matches, by number of players."""
    with ProcessPoolExecutor(jobs) as pool:
        for players in (3, 4, 5):
            total = Tally(players)
            for tally in pool.map(partial(play, players), range(matches), chunksize=10):
                total.add(tally)
            yield total


# --- the table --------------------------------------------------------------------------------------------


def _row(name: str, values: list[str]) -> str:
    return f"| {name} | " + " | ".join(values) + " |"


def _table(title: str, names: list[str], rows: list[tuple[str, list[str]]]) -> list[str]:
    head = [_row(title, names), "|---|" + "---:|" * len(names)]
    return [*head, *(_row(name, values) for name, values in rows), ""]


def _rate(value: float | Fraction, over: int, digits: int = 2) -> str:
    return f"{float(value) / over:.{digits}f}" if over else "-"


def report(tallies: list[Tally], matches: int) -> str:
    """The whole Markdown file."""
    heads = [f"{tally.players} players" for tally in tallies]
    seats = [tally.matches * tally.players for tally in tallies]

    def per_seat(member: str, names: tuple[str, ...]) -> list[tuple[str, list[str]]]:
        return [
            (
                name,
                [
                    _rate(getattr(tally, member)[name], over)
                    for tally, over in zip(tallies, seats, strict=True)
                ],
            )
            for name in names
        ]

    places = [
        (
            f"{place}.",
            [_share(tally, f"place {place}") if place <= tally.players else "" for tally in tallies],
        )
        for place in range(1, 6)
    ]
    chairs = [
        (f"{at}.", [_share(tally, f"seat {seat}") if at <= tally.players else "" for tally in tallies])
        for at, seat in enumerate(SEATS, 1)
    ]
    command = f"{COMMAND} --matches {matches} > tests/bench/way-out-west-balance.md"
    lines = [
        "# Way Out West: what the computer players make of the default board",
        "",
        f"{matches} matches for each number of players, `Rules.suggest` in every seat, board `team-v1`, default",
        "options. Made by:",
        "",
        "```",
        command,
        "```",
        "",
        "## Income by source, dollars per seat and match",
        "",
        *_table("source", heads, per_seat("income", INCOME)),
        "## Money spent, dollars per seat and match",
        "",
        *_table("on", heads, per_seat("spent", SPENT)),
        "## Points by source, per seat and match",
        "",
        *_table("source", heads, [*per_seat("points", POINTS), ("total", _totals(tallies, seats))]),
        "## Wins by place in the first play order (A5), a tie shared",
        "",
        *_table("place", heads, places),
        "## Wins by seat at the table, a tie shared",
        "",
        *_table("seat", heads, chairs),
        "## Assets: bought and still standing at the end, per match, and points each standing one scored",
        "",
        *_table("asset", [f"{head}: {column}" for head in heads for column in ("bought", "standing", "points")],
                [(asset, [cell for tally in tallies for cell in _asset(tally, asset)]) for asset in ASSETS]),
        "## Gunfights declared, and counters won by them, per match",
        "",
        *_table("target", [f"{head}: {column}" for head in heads for column in ("declared", "won")],
                [(column, [cell for tally in tallies for cell in (_rate(tally.fights[column], tally.matches),
                                                             _won(tally, column))])
                 for column in ("cattle", *ASSETS, "farmer")]),
        "## Actions chosen, per seat and turn of the game",
        "",
        *_table("action", heads, [(name, [_rate(tally.actions[name], tally.turns * tally.players)
                                          for tally in tallies])
                                  for name in ("cattle", "cowboys", "build", "move-cowboys", "move-cattle",
                                               "gunfight", "farmer", "pass")]),
    ]  # fmt: skip
    return "\n".join(lines)


def _share(tally: Tally, key: str) -> str:
    return f"{float(tally.wins.get(key, Fraction(0))) * 100 / tally.matches:.1f} %"


def _won(tally: Tally, column: str) -> str:
    return "robbed, see income" if column == "bank" else _rate(tally.prizes[column], tally.matches)


def _asset(tally: Tally, asset: str) -> list[str]:
    standing = tally.standing[asset]
    return [
        _rate(tally.built[asset], tally.matches),
        _rate(standing, tally.matches),
        _rate(tally.scored[asset], standing),
    ]


def _totals(tallies: list[Tally], seats: list[int]) -> list[str]:
    return [_rate(sum(tally.points.values()), over) for tally, over in zip(tallies, seats, strict=True)]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Way Out West: balance of the default board")
    parser.add_argument("--matches", type=int, default=500)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    given = parser.parse_args()
    print(report(list(tallies(given.matches, given.jobs)), given.matches))


if __name__ == "__main__":
    main()
