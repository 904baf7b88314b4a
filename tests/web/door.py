"""A host's HTTP door as the page meets it, over a match of ``Friends``: the three requests, a word, CORS."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from pbem.protocol.crypto.digest import short_id
from tests.web.friends import Friends

WORD = "7q3kdw1x9abc"
_MOST_WAIT = 300


class Door:
    """What the host's door keeps: which files came, how often, and what they became."""

    def __init__(self, friends: Friends) -> None:
        self.friends = friends
        self.posted: list[bytes] = []
        self.became: dict[str, int] = {}
        self.lines_asked = 0
        self.altered = False
        """Whether the host gives records that nobody signed."""
        self.away = False
        """Whether nobody answers."""
        self.awake = threading.Event()
        """Set unless he lets everybody wait for records."""
        self.awake.set()
        self.grew = threading.Condition()
        """Told whenever there may be records for those who listen."""

    @property
    def match(self) -> str:
        """The match's short name."""
        return short_id(self.friends.world.record.game)

    def take(self, raw: bytes) -> str:
        """A file is posted: the same twice is one."""
        receipt = sha256(raw).hexdigest()
        self.posted.append(raw)
        if receipt not in self.became:
            before = len(self.friends.world.lines)
            self.friends.take(raw)
            self.became[receipt] = before
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
        assert self.awake.wait(_MOST_WAIT)
        with self.grew:
            self.grew.wait_for(lambda: self.friends.lines(after), wait)
        raw = self.friends.lines(after)
        return raw.replace(b'"turn"', b'"tum"').replace(b"burt", b"bart") if self.altered else raw


@contextmanager
def opened(door: Door) -> Iterator[str]:
    """The door's address, while it is open."""
    running = ThreadingHTTPServer(("127.0.0.1", 0), _handler(door))
    running.daemon_threads = True
    threading.Thread(target=running.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{running.server_address[1]}/door"
    finally:
        running.shutdown()
        running.server_close()


def _handler(door: Door) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def parse_request(self) -> bool:
            self.close_connection = door.away
            return not door.away and super().parse_request()

        def do_OPTIONS(self) -> None:
            self._say(204, b"")

        def do_GET(self) -> None:
            url = urlsplit(self.path)
            if not self._may():
                return
            if url.path.endswith("/lines"):
                asked = {name: int(values[0]) for name, values in parse_qs(url.query).items()}
                self._say(200, door.lines(**asked), "application/x-ndjson")
            else:
                record = door.became.get(url.path.rpartition("/")[2])
                told = {"state": "waiting"} if record is None else {"state": "recorded", "record": record}
                self._say(200, json.dumps(told).encode())

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            if self._may():
                self._say(202, json.dumps({"receipt": door.take(raw), "state": "waiting"}).encode())

        def _may(self) -> bool:
            right = self.headers.get("Authorization") == f"Bearer {WORD}" and self.path.startswith(
                f"/door/match/{door.match}/"
            )
            if not right:
                self._say(401, b'{"error":"word"}')
            return right

        def _say(self, status: int, data: bytes, kind: str = "application/json") -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.send_header("Access-Control-Allow-Headers", "Authorization, Content-Type")
            self.send_header("Access-Control-Allow-Methods", "GET, POST")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base class has it
            pass

    return Handler
