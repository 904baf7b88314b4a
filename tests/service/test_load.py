"""A small load run, as the great one is made: real servers, three workers, one killed twice, one upgraded."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mail.stack import why_missing as no_mail
from tests.needed import require
from tests.service.load import Plan, options, run
from tests.service.postgres import why_missing as no_database


@pytest.mark.slow
def test_three_workers_one_killed_twice_lose_nothing_and_do_nothing_twice(tmp_path: Path) -> None:
    require(no_mail() or no_database())
    asked = "--matches 2 --workers 3 --pictures --turns 2 --kills 2 --upgrades 1 --witness-wait 120 --seconds 1800"
    plan = vars(options().parse_args(asked.split()))
    assert plan.pop("log") is None
    result = run(Plan(**plan), tmp_path)
    assert result.faults == []
    rows = dict(result.rows)
    assert rows["matches"] == "2, over 2 (2 by agreement), audit clean 2"
    sent = rows["files sent"].partition(" by mail")[0]
    assert sent == rows["files in the records"]
    assert int(sent) >= 2 * (2 + 2 + 2 + 2)
