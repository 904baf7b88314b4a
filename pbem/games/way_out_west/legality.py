"""The conditions of every kind of action, each with its rule rows (rules B to N): a refusal names all that fail.

``faults_of`` works on the position as the deciding seat sees it: of the money only that seat's own is looked at.
``listing`` asks it for the list of legal actions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pbem.base.sentences import Sentence, counted, name_of, phrase, sentence, term
from pbem.games.touching import Fault, Faults, refuse
from pbem.games.way_out_west import actions
from pbem.games.way_out_west.board import box_name
from pbem.games.way_out_west.boxes import box_faults, find_box
from pbem.games.way_out_west.state import (
    JAIL,
    NOBODY,
    Lying,
    Match,
    Position,
    Town,
    is_open,
    sheriff_available,
    stock,
    vacant_corrals,
)


def stock_fault(match: Match, position: Position, seat: int, counter: str, count: int, *rows: str) -> Faults:
    """``count`` counters are needed; none if the seat has as many in stock (A10)."""
    left = stock(match, position, seat, counter)
    if left < count:
        text = sentence("{count} {what} needed, {left} in stock", count=count, what=term(counter), left=left)
        yield Fault((*rows, "A10"), text)


def _town(match: Match, town: str) -> Sentence:
    """A town, as its board calls it."""
    return name_of(town, match.board.towns[match.board.numbers[town]].name)


# --- declaring a gunfight: with what strength, against what, with which plan (rules J1 to J19) ------------


def attack_strength(match: Match, town: Town, seat: int, *, farmer: bool) -> int:
    """J7: cowboys, one more for the own sheriff unless a farmer is attacked (``attacker_sheriff_vs_farmer``)."""
    return town.cowboys[seat] + sheriff_attacks(match, town, seat, farmer=farmer)


def sheriff_attacks(match: Match, town: Town, seat: int, *, farmer: bool) -> bool:
    """Whether the attacker's own sheriff joins (K3)."""
    willing = not farmer or match.options.attacker_sheriff_vs_farmer
    return willing and town.assets[JAIL] == seat and sheriff_available(town)


def gunfight_faults(match: Match, position: Position, seat: int, action: actions.Gunfight) -> Faults:
    """Why this gunfight cannot be declared."""
    town, target = position.towns[match.board.numbers[action.town]], action.target
    farmer = not isinstance(target, (actions.AssetTarget, actions.CattleTarget))
    alone = not match.options.attack_needs_cowboy
    strength = attack_strength(match, town, seat, farmer=farmer) if alone else town.cowboys[seat]
    if strength < 1:
        yield Fault(
            ("J1",),
            sentence("no cowboy of one's own in {town} to attack with", town=_town(match, action.town)),
        )
    if isinstance(target, actions.AssetTarget):
        yield from _asset_target_faults(match, position, seat, target.asset, town)
    elif isinstance(target, actions.CattleTarget):
        yield from _cattle_target_faults(match, position, seat, target, town)
    elif town.farmer == NOBODY:
        yield Fault(("J2",), sentence("no farmer in {town}", town=_town(match, action.town)))
    elif town.farmer == seat and not match.options.own_farmer_attackable:
        yield Fault(("J4",), sentence("you cannot attack a farmer that you placed yourself"))
    to = () if action.plan is None else action.plan.to
    if action.town in to or len(set(to)) < len(to):
        yield Fault(("L13",), sentence("a plan names different towns other than the town of the gunfight"))


def _asset_target_faults(match: Match, position: Position, seat: int, asset: str, town: Town) -> Faults:
    owner = town.owner(asset)
    if owner == NOBODY:
        yield Fault(("J2",), sentence("no {asset} there", asset=term(asset)))
    elif owner == seat:
        yield Fault(("J3",), sentence("the {asset} is one's own", asset=term(asset)))
    elif asset not in ("bank", "jail") and match.options.takeover_without_counter != "remove":
        yield from stock_fault(match, position, seat, asset, 1, "J5")


