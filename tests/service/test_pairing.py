"""Mailboxes at the HTTP API, by which a seat goes along: whose they are, how many, how long, and who gets a guess."""

from __future__ import annotations

import hmac
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from spake2 import SPAKE2_A

from pbem.host.service.http_parts import MOST_SMALL, HttpRefusal
from pbem.host.service.pairing import (
    LARGE,
    LASTS,
    MOST_BYTES,
    MOST_LARGE,
    MOST_MAILBOXES,
    PairMailboxes,
)
from pbem.player.seat.pairing import Giver, Taker, WrongCode, new_code
from tests.service.api_people import InMemory, Visitor
from tests.service.test_api import Apis


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Apis]:
    apis = Apis(tmp_path_factory.mktemp("pairing"))
    apis.table.start()
    yield apis
    apis.close()


@pytest.fixture
def anna(api: Apis) -> Visitor:
    api.time += 3600
    return api.come()["anna"]


class Device:
    """One of two devices at the API, by its ticket."""

    def __init__(self, client: InMemory, channel: str, ticket: str = "") -> None:
        self.client, self.channel, self.ticket = client, channel, ticket

    def put(self, number: int, data: bytes) -> tuple[int, dict[str, str]]:
        answer = self.client.request("POST", f"{self._path}/{number}", content=data, headers=self._head)
        body = answer.json()
        self.ticket = self.ticket or body.get("ticket", "")
        return answer.status_code, body

    def get(self, number: int) -> tuple[int, bytes]:
        answer = self.client.request("GET", f"{self._path}/{number}", headers=self._head)
        return answer.status_code, answer.content

    def end(self) -> int:
        return self.client.request("DELETE", self._path, headers=self._head).status_code

    @property
    def _path(self) -> str:
        return f"/pair/{self.channel}"

    @property
    def _head(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.ticket}"} if self.ticket else {}


def begun(api: Apis, anna: Visitor) -> tuple[Device, Device]:
    """A mailbox of Anna's, the device that has her seat, and another one."""
    answer = anna.ask("POST", f"{anna.path}/pair")
    assert answer.status_code == 201
    answer_body = answer.json()
    assert answer_body["seconds"] == LASTS
    return Device(api.client, answer_body["channel"], answer_body["ticket"]), Device(
        api.client, answer_body["channel"]
    )


def test_a_seat_goes_through_and_nothing_of_it_is_left(api: Apis, anna: Visitor) -> None:
    giving, taking = begun(api, anna)
    code = new_code(giving.channel, os.urandom)
    giver, taker = Giver(code, os.urandom), Taker(code, os.urandom)
    seat = os.urandom(200_000)
    assert giving.get(1) == (204, b"")
    first = taker.first()
    assert taking.put(1, first)[0] == 201
    assert taking.put(1, first) == (201, {"ticket": taking.ticket})  # its answer was lost
    assert giving.get(1) == (200, first)
    second = giver.answers(first)
    assert giving.put(2, second)[0] == 201
    assert taking.put(3, taker.asks(taking.get(2)[1], "Phone"))[0] == 201
    assert giver.device(giving.get(3)[1]) == "Phone"
    assert giving.put(4, giver.gives(seat))[0] == 201
    sealed = taking.get(4)[1]
    assert seat[:32] not in sealed
    assert taker.takes(sealed) == seat
    assert taking.put(5, taker.keeps())[0] == 201
    giver.kept(giving.get(5)[1])
    assert giving.get(5)[0] == 404
    assert len(api.app.pairs.boxes.known) == 0
    files = [path.read_bytes() for path in api.table.folder.rglob("*") if path.is_file()]
    assert not any(sealed[:48] in raw or giving.ticket.encode() in raw for raw in files)


def test_only_a_seat_opens_a_mailbox_and_it_has_one(api: Apis, anna: Visitor) -> None:
    answer = anna.ask("POST", f"{anna.path}/pair", "x" * 26)
    assert (answer.status_code, answer.json()["error"]) == (401, "word")
    earlier, _ = begun(api, anna)
    begun(api, anna)
    assert earlier.get(1)[0] == 404
    assert len(api.app.pairs.boxes.known) == 1


def test_one_guess_a_code_and_nobody_speaks_for_either_of_the_two(api: Apis, anna: Visitor) -> None:
    giving, taking = begun(api, anna)
    assert taking.put(1, b"x" * 33)[0] == 201
    third = Device(api.client, giving.channel)
    assert third.put(1, b"y" * 33) == (401, {"error": "ticket", "why": "this code was used already"})
    assert taking.put(1, b"y" * 33)[0] == 409
    for other in (third, taking):
        assert other.put(2, b"z")[0] == 401  # the device that has the seat alone
    assert giving.put(3, b"z")[0] == 401
    assert giving.put(4, b"z")[0] == 409
    assert third.get(2)[0] == 401
    assert third.end() == 401
    assert taking.end() == 204
    assert giving.get(1)[0] == 404


def test_what_is_too_big_too_old_or_nowhere(api: Apis, anna: Visitor) -> None:
    giving, taking = begun(api, anna)
    assert taking.put(1, b"x" * (MOST_SMALL + 1))[1]["error"] == "too-big"
    assert taking.put(1, b"x" * 33)[0] == 201
    assert giving.put(2, b"y")[0] == 201
    assert taking.put(3, b"z")[0] == 201
    assert giving.put(4, b"x" * (MOST_LARGE + 1))[1]["error"] == "too-big"
    api.time += LASTS
    assert giving.put(4, b"x")[1]["error"] == "no-mailbox"
    assert len(api.app.pairs.boxes.known) == 0
    for number in ("0", "6", "x"):
        assert api.client.request("GET", f"/pair/{giving.channel}/{number}").status_code == 404


