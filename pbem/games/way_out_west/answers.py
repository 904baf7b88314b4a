"""Which faults an answer in a gunfight has (rules K4, L10 to L18, M5, M10)."""

from __future__ import annotations

from pbem.base.sentences import sentence
from pbem.games.way_out_west.actions import (
    Action,
    AskSheriff,
    Fire,
    LeaveTown,
    LendSheriff,
    Retreat,
    TakeWanted,
)
from pbem.games.way_out_west.faults import Faults
from pbem.games.way_out_west.state import Match, Position


def answer_faults(match: Match, position: Position, action: Action) -> Faults:
    """Why this answer cannot be given, though its question is open; empty if it can."""
    fight = position.fight
    assert fight is not None  # noqa: S101 (_wrong_question has seen it)
    if isinstance(action, Retreat):
        return _retreat_faults(match, position, fight.town, fight.seat, action)
    if isinstance(action, LeaveTown):
        return _leave_faults(match, position, fight.town, fight.attacker, action)
    if isinstance(action, TakeWanted):
        giver = match.seat_numbers[action.seat]
        if giver == fight.seat or not position.wanted[giver]:
            return [
                (("M10",), sentence("{seat} is not another player with a Wanted counter", seat=action.seat))
            ]
        return []
    assert isinstance(action, (AskSheriff, LendSheriff, Fire))  # noqa: S101 (nothing else is left)
    return []


def _retreat_faults(match: Match, position: Position, town: int, seat: int, action: Retreat) -> Faults:
    others = match.town_names(match.other_towns(town))
    needed = min(position.towns[town].cowboys[seat], len(others))
    faults: Faults = []
    if any(name not in others for name in action.to):
        faults.append((("L13",), sentence("cowboys retreat to other towns")))
    if len(set(action.to)) < len(action.to):
        faults.append((("L13",), sentence("at most one cowboy retreats to each town")))
    if len(action.to) != needed:
        faults.append(
            (
                ("L13", "L14", "L18"),
                sentence(
                    "this retreat names {needed} towns, found {count}", needed=needed, count=len(action.to)
                ),
            )
        )
    return faults


def _leave_faults(match: Match, position: Position, town: int, seat: int, action: LeaveTown) -> Faults:
    faults: Faults = []
    leaving, there = sum(count for _, count in action.moves), position.towns[town].cowboys[seat]
    if leaving != there:
        faults.append(
            (("M5",), sentence("all {there} cowboys leave, found {leaving}", there=there, leaving=leaving))
        )
    if any(match.board.numbers[name] == town for name, _ in action.moves):
        faults.append((("M5",), sentence("cowboys leave for other towns")))
    return faults
