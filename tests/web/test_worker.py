"""The page's worker without a browser: whatever the page can ask, in both games, and what it is told."""

from __future__ import annotations

import base64
import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest

from pbem.protocol.audit import audit
from pbem.web.worker import Worker
from tests.web.friends import Friends
from tests.world import START, secret

GAMES = ("wyatt-earp", "way-out-west")


class Device:
    """A browser with its storage: closed and opened again it keeps what it was told to keep."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.secrets: dict[str, bytes] = {}
        self.known: dict[str, bytes] = {}
        self._count = itertools.count()
        self.now = START
        self.open()

    def open(self) -> None:
        """The page is opened anew: nothing is left of what only memory held."""
        self.worker = Worker(self.root, self.secrets, self._entropy, lambda: self.now, known=self.known)

    def _entropy(self, size: int) -> bytes:
        return secret(f"page {next(self._count)}")[:size]

    def __call__(self, do: str, **given: Any) -> Any:
        """What the worker answers; a fault is raised."""
        answer = json.loads(self.worker.ask(json.dumps({"do": do, **given})))
        for name, kept in answer.pop("keep", {}).items():
            self.secrets.pop(name, None)
            if kept is not None:
                self.secrets[name] = base64.b64decode(kept)
        self.verified = self.worker.verified()
        self.known = {name: raw for name, raw in (self.known | self.verified).items() if raw is not None}
        if not answer["ok"]:
            raise AssertionError(answer["fault"])
        return answer

    def bring(self, raw: bytes) -> Any:
        """A file is taken in."""
        return self("bring", data=base64.b64encode(raw).decode())


def play_to_the_end(device: Device, friends: Friends, name: str, *, reopen: bool) -> int:
    """Be ready and act, file by file, until a hand or game turn is closed; how many files left."""
    files = 0
    scene = device("open", match=name)["scene"]
    while not friends.closed:
        if reopen:
            device.open()
            scene = device("open", match=name)["scene"]
        file = next_file(device, scene)
        device("left", text=file["text"], way="write", place=file["name"])
        files += 1
        friends.take(file["text"].encode())
        scene = device.bring(friends.lines(scene["head"]))["scene"]
        assert files < 200
    return files


def next_file(device: Device, scene: Any) -> Any:
    """What a player does who always takes the last choice: draw, discard, pass."""
    while not any(row["do"] == "send" for row in scene["rows"]):
        rows = [row for row in scene["rows"] if row["do"] in ("action", "open")]
        scene = device("take", row=rows[-1]["row"], at=scene["at"])["scene"]
    preview = device("file")["preview"]
    assert not preview["fault"]
    assert preview["summary"]
    return device("sign", at=scene["at"])["file"]


def joined(device: Device, friends: Friends) -> tuple[str, str]:
    """From the invitation to the first answer of the host; the match's name here, and the words for paper."""
    invited = device.bring(friends.lines())["invitation"]
    assert [one["seat"] for one in invited["seats"] if one["free"]] == ["anna", *friends.others]
    answer = device("join", seat="anna", name="Änne", zone="Europe/Berlin")
    assert answer["scene"]["joining"]
    file = answer["file"]
    assert (file["kind"], file["ok"]) == ("join", True)
    device("left", text=file["text"], way="write", place=file["name"])
    friends.take(file["text"].encode())
    name = answer["scene"]["match"]
    device.bring(friends.lines(0))
    return name, answer["paper"]


@pytest.mark.parametrize("game", GAMES)
def test_from_an_invitation_to_the_end_of_a_hand_by_files(game: str, tmp_path: Path) -> None:
    device, friends = Device(tmp_path), Friends(game)
    name, _ = joined(device, friends)
    assert play_to_the_end(device, friends, name, reopen=True) > 3
    assert audit(friends.world.lines).ok
    assert device("audit")["audit"]["ok"]
    moment = device("moment")["moment"]
    assert moment["picture"]["svg"].startswith("<svg")
    proven = []
    for index in range(moment["count"]):
        shown = device("moment", index=index)["moment"]
        if shown["proofs"]:
            found = device("audit", seq=shown["seq"])["proofs"]
            assert all("sha256sum" in text or "openssl" in text for text in found)
            proven.append(shown["seq"])
    whole = device("rules")["text"].splitlines()
    row = device("rules", rows=["D4"])["text"]
    assert row.startswith("D4  ")
    assert row in whole
    assert {line[:4] for line in whole} >= {"A1  ", "B1  ", "D1  "}
    device("hello", lang="de")
    assert device("rules", rows=["D4"])["text"] != row
    assert device("moment")["moment"]["title"].endswith("(Europe/Berlin)")
    assert "UTC" not in device("moment")["moment"]["text"]
    told = device("audit", seq=proven[0])["proofs"][0]
    assert re.match(r".*: (Ziehung|Wurf) \d+ vo[mn] (Stapel|Band) .*: gerecht$", told.splitlines()[0])