def _cattle_target_faults(
    match: Match, position: Position, seat: int, target: actions.CattleTarget, town: Town
) -> Faults:
    owner = match.seat_numbers[target.seat]
    if owner == seat:
        yield Fault(("J3",), sentence("the cattle are one's own"))
        return
    if town.cattle[owner] < target.cattle:
        text = sentence("{seat} has {cattle} cattle there", seat=target.seat, cattle=town.cattle[owner])
        yield Fault(("J2",), text)
    if match.options.takeover_without_counter == "illegal":
        yield from stock_fault(match, position, seat, "cattle", target.cattle, "J5", "J19")


_OUT_OF_TURN: Final[dict[str, tuple[str, ...]]] = {
    "setup": ("A6",),
    "auction": ("B3", "B9"),
    "actions": ("C2",),
    "gunfight": ("J6", "K4", "L16"),
    "chance": (),
    "over": ("P2", "P3"),
}


def check(match: Match, position: Position, seat: int, action: actions.Action) -> None:
    """Raise ``IllegalAction`` with every row that forbids this action, unless it is legal."""
    faults = faults_of(match, position, seat, action)
    if faults:
        refuse(faults)


def faults_of(match: Match, position: Position, seat: int, action: actions.Action) -> list[Fault]:
    """Every reason why ``seat`` may not do this now; empty if it may."""
    return list(_failing(match, position, seat, action))


def _failing(match: Match, position: Position, seat: int, action: actions.Action) -> Faults:
    if seat == NOBODY or position.decider != seat:
        yield Fault(_OUT_OF_TURN[position.phase], sentence("it is not this seat's decision"))
        return
    phase, row, conditions = _MOMENTS.get(type(action), ("gunfight", "", _no_faults))
    if not row:
        yield from _answer(match, position, action)
    elif position.phase == phase:
        yield from conditions(match, position, seat, action)
    else:
        text = sentence(
            "this action belongs to the phase {phase}; this is {phase2}",
            phase=term(phase),
            phase2=term(position.phase),
        )
        yield Fault((row, "B1"), text)


def can_use_box(match: Match, position: Position, seat: int, action: actions.BoxAction) -> bool:
    """Whether the active seat may do this in its action phase: looked at up to the first condition that fails."""
    if find_box(match, position, seat, action) is None:
        return False
    return next(_ON_THE_MAP[type(action)](match, position, seat, action), None) is None


def _no_faults(match: Match, position: Position, seat: int, action: actions.Action) -> Faults:  # noqa: ARG001
    return iter(())


def _bid(match: Match, position: Position, seat: int, action: actions.Bid) -> Faults:  # noqa: ARG001
    highest, cash = max(position.bids), position.cash[seat]
    if action.amount <= highest:
        text = sentence("a bid must be higher than the highest so far, {highest}", highest=highest)
        yield Fault(("B4", "B5"), text)
    if action.amount > cash:
        yield Fault(("B6", "B13"), sentence("a bid may not exceed the bidder's cash, {cash}", cash=cash))


def _pass(match: Match, position: Position, seat: int, action: actions.Pass) -> Faults:  # noqa: ARG001
    if action.box is None:
        return
    if match.options.box_must_act:
        yield Fault(("C8", "C7"), sentence("a box may not be blocked without acting"))
    elif all(box.id != action.box for box in match.boxes):
        text = sentence(
            "there is no box {box} with {count} players", box=box_name(action.box), count=len(match.seats)
        )
        yield Fault(("C6",), text)
    elif action.box in position.used:
        yield Fault(("C4",), sentence("box {box} holds a token already", box=box_name(action.box)))


# --- the seven kinds of action ----------------------------------------------------------------------------


def _box_action(match: Match, position: Position, seat: int, action: actions.BoxAction) -> Faults:
    yield from _ON_THE_MAP[type(action)](match, position, seat, action)
    yield from box_faults(match, position, seat, action)


