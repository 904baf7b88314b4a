"""What ``pbem show`` and ``pbem replay`` show between two epochs."""

from __future__ import annotations

from contextlib import chdir
from pathlib import Path

import pytest

from tests.cli.seats import run
from tests.verifier.matches import curt_idle


@pytest.mark.parametrize("reveal", ["epoch", "match"])
def test_between_two_epochs_nobody_is_asked_to_act(tmp_path: Path, reveal: str) -> None:
    """The view names who begins the next turn, but the match waits for a link."""
    world = curt_idle(reveal)
    assert world.record.public is not None
    assert world.record.public["waiting"]["phase"] == "auction"
    game = tmp_path / "game.jsonl"
    game.write_bytes(b"".join(raw + b"\n" for raw in world.lines))
    shown = run("show", game, "--public")
    assert shown.code == 0, shown.err
    assert "The next shuffle needs Curt." in " ".join(shown.out.split())
    assert "to bid" not in shown.out
    replayed = run("replay", game)
    assert replayed.code == 0, replayed.err
    assert "to bid" not in replayed.out.rpartition("Bids:")[2]
    before = run("show", game, "--public", "--at", world.head.seq - 5)
    assert "act or pass" in before.out or "to bid" in before.out
    with chdir(tmp_path):  # in the match's own folder nothing need be named
        assert run("show", "--public") == shown
