"""Is an action legal? Every fault is found and named by its rule row (rules B to N).

``faults_of`` works on the position as the deciding seat sees it: of the money only that seat's own is looked at.
``listing`` enumerates the legal actions; the two agree (tested). ``apply`` asks here about whatever was not just
taken from the list of the very position.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pbem.base.sentences import joined, sentence, term
from pbem.game import IllegalAction
from pbem.games.way_out_west.actions import (
    BOX_ACTIONS,
    NAMES,
    Action,
    Bid,
    BoxAction,
    Build,
    Cattle,
    Cowboys,
    DropOut,
    Farmer,
    Gunfight,
    MoveCattle,
    MoveCowboys,
    Pass,
    PlaceCowboy,
    Retreat,
)
from pbem.games.way_out_west.answers import answer_faults
from pbem.games.way_out_west.boxes import box_faults, find_box
from pbem.games.way_out_west.declaring import gunfight_faults
from pbem.games.way_out_west.faults import Faults, stock_fault
from pbem.games.way_out_west.state import (
    NOBODY,
    Lying,
    Match,
    Position,
    is_open,
    vacant_corrals,
)

_OUT_OF_TURN: Final[dict[str, tuple[str, ...]]] = {
    "setup": ("A6",),
    "auction": ("B3", "B9"),
    "actions": ("C2",),
    "gunfight": ("J6", "K4", "L16"),
    "chance": (),
    "over": ("P2", "P3"),
}


def check(match: Match, position: Position, seat: int, action: Action) -> None:
    """Raise ``IllegalAction`` with every row that forbids this action, unless it is legal."""
    faults = faults_of(match, position, seat, action)
    if faults:
        rows = tuple(dict.fromkeys(row for fault in faults for row in fault[0]))
        raise IllegalAction(rows, joined(dict.fromkeys(text for _, text in faults)))


def faults_of(match: Match, position: Position, seat: int, action: Action) -> Faults:
    """Every reason why ``seat`` may not do this now; empty if it may."""
    if seat == NOBODY or position.decider != seat:
        return [(_OUT_OF_TURN[position.phase], sentence("it is not this seat's decision"))]
    moment = _MOMENTS.get(type(action))
    if moment is None:
        return _wrong_question(position, action) or answer_faults(match, position, action)
    phase, row, look = moment
    if position.phase == phase:
        return look(match, position, seat, action)
    told = sentence(
        "{name} belongs to the phase {phase}; this is {phase2}",
        name=NAMES[type(action)],
        phase=term(phase),
        phase2=term(position.phase),
    )
    return [((row, "B1"), told)]


def _wrong_question(position: Position, action: Action) -> Faults:
    asked = position.fight.asks if position.phase == "gunfight" and position.fight is not None else None
    wanted = "fire" if isinstance(action, Retreat) else NAMES[type(action)]
    if asked == wanted:
        return []
    rows = {"ask-sheriff": ("K4", "K9"), "lend-sheriff": ("K4", "K9"), "fire": ("L10", "L11", "L16"),
            "leave-town": ("M5",), "take-wanted": ("M10",)}[wanted]  # fmt: skip
    name = NAMES[type(action)]
    if asked:
        told = sentence(
            "{name} answers {wanted}; the question is {asked}", name=name, wanted=wanted, asked=asked
        )
    else:
        phase = term(position.phase)
        told = sentence(
            "{name} answers {wanted}; the phase is {phase}", name=name, wanted=wanted, phase=phase
        )
    return [(rows, told)]


def _no_faults(match: Match, position: Position, seat: int, action: Action) -> Faults:  # noqa: ARG001
    return []


def _box_action_faults(match: Match, position: Position, seat: int, action: BoxAction) -> Faults:
    return CHECKS[type(action)](match, position, seat, action) + box_faults(match, position, seat, action)


def _bid_faults(match: Match, position: Position, seat: int, action: Bid) -> Faults:  # noqa: ARG001
    faults: Faults = []
    amount = action.amount
    highest = max(position.bids)
    if amount <= highest:
        faults.append(
            (
                ("B4", "B5"),
                sentence("a bid must be higher than the highest so far, {highest}", highest=highest),
            )
        )
    if amount < 1:
        faults.append((("B5",), sentence("the first bid must be at least 1")))
    if amount > position.cash[seat]:
        faults.append(
            (
                ("B6", "B13"),
                sentence("a bid may not exceed the bidder's cash, {cash}", cash=position.cash[seat]),
            )
        )
    return faults


def _pass_faults(match: Match, position: Position, seat: int, action: Pass) -> Faults:  # noqa: ARG001
    if action.box is None:
        return []
    if match.options.box_must_act:
        return [(("C8", "C7"), sentence("a box may not be blocked without acting"))]
    box = next((box for box in match.boxes if box.id == action.box), None)
    if box is None:
        return [
            (
                ("C6",),
                sentence(
                    "there is no box {box} with {count} players", box=action.box, count=len(match.seats)
                ),
            )
        ]
    return (
        [(("C4",), sentence("box {box} holds a token already", box=action.box))]
        if box.id in position.used
        else []
    )


def can_use_box(match: Match, position: Position, seat: int, action: BoxAction) -> bool:
    """``not faults_of(…)`` for the active seat's action phase, without finding out every reason."""
    if CHECKS[type(action)](match, position, seat, action):
        return False
    return find_box(match, position, seat, action) is not None


