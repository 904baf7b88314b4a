"""A pause of all matches, on both databases: nobody is defaulted in it or loses time by it, and everybody learns it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from pbem.base.errors import UsageProblem
from pbem.host.store import Outage
from pbem.protocol.audit import audit
from pbem.protocol.record import Deadlines
from pbem.protocol.record.deadlines import parse_time, plus_hours
from tests.needed import require
from tests.service.people import headers
from tests.service.postgres import Postgres, why_missing
from tests.service.table import Table
from tests.service.test_time import awaited, due, kinds, new_process

SHORT = Deadlines(hours=24, grace=12)


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def server(request: pytest.FixtureRequest) -> Iterator[Postgres | None]:
    if request.param == "sqlite":
        yield None
        return
    require(why_missing())
    with Postgres() as running:
        yield running


_NUMBERS = iter(range(1000))


def started(folder: Path, server: Postgres | None, deadlines: Deadlines = SHORT) -> Table:
    more = {} if server is None else {"url": server.url(f"rest{next(_NUMBERS)}")}
    return Table(folder, deadlines=deadlines, **more).start()  # type: ignore[arg-type]


def later(moment: str, hours: int) -> str:
    return plus_hours(moment, hours)


def test_for_three_days_nobody_is_defaulted_and_everybody_learns(
    tmp_path: Path, server: Postgres | None
) -> None:
    table = started(tmp_path, server)
    late, before, head = awaited(table), due(table), len(table.lines)
    other = next(player for player in table.players.values() if player is not late)
    now = table.service.context.now()
    rest = table.service.time.begin_maintenance(later(now, 72))
    assert rest == Outage(now, later(now, 72))
    letters = [len(player.letters) for player in (late, other)]
    table.pump()
    assert kinds(table, head) == ["extend"]  # at once: they were asked before
    assert due(table) == later(before, 72)
    fresh = [player.letters[count:] for player, count in zip((late, other), letters, strict=True)]
    fresh_subjects = [[str(headers(raw)["Subject"]) for raw in mails] for mails in fresh]
    for subjects in fresh_subjects:
        assert sum("nobody's time runs" in subject for subject in subjects) == 1
    table.pass_time(71)
    assert kinds(table, head) == ["extend"]  # no default, and nothing a second time
    assert table.service.time.maintenance() is not None
    table.pass_time(2)
    assert table.service.time.maintenance() is None
    assert kinds(table, head) == ["extend"]
    table.pass_time(24 + 12)
    assert kinds(table, head)[1] == "default"  # by the time that the email named, and the grace
    assert audit(table.lines).ok
    table.service.close()


def test_who_is_asked_in_a_pause_has_his_time_from_its_end_on(
    tmp_path: Path, server: Postgres | None
) -> None:
    table = started(tmp_path, server)
    first, now = awaited(table), table.service.context.now()
    table.service.time.begin_maintenance(later(now, 30))
    table.pass_time(10)
    table.send(first.mail(first.move()))
    while table.asked() == [first]:
        table.send(first.mail(first.move()))
    head, asked = len(table.lines), due(table)
    second = awaited(table)
    table.pass_time(19)
    assert kinds(table, head) == []  # their time lasts longer than the pause: no second email yet
    table.pass_time(2)
    assert kinds(table, head) == ["extend"]
    assert due(table) == later(asked, 20)  # of the thirty hours those after they were asked
    assert second is awaited(table)
    assert audit(table.lines).ok
    table.service.close()


def test_a_time_that_would_be_up_in_the_pause_moves_at_once_and_counts_no_miss(
    tmp_path: Path, server: Postgres | None
) -> None:
    table = started(tmp_path, server, Deadlines(hours=10, grace=2, excused=2))
    first, now = awaited(table), table.service.context.now()
    table.service.time.begin_maintenance(later(now, 72))
    table.pass_time(10)
    while table.asked() == [first]:
        table.send(first.mail(first.move()))
    second = awaited(table)
    table.pass_time(1)
    assert kinds(table)[-1] == "extend"
    table.pass_time(50)
    table.send(second.write("I am on it."))  # anything but a turn
    assert kinds(table)[-1] == "extend"
    while table.asked() == [second]:
        table.send(second.mail(second.move()))
    assert "default" not in kinds(table)
    assert audit(table.lines).ok
    table.service.close()


def test_a_pause_ends_early_is_prolonged_and_takes_in_an_outage(
    tmp_path: Path, server: Postgres | None
) -> None:
    table = started(tmp_path, server)
    before, head, now = due(table), len(table.lines), table.service.context.now()
    table.service.time.begin_maintenance(later(now, 10))
    table.pump()
    assert due(table) == later(before, 10)
    table.service.time.begin_maintenance(later(now, 20))
    table.pump()
    assert due(table) == later(before, 20)
    table.service.time.begin_maintenance(later(now, 15))  # never less than was said
    table.pump()
    assert due(table) == later(before, 20)
    table.pass_time(2)
    table.clock.tick(30 * 3600)  # the machine is carried over: off in the pause, on after its end
    new_process(table)
    table.pump()
    table.pump()
    assert due(table) == later(before, 32)
    assert kinds(table, head) == ["extend"] * 3
    assert not table.service.time.go_on()
    table.service.time.begin_maintenance(later(table.service.context.now(), 50))
    table.pump()
    table.pass_time(5)
    assert table.service.time.go_on()
    given = due(table)
    table.pass_time(3)
    assert due(table) == given  # what was promised stays
    assert parse_time(given) > datetime.fromisoformat(now)
    player = awaited(table)
    assert sum("Time runs again" in str(headers(raw)["Subject"]) for raw in player.letters) == 1
    with pytest.raises(UsageProblem, match="has passed already"):
        table.service.time.begin_maintenance(now)
    assert audit(table.lines).ok
    table.service.close()
