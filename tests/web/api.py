"""A host's HTTP API as the page meets it, over a match of ``Friends``: three requests, a code and a word, CORS."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from pbem.base.errors import PbemError
from pbem.game import JsonObject, Seat
from pbem.host.service.http_parts import HttpRefusal
from pbem.host.service.pairing import LASTS, PairMailboxes
from pbem.protocol.crypto.digest import short_id, unb64
from pbem.protocol.formats.api_key import asked_by_keys
from pbem.protocol.formats.messages import invitation_proof, read_message
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record.deadlines import format_time
from pbem.protocol.referee import Accepted
from tests.patience import PATIENCE
from tests.web.friends import ME, Friends

WORD = "7q3kdw1x9abc"
CODE = "7q3kdw1x7q3kdw1x7q3kdw1x7q"
"""Of a link: it opens the API until the seat's first turn, and the answer to the join brings ``WORD``."""


class Api:
    """What the host's API keeps: which files came, how often, and what they became."""

    def __init__(self, friends: Friends) -> None:
        self.friends = friends
        self.posted: list[bytes] = []
        self.became: dict[str, int] = {}
        self.lines_asked = 0
        self.methods: list[str] = []
        """Of every request that was answered."""
        self.altered = False
        """Whether the host gives records that nobody signed."""
        self.hotel = False
        """Whether the network's login page answers in their place, as if all were well."""
        self.away = False
        """Whether nobody answers."""
        self.awake = threading.Event()
        """Set unless they let everybody wait for records."""
        self.awake.set()
        self.push_key = ""
        """By which push services know them."""
        self.pushed: list[bytes] = []
        """What browsers that want to be called have posted."""
        self.proposed: list[JsonObject] = []
        """Signed consents of other seats that wait for more."""
        self.boxes = PairMailboxes(time.monotonic)
        """Where two devices of a player find each other."""
        self.grew = threading.Condition()
        """Notified whenever there may be records for those who listen."""

    def became_of(self, receipt: str) -> JsonObject:
        """What a file became; a join brings the word that stays."""
        record = self.became.get(receipt)
        if record is None:
            return {"state": "waiting"}
        if record < 0:
            return {"state": "refused", "why": "stale"}
        joined = self.friends.world.record.lines[record].kind == "join"
        return {"state": "recorded", "record": record, **({"word": WORD} if joined else {})}

    @property
    def match(self) -> str:
        """The match's short name."""
        return short_id(self.friends.world.record.game)

    def opens(self, word: str) -> bool:
        """Whether this word, or the code as long as it lives, opens the API."""
        turns = (line for line in self.friends.world.record.lines if line.kind == "turn")
        played = any(line.body["msg"]["body"]["seat"] == ME for line in turns)
        return word == WORD or (word == CODE and not played)

    def by_keys(self, raw: bytes, url: str) -> str:
        """The word for whoever holds the seat's keys; empty for others."""
        try:
            seat, key = asked_by_keys(raw, url, self.match, format_time(datetime.now(UTC)))
        except PbemError:
            return ""
        return WORD if seat == ME and self.friends.world.record.ledger.players[Seat(ME)].sign == key else ""

    def take(self, raw: bytes, word: str) -> str:
        """A file is posted: the same twice is one. A join by a link proves its code, and does not disclose it."""
        receipt, body = sha256(raw).hexdigest(), read_message(raw).body
        if word == CODE and "name" in body:
            sign = unb64(body["sign"], 32)
            assert body["proof"] == invitation_proof(CODE, self.friends.world.record.game, ME, sign)
        assert CODE.encode() not in raw
        self.posted.append(raw)
        if receipt not in self.became and "what" not in body:  # a consent waits for others
            before = len(self.friends.world.lines)
            taken = isinstance(self.friends.world.send(raw), Accepted)
            self.became[receipt] = before if taken else -1
            self.friends.go_on()
        return receipt

    def go_on(self) -> None:
        """The others act, and whoever listens is answered."""
        with self.grew:
            self.friends.held = False
            self.friends.go_on()
            self.grew.notify_all()

    def lines(self, after: int, wait: int = 0) -> bytes:
        """The records after a number; if there are none, as soon as there are, or after so many seconds."""
        self.lines_asked += 1
        assert self.awake.wait(PATIENCE)
        with self.grew:
            self.grew.wait_for(lambda: self.friends.lines(after), wait)
        raw = self.friends.lines(after)
        return raw.replace(b'"turn"', b'"tum"').replace(b"burt", b"bart") if self.altered else raw


