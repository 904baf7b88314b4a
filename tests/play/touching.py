"""Every row of the list by touch, and nothing else: over random positions, ``python -m tests.play.touching 2000``."""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from itertools import cycle, islice

from pbem.game import JsonObject
from pbem.games import find_game
from pbem.games.touching import Touch, touching_of
from pbem.player.play.menu import Menu
from pbem.player.play.phrases import Phrases
from pbem.player.play.touching import TouchTree
from pbem.player.play.trial import Trial, canonical
from tests.play.walk import positions

TABLES = (("wyatt-earp", 2), ("wyatt-earp", 3), ("wyatt-earp", 4), ("way-out-west", 3), ("way-out-west", 4),
          ("way-out-west", 5))  # fmt: skip
_ROWS = 60
"""Rows of one position that are touched; where there are more, so many of them by lot."""
_WALKS = 20
"""Ways down the tree of one position, each step by lot."""


def boards(seed: int) -> Iterator[tuple[str, Trial]]:
    """Decisions of random matches, all tables in turn; sometimes with something in the draft already."""
    rng = random.Random(seed)
    walks = [positions(game, seats, seed) for game, seats in TABLES]
    for at in cycle(range(len(TABLES))):
        board = next(walks[at], None)
        if board is None:
            walks[at] = positions(*TABLES[at], rng.randrange(1 << 30))
            continue
        table, seat = board
        trial = Trial(table.rules, seat, table.rules.observe(table.state, seat))
        while trial.options and rng.random() < 0.3:
            trial = trial.add(rng.choice(trial.options))
        if trial.options:
            yield TABLES[at][0], trial


def tree_of(game: str, trial: Trial) -> tuple[TouchTree, list[JsonObject]]:
    """The tree over a trial, and the rows of the list."""
    rules_of, setup = find_game(game), trial.rules.setup
    ordered = Phrases(rules_of, setup, trial.seat, {seat: str(seat) for seat in setup.seats}).ordered(
        trial.options
    )
    shown = trial.rules.view_to_json(trial.now)
    return TouchTree(touching_of(rules_of), shown, trial, ordered), [
        action for action, _ in Menu(ordered).left
    ]


def judge(game: str, trial: Trial, rng: random.Random) -> int:
    """Fail unless each row can be touched and every end of a way is a row; how many were tried."""
    tree, rows = tree_of(game, trial)
    listed = {canonical(action) for action in rows}
    chosen = rows if len(rows) <= _ROWS else rng.sample(rows, _ROWS)
    for action in chosen:
        reached(tree, action, rng)
        for extra in trial.extras(action)[:4]:
            reached(tree, extra, rng)
    for _ in range(_WALKS):
        node = tree.root
        parts: tuple[str, ...] = ()
        while node.next and (node.action is None or rng.random() < 0.7):
            parts = (*parts, rng.choice(node.next))
            node = tree.deeper(node, parts)
        assert node.action is not None, (game, parts)  # no way ends in nothing
        assert trial.allows(node.action), (game, parts, node.action)
        assert canonical(node.action) in listed or _said_more(trial, rows, node.action), (
            game,
            parts,
            node.action,
        )
    return len(chosen)


def reached(tree: TouchTree, action: JsonObject, rng: random.Random) -> None:
    """``action`` by its parts, whatever may be touched in any order in an order by lot."""
    left: Touch = tree.touch(action)
    node = tree.root
    parts: tuple[str, ...] = ()
    while not left.done:
        part = rng.choice(left.heads)
        assert part in node.next, (action, parts, part, node.next)
        parts = (*parts, part)
        node, left = tree.deeper(node, parts), rng.choice(left.after(part))
    assert node.action is not None, (action, parts)
    assert canonical(node.action) == canonical(action), (action, node.action)


def _said_more(trial: Trial, rows: list[JsonObject], action: JsonObject) -> bool:
    """Whether the list says it behind "say more": a row, or what a row says more, that names one thing more."""
    begins = [
        row
        for row in rows
        if row != action and all(_begins(value, action.get(name)) for name, value in row.items())
    ]
    for row in begins:
        more = trial.extras(row)
        if action in more or (more and _said_more(trial, more, action)):
            return True
    return False


def _begins(value: object, whole: object) -> bool:
    """Whether a member is that of ``whole``, or less of it."""
    if isinstance(value, list) and isinstance(whole, list):
        return value == whole[: len(value)]
    if isinstance(value, dict) and isinstance(whole, dict):
        return all(_begins(inner, whole.get(name)) for name, inner in value.items())
    return value == whole


def run(count: int, seed: int) -> int:
    """So many positions; how many rows were touched."""
    rng = random.Random(seed)
    return sum(judge(game, trial, rng) for game, trial in islice(boards(seed), count))


def main() -> None:
    """The command."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("positions", type=int, nargs="?", default=2000)
    asked.add_argument("--seed", type=int, default=1)
    given = asked.parse_args()
    rows = run(given.positions, given.seed)
    print(f"{given.positions} positions, {rows} rows touched: each was reached, and nothing else was.")


if __name__ == "__main__":
    main()
