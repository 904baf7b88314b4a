"""What one seat or match may cost everybody: bytes of refused files, emails in an hour, guesses at the API."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pbem.host.database.database import Database
from pbem.host.service.http import ApiApp, Threads, Unambiguous
from tests.service.api_people import InMemory, Visitor
from tests.service.fakes import GENEROUS
from tests.service.table import Table
from tests.service.test_api import URL, Apis


def kept(table: Table) -> int:
    with table.service.context.database.transaction() as transaction:
        return sum(int(row[0]) for row in transaction.run("SELECT length(raw) FROM inbox"))


def received(table: Table) -> int:
    with table.service.context.database.transaction() as transaction:
        ((count,),) = transaction.run("SELECT COUNT(*) FROM inbox")
        return int(count)


def test_refused_files_of_a_seat_keep_few_bytes_and_its_good_ones_still_count(tmp_path: Path) -> None:
    table = Table(tmp_path, limits=replace(GENEROUS, refused=6_000)).start()
    loud = next(player for player in table.players.values() if not player.asked)
    before, words = kept(table), "x" * 200
    for number in range(40):
        table.send(loud.mail(loud.turn({"do": "draw", "from": "supply"}, say=f"{words} {number}")))
    assert kept(table) - before < 12_000
    records = len(table.lines)
    table.read()
    table.send(loud.mail(loud.turn(say="a good file of the same seat")))
    assert len(table.lines) == records + 1
    assert table.play(2) == 2


def test_talk_of_a_seat_brings_the_others_twenty_messages_an_hour_and_is_all_recorded(tmp_path: Path) -> None:
    """Beyond that it comes with the next message about the match; a move of that seat has its messages as ever."""
    table = Table(tmp_path, limits=GENEROUS).start()
    (other,) = table.asked()
    loud = next(player for player in table.players.values() if player is not other)

    def talk(words: int) -> int:
        """How many messages that brings to the other one."""
        before, records = len(table.mail.letters(other.address)), len(table.lines)
        for number in range(words):
            table.send(loud.mail(loud.turn(say=f"word {number}")))
        assert len(table.lines) == records + words, "all of it is recorded"
        return len(table.mail.letters(other.address)) - before

    assert talk(12) == 12
    assert table.play(1) == 1  # between two moves a seat may write sixteen times
    assert talk(12) == 8
    table.clock.tick(3700)
    table.pump()
    assert talk(1) == 1
    assert other.lines == table.lines, "it brings what was not sent"
    assert table.play(1) == 1


def test_letters_of_one_match_wait_before_those_of_all_do(tmp_path: Path) -> None:
    table = Table(tmp_path, limits=replace(GENEROUS, per_hour=1000, per_match=12)).start()
    table.play(12)
    before = table.service.counts()
    assert before["queued"]
    assert "match-brake" in table.alarms()
    assert "brake" not in table.alarms()
    table.pass_time(1.5)
    after = table.service.counts()
    assert set(after) == {"sent"}
    assert after["sent"] >= before["sent"] + before["queued"]


def test_who_guessed_too_often_is_turned_away_before_the_database_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    apis = Apis(tmp_path)
    apis.table.start()
    anna = apis.come()["anna"]
    anna.fetch()
    asked: list[object] = []
    run = Threads.run

    async def counted(threads: Threads, work: Callable[[Database], Any]) -> Any:
        asked.append(work)
        return await run(threads, work)

    monkeypatch.setattr(Threads, "run", counted)
    codes = [guess(anna, f"guess{number}") for number in range(200)]
    assert (codes.count(401), codes.count(429)) == (60, 140)
    assert len(asked) == 60
    assert (
        guess(anna, anna.way["word"]) == 200
    )  # who was in keeps their way, whatever others guess at their address
    apis.close()


def test_files_posted_beyond_a_seats_hour_are_not_kept_and_a_move_always_is(tmp_path: Path) -> None:
    apis = Apis(tmp_path, limits=replace(GENEROUS, per_sender=5))
    apis.table.start()
    people = apis.come().values()
    loud = next(person for person in people if not person.player.asked)
    before, codes = received(apis.table), []
    for number in range(50):
        file = loud.player.turn({"do": "draw", "from": "supply"}, say=f"{number}")
        answer = loud.post(file)
        codes.append(answer.status_code)
    assert (codes.count(202), codes.count(429)) == (5 + 30, 15)  # thirty jump, as they do by mail
    assert int(answer.headers["Retry-After"]) > 60
    again = loud.ask("GET", f"{loud.path}/files/{loud.receipts[0]}")
    assert again.status_code == 200
    apis.table.pump()
    assert received(apis.table) - before == 35
    for _ in range(7):
        for person in people:
            person.fetch()
        mover = next(person for person in people if person.player.asked)
        assert mover.post(mover.player.move()).status_code == 202
        apis.table.pump()
    apis.close()


def guess(visitor: Visitor, word: str) -> int:
    return int(visitor.ask("GET", f"{visitor.path}/lines", word).status_code)


def test_a_request_that_says_its_length_twice_is_closed(tmp_path: Path) -> None:
    table = Table(tmp_path, api=URL).start()
    app = ApiApp(table.service.context, lambda: None)
    client = InMemory(app.asgi, URL)
    both = {"Content-Length": "2", "Transfer-Encoding": "chunked"}
    answer = client.request("POST", "/match/aaaaaaaa/files", content=b"{}", headers=both)
    assert (answer.status_code, answer.json()["error"]) == (400, "ambiguous")
    assert answer.headers["connection"] == "close"
    assert client.request("POST", "/match/aaaaaaaa/files", content=b"{}").status_code == 401
    client.close()
    app.close()
    table.service.close()


def test_other_things_than_requests_pass_by() -> None:
    seen: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope["type"])

    async def nothing(*_: Any) -> Any:
        return {}

    asyncio.run(Unambiguous(app)({"type": "lifespan"}, nothing, nothing))
    assert seen == ["lifespan"]
