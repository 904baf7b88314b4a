"""The collector rests while something long is read, and runs again afterwards, whatever happened meanwhile."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from threading import Barrier, Thread

import pytest

from pbem.base.errors import FormatError
from pbem.protocol.formats.strict_json import LONG, collector_paused, parse, parse_line


@pytest.fixture(autouse=True)
def _running() -> Iterator[None]:
    assert gc.isenabled()
    yield
    assert gc.isenabled()


def test_it_rests_for_what_is_long_and_for_nothing_else() -> None:
    with collector_paused(LONG - 1):
        assert gc.isenabled()
    with collector_paused(LONG):
        assert not gc.isenabled()
        with collector_paused(LONG):
            assert not gc.isenabled()
        assert not gc.isenabled()


def test_it_runs_again_after_a_text_that_is_refused() -> None:
    for read in (parse_line, lambda raw: parse(raw, limit=len(raw))):
        with pytest.raises(FormatError):
            read(b'{"a":[' + b"[]," * LONG)


def test_who_had_switched_it_off_finds_it_off() -> None:
    gc.disable()
    try:
        with collector_paused(LONG):
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_it_rests_until_the_last_of_several_threads_has_read() -> None:
    inside, first_gone = Barrier(3), Barrier(2)
    seen: list[bool] = []

    def first() -> None:
        with collector_paused(LONG):
            inside.wait()

    def last() -> None:
        with collector_paused(LONG):
            inside.wait()
            first_gone.wait()
            seen.append(gc.isenabled())

    threads = [Thread(target=first), Thread(target=last)]
    for thread in threads:
        thread.start()
    inside.wait()
    threads[0].join()
    first_gone.wait()
    threads[1].join()
    assert seen == [False]


def test_a_megabyte_of_lists_is_read_without_a_collection() -> None:
    line = b'{"a":[' + b"[]," * 340_000 + b"1]}"
    before = [generation["collections"] for generation in gc.get_stats()]
    gc.collect()
    value = parse_line(line)
    after = [generation["collections"] for generation in gc.get_stats()]
    assert len(value["a"]) == 340_001
    assert after[2] - before[2] <= 2
    assert after[0] - before[0] <= 2
