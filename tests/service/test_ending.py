"""A service that is asked to stop: no mail is fetched any more, one thing at most is finished, and nothing is lost.

How long that takes on a machine: ``python -m tests.service.stopping``.
"""

from __future__ import annotations

from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path

from pbem.cli.service_serve import Pulse
from tests.service.table import Table

FINISHED = {"kept", "sorted", "committed", "timed", "mended", "taken", "moved", "cleared"}
"""Each says that one thing is done: mails kept, one sorted, one ruled on, an email taken by its server, and so on."""


def test_after_the_word_to_stop_nothing_is_fetched_and_one_thing_at_most_is_finished(tmp_path: Path) -> None:
    """The word comes at every point of a round that has mail to fetch, sort and rule on, and emails to send."""
    table = Table(tmp_path).start()
    passed: list[str] = []
    table.service.context.steps = passed.append
    seen: set[str] = set()
    for last in count(1):
        (mover,) = table.asked()
        for _ in range(2):
            table.mail.arrive(mover.write("STATUS\n"))
        turn = mover.move()
        for _ in range(2):
            table.mail.arrive(mover.mail(turn))
        before = len(table.lines)
        passed.clear()
        table.service.run_once(partial(came_to, passed, last))
        whole, after = len(passed) < last, passed[last:]
        seen.update(passed[last - 1 : last])
        assert "fetched" not in after
        assert len([name for name in after if name in FINISHED]) <= 1, (passed[last - 1], after)
        table.pump()
        assert len(table.lines) > before
        if whole:
            break
    assert seen >= {"fetched", "keeping", "kept", "sorted", "ruled", "committed", "marking", "taken", "sent"}
    ids = [raw for _, raw in table.mail.delivered]
    assert len(set(ids)) == len(ids)


def came_to(passed: list[str], last: int) -> bool:
    """Whether so many points were passed."""
    return len(passed) >= last


def test_whoever_waits_for_a_pulse_hears_at_once_that_it_is_to_stop() -> None:
    heard: list[bool] = []
    with closing(Pulse()) as pulse:
        pulse.on_stop.append(lambda: heard.append(pulse.stopping))
        pulse.stop()
        pulse.sleep(10**6)  # it would be twelve days
        assert heard == [True]
        assert pulse()
