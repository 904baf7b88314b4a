"""The page's worker without a browser: whatever the page can ask, in both games, and what it is told."""

from __future__ import annotations

import base64
import itertools
import json
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from pbem.game import Seat
from pbem.games.way_out_west.board import standard_board
from pbem.protocol.audit import audit
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.formats.api_key import asked_by_keys
from pbem.protocol.formats.messages import invitation_proof, read_message
from pbem.protocol.formats.strict_json import canon
from pbem.web.worker import Worker
from tests.web.api import CODE
from tests.web.friends import ME, Friends
from tests.world import START, World, accepted, refusal, secret

GAMES = ("wyatt-earp", "way-out-west")


class Device:
    """A browser with its storage: closed and opened again it keeps what it was told to keep."""

    def __init__(self, root: Path, drawn: int = 0) -> None:
        """``drawn``: so often it has made a secret before; two that begin alike make the same."""
        self.root = root
        self.secrets: dict[str, bytes] = {}
        self.known: dict[str, bytes] = {}
        self._count = itertools.count(drawn)
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


def next_file(device: Device, scene: Any, *, again: bool = False) -> Any:
    """What a player does who always takes the last choice: draw, discard, pass."""
    while not any(row["do"] == "send" for row in scene["rows"]):
        rows = [row for row in scene["rows"] if row["do"] in ("action", "open")]
        scene = device("take", row=rows[-1]["row"], at=scene["at"])["scene"]
    preview = device("file")["preview"]
    assert not preview["fault"]
    assert preview["summary"]
    return device("sign", at=scene["at"], again=again)["file"]


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
            found = device("audit", seq=shown["seq"])["proofs"]
            assert all("sha256sum" in text or "openssl" in text for text in found)
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
    told = device("audit", seq=proven[0])["proofs"][0]
    assert re.match(
        r".*: (Ziehung|Wurf) \d+ (vom Stapel|der Würfelfolge) .*: jetzt bewiesen$", told.splitlines()[0]
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
    second = Device(tmp_path / "second")  # another device, which has only the letters and the paper
    assert not second.bring(friends.lines())["invitation"]["seats"][0]["free"]
    with pytest.raises(AssertionError):
        second("paper", words=" ".join(reversed(paper.split())))
    url = "https://games.test"
    link = {"match": name.split("-")[0], "seat": "anna", "door": url}
    asked = second("door-key", words=paper, link=link)["file"].encode()
    key = friends.world.record.ledger.players[Seat(ME)].sign
    assert asked_by_keys(asked, url, link["match"], START) == (ME, key)  # without a record on this device
    moved = second("paper", words=paper, door={"url": url, "word": ""})["scene"]
    again = second("door-key", match=name)["file"].encode()
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


def by_link(device: Device, friends: Friends, name: str) -> Any:
    """A seat is taken with the code of a link; what the worker says to the yes."""
    data = base64.b64encode(friends.lines()).decode()
    invited = device("invited", data=data, seat="anna")["invitation"]
    assert (invited["seat"], invited["retake"]) == ("anna", not invited["seats"][0]["free"])
    api = {"url": "https://anna.example.org", "word": CODE}
    answer = device("join", seat="anna", name=name, code=CODE, door=api)
    body = json.loads(answer["file"]["text"])["body"]
    sign = unb64(body["sign"], 32)
    assert body["word"] == invitation_proof(CODE, friends.world.record.game, "anna", sign)
    assert CODE not in answer["file"]["text"]
    assert answer["file"]["ok"], answer["file"]["said"]
    return answer


def test_a_link_takes_a_seat_and_is_followed_by_the_word_that_stays(tmp_path: Path) -> None:
    device, friends = Device(tmp_path), Friends("wyatt-earp")
    answer = by_link(device, friends, "Anna")
    name, text = answer["scene"]["match"], answer["file"]["text"]
    api = device("door")["door"]
    assert (api["word"], api["join"]) == (CODE, sha256(text.encode()).hexdigest())
    assert device("ready", match=name)["file"] is None  # nobody waits for that yet
    friends.take(text.encode())
    device.bring(friends.lines(0))
    device("door", match=name, set={"url": api["url"], "word": "the word that stays"})
    assert (device("door")["door"]["word"], device("door")["door"]["join"]) == ("the word that stays", "")
    device("practice", game="way-out-west")
    device.open()  # another day; the match is not opened
    file = device("ready", match=name)["file"]
    assert (file["kind"], file["ok"]) == ("ready", True)
    assert device("ready", match=name)["file"]["text"] == file["text"]  # it has not left: the same once more
    assert device("left", match=name, text=file["text"], way="door", place="anna.example.org") == {"ok": True}
    assert device("ready", match=name)["file"] is None
    friends.take(file["text"].encode())
    device("answered", match=name, data=base64.b64encode(friends.lines(0)).decode())
    scene = device("open", match=name)["scene"]
    assert touched(device, scene)["file"]["ok"]
    assert device("ready", match=name)["file"] is None


def test_without_a_door_nothing_is_signed_by_itself(tmp_path: Path) -> None:
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


def touched(device: Device, scene: Any) -> Any:
    """One decision by touch: the first way down the tree to an action, and its yes; what the worker says to it."""
    node, parts = scene["tree"], []
    while node["row"] is None:
        branch = node["next"][-1]
        parts.append(branch["part"])
        node = branch["node"] or device("branch", at=scene["at"], parts=parts)["node"]
    offer = device("weigh", at=scene["at"], parts=parts)["offer"]
    assert offer["label"] == node["row"]["label"]
    told = device("act", at=scene["at"], parts=parts)
    assert (told["acted"] == "added") == (not offer["sends"])
    return told


@pytest.mark.parametrize("game", GAMES)
def test_a_practice_match_is_played_by_touch(tmp_path: Path, game: str) -> None:
    device = Device(tmp_path)
    scene = device("practice", game=game)["scene"]
    (row,) = device("matches")["matches"]
    assert (row["told"], row["due_at"], row["mine"]) == (f"{scene['asked']}.", "", True)  # no time runs
    shown = {one["part"] for one in (*scene["held"], *scene["players"])}
    assert shown
    for _ in range(30):
        drawn = set(re.findall(r'"data-part": "([^"]+)"', json.dumps(scene["board"]["tree"])))
        first = {branch["part"] for branch in scene["tree"]["next"]}
        there = drawn | {one["part"] for one in (*scene["held"], *scene["players"])}
        assert set(scene["why"]) == there - first
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
    told = {"acted": "added", "scene": scene}
    while told["acted"] == "added":
        before, told = told["scene"], touched(device, told["scene"])
    assert told["acted"] == "signed"
    assert told["file"]["ok"]
    part = before["tree"]["next"][0]["part"]
    for question in ("act", "weigh", "branch"):
        with pytest.raises(AssertionError, match="the table has changed meanwhile"):
            device(question, at=before["at"], parts=[part])
    with pytest.raises(AssertionError, match="there is no such choice"):
        device("act", at=told["scene"]["at"], parts=["nothing"])
    again = told["scene"]
    while again["tree"]["next"] and told["acted"] != "same":  # the same decision, once more
        told = touched(device, again)
        again = told["scene"]
    assert told["acted"] == "same"
    assert device("again", entry=told["entry"])["file"]["text"] == file["text"] or told["told"]


def test_a_card_tells_what_it_does_in_the_words_of_the_rules(tmp_path: Path) -> None:
    device = Device(tmp_path)
    for game in GAMES:
        scene = device("practice", game=game)["scene"]
        for part in [one["part"] for one in scene["held"]] + list(scene["why"]):
            card = device("card", part=part)["card"]
            assert card["name"]
            assert part == "track" or (all(row["text"] for row in card["rows"]) and card["rows"]), part
        assert device("picture", form="wide")["picture"]["width"] == 600
        assert device("picture", form="portrait")["picture"]["width"] == 364
    told = device("rules")
    assert all(row["id"] and row["text"] for one in told["sections"] for row in one["rows"])
    assert [row[0] for row in told["board"][0]["rows"]] == [
        town["name"] for town in standard_board()["towns"]
    ]
    assert ["train", "$20", "1", "1"] in told["board"][1]["rows"]
    assert (told["picture"]["tree"][0], told["picture"]["width"]) == ("svg", 364)


@pytest.mark.parametrize("game", GAMES)
def test_what_happened_stays_news_until_it_was_seen_and_tells_every_step(game: str, tmp_path: Path) -> None:
    device = Device(tmp_path)
    scene = device("practice", game=game)["scene"]
    assert scene["news"] is None  # nothing was played yet
    ends: set[str] = set()
    for _ in range(150):
        if scene["over"] or ends == {"hand"}:
            break
        drawn, chosen = scene["board"]["tree"], scene["tray"]
        told = touched(device, scene)
        if told["acted"] == "added":
            scene = told["scene"]
            continue
        assert told["scene"]["news"]["count"] >= 1
        device.open()  # closed before it was seen
        scene = device("open", match=scene["match"])["scene"]
        news = device("news")["news"]
        assert [one["seq"] for one in news["steps"]] == sorted(one["seq"] for one in news["steps"])
        assert all(one["text"] or one["say"] for one in news["steps"])
        if not chosen and not news["earlier"]:
            assert news["begin"]["tree"] == drawn  # it begins with what was seen last
        ends |= {one["end"]["kind"] for one in news["steps"] if one["end"]}
        for one in news["steps"]:
            if one["end"]:
                assert one["end"]["title"]
                assert one["end"]["lines"]
                assert [row["place"] for row in one["end"]["standing"]] == sorted(
                    row["place"] for row in one["end"]["standing"]
                )
        parts: Any = {}
        for one in news["steps"]:
            parts |= one["parts"]
        assert all(json.dumps(tree) in json.dumps(scene["board"]["tree"]) for tree in parts.values())
        row = next(one for one in device("matches")["matches"] if one["id"] == scene["match"])
        assert row["unseen"]
        scene = device("looked")["scene"]
        assert scene["news"] is None
        assert not next(one for one in device("matches")["matches"] if one["id"] == scene["match"])["unseen"]
    assert ends


def test_a_match_that_is_over_is_played_again_and_its_result_is_told_only_if_wanted(tmp_path: Path) -> None:
    device = Device(tmp_path)
    scene = device("practice", game="way-out-west")["scene"]
    with pytest.raises(AssertionError, match="the match is not over"):
        device("ending")
    while not scene["over"]:
        scene = touched(device, scene)["scene"]
    picture = device("ending")["picture"]
    assert all(f"{one['name']} " in picture["alt"] for one in scene["players"])
    assert all(
        text in json.dumps(picture["tree"])
        for text in ("Way Out West", *(one["name"] for one in scene["players"]))
    )
    news = device("news")["news"]
    end = news["steps"][-1]["end"]
    assert (end["kind"], end["again"]) == ("match", True)
    won = [one["name"] for one in end["standing"] if one["won"]]
    assert end["title"] == f"{', '.join(won)} won."

    def row() -> Any:
        return next(one for one in device("matches")["matches"] if one["id"] == scene["match"])

    assert any(name in row()["told"] for name in won)
    assert device("quiet", set=True)["quiet"]
    assert row()["told"] == "The match is over."
    assert not any(name in row()["told"] for name in won)
    assert device("matches")["games"][0]["title"]
    again = device("again-plan")["scene"]
    assert again["match"] != scene["match"]
    assert [one["name"] for one in again["players"]] == [one["name"] for one in scene["players"]]


def test_every_fault_is_a_sentence_with_a_button(tmp_path: Path) -> None:
    device, friends = Device(tmp_path), Friends("wyatt-earp")
    name, _ = joined(device, friends)
    scene = device("open", match=name)["scene"]

    def fault(do: str, **given: Any) -> Any:
        told = json.loads(device.worker.ask(json.dumps({"do": do, **given})))
        assert told["ok"] is False
        assert told["fault"].endswith((".", "again", "more"))
        return told

    assert fault("take", row=0, at=scene["at"] - 1)["help"] == "look"
    newer = friends.lines(scene["head"] - 1).replace(b'"kind":"ready"', b'"kind":"telepathy"')
    newer = newer if b"telepathy" in newer else b'{"body":{"kind":"telepathy","seq":9},"sig":{}}\n'
    data = base64.b64encode(newer).decode()
    for told in (fault("answered", match=name, data=data), fault("bring", data=data)):
        assert told["help"] == "update"
        assert "telepathy" in told["fault"]
    broken = fault("branch", at=scene["at"])  # no parts: the page itself is at fault
    assert broken["help"] == "reload"
    assert broken["trace"].startswith("KeyError\n")
    assert "telepathy" not in broken["trace"]
    device.secrets.clear()
    device.open()
    assert fault("open", match=name)["help"] == "paper"
    assert device("matches")["matches"][0]["told"]


SERVED = {"name": "Anna", "door": "https://anna.test"}


def test_a_page_that_a_host_serves_says_so_and_holds_that_hosts_matches_alone(tmp_path: Path) -> None:
    world = World("wyatt-earp", ("anna", "burt"), plays="anna")
    other = World("wyatt-earp", ("anna", "burt"), seed="another host")
    invitation = world.record.lines[0].raw + b"\n"
    device = Device(tmp_path / "one")
    told = device("served", host={**SERVED, "sign": b64(world.record.ledger.host_sign)})["told"]
    assert "Anna also serves this web app" in told
    hosted = device.bring(invitation)["invitation"]["hosted"]
    assert told in hosted
    assert "cannot choose" not in hosted  # in its place, not beside it
    file = device("join", seat="burt", name="Burt")["file"]
    assert read_message(file["text"].encode()).body["served"] is True, (
        "its part of a shuffle counts for nothing"
    )
    device.open()  # it stays that host's, without a network
    assert device("served", host=None)["told"] == told
    with pytest.raises(AssertionError, match="holds matches of Anna alone"):
        device.bring(other.record.lines[0].raw + b"\n")
    own = Device(tmp_path / "two")
    assert own("served", host=None) == {"ok": True, "told": "", "door": ""}, (
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


def test_the_groups_table_counts_all_matches_and_no_practice(tmp_path: Path) -> None:
    device = Device(tmp_path)
    assert device("group")["group"] == []
    device("practice", game="wyatt-earp")
    assert device("group")["group"] == []
    for game in GAMES:
        friends = Friends(game)
        name, _ = joined(device, friends)
        play_to_the_end(device, friends, name, reopen=False)
    rows = device("group")["group"]
    assert sorted(row["name"] for row in rows) == ["Burt", "Curt", "Änne"]
    assert all(row["matches"] == 2 and row["figure"].startswith("$") for row in rows)
    assert sum(row["won"] for row in rows) == 0  # a hand is over, no match
    assert sum(row["waited"] for row in rows) >= 2  # everybody is to be ready again
    for row in rows:
        if row["best"]:
            hits, of = map(int, row["best"].split(" of "))
            assert 0 < hits <= of


def test_what_a_door_was_asked_for_is_kept_with_the_match(tmp_path: Path) -> None:
    device = Device(tmp_path)
    name, _ = joined(device, Friends("wyatt-earp"))
    assert device("push", match=name, subscription={"endpoint": "https://x"}, named=True)["push"] == {
        "named": True
    }
    device.open()
    assert device("push", match=name, subscription=None)["push"] is None


def test_a_reaction_leaves_by_the_door_and_never_alone_by_hand(tmp_path: Path) -> None:
    device, friends = Device(tmp_path), Friends("wyatt-earp")
    name, _ = joined(device, friends)
    scene = device("open", match=name)["scene"]
    file = next_file(device, scene)
    device("left", text=file["text"], way="write", place=file["name"])
    friends.take(file["text"].encode())
    scene = device.bring(friends.lines(scene["head"]))["scene"]
    moment = device("moment", index=-1)["moment"]
    assert list(moment["react"].values())[:2] == ["Well played!", "Ha ha!"]
    assert device("react", seq=moment["seq"], **{"with": "laugh"})["scene"]["react"] == {
        str(moment["seq"]): "laugh"
    }
    with pytest.raises(AssertionError, match="no such choice"):
        device("react", seq=moment["seq"], **{"with": "boo"})
    preview = device("file")["preview"]
    assert (preview["empty"], preview["check"]) == (True, "Reactions travel with your next file.")
    with pytest.raises(AssertionError, match="Reactions travel"):
        device("sign", at=device("look")["scene"]["at"])
    device("door", match=name, set={"url": "https://host.example", "word": "w"})
    scene = device("open", match=name)["scene"]
    assert not device("file")["preview"]["empty"]
    file = device("sign", at=scene["at"])["file"]
    friends.take(file["text"].encode())
    device.bring(friends.lines(scene["head"]))
    told = device("moment", index=-1)["moment"]["text"]
    assert "reacts: Ha ha!" in told
    index = next(at for at in range(99) if device("moment", index=at)["moment"]["seq"] == moment["seq"])
    assert "Änne: Ha ha!" in device("moment", index=index)["moment"]["text"]


def test_what_is_no_move_has_the_words_of_play_and_what_another_seat_proposes_comes_first(
    tmp_path: Path,
) -> None:
    device, friends = Device(tmp_path), Friends("wyatt-earp")
    name, _ = joined(device, friends)
    other = next(seat for seat in friends.world.seats if seat != ME)
    proposal = friends.world.consent(other, {"kind": "end", "why": "supper"})
    forged = canon(proposal).replace(b"supper", b"dinner")
    told = base64.b64encode(forged + b"\n" + canon(proposal) + b"\n").decode()
    assert device("proposals", match=name, data=told)["new"] == 1  # as the host's API gives them
    assert device("proposals", match=name, data=told)["new"] == 0
    assert device.bring(canon(proposal))["new"] == 0  # as an email brings it
    scene = device("open", match=name)["scene"]
    first = scene["rows"][0]
    assert (first["do"], first["label"]) == (
        "matters",
        f"{other.title()} proposes: End the match now (supper)",
    )
    listed = device("matters")
    labels = [row["label"] for row in listed["matters"]]
    assert labels[0] == f"Agree: {first['label']}"
    assert labels[1:] == [
        "Propose a pause", "Be away for a while", "Agree to a proposal", "Get a replacement player",
        "Propose to end the match now", "Give up your seat",
    ]  # fmt: skip
    at = scene["at"]
    assert device("matter", at=at, matter="asked-0")["told"] == "End the match now (supper)"
    assert device("matter", at=at, matter="replace")["signs"] is False
    with pytest.raises(AssertionError, match="quotation marks"):
        device("matter", at=at, matter="agree", typed="end 'why=it rains")
    with pytest.raises(AssertionError):  # a tap on what is not shown any more
        device("propose", at=at - 1, matter="asked-0")
    entry = device("propose", at=at, matter="asked-0")["entry"]
    leaf = device("again", entry=entry)["file"]
    assert (leaf["kind"], leaf["ok"]) == ("consent", True)
    assert json.loads(leaf["text"])["body"]["what"] == {"kind": "end", "why": "supper"}
    assert device("matters")["matters"][0]["matter"] != "asked-0"


def test_a_match_that_goes_to_another_host_is_played_on_at_the_door_of_that_one(tmp_path: Path) -> None:
    """The record alone leads there: no link, and the seat's keys bring the word."""
    device, friends = Device(tmp_path), Friends("wyatt-earp")
    old, new = "https://anna.test/door", "https://dora.test/door"
    host = b64(friends.world.record.ledger.host_sign)
    device("served", host={"name": "Anna", "door": old, "sign": host})
    name, _ = joined(device, friends)
    device("door", match=name, set={"url": old, "word": "w"})
    ready = next_file_or_ready(device, name)
    friends.take(ready.encode())
    head = len(friends.world.lines)
    friends.world.retire("dora", api=new)
    friends.world.hand_over("dora")
    lines = base64.b64encode(friends.lines(device("door", match=name)["door"]["after"])).decode()
    assert device("door", match=name)["door"]["url"] == old
    assert device("answered", match=name, data=lines)["new"] >= len(friends.world.lines) - head
    door = device("door", match=name)["door"]
    assert (door["url"], door["word"]) == (new, "")
    question = json.loads(device("door-key", match=name)["file"])
    assert question["body"]["door"] == new
    device("door", match=name, set={"url": new, "word": "another"})
    device.open()
    assert device("door", match=name)["door"]["word"] == "another"
    hosted = device("open", match=name)["scene"]["hosted"]
    assert "another host has this match" in hosted
    assert "Anna also serves this web app" in hosted, "who serves it is still the one before"


def test_a_turn_that_the_host_before_refused_is_signed_once_more_for_the_host_of_now(tmp_path: Path) -> None:
    """Only the host before could open what it seals; private words cannot be sealed again, so that draft waits."""
    device, friends = Device(tmp_path), Friends("wyatt-earp")
    name, _ = joined(device, friends)
    device("door", match=name, set={"url": "https://anna.test/door", "word": "w"})
    friends.take(next_file_or_ready(device, name).encode())
    scene = device.bring(friends.lines(0))["scene"]
    same = next_file(device, scene)
    assert device("anew", text=same["text"])["file"]["text"] == same["text"], (
        "the same host takes the same file"
    )
    device("talk", say="Hello", tell={"burt": "psst"})
    private = next_file(device, device("look")["scene"], again=True)
    friends.world.retire("dora", api="https://dora.test/door")
    friends.world.hand_over("dora")
    assert refusal(friends.world.send(same["text"].encode())).code == "stale"
    scene = device.bring(friends.lines(scene["head"]))["scene"]
    assert "deliver" not in [row["do"] for row in scene["rows"]], "neither can count any more"
    told = device("anew", text=private["text"])
    assert (told["file"], len(told["scene"]["tray"]), told["scene"]["say"]) == (None, 1, "Hello")
    anew = device("anew", text=same["text"])
    before, after = (read_message(file["text"].encode()) for file in (same, anew["file"]))
    assert after.body["actions"] == before.body["actions"] != []
    assert after.n > before.n
    assert "say" not in after.body
    accepted(friends.world.send(anew["file"]["text"].encode()))


def next_file_or_ready(device: Device, name: str) -> str:
    """The seat's own part of the shuffle."""
    file = device("ready", match=name)["file"]
    assert file["ok"]
    return str(file["text"])
