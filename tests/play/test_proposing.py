"""What is no move, on the screen: proposed by a key, read before it is signed; the same people again after the end."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, Static

from pbem.base.errors import UsageProblem
from pbem.game import JsonObject
from pbem.player.play.matters import SendDialog, TextDialog
from pbem.player.play.proposing import matters_of, meant
from pbem.protocol.crypto.digest import short_id
from pbem.protocol.formats.messages import read_message
from tests.play.sitting import accepted
from tests.play.test_screen import drive, earp, rows

AWAY = {"kind": "absence", "seat": "anna"}


def told(pilot: Pilot[None], place: str) -> str:
    return str(pilot.app.screen.query_one(place, Static).render())


@pytest.mark.parametrize(
    ("matter", "typed", "what"),
    [
        ("pause", "", {"kind": "pause"}),
        ("pause", "2026-12-20", {"kind": "pause", "until": "2026-12-21T00:00:00Z"}),
        ("away", "2026-12-20 2027-01-03", AWAY | {"from": "2026-12-20T00:00:00Z", "until": "2027-01-04T00:00:00Z"}),
        ("away", "2026-12-20 18:00 2026-12-21 08:00",
         AWAY | {"from": "2026-12-20T18:00:00Z", "until": "2026-12-21T08:00:00Z"}),
        ("end", "The train is here", {"kind": "end", "why": "The train is here"}),
        ("agree", "pbem consent . pause until=2026-12-20", {"kind": "pause", "until": "2026-12-21T00:00:00Z"}),
        ("agree", "end 'why=it rains'", {"kind": "end", "why": "it rains"}),
        ("resign", "", {"kind": "resign", "seat": "anna"}),
    ],
)  # fmt: skip
def test_what_is_typed_is_what_is_meant(matter: str, typed: str, what: JsonObject, tmp_path: Path) -> None:
    session = earp(tmp_path).session()
    assert meant(session, matter, typed) == what


def test_what_cannot_be_read_says_so_and_signs_nothing(tmp_path: Path) -> None:
    session = earp(tmp_path).session()
    for matter, typed in (
        ("away", "soon"),
        ("away", ""),
        ("pause", "tomorrow"),
        ("agree", ""),
        ("agree", "supper"),
    ):
        with pytest.raises(UsageProblem):
            meant(session, matter, typed)
    with pytest.raises(ValueError, match="quotation"):
        meant(session, "agree", "end 'why=it rains")
    assert session.unanswered == []


def test_a_pause_is_proposed_by_keys_and_asked_how_it_leaves(tmp_path: Path) -> None:
    chair = earp(tmp_path)
    session = chair.session()

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("e")
        await pilot.pause()
        assert (
            pilot.app.screen.query_one("#matters", OptionList).option_count == len(matters_of(session)) == 6
        )
        await pilot.press("enter")
        pilot.app.screen.query_one("#matter-typed", Input).value = "2026-12-20"
        await pilot.press("enter")
        await pilot.pause()
        assert "Pause the match until" in told(pilot, "#matter-told")
        assert session.unanswered == []
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(pilot.app.screen, SendDialog)
        await pilot.press("enter")  # written as a file
        await pilot.pause()
        assert isinstance(pilot.app.screen, TextDialog)

    drive(session, script)
    (entry,) = session.unanswered
    what = entry.message.body["what"]
    assert (entry.message.kind, what["kind"]) == ("consent", "pause")
    (left,) = chair.folder.glob("*consent*.json")
    assert read_message(left.read_bytes()).body["what"] == what


def test_after_the_end_one_key_asks_for_the_same_people_again(tmp_path: Path) -> None:
    chair = earp(tmp_path)
    accepted(chair.world.agree({"kind": "end", "why": "supper"}, *chair.world.seats))
    session = chair.session()

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("1")
        assert rows(pilot)[0].startswith("Play again with the same people")
        await pilot.press("enter")
        await pilot.pause()
        text = told(pilot, "#text")
        assert pilot.app.clipboard == "Shall we play Wyatt Earp again: Anna, Burt and Curt?"
        assert pilot.app.clipboard in text
        assert f"pbem host again {short_id(chair.world.record.game)}" in text

    drive(session, script)
