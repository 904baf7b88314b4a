"""Gunfights: declaration, sheriff, firing and retreating (rules J, K, L); ``results`` goes on where one is won.

The stages are those of ``Fight.asks`` and ``Fight.rolls``: ask and lend the sheriff, fire or retreat, volleys,
the robbery's dice, leave town, take a Wanted counter.
"""

from __future__ import annotations

from functools import lru_cache

from pbem.game import Roll
from pbem.games.way_out_west import results
from pbem.games.way_out_west.actions import Gunfight, GunfightBegun, GunfightWon, Killed, Retreated, Volley
from pbem.games.way_out_west.draft import Draft
from pbem.games.way_out_west.legality import sheriff_attacks
from pbem.games.way_out_west.state import JAIL, NOBODY, Fight, Match, Side, sheriff_available, target_owner

# --- declaration and sheriff (J, K) -----------------------------------------------------------------------


def declare(draft: Draft, seat: int, action: Gunfight) -> None:
    """J1, J2; then whoever may bring a sheriff is asked (K4, K9)."""
    match, number = draft.match, draft.town(action.town)
    town = draft.towns[number]
    defender = target_owner(draft.towns, number, action.target, match.seat_numbers)
    fight = Fight(number, seat, defender, action.target, attack=0, defence=0, plan=action.plan)
    farmer = defender == NOBODY
    owner = town.assets[JAIL]
    if sheriff_attacks(match, town, seat, farmer=farmer):
        fight = fight._replace(sheriff="attack")
    elif sheriff_available(town) and owner == defender:
        fight = fight._replace(sheriff="defence")
    draft.fight = results.with_strengths(town, fight)
    if sheriff_available(town) and owner not in (seat, defender):
        results.ask(draft, "lend-sheriff" if farmer else "ask-sheriff", owner if farmer else defender)
    else:
        begin(draft)


def answer_ask(draft: Draft, *, asked: bool) -> None:
    """K4: the defender's question goes on to the jail's owner."""
    if asked:
        results.ask(draft, "lend-sheriff", draft.towns[results.current(draft).town].assets[JAIL])
    else:
        begin(draft)


def answer_lend(draft: Draft, *, lent: bool) -> None:
    """K9: the answer holds for the whole gunfight."""
    if lent:
        fight = results.current(draft)._replace(sheriff="defence")
        draft.fight = results.with_strengths(draft.towns[fight.town], fight)
    begin(draft)


def begin(draft: Draft) -> None:
    """Compare strengths: the weaker side fires first, equal sides together (L1, L2)."""
    fight = results.current(draft)
    first: Side = "attack" if fight.attack < fight.defence else "defence"
    equal = fight.attack == fight.defence
    fight = fight._replace(first="both" if equal else first, round=1, asks=None, seat=NOBODY)
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
    fight = results.current(draft)
    if side == "attack" and fight.plan is not None:
        if fight.attack < fight.plan.retreat_below:
            retreat(draft, "attack", _planned_towns(draft, fight))
        else:
            fire(draft, side)
    elif side == "attack":
        results.ask(draft, "fire", fight.attacker)
    elif fight.defender == NOBODY or fight.left:
        fire(draft, side)
    else:
        results.ask(draft, "fire", fight.defender)


def _planned_towns(draft: Draft, fight: Fight) -> tuple[int, ...]:
    """The plan's towns as far as there are cowboys; what it does not name is filled up from the lowest."""
    others = draft.match.other_towns(fight.town)
    named = [draft.town(name) for name in fight.plan.to] if fight.plan else []
    wish = [*named, *(town for town in others if town not in named)]
    return tuple(wish[: min(draft.towns[fight.town].cowboys[fight.attacker], len(others))])


def fire(draft: Draft, side: Side) -> None:
    """L3; between simultaneous rounds the defender is asked after the attacker, then both roll (L11)."""
    if results.current(draft).first != "both":
        roll(draft, side)
    elif side == "attack":
        moment(draft, "defence")
    else:
        roll(draft, "attack")


def roll(draft: Draft, side: Side) -> None:
    """Dice are needed."""
    draft.phase = "chance"
    draft.fight = results.current(draft).rolling(side)


def dice_wanted(match: Match, fight: Fight) -> Roll:
    """The roll a fight waits for; its label says town, side and round, or that it is a robbery."""
    strength = fight.attack if fight.rolls == "attack" else fight.defence
    return _roll(match.town_ids[fight.town], fight.rolls, fight.round, strength)


@lru_cache(maxsize=1024)
def _roll(town: str, rolls: str | None, number: int, strength: int) -> Roll:
    if rolls == "robbery":
        return Roll(f"robbery {town}", "public", (6,) * 3)
    return Roll(f"gunfight {town} {rolls} {number}", "public", (6,) * strength)


