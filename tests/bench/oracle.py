"""Moves that look foolish, judged by an oracle: would another choice have been better?

::

    python -m tests.bench.oracle --seats 3 --matches 30 --player strong --foe greedy
    python -m tests.bench.oracle --game way-out-west --seats 3 --matches 10 --player strong --foe suggest
    python -m tests.bench.oracle --seats 2 --matches 30 --decisions suggest,strong,search

Whoever goes out with a hand that brings somebody else more may have been a fool, or may have cut the losses: waiting
can cost more. So each choice of one of the kinds below is compared with the best three choices that it refused. The
oracle plays on from all of them in the same 60 deals, all as the seat may know them.

In Wyatt Earp everybody plays on by the rules' own suggestions to the end of the hand, and money is what it adds to the
chance to win the match, in the dollars of its beginning. In Way Out West everybody plays on by the judgement's first
look to the end of the game turn, and the judgement says what that is worth in points. Foolish is a choice that is worth
at least $1,000 or one point less, and twice the error of the comparison, than the best that it refused; of endings only
those of a lost hand.

The duel of Wyatt Earp's richest is no choice, nobody can refuse it: what can be refused there is a shot at a Hideout.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from pbem.bots.player import EarpPlayer, WestPlayer, quick
from pbem.bots.search import EarpModel, Model, Tree, WestModel
from pbem.bots.west import fight_chances
from pbem.game import PUBLIC, Chance, Decision, Terminal
from pbem.games.way_out_west.actions import Fire, Gunfight, Retreat
from pbem.games.wyatt_earp.actions import Discard, React
from tests.bench.strength import MAKERS, NAMES, rules_for
from tests.conformance.keyed import Keyed

DEALS = 60
EVERY = 4
"""One decision of so many is judged."""
LIKELY = 0.75
"""A fight clearly wins that is won so often if it is fought to its end."""
ENDED, WAITED, SPARED = "hand ended", "hand not ended", "no shot at a Hideout"
SHIRKED, LEFT = "clearly won fight not begun", "fight given up"
KINDS = {"wyatt-earp": (ENDED, WAITED, SPARED), "way-out-west": (SHIRKED, LEFT)}


class ToTheEnd(EarpModel):
    """Everybody plays the rules' own suggestions until the hand ends, move by move: slower, and by every profile."""

    def played_on(self, state: Any, chance: Any) -> list[float] | None:  # noqa: ARG002
        """Never."""
        return None


@dataclass(frozen=True)
class Judged:
    """One choice of a kind: what the best that it refused is worth more, in thousands or points, and the error."""

    kind: str
    gain: float
    error: float
    lost: bool = True
    """Of an ending: somebody else gained more by the hand."""

    @property
    def foolish(self) -> bool:
        """Whether the oracle calls it so."""
        return self.lost and self.gain >= max(1, 2 * self.error)


def refused(player: EarpPlayer | WestPlayer, view: Any, action: Any) -> tuple[str, list[Any]]:
    """The kind of this choice and the best three that it refused; none where it is of no kind."""
    if isinstance(player, WestPlayer):
        if isinstance(action, Retreat):
            return LEFT, [Fire()]
        if view.position.phase != "actions" or isinstance(action, Gunfight):
            return SHIRKED, []
        fights = [
            candidate.action for candidate in player.weigh(view) if isinstance(candidate.action, Gunfight)
        ]
        return SHIRKED, [fight for fight in fights if _won(player, view, fight) >= LIKELY][:3]
    legal = player.rules.legal_actions(view)
    if isinstance(action, React):
        return SPARED, [other for other in legal if not action.earp and other != action]
    out = player.goes_out(view, action)
    if out or (isinstance(action, Discard) and any(player.goes_out(view, action) for action in legal)):
        others = [
            candidate.action
            for candidate in player.weigh(view)
            if player.goes_out(view, candidate.action) != out
        ]
        return (ENDED if out else WAITED), others[:3]
    return WAITED, []


def _won(player: WestPlayer, view: Any, fight: Gunfight) -> float:
    chances = fight_chances(player.judge.match, view, fight)
    return chances.attack if chances else 0.0


def regret(
    player: EarpPlayer | WestPlayer, view: Any, action: Any, others: Sequence[Any]
) -> tuple[float, float]:
    """How much better the best of ``others`` is than ``action``, in thousands or points, and the error of that."""
    if not others:
        return 0.0, 0.0
    tree = Tree(model_of(player), view, "oracle", flat=True)
    rows = [tree.compare([action, *others], [deal]) for deal in range(DEALS)]
    best = max(others, key=lambda column: sum(row[column] for row in rows))
    gains = [row[best] - row[action] for row in rows]
    mean = sum(gains) / DEALS
    return mean, sqrt(sum((gain - mean) ** 2 for gain in gains) / DEALS / (DEALS - 1))


def model_of(player: EarpPlayer | WestPlayer) -> Model:
    """How the oracle plays on."""
    return WestModel(player.rules) if isinstance(player, WestPlayer) else ToTheEnd(player)


