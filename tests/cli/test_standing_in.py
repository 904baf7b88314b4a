"""``pbem stand-in``: it plays from emails, says what it did, is labelled, and hands back in time or to its owner."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from datetime import timedelta
from email import message_from_bytes
from email.policy import default
from pathlib import Path

import pytest

from pbem.base.language import ENGLISH, language_of
from pbem.bots.labels import made_by_computer
from pbem.cli.options import Keys
from pbem.cli.standing_in import keep_playing
from pbem.player.letters.rendering import story_text
from pbem.player.play.seat_watch import DIARY, StandInWishes
from pbem.protocol.record import Record
from pbem.protocol.record.deadlines import format_time, parse_time
from tests.cli.seats import Friends, run
from tests.mail.mini import MiniPair
from tests.mail.stack import PASSWORD

ANNA, BURT = "anna", "burt"


@pytest.fixture
def friends(tmp_path: Path) -> Friends:
    return Friends(tmp_path).begin().join_and_ready()


class Time:
    """A clock that is stopped until somebody waits."""

    def __init__(self, friends: Friends) -> None:
        self.now = Record.load(friends.game_file.splitlines()).head.at

    def __call__(self) -> str:
        return self.now

    def later(self, hours: float) -> None:
        self.now = format_time(parse_time(self.now) + timedelta(hours=hours))


def hand_in(friends: Friends, seat: str) -> bool:
    """What lies in a player's folder goes to the host, once; whether there was anything."""
    files = sorted(friends.folder(seat).glob("turn-*.json")) + sorted(
        friends.folder(seat).glob("ready-*.json")
    )
    for file in files:
        assert friends.send(file).code == 0
        file.unlink()
    return bool(files)


def turns_of(friends: Friends, seat: str) -> list[dict[str, object]]:
    """The bodies of this seat's turn files in the record, in order."""
    record = Record.load(friends.game_file.splitlines())
    return [
        line.body["msg"]["body"]
        for line in record.lines
        if line.kind == "turn" and line.body["msg"]["body"]["seat"] == seat
    ]


def stand_in(friends: Friends, time: Time, wait: Callable[[float], None], wishes: StandInWishes) -> str:
    """Let Anna's stand-in play until it hands back; her diary."""
    folder = friends.folder(ANNA)
    keep_playing(folder, Keys(folder / "home"), wishes, None, ENGLISH, minutes=5, wait=wait, now=time)
    return (folder / DIARY).read_text("utf-8")


def test_it_plays_from_letters_says_what_it_did_and_ends_with_its_time(friends: Friends) -> None:
    time = Time(friends)
    end = format_time(parse_time(time.now) + timedelta(hours=3))
    rounds = 0

    def wait(_: float) -> None:
        nonlocal rounds
        rounds += 1
        if rounds > 9:
            time.later(4)
        hand_in(friends, ANNA)
        if friends.status().get("waiting", {}).get("seat") == BURT:
            assert friends.play(BURT, "stand-in", "--once", "--level", "1").code == 0
            assert hand_in(friends, BURT)

    diary = stand_in(friends, time, wait, StandInWishes(end, "2", stays=True))
    turns = turns_of(friends, ANNA)
    assert len(turns) > 2
    assert all(made_by_computer(body) for body in turns)
    assert {body["say"] for body in turns} == {"[computer medium]"}
    assert len(re.findall(r"^\w+day \d\d:\d\d UTC: ", diary, re.MULTILINE)) == len(turns)
    assert "the time is over" in diary
    assert not (friends.folder(ANNA) / "sent" / "stand-in.json").exists()
    waiting = run("stats", friends.match, "--json").json["games"][0]["waiting"]
    assert all(0 < row["computer"] <= row["answers"] for row in waiting)
    assert "that a computer gave: " in run("stats", friends.match).out
    record = Record.load(friends.game_file.splitlines())
    story = story_text(record, -1, record.head.seq, ENGLISH)
    seats = [seat for seat in (ANNA, BURT) if any(map(made_by_computer, turns_of(friends, seat)))]
    assert story.count("From here on the computer plays") == len(seats)  # once a seat, not with each turn
    assert run("audit", friends.match).code == 0