# --- the seven kinds of action ----------------------------------------------------------------------------


def _cattle_faults(match: Match, position: Position, seat: int, action: Cattle) -> Faults:
    faults = stock_fault(match, position, seat, "cattle", len(action.towns), "D9")
    if len(set(action.towns)) > 1 and not match.options.cattle_two_towns:
        faults.append((("D8",), sentence("both cattle counters go to one town")))
    towns = list(position.towns)
    for name in action.towns:
        town = match.board.numbers[name]
        if towns[town].cowboys[seat] == 0:
            faults.append((("D6",), sentence("no cowboy of one's own in {name}", name=name)))
        if vacant_corrals(match, tuple(towns), town) < 1:
            faults.append((("D2", "N5"), sentence("no empty corral box in {name}", name=name)))
        if not is_open(match, tuple(towns), town):
            faults.append(
                (
                    ("D3", "D4"),
                    sentence(
                        "{name} is closed: not more than half of the corrals below are filled", name=name
                    ),
                )
            )
        towns[town] = towns[town].add_cattle(seat, 1)
    return faults


def _cowboys_faults(match: Match, position: Position, seat: int, action: Cowboys) -> Faults:
    return stock_fault(match, position, seat, "cowboy", len(action.towns), "E5")


def _build_faults(match: Match, position: Position, seat: int, action: Build) -> Faults:
    number = match.board.numbers[action.town]
    town, plan = position.towns[number], match.board.towns[number]
    faults = stock_fault(match, position, seat, action.asset, 1, "F6")
    if town.owner(action.asset) != NOBODY:
        faults.append(
            (("F2",), sentence("{town} has a {asset} already", town=action.town, asset=term(action.asset)))
        )
    if town.holdings(seat) >= 2:
        faults.append((("F3",), sentence("two or more assets of one's own in {town}", town=action.town)))
    if town.size >= plan.buildings:
        faults.append((("F1", "F7"), sentence("no free building box in {town}", town=action.town)))
    return faults


