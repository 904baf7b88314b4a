"""The growing log: the same as a tuple, whatever grows from whatever."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.record.log import Log


@given(st.lists(st.tuples(st.integers(0, 30), st.integers()), max_size=40))
def test_every_fork_sees_what_a_tuple_would_hold(grow: list[tuple[int, int]]) -> None:
    logs: list[Log[int]] = [Log()]
    tuples: list[tuple[int, ...]] = [()]
    for place, item in grow:
        at = place % len(logs)
        logs.append(logs[at].plus(item))
        tuples.append((*tuples[at], item))
    for log, held in zip(logs, tuples, strict=True):
        assert tuple(log) == held
        assert len(log) == len(held)
        assert list(log[1:-1]) == list(held[1:-1])
        assert [log[at] for at in range(-len(held), len(held))] == [*held, *held]
        assert log == Log(held)
        for beyond in (len(held), -len(held) - 1):
            with pytest.raises(IndexError):
                log[beyond]


def test_growing_does_not_copy() -> None:
    first = Log(range(3))
    second = first.plus(3)
    assert second._items is first._items
    assert first.plus(4)._items is not first._items
