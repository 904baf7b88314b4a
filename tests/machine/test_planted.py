"""The machine finds what this program once did wrong: each fault, planted again, where walks go that way."""

from __future__ import annotations

import re
from contextlib import nullcontext

import pytest

from tests.machine.match import Broken
from tests.machine.planted import PLANTED, Planted, small_world
from tests.machine.walk import run

BOUND = 40
"""Walks in which each planted fault must be found; most need less than ten."""


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_found_and_without_it_as_many_walks_find_nothing(name: str) -> None:
    """In the small world, too: so it is the fault that is found there, and not the world."""
    planted: Planted = PLANTED[name]
    plan = planted.plan
    with planted.plant(), pytest.raises(Broken) as broken:
        run(plan, BOUND)
    assert re.search(planted.says, str(broken.value)), str(broken.value)
    with small_world() if name == "no budget" else nullcontext():
        sound = run(planted.plan, plan.walks)
    assert sound.walks >= plan.walks >= 1
