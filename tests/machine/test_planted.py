"""The machine finds what this program once did wrong: each fault, planted again, must be found in so many walks."""

from __future__ import annotations

import re
from contextlib import nullcontext

import pytest

from tests.machine.match import Broken
from tests.machine.planted import PLANTED, Planted, small_world
from tests.machine.walk import Plan, run

BOUND = 150
"""Walks in which each planted fault must be found; most are found in the first twenty."""
SOUND = 20


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_found(name: str) -> None:
    one: Planted = PLANTED[name]
    plan = Plan(begun=one.begun)
    with one.plant(), pytest.raises(Broken) as found:
        run(plan, BOUND)
    assert re.search(one.says, str(found.value)), str(found.value)


@pytest.mark.parametrize("world", [nullcontext, small_world])
def test_without_a_planted_fault_as_many_walks_find_nothing(world: type) -> None:
    """In the small world, too: so it is the fault that is found there, and not the world."""
    with world():
        assert run(Plan(begun=("dealt", "middle")), SOUND).walks >= SOUND
