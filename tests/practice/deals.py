"""Deals for the first lesson of Wyatt Earp: ``python -m tests.practice.deals [FIRST [COUNT]]``.

The deal of a lesson follows from its seed and from all that record 0 says. An option more makes it another deal, and
the script no longer fits. This looks for a new one: it deals the seeds from FIRST on, keeps the promising hands, plays
each many times by chance, and prints the hands that a lesson could use, best first: ``lesson.json`` takes the seed,
the actions of the two seats, and words for them.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Sequence
from typing import Any

from pbem.game import Chance, JsonObject, Seat, Setup
from pbem.games import find_game
from pbem.games.wyatt_earp.deck import KIND_OF, OUTLAW_NAMES
from pbem.player.practice import lesson_plan
from pbem.player.practice.match import LESSON_DAY, checked
from pbem.player.world import SeededEntropy
from pbem.protocol.crypto.digest import SALT_SIZE
from pbem.protocol.crypto.identity import SECRET_SIZE, Identity
from pbem.protocol.draws import chain, cut, entropy, epoch_seed, lay, permutation, seat_label
from pbem.protocol.referee import create_match

PLAN = checked(lesson_plan("wyatt-earp"))
_GAME = find_game(PLAN.game)
_SEATS = tuple(map(Seat, PLAN.seats))
_SETUP = Setup(
    _SEATS,
    _GAME.resolve_options(PLAN.profile, PLAN.options),
    _GAME.default_extra(_SEATS),
    max(_GAME.info.versions),
)
RULES: Any = _GAME.rules(_SETUP)
SHOTS = {"hideout", "bank-robbery", "stagecoach-robbery", "fastest-gun"}
MOST = 14
"""Actions of the person that a lesson may have."""
PROMISING = 50
PLAYED = 300
Played = tuple[Sequence[tuple[Seat, JsonObject]], Any]
"""The actions of a hand, and the state after it."""


def deal(seed: str) -> Any:
    """The state after the deal of a lesson with this seed, without making the match (``Practice.begin``)."""
    some = SeededEntropy(seed, "lesson")
    some(SECRET_SIZE), some(32)  # of the match that is only tried
    people = []
    for _ in range(len(PLAN.seats) + 1):
        people.append(Identity(some(SECRET_SIZE)))
        some(SALT_SIZE)
    host, nonce = people[0], some(32)
    game = create_match(PLAN, host, nonce, LESSON_DAY).hash
    links = {
        seat: chain(seat_label(seat), game, person.chain_seed(game))[1]
        for seat, person in zip(PLAN.seats, people[1:], strict=True)
    }
    first = RULES.initial_state()
    draw = RULES.node(first).draw
    order = lay(epoch_seed(host.master(nonce), game, 1), game, 1, draw.deck, 0, draw.cards).order
    drawn = permutation(order, cut(entropy(game, 1, links), draw.deck, 0, len(order)))
    return RULES.resolve(first, drawn).state


def promise(state: Any) -> int:
    """How good the person's hand is for a story: sets that can be laid soon, and Sheriff cards to show."""
    hand, top = state.hands[0], state.discard[0]
    counts: list[int] = [hand.count(outlaw) + (outlaw == top) for outlaw in range(len(OUTLAW_NAMES))]
    soon: list[int] = [count + state.supply[:5].count(outlaw) for outlaw, count in enumerate(counts)]
    laid = sum(count for count in counts if count > 2) * 2 + sum(count for count in soon if count > 2)
    taken = 4 * bool(top < len(counts) and counts[top] > 2)
    return laid + taken + 4 * (KIND_OF["wyatt-earp"] in hand) + 3 * any(KIND_OF[s] in hand for s in SHOTS)


def play(state: Any, chance: random.Random) -> Played | None:
    """One hand by chance, with the moves that anybody would make more often; None if it is too long."""
    done: list[tuple[Seat, JsonObject]] = []
    while not isinstance(node := RULES.node(state), Chance):
        if sum(seat == _SEATS[0] for seat, _ in done) > MOST:
            return None
        offers = [(a, RULES.action_to_json(a)) for a in RULES.legal_actions(RULES.observe(state, node.seat))]
        hand = state.hands[_SEATS.index(node.seat)]
        weights = [_weight(action, [other for _, other in offers], hand, state) for _, action in offers]
        action, consequence = chance.choices(offers, weights)[0]
        state = RULES.apply(state, action).state
        done.append((node.seat, consequence))
    return (done, state) if any(state.money) else None


def _weight(action: JsonObject, offers: Sequence[JsonObject], hand: Sequence[int], state: Any) -> float:
    """How often this action is taken."""
    match action["do"]:
        case "draw" if action["from"] == "discard":
            return 3 if state.discard[0] in hand else 0.15
        case "lay":
            more = (
                offer["count"]
                for offer in offers
                if offer["do"] == "lay" and offer["outlaw"] == action["outlaw"]
            )
            return 8.0 if action["count"] == max(more) else 0.0
        case "photo":
            return 8
        case "wyatt-earp":
            return 5 if action["mode"] == "draw" else 0.5
        case "most-wanted":
            return 0.3
        case "discard":
            kind = KIND_OF[action["card"]]
            return 0.3 if kind >= len(OUTLAW_NAMES) else 0.6 / hand.count(kind) ** 3
        case do if do in SHOTS:
            return 4 / len([offer for offer in offers if offer["do"] == do])
        case _:
            return 1


def worth(played: Played) -> float:
    """How much of the game this hand shows, and how sensibly it is played."""
    done, state = played
    mine, others = ([action for seat, action in done if (seat == _SEATS[0]) is own] for own in (True, False))
    does = [action["do"] for action in mine]
    laid, theirs = ({a["outlaw"] for a in part if a["do"] == "lay"} for part in (mine, others))
    drawn = [action["from"] for action in mine if action["do"] == "draw"]
    thrown = [a["card"] for _, a in done[:-1] if a["do"] == "discard"]
    first, second = state.money
    value: float = (
        4 * (drawn[0] == "discard") + 2 * ("supply" in drawn) + 4 * ("photo" in does)
        + 5 * ({"do": "wyatt-earp", "mode": "draw"} in mine) + 5 * any(do in SHOTS for do in does)
        + 3 * (len(laid) > 1) + 2 * bool(laid & theirs) + 3 * (first > second) + 3 * (second >= 3000)
        + 4 * (done[-1][0] == _SEATS[0]) - 2 * ("most-wanted" in does) - does.count("choose")
        - 3 * sum(KIND_OF[card] >= len(OUTLAW_NAMES) for card in thrown) - max(0, len(mine) - 12)
    )  # fmt: skip
    return value


def main(first: int = 1, count: int = 3000) -> None:
    """Print the best hands."""
    dealt = {seed: deal(str(seed)) for seed in range(first, first + count)}
    best = sorted(dealt, key=lambda seed: -promise(dealt[seed]))[:PROMISING]
    ranked = []
    for seed in best:
        chance = random.Random(seed)
        hands = [hand for _ in range(PLAYED) if (hand := play(dealt[seed], chance)) is not None]
        ranked += [(worth(hand), seed, hand) for hand in sorted(hands, key=worth)[-2:]]
    for value, seed, (done, state) in sorted(ranked, key=lambda row: -row[0])[:10]:
        print(f"\nseed {seed}: {value}, money {state.money}")
        print("\n".join(f"  {seat} {json.dumps(action)}" for seat, action in done))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
