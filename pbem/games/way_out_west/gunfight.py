"""Gunfights: from the declaration to the Wanted counter (rules J to M).

The stages are those of ``Fight.asks`` and ``Fight.rolls``: ask and lend the sheriff, fire or retreat, volleys,
the robbery's dice, leave town, take a Wanted counter. Strengths hold all that fights: what they count beyond the
cowboy counters in town is the garrison (default cowboy, guard or crew) and the sheriff.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

from pbem.game import Roll
from pbem.games.way_out_west.actions import AssetTarget, CattleTarget, FarmerTarget, Gunfight
from pbem.games.way_out_west.course import next_action
from pbem.games.way_out_west.draft import Draft
from pbem.games.way_out_west.events import (
    Captured,
    GunfightBegun,
    GunfightWon,
    Killed,
    Moved,
    Removed,
    Retreated,
    Returned,
    Robbed,
    Volley,
    WantedTaken,
)
from pbem.games.way_out_west.legality import sheriff_attacks
from pbem.games.way_out_west.position import (
    JAIL,
    NOBODY,
    Ask,
    Fight,
    Match,
    Side,
    Town,
    sheriff_available,
    stock,
    target_owner,
    wanted_supply,
)

Loss: TypeAlias = tuple[str, int]
"""What can be killed and how many of it there are, in the order of losses (L6)."""


def other(side: Side) -> Side:
    """The enemy's side."""
    return "defence" if side == "attack" else "attack"


def current(draft: Draft) -> Fight:
    """The fight under way."""
    assert draft.fight is not None  # noqa: S101 (callers are stages of a fight)
    return draft.fight


# --- strengths --------------------------------------------------------------------------------------------


def garrison_of(town: Town, fight: Fight) -> int:
    """Default cowboy, guard or crew when strengths are compared (J9 to J15): 0 or 1."""
    if isinstance(fight.target, FarmerTarget) or _guarded(fight):
        return 1
    own_sheriff = fight.sheriff == "defence" and town.assets[JAIL] == fight.defender
    return int(town.cowboys[fight.defender] == 0 and not own_sheriff)


def _guarded(fight: Fight) -> bool:
    return isinstance(fight.target, AssetTarget) and fight.target.asset in ("bank", "train")


def garrison_name(fight: Fight) -> str:
    """What the garrison is called in events."""
    if isinstance(fight.target, FarmerTarget):
        return "farmer"
    if isinstance(fight.target, AssetTarget) and fight.target.asset in ("bank", "train"):
        return "guard" if fight.target.asset == "bank" else "crew"
    return "default-cowboy"


def losses_in_order(town: Town, fight: Fight, side: Side) -> list[Loss]:
    """What is left of a side, first to die first (L6, ER5)."""
    strength = fight.attack if side == "attack" else fight.defence
    seat = fight.attacker if side == "attack" else fight.defender
    joined = int(fight.sheriff == side)
    if seat == NOBODY:
        return [("sheriff", strength - 1), ("farmer", 1)]
    beyond = strength - town.cowboys[seat]
    sheriff = min(joined, beyond)
    return [("cowboy", town.cowboys[seat]), (garrison_name(fight), beyond - sheriff), ("sheriff", sheriff)]


# --- declaration and sheriff (J, K) -----------------------------------------------------------------------


def declare(draft: Draft, seat: int, action: Gunfight) -> None:
    """J1, J2; then whoever may bring a sheriff is asked (K4, K9)."""
    match, number = draft.match, draft.town(action.town)
    town = draft.towns[number]
    defender = target_owner(tuple(draft.towns), number, action.target, match.seat_numbers)
    fight = Fight(number, seat, defender, action.target, attack=0, defence=0, plan=action.plan)
    farmer = defender == NOBODY
    owner = town.assets[JAIL]
    if sheriff_attacks(match, town, seat, farmer=farmer):
        fight = replace(fight, sheriff="attack")
    elif sheriff_available(town) and owner == defender:
        fight = replace(fight, sheriff="defence")
    draft.fight = with_strengths(town, fight)
    if sheriff_available(town) and owner not in (seat, defender):
        ask(draft, "lend-sheriff" if farmer else "ask-sheriff", owner if farmer else defender)
    else:
        begin(draft)


def with_strengths(town: Town, fight: Fight) -> Fight:
    """Both strengths as they are at the start (J7 to J15)."""
    cowboys = 0 if fight.defender == NOBODY else town.cowboys[fight.defender]
    return replace(
        fight,
        attack=town.cowboys[fight.attacker] + (fight.sheriff == "attack"),
        defence=cowboys + garrison_of(town, fight) + (fight.sheriff == "defence"),
    )


