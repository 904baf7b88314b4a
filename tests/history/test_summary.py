"""What matches show: one alone, several together, as text, as a picture and as data."""

from __future__ import annotations

import json
import re
import struct
from fractions import Fraction
from pathlib import Path

import pytest

from pbem.base.errors import UsageProblem, VerificationError
from pbem.base.language import duration
from pbem.game import JsonObject, Seat
from pbem.player.lookback.chance import Luck
from pbem.player.lookback.files import match_files
from pbem.player.lookback.picture import chart_of
from pbem.player.lookback.screen import bar, report_text, whisker
from pbem.player.lookback.summary import OriginTable, PlayerResult, Summary, WaitRow, summarise
from pbem.player.pictures import ZOOM
from pbem.protocol.audit import draws_of
from pbem.protocol.crypto.digest import b64
from pbem.protocol.record import Record
from tests.history.matches import GAMES, played
from tests.letters.golden import check
from tests.pictures.pixels import Pixels
from tests.world import World

GOLDEN = Path(__file__).parent / "golden"


def _record(game: str, seed: str = "1", files: int = 100_000) -> Record:
    return Record.load(played(game, files, seed).lines)


def _sample() -> Summary:
    """Three players and every part that there is, with round numbers."""
    names = {"anna": "Anna", "burt": "[Burt] & Söhne", "curt": "Curt"}
    summary = Summary("wyatt-earp", "Wyatt Earp", "match 7q3kdw1x, over, 151 records; 2026-11-21", names)
    summary.score_title, summary.unit = "Money", "$"
    summary.results = [
        PlayerResult("burt", 1, 1, 1, 34_000, 34_000),
        PlayerResult("anna", 1, 1, 0, 17_000, 17_000),
        PlayerResult("curt", 1, 1, 0, 0, 0),
    ]
    summary.luck = [
        Luck("anna", "shot", 8, 4, Fraction(196, 39), (2, 8), (0.157, 0.843), 0.48),
        Luck("burt", "shot", 10, 10, Fraction(245, 39), (3, 9), (0.692, 1.0), 0.01),
        Luck("", "", 18, 14, Fraction(441, 39), (7, 15), (0.524, 0.936), 0.23),
    ]
    summary.waits = [
        WaitRow("anna", 45, 49_740, 1140, 1740, 0),
        WaitRow("burt", 44, 99_480, 1140, 86_400 * 3, 2),
        WaitRow("curt", 1, 0, 0, 0, 0),
    ]
    summary.handed = {("anna", "burt"): (15, 1260), ("anna", "anna"): (27, 60), ("burt", "curt"): (1, 0)}
    summary.tables = [
        OriginTable(
            "Money by Outlaw",
            "$",
            {
                "Belle Starr": {"anna": 2000, "burt": 8000, "curt": 0},
                "Jesse James": {"anna": 15_000, "burt": 26_000, "curt": 0},
            },
        )
    ]
    return summary


# --- one match ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_one_match_is_shown_by_seats(game: str) -> None:
    record = _record(game)
    (summary,) = summarise([record])
    outcome = record.head.body["outcome"]
    assert list(summary.names) == list(record.seats)
    assert {row.player for row in summary.results if row.wins} == set(outcome["winners"])
    assert {row.player: row.total for row in summary.results} == outcome[
        "money" if game == "wyatt-earp" else "points"
    ]
    assert [row.total for row in summary.results] == sorted((r.total for r in summary.results), reverse=True)


@pytest.mark.parametrize("game", GAMES)
def test_the_luck_is_that_of_every_shot_and_die(game: str) -> None:
    record = _record(game)
    (summary,) = summarise([record])
    labels = [label for line in record.lines for label in record.labels(line.seq)]
    draws = draws_of(record.rules, record.lines, labels)
    together = summary.luck[-1]
    assert (together.player, together.count) == ("", len(draws))
    assert together.hits == sum(draw.trial.success for draw in draws)
    assert together.expected == sum((draw.odds for draw in draws), Fraction(0))
    for seat in record.seats:
        mine = [draw for draw in draws if draw.trial.seat == seat]
        rows = [row for row in summary.luck if row.player == seat]
        if mine:
            assert (rows[-1].count, rows[-1].hits) == (len(mine), sum(draw.trial.success for draw in mine))
            assert all(row.rate[0] <= row.hits / row.count <= row.rate[1] for row in rows)


