"""The faults that need no servers, in one table: nothing lost, nothing twice. The others: ``tests.service.faults``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.service.faults import QUICK, Row, text_of


@pytest.mark.slow
def test_no_fault_loses_anything_or_does_it_twice(tmp_path: Path) -> None:
    rows: list[Row] = []
    for fault in QUICK:
        (tmp_path / fault.__name__).mkdir()
        rows += fault(tmp_path / fault.__name__)
    assert len(rows) >= 17
    assert [row for row in rows if row.lost or row.twice] == []
    alarms = {row.fault: row.alarms for row in rows}
    assert "disk-full at once" in alarms["the disk full, room again after five tries"]
    assert "database" in alarms["the disk read-only for ten tries"]
    assert "damaged at once" in alarms["the database truncated"]
    assert f"{len(rows)} faults: lost 0, twice 0." in text_of(rows)
