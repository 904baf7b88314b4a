"""Endings of hands of Wyatt Earp, judged by an oracle: would it have been better to wait?

::

    python -m tests.bench.oracle --seats 3 --matches 30 --player strong --foe greedy

Whoever goes out with a hand that brings somebody else more may have been a fool, or he may have cut his losses: waiting
can cost more. So each ending by the player's own choice is compared with the best three choices that let the hand go
on. The oracle plays the hand on to its end in the same 60 deals for all of them, all as the seat may know them, and
everybody by the rules' own suggestions. Foolish is an ending that loses the hand and is worth at least $1,000 less, and
twice the error of the comparison, than waiting.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from math import sqrt
from typing import Any

from pbem.game import PUBLIC, Chance, Decision, Terminal
from pbem.players.player import EarpPlayer, quick
from pbem.players.search import SearchPlayer, ToTheEnd, Tree
from tests.bench.strength import MAKERS, NAMES, rules_for
from tests.conformance.keyed import Keyed

DEALS = 60
EVERY = 4
"""One decision of so many is judged."""


def regret(player: EarpPlayer, view: Any, action: Any) -> tuple[float, float]:
    """How much better it is to wait than to go out by ``action``, in thousands, and the error of that."""
    waiting = [one.action for one in player.weigh(view) if not player.goes_out(view, one.action)][:3]
    if not waiting:
        return 0.0, 0.0
    tree = Tree(ToTheEnd(player), view, "oracle")
    rows = [tree.compare([action, *waiting], [deal]) for deal in range(DEALS)]
    best = max(waiting, key=lambda one: sum(row[one] for row in rows))
    gains = [row[best] - row[action] for row in rows]
    mean = sum(gains) / DEALS
    return mean, sqrt(sum((gain - mean) ** 2 for gain in gains) / DEALS / (DEALS - 1))


def endings(seats: int, number: int, kind: str, foe: str) -> list[tuple[bool, float, float]]:
    """Of one match: for each hand that the player ended by choice, whether it lost that hand, and the regret."""
    rules: Any = rules_for("wyatt-earp", seats)
    hero = number % seats
    key = f"oracle/{seats}/{number // seats}"
    players = {
        seat: MAKERS[kind if at == hero else foe](rules, f"{key}/{seat}")
        for at, seat in enumerate(rules.setup.seats)
    }
    mine = players[NAMES[hero]]
    if isinstance(mine, SearchPlayer):
        mine = mine.quick
    assert isinstance(mine, EarpPlayer)
    luck: dict[str, Keyed] = {}
    state, first, found = rules.initial_state(), None, list[tuple[bool, float, float]]()
    while not isinstance(node := rules.node(state), Terminal):
        if isinstance(node, Chance):
            dice = luck.setdefault(str(rules.span(state)), Keyed(f"{key}/{rules.span(state)}"))
            step = rules.resolve(state, dice.outcome(node.draw))
        else:
            assert isinstance(node, Decision)
            view = rules.observe(state, node.seat)
            action = players[node.seat].choose(view)
            if node.seat == NAMES[hero] and first is None and mine.goes_out(view, action):
                first = regret(mine, view, action)
            step = rules.apply(state, action)
        names = {type(event).__name__ for event in step.events}
        if "HandEnded" in names and first is not None:
            gains = [after - had for after, had in zip(step.state.money, state.money, strict=True)]
            found.append((gains[hero] < max(gains), *first))
        if names & {"HandEnded", "TurnEnded"}:
            first = None
        state = step.state
        events = [rules.event_to_json(event, PUBLIC) for event in step.events]
        for player in players.values():
            player.hear(events, rules.observe(state, PUBLIC))
    return found


def decisions(seats: int, number: int, kinds: Sequence[str]) -> Iterator[dict[str, float]]:
    """What each kind's choice is worth less than the best one seen, at decisions of one seat in a suggested match."""
    rules: Any = rules_for("wyatt-earp", seats)
    me, dice, state = NAMES[number % seats], Keyed(f"decisions/{seats}/{number}"), rules.initial_state()
    players = {kind: MAKERS[kind](rules, f"decisions/{number}/{kind}") for kind in kinds}
    judge = quick(rules, "judge")
    count = 0
    while not isinstance(node := rules.node(state), Terminal):
        if isinstance(node, Chance):
            step = rules.resolve(state, dice.outcome(node.draw))
        else:
            assert isinstance(node, Decision)
            view = rules.observe(state, node.seat)
            count += node.seat == me
            if node.seat == me and count % EVERY == 0 and len(rules.legal_actions(view)) > 1:
                chosen = {kind: player.choose(view) for kind, player in players.items()}
                best = [one.action for one in judge.weigh(view)[:5]]
                assert isinstance(judge, EarpPlayer)
                tree = Tree(ToTheEnd(judge), view, "oracle")
                worth = tree.compare(list(dict.fromkeys([*chosen.values(), *best])), range(DEALS))
                most = max(worth.values())
                yield {kind: (most - worth[action]) / DEALS for kind, action in chosen.items()}
            step = rules.apply(state, rules.suggest(view))
        state = step.state
        events = [rules.event_to_json(event, PUBLIC) for event in step.events]
        for player in (judge, *players.values()):
            player.hear(events, rules.observe(state, PUBLIC))


def tell_decisions(seats: int, matches: int, kinds: Sequence[str]) -> None:
    """Print the mean regret of each kind after every match."""
    rows: list[dict[str, float]] = []
    for number in range(matches):
        rows += decisions(seats, number, kinds)
        told = []
        for kind in kinds:
            values = [1000 * row[kind] for row in rows]
            mean = sum(values) / max(1, len(values))
            error = sqrt(sum((one - mean) ** 2 for one in values)) / max(1, len(values))
            told.append(f"{kind} ${mean:.0f} ± {1.96 * error:.0f}")
        print(f"{seats} seats, {len(rows)} decisions, regret of each: " + ", ".join(told), flush=True)


def main() -> None:
    """Print one line for each match, the last one is the answer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seats", type=int, default=3)
    parser.add_argument("--matches", type=int, default=30)
    parser.add_argument("--player", default="strong")
    parser.add_argument("--foe", default="greedy")
    parser.add_argument("--decisions", default="", metavar="KIND,KIND", help="regret of these kinds instead")
    given = parser.parse_args()
    if given.decisions:
        tell_decisions(given.seats, given.matches, given.decisions.split(","))
        return
    found: list[tuple[bool, float, float]] = []
    for number in range(given.matches):
        found += endings(given.seats, number, given.player, given.foe)
        lost = [one for one in found if one[0]]
        foolish = sum(gain >= max(1, 2 * error) for _, gain, error in lost)
        mean = sum(max(0.0, gain) for _, gain, _ in found) / max(1, len(found))
        print(
            f"{given.seats} seats, {number + 1} matches: {len(found)} endings, {len(lost)} of a lost hand,"
            f" {foolish} of these foolish; waiting would have been worth ${1000 * mean:.0f} more in the mean",
            flush=True,
        )


if __name__ == "__main__":
    main()
