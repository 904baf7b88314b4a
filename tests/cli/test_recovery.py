"""What is left when keys are lost, or a file cannot be recorded, by commands alone."""

from __future__ import annotations

import json
from pathlib import Path

from pbem.player.seat import PlayerClient
from pbem.player.store import Keyring
from pbem.protocol.crypto.digest import b64
from pbem.protocol.crypto.identity import recovered, recovery_hash, recovery_key, recovery_to_paper
from pbem.protocol.formats.envelopes import make_file
from pbem.protocol.formats.identity_file import write_identity
from pbem.protocol.formats.strict_json import canon
from tests.cli.seats import Friends, make_identity, run
from tests.machine.planted import word_to_nobody
from tests.world import secret

PAPER = secret("anna's paper")


def test_who_lost_the_keys_takes_the_seat_and_gives_the_link_it_owes_by_the_recovery_paper(
    tmp_path: Path,
) -> None:
    """``rekey --recovery``, ``ready --recovery``, and ``id restore`` from the same paper."""
    friends = Friends(tmp_path)
    anna, home = friends.folder("anna"), friends.folder("anna") / "home"
    old = recovered(PAPER)
    hers = recovery_hash(recovery_key(PAPER).public)
    raw = write_identity(old, "Anna", "", secret("salt")[:16], recovery=hers, log_n=1)
    friends.begin()
    (home / "identities" / "anna.json").unlink()
    Keyring(home).add("anna", raw)
    for seat in friends.seats:
        folder = friends.folder(seat)
        invite = next(folder.glob("*invitation.eml"))
        assert run("join", invite, "-o", folder / "join.json", "--home", folder / "home").code == 0
        assert friends.send(folder / "join.json").code == 0
    assert friends.send(friends.sign("burt", "ready")).code == 0

    (home / "identities" / "anna.json").unlink()  # her computer is gone; the paper is not
    new = make_identity(home, "anna-again")
    paper = tmp_path / "paper.txt"
    paper.write_text(recovery_to_paper(PAPER))
    file = anna / "rekey.json"
    done = run(
        "rekey",
        anna,
        "--new",
        "anna-again",
        "--seat",
        "anna",
        "--recovery",
        paper,
        "-o",
        file,
        "--home",
        home,
    )
    assert done.code == 0, done.err
    assert "pbem ready COPY --recovery FILE" in done.err
    assert friends.send(file).json[0]["ruling"] == "accepted"

    refused = run("ready", anna, "-o", anna / "not.json", "--home", home)
    assert (refused.code, (anna / "not.json").exists()) == (2, False)
    done = run("ready", anna, "--recovery", paper, "-o", anna / "ready.json", "--home", home)
    assert done.code == 0, done.err
    assert json.loads((anna / "ready.json").read_bytes())["sig"]["key"] == b64(new.sign_public)
    assert friends.send(anna / "ready.json").json[0]["ruling"] == "accepted"
    assert "open" in [json.loads(line)["body"]["kind"] for line in friends.game_file.splitlines()]

    done = run("id", "restore", "Anna", "--as", "back", "--from", paper, "--home", home,
               "--passphrase-file", _empty(tmp_path))  # fmt: skip
    assert done.code == 0, done.err
    back = json.loads((home / "identities" / "back.json").read_bytes())
    assert back["header"]["sign"] == b64(old.sign_public)


def _empty(folder: Path) -> Path:
    path = folder / "pass"
    path.write_text("cactus\n")
    path.chmod(0o600)
    return path


def test_a_good_file_that_nobody_could_record_is_put_aside_by_a_host_with_a_folder(tmp_path: Path) -> None:
    """With the old fault planted that let a private word go to nobody: the host is alerted, and the match goes on."""
    friends = Friends(tmp_path).begin().join_and_ready()
    seat = friends.status()["waiting"]["seat"]
    identity = make_identity(tmp_path / "again", seat)
    client = PlayerClient.open(friends.folder(seat), identity, bytes)
    body = json.loads(client.turn([], say="psst").raw)["body"]
    body["tell"] = [{"to": "nobody", "ct": b64(bytes(560))}]
    file = tmp_path / "bad.json"
    file.write_bytes(canon(make_file("turn", body, identity.sign_key, identity.sign_public)))
    before = friends.game_file
    with word_to_nobody():
        done = friends.host("advance", file)
        outcome = friends.host("advance", file, "--json").json[0]
    assert done.code == 0, done.err
    assert (outcome["ruling"], outcome["seat"]) == ("put-aside", seat)
    assert "quarantined" in done.out
    assert friends.game_file == before
    assert friends.send(friends.sign(seat, "turn", "draw", "supply")).json[0]["ruling"] == "accepted"
