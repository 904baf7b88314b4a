"""The page's worker without a browser: choices, files, faults in both games, and what it is shown."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest

from pbem.games.way_out_west.board import standard_board
from pbem.protocol.audit import audit
from tests.web.friends import Friends
from tests.web.worker import GAMES, Device, joined, next_file, play_to_the_end, touched


@pytest.mark.parametrize("game", GAMES)
def test_from_an_invitation_to_the_end_of_a_hand_by_files(game: str, tmp_path: Path) -> None:
    device, friends = Device(tmp_path), Friends(game)
    name, _ = joined(device, friends)
    assert "anyone with its invitation" in device("open", match=name)["scene"]["hosted"]
    assert play_to_the_end(device, friends, name, reopen=True) > 3
    assert "invitation" not in device("open", match=name)["scene"]["hosted"]
    assert audit(friends.world.lines).ok
    assert device("audit")["audit"]["ok"]
    moment = device("moment")["moment"]
    assert moment["picture"]["tree"][0] == "svg"
    proven = []
    for index in range(moment["count"]):
        shown = device("moment", index=index)["moment"]
        if shown["proofs"]:
            proofs = device("audit", seq=shown["seq"])["proofs"]
            assert all("sha256sum" in text or "openssl" in text for text in proofs)
            proven.append(shown["seq"])
    whole = device("rules")
    rows = {row["id"]: row["text"] for section in whole["sections"] for row in section["rows"]}
    row = device("rules", rows=["D4"])["text"]
    assert row == f"D4  {rows['D4']}"
    assert set(rows) >= {"A1", "B1", "D1"}
    assert whole["opening"][0]["title"] == "The goal"
    assert bool(whole["board"]) == bool(whole["picture"]) == (game == "way-out-west")
    device("hello", lang="de")
    assert device("rules", rows=["D4"])["text"] != row
    assert device("moment")["moment"]["title"].endswith("(Europe/Berlin)")
    assert "UTC" not in device("moment")["moment"]["text"]
    proof = device("audit", seq=proven[0])["proofs"][0]
    assert re.match(
        r".*: (Ziehung|Wurf) \d+ (vom Stapel|der Würfelfolge) .*: jetzt bewiesen$", proof.splitlines()[0]
    )


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
    device("left", text=file["text"], way="api", place="localhost")
    friends.take(file["text"].encode())
    other.go_on()  # the same match and host, signed by them, and another history
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
    for title, raw in wrong.items():
        with pytest.raises(AssertionError):
            answered(raw)
        assert device("look")["scene"]["head"] == scene["head"], title
    assert answered(right) == len(lines)
    assert answered(right) == 0
    assert device("look")["scene"]["unanswered"] == []


@pytest.mark.parametrize("game", GAMES)
def test_a_practice_match_is_played_by_touch(tmp_path: Path, game: str) -> None:
    device = Device(tmp_path)
    scene = device("practice", game=game)["scene"]
    (row,) = device("matches")["matches"]
    assert (row["says"], row["due_at"], row["mine"]) == (f"{scene['asked']}.", "", True)  # no time runs
    shown = {card["part"] for card in (*scene["held"], *scene["players"])}
    assert shown
    for _ in range(30):
        drawn = set(re.findall(r'"data-part": "([^"]+)"', json.dumps(scene["board"]["tree"])))
        first = {branch["part"] for branch in scene["tree"]["next"]}
        parts = drawn | {card["part"] for card in (*scene["held"], *scene["players"])}
        assert set(scene["why"]) == parts - first
        assert all(scene["why"].values())
        if not scene["over"]:
            scene = touched(device, scene)["scene"]
    assert scene["over"] or scene["head"] > 40
    assert scene["over"] == (not scene["tree"]["next"])


@pytest.mark.parametrize("game", GAMES)
def test_a_file_of_a_match_is_made_by_touch_and_a_late_touch_does_nothing(game: str, tmp_path: Path) -> None:
    device, friends = Device(tmp_path), Friends(game)
    name, _ = joined(device, friends)
    file = next_file(device, device("open", match=name)["scene"])  # ready
    friends.take(file["text"].encode())
    scene = device.bring(friends.lines(0))["scene"]
    answer = {"acted": "added", "scene": scene}
    while answer["acted"] == "added":
        before, answer = answer["scene"], touched(device, answer["scene"])
    assert answer["acted"] == "signed"
    assert answer["file"]["ok"]
    part = before["tree"]["next"][0]["part"]
    for question in ("act", "weigh", "branch"):
        with pytest.raises(AssertionError, match="the table has changed meanwhile"):
            device(question, at=before["at"], parts=[part])
    with pytest.raises(AssertionError, match="there is no such choice"):
        device("act", at=answer["scene"]["at"], parts=["nothing"])
    again = answer["scene"]
    while again["tree"]["next"] and answer["acted"] != "same":  # the same decision, once more
        answer = touched(device, again)
        again = answer["scene"]
    assert answer["acted"] == "same"
    assert device("again", entry=answer["entry"])["file"]["text"] == file["text"] or answer["says"]


def test_a_card_shows_what_it_does_in_the_words_of_the_rules(tmp_path: Path) -> None:
    device = Device(tmp_path)
    for game in GAMES:
        scene = device("practice", game=game)["scene"]
        for part in [card["part"] for card in scene["held"]] + list(scene["why"]):
            card = device("card", part=part)["card"]
            assert card["name"]
            assert part == "track" or (all(row["text"] for row in card["rows"]) and card["rows"]), part
        assert device("picture", form="wide")["picture"]["width"] == 600
        assert device("picture", form="portrait")["picture"]["width"] == 364
    rules = device("rules")
    assert all(row["id"] and row["text"] for section in rules["sections"] for row in section["rows"])
    assert [row[0] for row in rules["board"][0]["rows"]] == [
        town["name"] for town in standard_board()["towns"]
    ]
    assert ["train", "$20", "1", "1"] in rules["board"][1]["rows"]
    assert (rules["picture"]["tree"][0], rules["picture"]["width"]) == ("svg", 364)


def test_every_fault_is_a_sentence_with_a_button(tmp_path: Path) -> None:
    device, friends = Device(tmp_path), Friends("wyatt-earp")
    name, _ = joined(device, friends)
    scene = device("open", match=name)["scene"]

    def fault(do: str, **given: Any) -> Any:
        body = json.loads(device.worker.ask(json.dumps({"do": do, **given})))
        assert body["ok"] is False
        assert body["fault"].endswith((".", "again", "more"))
        return body

    assert fault("take", row=0, at=scene["at"] - 1)["help"] == "look"
    newer = friends.lines(scene["head"] - 1).replace(b'"kind":"ready"', b'"kind":"telepathy"')
    newer = newer if b"telepathy" in newer else b'{"body":{"kind":"telepathy","seq":9},"sig":{}}\n'
    data = base64.b64encode(newer).decode()
    for answer in (fault("answered", match=name, data=data), fault("bring", data=data)):
        assert answer["help"] == "update"
        assert "telepathy" in answer["fault"]
    broken = fault("branch", at=scene["at"])  # no parts: the page itself is at fault
    assert broken["help"] == "reload"
    assert broken["trace"].startswith("KeyError\n")
    assert "telepathy" not in broken["trace"]
    device.secrets.clear()
    device.open()
    assert fault("open", match=name)["help"] == "paper"
    assert device("matches")["matches"][0]["says"]
