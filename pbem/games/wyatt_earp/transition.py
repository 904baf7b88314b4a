"""One transition in the making: a working copy of the state, and what happens while it is changed.

A ``Transition`` is thawed from a state, changed by the effects in ``turn``, ``shots``, ``ending`` and ``duel``,
and frozen into a ``Step``. It lives no longer than one call of ``apply`` or ``resolve``; states never change.
"""

from __future__ import annotations

from functools import cache
from operator import attrgetter
from typing import Final

from pbem.game import TABLE, Deal, Fact, JsonObject, Seat, Step
from pbem.games.wyatt_earp.cards import (
    NAMES,
    ONE,
    ONE_CARD,
    Group,
    Hand,
    Kind,
    Outlaw,
    Stack,
    put,
)
from pbem.games.wyatt_earp.events import Discarded, Drew, Event, Shot
from pbem.games.wyatt_earp.state import CHANCE, Duel, Match, Pending, State, money_in_bank

_DECK: Final = "main"


class Transition:
    """The fields of ``State``, and events, deals, facts and ``reveals`` of a ``Step``."""

    __slots__ = (*State._fields, "deals", "events", "facts", "match", "reveals")

    hand: int
    dealer: int
    active: int
    phase: str
    sheriff: bool
    reshuffled: bool
    opened: int
    laid: int
    posters: tuple[int, ...]
    money: tuple[int, ...]
    hands: tuple[Hand, ...]
    supply: Stack
    discard: Stack
    table: tuple[Group, ...]
    pending: Pending | None
    found: Kind
    drawn: Kind
    duel: Duel | None
    winner: int

    def __init__(self, match: Match, state: State) -> None:
        self.match = match
        self.events: list[Event] = []
        self.deals: list[Deal] = []
        self.facts: list[Fact] = []
        self.reveals = False
        for name, value in zip(State._fields, state, strict=True):
            setattr(self, name, value)

    def freeze(self) -> Step[State, Event]:
        """The finished step."""
        state = State._make(_values_of(self))
        reveals = self.reveals or bool(self.deals)
        return Step(state, tuple(self.events), tuple(self.deals), tuple(self.facts), reveals)

    # --- hands and stacks

    def take_in(self, seat: int, card: Kind) -> None:
        """Add a card to a hand."""
        hands = self.hands
        self.hands = put(hands, seat, hands[seat] + ONE[card])

    def take_out(self, seat: int, card: Kind) -> None:
        """Take a card out of a hand."""
        hands = self.hands
        self.hands = put(hands, seat, hands[seat] - ONE[card])

    def put_down(self, seat: int, card: Kind, why: str) -> None:
        """Lay a card of a hand on the discard (E1, I5, O1)."""
        hands = self.hands
        self.hands = put(hands, seat, hands[seat] - ONE[card])
        self.discard = ONE_CARD[card] + self.discard
        self.events.append(Discarded(seat, card, why))

    def remove(self, seat: int, card: Kind, why: str) -> None:
        """Lay a card that came off a territory on the discard (I17)."""
        self.discard = ONE_CARD[card] + self.discard
        self.events.append(Discarded(seat, card, why))

    def draw_into_hand(self, seat: int, count: int) -> None:
        """Up to ``count`` cards from the top of the supply, dealt to a seat."""
        cards = self.supply[:count]
        if not cards:
            return
        self.supply = self.supply[count:]
        hand = self.hands[seat]
        for card in cards:
            hand += ONE[card]
        self.hands = put(self.hands, seat, hand)
        self.deals += [deal_to(self.match.seats[seat])] * len(cards)
        self.events.append(Drew(seat, True, tuple(cards)))

    def turn_over(self, seat: int) -> bool:
        """The top of the supply is turned onto the discard: a shot (I3); whether it hit."""
        card = self.turn_up()
        hit = card < 7
        self.events.append(Shot(seat, card, hit))
        return hit

    def turn_up(self) -> Kind:
        """Lay the top card of the supply on the discard; which it was."""
        card = self.supply[0]
        self.supply = self.supply[1:]
        self.discard = ONE_CARD[card] + self.discard
        self.deals.append(_TO_TABLE)
        return card

    # --- territories, posters, facts

    def group(self, seat: int, outlaw: Outlaw) -> Group:
        """The group of one Outlaw in one territory; 0 if there is none."""
        return self.table[seat * 7 + outlaw]

    def set_group(self, seat: int, outlaw: Outlaw, group: Group) -> None:
        """Replace a group."""
        self.table = put(self.table, seat * 7 + outlaw, group)

    def reward(self, outlaw: Outlaw, amount: int) -> int:
        """The banker adds to a poster what a play earns, as far as the bank has it (A14); what he added."""
        left = money_in_bank(self.match, self.posters, self.money)
        added = amount if left is None else min(amount, left)
        self.posters = put(self.posters, outlaw, self.posters[outlaw] + added)
        return added

    def tell(self, seat: int, body: JsonObject) -> None:
        """A fact for one seat alone."""
        self.facts.append(Fact(Seat(self.match.seats[seat]), body))

    def tell_found(self, seat: int, card: Kind) -> None:
        """What a search took (schemas/README.md §14.1)."""
        self.tell(seat, {"found": NAMES[card]})

    def tell_stack(self, seat: int, stack: Stack) -> None:
        """What a search shows, top first (schemas/README.md §14.1)."""
        self.tell(seat, {"stack": [NAMES[kind] for kind in stack]})

    # --- what comes next

    def ask_chance(self, pending: Pending) -> None:
        """Nobody acts until the shuffle that ``pending`` names has come out."""
        self.phase = CHANCE
        self.pending = pending

    def ask(self, phase: str, pending: Pending) -> None:
        """A seat must answer."""
        self.phase = phase
        self.pending = pending

    def carry_on(self, phase: str) -> None:
        """Nothing is pending."""
        self.phase = phase
        self.pending = None

    @property
    def no_shot_left(self) -> bool:
        """I15 for everybody: the supply is empty and there is nothing to reshuffle, or no right to."""
        return not self.supply and (self.reshuffled or not self.discard)

    @property
    def second_supply_is_gone(self) -> bool:
        """Under ``exhaustion_end=immediate`` this ends the hand."""
        return not self.supply and self.reshuffled and self.match.options.exhaustion_end == "immediate"


@cache
def deal_to(seat: str) -> Deal:
    """A card dealt into this seat's hand; one object for each seat."""
    return Deal(_DECK, Seat(seat))


_values_of: Final = attrgetter(*State._fields)
_TO_TABLE: Final = Deal(_DECK, TABLE)
"""A card dealt face up."""
