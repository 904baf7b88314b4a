"""Declaring a gunfight: with what strength, against what, with which plan (rules J1 to J19)."""

from __future__ import annotations

from pbem.base.sentences import sentence, term
from pbem.games.touching import Fault, Faults
from pbem.games.way_out_west.actions import (
    AssetTarget,
    CattleTarget,
    Gunfight,
)
from pbem.games.way_out_west.boxes import stock_fault
from pbem.games.way_out_west.state import (
    JAIL,
    NOBODY,
    Match,
    Position,
    Town,
    sheriff_available,
)


def attack_strength(match: Match, town: Town, seat: int, *, farmer: bool) -> int:
    """J7: cowboys, one more for the own sheriff unless a farmer is attacked (``attacker_sheriff_vs_farmer``)."""
    return town.cowboys[seat] + sheriff_attacks(match, town, seat, farmer=farmer)


def sheriff_attacks(match: Match, town: Town, seat: int, *, farmer: bool) -> bool:
    """Whether the attacker's own sheriff joins (K3)."""
    willing = not farmer or match.options.attacker_sheriff_vs_farmer
    return willing and town.assets[JAIL] == seat and sheriff_available(town)


def gunfight_faults(match: Match, position: Position, seat: int, action: Gunfight) -> Faults:
    """Why this gunfight cannot be declared."""
    town, target = position.towns[match.board.numbers[action.town]], action.target
    farmer = not isinstance(target, (AssetTarget, CattleTarget))
    alone = not match.options.attack_needs_cowboy
    strength = attack_strength(match, town, seat, farmer=farmer) if alone else town.cowboys[seat]
    if strength < 1:
        yield Fault(("J1",), sentence("no cowboy of one's own in {town} to attack with", town=action.town))
    if isinstance(target, AssetTarget):
        yield from _asset_target_faults(match, position, seat, target.asset, town)
    elif isinstance(target, CattleTarget):
        yield from _cattle_target_faults(match, position, seat, target, town)
    elif town.farmer == NOBODY:
        yield Fault(("J2",), sentence("no farmer in {town}", town=action.town))
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
    match: Match, position: Position, seat: int, target: CattleTarget, town: Town
) -> Faults:
    owner = match.seat_numbers[target.seat]
    if owner == seat:
        yield Fault(("J3",), sentence("the cattle are one's own"))
        return
    if town.cattle[owner] < target.cattle:
        told = sentence("{seat} has {cattle} cattle there", seat=target.seat, cattle=town.cattle[owner])
        yield Fault(("J2",), told)
    if match.options.takeover_without_counter == "illegal":
        yield from stock_fault(match, position, seat, "cattle", target.cattle, "J5", "J19")
