"""What the page has verified it does not verify again when it is opened again, unless something is signed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pbem.base.system.program import program_stamp
from pbem.game import Seat
from pbem.protocol.crypto.digest import kdf
from pbem.protocol.record import Record
from pbem.protocol.record.checkpoint import write_checkpoint
from tests.web.friends import Friends
from tests.web.worker import Device, joined, next_file

PURPOSE = "pbem/1 page checkpoint"


@pytest.fixture
def friends() -> Friends:
    return Friends("wyatt-earp")


@pytest.fixture
def device(tmp_path: Path, friends: Friends) -> Device:
    """A device with one match, in which this player is to draw."""
    new_device = Device(tmp_path)
    name, _ = joined(new_device, friends)
    file = next_file(new_device, new_device("open", match=name)["scene"])  # ready
    new_device("left", text=file["text"], way="write", place=file["name"])
    friends.take(file["text"].encode())
    new_device.bring(friends.lines(0))
    return new_device


def checkpoint(device: Device, record: Record, program: bytes) -> None:
    """The browser gives this one back, which the match's own key vouches for."""
    (name,) = device.known
    secret = device.secrets[name]
    device.known[name] = write_checkpoint(record, kdf(secret, PURPOSE), program)


def test_the_list_and_the_table_verify_only_what_is_new(device: Device, friends: Friends) -> None:
    (name,) = device.known
    device.open()
    (row,) = device("matches")["matches"]
    assert (row["mine"], device.verified) == (True, {})
    scene = device("open", match=name)["scene"]
    assert device.verified == {}
    head = len(friends.world.lines)
    friends.world.turn("burt", say="Hurry up")
    device.bring(friends.lines(head - 1))
    assert set(device.verified) == {name}  # with the new record
    device.open()
    assert device("open", match=name)["scene"]["head"] == scene["head"] + 1
    assert device.verified == {}
    device("practice", game="way-out-west")
    for new in ({"way-out-west-1"}, set()):
        device.open()
        device("matches")
        assert set(device.verified) == new
    assert device("forget", match=name)["matches"][0]["practice"]
    assert device.verified == {name: None}  # the browser is to forget it too


@pytest.mark.parametrize(
    "spoil",
    [
        lambda raw, _: raw[:-1] + bytes([raw[-1] ^ 1]),
        lambda raw, _: raw[:40],
        lambda *_: b"",
        lambda _, device: write_checkpoint(
            Record.load(Friends("way-out-west").world.lines),
            kdf(next(iter(device.secrets.values())), PURPOSE),
            program_stamp(),
        ),
    ],
    ids=["a bit", "cut", "lost", "of another match"],
)
def test_what_the_browser_gives_back_otherwise_is_not_believed(
    device: Device, spoil: Callable[[bytes, Device], bytes]
) -> None:
    (name,) = device.known
    device.known[name] = spoil(device.known[name], device)
    device.open()
    assert device("matches")["matches"][0]["mine"]
    assert set(device.verified) == {name}


def test_another_version_of_the_page_believes_none_of_it(device: Device, friends: Friends) -> None:
    checkpoint(device, Record.load(friends.world.lines), b"another page".ljust(32))
    device.open()
    device("matches")
    assert set(device.verified) == set(device.known)


def test_what_is_signed_is_judged_from_the_first_byte_whatever_a_checkpoint_says(
    device: Device, friends: Friends
) -> None:
    lie = Record.load(friends.world.lines).ledger
    true = lie.players[Seat("anna")].n
    lie.players[Seat("anna")] = replace(lie.players[Seat("anna")], n=100)
    checkpoint(device, Record(lie), program_stamp())
    device.open()
    (row,) = device("matches")["matches"]
    assert device.verified == {}  # believed where one only looks
    file = next_file(device, device("open", match=row["id"])["scene"])
    assert (file["n"], file["ok"]) == (true + 1, True)
    friends.take(file["text"].encode())
