"""What these tests share: rules by options, plays with keyed chance, and the count of cards and money."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from pbem.game import Chance, Decision, JsonObject, Seat, Setup, Terminal
from pbem.games.wyatt_earp import GAME
from pbem.games.wyatt_earp.actions import Action
from pbem.games.wyatt_earp.deck import COPIES, NAMES
from pbem.games.wyatt_earp.rules import WyattEarpRules
from pbem.games.wyatt_earp.state import State
from tests.conformance.keyed import Keyed

SEATS = tuple(map(Seat, ("anna", "burt", "curt", "dora")))
DECK = Counter(dict(zip(NAMES, COPIES, strict=True)))
Player = Callable[[WyattEarpRules, State, Seat], Action]


def rules_for(seats: int = 3, profile: str = "default", **options: Any) -> WyattEarpRules:
    """The engine with these options."""
    names = SEATS[:seats]
    rules = GAME.rules(Setup(names, GAME.resolve_options(profile, options), GAME.default_extra(names)))
    assert isinstance(rules, WyattEarpRules)
    return rules


def any_options(keyed: Keyed) -> JsonObject:
    """Every key with one of its values."""
    return {key: keyed.choice(values) for key, values in GAME.info.options.items()}


def play(rules: WyattEarpRules, keyed: Keyed, choose: Player, most: int = 20_000) -> Iterator[State]:
    """Every state of a match, the last one over."""
    state = rules.initial_state()
    for _ in range(most):
        yield state
        node = rules.node(state)
        if isinstance(node, Terminal):
            return
        if isinstance(node, Chance):
            state = rules.resolve(state, keyed.outcome(node.draw)).state
        else:
            state = rules.apply(state, choose(rules, state, node.seat)).state
    raise AssertionError(f"no end after {most} steps")


def at_random(keyed: Keyed) -> Player:
    """Any legal action."""
    return lambda rules, state, _: keyed.choice(rules.legal(state))


def by_suggestion(rules: WyattEarpRules, state: State, seat: Seat) -> Action:
    """What the computer player does."""
    return rules.suggest(rules.observe(state, seat))


def cards_in(position: JsonObject) -> Counter[str]:
    """Every card of a full position, wherever it lies."""
    cards: Counter[str] = Counter(position["supply"]) + Counter(position["discard"])
    for hand in position["hands"].values():
        cards.update(hand)
    for territory in position["territories"].values():
        for outlaw, group in territory.items():
            cards[outlaw] += group["outlaws"]
            cards[f"photo:{outlaw}"] += group["photo"]
            cards["hideout"] += group["hideout"]
            for card in ("bank-robbery", "stagecoach-robbery", "fastest-gun"):
                cards[card] += group[card]
    return +cards


def decisions(rules: WyattEarpRules, keyed: Keyed, choose: Player) -> Iterator[tuple[State, Seat]]:
    """Every state of a match in which a seat is asked, with that seat."""
    for state in play(rules, keyed, choose):
        node = rules.node(state)
        if isinstance(node, Decision):
            yield state, node.seat
