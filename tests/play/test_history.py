"""Back and forth through a match: each moment is what the client would show of that record."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.player.play import History
from tests.play.player_session import Chair
from tests.world import World


@pytest.mark.parametrize(("game", "seats", "files"), [("wyatt-earp", 2, 110), ("way-out-west", 3, 40)])
def test_every_moment_is_the_seats_own_view_of_that_record(
    game: str, seats: int, files: int, tmp_path: Path
) -> None:
    world = World(game, ("anna", "burt", "curt")[:seats]).start().play(files)
    client = Chair(world, "anna", tmp_path).client()
    history = History(client.view)
    dealt = [seq for seq in history.seqs if history.view(seq) is not None]
    assert len(dealt) > files // 2
    kinds = {client.record.lines[seq].kind for seq in history.seqs}
    assert {"join", "ready", "open", "turn"} <= kinds
    for seq in [*dealt[::9], dealt[-1]]:
        assert history.view(seq) == client.view_at(seq).view_json, seq
        assert history.at(seq).story


def test_cards_drawn_are_named_to_their_owner_only(tmp_path: Path) -> None:
    world = World("wyatt-earp", ("anna", "burt")).start().play(30)
    moments = {}
    for seat in world.seats:
        history = History(Chair(world, seat, tmp_path / seat).client().view)
        moments[seat] = {seq: history.at(seq).cards for seq in history.seqs}
    opened = next(seq for seq, cards in moments["anna"].items() if cards)
    assert len(moments["anna"][opened]) == len(moments["burt"][opened]) > 5  # the deal
    drawn = [seq for seq, cards in moments["anna"].items() if cards and seq > opened]
    assert drawn
    assert any(not moments["burt"][seq] for seq in drawn)


def test_a_private_word_stands_in_the_moment_it_came_with(tmp_path: Path) -> None:
    world = World("way-out-west", ("anna", "burt", "curt")).start()
    world.turn("burt", say="Good luck", tell={world.record.seats[0]: "Shall we?"})
    anna = History(Chair(world, "anna", tmp_path / "anna").client().view)
    curt = History(Chair(world, "curt", tmp_path / "curt").client().view)
    last = world.record.head.seq
    assert anna.at(last).words == (("burt", "Shall we?"),)
    assert curt.at(last).words == ()
    assert "Good luck" in curt.at(last).story
