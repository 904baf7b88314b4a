"""A host gives a match to another by three commands; the new one goes on with the file alone, the old serves nobody."""

from __future__ import annotations

import email
import email.policy
import json
from pathlib import Path

import pytest

from pbem.host import HostClient
from pbem.host.store import GivenUp
from pbem.player.seat.posting import host_address
from pbem.player.store import Keyring, Mark, MatchFolder
from pbem.protocol.audit import audit
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.identity_file import write_identity
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import Record
from tests.cli.seats import run
from tests.world import World, days_ago, secret

DORA = Identity(secret("host dora"))


def keyring(home: Path, name: str, identity: Identity) -> Path:
    """A home with this identity of a host, without a passphrase."""
    Keyring(home).add(name, write_identity(identity, name.title(), "", bytes(16), kind="host", log_n=1))
    return home


@pytest.fixture
def world() -> World:
    """A match of three, some files in; its host announces that Dora takes it, and today it counts."""
    return World("wyatt-earp", ("anna", "burt", "curt"), began=days_ago(5), seed="hand-over").start().play(7)


def folder_of(world: World, place: Path) -> Path:
    """The host's folder of this match."""
    MatchFolder.create(place).game.append(world.lines, expected=Mark.EMPTY)
    return place


def letters(folder: Path) -> dict[str, str]:
    """What waits to be sent, by name."""
    members = {}
    for path in sorted((folder / "outbox").glob("*.eml")):
        mail = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
        body = mail.get_body(("plain",))
        assert body is not None
        members[path.name] = " ".join(f"{mail['Subject']} {body.get_content()}".split())
    return members


def test_an_offer_is_shown_to_all_with_who_it_is_and_can_be_taken_back(world: World, tmp_path: Path) -> None:
    old, new = keyring(tmp_path / "old", "carl", world.host), keyring(tmp_path / "new", "dora", DORA)
    folder = folder_of(world, tmp_path / "match")
    offer = tmp_path / "offer.json"
    done = run(
        "host", "offer", folder / "game.jsonl", "--mail", "dora@example.org", "-o", offer, "--home", new
    )
    assert done.code == 0, done.err
    done = run("host", "hand-over", folder, offer, "--home", old)
    assert done.code == 0, done.err
    line = json.loads((folder / "game.jsonl").read_bytes().splitlines()[-1])["body"]
    assert (line["kind"], line["host"]["mail"]) == ("retire", "dora@example.org")
    announcing = {
        name: text for name, text in letters(folder).items() if "gives this match to another host" in text
    }
    assert {name.split("-")[1] for name in announcing} == {"anna", "burt", "curt"}
    early = run("host", "hand-over", folder, "--home", old)
    assert early.code == 5
    assert "held until" in early.err
    assert run("host", "hand-over", folder, "--stay", "--home", old).code == 0
    assert b'"kind":"withdraw"' in (folder / "game.jsonl").read_bytes()


def test_the_new_host_goes_on_and_the_old_one_serves_nobody(world: World, tmp_path: Path) -> None:
    old, new = keyring(tmp_path / "old", "carl", world.host), keyring(tmp_path / "new", "dora", DORA)
    world.retire("dora")
    folder = folder_of(world, tmp_path / "match")
    before = folder / "game.jsonl"
    given = tmp_path / "given.jsonl"
    done = run("host", "hand-over", folder, "-o", given, "--home", old)
    assert done.code == 0, done.err
    assert "pbem host take-over" in done.out
    assert before.read_bytes() == given.read_bytes()
    again = run("host", "hand-over", folder, "-o", given, "--home", old)
    assert again.code == 0, "the file can be written as often as it is needed"
    assert before.read_bytes() == given.read_bytes()

    record = Record.load(given.read_bytes().splitlines())
    taken = tmp_path / "taken"
    assert run("host", "take-over", given, "-o", taken, "--home", old).code != 0
    assert not taken.exists(), "the match is not given to them"
    done = run("host", "take-over", given, "-o", taken, "--home", new)
    assert done.code == 0, done.err

    world.record, world.host = record, DORA
    file = world.next_file()
    assert file is not None
    sent = tmp_path / "turn.json"
    sent.write_bytes(canon(file))
    shut = run("host", "advance", folder, sent, "--home", old)
    assert before.read_bytes() == given.read_bytes(), "the old house signs nothing more"
    assert "another host has this match" in shut.out + shut.err
    where = [
        text for name, text in letters(folder).items() if "dora@example.org" in text and "Not taken" in text
    ]
    assert where, "and says where the match is"
    for command in ("tick", "outage"):
        run("host", command, folder, "--home", old)
    assert before.read_bytes() == given.read_bytes()
    assert run("host", "status", folder, "--home", old).code == 0

    done = run("host", "advance", taken, sent, "--home", new)
    assert done.code == 0, done.err
    lines = (taken / "game.jsonl").read_bytes().splitlines()
    assert len(lines) > len(record.lines)
    assert audit(lines).faults == []


def test_players_write_to_the_new_host_from_then_on(world: World, tmp_path: Path) -> None:
    folder = folder_of(world, tmp_path / "burt")
    (folder / "host-address.txt").write_text("carl@example.org\n")
    assert host_address(folder, "x") == "carl@example.org"
    world.retire("dora")
    world.hand_over("dora")
    game = MatchFolder(folder).game
    game.append(world.lines[len(game.read().lines) :], expected=game.read().end)
    assert host_address(folder, "x") == "dora@example.org"


def test_a_former_host_that_wakes_up_with_an_older_state_learns_it_from_a_players_copy(
    world: World, tmp_path: Path
) -> None:
    carl = world.host
    old = keyring(tmp_path / "old", "carl", carl)
    folder = folder_of(world, tmp_path / "match")
    world.retire("dora")
    world.hand_over("dora")
    world.play(2)
    copy = tmp_path / "burt.jsonl"
    copy.write_bytes(b"".join(line + b"\n" for line in world.lines))
    done = run("host", "recover", copy, "-o", folder, "--home", old)
    assert done.code == 0, done.err
    file = world.next_file()
    assert file is not None
    outcome = HostClient(folder, carl, lambda: world.now).take(canon(file))
    assert isinstance(outcome.ruling, GivenUp)
    assert "another host has this match" in outcome.ruling.reason
