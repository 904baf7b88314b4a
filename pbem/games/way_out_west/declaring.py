"""Declaring a gunfight: with what strength, against what, with which plan (rules J1 to J19)."""

from __future__ import annotations

from pbem.base.sentences import sentence, term
from pbem.games.way_out_west.actions import (
    AssetTarget,
    CattleTarget,
    Gunfight,
    Plan,
)
from pbem.games.way_out_west.faults import Faults, stock_fault
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
    town = position.towns[match.board.numbers[action.town]]
    farmer = not isinstance(action.target, (AssetTarget, CattleTarget))
    faults: Faults = []
    alone = not match.options.attack_needs_cowboy
    strength = attack_strength(match, town, seat, farmer=farmer) if alone else town.cowboys[seat]
    if strength < 1:
        faults.append(
            (("J1",), sentence("no cowboy of one's own in {town} to attack with", town=action.town))
        )
    if isinstance(action.target, AssetTarget):
        faults += _asset_target_faults(match, position, seat, action.target.asset, town)
    elif isinstance(action.target, CattleTarget):
        faults += _cattle_target_faults(match, position, seat, action.target, town)
    elif town.farmer == NOBODY:
        faults.append((("J2",), sentence("no farmer in {town}", town=action.town)))
    elif town.farmer == seat and not match.options.own_farmer_attackable:
        faults.append((("J4",), sentence("nobody attacks the farmer he placed")))
    return faults + _plan_faults(action.town, action.plan)


def _asset_target_faults(match: Match, position: Position, seat: int, asset: str, town: Town) -> Faults:
    owner = town.owner(asset)
    if owner == NOBODY:
        return [(("J2",), sentence("no {asset} there", asset=term(asset)))]
    if owner == seat:
        return [(("J3",), sentence("the {asset} is one's own", asset=term(asset)))]
    if asset in ("bank", "jail") or match.options.takeover_without_counter == "remove":
        return []
    return stock_fault(match, position, seat, asset, 1, "J5")


def _cattle_target_faults(
    match: Match, position: Position, seat: int, target: CattleTarget, town: Town
) -> Faults:
    owner = match.seat_numbers[target.seat]
    if owner == seat:
        return [(("J3",), sentence("the cattle are one's own"))]
    faults: Faults = []
    if town.cattle[owner] < target.cattle:
        faults.append(
            (
                ("J2",),
                sentence("{seat} has {cattle} cattle there", seat=target.seat, cattle=town.cattle[owner]),
            )
        )
    if match.options.takeover_without_counter == "illegal":
        faults += stock_fault(match, position, seat, "cattle", target.cattle, "J5", "J19")
    return faults


def _plan_faults(town: str, plan: Plan | None) -> Faults:
    if plan is None:
        return []
    if town in plan.to or len(set(plan.to)) < len(plan.to):
        return [(("L13",), sentence("a plan names different towns other than the town of the gunfight"))]
    return []