def judged(game: str, seats: int, number: int, kind: str, foe: str) -> list[Judged]:
    """The choices of these kinds that the player made in one match, the oracle's own ear beside theirs."""
    rules: Any = rules_for(game, seats)
    hero = number % seats
    key = f"oracle/{seats}/{number // seats}"
    players = {
        seat: MAKERS[kind if at == hero else foe](rules, f"{key}/{seat}")
        for at, seat in enumerate(rules.setup.seats)
    }
    ear = quick(rules, f"{key}/oracle")
    assert isinstance(ear, EarpPlayer | WestPlayer)
    luck: dict[str, Keyed] = {}
    state, first, judgements = rules.initial_state(), None, list[Judged]()
    while not isinstance(node := rules.node(state), Terminal):
        if isinstance(node, Chance):
            dice = luck.setdefault(str(rules.span(state)), Keyed(f"{key}/{rules.span(state)}"))
            step = rules.resolve(state, dice.outcome(node.draw))
        else:
            assert isinstance(node, Decision)
            view = rules.observe(state, node.seat)
            action = players[node.seat].choose(view)
            if node.seat == NAMES[hero]:
                kind, others = refused(ear, view, action)
                if kind == ENDED:
                    first = first or regret(ear, view, action, others)
                elif others:
                    judgements.append(Judged(kind, *regret(ear, view, action, others)))
            step = rules.apply(state, action)
        names = {type(event).__name__ for event in step.events}
        if "HandEnded" in names and first is not None:
            gains = [after - had for after, had in zip(step.state.money, state.money, strict=True)]
            judgements.append(Judged(ENDED, *first, lost=gains[hero] < max(gains)))
        if names & {"HandEnded", "TurnEnded"}:
            first = None
        state = step.state
        events = [rules.event_to_json(event, PUBLIC) for event in step.events]
        for player in (ear, *players.values()):
            player.follow(events, rules.observe(state, PUBLIC))
    return judgements


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
                best = [candidate.action for candidate in judge.weigh(view)[:5]]
                assert isinstance(judge, EarpPlayer)
                tree = Tree(ToTheEnd(judge), view, "oracle", flat=True)
                worth = tree.compare(list(dict.fromkeys([*chosen.values(), *best])), range(DEALS))
                most = max(worth.values())
                yield {kind: (most - worth[action]) / DEALS for kind, action in chosen.items()}
            step = rules.apply(state, rules.suggest(view))
        state = step.state
        events = [rules.event_to_json(event, PUBLIC) for event in step.events]
        for player in (judge, *players.values()):
            player.follow(events, rules.observe(state, PUBLIC))


def print_regrets(seats: int, matches: int, kinds: Sequence[str]) -> None:
    """Print the mean regret of each kind after every match."""
    rows: list[dict[str, float]] = []
    for number in range(matches):
        rows += decisions(seats, number, kinds)
        lines = []
        for kind in kinds:
            values = [1000 * row[kind] for row in rows]
            mean = sum(values) / max(1, len(values))
            error = sqrt(sum((value - mean) ** 2 for value in values)) / max(1, len(values))
            lines.append(f"{kind} ${mean:.0f} ± {1.96 * error:.0f}")
        print(f"{seats} seats, {len(rows)} decisions, regret of each: " + ", ".join(lines), flush=True)


def summary(game: str, judgements: Sequence[Judged]) -> str:
    """How many choices of each kind there are, how many of them are foolish, and what they cost in the mean."""
    lines = []
    for kind in KINDS[game]:
        mine = [judgement for judgement in judgements if judgement.kind == kind]
        lost = f", {sum(judgement.lost for judgement in mine)} of a lost hand" if kind == ENDED else ""
        cost = sum(max(0.0, judgement.gain) for judgement in mine) / max(1, len(mine))
        price = f"${1000 * cost:.0f}" if game == "wyatt-earp" else f"{cost:.1f} points"
        foolish = sum(judgement.foolish for judgement in mine)
        lines.append(f"{kind}: {len(mine)}{lost}, {foolish} foolish, {price} in the mean")
    return "; ".join(lines)


def main() -> None:
    """Print one line for each match, the last one is the answer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="wyatt-earp", choices=sorted(KINDS))
    parser.add_argument("--seats", type=int, default=3)
    parser.add_argument("--first", type=int, default=0, help="number of the first match")
    parser.add_argument("--matches", type=int, default=30)
    parser.add_argument("--player", default="strong")
    parser.add_argument("--foe", default="greedy")
    parser.add_argument("--decisions", default="", metavar="KIND,KIND", help="regret of these kinds instead")
    given = parser.parse_args()
    if given.decisions:
        print_regrets(given.seats, given.matches, given.decisions.split(","))
        return
    judgements: list[Judged] = []
    for number in range(given.first, given.first + given.matches):
        judgements += judged(given.game, given.seats, number, given.player, given.foe)
        done = number + 1 - given.first
        print(f"{given.seats} seats, {done} matches; {summary(given.game, judgements)}", flush=True)


if __name__ == "__main__":
    main()
