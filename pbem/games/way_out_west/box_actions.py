"""Carrying out an action of the action phase on a draft: the token, the price, the counters (rules C to H, N)."""

from __future__ import annotations

from typing import assert_never

from pbem.games.way_out_west.actions import (
    BoxAction,
    Build,
    Cattle,
    Cowboys,
    Farmer,
    Gunfight,
    MoveCattle,
    MoveCowboys,
)
from pbem.games.way_out_west.board import Box
from pbem.games.way_out_west.boxes import find_box, price_of
from pbem.games.way_out_west.draft import Draft
from pbem.games.way_out_west.legality import cattle_mover


def use_box(draft: Draft, seat: int, action: BoxAction) -> None:
    """C3: a token on the first box that can carry the action out, its price, the action.

    Of a gunfight only the token and the price: what follows is in ``gunfight``.
    """
    match = draft.match
    box = find_box(match, draft, seat, action)
    assert box is not None  # noqa: S101 (legality has found it)
    draft.spend_token(seat, box)
    _act(draft, seat, action, box)


def _act(draft: Draft, seat: int, action: BoxAction, box: Box) -> None:
    """What the action does to the map."""
    match action:
        case MoveCowboys():
            draft.pay_box(seat, box, price_of(box, action))
            for move in action.moves:
                draft.move_cowboys(seat, move)
        case Gunfight():
            draft.pay_box(seat, box, price_of(box, action))
        case Cattle() | Cowboys():
            _place_bought(draft, seat, action, box)
        case Build():
            draft.place_asset(seat, action.asset, draft.town(action.town), box.price)
        case Farmer():
            displaced = None if action.replace is None else draft.match.seat_numbers[action.replace]
            draft.place_farmer(seat, draft.town(action.town), box.price, displaced)
        case MoveCattle():
            draft.pay_box(seat, box, price_of(box, action))
            owner = cattle_mover(draft.match, draft, seat, action)
            draft.move_cattle(owner, draft.town(action.origin), draft.town(action.to))
        case _:
            assert_never(action)


def _place_bought(draft: Draft, seat: int, action: Cattle | Cowboys, box: Box) -> None:
    """D1, E1; a price for the whole box is paid with the first counter."""
    for at, name in enumerate(action.towns):
        paid = box.per_counter + (box.price if at == 0 else 0)
        if isinstance(action, Cattle):
            draft.place_cattle(seat, draft.town(name), paid)
        else:
            draft.place_cowboy(seat, draft.town(name), paid, bought=True)