@contextmanager
def opened(api: Api) -> Iterator[str]:
    """The API's address, while it is open."""
    running = ThreadingHTTPServer(("127.0.0.1", 0), _handler(api))
    running.daemon_threads = True
    threading.Thread(target=running.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{running.server_address[1]}/api"
    finally:
        running.shutdown()
        running.server_close()


def _handler(api: Api) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def parse_request(self) -> bool:
            self.close_connection = api.away
            return not api.away and super().parse_request()

        def do_OPTIONS(self) -> None:
            self._say(204, b"")

        def do_GET(self) -> None:
            url = urlsplit(self.path)
            if url.path == "/api/push/key":
                self._say(200, json.dumps({"key": api.push_key}).encode())
                return
            if self._pair(url.path, b"") or not self._may():
                return
            if url.path.endswith("/lines"):
                asked = {name: int(values[0]) for name, values in parse_qs(url.query).items()}
                self._say(200, api.lines(**asked), "application/x-ndjson")
            elif url.path.endswith("/proposals"):
                self._say(
                    200,
                    b"".join(canon(proposal) + b"\n" for proposal in api.proposed),
                    "application/x-ndjson",
                )
            else:
                self._say(200, json.dumps(api.became_of(url.path.rpartition("/")[2])).encode())

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"] or 0))
            if api.hotel:
                self._say(200, b"")
            elif self._pair(self.path, raw):
                pass
            elif self.path.endswith("/push") and self._may():
                api.pushed.append(raw)
                self._say(201, b'{"state":"kept"}')
            elif self.path.endswith("/word"):
                word = api.by_keys(raw, f"http://{self.headers['Host']}/api")
                self._say(200 if word else 401, json.dumps({"word": word}).encode())
            elif self._may():
                self._say(
                    202, json.dumps({"receipt": api.take(raw, self._word), "state": "waiting"}).encode()
                )

        def do_DELETE(self) -> None:
            if not self._pair(self.path, b"") and self._may():
                self._say(204, b"")

        def _pair(self, path: str, raw: bytes) -> bool:
            """The mailboxes of a real host, without their limits of time and number; whether one was asked for."""
            place = path.removeprefix("/api").split("/")[1:]
            if place[-1] == "pair" and self._may():
                box = api.boxes.open((api.match, ME))
                members = {"channel": box.channel, "ticket": box.giver, "seconds": LASTS}
                self._say(201, json.dumps(members).encode())
            elif place[0] == "pair":
                self._say(*self._carried(*place[1:], raw=raw))
            return "pair" in place

        def _carried(self, channel: str, number: str = "0", *, raw: bytes) -> tuple[int, bytes]:
            try:
                if self.command == "POST":
                    stored = api.boxes.put(channel, int(number), raw, self._word)
                    return 201, json.dumps({"ticket": stored.taker} if number == "1" else {}).encode()
                if self.command == "GET":
                    message = api.boxes.get(channel, int(number), self._word)
                    return (204, b"") if message is None else (200, message)
                api.boxes.end(channel, self._word)
            except HttpRefusal as fault:
                return fault.status, b"{}"
            return 204, b""

        @property
        def _word(self) -> str:
            return self.headers.get("Authorization", "").removeprefix("Bearer ")

        def _may(self) -> bool:
            right = api.opens(self._word) and self.path.startswith(f"/api/match/{api.match}/")
            if not right:
                self._say(401, b'{"error":"word"}')
            return right

        def _say(self, status: int, data: bytes, kind: str = "application/json") -> None:
            if api.hotel:
                status, data, kind = 200, b"<html>Welcome! Room and name, please.</html>", "text/html"
            api.methods.append(self.command)
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.send_header("Access-Control-Allow-Headers", "Authorization, Content-Type")
            self.send_header("Access-Control-Allow-Methods", "GET, POST, DELETE")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base class has it
            pass

    return Handler
