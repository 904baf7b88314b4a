"""Two machines, one cut off from the database for some seconds; for a minute: ``python -m tests.service.cut_off``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mail.stack import why_missing as no_mail
from tests.needed import require
from tests.patience import load
from tests.service.by_command import why_no_machines
from tests.service.cut_off import run
from tests.service.postgres import why_missing as no_database


@pytest.mark.slow
def test_a_machine_that_is_cut_off_rules_sends_and_moves_nothing_that_is_anothers(tmp_path: Path) -> None:
    require(no_mail() or no_database() or why_no_machines())
    # An email at the gate is claimed for so long; on a busy machine the cut and what follows take longer, too.
    result = run(tmp_path, 4, lease=3, witness_wait=round(4 * load()))
    assert result.faults == []
    assert [name for name, _ in result.rows if name.startswith("cut off")] == [
        "cut off in play, connections end",
        "cut off in play, nothing gets through",
        "cut off and alone",
        "cut off just before DATA, shorter than the claim",
        "cut off just before DATA, longer than the claim",
    ]
    sent, recorded = dict(result.rows)["files sent, in the records"].split(", ")
    assert int(sent) == int(recorded) >= 15
