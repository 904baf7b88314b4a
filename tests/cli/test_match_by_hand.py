"""A match by commands alone: each player in a folder of their own, with an identity and the emails they were sent."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pbem.game import Seat
from pbem.protocol.client import SeatView
from pbem.protocol.record import Record
from tests.cli.seats import Done, Friends, make_identity, run
from tests.cli.test_start import ROOT
from tests.errors.typed import at_terminal


@pytest.fixture
def friends(tmp_path: Path) -> Friends:
    return Friends(tmp_path).begin().join_and_ready()


def next_file(friends: Friends, record: Record) -> Path:
    """The file of whoever is awaited: what a computer player of theirs does, by the words that their folder shows.

    ``record`` grows to what the host has. A player who lays out all that they can makes a hand three times as long.
    """
    record.extend(friends.game_file.splitlines()[len(record.lines) :])
    waiting, rules = record.waiting, record.rules
    assert waiting is not None
    seat = waiting["seat"]
    view = SeatView(record, friends.identities[seat], Seat(seat)).view
    wanted = rules.action_to_json(rules.suggest(view))
    legal = friends.play(seat, "legal", "--json")
    assert legal.code == 0, legal.err
    listed = [choice["words"].split() for choice in legal.json["legal"] if choice["action"] == wanted]
    words = listed[0] if listed else [json.dumps(wanted)]  # where there are many, only some are listed
    return friends.sign(seat, "turn", *words)


def check_that_pieces_are_taken_in_any_order(friends: Friends) -> None:
    """Emails saved under names that sort otherwise than their records: none is refused for one that is there."""
    lines = friends.game_file.splitlines(keepends=True)
    away = friends.match.parent / "pieces"
    copy = away / "copy"
    copy.mkdir(parents=True)
    (copy / "game.jsonl").write_bytes(b"".join(lines[:3]))
    cuts = {"z": (3, 5), "m": (4, 7), "a": (7, len(lines))}
    for name, (begin, end) in cuts.items():
        (away / f"{name}.jsonl").write_bytes(b"".join(lines[begin:end]))
    late = run("update", copy, away / "a.jsonl")
    assert late.code == 2
    assert "begins later than your copy ends" in late.err
    done = run("update", copy, *(away / f"{name}.jsonl" for name in sorted(cuts)), "--json")
    assert done.code == 0, done.err
    assert [piece["new"] for piece in done.json["taken"]] == [2, 2, len(lines) - 7]
    assert (copy / "game.jsonl").read_bytes() == friends.game_file


def test_a_hand_is_played_from_invitation_to_close_by_commands_alone(friends: Friends) -> None:
    record = Record.load(friends.game_file.splitlines())
    for _ in range(200):
        done = friends.send(next_file(friends, record))
        assert done.code == 0, done.out
        if b'"kind":"close"' in friends.game_file:
            break
    assert b'"kind":"close"' in friends.game_file
    for seat in friends.seats:
        updated = run("show", friends.folder(seat), "--home", friends.folder(seat) / "home", "--json")
        assert updated.code == 0, updated.err
        assert (friends.folder(seat) / "game.jsonl").read_bytes() == friends.game_file
        shown = updated.json
        assert isinstance(shown["view"]["hands"][seat], list)
        others = [other for other in friends.seats if other != seat]
        assert all(isinstance(shown["view"]["hands"][other], int) for other in others)
    check_that_pieces_are_taken_in_any_order(friends)
    audited = run("audit", friends.match, "--json")
    assert audited.code == 0, audited.out
    assert audited.json["faults"] == []
    assert audited.json["shots"] == [] or audited.json["luck"]
    verified = run("verify", friends.match)
    assert verified.code == 0
    assert "All" in verified.out
    compared = run("compare", friends.match, friends.folder("anna"), "--json")
    assert compared.json["verdict"] == "same"


def test_show_draws_the_table_without_colour_in_a_pipe(friends: Friends) -> None:
    seat = friends.status()["waiting"]["seat"]
    done = friends.play(seat, "show")
    assert done.code == 0, done.err
    assert "\x1b" not in done.out
    assert "Your hand" in done.out
    assert "Your turn to draw" in done.out
    everybody = run("show", friends.folder(seat), "--public")
    assert "Your hand" not in everybody.out


def test_a_look_back_shows_the_table_of_that_record(friends: Friends) -> None:
    seat = friends.status()["waiting"]["seat"]
    before = friends.play(seat, "show", "--json").json
    assert friends.send(friends.sign(seat, "turn", "draw", "supply")).code == 0
    after = friends.play(seat, "show", "--json").json
    assert after["view"] != before["view"]
    again = friends.play(seat, "show", "--at", before["head"]["seq"], "--json").json
    assert again["view"] == before["view"]
    assert friends.play(seat, "show", "--at", 999).code == 2


def test_several_actions_in_one_file_however_they_are_written(friends: Friends) -> None:
    seat = friends.status()["waiting"]["seat"]
    hand = friends.play(seat, "show", "--json").json["view"]["hands"][seat]
    written = [
        ("draw supply", f"discard {hand[0]}"),
        ("draw", "supply", "+", "discard", hand[0]),
        ('{"do":"draw","from":"supply"}', f"discard {hand[0]}"),
        (f'[{{"do":"draw","from":"supply"}},{{"do":"discard","card":"{hand[0]}"}}]',),
    ]
    bodies = []
    for words in written:
        done = friends.play(seat, "turn", *words, "-o", "-", "--again")
        assert done.code == 0, done.err
        bodies.append(json.loads(done.out)["body"])
    lines = f"draw supply\n# a look comes here\n\ndiscard {hand[0]}\n".encode()
    done = friends.play(seat, "turn", "-", "-o", "-", "--again", stdin=lines)
    bodies.append(json.loads(done.out)["body"])
    assert all(body["actions"] == [{"do": "draw", "from": "supply"}] for body in bodies)
    numbers = [body["n"] for body in bodies]
    assert numbers == sorted(set(numbers)), "a number is used once, sent or not"
    sent = friends.host("advance", "-", "--json", stdin=done.out.encode())
    assert sent.code == 0, sent.out
    assert friends.status()["waiting"]["seat"] != seat


def test_a_text_block_is_taken_like_the_file(friends: Friends) -> None:
    seat = friends.status()["waiting"]["seat"]
    block = friends.play(seat, "turn", "draw", "supply", "--armour")
    assert block.out.startswith("PBEM1BEGIN")
    mail = f"Howdy,\n\nhere you are.\n\n{block.out}\n> quoted\n".encode()
    result = run("inspect", "-", stdin=mail)
    assert "armour" in result.out
    done = friends.host("advance", "-", "--json", stdin=mail)
    assert done.json[0]["ruling"] == "accepted"


def test_check_shows_what_the_host_will_say(friends: Friends) -> None:
    seat = friends.status()["waiting"]["seat"]
    other = next(other for other in friends.seats if other != seat)
    good = friends.sign(seat, "turn", "draw", "supply")
    home = friends.folder(seat) / "home"
    assert run("check", good, "--home", home).code == 0
    refused = friends.play(other, "turn", "draw", "supply", "-o", friends.folder(other) / "no.json")
    assert refused.code == 5
    assert "error: the match waits for " in refused.err
    assert not (friends.folder(other) / "no.json").exists(), "a failed command leaves no file behind"
    forced = friends.sign(other, "turn", "draw", "supply", "--unchecked")
    verdict = run("check", forced, "--home", friends.folder(other) / "home", "--json")
    assert (verdict.code, verdict.json["code"]) == (5, "not-your-turn")
    before = friends.game_file
    ruled = friends.send(forced)
    assert (ruled.code, ruled.json[0]["code"]) == (5, "not-your-turn")
    assert friends.game_file == before


def test_an_illegal_action_is_not_signed_and_names_its_rule(friends: Friends) -> None:
    seat = friends.status()["waiting"]["seat"]
    done = friends.play(seat, "turn", "lay", "3", "jesse-james")
    assert done.code == 5
    assert "[" in done.err
    assert "Nothing was signed" in done.err
    unknown = friends.play(seat, "turn", "lay", "3", "john-wayne")
    assert unknown.code in (2, 5)
    assert done.out == unknown.out == ""


def test_talk_reaches_everybody_and_a_private_word_one_seat(friends: Friends) -> None:
    seat, other = friends.seats
    assert friends.send(friends.sign(seat, "say", "Reach for the sky")).code == 0
    assert friends.send(friends.sign(seat, "turn", "--tell", f"{other}=I have two Photos")).code == 0
    assert b"Reach for the sky" in friends.game_file
    assert b"Photos" not in friends.game_file
    shown = friends.play(other, "show")
    assert "I have two Photos" in shown.out
    assert "Reach for the sky" in shown.out
    assert "I have two Photos" not in friends.play(seat, "show").out


def test_a_reaction_and_a_nudge_go_with_a_file(friends: Friends) -> None:
    waited = friends.status()["waiting"]["seat"]
    other = next(seat for seat in friends.seats if seat != waited)
    for given, sentence in (
        (("--react", "0=clap"), "Reactions travel with your next file."),
        (("--react", "0=cheer", "--say", "Hi"), "expected --react RECORD=WORD"),
        (("--react", "clap", "--say", "Hi"), "expected --react RECORD=WORD"),
    ):
        assert sentence in friends.play(other, "turn", *given).err
    file = friends.sign(other, "turn", "--react", "0=clap", "--nudge", waited, "--say", "Hi")
    assert friends.send(file).code == 0
    body = json.loads(friends.game_file.splitlines()[-1])["body"]["msg"]["body"]
    assert (body["react"], body["nudge"]) == ([{"to": 0, "with": "clap"}], waited)


def test_an_early_end_needs_everybody(friends: Friends) -> None:
    assert friends.host("end").code == 5
    first, second = (friends.sign(seat, "consent", "end", "why=rain") for seat in friends.seats)
    held = friends.send(first)
    assert held.json[0]["ruling"] == "held"
    assert held.json[0]["missing"] == [friends.seats[1]]
    assert friends.status()["consents"][0]["what"] == {"kind": "end", "why": "rain"}
    assert friends.send(second).json[0]["ruling"] == "accepted"
    status = friends.status()
    assert status["over"]
    assert run("audit", friends.match).code == 0


def test_the_host_gives_time_and_plays_a_default_only_when_due(tmp_path: Path) -> None:
    friends = Friends(tmp_path, options=("--hours", "0", "--grace", "0")).begin().join_and_ready()
    seat = friends.status()["waiting"]["seat"]
    assert friends.status()["may"]["default"]["now"]
    more = friends.host("extend", "+48h", "--json")
    assert more.json["ruling"] == "accepted", more.err
    refused = friends.host("default")
    assert refused.code == 5
    assert "is due from" in refused.err
    assert friends.host("burn").code == 5
    patient = Friends(tmp_path / "2", options=("--hours", "0", "--grace", "0")).begin().join_and_ready()
    seat = patient.status()["waiting"]["seat"]
    done = patient.host("default", "--json")
    assert (done.code, done.json["ruling"]) == (0, "accepted")
    assert patient.status()["waiting"]["seat"] != seat


def test_a_lost_host_folder_is_rebuilt_from_the_longest_copy(friends: Friends) -> None:
    record = Record.load(friends.game_file.splitlines())
    for _ in range(4):
        assert friends.send(next_file(friends, record)).code == 0
    for seat in friends.seats:
        friends.play(seat, "show")
    whole = friends.game_file
    short = friends.root / "short.jsonl"
    short.write_bytes(b"".join(whole.splitlines(keepends=True)[:5]))
    new = friends.root / "rebuilt"
    home = friends.root / "host" / "home"
    done = run(
        "host", "recover", short, friends.folder("anna"), friends.folder("burt"), "-o", new, "--home", home
    )
    assert done.code == 0, done.err
    longest = max(len((friends.folder(seat) / "game.jsonl").read_bytes()) for seat in friends.seats)
    assert (new / "game.jsonl").read_bytes() == whole[:longest]
    seat = run("host", "status", new, "--home", home, "--json").json["waiting"]["seat"]
    legal = friends.play(seat, "legal", "--json").json["legal"]
    file = friends.sign(seat, "turn", *legal[-1]["words"].split())
    assert run("host", "advance", new, file, "--home", home).code == 0


def test_whoever_takes_a_match_over_plays_no_seat_in_it(friends: Friends) -> None:
    """The host's identity is given to a player: their own keys are enough to be known by, or what they say."""

    def recover(home: Path, *more: object) -> Done:
        return run("host", "recover", friends.match, "-o", new, "--home", home, *more)

    new, given = friends.root / "taken over", friends.root / "given"
    shutil.copytree(friends.root / "host" / "home", given)
    line = f"pbem host recover {friends.match} -o '{new}'"
    asked = at_terminal(friends.root, line, "", "anna", home=given)
    assert "Which seat do you play in this match yourself?" in asked.err
    for refused in (asked, recover(given, "--plays", "anna"), recover(_with_host(friends, "anna"))):
        assert refused.code == 2
        assert "anna cannot host this match" in refused.err
        assert not new.exists()
    assert "there is no seat zoe" in recover(given, "--plays", "zoe").err
    done = at_terminal(friends.root, line, "", "", home=given)
    assert done.code == 0, done.err
    burt = _with_host(friends, "burt")
    assert recover(burt).code == 0, "asked once, where it begins"
    shutil.rmtree(new)
    assert recover(burt, "--plays", "nobody").code == 0


