"""Bad input, each with a clear error and an unchanged match (one test for each kind of damage)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pbem.protocol.crypto.digest import b64
from pbem.protocol.formats.envelopes import make_file
from pbem.protocol.formats.strict_json import canon
from tests.cli.seats import Friends, make_identity, run


@pytest.fixture(scope="module")
def friends(tmp_path_factory: pytest.TempPathFactory) -> Friends:
    return Friends(tmp_path_factory.mktemp("bad")).begin().join_and_ready()


@pytest.fixture(scope="module")
def turn(friends: Friends) -> dict[str, Any]:
    """A good turn of whoever is awaited, not sent."""
    seat = friends.status()["waiting"]["seat"]
    file: dict[str, Any] = json.loads(friends.sign(seat, "turn", "draw", "supply").read_bytes())
    return file


def signed(friends: Friends, body: dict[str, Any], by: str = "", kind: str = "turn") -> bytes:
    """``body`` signed with the key of ``by`` (otherwise of its own seat)."""
    identity = make_identity(
        friends.root / "keys" / str(len(list(friends.root.glob("keys/*")))), by or body["seat"]
    )
    return canon(make_file(kind, body, identity.sign_key, identity.sign_public))


NO_HASH, NO_SIGNATURE = b64(bytes(32)), b64(bytes(64))
"""What no record is called and nobody signed, in good form."""
Damage = Callable[[Friends, dict[str, Any]], bytes]


def _body(**change: Any) -> Damage:
    return lambda friends, file: signed(friends, {**file["body"], **change})


def _without(member: str) -> Damage:
    def damage(friends: Friends, file: dict[str, Any]) -> bytes:
        return signed(friends, {name: value for name, value in file["body"].items() if name != member})

    return damage


def _text(old: bytes, new: bytes) -> Damage:
    def damage(_: Friends, file: dict[str, Any]) -> bytes:
        raw = canon(file)
        assert old in raw
        return raw.replace(old, new, 1)

    return damage


BAD: dict[str, tuple[Damage, str]] = {
    "not JSON": (lambda *_: b"{Reach for the sky}", "malformed"),
    "duplicate members": (_text(b'"n":', b'"n":2,"n":'), "malformed"),
    "NaN": (_text(b'"from":"supply"', b'"from":NaN'), "malformed"),
    "a float": (_text(b'"from":"supply"', b'"from":1.5'), "malformed"),
    "100,000 nested brackets": (lambda *_: b'{"body":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "malformed"),
    "10 MB": (lambda *_: b'{"body":{"actions":[],"say":"' + b"x" * 10_000_000 + b'"},"sig":{}}', "malformed"),
    "a float count": (
        _text(b'{"do":"draw","from":"supply"}', b'{"count":3.0,"do":"lay","outlaw":"jesse-james"}'),
        "malformed",
    ),
    "wrong schema": (_body(actions={"do": "draw"}), "malformed"),
    "a member missing": (_without("seen"), "malformed"),
    "a member too many": (_body(cheat=True), "malformed"),
    "an unknown outlaw": (_body(actions=[{"do": "lay", "outlaw": "john-wayne", "count": 3}]), "malformed"),
    "an unknown action": (_body(actions=[{"do": "shoot"}]), "malformed"),
    "not canonical base64": (_body(game="x" * 43), "malformed"),
    "a stale head": (_body(seen={"seq": 0, "line": NO_HASH, "sig": NO_SIGNATURE}), "stale"),
    "an old number": (_body(n=0), "stale"),
    "a head that is not there": (_body(seen={"seq": 999, "line": NO_HASH, "sig": NO_SIGNATURE}), "stale"),
    "an illegal action": (_body(actions=[{"do": "discard", "card": "hideout"}]), "illegal"),
    "without the link": (_without("link"), "link-missing"),
    "another link": (_body(link={"epoch": 2, "value": "A" * 43}), "bad-link"),
    "a seal that does not open": (
        _body(sealed={"commit": NO_HASH, "ct": "A" * 747, "own": "A" * 747}),
        "bad-seal",
    ),
}


PLACES = {
    "wrong schema": "actions: expected a list",
    "a member missing": "member 'seen' is missing",
    "a member too many": 'unexpected member "cheat"',
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_refused_with_a_clear_error_and_changes_nothing(
    friends: Friends, turn: dict[str, Any], name: str
) -> None:
    damage, code = BAD[name]
    before = friends.game_file
    done = friends.host("advance", "-", "--json", stdin=damage(friends, turn))
    assert friends.game_file == before
    assert done.code == 5, done.err
    (answer,) = done.json
    assert (answer["ruling"], answer["code"]) == ("refused", code), answer
    assert len(answer["text"]) > 10
    if name == "an illegal action":
        assert answer["rules"], "an illegal action names its rule"
        assert answer["action"] == 0
    if name in ("wrong schema", "a member missing", "a member too many"):
        assert answer["text"].startswith(PLACES[name]), "it says where, in words"


def _moved(friends: Friends, file: dict[str, Any]) -> bytes:
    return signed(friends, {**file["body"], "game": b64(b"x" * 32)})


def _forged(friends: Friends, file: dict[str, Any]) -> bytes:
    other = next(seat for seat in friends.seats if seat != file["body"]["seat"])
    return signed(friends, file["body"], by=other)


def _bent(_: Friends, file: dict[str, Any]) -> bytes:
    return canon({**file, "body": {**file["body"], "say": "not what was signed"}})


@pytest.mark.parametrize(
    ("damage", "words"),
    [(_moved, "another match"), (_forged, "signature"), (_bent, "signature")],
    ids=["for another match", "another seat's key", "wrong signature"],
)
def test_strangers_are_logged_and_never_answered(
    friends: Friends, turn: dict[str, Any], damage: Damage, words: str
) -> None:
    before, letters = friends.game_file, sorted((friends.match / "outbox").iterdir())
    done = friends.host("advance", "-", "--json", stdin=damage(friends, turn))
    assert done.code == 5
    assert done.json[0]["ruling"] == "ignored"
    assert words in done.json[0]["text"]
    assert friends.game_file == before
    assert sorted((friends.match / "outbox").iterdir()) == letters


def test_a_replayed_turn_gets_its_receipt_again(tmp_path: Path) -> None:
    friends = Friends(tmp_path).begin().join_and_ready()
    seat = friends.status()["waiting"]["seat"]
    file = friends.sign(seat, "turn", "draw", "supply")
    assert friends.send(file).code == 0
    before = friends.game_file
    again = friends.host("advance", file, "--json")
    assert (again.code, again.json[0]["ruling"]) == (0, "repeated")
    assert friends.game_file == before


# --- the game file --------------------------------------------------------------------------------------------


def test_one_bit_flipped_anywhere_is_found(friends: Friends, tmp_path: Path) -> None:
    whole = friends.game_file
    size = len(whole)
    for number in range(60):
        place = (number * 2_654_435_761) % size
        bent = bytearray(whole)
        bent[place] ^= 1 << number % 7
        path = tmp_path / "bent.jsonl"
        path.write_bytes(bytes(bent))
        done = run("verify", path, "--json")
        assert done.code == 4, f"bit {number % 7} of byte {place}"
        record = whole[: place + 1].count(b"\n") - (whole[place : place + 1] == b"\n")
        assert done.json["fault"]["record"] <= record + 1
        assert run("audit", path, "--no-engine").code == 4


@pytest.mark.parametrize("cut", [1, 20, 4000])
def test_a_game_file_that_was_cut_off_is_shown(friends: Friends, tmp_path: Path, cut: int) -> None:
    path = tmp_path / "cut.jsonl"
    path.write_bytes(friends.game_file[:-cut])
    done = run("verify", path)
    if cut == 1:  # nothing but the last line feed
        assert done.code == 0
        return
    assert done.code == 4
    assert "does not hold" in done.out


@pytest.mark.parametrize("content", [b"", b"\n", b"{}\n", b"Reach for the sky\n", b"\xff\xfe\x00"])
def test_what_is_no_game_file_is_shown_by_every_command(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(content)
    make_identity(tmp_path / "home", "anna")
    for command in ("verify", "audit", "compare", "stats", "show", "legal", "ready", "turn"):
        words = command.split()
        judged = content.startswith(b"{") and command in ("verify", "audit", "compare")  # a record that fails
        code = 4 if judged else 3
        more = () if words[0] in ("verify", "audit", "compare", "stats") else ("--home", tmp_path / "home")
        done = run(*words, path, *((path,) if command == "compare" else ()), *more)
        assert done.code == code, (command, done.err)
        assert done.err.startswith("error: ") or judged
        assert done.out == "" or judged


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("show", "nowhere"), 2, "there is no file or folder nowhere"),
        (("host", "status", "nowhere"), 2, "nowhere"),
        (("host", "new", "x", "--game", "poker", "--seats", "anna,burt"), 2, "no game 'poker'"),
        (("host", "new", "x", "--game", "wyatt-earp", "--seats", "anna"), 2, ""),
        (("host", "new", "x", "--game", "wyatt-earp", "--seats", "anna,burt", "--option", "x=1"), 2, "x"),
        (("host", "new", "x", "--game", "wyatt-earp", "--seats", "Anna!,burt"), 2, "Anna!"),
        (("host", "new", "x", "--game", "wyatt-earp", "--seats", "anna,burt", "--hours", "-1"), 2, "hours"),
        (("check", "--scenario", "nowhere"), 4, ""),
        (("inspect", "nowhere"), 2, "nowhere"),
        (("demo", "--seats", "5"), 2, "two to four different seats"),
        (("demo", "--seats", "9"), 2, "--seats is at most 5, not 9"),
        (("demo", "--game", "poker"), 2, "no game 'poker'"),
        (("check", "--board", "way-out-west", "nowhere"), 2, "nowhere"),
    ],
)
def test_a_command_that_cannot_work_says_so_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], code: int, words: str
) -> None:
    make_identity(tmp_path / "home", "host", "host")
    monkeypatch.chdir(tmp_path)
    more = ("--home", tmp_path / "home") if arguments[0] in ("host", "show") else ()
    done = run(*arguments, *more)
    assert done.code == code, done.err
    assert words in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home"]
