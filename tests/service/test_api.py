"""The HTTP API in memory: the same intake, store and answers as mail; words; what strangers and floods meet."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Collection, Coroutine, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from pbem.base.errors import StoreError
from pbem.host.database.matches import Matches
from pbem.host.service.http import ApiApp, News, Rates
from pbem.player.letters.letter import Link
from pbem.protocol.formats.api_key import ask_by_keys
from pbem.protocol.formats.strict_json import MAX_FILE, canon
from tests.patience import PATIENCE
from tests.service.api_people import InMemory, Visitor, has_link, way_in
from tests.service.people import parse
from tests.service.table import Table

URL = "https://games.pbem.test/api"


class Apis:
    """A table whose host has an API; every seat comes by its own email's link."""

    def __init__(self, folder: Path, rates: Rates | None = None, **more: Any) -> None:
        self.table = Table(folder, api=URL, **more)
        self.rang = 0
        self.time = 0.0
        self.app = ApiApp(self.table.service.context, self.ring, rates=rates, clock=lambda: self.time)
        self.client = InMemory(self.app.asgi, URL)

    def ring(self) -> None:
        self.rang += 1

    def come(self) -> dict[str, Visitor]:
        """Everybody follows the link of their newest email that has one."""
        visitors = {}
        for player in self.table.players.values():
            newest = next(letter for letter in reversed(player.letters) if has_link(letter))
            visitors[player.seat] = Visitor(player, self.client, newest)
        return visitors

    def close(self) -> None:
        self.client.close()
        self.app.close()
        self.table.service.close()


@pytest.fixture(scope="module")
def apis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Apis]:
    """A match of two that has begun; tests of this module go on with it, one after the other."""
    started = Apis(tmp_path_factory.mktemp("api"))
    started.table.start()
    yield started
    started.close()


@pytest.fixture
def people(apis: Apis) -> dict[str, Visitor]:
    apis.time += 120
    visitors = apis.come()
    for visitor in visitors.values():
        visitor.fetch()
    return visitors


def asked(people: dict[str, Visitor]) -> tuple[Visitor, Visitor]:
    """Who is asked, and the other one."""
    first, two = people.values()
    return (first, two) if first.player.asked else (two, first)


def test_a_link_says_everything(apis: Apis, people: dict[str, Visitor]) -> None:
    way = people["anna"].way
    assert way["seat"] == "anna"
    assert way["api"] == URL
    newest = next(letter for letter in reversed(people["anna"].player.letters) if has_link(letter))
    assert way_in(newest) == {"match": way["match"], "seat": "anna", "api": URL}, "no secret in it"
    assert way["word"].encode() not in b"".join(map(whole_text, people["anna"].player.letters))
    assert len(way["word"]) == 26
    assert way["word"] != people["burt"].way["word"]
    first = way_in(apis.table.players["anna"].letters[0])
    assert {**first, "code": ""} == {"join": way["match"], "seat": "anna", "api": URL, "code": ""}
    assert len(first["code"]) == 26
    html = Link("https://page.test/", URL, way["match"], "anna")
    assert html.url == f"https://page.test/#match={way['match']}&seat=anna&api={URL}"


def whole_text(letter: bytes) -> bytes:
    parts = [part for part in parse(letter).walk() if part.get_content_maintype() == "text"]
    return b"".join(str(part.get_content()).encode() for part in parts)


def test_the_keys_of_a_seat_bring_its_word_and_nothing_else_does(
    apis: Apis, people: dict[str, Visitor]
) -> None:
    anna, burt = people["anna"], people["burt"]
    assert anna.by_keys().json() == {"word": anna.way["word"]}
    for odd in (
        {"seat": "burt"},  # another's seat by the own keys
        {"seat": "dora"},
        {"api": "https://elsewhere.test"},  # asked by another host, and passed on
        {"match": anna.way["match"][:-1] + "0"},
    ):
        refused = anna.by_keys(**odd)
        assert (refused.status_code, refused.json()["error"]) == (401, "keys"), odd
    anna.at += timedelta(days=2)
    assert anna.by_keys().status_code == 401  # of another day
    anna.at -= timedelta(days=2)
    file = ask_by_keys(anna.player.identity, URL, anna.way["match"], "anna", "now")
    altered = file | {"body": file["body"] | {"seat": "burt"}}
    for raw in (b"", b"{}", b"[1]", canon(file), canon(altered), b"x" * 4000):
        assert burt.client.request("POST", f"{burt.path}/word", content=raw).status_code == 401
    apis.table.service.matches.access_code(apis.table.short, "burt", new=True)
    assert burt.ask("GET", f"{burt.path}/lines").status_code == 401
    burt.way["word"] = burt.by_keys().json()["word"]  # the keys always bring the one that opens
    assert burt.ask("GET", f"{burt.path}/lines").status_code == 200


