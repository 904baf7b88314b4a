"""A position being changed: the one mutable thing, alive for a single transition.

``apply`` and ``resolve`` copy a position into a ``Draft``, the rules move counters and money on it and note
events, and ``freeze`` gives the next position. Everything that touches cash goes through ``pay`` and ``earn``.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Final, assert_never

from pbem.games.way_out_west import actions
from pbem.games.way_out_west.board import Box, with_token
from pbem.games.way_out_west.boxes import find_box, price_of
from pbem.games.way_out_west.legality import cattle_mover
from pbem.games.way_out_west.state import NOBODY, STAGECOACH, Fight, Match, Phase, Position, Town, added

_values_of: Final = attrgetter(*Position._fields)


class Draft:
    """A working copy of a position, with the events so far."""

    __slots__ = (*Position._fields, "events", "match")

    def __init__(self, match: Match, position: Position) -> None:
        self.match = match
        self.events: list[actions.Event] = []
        self.phase: Phase
        self.fight: Fight | None
        (
            self.space,
            self.phase,
            self.order,
            self.active,
            cash,
            wanted,
            self.farmers,
            tokens,
            self.used,
            towns,
            self.bids,
            self.dropped,
            self.jails_lost,
            self.fight,
        ) = position
        self.cash = list(cash)
        self.wanted = list(wanted)
        self.tokens = list(tokens)
        self.towns = list(towns)

    def freeze(self) -> Position:
        """The position as it stands now."""
        return Position._make(
            tuple(value) if isinstance(value, list) else value for value in _values_of(self)
        )

    # names

    def seat_name(self, seat: int) -> str:
        """The id of a seat; ``farmer`` for NOBODY, who is only ever named as a farmer's side."""
        return "farmer" if seat == NOBODY else self.match.seats[seat]

    def town_name(self, town: int) -> str:
        """The id of a town."""
        return self.match.town_ids[town]

    def town(self, name: str) -> int:
        """The number of a town."""
        return self.match.board.numbers[name]

    def note(self, event: actions.Event) -> None:
        """Something happened."""
        self.events.append(event)

    # money

    def pay(self, seat: int, amount: int) -> None:
        """To the reserve (C9); legality was checked before."""
        self.cash[seat] -= amount

    def earn(self, seat: int, amount: int) -> None:
        """From the reserve, which never runs dry (A4)."""
        self.cash[seat] += amount

    # tokens and boxes

    def spend_token(self, seat: int, box: Box | None) -> None:
        """One black token: onto a box, or set aside (C3, C7)."""
        self.tokens[seat] -= 1
        if box is not None:
            self.used = with_token(self.match.box_index, self.used, box.id)

    def pay_box(self, seat: int, box: Box, price: int) -> None:
        """The price of a box whose action places nothing (C3)."""
        if price:
            self.pay(seat, price)
            self.note(actions.BoxPaid(self.match.seats[seat], box.id, price))

    # counters

    def place_cowboy(self, seat: int, town: int, paid: int, *, bought: bool) -> None:
        """From stock onto the map; a bought one pays the stagecoach (E3), one of the setup does not (A7)."""
        self.pay(seat, paid)
        self.towns[town] = self.towns[town].add_cowboys(seat, 1)
        self.note(actions.Placed(self.match.seats[seat], "cowboy", self.town_name(town), paid))
        if bought:
            self._toll(seat, town, 1)

    def place_cattle(self, seat: int, town: int, paid: int) -> None:
        """From stock into an empty corral box."""
        self.pay(seat, paid)
        self.towns[town] = self.towns[town].add_cattle(seat, 1)
        self.note(actions.Placed(self.match.seats[seat], "cattle", self.town_name(town), paid))

    def place_asset(self, seat: int, asset: str, town: int, paid: int) -> None:
        """From stock into a free building box."""
        self.pay(seat, paid)
        self.towns[town] = self.towns[town].give(asset, seat)
        self.note(actions.Placed(self.match.seats[seat], asset, self.town_name(town), paid))

    def place_farmer(self, seat: int, town: int, paid: int, displaced: int | None) -> None:
        """Into a corral box; a cattle counter that stood there goes home (N1, N2)."""
        self.pay(seat, paid)
        if displaced is not None:
            self.towns[town] = self.towns[town].add_cattle(displaced, -1)
            self.note(actions.Returned(self.match.seats[displaced], "cattle", self.town_name(town), 1))
        self.farmers = added(self.farmers, seat, -1)
        self.towns[town] = self.towns[town]._replace(farmer=seat)
        self.note(actions.Placed(self.match.seats[seat], "farmer", self.town_name(town), paid))

    def shift_cowboys(self, seat: int, origin: int, to: int, count: int) -> None:
        """From town to town, nobody paid (L15, M6)."""
        self.towns[origin] = self.towns[origin].add_cowboys(seat, -count)
        self.towns[to] = self.towns[to].add_cowboys(seat, count)

    def move_cowboys(self, seat: int, move: actions.Move) -> None:
        """The action of G: one stagecoach is paid, the origin's before the destination's (G3)."""
        numbers = self.match.board.numbers
        origin, to = numbers[move.origin], numbers[move.to]
        self.shift_cowboys(seat, origin, to, move.count)
        self.note(actions.Moved(self.match.seats[seat], "cowboy", move.origin, move.to, move.count))
        if not self._toll(seat, origin, move.count):
            self._toll(seat, to, move.count)

    def _toll(self, seat: int, town: int, count: int) -> bool:
        """1 for each cowboy to the stagecoach of another player in the town (E3, E4, G3, G4)."""
        owner = self.towns[town].assets[STAGECOACH]
        if owner in (NOBODY, seat):
            return False
        self.earn(owner, count)
        self.note(actions.Toll(self.match.seats[owner], count, self.town_name(town)))
        return True

    def move_cattle(self, seat: int, origin: int, to: int) -> None:
        """One counter of ``seat`` into another vacant corral box (H)."""
        self.towns[origin] = self.towns[origin].add_cattle(seat, -1)
        self.towns[to] = self.towns[to].add_cattle(seat, 1)
        names = self.town_name(origin), self.town_name(to)
        self.note(actions.Moved(self.match.seats[seat], "cattle", *names, 1))

    def set_town(self, town: int, value: Town) -> None:
        """Replace what lies in a town."""
        self.towns[town] = value


