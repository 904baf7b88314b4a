"""Where money and points came from: the tables add up to what the rules paid."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from pbem.game import JsonObject
from pbem.player.lookback.figures import figures_of, score_of, standing_lines
from tests.history.matches import GAMES, played


def _outcome(game: str) -> JsonObject:
    record = played(game).record
    assert record.over
    outcome: JsonObject = record.head.body["outcome"]
    return outcome


def test_money_by_outlaw_adds_up_to_everybodys_money() -> None:
    tables = {table.title: table for table in figures_of(played("wyatt-earp").record)}
    rows = dict(tables["Money by Outlaw"].rows)
    assert list(rows) == ["Belle Starr", "Billy the Kid", "Bob Dalton", "Butch Cassidy", "Jesse James", "Sundance Kid",
                          "Wes Hardin"]  # fmt: skip
    money = _outcome("wyatt-earp")["money"]
    assert {seat: sum(row[seat] for row in rows.values()) for seat in money} == money


def test_points_by_source_add_up_to_everybodys_points() -> None:
    tables = {table.title: table for table in figures_of(played("way-out-west").record)}
    rows = dict(tables["Points by source"].rows)
    points = _outcome("way-out-west")["points"]
    assert {seat: sum(row[seat] for row in rows.values()) for seat in points} == points


def test_the_money_of_way_out_west_is_the_income_that_was_paid() -> None:
    record = played("way-out-west").record
    rows = dict({table.title: table for table in figures_of(record)}["Money by source"].rows)
    events = [e for line in record.lines for step in line.body.get("steps", ()) for e in step["events"]]
    for source, row in (("bank", "banks"), ("cattle", "cattle"), ("store", "stores"), ("hotel", "hotels")):
        for seat in record.seats:
            paid = sum(
                e["amount"]
                for e in events
                if e["event"] == "income" and e["source"] == source and e["seat"] == seat
            )
            assert rows[row][seat] == paid  # fmt: skip


@pytest.mark.parametrize("game", GAMES)
def test_the_score_is_the_one_of_the_end(game: str) -> None:
    outcome = _outcome(game)
    assert score_of(played(game).record).by_seat == outcome["money" if game == "wyatt-earp" else "points"]


@pytest.mark.parametrize("game", GAMES)
def test_a_running_match_has_the_score_of_now(game: str) -> None:
    record = played(game, files=20).record
    assert record.public is not None
    score = score_of(record)
    if game == "wyatt-earp":
        assert (score.title, score.unit, score.by_seat) == ("Money", "$", record.public["money"])
    else:
        points = record.rules.summary(record.public)["points"]
        assert score.by_seat == {seat: points[seat]["total"] for seat in record.seats}
        table = figures_of(record)[0]
        assert {seat: sum(row[seat] for _, row in table.rows) for seat in record.seats} == score.by_seat


def test_before_the_deal_there_is_nothing_to_count() -> None:
    from tests.world import World

    record = World("way-out-west", ("anna", "burt", "curt")).record
    assert score_of(record).by_seat == {}
    assert all(table.empty for table in figures_of(record))


@dataclass
class _Line:
    seq: int
    kind: str
    body: JsonObject = field(default_factory=dict)


def test_what_a_rewind_took_back_does_not_count() -> None:
    lines = [
        _Line(0, "genesis"),
        _Line(1, "open", {"steps": []}),
        _Line(2, "turn", {"steps": [], "msg": {}}),
        _Line(3, "pause"),
        _Line(4, "turn", {"steps": []}),
        _Line(5, "rewind", {"what": {"to": {"seq": 2}}}),
        _Line(6, "turn", {"steps": []}),
    ]
    assert [line.seq for line in standing_lines(lines)] == [0, 1, 2, 3, 5, 6]  # type: ignore[arg-type]