def _cattle(match: Match, position: Position, seat: int, action: actions.Cattle) -> Faults:
    yield from stock_fault(match, position, seat, "cattle", len(action.towns), "D9")
    if len(set(action.towns)) > 1 and not match.options.cattle_two_towns:
        yield Fault(("D8",), sentence("both cattle counters go to one town"))
    towns = list(position.towns)
    for name in action.towns:
        town = match.board.numbers[name]
        if towns[town].cowboys[seat] == 0:
            yield Fault(("D6",), sentence("no cowboy of one's own in {name}", name=_town(match, name)))
        if vacant_corrals(match, tuple(towns), town) < 1:
            yield Fault(("D2", "N5"), sentence("no empty corral box in {name}", name=_town(match, name)))
        if not is_open(match, towns, town):
            text = sentence(
                "{name} is closed: not more than half of the corrals below are filled",
                name=_town(match, name),
            )
            yield Fault(("D3", "D4"), text)
        towns[town] = towns[town].add_cattle(seat, 1)


def _cowboys(match: Match, position: Position, seat: int, action: actions.Cowboys) -> Faults:
    return stock_fault(match, position, seat, "cowboy", len(action.towns), "E5")


def _build(match: Match, position: Position, seat: int, action: actions.Build) -> Faults:
    number = match.board.numbers[action.town]
    town, plan = position.towns[number], match.board.towns[number]
    yield from stock_fault(match, position, seat, action.asset, 1, "F6")
    if town.owner(action.asset) != NOBODY:
        text = sentence(
            "{town} has a {asset} already", town=_town(match, action.town), asset=term(action.asset)
        )
        yield Fault(("F2",), text)
    if town.holdings(seat) >= 2:
        yield Fault(
            ("F3",), sentence("two or more assets of one's own in {town}", town=_town(match, action.town))
        )
    if town.size >= plan.buildings:
        yield Fault(("F1", "F7"), sentence("no free building box in {town}", town=_town(match, action.town)))


def _move_cowboys(match: Match, position: Position, seat: int, action: actions.MoveCowboys) -> Faults:
    leaving: dict[str, int] = {}
    for move in action.moves:
        leaving[move.origin] = leaving.get(move.origin, 0) + move.count
        if move.origin == move.to:
            text = sentence(
                "a cowboy moves to another town, not from {origin} to itself",
                origin=_town(match, move.origin),
            )
            yield Fault(("G1",), text)
    for name, count in sorted(leaving.items()):
        number = position.towns[match.board.numbers[name]].cowboys[seat]
        if count > number:
            text = counted(
                "{n} cowboy leaves {name}, you have {there} there",
                "{n} cowboys leave {name}, you have {there} there",
                count,
                name=_town(match, name),
                there=number,
            )
            yield Fault(("G2", "G1"), text)


def _move_cattle(match: Match, position: Position, seat: int, action: actions.MoveCattle) -> Faults:
    owned = match.options.move_cattle_owner == "own"
    if action.seat not in (None, match.seats[seat]) and owned:
        yield Fault(("H4",), sentence("only one's own cattle may be moved"))
    elif cattle_mover(match, position, seat, action) == NOBODY:
        whose = action.seat or (sentence("one's own") if owned else sentence("anybody's"))
        text = sentence("no cattle counter ({whose}) in {id}", whose=whose, id=_town(match, action.origin))
        yield Fault(("H4", "H1"), text)
    if vacant_corrals(match, position.towns, match.board.numbers[action.to]) < 1:
        yield Fault(("H1", "N5"), sentence("no vacant corral box in {to}", to=_town(match, action.to)))


def cattle_mover(match: Match, position: Lying, seat: int, action: actions.MoveCattle) -> int:
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


def _farmer(match: Match, position: Position, seat: int, action: actions.Farmer) -> Faults:
    number = match.board.numbers[action.town]
    town = position.towns[number]
    if position.farmers[seat] < 1:
        yield Fault(("N4", "N10"), sentence("this player's farmer is used up"))
    if town.farmer != NOBODY:
        yield Fault(("N3", "N10"), sentence("{town} has a farmer already", town=_town(match, action.town)))
    if action.replace is None:
        if vacant_corrals(match, position.towns, number) < 1:
            text = sentence(
                "no empty corral box in {town}: name whose cattle it displaces",
                town=_town(match, action.town),
            )
            yield Fault(("N1", "N9"), text)
    elif not town.cattle[match.seat_numbers[action.replace]]:
        text = sentence(
            "{replace} has no cattle in {town}", replace=action.replace, town=_town(match, action.town)
        )
        yield Fault(("N2",), text)