def test_it_stops_when_its_owner_acts_on_another_device(friends: Friends) -> None:
    time, elsewhere = Time(friends), friends.root / "second"
    folder = friends.folder(ANNA)
    shutil.copytree(folder, elsewhere)
    rounds = 0

    def wait(_: float) -> None:
        nonlocal rounds
        rounds += 1
        assert rounds < 60
        hand_in(friends, ANNA)
        asked = friends.status().get("waiting", {}).get("seat")
        if asked == BURT:
            assert friends.play(BURT, "stand-in", "--once").code == 0
            hand_in(friends, BURT)
        elif asked == ANNA and rounds > 3:
            (elsewhere / "game.jsonl").write_bytes(friends.game_file)
            home = elsewhere / "home"
            said = run("say", elsewhere, "still here", "-o", elsewhere / "say.json", "--home", home)
            assert said.code == 0, said.err
            assert friends.send(elsewhere / "say.json").code == 0
            (elsewhere / "game.jsonl").write_bytes(friends.game_file)
            legal = run("legal", elsewhere, "--home", home, "--json").json["legal"]
            file = elsewhere / "own.json"
            done = run("turn", elsewhere, json.dumps(legal[0]["action"]), "-o", file, "--home", home)
            assert done.code == 0, done.err
            assert friends.send(file).code == 0

    diary = stand_in(friends, time, wait, StandInWishes("+9d", "strong", stays=False))
    own = next(body for body in turns_of(friends, ANNA) if body["actions"] and not made_by_computer(body))
    assert "you acted yourself" in diary
    assert turns_of(friends, ANNA)[-1]["n"] == own["n"], "nothing came after it"


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (("--until", "2001-01-01"), "that time is over"),
        (("--level", "9"), "no level '9'"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_begun(
    friends: Friends, arguments: tuple[str, ...], fault: str
) -> None:
    done = friends.play(ANNA, "stand-in", *arguments)
    assert done.code == 2
    assert fault in done.err
    assert not (friends.folder(ANNA) / "sent" / "stand-in.json").exists()
    assert not (friends.folder(ANNA) / DIARY).exists()


def test_it_fetches_and_mails_and_writes_to_its_owner_without_a_hand(friends: Friends) -> None:
    """On a real pair of servers: emails by IMAP, files by SMTP, in the owner's language at the end."""
    seat = friends.status()["waiting"]["seat"]
    folder, time = friends.folder(seat), Time(friends)
    end = format_time(parse_time(time.now) + timedelta(hours=3))
    with MiniPair() as pair:
        server = (
            'host = "localhost"\nuser = "games"\npassword_file = "pw"\n'
            f'tls = "starttls"\nca_file = "{pair.ca_file}"\n'
        )
        (folder / "home" / "identities" / "pw").write_text(PASSWORD)
        ports = pair.ports
        (folder / "home" / "identities" / "mail.toml").write_text(
            f'address = "{seat}@example.org"\n[smtp]\nport = {ports["submission"]}\n{server}'
            f"[imap]\nport = {ports['imap']}\n{server}"
        )
        taken = 0

        def wait(_: float) -> None:
            nonlocal taken
            for address, raw in pair.sent[taken:]:
                assert address == "host@example.org"
                friends_file = friends.root / f"mail-{taken}.eml"
                friends_file.write_bytes(raw)
                before = friends.delivered.copy()
                assert friends.host("advance", friends_file, "--json").code == 0
                for letter in sorted((friends.match / "outbox").glob(f"*-{seat}-*.eml")):
                    if letter.name not in before:
                        friends.delivered.add(letter.name)
                        pair.append(letter.read_bytes())
                taken += 1
            if friends.status().get("waiting", {}).get("seat") != seat:
                time.later(4)

        keys = Keys(folder / "home")
        wishes = StandInWishes(end, "strong", stays=True, to="host@example.org")
        keep_playing(folder, keys, wishes, None, language_of("de"), minutes=5, wait=wait, now=time)
        address, raw = pair.sent[-1]
        files = taken
    assert files >= 2
    assert address == f"{seat}@example.org"
    letter = message_from_bytes(raw, policy=default)
    text = letter.get_body(("plain",)).get_content()  # type: ignore[union-attr]
    assert letter["Auto-Submitted"] == "auto-generated"
    assert "spielte ein Computer" in text
    done = re.findall(r"^\w+tag \d\d:\d\d UTC: ", text, re.MULTILINE)
    assert len(done) == len(turns_of(friends, seat))
    hand = friends.play(seat, "show", "--json").json["view"]["hands"][seat]
    public = json.dumps(turns_of(friends, seat))
    assert not [card for card in hand if card in text and card not in public]