def ask(draft: Draft, question: Ask, seat: int) -> None:
    """The next decision of the match is this seat's."""
    draft.phase = "gunfight"
    draft.fight = replace(current(draft), asks=question, seat=seat, rolls=None)


def answer_ask(draft: Draft, *, asked: bool) -> None:
    """K4: the defender's question goes on to the jail's owner."""
    if asked:
        ask(draft, "lend-sheriff", draft.towns[current(draft).town].assets[JAIL])
    else:
        begin(draft)


def answer_lend(draft: Draft, *, lent: bool) -> None:
    """K9: the answer holds for the whole gunfight."""
    if lent:
        fight = replace(current(draft), sheriff="defence")
        draft.fight = with_strengths(draft.towns[fight.town], fight)
    begin(draft)


def begin(draft: Draft) -> None:
    """Compare strengths: the weaker side fires first, equal sides together (L1, L2)."""
    fight = current(draft)
    first: Side = "attack" if fight.attack < fight.defence else "defence"
    equal = fight.attack == fight.defence
    fight = replace(fight, first="both" if equal else first, round=1, asks=None, seat=NOBODY)
    draft.fight = fight
    attacker, defender = draft.seat_name(fight.attacker), draft.seat_name(fight.defender)
    name = "both" if equal else (attacker if first == "attack" else defender)
    draft.note(
        GunfightBegun(
            draft.town_name(fight.town), attacker, defender, fight.target, fight.attack, fight.defence, name
        )
    )
    if equal:
        roll(draft, "attack")
    else:
        moment(draft, first)


# --- firing and retreating (L) ----------------------------------------------------------------------------


def moment(draft: Draft, side: Side) -> None:
    """A side may fire or retreat: its player is asked, unless a plan answers or no player is there."""
    fight = current(draft)
    if side == "attack" and fight.plan is not None:
        if fight.attack < fight.plan.retreat_below:
            retreat(draft, "attack", _planned_towns(draft, fight))
        else:
            fire(draft, side)
    elif side == "attack":
        ask(draft, "fire", fight.attacker)
    elif fight.defender == NOBODY or fight.left:
        fire(draft, side)
    else:
        ask(draft, "fire", fight.defender)


def _planned_towns(draft: Draft, fight: Fight) -> tuple[int, ...]:
    """The plan's towns as far as there are cowboys; what it does not name is filled up from the lowest."""
    others = draft.match.other_towns(fight.town)
    named = [draft.town(name) for name in fight.plan.to] if fight.plan else []
    wish = [*named, *(town for town in others if town not in named)]
    return tuple(wish[: min(draft.towns[fight.town].cowboys[fight.attacker], len(others))])


def fire(draft: Draft, side: Side) -> None:
    """L3; between simultaneous rounds the defender is asked after the attacker, then both roll (L11)."""
    if current(draft).first != "both":
        roll(draft, side)
    elif side == "attack":
        moment(draft, "defence")
    else:
        roll(draft, "attack")


def roll(draft: Draft, side: Side) -> None:
    """Dice are needed."""
    draft.phase = "chance"
    draft.fight = replace(current(draft), asks=None, seat=NOBODY, rolls=side)


def dice_wanted(match: Match, fight: Fight) -> Roll:
    """The roll a fight waits for; its label says town, side and round, or that it is a robbery."""
    town = match.board.towns[fight.town].id
    if fight.rolls == "robbery":
        return Roll(f"robbery {town}", "public", (6,) * 3)
    strength = fight.attack if fight.rolls == "attack" else fight.defence
    return Roll(f"gunfight {town} {fight.rolls} {fight.round}", "public", (6,) * strength)


def rolled(draft: Draft, dice: tuple[int, ...]) -> None:
    """Go on with the dice that ``dice_wanted`` asked for."""
    fight = current(draft)
    if fight.rolls == "robbery":
        rob(draft, dice)
        return
    side: Side = "attack" if fight.rolls == "attack" else "defence"
    hits = sum(value >= 5 for value in dice)
    draft.note(Volley(side, dice, hits))
    if fight.first != "both":
        _alternating(draft, side, hits)
    elif side == "attack":
        draft.fight = replace(fight, hits=hits)
        roll(draft, "defence")
    else:
        _simultaneous(draft, fight.hits, hits)


def _alternating(draft: Draft, side: Side, hits: int) -> None:
    """L4: losses first, then the other side's moment."""
    take_losses(draft, other(side), hits)
    if _strength(draft, other(side)) == 0:
        won(draft, side)
        return
    _end_half_round(draft, side)
    moment(draft, other(side))


