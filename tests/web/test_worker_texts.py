"""The page's worker without a browser: what happened, what ended, what others say and propose."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from pbem.protocol.formats.strict_json import canon
from tests.web.friends import ME, Friends
from tests.web.worker import GAMES, Device, joined, next_file, play_to_the_end, touched


@pytest.mark.parametrize(("game", "drawn"), [("wyatt-earp", 0), ("way-out-west", 8)], ids=GAMES)
def test_what_happened_stays_news_until_it_was_seen_and_shows_every_step(
    game: str, drawn: int, tmp_path: Path
) -> None:
    """In a match that the player begins."""
    device = Device(tmp_path, drawn)
    scene = device("practice", game=game)["scene"]
    assert scene["news"] is None  # nothing was played yet
    ends: set[str] = set()
    for _ in range(150):
        if scene["over"] or ends == {"hand"}:
            break
        drawn, chosen = scene["board"]["tree"], scene["tray"]
        answer = touched(device, scene)
        if answer["acted"] == "added":
            scene = answer["scene"]
            continue
        assert answer["scene"]["news"]["count"] >= 1
        device.open()  # closed before it was seen
        scene = device("open", match=scene["match"])["scene"]
        news = device("news")["news"]
        assert [step["seq"] for step in news["steps"]] == sorted(step["seq"] for step in news["steps"])
        assert all(step["text"] or step["say"] for step in news["steps"])
        if not chosen and not news["earlier"]:
            assert news["begin"]["tree"] == drawn  # it begins with what was seen last
        ends |= {step["end"]["kind"] for step in news["steps"] if step["end"]}
        for step in news["steps"]:
            if step["end"]:
                assert step["end"]["title"]
                assert step["end"]["lines"]
                assert [row["place"] for row in step["end"]["standing"]] == sorted(
                    row["place"] for row in step["end"]["standing"]
                )
        parts: Any = {}
        for step in news["steps"]:
            parts |= step["parts"]
        assert all(json.dumps(tree) in json.dumps(scene["board"]["tree"]) for tree in parts.values())
        row = next(match for match in device("matches")["matches"] if match["id"] == scene["match"])
        assert row["unseen"]
        assert device("looked")["news"] is None  # and the scene's choices are still the ones that can be made
        assert not next(match for match in device("matches")["matches"] if match["id"] == scene["match"])[
            "unseen"
        ]
    assert ends


def test_a_match_that_is_over_is_played_again_and_its_result_is_shown_only_if_wanted(tmp_path: Path) -> None:
    device = Device(tmp_path)
    scene = device("practice", game="way-out-west")["scene"]
    with pytest.raises(AssertionError, match="the match is not over"):
        device("ending")
    while not scene["over"]:
        scene = touched(device, scene)["scene"]
    picture = device("ending")["picture"]
    assert all(f"{player['name']} " in picture["alt"] for player in scene["players"])
    assert all(
        text in json.dumps(picture["tree"])
        for text in ("Way Out West", *(player["name"] for player in scene["players"]))
    )
    news = device("news")["news"]
    end = news["steps"][-1]["end"]
    assert (end["kind"], end["again"]) == ("match", True)
    won = [row["name"] for row in end["standing"] if row["won"]]
    assert end["title"] == f"{', '.join(won)} won."

    def row() -> Any:
        return next(match for match in device("matches")["matches"] if match["id"] == scene["match"])

    assert any(name in row()["says"] for name in won)
    assert device("quiet", set=True)["quiet"]
    assert row()["says"] == "The match is over."
    assert not any(name in row()["says"] for name in won)
    assert device("matches")["games"][0]["title"]
    again = device("again-plan")["scene"]
    assert again["match"] != scene["match"]
    assert [player["name"] for player in again["players"]] == [player["name"] for player in scene["players"]]


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


def test_a_reaction_leaves_by_the_api_and_never_alone_by_hand(tmp_path: Path) -> None:
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
    device("api", match=name, set={"url": "https://host.example", "word": "w"})
    scene = device("open", match=name)["scene"]
    assert not device("file")["preview"]["empty"]
    file = device("sign", at=scene["at"])["file"]
    friends.take(file["text"].encode())
    device.bring(friends.lines(scene["head"]))
    text = device("moment", index=-1)["moment"]["text"]
    assert "reacts: Ha ha!" in text
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
    lines = base64.b64encode(forged + b"\n" + canon(proposal) + b"\n").decode()
    assert device("proposals", match=name, data=lines)["new"] == 1  # as the host's API gives them
    assert device("proposals", match=name, data=lines)["new"] == 0
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
    assert device("matter", at=at, matter="asked-0")["says"] == "End the match now (supper)"
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