def test_what_was_chosen_and_written_stays_whatever_comes_meanwhile(tmp_path: Path) -> None:
    device, friends = Device(tmp_path), Friends("wyatt-earp")
    name, _ = joined(device, friends)
    file = next_file(device, device("open", match=name)["scene"])  # ready
    device("left", text=file["text"], way="write", place=file["name"])
    friends.take(file["text"].encode())
    scene = device.bring(friends.lines(0))["scene"]
    row = next(row for row in scene["rows"] if row["do"] == "action")
    shown = device("take", row=row["row"], at=scene["at"])["scene"]
    device("talk", say="Wait for me", tell={"burt": "You too"})
    before = device("look")["scene"]
    device("file")
    head = len(friends.world.lines)
    friends.world.turn("burt", say="Hurry up")
    data = base64.b64encode(friends.lines(head - 1)).decode()
    practice = device("practice", game="way-out-west")["scene"]
    assert device("answered", match=name, data=data) == {
        "ok": True,
        "new": 1,
    }  # another match is open, and stays so
    assert practice["at"] > before["at"]
    device.open()
    after = device("open", match=name)["scene"]
    assert after["tray"] == before["tray"] == shown["tray"] != []
    assert (after["say"], after["tell"]) == ("Wait for me", {"burt": "You too"})
    for late in (before["at"], practice["at"]):
        for question in ("take", "sign"):  # neither another row than was shown, nor another file
            with pytest.raises(AssertionError, match="the table has changed meanwhile"):
                device(question, row=0, at=late)
    assert device("sign", at=after["at"])["file"]["ok"]


def test_a_second_match_is_joined_while_the_first_is_open(tmp_path: Path) -> None:
    device, other = Device(tmp_path), Friends("way-out-west", seed="another")
    first, _ = joined(device, Friends("wyatt-earp"))
    assert device("open", match=first)["scene"]["rows"]
    second, _ = joined(device, other)  # its join is checked against its own match
    assert [row["id"] for row in device("matches")["matches"]] == sorted([first, second])
    assert device("look")["scene"]["match"] == second


def test_a_host_who_gives_older_altered_or_other_records_changes_nothing(tmp_path: Path) -> None:
    device, friends, other = Device(tmp_path), Friends("way-out-west"), Friends("way-out-west")
    name, _ = joined(device, friends)
    scene = device("open", match=name)["scene"]
    file = next_file(device, scene)
    device("left", text=file["text"], way="door", place="localhost")
    friends.take(file["text"].encode())
    other.go_on()  # the same match and host, signed by him, and another history
    assert other.lines().split(b"\n")[0] == friends.lines().split(b"\n")[0]
    right = friends.lines(scene["head"])
    lines = right.splitlines(keepends=True)

    def answered(raw: bytes) -> int:
        return int(device("answered", match=name, data=base64.b64encode(raw).decode())["new"])

    assert answered(b"") == answered(friends.lines()[: len(friends.lines(-1)) - len(right)]) == 0
    wrong = {
        "altered": right.replace(b"burt", b"bart"),
        "out of order": b"".join(reversed(lines)),
        "cut in the middle": right[: len(right) // 2],
        "a gap": b"".join(lines[1:]),
        "not JSON": b"<html>the provider's own page</html>",
        "another history": other.lines(),
    }
    for what, raw in wrong.items():
        with pytest.raises(AssertionError):
            answered(raw)
        assert device("look")["scene"]["head"] == scene["head"], what
    assert answered(right) == len(lines)
    assert answered(right) == 0
    assert device("look")["scene"]["unanswered"] == []


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
        with pytest.raises(AssertionError, match="no backup"):
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
    second = Device(tmp_path / "second")  # another device, which has only the letters and the paper
    assert not second.bring(friends.lines())["invitation"]["seats"][0]["free"]
    with pytest.raises(AssertionError):
        second("paper", words=" ".join(reversed(paper.split())))
    moved = second("paper", words=paper)["scene"]
    assert (moved["match"], moved["me"], second.secrets) == (name, "Änne", device.secrets)
    file = next_file(second, moved)
    second("left", text=file["text"], way="write", place=file["name"])
    friends.take(file["text"].encode())
    second.bring(Friends("wyatt-earp", seed="another").lines())
    with pytest.raises(AssertionError, match="other keys"):
        second("paper", words=paper)
    assert device("forget", match=name)["matches"] == []
    assert name not in device.secrets
