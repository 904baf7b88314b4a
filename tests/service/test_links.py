"""SeatLinks that take a seat: looking changes nothing, one seat each, withdrawn and given again, void after a turn."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from pbem.base.errors import RefusedError, UsageProblem
from pbem.game import JsonObject, Seat
from pbem.host.service.http import ApiApp
from pbem.host.service.links import SeatLink, SeatLinks
from pbem.protocol.client import compose_consent
from pbem.protocol.crypto.digest import fingerprint
from pbem.protocol.formats.strict_json import canon
from pbem.web.build import HASHES
from pbem.web.serve import Pages, asgi, host_file
from tests.service.api_people import InMemory
from tests.service.people import Player
from tests.service.table import Table

API = "https://anna.test"
PAGE = f"{API}/play/"


class Given:
    """A match whose seats were given away by links alone, from a host without mail."""

    def __init__(self, folder: Path) -> None:
        self.table = Table(folder, api=API, page=PAGE, mails=False)
        self.links = SeatLinks(self.table.service.context)
        self.links.give(self.table.short, list(self.table.players))
        self.app = ApiApp(self.table.service.context, lambda: None, clock=lambda: 0.0)
        self.client = InMemory(self.app.asgi, API)

    def link(self, seat: str) -> SeatLink:
        return next(each for each in self.links.all(self.table.short) if each.seat == seat)

    def code(self, seat: str) -> str:
        return code_of(self.link(seat))

    def ask(self, method: str, path: str, word: str, **more: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {word}"}
        return self.client.request(method, f"/match/{self.table.short}/{path}", headers=headers, **more)

    def read(self, seat: str, word: str) -> None:
        player = self.table.players[seat]
        answer = self.ask("GET", f"lines?after={len(player.lines) - 1}", word)
        assert answer.status_code == 200, answer.text
        player.lines += [line for line in answer.content.split(b"\n") if line]

    def post(self, file: JsonObject, word: str) -> JsonObject:
        answer = self.ask("POST", "files", word, json=file)
        assert answer.status_code == 202, answer.text
        self.table.service.run_once()
        state: JsonObject = self.ask("GET", f"files/{answer.json()['receipt']}", word).json()
        return state

    def join(self, seat: str, code: str) -> JsonObject:
        self.read(seat, code)
        return self.post(self.table.players[seat].join(code, contact=False), code)


def code_of(link: SeatLink) -> str:
    return parse_qs(urlsplit(link.url).fragment)["code"][0]


@pytest.fixture
def given(tmp_path: Path) -> Iterator[Given]:
    given_links = Given(tmp_path)
    yield given_links
    given_links.client.close()
    given_links.app.close()
    given_links.table.service.close()


def test_a_link_is_page_seat_and_api_in_one(given: Given) -> None:
    first, two = given.links.all(given.table.short)
    assert first.url.startswith(f"{PAGE}#join={given.table.short}&seat=anna&code=")
    assert len(first.url) < 100  # a QR code that a phone reads off a terminal
    assert first.url != two.url
    assert urlsplit(first.url).query == ""
    given.read("anna", given.code("anna"))
    genesis = json.loads(given.table.players["anna"].lines[0])
    assert genesis["body"]["host"]["page"] is True, "whoever is invited is told that the host serves a page"


def test_looking_changes_nothing(given: Given, tmp_path: Path) -> None:
    def kept() -> list[str]:
        """Every row of the database."""
        with contextlib.closing(sqlite3.connect(tmp_path / "service.db")) as database:
            return list(database.iterdump())

    before = kept()
    for _ in range(3):
        assert given.ask("GET", "lines?after=-1", given.code("anna")).status_code == 200
        assert given.ask("GET", "files/" + "0" * 64, given.code("anna")).status_code == 404
    assert kept() == before


def test_who_took_it_is_seen_and_no_letter_is_written(given: Given) -> None:
    assert given.join("burt", given.code("burt"))["state"] == "recorded"
    taken = given.link("burt")
    assert (taken.name, taken.address) == ("Burt", "")
    assert taken.fingerprint
    assert taken.at
    assert not given.link("anna").name
    assert given.table.service.counts() == {}
    assert given.table.notes("no-address") == []


def test_a_seats_code_takes_no_other_seat(given: Given) -> None:
    code = given.code("burt")
    given.read("anna", code)
    assert given.post(given.table.players["anna"].join(code, contact=False), code)["state"] == "refused"
    assert not given.link("anna").name


def test_the_code_stands_in_no_record(given: Given) -> None:
    code = given.code("burt")
    given.join("burt", code)
    whole = b"".join(given.table.lines)
    assert code.encode() not in whole
    assert b'"proof":' in whole


def test_a_withdrawn_link_opens_nothing_and_a_new_one_does(given: Given) -> None:
    old = given.code("burt")
    new = code_of(given.links.renew(given.table.short, "burt"))
    assert new != old
    assert given.ask("GET", "lines?after=-1", old).status_code == 401
    given.read("burt", new)
    late = given.table.players["burt"].join(old, contact=False)
    assert given.post(late, new)["state"] == "refused"
    assert given.post(given.table.players["burt"].join(new, contact=False), new)["state"] == "recorded"


def test_the_code_dies_with_the_first_turn_and_the_word_lives(given: Given) -> None:
    codes = {seat: given.code(seat) for seat in given.table.players}
    words = {seat: given.join(seat, code)["word"] for seat, code in codes.items()}
    for seat, player in given.table.players.items():
        given.read(seat, words[seat])
        given.post(player.ready(), words[seat])
    for seat in given.table.players:
        given.read(seat, codes[seat])  # both still open the API
        given.read(seat, words[seat])
    mover = next(seat for seat, player in given.table.players.items() if player.asked)
    assert given.post(given.table.players[mover].move(), words[mover])["state"] == "recorded"
    assert given.ask("GET", "lines?after=-1", codes[mover]).status_code == 401
    assert given.ask("GET", "lines?after=-1", words[mover]).status_code == 200
    assert not given.link(mover).url
    with pytest.raises(RefusedError, match="first deal"):
        given.links.renew(given.table.short, mover)


def test_the_same_link_takes_the_seat_again_and_ends_the_old_keys(given: Given) -> None:
    code = given.code("burt")
    first = given.join("burt", code)
    other = Player("burt", seed="another browser")
    given.table.players["burt"], before = other, given.table.players["burt"]
    again = given.join("burt", code)
    assert again["state"] == "recorded"
    assert again["word"] != first["word"]
    assert given.ask("GET", "lines?after=-1", first["word"]).status_code == 401  # the former browser's ends
    assert given.ask("GET", "lines?after=-1", code).status_code == 200
    assert given.link("burt").fingerprint == fingerprint(other.identity.sign_public)
    assert b'"kind":"retake"' in given.table.lines[-1]
    assert before.identity.sign_public != other.identity.sign_public
    given.post(before.join(code, contact=False), code)
    assert given.link("burt").fingerprint == fingerprint(
        other.identity.sign_public
    )  # their old join brings nobody in


def test_a_seat_that_is_not_there_has_no_link(given: Given) -> None:
    with pytest.raises(UsageProblem, match="no seat"):
        given.links.renew(given.table.short, "zoe")


# --- the page beside the API ---------------------------------------------------------------------------------


FILES = {"index.html": b"<p>page</p>", "index.html.br": b"packed", "index.html.gz": b"gzipped", HASHES: b"{}"}


def asked(path: str, **headers: str) -> httpx.Response:
    pages = Pages(FILES, extra_files=host_file("Anna", bytes(32), API))
    transport = httpx.ASGITransport(asgi(pages, "/play/"))

    async def get() -> httpx.Response:
        async with httpx.AsyncClient(transport=transport, base_url=API) as client:
            stream = client.build_request("GET", path, headers=headers)
            answer = await client.send(stream, stream=True)
            raw = b"".join([part async for part in answer.aiter_raw()])
            return httpx.Response(
                answer.status_code, headers=[*answer.headers.items()], extensions={"raw": raw}
            )

    return asyncio.run(get())


@pytest.mark.parametrize(
    ("accepts", "packing", "body"),
    [
        ("gzip, deflate, br", "br", b"packed"),
        ("gzip", "gzip", b"gzipped"),
        ("identity", None, b"<p>page</p>"),
        ("br;q=0, gzip", "gzip", b"gzipped"),
    ],
)
def test_the_page_is_served_packed_as_it_was_built(accepts: str, packing: str | None, body: bytes) -> None:
    answer = asked("/play/", **{"accept-encoding": accepts})
    assert (answer.status_code, answer.extensions["raw"]) == (200, body)
    assert answer.headers.get("content-encoding") == packing
    assert "require-trusted-types-for" in answer.headers["content-security-policy"]
    again = asked("/play/", **{"accept-encoding": accepts, "if-none-match": answer.headers["etag"]})
    assert (again.status_code, again.extensions["raw"]) == (304, b"")


def test_a_host_who_serves_the_page_says_so_beside_it() -> None:
    answer = asked("/play/host.json", **{"accept-encoding": "identity"})
    assert b'"name": "Anna"' in answer.extensions["raw"]
    assert asked("/play/other.mjs").status_code == 404
    assert asked("/play").headers["location"] == "/play/"


def test_who_plays_by_a_link_alone_reads_what_others_propose(given: Given) -> None:
    words = {seat: given.code(seat) for seat in given.table.players}
    for seat, code in words.items():
        words[seat] = given.join(seat, code)["word"]
    anna, burt = given.table.players["anna"], given.table.players["burt"]
    assert given.ask("GET", "proposals", words["burt"]).content == b""
    given.read("anna", words["anna"])
    anna.number += 1
    end = {"kind": "end", "why": "supper"}
    consent = compose_consent(anna.record, anna.identity, Seat("anna"), anna.number, end)
    assert given.post(consent, words["anna"])["why"] == "it is kept until everybody has agreed"
    answer = given.ask("GET", "proposals", words["burt"])
    assert (answer.status_code, answer.content) == (200, canon(consent) + b"\n")
    assert given.ask("GET", "proposals", words["anna"]).content == b"", "its own are not asked of it"
    assert given.ask("GET", "proposals", "wrong").status_code == 401
    assert given.ask("POST", "proposals", words["burt"]).status_code == 405
    given.read("burt", words["burt"])
    burt.number += 1
    agreed = compose_consent(burt.record, burt.identity, Seat("burt"), burt.number, end)
    assert given.post(agreed, words["burt"])["state"] == "recorded"
    assert given.ask("GET", "proposals", words["burt"]).content == b"", "what is carried out is asked no more"
