"""A match from a chosen viewpoint: what each saw then, and never more."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.base.errors import UsageProblem
from pbem.game import Seat
from pbem.player.lookback.timeline import (
    OPEN_VIEWPOINT,
    PUBLIC_VIEWPOINT,
    Frame,
    Timeline,
    Viewpoint,
    page_of,
    viewpoint_of,
)
from pbem.protocol.client import SeatView
from pbem.protocol.record import Record
from tests.history.matches import GAMES, played
from tests.world import World, accepted

SEATS = ("anna", "burt", "curt")


@cache
def timeline(game: str, files: int = 100_000, reveal: str = "epoch") -> Timeline:
    return Timeline(Record.load(played(game, files, reveal=reveal).lines))


def viewpoint(game: str, seat: str) -> Viewpoint:
    return Viewpoint(Seat(seat), played(game).people[Seat(seat)])


@pytest.mark.parametrize("game", GAMES)
def test_a_seat_sees_what_it_saw_then(game: str) -> None:
    match = played(game)
    line = timeline(game)
    record = Record.load(match.lines[:1])
    for seq in range(8, line.last, 17):
        record.extend(match.lines[len(record.lines) : seq + 1])
        if record.public is None:
            continue
        for seat in SEATS:
            frame = line.frame(seq, viewpoint(game, seat))
            assert frame.view == SeatView(record, match.people[Seat(seat)], Seat(seat)).view_json
            assert frame.note == ""
        assert line.frame(seq).view == record.public


@settings(deadline=None, max_examples=15)
@given(st.lists(st.tuples(st.integers(0, 60), st.sampled_from(["public", "open", *SEATS])), max_size=6))
def test_the_way_one_came_changes_nothing(walk: list[tuple[int, str]]) -> None:
    fresh = Timeline(timeline("wyatt-earp").whole)
    for seq, who in walk:
        looking = {"public": PUBLIC_VIEWPOINT, "open": OPEN_VIEWPOINT}.get(who) or viewpoint(
            "wyatt-earp", who
        )
        assert fresh.frame(seq, looking).view == timeline("wyatt-earp").frame(seq, looking).view


def test_the_public_sees_no_hand_and_a_seat_sees_its_own_only() -> None:
    line = timeline("wyatt-earp")
    for seq in range(line.last):
        view = line.frame(seq).view
        assert view is None or all(isinstance(hand, int) for hand in view["hands"].values())
    for seq in range(10, line.last, 11):
        view = line.frame(seq, viewpoint("wyatt-earp", "burt")).view
        if view is not None:
            assert [seat for seat, hand in view["hands"].items() if not isinstance(hand, int)] == ["burt"]


def test_with_everything_open_each_hand_is_what_its_owner_saw() -> None:
    line = timeline("wyatt-earp")
    opened = 0
    for seq in range(line.last + 1):
        frame = line.frame(seq, OPEN_VIEWPOINT)
        if frame.view is None:
            continue
        for seat in SEATS:
            own = line.frame(seq, viewpoint("wyatt-earp", seat)).view
            assert own is not None
            if frame.hands:
                opened += 1
                assert frame.view["hands"][seat] == own["hands"][seat]
        assert frame.view.keys() == (line.frame(seq).view or {}).keys(), "nothing of the stock is shown"
    assert opened > 100


def test_hidden_money_is_open_after_the_close_only() -> None:
    world = World("way-out-west", SEATS, options={"money_public": False}).start().play(12)
    line = Timeline(Record.load(world.lines))
    frame = line.frame(line.last, OPEN_VIEWPOINT)
    own = {seat: world.view(seat).view_json["cash"][seat] for seat in SEATS}
    assert set(line.frame(line.last).view["cash"]) == set()  # type: ignore[index]
    assert frame.view is not None
    assert frame.view["cash"] == own or frame.note


def test_what_is_not_closed_yet_stays_covered_and_the_page_says_so() -> None:
    line = timeline("wyatt-earp", 6)
    frame = line.frame(line.last, OPEN_VIEWPOINT)
    assert frame.hands == ()
    assert frame.view == line.frame(line.last).view
    assert "the cards of this deal are not revealed yet" in page_of(frame, line.last)


def test_a_match_that_reveals_at_its_end_is_open_from_its_first_deal_then() -> None:
    line = timeline("wyatt-earp", reveal="match")
    assert line.whole.over
    assert line.frame(line.chapters[0], OPEN_VIEWPOINT).hands == SEATS


def test_who_did_not_sit_there_then_sees_what_everybody_saw() -> None:
    stranger = Viewpoint(Seat("anna"), played("wyatt-earp").people[Seat("burt")])
    frame = timeline("wyatt-earp").frame(30, stranger)
    assert frame.view == timeline("wyatt-earp").frame(30).view
    assert "another key held the seat anna then" in frame.note


def test_keys_open_the_views_of_their_seats() -> None:
    match = played("wyatt-earp")
    viewpoint = viewpoint_of(Record.load(match.lines), [match.people[Seat("curt")], match.host])
    assert [(seat.seat, seat.label) for seat in viewpoint] == [("curt", "curt")]


def test_there_is_no_record_behind_the_last() -> None:
    line = timeline("wyatt-earp", 6)
    with pytest.raises(UsageProblem, match="there is no record"):
        line.frame(line.last + 1)


# --- pages --------------------------------------------------------------------------------------------------


def _page(frame: Frame) -> str:
    return page_of(frame, timeline("wyatt-earp").last)


def test_a_page_shows_the_record_then_the_table_then_the_hand() -> None:
    line = timeline("wyatt-earp")
    first = line.chapters[0]
    page = _page(line.frame(first, viewpoint("wyatt-earp", "anna")))
    assert page.startswith(f"Record {first} of {line.last}: open, 2026-11-21 18:00 UTC\nSeen by Anna.\n")
    assert "Curt deals hand 1. Anna starts." in page
    assert page.index("Curt deals hand 1") < page.index("Wyatt Earp, hand 1") < page.index("Your hand")


def test_before_the_deal_there_is_no_table() -> None:
    line = timeline("wyatt-earp")
    assert "Nothing has been dealt yet." in _page(line.frame(0))
    assert "join of Anna" in _page(line.frame(1))


def test_an_open_page_shows_every_hand_and_a_public_one_none() -> None:
    line = timeline("wyatt-earp")
    seq = line.chapters[0] + 2
    page = _page(line.frame(seq, OPEN_VIEWPOINT))
    assert "All hands" in page
    assert "Seen by everybody, all cards open." in page
    public = _page(line.frame(seq))
    assert "Seen by the public." in public
    assert "hands" not in public.replace("from hands", "")


@pytest.mark.parametrize("game", GAMES)
def test_every_page_of_a_match_fits_its_width(game: str) -> None:
    line = timeline(game)
    for seq in range(0, line.last + 1, 5):
        for looking in (PUBLIC_VIEWPOINT, OPEN_VIEWPOINT, viewpoint(game, "anna")):
            page = page_of(line.frame(seq, looking), line.last, width=80)
            assert max(map(len, page.splitlines())) <= 80


def test_a_private_message_and_a_said_one_are_shown_as_letters_show_them() -> None:
    world = World("wyatt-earp", SEATS).start()
    accepted(world.turn("anna", say="Reach for the sky"))
    line = Timeline(world.copy())
    assert '"Reach for the sky"' in page_of(line.frame(line.last), line.last)


def test_frames_are_data_too() -> None:
    line = timeline("wyatt-earp")
    body = line.frame(line.chapters[0], viewpoint("wyatt-earp", "anna")).to_json()
    assert (body["kind"], body["eyes"]) == ("open", "anna")
    assert isinstance(body["view"]["hands"]["anna"], list)
    assert body["steps"][0]["by"] == "game"