def _end_half_round(draft: Draft, side: Side) -> None:
    """The round is over when the side that did not begin has had its moment."""
    fight = current(draft)
    if side != fight.first:
        draft.fight = replace(fight, round=fight.round + 1)


def _simultaneous(draft: Draft, attack_hits: int, defence_hits: int) -> None:
    """L5, L9, L11."""
    draft.fight = replace(current(draft), hits=0)
    take_losses(draft, "attack", defence_hits)
    take_losses(draft, "defence", attack_hits)
    attack, defence = _strength(draft, "attack"), _strength(draft, "defence")
    if attack and defence:
        draft.fight = replace(current(draft), round=current(draft).round + 1)
        moment(draft, "attack")
    elif attack:
        won(draft, "attack")
    elif defence or draft.match.options.mutual_kill == "defender_wins":
        won(draft, "defence")
    else:
        draft.note(GunfightWon("nobody", "both", current(draft).target))
        finish(draft, NOBODY)


def _strength(draft: Draft, side: Side) -> int:
    fight = current(draft)
    return fight.attack if side == "attack" else fight.defence


def take_losses(draft: Draft, side: Side, hits: int) -> None:
    """L3, L6, L7: each hit kills one; surplus hits are lost."""
    fight = current(draft)
    town = draft.towns[fight.town]
    seat = fight.attacker if side == "attack" else fight.defender
    for what, there in losses_in_order(town, fight, side):
        killed = min(hits, there)
        hits -= killed
        if not killed:
            continue
        draft.note(Killed(side, what, killed))
        if what == "cowboy":
            town = town.add_cowboys(seat, -killed)
        elif what == "sheriff" and draft.match.options.sheriff_respawn == "next_turn":
            town = replace(town, sheriff_down=True)
        left = _strength(draft, side) - killed
        fight = replace(fight, attack=left) if side == "attack" else replace(fight, defence=left)
        draft.fight = fight
    draft.set_town(fight.town, town)


