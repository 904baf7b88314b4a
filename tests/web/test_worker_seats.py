"""The page's worker without a browser: a seat comes by link, backup and paper, and follows its host."""

from __future__ import annotations

import base64
from hashlib import sha256
from pathlib import Path

import pytest

from pbem.game import Seat
from pbem.protocol.crypto.digest import b64
from pbem.protocol.formats.api_key import asked_by_keys
from pbem.protocol.formats.messages import read_message
from tests.web.api import CODE
from tests.web.friends import ME, Friends
from tests.web.worker import Device, by_link, joined, next_file, touched
from tests.world import START, World


def test_a_backup_and_the_words_on_paper_bring_a_seat_back(tmp_path: Path) -> None:
    device, friends = Device(tmp_path / "old"), Friends("wyatt-earp")
    name, paper = joined(device, friends)
    raw = base64.b64decode(device("backup", match=name)["data"])
    fresh = Device(tmp_path / "new")
    scene = fresh.bring(raw)["scene"]
    assert (scene["match"], fresh.secrets[name]) == (name, device.secrets[name])
    with pytest.raises(AssertionError, match="on this device already"):
        fresh.bring(raw)
    bent = (raw[:60] + bytes(40) + raw[100:], raw[:100] + raw[103:], raw[:30] + b"\xff" * 8 + raw[38:])
    for bad in (raw[:-30], raw[: len(raw) // 2], b"PK\x03\x04" + bytes(200), *bent):
        with pytest.raises(AssertionError, match="not a backup"):
            fresh.bring(bad)
    device.secrets.clear()  # the browser has lost the keys, and nothing else
    device.open()
    with pytest.raises(AssertionError, match="not on this device any more"):
        device("open", match=name)
    with pytest.raises(AssertionError):
        device("paper", match=name, words=" ".join(reversed(paper.split())))
    assert device("paper", match=name, words=paper.lower())["scene"]["me"] == "Änne"
    file = next_file(device, device("open", match=name)["scene"])
    device("left", text=file["text"], way="write", place=file["name"])
    friends.take(file["text"].encode())
    second = Device(tmp_path / "second")  # another device, which has only the emails and the paper
    assert not second.bring(friends.lines())["invitation"]["seats"][0]["free"]
    with pytest.raises(AssertionError):
        second("paper", words=" ".join(reversed(paper.split())))
    url = "https://games.test"
    link = {"match": name.split("-")[0], "seat": "anna", "api": url}
    asked = second("api-key", words=paper, link=link)["file"].encode()
    key = friends.world.record.ledger.players[Seat(ME)].sign
    assert asked_by_keys(asked, url, link["match"], START) == (ME, key)  # without a record on this device
    moved = second("paper", words=paper, api={"url": url, "word": ""})["scene"]
    again = second("api-key", match=name)["file"].encode()
    assert again == asked
    assert (moved["match"], moved["me"], second.secrets) == (name, "Änne", device.secrets)
    file = next_file(second, moved)
    second("left", text=file["text"], way="write", place=file["name"])
    friends.take(file["text"].encode())
    second.bring(Friends("wyatt-earp", seed="another").lines())
    with pytest.raises(AssertionError, match="other keys"):
        second("paper", words=paper)
    assert device("forget", match=name)["matches"] == []
    assert name not in device.secrets


def test_a_link_takes_a_seat_and_is_followed_by_the_word_that_stays(tmp_path: Path) -> None:
    device, friends = Device(tmp_path), Friends("wyatt-earp")
    answer = by_link(device, friends, "Anna")
    name, text = answer["scene"]["match"], answer["file"]["text"]
    api = device("api")["api"]
    assert (api["word"], api["join"]) == (CODE, sha256(text.encode()).hexdigest())
    assert device("ready", match=name)["file"] is None  # nobody waits for that yet
    friends.take(text.encode())
    device.bring(friends.lines(0))
    device("api", match=name, set={"url": api["url"], "word": "the word that stays"})
    assert (device("api")["api"]["word"], device("api")["api"]["join"]) == ("the word that stays", "")
    device("practice", game="way-out-west")
    device.open()  # another day; the match is not opened
    file = device("ready", match=name)["file"]
    assert (file["kind"], file["ok"]) == ("ready", True)
    assert device("ready", match=name)["file"]["text"] == file["text"]  # it has not left: the same once more
    assert device("left", match=name, text=file["text"], way="api", place="anna.example.org") == {"ok": True}
    assert device("ready", match=name)["file"] is None
    friends.take(file["text"].encode())
    device("answered", match=name, data=base64.b64encode(friends.lines(0)).decode())
    scene = device("open", match=name)["scene"]
    assert touched(device, scene)["file"]["ok"]
    assert device("ready", match=name)["file"] is None


def test_without_an_api_nothing_is_signed_by_itself(tmp_path: Path) -> None:
    device, friends = Device(tmp_path), Friends("wyatt-earp")
    name, _ = joined(device, friends)
    assert device("ready", match=name)["file"] is None
    assert [row["do"] for row in device("open", match=name)["scene"]["rows"]][:1] == ["send"]


def test_the_same_link_takes_the_seat_again_in_another_browser(tmp_path: Path) -> None:
    first, second, friends = (
        Device(tmp_path / "first"),
        Device(tmp_path / "second", 100),
        Friends("wyatt-earp"),
    )
    friends.held = True
    friends.take(by_link(first, friends, "Anna")["file"]["text"].encode())
    assert by_link(second, friends, "Anna")["scene"]["joining"]


SERVED = {"name": "Anna", "api": "https://anna.test"}


def test_a_page_that_a_host_serves_says_so_and_holds_that_hosts_matches_alone(tmp_path: Path) -> None:
    world = World("wyatt-earp", ("anna", "burt"), plays="anna")
    other = World("wyatt-earp", ("anna", "burt"), seed="another host")
    invitation = world.record.lines[0].raw + b"\n"
    device = Device(tmp_path / "one")
    sentence = device("served", host={**SERVED, "sign": b64(world.record.ledger.host_sign)})["says"]
    assert "Anna also serves this web app" in sentence
    hosted = device.bring(invitation)["invitation"]["hosted"]
    assert sentence in hosted
    assert "cannot choose" not in hosted  # in its place, not beside it
    file = device("join", seat="burt", name="Burt")["file"]
    assert read_message(file["text"].encode()).body["served"] is True, (
        "its part of a shuffle counts for nothing"
    )
    device.open()  # it stays that host's, without a network
    assert device("served", host=None)["says"] == sentence
    with pytest.raises(AssertionError, match="holds matches of Anna alone"):
        device.bring(other.record.lines[0].raw + b"\n")
    own = Device(tmp_path / "two")
    assert own("served", host=None) == {"ok": True, "says": "", "api": ""}, (
        "a mirror's or the player's own page"
    )
    own.bring(other.record.lines[0].raw + b"\n")
    backup = own("backup", match=own("join", seat="burt", name="Burt")["scene"]["match"])["data"]
    before = device("matches")["matches"]
    with pytest.raises(AssertionError, match="holds matches of Anna alone"):
        device("restore", data=backup)
    assert device("matches")["matches"] == before, "nothing is kept of it"
    assert "also serves" not in own.bring(invitation)["invitation"]["hosted"]
    text = own("join", seat="burt", name="Burt")["file"]["text"]
    assert "served" not in read_message(text.encode()).body


def test_what_an_api_was_asked_for_is_kept_with_the_match(tmp_path: Path) -> None:
    device = Device(tmp_path)
    name, _ = joined(device, Friends("wyatt-earp"))
    assert device("push", match=name, subscription={"endpoint": "https://x"}, named=True)["push"] == {
        "named": True
    }
    device.open()
    assert device("push", match=name, subscription=None)["push"] is None