def test_a_turn_by_the_api_is_a_turn(apis: Apis, people: dict[str, Visitor]) -> None:
    mine, other = asked(people)
    apis.table.pump()  # what another test has left behind
    file = mine.player.move()
    letters = len(mine.player.letters)
    answer = mine.post(file)
    assert (answer.status_code, answer.json()["state"]) == (202, "waiting")
    again = mine.ask("POST", f"{mine.path}/files", content=json.dumps(file, indent=1).encode())
    assert (again.status_code, again.json()) == (202, answer.json())
    assert apis.rang >= 2
    done = apis.table.pump()
    assert done.ruled == 1  # the same bytes are one row of the inbox
    other.fetch()
    mine.fetch()
    assert other.player.lines == mine.player.lines == apis.table.lines
    assert mine.recorded(file)
    assert other.client.request("GET", f"{other.path}/files/{mine.receipts[-1]}").status_code == 401
    assert other.ask("GET", f"{other.path}/files/{mine.receipts[-1]}").status_code == 404
    assert (
        len(mine.player.letters) == letters + mine.player.asked
    )  # answered by mail as well if it asks something
    again = mine.ask("POST", f"{mine.path}/files", content=json.dumps(file, indent=1).encode())
    assert again.json() == {"receipt": mine.receipts[-1], **mine.state()}


def test_a_receipt_that_asks_nothing_is_not_mailed_to_who_came_by_the_api(
    apis: Apis, people: dict[str, Visitor]
) -> None:
    mine, other = asked(people)
    for _ in range(8):
        letters, others = len(mine.player.letters), len(other.player.letters)
        file = mine.player.move()
        mine.post(file)
        apis.table.pump()
        mine.fetch()
        assert mine.recorded(file)
        receipts = len(mine.player.letters) - letters
        assert (
            receipts == mine.player.asked
        )  # still to act: the email says what to do; else the API has said it all
        if not mine.player.asked:
            break
    assert not mine.player.asked
    assert len(other.player.letters) == others + 1


def test_a_file_by_mail_and_by_the_api_counts_once(apis: Apis, people: dict[str, Visitor]) -> None:
    mine, _ = asked(people)
    apis.table.pump()  # what another test has left behind
    head = len(apis.table.lines)
    file = mine.player.move()
    apis.table.mail.arrive(mine.player.mail(file))
    assert mine.post(file).status_code == 202
    assert apis.table.pump().ruled == 2
    mine.fetch()
    assert mine.recorded(file)
    names = [
        json.loads(raw)["body"].get("msg", {}).get("body", {}).get("n") for raw in apis.table.lines[head:]
    ]
    assert names.count(file["body"]["n"]) == 1


def test_what_is_refused_says_why(apis: Apis, people: dict[str, Visitor]) -> None:
    mine, other = asked(people)
    stale = other.player.turn({"do": "draw", "from": "supply"})  # not asked
    late = mine.player.move()
    assert other.post(stale).status_code == 202
    assert mine.post(late).status_code == 202
    apis.table.pump()
    state = other.state()
    assert state["state"] == "refused"
    assert state["why"]
    assert state["reject"]["body"]["seat"] == other.player.seat
    assert mine.state()["state"] == "recorded"
    out_of_order = other.player.turn({"do": "discard", "card": "hideout"})  # not asked, or to draw first
    other.post(out_of_order)
    apis.table.pump()
    assert other.state()["state"] == "refused"


def test_another_seats_file_is_its_signers(apis: Apis, people: dict[str, Visitor]) -> None:
    """As by mail: who brings a file proves nothing, who signed it does."""
    mine, other = asked(people)
    file = mine.player.move()
    assert other.post(file).status_code == 202
    apis.table.pump()
    mine.fetch()
    other.fetch()
    assert other.recorded(file)
    assert mine.ask("GET", f"{mine.path}/files/{other.receipts[-1]}").status_code == 404


