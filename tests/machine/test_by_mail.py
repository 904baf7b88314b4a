"""The machine through a service: what its database holds is what the referee alone says, whatever comes by mail."""

from __future__ import annotations

import pytest

from tests.machine.by_mail import BY_MAIL, ByMail
from tests.machine.match import Broken
from tests.machine.planted import one_cache
from tests.machine.verdicts import Judged
from tests.machine.walk import Plan, run

WALKS = 6
"""The command walks more often, and with floods of files, which cost half of all the time."""


def test_a_service_records_what_the_referee_alone_says_whatever_comes_by_mail() -> None:
    judged = Judged()
    plan = run(Plan(left=judged.take, match=ByMail, begun=BY_MAIL, without=("flood",)), WALKS, steps=8)
    assert judged.judge() == []
    assert judged.count == plan.walks >= WALKS


class Forgetful(ByMail):
    """A service that is started again before every mail."""

    restart_every = 1


def test_what_a_running_service_remembers_wrongly_is_found_by_restarts() -> None:
    """The cache that once answered for two things: a service that was restarted rules differently."""
    plan = Plan(match=Forgetful, begun=("dealt",), likely=("crossed",))
    with one_cache(), pytest.raises(Broken, match="the referee alone"):
        run(plan, 12)
