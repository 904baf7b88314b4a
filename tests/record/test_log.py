"""What forks share: a log is as a tuple, a layered dictionary as a dictionary, whatever grows from whatever."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.game import Seat
from pbem.protocol.record.line import Layered, Log, read_line
from tests.world import World

GROWN = [0, 1, 63, 64, 65, 200]


@pytest.mark.parametrize("size", GROWN)
@given(st.lists(st.tuples(st.integers(0, 30), st.integers()), max_size=40))
def test_every_fork_sees_what_a_tuple_would_hold(size: int, grow: list[tuple[int, int]]) -> None:
    logs: list[Log[int]] = [Log(range(size))]
    tuples: list[tuple[int, ...]] = [tuple(range(size))]
    for place, item in grow:
        at = place % len(logs)
        logs.append(logs[at].plus(item))
        tuples.append((*tuples[at], item))
    for log, held in zip(logs, tuples, strict=True):
        assert tuple(log) == held
        assert len(log) == len(held)
        assert list(log[1:-1]) == list(held[1:-1])
        assert [log[at] for at in range(-len(held), len(held))] == [*held, *held]
        assert log == Log(held) == pickle.loads(pickle.dumps(log))  # noqa: S301 - its own bytes
        for beyond in (len(held), -len(held) - 1):
            with pytest.raises(IndexError):
                log[beyond]


def test_growing_does_not_copy() -> None:
    first = Log(range(3))
    second = first.plus(3)
    assert second._items is first._items
    assert first.plus(4)._items is not first._items


def test_a_second_growth_does_not_copy_what_is_long() -> None:
    first = Log(range(1_000))
    first.plus(0)
    second = first.plus(1)
    assert second._before is first._items
    assert second._items == [1]
    assert list(second) == [*range(1_000), 1]


@pytest.mark.parametrize("size", GROWN)
@given(
    st.lists(
        st.tuples(st.integers(0, 30), st.sampled_from(["set", "pop", "clear", "fork"]), st.integers(0, 80))
    )
)
def test_every_fork_holds_what_a_dictionary_would(size: int, done: list[tuple[int, str, int]]) -> None:
    begun = Layered(dict.fromkeys(range(size), 0))
    for key in range(size, size + 70):  # so that a fork finds more than it copies
        begun[key] = 1
    forks, dicts = [begun], [dict(begun)]
    for number, (place, action, key) in enumerate(done):
        at = place % len(forks)
        ours, plain = forks[at], dicts[at]
        if action == "fork":
            forks.append(ours.fork())
            dicts.append(dict(plain))
        elif action == "set":
            ours[key] = plain[key] = number
        elif action == "pop":
            assert ours.pop(key, None) == plain.pop(key, None)
        elif key < 10:
            ours.clear()
            plain.clear()
    for ours, plain in zip(forks, dicts, strict=True):
        assert list(ours.items()) == list(plain.items())
        assert len(ours) == len(plain)
        assert all((key in ours) == (key in plain) for key in range(90))
        assert dict(pickle.loads(pickle.dumps(ours))) == plain  # noqa: S301 - its own bytes
        with pytest.raises(KeyError):
            ours[-1]


def test_a_fork_copies_little() -> None:
    begun = Layered(dict.fromkeys(range(1_000), 0))
    fork = begun.fork()
    fork[-1] = 1
    assert fork.fork()._base is begun._base
    assert len(fork._own) == 1


@pytest.mark.parametrize(
    ("upto", "files", "seen", "ready"),
    [
        (0, [], -1, []),
        (1, [1], 0, []),
        (2, [1], 0, []),
        (3, [1], 0, []),
        (4, [4, 1], 3, [4]),
        (9, [4, 1], 3, [4, 5]),
    ],
)
def test_where_a_seats_files_stand_among_the_records(
    upto: int, files: list[int], seen: int, ready: list[int]
) -> None:
    index = World("wyatt-earp", ("anna", "burt")).start().record.index
    anna = Seat("anna")
    assert list(index.files_of(anna, upto)) == files
    assert index.seen_by(anna, upto) == seen
    assert index.of_kinds(("ready",), upto) == ready
    assert index.of_kinds(("ready", "join"), upto) == sorted([*ready, *index.of_kinds(("join",), upto)])
    assert index.seen_by(Seat("dora"), upto) == -1


def test_a_line_at_rest_keeps_its_bytes_alone() -> None:
    line = read_line(World("wyatt-earp", ("anna", "burt")).record.head.raw)
    before = line.file
    for _ in range(2):  # at rest already: nothing to forget
        line.drop_parsed()
        for member in ("body", "sig"):
            with pytest.raises(AttributeError):
                object.__getattribute__(line, member)
    assert line.file == before
