"""The terminal picture: width, colour or none, the hand for its owner only."""

from __future__ import annotations

import pytest

from pbem.game import JsonObject, Seat
from pbem.player.letters.layout import cells
from pbem.player.letters.terminal import render_table
from tests.letters.fakes import FakeSource, earp_source, earp_view, toy_source, west_source, west_view
from tests.letters.golden import check

HAND = ["hideout", "jesse-james", "jesse-james", "photo:wes-hardin", "wes-hardin", "wyatt-earp", "wyatt-earp"]


def _own_view() -> JsonObject:
    view = earp_view()
    return {**view, "hands": {**view["hands"], "anna": HAND}}


def _drawn(source: FakeSource, view: JsonObject, **changes: object) -> str:
    summary = source.figures(view, source.setup) if source.figures else {}
    arguments: dict[str, object] = {"width": 80, "colour": False, **changes}
    return render_table(source.game_info.id, view, source.setup, source.names, summary, **arguments)  # type: ignore[arg-type]


@pytest.mark.golden
def test_the_table_and_the_hand_of_wyatt_earp() -> None:
    check("wyatt-earp.term", _drawn(earp_source(), _own_view(), viewer=Seat("anna")))


@pytest.mark.golden
def test_the_map_of_way_out_west() -> None:
    check("way-out-west.term", _drawn(west_source(), west_view(), viewer=Seat("burt")))


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("colour", [True, False])
def test_no_line_is_wider_than_the_terminal(width: int, colour: bool) -> None:
    for source, view in ((earp_source(), _own_view()), (west_source(), west_view())):
        drawn = _drawn(source, view, width=width, colour=colour, viewer=Seat("anna"))
        assert ("\x1b[" in drawn) is colour
        if not colour:
            assert max(cells(line) for line in drawn.splitlines()) <= width


def test_a_hand_is_drawn_for_its_owner_only() -> None:
    assert "Your hand" in _drawn(earp_source(), _own_view(), viewer=Seat("anna"))
    for viewer in (None, Seat("burt")):
        drawn = _drawn(earp_source(), _own_view(), viewer=viewer)
        assert "Your hand" not in drawn
        assert "★" not in drawn
        assert "× 2" not in drawn


def test_a_found_card_and_a_searched_stack_are_drawn() -> None:
    view = {**_own_view(), "found": "bank-robbery", "stack": ["fastest-gun", "belle-starr"]}
    drawn = _drawn(earp_source(), view, viewer=Seat("anna"))
    assert "Found by the search: Bank robbery" in drawn
    assert "Fastest gun, Belle Starr" in drawn


def test_a_name_is_no_markup() -> None:
    drawn = _drawn(earp_source(names={"anna": "[red]A[/red]\x1b[31m"}), earp_view())
    assert "[red]A[/red]" in drawn
    assert "\x1b" not in drawn


def test_a_fight_and_an_auction_are_shown() -> None:
    fight = {"town": "abilene", "attacker": "anna", "defender": "farmer", "target": {"farmer": True}, "attack": 2,
             "defence": 1, "first": "both", "round": 1, "asks": "fire", "seat": "anna", "sheriff": "none"}  # fmt: skip
    view = west_view(phase="gunfight", fight=fight, waiting={"seat": "anna", "phase": "gunfight"})
    drawn = _drawn(west_source(), view, viewer=Seat("anna"))
    assert "Gunfight in Abilene" in drawn
    assert "Bids: 1A 3B" in " ".join(_drawn(west_source(), west_view(phase="auction")).split())


def test_a_game_without_templates_is_drawn_plainly() -> None:
    drawn = _drawn(
        toy_source(), {"score": {"anna": 1}, "waiting": {"seat": "anna", "phase": "go"}}, viewer=Seat("anna")
    )
    assert '{"anna": 1}' in drawn
