"""Who fights and how strongly: garrison, sheriff, the order of losses (rules J7 to J16, L6).

Strengths hold all that fights: what they count beyond the cowboy counters in town is the garrison (default cowboy,
guard or crew) and the sheriff.
"""

from __future__ import annotations

from typing import TypeAlias

from pbem.games.way_out_west.actions import AssetTarget, FarmerTarget
from pbem.games.way_out_west.draft import Draft
from pbem.games.way_out_west.state import JAIL, NOBODY, Ask, Fight, Side, Town

Loss: TypeAlias = tuple[str, int]
"""What can be killed and how many of it there are, in the order of losses (L6)."""


def other(side: Side) -> Side:
    """The enemy's side."""
    return "defence" if side == "attack" else "attack"


def current(draft: Draft) -> Fight:
    """The fight under way."""
    assert draft.fight is not None  # noqa: S101 (callers are stages of a fight)
    return draft.fight


def with_strengths(town: Town, fight: Fight) -> Fight:
    """Both strengths as they are at the start (J7 to J15)."""
    cowboys = 0 if fight.defender == NOBODY else town.cowboys[fight.defender]
    return fight.with_strengths(
        town.cowboys[fight.attacker] + (fight.sheriff == "attack"),
        cowboys + garrison_of(town, fight) + (fight.sheriff == "defence"),
    )


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


def strength_of(draft: Draft, side: Side) -> int:
    """Present strength of a side."""
    fight = current(draft)
    return fight.attack if side == "attack" else fight.defence


def ask(draft: Draft, question: Ask, seat: int) -> None:
    """The next decision of the match is this seat's."""
    draft.phase = "gunfight"
    draft.fight = current(draft).asking(question, seat)
