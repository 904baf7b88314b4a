"""A hundredth of ``python -m tests.falsified``, and that the log of the whole says what it must."""

from __future__ import annotations

import re

import pytest

from tests.falsified.stage import TABLES, Table
from tests.falsified.table import LOG, falsify, share, shares

COUNT = 20
BARS = {"Way Out West, public money": 1.0, "Wyatt Earp, default options": 0.97}
"""Of the falsifications that were carried through, so many are noticed at once."""

SCRIPT_BAR = 0.9
"""And so many of them by the verifier in JavaScript."""


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.row)
def test_what_a_host_says_falsely_is_noticed_at_once(table: Table) -> None:
    rows = falsify(table, max(1, shares(COUNT, TABLES)[table.row]), "test", script=True)
    assert rows
    if table.row in BARS:
        assert sum(row.script["carried"] for row in rows.values()) >= SCRIPT_BAR * share(rows, "carried")[1]
        assert sum(row.script["alone"] for row in rows.values()) == share(rows, "alone")[1]
    for kind in ("carried", "alone"):
        part, whole = share(rows, kind)
        texts = [text for row in rows.values() for text in row.close]
        assert part >= whole * BARS.get(table.row, 0) - 1e-9, texts
        assert not any("NOBODY" in text for text in texts), texts


def test_the_log_holds_the_bars() -> None:
    page = LOG.read_text(encoding="utf-8")
    once = r"noticed at once (\d+) of (\d+)"
    matches = re.findall(rf"## (.+)\n\nCarried through: {once}.*\nThe value alone: {once}", page)
    assert {row for row, *_ in matches} == {table.row for table in TABLES}
    numbers = {row: tuple(map(int, counts)) for row, *counts in matches}
    carried, alone = sum(n[1] for n in numbers.values()), sum(n[3] for n in numbers.values())
    assert carried + alone >= 2000
    assert carried >= alone
    for row, bar in BARS.items():
        noticed, whole, noticed_alone, whole_alone = numbers[row]
        assert noticed >= bar * whole
        assert noticed_alone == whole_alone
    assert "NOBODY" not in page


def test_the_log_holds_the_bar_of_the_verifier_in_javascript() -> None:
    page = LOG.read_text(encoding="utf-8")
    of = r"(\d+) of (\d+)[^;\n]*"
    once = rf"noticed at once {of}; JavaScript {of}"
    matches = re.findall(rf"## (.+)\n\nCarried through: {once}\nThe value alone: {once}", page)
    assert {row for row, *_ in matches} == {table.row for table in TABLES}
    for row, *counts in matches:
        _, _, noticed, whole, _, _, noticed_alone, whole_alone = map(int, counts)
        if row in BARS:
            assert noticed >= SCRIPT_BAR * whole
            assert noticed_alone == whole_alone
