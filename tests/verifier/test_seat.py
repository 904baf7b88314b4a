"""The JavaScript verifier with a seat's key: by paper, by identity file, and what it sees at once."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.game import JsonObject, Seat
from pbem.protocol.crypto.identity import to_paper
from pbem.protocol.formats.identity_file import write_identity
from tests.forge import Forge
from tests.verifier.matches import match
from tests.verifier.node import VERIFIER, node
from tests.world import World

TYPED = "\ufb01ve horses"


def written(folder: Path, lines: list[bytes]) -> Path:
    path = folder / "game.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def seen_by(
    folder: Path, world: World, seat: str, lines: list[bytes] | None = None, code: int = 0
) -> JsonObject:
    path = written(folder, world.lines if lines is None else lines)
    paper = to_paper(world.people[Seat(seat)])
    report: JsonObject = json.loads(
        node(VERIFIER / "verify.mjs", path, "--secret", paper, "--json", code=code)
    )
    return report


@pytest.fixture(scope="module")
def dealt() -> World:
    return World("wyatt-earp", ("anna", "burt"), seed="dealt").start()


def test_a_seat_reads_the_hand_that_it_was_dealt(tmp_path: Path, dealt: World) -> None:
    seen = seen_by(tmp_path, dealt, "anna")["seat"]
    assert seen["seat"] == "anna"
    assert sorted(draw["card"] for draw in seen["draws"]) == dealt.view("anna").view_json["hands"]["anna"]


def test_every_packet_of_a_whole_match_opens_for_its_owner(tmp_path: Path) -> None:
    world = match("wyatt-earp-italian")
    for seat in world.seats:
        report = seen_by(tmp_path, world, seat)
        assert report["ok"], report["faults"]
        assert report["seat"]["packets"] == sum("packets" in line.body for line in world.record.lines)


def test_keys_that_came_later_open_what_was_sealed_to_them(tmp_path: Path) -> None:
    world = match("wyatt-earp-agreed")
    for seat in world.seats:
        report = seen_by(tmp_path, world, seat)
        assert report["ok"], report["faults"]
        assert report["seat"]["packets"] > 10


def test_an_identity_file_opens_with_its_passphrase(tmp_path: Path, dealt: World) -> None:
    identity = tmp_path / "anna.json"
    salt = bytes(range(16))
    identity.write_bytes(write_identity(dealt.people[Seat("anna")], "Anna", TYPED, salt, log_n=4))
    words = tmp_path / "words"
    words.write_text("five horses\n", encoding="utf-8")
    game = written(tmp_path, dealt.lines)
    arguments = (VERIFIER / "verify.mjs", game, "--identity", identity, "--passphrase-file", words)
    assert "Seat anna" in node(*arguments)
    words.write_text("four horses", encoding="utf-8")
    node(*arguments, code=2)


def first_packets(forge: Forge, change: Callable[[JsonObject], None]) -> list[bytes]:
    bodies = forge.bodies()
    change(next(body for body in bodies if "packets" in body)["packets"])
    return forge.write(bodies)


def test_a_lie_in_a_packet_is_seen_at_once_by_its_owner_only(tmp_path: Path, dealt: World) -> None:
    def lie(packets: JsonObject) -> None:
        packets["anna"]["commit"] = packets["burt"]["commit"]

    lines = first_packets(Forge(dealt), lie)
    report = seen_by(tmp_path, dealt, "anna", lines, code=4)
    assert [(fault["step"], fault["code"]) for fault in report["faults"]] == [(11, "packet")]
    assert seen_by(tmp_path, dealt, "burt", lines)["ok"]


def test_an_envelope_copied_to_another_seat_does_not_open(tmp_path: Path, dealt: World) -> None:
    def copied(packets: JsonObject) -> None:
        packets["anna"] = packets["burt"]

    report = seen_by(tmp_path, dealt, "anna", first_packets(Forge(dealt), copied), code=4)
    assert [(fault["step"], fault["code"]) for fault in report["faults"]] == [(11, "sealed")]


def test_a_key_without_a_seat_is_wrong_use(tmp_path: Path, dealt: World) -> None:
    path = written(tmp_path, dealt.lines)
    node(VERIFIER / "verify.mjs", path, "--secret", to_paper(dealt.host), code=2)
    node(VERIFIER / "verify.mjs", path, "--secret", "not a paper", code=2)
    node(VERIFIER / "verify.mjs", code=2)
