"""What another process checks ahead changes nothing in what an audit says, and nothing that is wrong is told ahead."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest

from pbem.base.errors import FormatError, VerificationError
from pbem.base.system.ahead import Ahead, Row
from pbem.base.system.helper import Ended, Helper
from pbem.protocol.audit import audit
from pbem.protocol.crypto.signing import remembering
from pbem.protocol.record import Record
from pbem.protocol.record.ahead import TASK, Told, check_part, checked_ahead
from tests.record.golden import one_of_each
from tests.record.tampering import changes
from tests.world import World

Lines = Sequence[bytes]


@cache
def match() -> World:
    return one_of_each()


class Here:
    """Has looked at every part before anybody asks."""

    def __init__(self, questions: Sequence[tuple[Any, ...]]) -> None:
        self.told = [check_part(*question) for question in questions]

    def answer(self, place: int, /) -> Told:
        return self.told[place]

    @classmethod
    @contextmanager
    def over(cls, questions: Sequence[tuple[Any, ...]]) -> Iterator[Here]:
        yield cls(questions)


def said(lines: Lines, checking: Any = None) -> dict[str, Any]:
    report = audit(lines, checking=checking)
    return {one.name: getattr(report, one.name) for one in dataclasses.fields(report) if one.name != "ledger"}


def test_everything_of_a_good_file_is_told_ahead_and_no_signature_is_checked_twice() -> None:
    lines = match().lines
    told, held = check_part(lines[0], lines[1:])
    assert all(told)
    before = set(held)
    with remembering(held):
        assert audit(lines).ok
    assert len(held) == len(before) + 1  # the genesis, which every reader begins with
    assert said(lines, Here.over) == said(lines)


def test_a_damaged_file_is_told_of_in_the_same_words() -> None:
    lines = list(match().lines)
    every = list(changes(match(), 20_011))
    for change in every[:: max(1, len(every) // 60)]:
        broken = [*lines[: change.at], *change.lines, *lines[change.at + len(change.lines) :]]
        assert said(broken, Here.over) == said(broken), (change.kind, change.at)


def test_a_signature_that_does_not_hold_is_never_told_ahead() -> None:
    lines = list(match().lines)
    good = check_part(lines[0], lines[1:])[1]
    for place in range(1, len(lines)):
        broken = bytearray(lines[place])
        broken[-10] ^= 1  # a letter in the middle of the host's signature
        told, held = check_part(lines[0], [bytes(broken)])
        assert held < good
        assert not told[0] or told[0][2] == match().record.lines[place].hash


def test_loading_takes_a_line_that_was_checked_ahead_and_refuses_a_broken_one() -> None:
    lines = list(match().lines)

    def load() -> Record:
        record = Record.begin(lines[0])
        with checked_ahead(lines, Here.over) as fed:
            for raw, known in fed:
                record.take(raw, known)
        return record

    assert load().head.hash == match().record.head.hash
    lines[5] = lines[5].replace(b'"seq":5', b'"seq":6')
    with pytest.raises((FormatError, VerificationError)):
        load()


def test_another_process_says_what_this_one_would_in_the_same_order() -> None:
    lines = match().lines
    parts = [(lines[0], lines[at : at + 7]) for at in range(1, len(lines), 7)]
    helper = Helper(TASK, patience=60)
    try:
        assert list(helper.ask_each(iter(parts))) == [check_part(*part) for part in parts]
        assert helper.ask(*parts[0]) == check_part(*parts[0])  # and goes on answering
    finally:
        helper.close()


def test_a_process_that_cannot_answer_changes_nothing() -> None:
    lines = match().lines
    for task in (
        "pbem.protocol.record.ahead:no_such",
        "pbem.protocol.record.ahead:_parts",
    ):  # does not start; dies of a question
        ahead = Ahead(task)
        assert said(lines, ahead.over) == said(lines)
        ahead.close()


def test_nobody_waits_for_a_place_that_was_not_asked() -> None:
    row = Row([(1,), (2,), (3,)])
    assert row.answer(0) is None
    asked: list[Any] = []

    class Echo:
        def ask_each(self, questions: Iterator[tuple[object, ...]]) -> Iterator[object]:
            for question in questions:
                asked.append(question)
                yield question
            raise Ended("enough")

    row.work(Echo())  # type: ignore[arg-type]
    assert asked == [(2,), (3,)]
    assert row.answer(1) == (2,)
    assert row.answer(2) == (3,)