def _with_host(friends: Friends, seat: str) -> Path:
    """A player's home like this one's, with the host's identity beside their own."""
    home = friends.root / f"{seat} hosts"
    shutil.copytree(friends.folder(seat) / "home", home)
    make_identity(home, "host", "host")
    return home


def test_of_two_histories_that_were_signed_the_host_says_which_counts(friends: Friends) -> None:
    """By the program itself, as another process: it decides nothing alone, and says what each choice gives up."""

    def recover(*more: object) -> subprocess.CompletedProcess[str]:
        arguments = ["host", "recover", *copies, "-o", friends.root / "new", "--home", home, "--json", *more]
        return subprocess.run(
            [sys.executable, "-m", "pbem", *map(str, arguments)],
            capture_output=True, text=True, check=False, cwd=ROOT,
        )  # fmt: skip

    home, other = friends.root / "host" / "home", friends.root / "copy"
    shutil.copytree(friends.match, other)
    seat = friends.status()["waiting"]["seat"]
    talk = friends.sign("anna", "say", "Hello")
    assert friends.send(friends.sign(seat, "turn", "draw", "supply")).code == 0
    assert run("host", "advance", other, talk, "--home", home).code == 0
    copies = [friends.match / "game.jsonl", other / "game.jsonl"]
    undecided = recover()
    assert undecided.returncode == 4, undecided.stderr
    assert "2 histories" in undecided.stderr
    assert "--take" in undecided.stderr
    assert not (friends.root / "new" / "game.jsonl").exists()
    assert recover("--take", 9).returncode == 2, "there is no such history"
    done = recover("--take", 2)
    assert done.returncode == 0, done.stderr
    chosen = (friends.root / "new" / "game.jsonl").read_bytes()
    assert chosen in [path.read_bytes() for path in copies]
    again = recover("--take", 1)
    assert again.returncode == 0, again.stderr
    assert any("given up" in note for note in json.loads(again.stdout)["notes"])


