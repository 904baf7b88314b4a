"""Emails and pictures of matches that the real engines play, every profile and number of seats."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from pbem.game import PUBLIC, JsonObject, Seat
from pbem.player.letters.compose import compose
from pbem.player.letters.layout import WIDTH, cells
from pbem.player.letters.letter import Kind
from pbem.player.letters.rendering import EventRenderer, Style, one_line, speaker
from pbem.player.letters.terminal import render_table
from tests.conformance.driver import Case, played, profile_cases
from tests.letters.batch import letters_for
from tests.letters.fakes import KEY, FakeSource, figures_by
from tests.letters.test_letter import _faults


@cache
def _source(case: Case) -> FakeSource:
    """The play as a record: each of its records is a turn of whoever acted first in it."""
    rules = case.rules()
    names = {seat: seat.capitalize() for seat in rules.setup.seats}
    source = FakeSource(
        case.game().info, rules.setup, names, figures_by(case.game()), rules.has_secrets, case.profile
    )
    source.join_all()
    source.add("announce", epoch=1, seats=list(source.seats), due="2026-11-24T18:00:00Z")
    for number, record in enumerate(played(case), start=1):
        public = rules.view_to_json(rules.observe(record.state, PUBLIC))
        steps = [{**step, "chance": list(_opened(step["chance"]))} for step in record.steps]
        acting = [step for step in steps if step["by"] == "file"]
        if acting:
            source.turn(acting[0]["seat"], number, public, steps)
        else:
            source.result("open", public, steps)
    return source


def _opened(chances: list[JsonObject]) -> Iterator[JsonObject]:
    for number, chance in enumerate(chances, start=1):
        yield {**chance, "j": number, "link": KEY} if "roll" in chance else chance


CASES = [case for case in profile_cases() if case.game_id in ("wyatt-earp", "way-out-west")]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_event_of_a_real_match_has_its_own_sentence(case: Case) -> None:
    source = _source(case)
    context = {"who": speaker(Style.TEXT, source.names), "seats": source.seats, "setup": source.setup}
    renderer = EventRenderer(Style.TEXT, case.game_id, context)
    for line in source.lines:
        for step in line.body.get("steps", ()):
            for event in step["events"]:
                assert one_line(renderer._events.sentence(event)), event
            if "action" in step and not step["events"]:
                assert one_line(renderer._events.action(step["seat"], step["action"])), step["action"]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_letters_of_a_real_match_are_whole_narrow_and_small(case: Case) -> None:
    source = _source(case)
    for seq in range(len(source.seats) + 1, len(source.lines), 7):
        sender = source.lines[seq].body.get("msg", {}).get("body", {}).get("seat")
        letters = letters_for(source, seq, seq, sender) or [
            compose(source, source.seats[0], seq, 0, Kind.ASKED)
        ]
        for letter in letters:
            assert max(cells(line) for line in letter.text.splitlines()) <= WIDTH
            assert _faults(letter.html) == []
            assert len(letter.html.encode()) < 90_000


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_view_of_a_real_match_can_be_drawn_in_a_terminal(case: Case) -> None:
    rules, names = case.rules(), {seat: seat.capitalize() for seat in case.rules().setup.seats}
    for record in played(case)[::9]:
        for seat in rules.setup.seats:
            view = rules.view_to_json(rules.observe(record.state, seat))
            figures = rules.summary(view)
            drawn = render_table(
                case.game_id, view, rules.setup, names, figures, width=80, colour=False, viewer=seat
            )
            assert max(cells(line) for line in drawn.splitlines()) <= 80


def test_the_income_shown_is_the_income_paid() -> None:
    """Income moves no counter: the figures right after it must be what the ``income`` events paid."""
    count = 0
    for seats in (3, 4, 5):
        case = Case("way-out-west", seats, decisions=400, key="income")
        rules = case.rules()
        for record in played(case):
            for moment in record.moments:
                events = [rules.event_to_json(event, PUBLIC) for event in moment.step.events]
                paid = _paid(events, rules.setup.seats)
                if not any(paid.values()):
                    continue
                after = rules.view_to_json(rules.observe(moment.step.state, PUBLIC))
                assert {s: f["total"] for s, f in rules.summary(after)["income"].items()} == paid
                count += 1
    assert count


def _paid(events: list[JsonObject], seats: tuple[Seat, ...]) -> dict[str, int]:
    paid: dict[str, int] = dict.fromkeys(seats, 0)
    for event in events:
        if event["event"] == "income":
            paid[event["seat"]] += event["amount"]
    return paid


def test_the_points_shown_at_the_end_are_the_points_scored() -> None:
    for seats in (3, 4, 5):
        case = Case("way-out-west", seats, decisions=20_000, key="points")
        rules = case.rules()
        last = played(case)[-1]
        scored = {
            event["seat"]: event["total"]
            for step in last.steps
            for event in step["events"]
            if event["event"] == "scored"
        }
        view = rules.view_to_json(rules.observe(last.state, PUBLIC))
        shown = rules.summary(view)["points"]
        assert {seat: parts["total"] for seat, parts in shown.items()} == scored


def test_the_capture_points_shown_are_those_that_are_scored() -> None:
    """``poster-scored`` names the points; the view before that step must show the same where nothing was laid."""
    count = 0
    for seats in (2, 3, 4):
        case = Case("wyatt-earp", seats, decisions=600, key="points")
        rules = case.rules()
        for record in played(case):
            for moment in record.moments:
                events = [rules.event_to_json(event, PUBLIC) for event in moment.step.events]
                figures = rules.summary(rules.view_to_json(rules.observe(moment.state, PUBLIC)))
                scored = [event for event in events if event["event"] == "poster-scored"]
                if not {event["event"] for event in events} <= {
                    "discarded",
                    "turn-ended",
                    "hand-ended",
                    "poster-scored",
                }:
                    continue
                for event in scored:
                    assert figures["cp"][event["outlaw"]] == event["cp"]
                    assert figures["captured"][event["outlaw"]] == event["captured"]
                    count += 1
    assert count
