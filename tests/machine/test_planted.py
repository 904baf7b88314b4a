"""The machine finds what this program once did wrong: each fault, planted again, where walks go that way."""

from __future__ import annotations

import re
from contextlib import nullcontext
from functools import cache

import pytest

from tests.machine.match import Broken
from tests.machine.planted import PLANTED, Planted, small_world
from tests.machine.walk import Plan, run

BOUND = 12
"""Walks in which each planted fault must be found; each is found in the sixth at the latest, tried with five seeds."""
SOUND = 6


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_found_and_without_it_as_many_walks_find_nothing(name: str) -> None:
    """In the small world, too: so it is the fault that is found there, and not the world."""
    one: Planted = PLANTED[name]
    with one.plant(), pytest.raises(Broken) as found:
        run(one.plan, BOUND)
    assert re.search(one.says, str(found.value)), str(found.value)
    plan = one.plan
    assert (
        sound(frozenset(plan.without), frozenset(plan.likely), tuple(plan.begun), small=name == "no budget")
        >= SOUND
    )


@cache
def sound(without: frozenset[str], likely: frozenset[str], begun: tuple[str, ...], *, small: bool) -> int:
    """Walk there with nothing planted; how many walks. Faults that are sought in one place share these."""
    with small_world() if small else nullcontext():
        return run(Plan(without=without, likely=likely, begun=begun), SOUND).walks
