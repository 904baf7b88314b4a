"""The demo: a whole match by files alone, and the same again for the same seed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pbem.base.errors import UsageProblem
from pbem.host.demo import Demo, free_folder
from pbem.player.world import SeededEntropy, StepClock
from pbem.protocol.record import Record
from tests.cli.seats import run
from tests.plain import is_plain

START = "2026-11-21T18:00:00Z"


def demo(folder: Path, game: str, seats: int, limit: int) -> Demo:
    return Demo(game, seats, folder, StepClock(START), lambda name: SeededEntropy("7", name), limit=limit)


def course(record: Record) -> list[object]:
    """What was played and drawn, without what is sealed again each time."""
    keys = ("steps", "public", "epoch", "applied", "outcome", "seed", "commit")
    return [{key: line.body.get(key) for key in keys} for line in record.lines]


@pytest.mark.parametrize(("game", "seats"), [("wyatt-earp", 2), ("way-out-west", 3)])
def test_the_same_seed_plays_the_same_match(tmp_path: Path, game: str, seats: int) -> None:
    first = demo(tmp_path / "a", game, seats, 25).run()
    second = demo(tmp_path / "b", game, seats, 25).run()
    assert course(first.record) == course(second.record)
    assert first.report.ok
    assert len(first.record.lines) > 25


def test_every_player_ends_with_the_whole_match(tmp_path: Path) -> None:
    result = demo(tmp_path / "d", "wyatt-earp", 3, 12).run()
    whole = (tmp_path / "d" / "game.jsonl").read_bytes()
    for seat in ("anna", "burt", "curt"):
        folder = tmp_path / "d" / "players" / seat
        copy = (folder / "game.jsonl").read_bytes()
        assert whole.startswith(copy)
        letters = [letter.read_bytes() for letter in (folder / "letters").iterdir()]
        assert len(letters) > 2
        assert any(map(is_plain, letters)), "real pictures are drawn: the dots of these tests are not used"
        assert list((folder / "sent").iterdir())
    assert result.letters == len(list((tmp_path / "d" / "outbox").glob("*.eml")))


def test_a_folder_that_is_taken_is_left_alone(tmp_path: Path) -> None:
    taken = tmp_path / "demo"
    assert free_folder(taken) == taken
    taken.mkdir()
    assert free_folder(taken) == taken
    (taken / "mine").touch()
    assert free_folder(taken) == tmp_path / "demo-2"
    with pytest.raises(UsageProblem, match="two to four different seats"):
        demo(tmp_path / "x", "wyatt-earp", 5, 1)
    assert not (tmp_path / "x").exists()


@pytest.mark.slow
@pytest.mark.parametrize(("game", "seats"), [("wyatt-earp", 3), ("way-out-west", 3)])
def test_the_command_plays_to_the_end_and_proves_everything(tmp_path: Path, game: str, seats: int) -> None:
    out = tmp_path / "demo"
    done = run("demo", "--game", game, "--seats", seats, "--seed", "pbem", "--out", out)
    assert done.code == 0, done.err + done.out
    assert "Everything is proven" in done.out
    assert re.search(r"(You win!|\S wins?) \(", done.out)
    assert str(out / "players" / "anna") in done.out
    audited = run("audit", out, "--json")
    assert audited.code == 0
    assert audited.json["mode"] == "open"
    assert audited.json["draws"]["bound only"] == 0
    home = out / "players" / "burt" / "home"
    shown = run("show", out / "players" / "burt", "--home", home, "--passphrase-file", home / "passphrase")
    assert shown.code == 0, shown.err
    assert "The match is over" in shown.out
    host = run(
        "host",
        "status",
        out,
        "--home",
        out / "home",
        "--passphrase-file",
        out / "home" / "passphrase",
        "--json",
    )
    assert json.loads(host.out)["over"]
