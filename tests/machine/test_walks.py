"""A hundred walks, always the same: nothing that people send, agree on or wait for leaves a match that cannot go on.

After each step one of the exits is tried, in turn; ``python -m tests.machine`` tries all of them after each.
"""

from __future__ import annotations

from tests.machine.verdicts import Judged
from tests.machine.walk import Plan, run

WALKS = 100


def test_a_match_lives_whatever_people_send() -> None:
    judged = Judged()
    plan = run(Plan(left=judged.take, in_turn=True), WALKS)
    assert judged.judge() == []
    assert plan.walks >= WALKS
    assert judged.count == plan.walks