def test_what_no_word_opens(apis: Apis, people: dict[str, Visitor]) -> None:
    anna = people["anna"]
    word = anna.way["word"]
    for wrong in (
        "x",
        word[:-1],
        word[:-1] + ("a" if word[-1] != "a" else "b"),
        word + "a",
        people["anna"].way["match"],
    ):
        answer = anna.ask("GET", f"{anna.path}/lines", wrong)
        assert (answer.status_code, answer.json()["error"]) == (401, "word")
    for header in ("", word, f"Basic {word}", f"Bearer {word} x", "Bearer", f"Bearer\x01{word}"):
        assert (
            apis.client.request("GET", f"{anna.path}/lines", headers={"Authorization": header}).status_code
            == 401
        )
    assert anna.ask("GET", f"{anna.path}/lines", word.upper()).status_code == 200
    short = apis.table.short
    assert anna.ask("GET", f"/match/{short}/lines").content == anna.ask("GET", f"{anna.path}/lines").content


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 404),
        ("GET", "/match//lines", 404),
        ("GET", "/match/{id}", 404),
        ("GET", "/match/{id}/lines/", 404),
        ("GET", "/match/{id}/LINES", 404),
        ("GET", "/match/../match/{id}/lines", 200),  # the client takes the dots out
        ("GET", "/match/%2e%2e%2flines/lines", 404),
        ("GET", "/match/{id}%00/lines", 401),
        ("GET", "/match/{id}'--/lines", 401),
        ("GET", "/match/" + "a" * 5000 + "/lines", 401),
        ("GET", "/match/{id}/lines?after=x", 400),
        ("GET", "/match/{id}/lines?after=-2", 400),
        ("GET", "/match/{id}/lines?after=99999999999999999999", 400),
        ("GET", "/match/{id}/lines?after=999999999", 200),
        ("GET", "/match/{id}/lines?after=0&after=1", 200),
        ("GET", "/match/{id}/files", 405),
        ("PUT", "/match/{id}/files", 405),
        ("DELETE", "/match/{id}/lines", 405),
        ("GET", "/match/{id}/files/../../../etc/passwd", 404),
        ("GET", "/match/{id}/files/" + "0" * 64, 404),
        ("GET", "/match/{id}/files/" + "G" * 64, 404),
        ("GET", "https://games.pbem.test/match/{id}/lines", 200),  # a proxy that takes the prefix away
    ],
)
def test_odd_paths(people: dict[str, Visitor], method: str, path: str, status: int) -> None:
    anna = people["anna"]
    answer = anna.ask(method, path.replace("{id}", anna.way["match"]))
    assert answer.status_code == status, answer.text
    assert "Traceback" not in answer.text


def test_records_in_pieces_and_packed(apis: Apis, people: dict[str, Visitor]) -> None:
    anna = people["anna"]
    whole = b"".join(line + b"\n" for line in apis.table.lines)
    plain = anna.ask("GET", f"{anna.path}/lines")
    assert plain.content == whole
    assert plain.headers["content-type"].startswith("application/x-ndjson")
    assert plain.headers["pbem-head"] == str(len(apis.table.lines) - 1)
    later = b"".join(line + b"\n" for line in apis.table.lines[4:])
    assert anna.ask("GET", f"{anna.path}/lines?after=3").content == later
    packed = anna.ask("GET", f"{anna.path}/lines", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.content == whole
    assert packed.num_bytes_downloaded < len(whole)


def test_any_page_may_ask_and_none_brings_cookies(apis: Apis, people: dict[str, Visitor]) -> None:
    anna = people["anna"]
    headers = {
        "Origin": "https://page.test",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type",
    }
    before = apis.client.request("OPTIONS", f"{anna.path}/files", headers=headers)
    assert before.status_code == 200
    assert before.headers["access-control-allow-origin"] == "*"
    answer = anna.ask("GET", f"{anna.path}/lines", headers={"Origin": "https://page.test"})
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-credentials" not in answer.headers
    assert "pbem-head" in answer.headers["access-control-expose-headers"].lower()
    refused = anna.ask("GET", f"{anna.path}/lines", "wrong", headers={"Origin": "https://page.test"})
    assert refused.headers["access-control-allow-origin"] == "*"


def test_what_is_no_file_is_not_kept(apis: Apis, people: dict[str, Visitor]) -> None:
    mine, _ = asked(people)
    file = mine.player.move()
    altered = json.loads(json.dumps(file))
    altered["body"]["n"] += 1
    number = len(rows(apis))
    for raw, kind in (
        (b"", "malformed"),
        (b"{", "malformed"),
        (b"\xff\xfe{}", "malformed"),
        (b"[" * 60_000, "malformed"),
        (json.dumps(altered).encode(), "signature"),
        (apis.table.lines[3], "malformed"),
    ):
        answer = mine.ask("POST", f"{mine.path}/files", content=raw)
        assert (answer.status_code, answer.json()["error"]) == (422, kind), answer.text
    big = mine.ask("POST", f"{mine.path}/files", content=b" " * (MAX_FILE + 1))
    assert big.status_code == 413
    lying = mine.ask("POST", f"{mine.path}/files", content=b"{}", headers={"Content-Length": "9" * 30})
    assert lying.status_code == 413

    async def endless() -> AsyncIterator[bytes]:
        for _ in range(100):
            yield b" " * 4096

    assert mine.ask("POST", f"{mine.path}/files", content=endless()).status_code == 413
    assert len(rows(apis)) == number
    mine.player.number -= 1


def rows(apis: Apis) -> list[Any]:
    with apis.table.service.context.database.transaction() as transaction:
        return transaction.run("SELECT id FROM inbox")


def test_a_file_for_another_match(apis: Apis, people: dict[str, Visitor]) -> None:
    anna = people["anna"]
    file = json.loads(json.dumps(anna.player.turn(say="hello")))
    file["body"]["game"] = "A" * 43
    answer = anna.ask("POST", f"{anna.path}/files", content=json.dumps(file).encode())
    assert (answer.status_code, answer.json()["error"]) == (422, "another-match")
    anna.player.number -= 1


def test_a_slow_body_ends(apis: Apis, people: dict[str, Visitor]) -> None:
    anna = people["anna"]
    app = ApiApp(apis.table.service.context, apis.ring, rates=Rates(seconds=0.05))

    async def slow() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.sleep(0.5)
        yield b"}"

    async def send() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app.asgi), base_url=URL) as client:
            headers = {"Authorization": f"Bearer {anna.way['word']}"}
            return await client.post(f"{anna.path}/files", content=slow(), headers=headers)

    answer = asyncio.run(send())
    app.close()
    assert answer.status_code == 408


