"""What a player's own program says of the host's use of what they sealed, before the close proves it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.base.errors import VerificationError
from pbem.base.language import ENGLISH
from pbem.cli.clients import player_client
from pbem.cli.options import Keys
from pbem.game import Seat
from pbem.player.seat import PlayerClient
from pbem.player.seat.order_answers import orders_said
from pbem.protocol.formats.identity_file import write_identity
from pbem.protocol.record import Record
from pbem.protocol.referee import Accepted
from tests.ordering.test_attacks import NOTHING, SUPPLY, Liar
from tests.world import FixedSalts, World


class Salt:
    """Entropy of a test: never the same twice."""

    def __init__(self) -> None:
        self.counter = FixedSalts("owner")

    def __call__(self, size: int) -> bytes:
        return self.counter()[:size]


def sit_down(world: World, seat: str, folder: Path) -> PlayerClient:
    """A new session on the same folder."""
    if not folder.exists():
        folder.mkdir()
        (folder / "game.jsonl").write_bytes(b"".join(line + b"\n" for line in world.lines))
    client = PlayerClient.open(folder, world.people[Seat(seat)], Salt())
    client.take_in(world.lines)
    return client


@pytest.fixture
def world() -> World:
    """Anna is asked first; the host plays by other orders than burt sealed."""
    world = World("wyatt-earp", ("anna", "burt"), seed="owner")
    world.record = Record.begin(world.lines[0], Liar(world.host, world.record.lines[0]))
    return world.start()


def given(world: World, folder: Path, sealed: dict[str, object], played: dict[str, object] | None) -> None:
    """Burt gives orders; then anna moves until he should draw, or did."""
    signed = sit_down(world, "burt", folder).turn(orders=sealed)
    openings = world.record.replay.openings if world.record.replay else None
    assert isinstance(openings, Liar)
    if played is not None:
        openings.lies[Seat("burt"), signed.n] = played
    assert isinstance(world.send(signed.raw), Accepted)
    while world.record.waiting and world.record.waiting["seat"] == "anna":
        assert world.move()


def shown(world: World, seat: str, folder: Path) -> str:
    """What ``pbem show`` says of the own orders."""
    return " ".join(" ".join(orders_said(sit_down(world, seat, folder), ENGLISH)).split())


def test_show_warns_whoever_is_asked_what_their_orders_answer(world: World, tmp_path: Path) -> None:
    given(world, tmp_path / "burt", SUPPLY, NOTHING)
    assert "should have answered this: draw supply" in shown(world, "burt", tmp_path / "burt")
    assert "should have answered this: draw supply" in shown(world, "burt", tmp_path / "without the copies")
    assert "should have answered" not in shown(world, "anna", tmp_path / "anna")
    assert sit_down(world, "burt", tmp_path / "burt").turn(say="hm").n


def test_show_warns_nobody_whose_orders_leave_it_to_them(world: World, tmp_path: Path) -> None:
    given(world, tmp_path / "burt", SUPPLY, None)
    assert world.record.waiting == {"seat": "burt", "phase": "play"}
    assert "should have answered" not in shown(world, "burt", tmp_path / "burt")


def shown_by_commands(world: World, folder: Path, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Every command of the player begins with these words, and with what to do."""
    identity = write_identity(world.people[Seat("burt")], "Burt", "", bytes(16), log_n=4)
    (folder / "burt-identity.json").write_bytes(identity)
    player_client(folder, Keys(who=str(folder / "burt-identity.json")))
    text = " ".join(capsys.readouterr().err.split())
    assert words in text
    assert "keep this file and tell the others" in text


def test_a_client_signs_nothing_once_other_actions_were_done_than_it_sealed(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    while world.record.waiting and world.record.waiting["seat"] == "anna":
        assert world.move()
    client = sit_down(world, "burt", tmp_path / "burt")
    mine, other = sorted(set(client.view.view_json["hands"]["burt"]))[:2]
    signed = client.turn([{"do": "draw", "from": "supply"}, {"do": "discard", "card": mine}])
    openings = world.record.replay.openings if world.record.replay else None
    assert isinstance(openings, Liar)
    openings.actions[Seat("burt"), signed.n] = [{"do": "discard", "card": other}]
    assert isinstance(world.send(signed.raw), Accepted)
    altered = sit_down(world, "burt", tmp_path / "burt").altered_actions()
    assert len(altered) == 1
    assert "was not made as you sealed it" in altered[0]
    with pytest.raises(VerificationError, match="move 1") as caught:
        sit_down(world, "burt", tmp_path / "burt").turn(say="hm")
    assert caught.value.code == "own-sealed"
    shown_by_commands(world, tmp_path / "burt", "did not do what you sealed", capsys)
