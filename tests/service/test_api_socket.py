"""The API over a real socket: three seats play a hand by HTTP alone; addresses that cannot be listened at."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import httpx
import pytest

from pbem.base.errors import StoreError, UsageProblem
from pbem.host.service.sidecar import bound
from pbem.protocol.audit import audit
from tests.patience import PATIENCE
from tests.service.api_run import letters_to, lines_of, party


def test_a_hand_of_three_by_http_alone(tmp_path: Path) -> None:
    with party(tmp_path) as guests:
        guests.start()
        guests.play()
        lines = lines_of(guests)
        assert any(b'"kind":"close"' in line for line in lines)
        assert all(person.player.lines == lines for person in guests.people)
        assert audit(lines).ok
        files = [json.loads(line)["body"].get("msg", {}).get("body") for line in lines]
        assert sum(body is not None for body in files) == len(guests.taps)
        assert guests.troubles == []
        for person in guests.people:
            assert (
                len(letters_to(tmp_path / "letters", person.player.address)) > 3
            )  # mail brings everything, too
        slow(guests.api.server.port)


def slow(port: int) -> None:
    """Somebody who sends half a request keeps nobody else from being answered."""
    with socket.create_connection(("127.0.0.1", port)) as half, httpx.Client(timeout=PATIENCE) as client:
        half.sendall(b"GET /match/aaaaaaaa/lines HTTP/1.1\r\nHost: x\r\nX: ")
        assert client.get(f"http://127.0.0.1:{port}/match/aaaaaaaa/lines").status_code == 401
        half.setblocking(False)
        with pytest.raises(BlockingIOError):  # it is still waited for, neither answered nor hung up on
            half.recv(1)
    with socket.create_connection(("127.0.0.1", port)) as odd:
        odd.sendall(b"GET /match/\x00\xff/lines HTTP/1.1\r\nHost: x\r\n\r\n")
        assert odd.recv(200).startswith(b"HTTP/1.1 400")
    with socket.create_connection(("127.0.0.1", port)) as long:
        long.sendall(b"GET / HTTP/1.1\r\nX: " + b"a" * 70_000)
        assert long.recv(200).startswith(b"HTTP/1.1 4")


@pytest.mark.parametrize("address", ["", "8080", "host", "host:x", "host:70000", "http://host:80", "a b:80"])
def test_what_is_no_address(address: str) -> None:
    with pytest.raises(UsageProblem, match="not an address to listen at"):
        bound(address)


def test_an_address_that_is_taken(tmp_path: Path) -> None:
    with bound("127.0.0.1:0") as first, pytest.raises(StoreError, match="cannot listen at"):
        bound(f"127.0.0.1:{first.getsockname()[1]}")
    for _ in range(2):  # the file of one that was killed is in nobody's way
        bound(f"unix:{tmp_path / 'api'}").close()
