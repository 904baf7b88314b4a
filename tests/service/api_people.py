"""People who play by the HTTP API: they join by the fragment in an email, and their keys bring the access code."""

from __future__ import annotations

import asyncio
import json
import re
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import parse_qs

import httpx

from pbem.game import JsonObject
from pbem.protocol.crypto.digest import sha
from pbem.protocol.formats.api_key import ask_by_keys
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record.deadlines import format_time
from tests.service.people import Player, parse

_FRAGMENT = re.compile(r"^(?:https?://\S+)?#((?:match|join)=\S+)\s*$", re.MULTILINE)


def has_link(letter: bytes) -> bool:
    """Whether an email has a link to the page: a receipt that asks nothing has none."""
    body = parse(letter).get_body(("plain",))
    return body is not None and _FRAGMENT.search(body.get_content()) is not None


def way_in(letter: bytes) -> dict[str, str]:
    """What the link in an email says."""
    body = parse(letter).get_body(("plain",))
    assert body is not None
    match = _FRAGMENT.search(body.get_content())
    assert match is not None, body.get_content()
    return {name: values[0] for name, values in parse_qs(match[1], strict_parsing=True).items()}


class InMemory:
    """Asks an ASGI application without a socket."""

    def __init__(self, app: Any, url: str) -> None:
        self._loop = asyncio.new_event_loop()
        transport = httpx.ASGITransport(app, raise_app_exceptions=True)
        headers = {"Accept-Encoding": "identity"}
        self._client = httpx.AsyncClient(transport=transport, base_url=url, headers=headers)

    def request(self, method: str, url: str, **more: Any) -> httpx.Response:
        """One request."""
        return self._loop.run_until_complete(self._client.request(method, url, **more))

    def close(self) -> None:
        """Close the connections."""
        self._loop.run_until_complete(self._client.aclose())
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()


class Visitor:
    """One player at the API."""

    def __init__(self, player: Player, client: httpx.Client | InMemory, letter: bytes) -> None:
        self.player = player
        self.client = client
        self.way = way_in(letter)
        self.receipts: list[str] = []
        if "code" not in self.way:
            self.at = parsedate_to_datetime(str(parse(letter)["Date"]))
            self.way["word"] = self.by_keys().json()["word"]

    def by_keys(self, **other: str) -> httpx.Response:
        """The access code of the seat is asked for by its keys, as a page does: no email holds it."""
        asked = {"api": self.way["api"], "match": self.way["match"], "seat": self.way["seat"]} | other
        at = format_time(self.at.astimezone(UTC))
        file = ask_by_keys(self.player.identity, at=at, **asked)
        return self.client.request("POST", f"{self.path}/word", content=canon(file))

    @property
    def path(self) -> str:
        """The match's place at the API."""
        return f"/match/{self.way.get('match') or self.way['join']}"

    def ask(self, method: str, path: str, word: str = "", **more: Any) -> httpx.Response:
        """One request under the word of the link, or another one."""
        own = self.way.get("word") or self.way["code"]
        headers = {"Authorization": f"Bearer {word or own}", **more.pop("headers", {})}
        return self.client.request(method, path, headers=headers, **more)

    def fetch(self, wait: int = 0) -> int:
        """Take over what is new; how many records."""
        count = 0
        while True:
            query = f"?after={len(self.player.lines) - 1}" + (f"&wait={wait}" if wait else "")
            answer = self.ask("GET", f"{self.path}/lines{query}")
            assert answer.status_code == 200, answer.text
            lines = [line for line in answer.content.split(b"\n") if line]
            self.player.lines += lines
            count += len(lines)
            if not lines or len(self.player.lines) > int(answer.headers["Pbem-Head"]):
                return count

    def post(self, file: JsonObject) -> httpx.Response:
        """Send a file, as JSON with blanks, as a page would."""
        raw = json.dumps(file, indent=1).encode()
        answer = self.ask("POST", f"{self.path}/files", content=raw)
        if answer.status_code == 202:
            assert answer.json()["receipt"] == sha(raw).hex()
            self.receipts.append(answer.json()["receipt"])
        return answer

    def state(self, receipt: str = "") -> dict[str, Any]:
        """What became of a file, of the newest one if none is named; the access code is kept, as a page does."""
        answer = self.ask("GET", f"{self.path}/files/{receipt or self.receipts[-1]}")
        assert answer.status_code == 200, answer.text
        state: dict[str, Any] = answer.json()
        self.way |= {"word": state["word"]} if "word" in state else {}
        return state

    def recorded(self, file: JsonObject) -> bool:
        """Whether this copy's record that the receipt names holds the file."""
        state = self.state()
        return state["state"] == "recorded" and canon(file) in self.player.lines[state["record"]]