def test_an_address_has_few_guesses(api: Apis, anna: Visitor) -> None:
    del anna
    errors = [Device(api.client, "ZZ").put(1, b"x" * 33)[1]["error"] for _ in range(12)]
    assert errors == ["no-mailbox"] * 10 + ["too-many"] * 2


def test_a_host_that_was_killed_in_between_knows_nothing_of_it(
    api: Apis, anna: Visitor, tmp_path: Path
) -> None:
    giving, taking = begun(api, anna)
    assert taking.put(1, b"x" * 33)[0] == 201
    again = Apis(tmp_path)
    for device, number in ((giving, 1), (taking, 2)):
        device.client = again.client
        assert device.get(number)[0] == 404
    again.close()


def test_there_are_not_more_than_so_many_and_not_more_bytes() -> None:
    boxes = PairMailboxes(lambda: 0.0)
    channels = {boxes.open((str(number), "anna")).channel for number in range(MOST_MAILBOXES)}
    assert len(channels) == MOST_MAILBOXES
    with pytest.raises(HttpRefusal, match="too many seats"):
        boxes.open(("one more", "anna"))
    large = []
    for channel in sorted(channels)[: MOST_BYTES // MOST_LARGE + 1]:
        boxes.put(channel, 1, b"x", "")
        large.append(boxes.find(channel))
        large[-1].number = LARGE - 1
    for box in large[:-2]:
        boxes.put(box.channel, LARGE, bytes(MOST_LARGE), box.giver)
    with pytest.raises(HttpRefusal, match="too many seats"):
        boxes.put(large[-1].channel, LARGE, bytes(MOST_LARGE), large[-1].giver)  # one byte too much


def test_an_api_that_tries_codes_has_one_guess_and_learns_nothing_by_it() -> None:
    """A hostile host answers in the taker's place, then alters what the two say: each way is found out at once."""
    code = new_code("K7", os.urandom)
    wrong = "K7" + ("0000" if code[2:] != "0000" else "0001")
    giver, host = Giver(code, os.urandom), Taker(wrong, os.urandom)
    second = giver.answers(host.first())
    with pytest.raises(WrongCode):
        host.asks(second, "Phone")
    with pytest.raises(WrongCode):  # the same exchange takes no second guess
        giver.answers(Taker(code, os.urandom).first())
    with pytest.raises(WrongCode):
        giver.device(host._proven(3, b"x" * 40))
    with pytest.raises(WrongCode):
        giver.device(b"")


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
def test_an_api_that_alters_or_swaps_a_message_is_found_out(number: int) -> None:
    """One bit of one message; or the message of another exchange with the same code."""
    for other in (False, True):
        code = "K7ABCD"
        giver, taker = Giver(code, os.urandom), Taker(code, os.urandom)
        elsewhere = exchange(Giver(code, os.urandom), Taker(code, os.urandom))

        def carried(at: int, message: bytes, *, other: bool = other, said: list[bytes] = elsewhere) -> bytes:
            if at != number:
                return message
            return said[at - 1] if other else message[:-1] + bytes([message[-1] ^ 1])

        with pytest.raises(WrongCode):
            exchange(giver, taker, carried)


def test_the_five_messages_are_made_as_the_format_says() -> None:
    """schemas/README.md §12.1 with the library alone: another program gives a seat, and ours takes it."""
    code, label, taker = "K7ABCD", b"pbem/1 seat goes along", Taker("K7ABCD", os.urandom)
    giver = SPAKE2_A(code.encode("ascii"), b"pbem/1 giver", b"pbem/1 taker")
    point, first = giver.start(), taker.first()
    key = giver.finish(first)
    assert (len(first), first[:1], len(point), point[:1]) == (33, b"B", 33, b"A")

    def derived(purpose: str, number: int) -> bytes:
        parts = (label, purpose.encode(), str(number).encode())
        info = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
        return HKDF(SHA256(), 32, b"", info).derive(key)

    def proven(number: int, data: bytes) -> bytes:
        return data + hmac.digest(derived("proof", number), data, "sha256")

    def opened(number: int, message: bytes) -> bytes:
        assert proven(number, message[:-32]) == message
        box = AESGCM(derived("seal", number))
        return box.decrypt(message[:12], message[12:-32], len(label).to_bytes(4, "big") + label)

    assert opened(3, taker.asks(proven(2, point), "Phone")) == b"Phone"
    nonce = os.urandom(12)
    box = AESGCM(derived("seal", 4)).encrypt(nonce, b"the seat", len(label).to_bytes(4, "big") + label)
    assert taker.takes(proven(4, nonce + box)) == b"the seat"
    assert opened(5, taker.keeps()) == b"kept"


def whole(_: int, message: bytes) -> bytes:
    """As an honest host carries it."""
    return message


def exchange(giver: Giver, taker: Taker, carried: Callable[[int, bytes], bytes] = whole) -> list[bytes]:
    """All five messages; what the two take for true."""
    said = [taker.first()]
    said.append(giver.answers(carried(1, said[0])))
    said.append(taker.asks(carried(2, said[1]), "Phone"))
    assert giver.device(carried(3, said[2])) == "Phone"
    said.append(giver.gives(b"the seat"))
    assert taker.takes(carried(4, said[3])) == b"the seat"
    said.append(taker.keeps())
    giver.kept(carried(5, said[4]))
    return said