def test_the_roster_is_shown_before_anybody_is_ready(tmp_path: Path) -> None:
    friends = Friends(tmp_path).begin()
    early = friends.host("start")
    assert early.code == 5
    assert "anna, burt" in early.err
    for seat in friends.seats:
        folder = friends.folder(seat)
        invite = next(folder.glob("*invitation.eml"))
        assert run("join", invite, "-o", folder / "j", "--home", folder / "home").code == 0
        assert friends.host("add", folder / "j").code == 0
    friends.deliver()
    started = friends.host("start", "--json").json
    prints = {seat["seat"]: seat["fingerprint"] for seat in started["seats"]}
    ready = friends.play("anna", "ready", "-o", friends.folder("anna") / "ready.json")
    assert prints["burt"] in ready.err
    assert friends.send(friends.folder("anna") / "ready.json").code == 0
    assert "when Burt is ready." in friends.host("start").out


def test_a_player_may_say_in_which_zone_he_reads_times(tmp_path: Path) -> None:
    """Everybody can read it; a name that is no zone is refused before anything is signed."""
    friends = Friends(tmp_path).begin()
    folder = friends.folder("anna")
    invite, file = next(folder.glob("*invitation.eml")), folder / "join.json"
    wrong = run("join", invite, "-o", file, "--home", folder / "home", "--zone", "Middle/Earth")
    assert wrong.code == 2
    assert "there is no time zone 'Middle/Earth'" in wrong.err
    assert "Europe/Berlin" in wrong.err
    assert not file.exists()
    good = run("join", invite, "-o", file, "--home", folder / "home", "--zone", "Europe/Zurich")
    assert good.code == 0, good.err
    assert friends.send(file).code == 0
    assert b'"zone":"Europe/Zurich"' in friends.game_file