def test_waiting_is_added_up_by_player() -> None:
    (summary,) = summarise([_record("wyatt-earp")])
    assert {row.player for row in summary.waits} == {"anna", "burt", "curt"}
    for row in summary.waits:
        assert row.median <= row.longest <= row.seconds
    assert sum(times for times, _ in summary.handed.values()) <= sum(row.answers for row in summary.waits)


def test_a_match_that_has_just_begun_has_no_luck_and_no_result() -> None:
    record = Record.load(World("wyatt-earp", ("anna", "burt", "curt")).lines)
    (summary,) = summarise([record])
    assert (summary.luck, summary.waits, summary.tables) == ([], [], [])
    assert [row.wins for row in summary.results] == [0, 0, 0]
    assert "running" in report_text([summary])
    assert chart_of(summary).png


# --- several ------------------------------------------------------------------------------------------------


def test_several_matches_are_added_up_by_key_and_games_stand_apart() -> None:
    first, other = _record("wyatt-earp"), _record("way-out-west", files=15)
    running = Record.load(played("wyatt-earp", 25).lines)
    summaries = summarise([first, other, running])
    assert [summary.game for summary in summaries] == ["wyatt-earp", "way-out-west"]
    earp = summaries[0]
    keys = {b64(played("wyatt-earp").people[Seat(seat)].sign_public) for seat in ("anna", "burt", "curt")}
    assert set(earp.names) == keys
    assert sum(row.matches for row in earp.results) == 6
    assert sum(row.over for row in earp.results) == 3
    assert sum(row.wins for row in earp.results) == 1
    alone = [summarise([record])[0].luck[-1].count for record in (first, running)]
    assert earp.luck[-1].count == sum(alone)
    assert "2 matches, 1 of them over" in earp.subtitle


def test_seats_that_nobody_has_joined_yet_are_no_players_of_a_season() -> None:
    """``host again`` has just made the next match."""
    again, later = (
        Record.load(World("wyatt-earp", ("anna", "burt", "curt"), seed=seed).lines)
        for seed in ("again", "later")
    )
    played_one, both = summarise([_record("wyatt-earp")])[0], summarise([_record("wyatt-earp"), again])[0]
    assert sorted(row.total for row in both.results) == sorted(row.total for row in played_one.results)
    assert set(both.names.values()) == set(played_one.names.values())
    (nobody,) = summarise([again, later])
    assert (nobody.names, nobody.results) == ({}, [])
    assert "2 matches, 0 of them over" in report_text([nobody])
    assert chart_of(nobody).png


def test_people_of_one_name_are_kept_apart_by_their_keys() -> None:
    earp = summarise([_record("wyatt-earp", files=3), _record("wyatt-earp", seed="2", files=3)])[0]
    assert len(earp.names) == 6
    assert len(set(earp.names.values())) == 6
    assert all(name.startswith(("Anna (", "Burt (", "Curt (")) for name in earp.names.values())