def test_all_who_wait_for_records_cost_one_look(apis: Apis) -> None:
    """Fifty pages of two matches, one of which has news at the third look; who hangs up gives their place free."""
    asked: list[set[str]] = []

    async def heads(games: Collection[str]) -> dict[str, int]:
        asked.append(set(games))
        if len(asked) == 2:
            raise StoreError("the database is away")
        return {"A": 3 if len(asked) < 3 else 4, "B": 8}

    async def never() -> bool:
        return False

    async def at_the_third_look() -> bool:
        return len(asked) >= 3

    async def waits() -> None:
        news = News(heads, look=0)
        answers = asyncio.gather(*(news.beyond("A", 3, 60, never) for _ in range(49)))
        left = asyncio.create_task(news.beyond("B", 8, 60, at_the_third_look))
        await answers
        await left

    asyncio.run(waits())
    assert asked[0] == asked[2] == {"A", "B"}
    head = len(apis.table.lines) - 1
    with apis.table.service.context.database.transaction() as transaction:
        kept = Matches(transaction)
        match = kept.named(apis.table.short)
        assert match is not None
        assert kept.heads([match.game, "nobody's"]) == {match.game: head}


def test_the_api_answers_as_soon_as_there_is_a_record(apis: Apis, people: dict[str, Visitor]) -> None:
    mine, other = asked(people)
    other.fetch()
    app = ApiApp(apis.table.service.context, apis.ring)
    head = len(other.player.lines) - 1

    async def listens() -> tuple[httpx.Response, httpx.Response]:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app.asgi), base_url=URL) as client:
            headers = {"Authorization": f"Bearer {other.way['word']}"}

            def get(after: int, wait: int) -> Coroutine[Any, Any, httpx.Response]:
                return client.get(
                    f"{other.path}/lines?after={after}&wait={wait}", headers=headers, timeout=PATIENCE
                )

            posted = await asyncio.to_thread(mine.post, mine.player.turn(say="news"))
            assert posted.status_code == 202
            waiting = asyncio.create_task(get(head, 25))  # not before: a busy machine takes its time to post
            none = await get(head, 0)
            apis.table.pump()
            return none, await waiting

    none, records = asyncio.run(listens())
    app.close()
    assert (none.status_code, none.content, none.headers["pbem-head"]) == (200, b"", str(head))
    assert b"news" in records.content