def retreat(draft: Draft, side: Side, to: tuple[int, ...]) -> None:
    """L12 to L14; a garrison may fight on (``retreat_garrison``)."""
    fight = current(draft)
    seat = fight.attacker if side == "attack" else fight.defender
    cowboys = draft.towns[fight.town].cowboys[seat]
    lost = max(0, cowboys - len(to))
    if draft.match.options.retreat_overflow == "spread_evenly" and to:
        lost = 0
    arriving = cowboys - lost
    for at, town in enumerate(sorted(to)):
        draft.shift_cowboys(seat, fight.town, town, (arriving - at + len(to) - 1) // len(to))
    if lost:
        draft.set_town(fight.town, draft.towns[fight.town].add_cowboys(seat, -lost))
    draft.note(Retreated(draft.seat_name(seat), tuple(sorted(draft.match.town_names(to))), lost))
    if not _garrison_fights_on(draft, side, cowboys):
        won(draft, other(side))


def _garrison_fights_on(draft: Draft, side: Side, cowboys: int) -> bool:
    """``retreat_garrison=fights_on``: guard, crew or sheriff stay; the retreat took the place of this shot."""
    fight = current(draft)
    if side == "attack" or draft.match.options.retreat_garrison == "loses_at_once":
        return False
    left = fight.defence - cowboys
    if garrison_name(fight) == "default-cowboy":
        left = min(left, int(fight.sheriff == "defence"))
    if left < 1:
        return False
    draft.fight = replace(fight, defence=left, left=True)
    if fight.first == "both":
        roll(draft, "attack")
    else:
        _end_half_round(draft, "defence")
        moment(draft, "attack")
    return True


# --- results (M) ------------------------------------------------------------------------------------------


def won(draft: Draft, side: Side) -> None:
    """Board result, then leaving town, then the Wanted counter (M12)."""
    fight = current(draft)
    attacker, defender = draft.seat_name(fight.attacker), draft.seat_name(fight.defender)
    if side == "defence":
        draft.note(GunfightWon(defender, attacker, fight.target))
        finish(draft, fight.defender)
        return
    draft.note(GunfightWon(attacker, defender, fight.target))
    if isinstance(fight.target, AssetTarget) and fight.target.asset == "bank":
        draft.phase = "chance"
        draft.fight = replace(fight, asks=None, seat=NOBODY, rolls="robbery")
        return
    take_target(draft, fight)
    finish(draft, fight.attacker)


def take_target(draft: Draft, fight: Fight) -> None:
    """M1 to M3: what the attacker wins, unless it is a robbery."""
    town, name = draft.towns[fight.town], draft.town_name(fight.town)
    if isinstance(fight.target, FarmerTarget):
        draft.set_town(fight.town, replace(town, farmer=NOBODY))
        draft.note(Removed("farmer", name))
    elif isinstance(fight.target, CattleTarget):
        _take_cattle(draft, fight, fight.target.cattle)
    elif fight.target.asset == "jail":
        _remove_asset(draft, fight, "jail")
    elif stock(draft.match, draft.freeze(), fight.attacker, fight.target.asset) < 1:
        _remove_asset(draft, fight, fight.target.asset)
    else:
        draft.set_town(fight.town, town.give(fight.target.asset, fight.attacker))
        owner = draft.seat_name(fight.defender)
        draft.note(Captured(draft.seat_name(fight.attacker), owner, fight.target.asset, name))


def _remove_asset(draft: Draft, fight: Fight, asset: str) -> None:
    """Off the board, into the owner's stock; a jail perhaps out of the game (``jail_fate``)."""
    draft.set_town(fight.town, draft.towns[fight.town].give(asset, NOBODY))
    draft.note(Removed(asset, draft.town_name(fight.town)))
    if asset == "jail" and draft.match.options.jail_fate == "out_of_game":
        draft.jails_lost[fight.defender] += 1


def _take_cattle(draft: Draft, fight: Fight, count: int) -> None:
    """M1; under ``takeover_without_counter=remove`` what he has no counter for goes back to its owner."""
    names = draft.seat_name(fight.attacker), draft.seat_name(fight.defender)
    town = draft.town_name(fight.town)
    for _ in range(count):
        has_counter = stock(draft.match, draft.freeze(), fight.attacker, "cattle") > 0
        draft.set_town(fight.town, draft.towns[fight.town].add_cattle(fight.defender, -1))
        if has_counter:
            draft.set_town(fight.town, draft.towns[fight.town].add_cattle(fight.attacker, 1))
            draft.note(Captured(*names, "cattle", town))
        else:
            draft.note(Returned(names[1], "cattle", town, 1))


def rob(draft: Draft, dice: tuple[int, ...]) -> None:
    """M4; then the robbers may have to leave (M5, M7)."""
    fight = current(draft)
    amount = min(sum(dice), draft.cash[fight.defender])
    closed = amount < sum(dice)
    draft.pay(fight.defender, amount)
    draft.earn(fight.attacker, amount)
    names = draft.seat_name(fight.attacker), draft.seat_name(fight.defender)
    draft.note(Robbed(*names, dice, amount, closed))
    if closed:
        _remove_asset(draft, fight, "bank")
    town = draft.towns[fight.town]
    if town.assets[JAIL] in (NOBODY, fight.attacker) or not town.cowboys[fight.attacker]:
        finish(draft, fight.attacker)
        return
    others = draft.match.other_towns(fight.town)
    if len(others) == 1:
        leave(draft, ((others[0], town.cowboys[fight.attacker]),))
    else:
        ask(draft, "leave-town", fight.attacker)


def leave(draft: Draft, moves: tuple[tuple[int, int], ...]) -> None:
    """M5, M6: all cowboys of the robber leave."""
    fight = current(draft)
    names = draft.seat_name(fight.attacker), draft.town_name(fight.town)
    for town, count in moves:
        draft.shift_cowboys(fight.attacker, fight.town, town, count)
        draft.note(Moved(names[0], "cowboy", names[1], draft.town_name(town), count))
    finish(draft, fight.attacker)


def finish(draft: Draft, winner: int) -> None:
    """M9 to M11: one Wanted counter for a player who won; then the turn goes on."""
    if winner == NOBODY:
        close(draft)
    elif wanted_supply(draft.match, draft.freeze()):
        take_wanted(draft, winner, NOBODY)
    else:
        rich = [seat for seat, count in enumerate(draft.wanted) if count and seat != winner]
        if len(rich) > 1:
            ask(draft, "take-wanted", winner)
        elif rich:
            take_wanted(draft, winner, rich[0])
        else:
            close(draft)


def take_wanted(draft: Draft, winner: int, giver: int) -> None:
    """From the supply (NOBODY) or from another player."""
    if giver != NOBODY:
        draft.wanted[giver] -= 1
    draft.wanted[winner] += 1
    source = "supply" if giver == NOBODY else draft.seat_name(giver)
    draft.note(WantedTaken(draft.seat_name(winner), source))
    close(draft)


def close(draft: Draft) -> None:
    """The gunfight is over: the next action."""
    draft.fight = None
    draft.phase = "actions"
    next_action(draft)