def test_a_folder_counts_every_match_once_by_its_longest_copy(tmp_path: Path) -> None:
    lines = played("wyatt-earp").lines
    (tmp_path / "ended").mkdir()
    (tmp_path / "ended" / "game.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    (tmp_path / "half.jsonl").write_bytes(b"\n".join(lines[:60]) + b"\n")
    other = played("way-out-west", 15).lines
    (tmp_path / "west.jsonl").write_bytes(b"\n".join(other) + b"\n")
    (tmp_path / "new-lines.jsonl").write_bytes(b"\n".join(lines[60:]) + b"\n")
    (tmp_path / "bad.jsonl").write_bytes(b"\n".join([*lines[:20], *lines[21:]]) + b"\n")
    records, left = match_files(tmp_path)
    assert sorted(len(record.lines) for record in records) == sorted([len(lines), len(other)])
    assert [copy.path.name for copy in left] == ["bad.jsonl"]
    assert "prev" in left[0].why or "20" in left[0].why
    assert len(match_files(tmp_path / "ended")[0]) == 1
    with pytest.raises(VerificationError):
        match_files(tmp_path / "bad.jsonl")


def test_a_folder_without_matches_is_said_to_be_one(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="there is no match file"):
        match_files(tmp_path)


# --- how it is shown ----------------------------------------------------------------------------------------


@pytest.mark.golden
@pytest.mark.parametrize("width", [80, 120])
def test_the_report_is_as_it_was_looked_at(width: int) -> None:
    text = report_text([_sample()], width=width)
    assert max(map(len, text.splitlines())) <= width
    check(f"stats-{width}.txt", text, GOLDEN)


def test_colour_adds_only_colour() -> None:
    coloured = report_text([_sample()], colour=True)
    assert "\x1b[" in coloured
    plain = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert [line.rstrip() for line in plain.splitlines()] == report_text([_sample()]).splitlines()


@pytest.mark.parametrize("game", GAMES)
def test_the_report_of_a_real_match_fits_eighty_columns(game: str) -> None:
    text = report_text(summarise([_record(game)]), width=80)
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.golden
def test_the_picture_is_as_it_was_looked_at() -> None:
    picture = chart_of(_sample())
    check("stats.svg", picture.svg + "\n", GOLDEN)
    png = picture.png
    assert struct.unpack(">II", png[16:24]) == (1200, picture.height * ZOOM)
    pixels = Pixels(png)
    first = 54 + 34 + 4 + 7
    assert pixels.at(300, first) == "#1f4e8c", "the winner's bar, in his colour"
    assert pixels.at(156 + 150 - 4, first + 24) == "#9b2226", "half as long"
    assert pixels.at(156 + 150 + 4, first + 24) == "#ecd9ae"


@pytest.mark.parametrize("game", GAMES)
def test_the_picture_of_a_real_match_is_small_and_whole(game: str) -> None:
    picture = chart_of(summarise([_record(game)])[0])
    assert "□" not in picture.svg
    assert len(picture.png) < 100_000


def test_more_players_than_fit_are_counted() -> None:
    summary = _sample()
    summary.names = {f"p{n}": f"Player {n}" for n in range(15)}
    summary.results = [PlayerResult(f"p{n}", 2, 2, 0, 100 - n, 60) for n in range(15)]
    summary.luck, summary.waits, summary.handed, summary.tables = [], [], {}, []
    assert "and 3 more" in chart_of(summary).svg


def test_the_data_hold_whole_numbers_only() -> None:
    body = _sample().to_json()

    def check_numbers(value: object) -> None:
        assert not isinstance(value, float)
        for inside in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            check_numbers(inside)

    check_numbers(body)
    luck: JsonObject = body["luck"][0]
    assert luck["interval_thousandths"] == [157, 843]
    assert json.loads(json.dumps(body)) == body


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0s"), (59, "59s"), (3600, "1h"), (3661, "1h1m"), (86_400 * 2 + 60, "2d"), (90_000, "1d1h")],
)
def test_times_are_shown_in_their_two_largest_units(seconds: int, text: str) -> None:
    assert duration(seconds) == text


def test_bars_are_exact_to_an_eighth() -> None:
    assert bar(1, 2, 4) == "██"
    assert bar(1, 32, 4) == "▏"
    assert bar(5, 5, 3) == "███"
    assert bar(0, 5, 3) == bar(-2, 5, 3) == bar(0, 0, 3) == ""


def test_a_whisker_shows_interval_chance_and_rate_at_their_places() -> None:
    row = Luck("anna", "", 10, 5, Fraction(2), (0, 0), (0.2, 0.8), 0.1)
    assert whisker(row, 11) == "  ┆──●──┤  "
    sure = Luck("anna", "", 1, 1, Fraction(1, 2), (0, 0), (0.0, 1.0), 1.0)
    assert whisker(sure, 5) == "├─┆─●"