def test_an_api_that_closes_lets_nobody_wait() -> None:
    async def heads(games: Collection[str]) -> dict[str, int]:
        return dict.fromkeys(games, 3)

    async def never() -> bool:
        return False

    async def waits() -> int:
        news = News(heads, look=0)
        before = [asyncio.create_task(news.beyond("A", 3, 86_400, never)) for _ in range(5)]
        while news.count < 5:
            await asyncio.sleep(0)
        news.end()
        await asyncio.wait_for(asyncio.gather(*before), 60)
        await asyncio.wait_for(news.beyond("A", 3, 86_400, never), 60)  # who comes later, too
        return news.count

    assert asyncio.run(waits()) == 0


def test_floods_are_counted_apart(apis: Apis, people: dict[str, Visitor]) -> None:
    """300 posts: rubbish runs into its own limit, fitting files into theirs, wrong codes into none of both."""
    mine, other = asked(people)
    statuses = [mine.ask("POST", f"{mine.path}/files", content=b"rubbish").status_code for _ in range(100)]
    assert (statuses.count(422), statuses.count(429)) == (20, 80)
    strangers = [
        mine.ask("POST", f"{mine.path}/files", "wrong", content=b"{}").status_code for _ in range(100)
    ]
    assert (strangers.count(401), strangers.count(429)) == (60, 40)
    before = len(rows(apis))
    flood = [mine.player.turn(say=f"hello {number}") for number in range(100)]
    mine.player.number -= 100
    posted = [mine.ask("POST", f"{mine.path}/files", content=json.dumps(file).encode()) for file in flood]
    codes = [answer.status_code for answer in posted]
    assert (codes.count(202), codes.count(429)) == (60, 40)
    assert posted[-1].headers["retry-after"]
    assert len(rows(apis)) == before + 60
    apis.table.pump()
    other.fetch()  # nobody else was kept from anything
    assert other.player.lines == apis.table.lines
    assert other.post(other.player.turn(say="still here")).status_code == 202
    apis.table.pump()
    assert other.state()["state"] == "recorded"
    apis.time += 61
    mine.player.number += 60
    mine.fetch()
    assert mine.post(mine.player.move()).status_code == 202
    apis.table.pump()
    assert mine.state()["state"] == "recorded"  # the next test finds a seat that may write again


def test_a_withdrawn_word(apis: Apis, people: dict[str, Visitor]) -> None:
    anna = people["anna"]
    link, new = apis.table.service.matches.access_code(apis.table.short, "anna", new=True)
    assert link is not None
    assert link.word == new
    assert anna.ask("GET", f"{anna.path}/lines").status_code == 401
    assert anna.ask("GET", f"{anna.path}/lines", apis.table.words["anna"]).status_code == 401
    assert anna.ask("GET", f"{anna.path}/lines", new).status_code == 200
    assert anna.by_keys().json() == {"word": new}
    assert people["burt"].ask("GET", f"{anna.path}/lines").status_code == 200


def test_join_and_ready_by_the_invitations_link(tmp_path: Path) -> None:
    apis = Apis(tmp_path)
    apis.table.invite()
    people = apis.come()
    for person in people.values():
        assert "join" in person.way
        person.fetch()
        person.post(person.player.join(person.way["code"]))
        apis.table.pump()
        state = person.state()
        assert (state["state"], state["record"]) == ("recorded", 1 if person.player.seat == "anna" else 2)
        code, person.way["word"] = person.way["code"], state["word"]  # valid when the code no longer is
        assert len(state["word"]) == 26
        assert state["word"] != code
        assert code.encode() not in b"".join(apis.table.lines)  # a join is public, and proves the code only
    for person in people.values():
        person.fetch()  # by the same word: nobody has to wait for an email
        person.post(person.player.ready())
        apis.table.pump()
        assert person.state()["state"] == "recorded"
    people["anna"].fetch()
    assert people["anna"].player.record.waiting is not None
    assert way_in(apis.table.players["anna"].letters[-1])["seat"] == "anna"
    apis.close()


def test_a_join_without_its_word_waits_for_the_host(tmp_path: Path) -> None:
    apis = Apis(tmp_path)
    apis.table.invite()
    anna = apis.come()["anna"]
    anna.fetch()
    anna.post(anna.player.join(None))
    apis.table.pump()
    assert anna.state() == {"state": "waiting", "why": "the host must say yes to it"}
    apis.table.service.matches.confirm(apis.table.short, "anna", "1")
    assert anna.state()["state"] == "recorded"
    apis.close()


def test_letters_without_an_api_have_no_link(tmp_path: Path) -> None:
    table = Table(tmp_path).invite()
    assert b"#join" not in table.players["anna"].letters[0]
    table.service.close()