def _move_cowboys_faults(match: Match, position: Position, seat: int, action: MoveCowboys) -> Faults:
    faults: Faults = []
    leaving: dict[str, int] = {}
    for move in action.moves:
        leaving[move.origin] = leaving.get(move.origin, 0) + move.count
        if move.origin == move.to:
            faults.append(
                (
                    ("G1",),
                    sentence(
                        "a cowboy moves to another town, not from {origin} to itself", origin=move.origin
                    ),
                )
            )
    for name, count in sorted(leaving.items()):
        there = position.towns[match.board.numbers[name]].cowboys[seat]
        if count > there:
            faults.append(
                (
                    ("G2", "G1"),
                    sentence(
                        "{count} cowboys leave {name}, there are {there} of one's own",
                        count=count,
                        name=name,
                        there=there,
                    ),
                )
            )
    return faults


def _move_cattle_faults(match: Match, position: Position, seat: int, action: MoveCattle) -> Faults:
    faults: Faults = []
    origin, to = match.board.numbers[action.origin], match.board.numbers[action.to]
    if action.seat not in (None, match.seats[seat]) and match.options.move_cattle_owner == "own":
        faults.append((("H4",), sentence("only one's own cattle may be moved")))
    elif cattle_mover(match, position, seat, action) == NOBODY:
        whose = action.seat or (
            sentence("anybody's") if match.options.move_cattle_owner == "any" else sentence("one's own")
        )
        faults.append(
            (
                ("H4", "H1"),
                sentence("no cattle counter ({whose}) in {id}", whose=whose, id=match.board.towns[origin].id),
            )
        )
    if vacant_corrals(match, position.towns, to) < 1:
        faults.append((("H1", "N5"), sentence("no vacant corral box in {to}", to=action.to)))
    return faults


def cattle_mover(match: Match, position: Lying, seat: int, action: MoveCattle) -> int:
    """Whose counter moves, or NOBODY.

    The named seat's; else one's own; else, under ``move_cattle_owner=any``, that of the next seat in turn order.
    """
    town = position.towns[match.board.numbers[action.origin]]
    if action.seat is not None:
        candidates = [match.seat_numbers[action.seat]]
    elif match.options.move_cattle_owner == "any":
        at = position.order.index(seat)
        candidates = [*position.order[at:], *position.order[:at]]
    else:
        candidates = [seat]
    return next((owner for owner in candidates if town.cattle[owner]), NOBODY)


def _farmer_faults(match: Match, position: Position, seat: int, action: Farmer) -> Faults:
    faults: Faults = []
    number = match.board.numbers[action.town]
    town = position.towns[number]
    if position.farmers[seat] < 1:
        faults.append((("N4", "N10"), sentence("this player's farmer is used up")))
    if town.farmer != NOBODY:
        faults.append((("N3", "N10"), sentence("{town} has a farmer already", town=action.town)))
    if action.replace is None:
        if vacant_corrals(match, position.towns, number) < 1:
            faults.append(
                (
                    ("N1", "N9"),
                    sentence(
                        "no empty corral box in {town}: name whose cattle it displaces", town=action.town
                    ),
                )
            )
    elif not town.cattle[match.seat_numbers[action.replace]]:
        faults.append(
            (("N2",), sentence("{replace} has no cattle in {town}", replace=action.replace, town=action.town))
        )
    return faults


CHECKS: dict[type[Action], Callable[..., Faults]] = {
    Cattle: _cattle_faults,
    Cowboys: _cowboys_faults,
    Build: _build_faults,
    MoveCowboys: _move_cowboys_faults,
    MoveCattle: _move_cattle_faults,
    Gunfight: gunfight_faults,
    Farmer: _farmer_faults,
}
_MOMENTS: Final[dict[type[Action], tuple[str, str, Callable[..., Faults]]]] = {
    PlaceCowboy: ("setup", "A6", _no_faults),
    Bid: ("auction", "B1", _bid_faults),
    DropOut: ("auction", "B1", _no_faults),
    Pass: ("actions", "C2", _pass_faults),
    **dict.fromkeys(BOX_ACTIONS, ("actions", "C2", _box_action_faults)),
}
"""The phase of what is no answer to a question, the row that says so, and what looks for its faults there."""
