"""What is no move, on the screen: proposed by a key, read before it is signed; the same people again after the end."""

from __future__ import annotations

import json
import secrets
from hashlib import sha256
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, Static

from pbem.base.errors import UsageProblem
from pbem.game import JsonObject
from pbem.player.play import Post, Session
from pbem.player.play.matters import SendScreen, TextScreen
from pbem.player.play.proposing import matters_of, meant
from pbem.player.seat import PlayerClient, find_copy
from pbem.protocol.crypto.digest import short_id
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.messages import read_message
from pbem.protocol.formats.strict_json import canon
from tests.cli.seats import Friends
from tests.play.player_session import accepted
from tests.play.test_screen import drive, earp, rows

AWAY = {"kind": "absence", "seat": "anna"}


def text_at(pilot: Pilot[None], place: str) -> str:
    return str(pilot.app.screen.query_one(place, Static).render())


@pytest.mark.parametrize(
    ("matter", "typed", "terms"),
    [
        ("pause", "", {"kind": "pause", "until": "2026-12-05T18:00:00Z"}),
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
def test_what_is_typed_is_what_is_meant(matter: str, typed: str, terms: JsonObject, tmp_path: Path) -> None:
    session = earp(tmp_path).session()
    assert meant(session, matter, typed) == terms


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
    with pytest.raises(UsageProblem, match="quotation"):
        meant(session, "agree", "end 'why=it rains")
    assert session.unanswered == []


def test_a_pause_is_proposed_by_keys_and_asked_how_it_leaves(tmp_path: Path) -> None:
    chair = earp(tmp_path)
    session = chair.session()

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("e")
        await pilot.pause()
        count = pilot.app.screen.query_one("#matters", OptionList).option_count
        assert count - 1 == len(matters_of(session)) == 6  # one's own webhook is no matter of all
        await pilot.press("enter")
        pilot.app.screen.query_one("#matter-typed", Input).value = "2026-12-20"
        await pilot.press("enter")
        await pilot.pause()
        assert "Pause the match until" in text_at(pilot, "#matter-text")
        assert session.unanswered == []
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(pilot.app.screen, SendScreen)
        await pilot.press("enter")  # written as a file
        await pilot.pause()
        assert isinstance(pilot.app.screen, TextScreen)

    drive(session, script)
    (entry,) = session.unanswered
    terms = entry.message.body["what"]
    assert (entry.message.kind, terms["kind"]) == ("consent", "pause")
    (left,) = chair.folder.glob("*consent*.json")
    assert read_message(left.read_bytes()).body["what"] == terms


def test_an_own_webhook_is_typed_unseen_and_sealed_to_the_host(tmp_path: Path) -> None:
    chair = earp(tmp_path)
    session = chair.session()

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("e", "end", "enter")
        await pilot.pause()
        line = pilot.app.screen.query_one("#matter-typed", Input)
        assert line.password
        line.value = "a-token"
        await pilot.press("enter")
        await pilot.pause()
        assert "not the address of a chat webhook" in text_at(pilot, "#matter-text")
        line.value = "https://ntfy.sh/a-token"
        await pilot.press("enter")
        await pilot.pause()
        assert "a-token" not in text_at(pilot, "#matter-text")
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(pilot.app.screen, SendScreen)
        await pilot.press("enter")  # written as a file
        await pilot.pause()
        assert isinstance(pilot.app.screen, TextScreen)

    drive(session, script)
    assert session.unanswered == []
    (left,) = chair.folder.glob("channel-*.json")
    assert read_message(left.read_bytes()).kind == "channel"
    assert not any(b"a-token" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert session.agree(meant(session, "channel", "")).message.n == read_message(left.read_bytes()).n + 1


def test_after_the_end_one_key_asks_for_the_same_people_again(tmp_path: Path) -> None:
    chair = earp(tmp_path)
    accepted(chair.world.agree({"kind": "end", "why": "supper"}, *chair.world.seats))
    session = chair.session()

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("1")
        assert rows(pilot)[0].startswith("Play again with the same people")
        await pilot.press("enter")
        await pilot.pause()
        text = text_at(pilot, "#text")
        assert pilot.app.clipboard == "Shall we play Wyatt Earp again: Anna, Burt and Curt?"
        assert pilot.app.clipboard in text
        assert f"pbem host again {short_id(chair.world.record.game)}" in text

    drive(session, script)


def _anna(friends: Friends) -> Session:
    """Anna's session in a folder into which the host's emails are saved."""
    folder, keys = friends.folder("anna"), Identity(sha256(b"TEST cli anna").digest())
    return Session(lambda: PlayerClient(find_copy(folder), keys, secrets.token_bytes), Post(folder))


def test_a_proposal_that_comes_alone_is_not_nothing_new(tmp_path: Path) -> None:
    friends = Friends(tmp_path).begin().join_and_ready()
    session = _anna(friends)

    async def script(pilot: Pilot[None]) -> None:
        assert friends.send(friends.sign("burt", "consent", "pause", "until=+3d")).code == 0
        for expected in ("A player proposes something: press e.", "Nothing new."):
            await pilot.press("r")
            await pilot.pause()
            assert list(pilot.app._notifications)[-1].message == expected

    drive(session, script)


def test_what_another_seat_proposes_stands_on_the_turn_page_and_is_agreed_to_by_keys(tmp_path: Path) -> None:
    friends = Friends(tmp_path).begin().join_and_ready()
    assert friends.send(friends.sign("burt", "consent", "pause", "until=+3d")).code == 0
    session = _anna(friends)
    (asked,) = session.proposed
    assert (asked.seat, asked.body["what"]["kind"]) == ("burt", "pause")

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("1")
        await pilot.pause()
        assert rows(pilot)[0].startswith("Burt proposes: Pause the match until")
        await pilot.press("enter")
        await pilot.pause()
        matters = pilot.app.screen.query_one("#matters", OptionList)
        assert str(matters.get_option_at_index(0).prompt).startswith("Agree: Burt proposes: Pause the match")
        await pilot.press("enter", "enter")  # what it says, then yes
        await pilot.pause()
        assert isinstance(pilot.app.screen, SendScreen)
        await pilot.press("enter")
        await pilot.pause()

    drive(session, script)
    assert session.proposed == []
    (left,) = friends.folder("anna").glob("consent-*.json")
    assert friends.send(left).code == 0
    agreed = _anna(friends)
    assert agreed.record.ledger.paused is not None
    assert agreed.proposed == []


def test_what_is_taken_back_or_signed_by_nobody_here_is_no_proposal(tmp_path: Path) -> None:
    friends = Friends(tmp_path).begin().join_and_ready()
    proposal = friends.sign("burt", "consent", "end")
    forged = json.loads(proposal.read_bytes())
    forged["body"]["n"] += 1
    client = _anna(friends).client
    assert client.log.take_answers(client.record, [canon(forged), b"{}", b"\xff"]) == 0
    assert client.log.take_answers(client.record, [proposal.read_bytes()]) == 1
    assert client.log.take_answers(client.record, [proposal.read_bytes()]) == 0
    assert len(client.proposed()) == 1
    assert friends.send(friends.sign("burt", "turn", "--say", "No, let us go on")).code == 0
    assert _anna(friends).proposed == []
