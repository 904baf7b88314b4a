"""What a byte costs does not grow with their number: by steps that are the same in every run, and by the clock."""

from __future__ import annotations

import pytest

from tests.fuzz.cost import KIB, READERS, Reader, growths
from tests.fuzz.families import Family
from tests.fuzz.schema_cost import LONG, SHORT, Case, cases, growth

MOST_STEPS = 1.2
MOST_TIME = 2.5
"""On a machine that does ten other things; what is quadratic grows to eight."""
SIZES = (8 * KIB, 64 * KIB)
CHEAP = 300e-9
"""Seconds a byte up to which time is not compared: a short input of these takes less than the clock resolves."""


def grew(reader: Reader, family: Family) -> str:
    """What grew, or nothing; time is measured again before it counts."""
    step, time, by_byte = growths(reader, family, SIZES)
    if step > MOST_STEPS:
        return f"steps {step:.2f}"
    if by_byte <= CHEAP or time <= MOST_TIME:
        return ""
    again = growths(reader, family, SIZES, stretches=3)[1]
    return f"time {time:.2f}, {again:.2f}" if again > MOST_TIME else ""


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_a_byte_costs_no_more_in_a_long_input_than_in_a_short_one(reader: Reader) -> None:
    faults = {name: growth for name, family in reader.families.items() if (growth := grew(reader, family))}
    assert not faults


def test_a_quadratic_reader_is_noticed() -> None:
    """In one call that takes longer and longer, and in more and more calls."""
    reader = Reader(
        "planted", lambda raw: [raw.find(b"\xff") for _ in range(len(raw) * 4)], 256 * KIB, {}, len
    )
    assert "time" in grew(reader, bytes)
    reader = Reader(
        "planted", lambda raw: [raw.find(b"\0") for _ in range(len(raw) ** 2 // 2048)], 256 * KIB, {}, len
    )
    assert "steps" in grew(reader, bytes)


@pytest.mark.parametrize("case", cases()[::50], ids=lambda case: f"{case.schema}{case.place} {case.hostile}")
def test_judging_by_a_schema_costs_no_more_by_the_byte_in_a_long_value(case: Case) -> None:
    """A fiftieth of ``python -m tests.fuzz.schema_cost``; up to what the gate reads."""
    assert growth(case, bulk=False) <= MOST_STEPS
    assert growth(case, bulk=True) <= MOST_STEPS


def test_every_schema_is_asked_about() -> None:
    """A part that stands in two schemas is asked about in one of them."""
    asked = {case.schema for case in cases()}
    assert {"join", "invite", "record", "identity", "scenario", "way-out-west/board"} <= asked
    assert LONG == 8 * SHORT
