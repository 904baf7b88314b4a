"""The document of ``pbem audit --json``: fits its schema whatever the file, says what was found, and nothing else."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from pbem.base.shapes.schema import load
from pbem.game import JsonObject, Seat, Trial
from pbem.player.lookback.chance import chance_range, luck_of, paths, simultaneous_band
from pbem.player.lookback.document import examine
from pbem.player.lookback.page import page_of
from pbem.protocol.audit import Draw
from pbem.protocol.crypto.digest import b64, unb64
from tests.needed import program
from tests.record.golden import one_of_each
from tests.report.matches import GAMES, examined, joined_as, running, whole
from tests.verifier.tampering import tampered

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator


@cache
def schema() -> Draft202012Validator:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(load("audit-report"))


@cache
def document(game: str) -> JsonObject:
    """The report on a whole match."""
    return examined(whole(game)).document


def checked(lines: list[bytes], *, engine: bool = True) -> JsonObject:
    """The report as a program reads it, valid."""
    report: JsonObject = json.loads(json.dumps(examine(lines, engine=engine).document))
    schema().validate(report)
    return report


# --- the schema -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_match_is_proven_and_fits_the_schema(game: str) -> None:
    report = checked(whole(game))
    assert (report["status"], report["state"], report["faults"]) == ("proven", "over", [])
    assert report["claims"]["bound"] == report["claims"]["unseen"] == []
    assert report == json.loads(json.dumps(document(game)))


@pytest.mark.parametrize("game", GAMES)
def test_every_sealed_part_that_was_opened_is_counted(game: str) -> None:
    opened = sum(len(json.loads(raw)["body"].get("opened", ())) for raw in whole(game))
    counts = [claim["count"] for claim in document(game)["claims"]["proven"] if claim["id"] == "sealed-parts"]
    assert opened
    assert counts == [opened]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("count", [1, 2, 5, 9, 14, 30])
def test_every_beginning_of_a_match_fits_the_schema(game: str, count: int) -> None:
    report = checked(whole(game)[:count])
    assert report["status"] == "so far"
    assert {claim["id"] for claim in report["claims"]["unseen"]} >= {"running"}


@pytest.mark.parametrize("game", GAMES)
def test_a_running_match_says_what_cannot_be_seen_yet(game: str) -> None:
    report = checked(running(game).lines)
    assert report["status"] == "so far"
    said = {claim["id"] for name in ("bound", "unseen") for claim in report["claims"][name]}
    assert "running" in said
    if game == "wyatt-earp":
        assert {"hands-bound", "sealed-bound", "sealed-epoch", "not-replayed"} <= said


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_whatever_was_altered_the_report_fits_the_schema_and_names_the_fault(game: str) -> None:
    count = 0
    for cheat in tampered(running(game)):
        name, report, count = cheat.name, checked(cheat.lines), count + 1
        assert report["status"] == "refuted", name
        assert report["faults"][0]["text"] in report["verdict"], name
        assert report["faults"][0]["meaning"], name
        marked = [
            index
            for chapter in report["chapters"]
            for entry in chapter["entries"]
            for index in entry["faults"]
        ]
        assert sorted(marked) == list(range(len(report["faults"]))) or report["state"] == "unreadable", name
    assert count > 30


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_no_damage_stops_the_report_or_its_page(game: str) -> None:
    """A bit turned, a line lost, doubled or cut off, at places that follow from a fixed seed."""
    chance = Random(7)
    for number in range(12):
        lines = list(running(game).lines)
        place = chance.randrange(len(lines))
        if number % 4 == 0:
            raw = bytearray(lines[place])
            raw[chance.randrange(len(raw))] ^= 1 << chance.randrange(8)
            lines[place] = bytes(raw)
        elif number % 4 == 1:
            del lines[place]
        elif number % 4 == 2:
            lines.insert(place, lines[chance.randrange(len(lines))])
        else:
            lines[place] = lines[place][: chance.randrange(len(lines[place]))]
        report = checked(lines)
        assert report["status"] == "refuted" or lines == running(game).lines[: len(lines)]
        assert page_of(report).rstrip().endswith("</html>")


def test_without_rules_nothing_is_said_about_them() -> None:
    report = checked(whole("wyatt-earp"), engine=False)
    assert report["status"] == "so far"
    assert "not replayed" in report["verdict"]
    assert "replayed" not in {claim["id"] for claim in report["claims"]["proven"]}
    assert "no-engine" in {claim["id"] for claim in report["claims"]["unseen"]}


@pytest.mark.parametrize("lines", [[], [b""], [b"{}"], [b"\xff\xfe"], [b'{"body":{"kind":"genesis"}}']])
def test_a_file_without_a_beginning_has_a_report_too(lines: list[bytes]) -> None:
    report = checked(lines)
    assert (report["status"], report["state"]) == ("refuted", "unreadable")


def test_the_schema_says_no_to_what_is_not_named() -> None:
    report = checked(whole("wyatt-earp")[:9])
    assert not schema().is_valid(report | {"extra": 1})
    assert not schema().is_valid({key: value for key, value in report.items() if key != "claims"})


# --- the content ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_every_open_card_and_die_of_the_file_stands_in_the_report_once(game: str) -> None:
    report = document(game)
    chances = [
        (seq, entry)
        for seq, raw in enumerate(whole(game))
        for step in json.loads(raw)["body"].get("steps", ())
        for entry in step["chance"]
        if "roll" in entry or entry.get("to") == "table"
    ]
    shown = [(draw["record"], draw.get("card", draw.get("value"))) for draw in report["open_draws"]]
    assert shown == [(seq, entry.get("card", entry.get("value"))) for seq, entry in chances]
    in_story = [n for chapter in report["chapters"] for entry in chapter["entries"] for n in entry["shown"]]
    assert in_story == list(range(len(chances)))


@pytest.mark.parametrize("game", GAMES)
def test_hits_are_marked_where_the_game_calls_a_draw_a_try(game: str) -> None:
    report = document(game)
    marked = [draw["hit"] for draw in report["open_draws"] if "hit" in draw]
    assert marked
    if game == "wyatt-earp":
        assert marked == [shot["success"] for shot in report["shots"]]
        assert [("hit" in draw) for draw in report["open_draws"] if "seat" not in draw].count(True) == 0


@pytest.mark.parametrize("game", GAMES)
def test_the_numbers_of_every_draw_come_out_with_nothing_but_a_hash_function(game: str) -> None:
    for draw in document(game)["open_draws"]:
        numbers = draw["numbers"]
        hashed = hashlib.sha256(bytes.fromhex(numbers["preimage"])).hexdigest()
        assert draw["holds"]
        if draw["kind"] == "card":
            assert hashed == unb64(numbers["leaf"]).hex()
            assert numbers["preimage"] in draw["by_hand"]
        else:
            assert hashed in draw["by_hand"]
            assert draw["value"] == 1 + numbers["word"] % draw["sides"]
            assert unb64(numbers["link"]).hex() in numbers["preimage"]
    firsts = [draw for draw in document(game)["open_draws"] if draw["kind"] == "roll" and draw["number"] == 1]
    for draw in firsts:
        digest = hashlib.sha256(bytes.fromhex(draw["numbers"]["preimage"])).digest()
        assert b64(digest) == draw["numbers"]["anchor"]


def test_the_commands_for_a_die_print_what_the_report_says() -> None:
    draw = document("way-out-west")["open_draws"][0]
    command = re.search(r"openssl kdf .*", draw["by_hand"])
    program("openssl")
    assert command is not None
    printed = subprocess.run(command[0].split(), capture_output=True, text=True, check=True).stdout
    assert printed.strip().replace(":", "").lower() == draw["numbers"]["key"]
    words = ["openssl", "dgst", "-sha256", "-mac", "HMAC", "-macopt", f"hexkey:{draw['numbers']['key']}"]
    stream = subprocess.run(words, input=bytes(4), capture_output=True, check=True).stdout.decode()
    assert f"{draw['numbers']['word']:08x}" == stream.split()[-1][:8]


def test_the_story_goes_chapter_by_chapter_without_a_gap() -> None:
    for game in GAMES:
        chapters = document(game)["chapters"]
        assert chapters[0]["first"] == 0
        assert chapters[-1]["last"] == len(whole(game)) - 1
        for first, other in pairwise(chapters):
            assert other["first"] == first["last"] + 1
        assert all(chapter["state"] == "proven" for chapter in chapters[1:])
    assert [chapter["title"] for chapter in document("wyatt-earp")["chapters"][:2]] == [
        "Before play began",
        "Hand 1",
    ]


def test_a_seat_is_called_by_whoever_sat_there_then() -> None:
    report = checked(one_of_each().lines)
    entries = [" ".join(entry["sentences"]) for chapter in report["chapters"] for entry in chapter["entries"]]
    joined = next(n for n, text in enumerate(entries) if "Curt joins the match." in text)
    replaced = next(
        n for n, text in enumerate(entries) if "A replacement player takes the seat: Dora." in text
    )
    assert joined < replaced
    assert not any("Dora" in text for text in entries[:replaced])
    assert {player["name"] for player in report["players"]} == {"Anna", "Burt", "Dora"}


def test_a_name_is_never_more_than_a_name() -> None:
    report = checked(joined_as({"anna": "<script>alert(1)</script>", "burt": 'Burt & "Söhne"'}))
    assert [player["name"] for player in report["players"]] == ["<script>alert(1)</script>", 'Burt & "Söhne"']


def test_no_hand_is_in_the_report_of_a_running_match() -> None:
    world = running("wyatt-earp")
    text = json.dumps(examine(world.lines).document)
    report = examine(world.lines).document
    assert "hands" not in report
    assert sum(report["hidden_draws"].values()) > 0
    known = {draw["by_hand"] for draw in report["open_draws"]}
    assert all(json.dumps(card)[1:-1] in text for card in known)
    assert text.count('"card":') == sum(draw["kind"] == "card" for draw in report["open_draws"])


# --- luck -----------------------------------------------------------------------------------------------------


def tries(outcomes: str, chance: tuple[int, int] = (1, 2), seat: str = "anna") -> list[Draw]:
    return [
        Draw(n, Trial(Seat(seat), "shot", chance, mark == "x"), "fair") for n, mark in enumerate(outcomes)
    ]


def test_the_range_of_chance_leaves_out_what_is_rarer_than_one_in_forty_on_either_side() -> None:
    chances = [1 / 64, 6 / 64, 15 / 64, 20 / 64, 15 / 64, 6 / 64, 1 / 64]
    assert chance_range(chances) == (1, 5)
    row = luck_of(tries("xxx..."))[0]
    assert (row.range, row.hits, row.expected) == ((1, 5), 3, Fraction(3))


def test_a_whole_path_stays_within_its_band_as_often_as_is_said() -> None:
    """Exactly, by all paths of twelve tries; and a narrower band would not do."""
    odds = [Fraction(1, 2)] * 12
    band = simultaneous_band(odds)
    inside = 0
    for outcome in product((0, 1), repeat=12):
        hits = 0
        for number, hit in enumerate(outcome, start=1):
            hits += hit
            if not band[number][0] <= hits <= band[number][1]:
                break
        else:
            inside += 1
    assert 0.95 <= inside / 2**12 < 1


def test_a_path_says_how_far_the_hits_lie_from_expectation() -> None:
    path = paths(tries("x.x", (1, 4)))[0]
    assert [point[1] for point in path["points"]] == [0, 750, 500, 1250]
    assert all(low <= 0 <= high for _, _, low, high in path["points"])


def test_a_path_of_many_tries_is_shown_in_few_points() -> None:
    long = paths(tries("x..." * 500, (1, 4)))[0]["points"]
    assert 250 <= len(long) <= 302
    assert long[-1][0] == 2000


def test_luck_is_counted_for_each_seat_alone() -> None:
    rows = luck_of([*tries("xx"), *tries("...", seat="burt")])
    assert [(row.player, row.hits, row.count) for row in rows] == [("anna", 2, 2), ("burt", 0, 3)]


def test_response_times_fall_into_their_classes() -> None:
    for game in GAMES:
        report = document(game)
        for row in report["waiting"]:
            mine: list[Any] = [answer for answer in report["answers"] if answer["seat"] == row["seat"]]
            assert sum(row["spans"]) == row["answers"] == len(mine)
            assert row["spans"][0] == sum(answer["seconds"] <= 600 for answer in mine)
