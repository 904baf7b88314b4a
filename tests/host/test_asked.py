"""What the words of a host mean: the seat that is named or awaited, a time, the roster."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pbem.base.errors import RefusedError, UsageProblem
from pbem.base.language import ENGLISH, Language, language_of
from pbem.game import JsonObject, Seat
from pbem.host.arguments import awaited_or_named, moment_behind, seat_named, started


class Table:
    """A client with this status; emails are made again only when they are asked for."""

    def __init__(self, **status: object) -> None:
        self.facts: JsonObject = {"seats": [{"seat": "anna"}, {"seat": "burt"}], **status}
        self.rewritten = 0

    def status(self, language: Language = ENGLISH) -> JsonObject:
        return self.facts | {"says": language.code}

    def rewrite_letters(self, seats: Sequence[Seat] = ()) -> tuple[str, ...]:
        assert not seats
        self.rewritten += 1
        return ("a.eml", "b.eml")

    def where(self, letter: str) -> str:
        return f"outbox/{letter}"


def test_a_seat_is_the_one_named_or_the_one_awaited() -> None:
    asked = Table(waiting={"seat": "burt"})
    assert awaited_or_named(asked, []) == "burt"
    assert awaited_or_named(asked, ["anna"]) == "anna"
    with pytest.raises(RefusedError, match="waits for no seat"):
        awaited_or_named(Table(), [])


@pytest.mark.parametrize("words", [[], ["curt"], ["anna", "burt"]])
def test_no_seat_or_another_names_those_that_there_are(words: list[str]) -> None:
    with pytest.raises(UsageProblem, match="expected one seat of anna, burt; found"):
        seat_named(Table(), words)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("+24h", "2026-12-02T18:00:00Z"),
        ("+3d", "2026-12-04T18:00:00Z"),
        ("2026-12-24T09:30:00Z", "2026-12-24T09:30:00Z"),
    ],
)
def test_a_time_is_as_records_write_it_or_so_far_behind_another(text: str, moment: str) -> None:
    assert moment_behind(text, lambda: "2026-12-01T18:00:00Z") == moment


@pytest.mark.parametrize("text", ["", "+h", "+3w", "tomorrow", "2026-12-24"])
def test_what_is_no_time_says_what_is(text: str) -> None:
    with pytest.raises(UsageProblem, match="expected a time like"):
        moment_behind(text, lambda: "2026-12-01T18:00:00Z")


def test_the_roster_waits_for_free_seats_and_asks_for_ready_files_again() -> None:
    with pytest.raises(RefusedError, match="waits for burt to join"):
        started(Table(unjoined=["burt"], phase="joining"))
    ready = Table(unjoined=[], phase="getting ready")
    facts = started(ready, language_of("de"))
    assert facts["letters"] == ["outbox/a.eml", "outbox/b.eml"]
    assert facts["says"] == "de"
    playing = Table(unjoined=[], phase="playing")
    assert started(playing)["letters"] == []
    assert (ready.rewritten, playing.rewritten) == (1, 0)