# --- box actions ------------------------------------------------------------------------------------------
#
# Carrying out an action of the action phase on a draft: the token, the price, the counters (rules C to H,
# N).


def use_box(draft: Draft, seat: int, action: actions.BoxAction) -> None:
    """C3: a token on the first box that can carry the action out, its price, the action.

    Of a gunfight only the token and the price: what follows is in ``gunfight``.
    """
    match = draft.match
    box = find_box(match, draft, seat, action)
    assert box is not None  # noqa: S101 (legality has found it)
    draft.spend_token(seat, box)
    _act(draft, seat, action, box)


def _act(draft: Draft, seat: int, action: actions.BoxAction, box: Box) -> None:
    """What the action does to the map."""
    match action:
        case actions.MoveCowboys():
            draft.pay_box(seat, box, price_of(box, action))
            for move in action.moves:
                draft.move_cowboys(seat, move)
        case actions.Gunfight():
            draft.pay_box(seat, box, price_of(box, action))
        case actions.Cattle() | actions.Cowboys():
            _place_bought(draft, seat, action, box)
        case actions.Build():
            draft.place_asset(seat, action.asset, draft.town(action.town), box.price)
        case actions.Farmer():
            displaced = None if action.replace is None else draft.match.seat_numbers[action.replace]
            draft.place_farmer(seat, draft.town(action.town), box.price, displaced)
        case actions.MoveCattle():
            draft.pay_box(seat, box, price_of(box, action))
            owner = cattle_mover(draft.match, draft, seat, action)
            draft.move_cattle(owner, draft.town(action.origin), draft.town(action.to))
        case _:
            assert_never(action)


def _place_bought(draft: Draft, seat: int, action: actions.Cattle | actions.Cowboys, box: Box) -> None:
    """D1, E1; a price for the whole box is paid with the first counter."""
    for at, name in enumerate(action.towns):
        paid = box.per_counter + (box.price if at == 0 else 0)
        if isinstance(action, actions.Cattle):
            draft.place_cattle(seat, draft.town(name), paid)
        else:
            draft.place_cowboy(seat, draft.town(name), paid, bought=True)
