"""An email in which the host says something false of the table: nothing of it is accepted, opened or shown."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.game import JsonObject
from pbem.protocol.formats.envelopes import make_entry
from pbem.protocol.formats.strict_json import canon
from tests.cli.seats import run
from tests.world import World


def richer(public: JsonObject) -> None:
    """Money that nobody earned."""
    public["money"]["burt"] += 9000


def bigger_hand(public: JsonObject) -> None:
    """A card that nobody drew."""
    public["hands"]["burt"] += 1


def more_supply(public: JsonObject) -> None:
    """A card that was not there."""
    public["supply"] += 1


def other_phase(public: JsonObject) -> None:
    """Somebody must draw who has drawn."""
    public["phase"] = public["waiting"]["phase"] = "draw" if public["phase"] == "play" else "play"


def bigger_discard(public: JsonObject) -> None:
    """A card that nobody discarded."""
    public["discard"]["count"] += 1
    public["discard"]["takeable"] += 1


@pytest.mark.parametrize("lie", [richer, bigger_hand, more_supply, other_phase, bigger_discard])
def test_a_letter_with_a_false_public_value_is_not_taken_in(
    tmp_path: Path, lie: Callable[[JsonObject], None]
) -> None:
    world = World("wyatt-earp", ("anna", "burt"), seed="false words").start().play(3)
    body = copy.deepcopy(world.head.body)
    lie(body["public"])
    false = canon(make_entry(body, world.host.sign_key, world.host.sign_public, world.record.game))
    mine, letter = tmp_path / "match", tmp_path / "letter.jsonl"
    mine.mkdir()
    honest = b"".join(line + b"\n" for line in world.lines[:-1])
    (mine / "game.jsonl").write_bytes(honest)
    letter.write_bytes(false + b"\n")
    done = run("update", mine, letter)
    assert done.code == 4, done.err
    assert f"record {world.head.seq}: the table, " in done.err
    (mine / "letter.jsonl").write_bytes(false + b"\n")  # saved beside the copy, as most people do
    for command in ("show", "legal"):
        done = run(command, mine, "--json")
        assert (done.code, done.out) == (4, ""), command
    assert (mine / "game.jsonl").read_bytes() == honest
    whole = tmp_path / "whole.jsonl"
    whole.write_bytes(honest + false + b"\n")
    assert run("verify", whole).code == 4
    assert run("audit", whole).code == 4
