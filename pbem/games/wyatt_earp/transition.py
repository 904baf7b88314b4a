"""One transition in the making: the state as it is now, and what happened while it was changed.

A ``Transition`` lives no longer than one call of ``apply`` or ``resolve``; states never change.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from pbem.game import TABLE, Deal, Fact, JsonObject, Seat, Step
from pbem.games.wyatt_earp import actions, deck
from pbem.games.wyatt_earp.deck import Group, Kind, Outlaw, Stack
from pbem.games.wyatt_earp.state import CHANCE, Match, Pending, State, money_in_bank

_DECK: Final = "main"


class Transition:
    """A state that the effects in ``turn`` and ``ending`` replace, and what else a ``Step`` holds."""

    __slots__ = ("deals", "events", "facts", "match", "reveals", "state")

    def __init__(self, match: Match, state: State) -> None:
        self.match = match
        self.state = state
        self.events: list[actions.Event] = []
        self.deals: list[Deal] = []
        self.facts: list[Fact] = []
        self.reveals = False

    def set(self, **values: Any) -> None:
        """Replace fields of the state."""
        self.state = self.state._replace(**values)

    def freeze(self) -> Step[State, actions.Event]:
        """The finished step."""
        reveals = self.reveals or bool(self.deals)
        return Step(self.state, tuple(self.events), tuple(self.deals), tuple(self.facts), reveals)

    def take_in(self, seat: int, *cards: Kind) -> None:
        """Add cards to a hand."""
        hands = self.state.hands
        self.set(hands=deck.put(hands, seat, deck.hand_of((*hands[seat], *cards))))

    def take_out(self, seat: int, card: Kind) -> None:
        """Take a card out of a hand."""
        hands = self.state.hands
        self.set(hands=deck.put(hands, seat, deck.without(hands[seat], card)))

    def put_down(self, seat: int, card: Kind, why: str) -> None:
        """Lay a card of a hand on the discard (E1, I5, O1)."""
        self.take_out(seat, card)
        self.remove(seat, card, why)

    def remove(self, seat: int, card: Kind, why: str) -> None:
        """Lay a card that came off a territory on the discard (I17)."""
        self.set(discard=(card, *self.state.discard))
        self.events.append(actions.Discarded(seat, card, why))

    def draw_into_hand(self, seat: int, count: int) -> None:
        """Up to ``count`` cards from the top of the supply, dealt to a seat."""
        cards = self.state.supply[:count]
        if not cards:
            return
        self.set(supply=self.state.supply[count:])
        self.take_in(seat, *cards)
        self.deals += [deal_to(self.match.seats[seat])] * len(cards)
        self.events.append(actions.Drew(seat, True, cards))

    def turn_over(self, seat: int) -> bool:
        """The top of the supply is turned onto the discard: a shot (I3); whether it hit."""
        card = self.turn_up()
        hit = not deck.is_sheriff(card)
        self.events.append(actions.Shot(seat, card, hit))
        return hit

    def turn_up(self) -> Kind:
        """Lay the top card of the supply on the discard; which it was."""
        card, *left = self.state.supply
        self.set(supply=tuple(left), discard=(card, *self.state.discard))
        self.deals.append(_TO_TABLE)
        return card

    def group(self, seat: int, outlaw: Outlaw) -> Group:
        """The group of one Outlaw in one territory; empty if there is none."""
        return self.state.table[seat * 7 + outlaw]

    def set_group(self, seat: int, outlaw: Outlaw, group: Group) -> None:
        """Replace a group."""
        self.set(table=deck.put(self.state.table, seat * 7 + outlaw, group))

    def reward(self, outlaw: Outlaw, amount: int) -> int:
        """The banker adds to a poster what a play earns, as far as the bank has it (A14); what was added."""
        left = money_in_bank(self.match, self.state.posters, self.state.money)
        added = amount if left is None else min(amount, left)
        self.set(posters=deck.put(self.state.posters, outlaw, self.state.posters[outlaw] + added))
        return added

    def add_fact(self, seat: int, body: JsonObject) -> None:
        """A fact for one seat alone."""
        self.facts.append(Fact(Seat(self.match.seats[seat]), body))

    def add_found(self, seat: int, card: Kind) -> None:
        """What a search took (schemas/README.md §14.1)."""
        self.add_fact(seat, {"found": deck.NAMES[card]})

    def add_stack(self, seat: int, stack: Stack) -> None:
        """What a search shows, top first (schemas/README.md §14.1)."""
        self.add_fact(seat, {"stack": [deck.NAMES[kind] for kind in stack]})

    def ask_chance(self, pending: Pending) -> None:
        """Nobody acts until the shuffle that ``pending`` names has come out."""
        self.set(phase=CHANCE, pending=pending)

    def ask(self, phase: str, pending: Pending) -> None:
        """A seat must answer."""
        self.set(phase=phase, pending=pending)

    def carry_on(self, phase: str) -> None:
        """Nothing is pending."""
        self.set(phase=phase, pending=None)

    @property
    def no_shot_left(self) -> bool:
        """I15 for everybody: the supply is empty and there is nothing to reshuffle, or no right to."""
        return not self.state.supply and (self.state.reshuffled or not self.state.discard)

    @property
    def second_supply_is_gone(self) -> bool:
        """Under ``exhaustion_end=immediate`` this ends the hand."""
        return (
            not self.state.supply
            and self.state.reshuffled
            and self.match.options.exhaustion_end == "immediate"
        )


@cache
def deal_to(seat: str) -> Deal:
    """A card dealt into this seat's hand; one object for each seat."""
    return Deal(_DECK, Seat(seat))


_TO_TABLE: Final = Deal(_DECK, TABLE)
"""A card dealt face up."""