_ON_THE_MAP: Final[dict[type[actions.Action], Callable[..., Faults]]] = {
    actions.Cattle: _cattle,
    actions.Cowboys: _cowboys,
    actions.Build: _build,
    actions.MoveCowboys: _move_cowboys,
    actions.MoveCattle: _move_cattle,
    actions.Gunfight: gunfight_faults,
    actions.Farmer: _farmer,
}
_MOMENTS: Final[dict[type[actions.Action], tuple[str, str, Callable[..., Faults]]]] = {
    actions.PlaceCowboy: ("setup", "A6", _no_faults),
    actions.Bid: ("auction", "B1", _bid),
    actions.DropOut: ("auction", "B1", _no_faults),
    actions.Pass: ("actions", "C2", _pass),
    **dict.fromkeys(actions.BOX_ACTIONS, ("actions", "C2", _box_action)),
}
"""The phase of what is no answer to a question, the row that says so, and its conditions there."""


# --- answers in a gunfight --------------------------------------------------------------------------------


_ASKED: Final = {
    "ask-sheriff": "ask for the sheriff or not",
    "lend-sheriff": "lend the sheriff or not",
    "fire": "fire or retreat",
    "leave-town": "leave town",
    "take-wanted": "take a Wanted counter",
}
"""The questions of a gunfight, as ``phases.jinja`` says them."""


def _answer(match: Match, position: Position, action: actions.Action) -> Faults:
    """The question must be open (K4 to M10); then where to, or from whom."""
    fight = position.fight
    asked = fight.asks if position.phase == "gunfight" and fight is not None else None
    name = actions.NAMES[type(action)]
    wanted = "fire" if isinstance(action, actions.Retreat) else name
    if fight is None or asked != wanted:
        if asked:
            text = sentence(
                "this action answers another question; now it is: {asked}",
                asked=phrase(_ASKED[asked], "to do"),
            )
        else:
            text = sentence(
                "this action answers a question of a gunfight; the phase is {phase}",
                phase=term(position.phase),
            )
        yield Fault(_QUESTIONS[wanted], text)
        return
    cowboys = position.towns[fight.town].cowboys
    if isinstance(action, actions.Retreat):
        yield from _retreat(match, fight.town, cowboys[fight.seat], action)
    elif isinstance(action, actions.LeaveTown):
        yield from _leave(match, fight.town, cowboys[fight.attacker], action)
    elif isinstance(action, actions.TakeWanted):
        giver = match.seat_numbers[action.seat]
        if giver == fight.seat or not position.wanted[giver]:
            text = sentence("{seat} is not another player with a Wanted counter", seat=action.seat)
            yield Fault(("M10",), text)


_QUESTIONS: Final = {
    "ask-sheriff": ("K4", "K9"),
    "lend-sheriff": ("K4", "K9"),
    "fire": ("L10", "L11", "L16"),
    "leave-town": ("M5",),
    "take-wanted": ("M10",),
}
"""The rows of the questions in a gunfight."""


def _retreat(match: Match, town: int, cowboys: int, action: actions.Retreat) -> Faults:
    others = match.town_names(match.other_towns(town))
    needed = min(cowboys, len(others))
    if any(name not in others for name in action.to):
        yield Fault(("L13",), sentence("cowboys retreat to other towns"))
    if len(set(action.to)) < len(action.to):
        yield Fault(("L13",), sentence("at most one cowboy retreats to each town"))
    if len(action.to) != needed:
        text = counted(
            "this retreat names {n} town, found {count}",
            "this retreat names {n} towns, found {count}",
            needed,
            count=len(action.to),
        )
        yield Fault(("L13", "L14", "L18"), text)


def _leave(match: Match, town: int, cowboys: int, action: actions.LeaveTown) -> Faults:
    leaving = sum(count for _, count in action.moves)
    if leaving != cowboys:
        text = counted(
            "your cowboy leaves, found {leaving}",
            "all your {n} cowboys leave, found {leaving}",
            cowboys,
            leaving=leaving,
        )
        yield Fault(("M5",), text)
    if any(match.board.numbers[name] == town for name, _ in action.moves):
        yield Fault(("M5",), sentence("cowboys leave for other towns"))