def rolled(draft: Draft, dice: tuple[int, ...]) -> None:
    """Go on with the dice that ``dice_wanted`` asked for."""
    fight = results.current(draft)
    if fight.rolls == "robbery":
        results.rob(draft, dice)
        return
    side: Side = "attack" if fight.rolls == "attack" else "defence"
    hits = sum(value >= 5 for value in dice)
    draft.note(Volley(side, dice, hits))
    if fight.first != "both":
        _alternating(draft, side, hits)
    elif side == "attack":
        draft.fight = fight._replace(hits=hits)
        roll(draft, "defence")
    else:
        _simultaneous(draft, fight.hits, hits)


def _alternating(draft: Draft, side: Side, hits: int) -> None:
    """L4: losses first, then the other side's moment."""
    take_losses(draft, results.other(side), hits)
    if results.strength_of(draft, results.other(side)) == 0:
        results.won(draft, side)
        return
    _end_half_round(draft, side)
    moment(draft, results.other(side))


def _end_half_round(draft: Draft, side: Side) -> None:
    """The round is over when the side that did not begin has had its moment."""
    fight = results.current(draft)
    if side != fight.first:
        draft.fight = fight._replace(round=fight.round + 1)


def _simultaneous(draft: Draft, attack_hits: int, defence_hits: int) -> None:
    """Both sides take the losses of a round at once (L5); another round, or who won (L9, L11)."""
    draft.fight = results.current(draft)._replace(hits=0)
    take_losses(draft, "attack", defence_hits)
    take_losses(draft, "defence", attack_hits)
    attack, defence = results.strength_of(draft, "attack"), results.strength_of(draft, "defence")
    if attack and defence:
        draft.fight = results.current(draft)._replace(round=results.current(draft).round + 1)
        moment(draft, "attack")
    elif attack:
        results.won(draft, "attack")
    elif defence or draft.match.options.mutual_kill == "defender_wins":
        results.won(draft, "defence")
    else:
        draft.note(GunfightWon("nobody", "both", results.current(draft).target))
        results.finish(draft, NOBODY)


def take_losses(draft: Draft, side: Side, hits: int) -> None:
    """L3, L6, L7: each hit kills one; surplus hits are lost."""
    if not hits:
        return
    fight = results.current(draft)
    town = draft.towns[fight.town]
    seat = fight.attacker if side == "attack" else fight.defender
    left = results.strength_of(draft, side)
    for counter, count in results.losses_in_order(town, fight, side):
        dead = min(hits, count)
        if not dead:
            continue
        hits -= dead
        left -= dead
        draft.note(Killed(side, counter, dead))
        if counter == "cowboy":
            town = town.add_cowboys(seat, -dead)
        elif counter == "sheriff" and draft.match.options.sheriff_respawn == "next_turn":
            town = town._replace(sheriff_down=True)
    attack, defence = (left, fight.defence) if side == "attack" else (fight.attack, left)
    draft.fight = fight.with_strengths(attack, defence)
    draft.set_town(fight.town, town)


def retreat(draft: Draft, side: Side, to: tuple[int, ...]) -> None:
    """L12 to L14; a garrison may fight on (``retreat_garrison``)."""
    fight = results.current(draft)
    seat = fight.attacker if side == "attack" else fight.defender
    cowboys = draft.towns[fight.town].cowboys[seat]
    lost = max(0, cowboys - len(to))
    if draft.match.options.retreat_overflow == "spread_evenly" and to:
        lost = 0
    arriving, towns = cowboys - lost, draft.towns
    for at, town in enumerate(sorted(to)):
        towns[town] = towns[town].add_cowboys(seat, (arriving - at + len(to) - 1) // len(to))
    towns[fight.town] = towns[fight.town].add_cowboys(seat, -cowboys)
    draft.note(Retreated(draft.seat_name(seat), tuple(sorted(draft.match.town_names(to))), lost))
    if not _garrison_fights_on(draft, side, cowboys):
        results.won(draft, results.other(side))


def _garrison_fights_on(draft: Draft, side: Side, cowboys: int) -> bool:
    """``retreat_garrison=fights_on``: guard, crew or sheriff stay; the retreat took the place of this shot."""
    fight = results.current(draft)
    if side == "attack" or draft.match.options.retreat_garrison == "loses_at_once":
        return False
    left = fight.defence - cowboys
    if results.garrison_name(fight) == "default-cowboy":
        left = min(left, int(fight.sheriff == "defence"))
    if left < 1:
        return False
    draft.fight = fight._replace(defence=left, left=True)
    if fight.first == "both":
        roll(draft, "attack")
    else:
        _end_half_round(draft, "defence")
        moment(draft, "attack")
    return True
