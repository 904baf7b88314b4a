"""A session without a screen: draft, words, leaving, remembering."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.base.errors import StoreError
from pbem.game import JsonObject, Seat
from pbem.player.mail import content_of
from pbem.player.play import Post, Session, TrayState
from pbem.player.play.background import light_by_answer, light_by_environment
from pbem.player.play.choices import Choices, Do
from pbem.player.play.leaving import reaction_lines, summary_of, verdict_of
from pbem.player.play.trial import Trial
from pbem.player.seat import AlreadySigned, Signed
from pbem.protocol.formats.messages import read_message
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record.deadlines import Decision, Over, ReadyFiles
from tests.play.player_session import Chair, accepted, until
from tests.world import World


def earp(tmp_path: Path, phase: str = "play", kind: str = "lay") -> Chair:
    world = until(World("wyatt-earp", ("anna", "burt")).start(), "anna", phase, kind=kind)
    return Chair(world, "anna", tmp_path)


def test_a_written_turn_is_accepted_as_it_stands(tmp_path: Path) -> None:
    chair = earp(tmp_path, "draw", "draw")
    session = chair.session()
    session.add({"do": "draw", "from": "discard"})
    assert session.trial is not None
    session.add(next(action for action in session.trial.options if action["do"] == "discard"))
    session.say = "My pleasure"
    sent = session.leave("write")
    assert sent.check.ok
    ruling = accepted(chair.hand_over(sent.place))
    assert ruling.stopped is None
    assert world_line(chair)["msg"]["body"]["say"] == "My pleasure"
    assert chair.world.record.waiting != {"seat": "anna", "phase": "draw"}


def world_line(chair: Chair) -> JsonObject:
    """The record of the newest turn."""
    return next(line.body for line in reversed(chair.world.record.lines) if line.kind == "turn")


def test_what_follows_a_look_travels_sealed_and_is_applied(tmp_path: Path) -> None:
    chair = earp(tmp_path, "draw", "draw")
    session = chair.session()
    session.add({"do": "draw", "from": "supply"})
    trial = session.trial
    assert trial is not None
    assert trial.stage is TrayState.LOOK
    session.add(next(action for action in trial.options if action["do"] == "discard"))
    preview = session.preview()
    assert [action["do"] for action in preview.openly] == ["draw"]
    assert [action["do"] for action in preview.sealed] == ["discard"]
    assert (preview.checked, preview.fault) == (1, "")
    sent = session.leave("armour")
    (file,) = content_of(Path(sent.place).read_bytes()).files
    assert read_message(file).hash == read_message(sent.signed.raw).hash
    ruling = accepted(chair.world.send(file))
    assert ruling.stopped is None


def test_a_file_that_would_be_refused_shows_the_rule_that_it_breaks(tmp_path: Path) -> None:
    session = earp(tmp_path).session()
    actions = ({"do": "draw", "from": "supply"},)
    trial = session.trial
    assert trial is not None
    session.trial = Trial(trial.rules, trial.seat, trial.view, actions)
    preview = session.preview()
    said = verdict_of(preview, session.words).splitlines()
    assert preview.fault in said[0]
    assert preview.rows
    assert said[1:] == preview.rows.splitlines()


def test_the_tray_is_here_again_after_the_line_broke(tmp_path: Path) -> None:
    chair = earp(tmp_path)
    session = chair.session()
    assert session.trial is not None
    lay = next(action for action in session.trial.options if action["do"] == "lay")
    session.add(lay)
    session.mark_looked()
    again = chair.session()
    assert again.trial is not None
    assert again.trial.actions == (lay,)
    assert again.looked == chair.world.record.head.seq
    assert again.take_back() == (lay, 0)
    assert chair.session().trial is not None
    assert chair.session().preview().empty


def test_the_tray_and_what_is_to_be_said_stay_until_the_decision_is_another(tmp_path: Path) -> None:
    chair = earp(tmp_path)
    session = chair.session()
    assert session.trial is not None
    lay = next(action for action in session.trial.options if action["do"] == "lay")
    session.add(lay)
    session.speak("Have you seen this?", {Seat("burt"): "You will"})
    chair.world.turn("burt", say="Hurry up")
    assert session.refresh() == 1
    assert session.history.since(session.looked)
    for each in (session, chair.session()):
        assert each.trial is not None
        assert each.trial.actions == (lay,)
        assert (each.say, each.tell) == ("Have you seen this?", {"burt": "You will"})
    chair.world.turn("anna", lay)  # from another device
    assert session.refresh() == 1
    assert session.trial is not None
    assert session.trial.actions == ()


def test_a_file_that_could_not_be_mailed_leaves_the_tray_as_it_was(tmp_path: Path) -> None:
    chair = earp(tmp_path)

    def broken(_: Signed) -> str:
        raise StoreError("the mail server hung up")

    session = Session(chair.client, Post(tmp_path, send=broken))
    assert session.trial is not None
    session.add(next(action for action in session.trial.options if action["do"] == "lay"))
    with pytest.raises(StoreError):
        session.leave("mail")
    assert session.preview().count == 1
    (kept,) = session.unanswered
    assert not kept.left
    with pytest.raises(AlreadySigned, match="It has not left this machine"):
        session.leave("write")
    session.deliver(kept, "write")  # the very file that was signed, and no other
    assert session.unanswered[0].page.way == "write"
    accepted(chair.world.send(canon(kept.message.file)))
    session.refresh()
    assert session.unanswered == []


def test_being_ready_and_saying_something_is_one_file(tmp_path: Path) -> None:
    world = World("wyatt-earp", ("anna", "burt"))
    for seat in world.seats:
        world.join(seat)
    chair = Chair(world, "anna", tmp_path)
    session = chair.session()
    assert session.waiting.must_be_ready
    assert len(session.roster()) == 2
    session.say = "Here we go"
    accepted(chair.world.send(session.leave("write").signed.raw))
    assert world.record.missing_links == ("burt",)
    session.refresh()
    assert not session.waiting.mine
    assert session.record.standing == ReadyFiles((Seat("burt"),), session.record.due)
    assert session.waiting.line() == "Waiting for Burt to be ready"


def test_who_is_not_asked_may_still_talk_and_look(tmp_path: Path) -> None:
    world = until(World("way-out-west", ("anna", "burt", "curt")).start(), "burt", "setup")
    session = Chair(world, "anna", tmp_path).session(mail=True)
    assert isinstance(session.record.standing, Decision)
    assert not session.waiting.mine
    assert {row.do for row in Choices(session).rows()} == {
        Do.ORDERS, Do.STORY, Do.TABLE, Do.TALK, Do.MATTERS,
    }  # fmt: skip
    session.say = "Abilene is mine"
    assert session.leave("mail").place == "Accepted"


def test_the_match_that_is_over_can_be_looked_at(tmp_path: Path) -> None:
    world = World("way-out-west", ("anna", "burt", "curt")).start().play()
    session = Chair(world, "anna", tmp_path).session()
    assert isinstance(session.record.standing, Over)
    assert session.view_json is not None
    assert len(session.history.seqs) > 50


def test_every_file_repeats_the_standing_orders(tmp_path: Path) -> None:
    chair = earp(tmp_path)
    session = chair.session()
    session.say = "One"
    body = read_message(session.leave("write").signed.raw).body
    assert {"orders", "sealed", "say"} <= set(body)
    assert len(canon(body)) < 64 * 1024


@pytest.mark.parametrize(
    ("answer", "light"),
    [
        (b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b[?64c", True),
        (b"\x1b]11;rgb:1717/1212/0d0d\x07\x1b[?1;2c", False),
        (b"\x1b]11;rgba:f0/f0/e0/ff\x1b\\", True),
        (b"\x1b[?1;2c", None),
        (b"", None),
    ],
)
def test_the_terminal_says_how_light_it_is(answer: bytes, light: bool | None) -> None:
    assert light_by_answer(answer) is light


def test_without_an_answer_the_environment_decides() -> None:
    assert light_by_environment({"COLORFGBG": "0;15"})
    assert not light_by_environment({"COLORFGBG": "15;0"})
    assert not light_by_environment({})


def test_the_cards_of_the_own_draw_are_marked_until_the_next_file(tmp_path: Path) -> None:
    chair = earp(tmp_path, "draw", "draw")
    assert chair.session().fresh() == frozenset()
    accepted(chair.world.turn("anna", {"do": "draw", "from": "supply"}))
    session = chair.session()
    drawn = session.fresh()
    assert 1 <= len(drawn) <= 2
    assert session.view_json is not None
    text = session.drawing.compact_view(session.view_json, 80, fresh=drawn)
    assert "+ new" in text
    assert "+ new" not in session.drawing.compact_view(session.view_json, 80)


def test_a_reaction_waits_for_the_next_file_and_a_nudge_leaves_by_itself(tmp_path: Path) -> None:
    world = until(World("wyatt-earp", ("anna", "burt")).start(), "burt", "draw", kind="draw", member="do")
    chair = Chair(world, "anna", tmp_path)
    session = chair.session()
    session.gesture(3, "ouch")
    session.gesture(4, "wow")
    session.gesture(4, "wow")  # the same again takes it back
    again = chair.session()  # closed and opened: it is kept
    assert again.react == {3: "ouch"}
    assert again.preview().reacts
    assert verdict_of(again.preview(), again.words) == "Reactions travel with your next file."
    assert not [row for row in Choices(again).rows() if row.do is Do.SEND]
    assert again.nudgeable == "burt"
    again.call()
    assert [row for row in Choices(again).rows() if row.do is Do.SEND]
    assert "A nudge for Burt" in summary_of(again, again.preview())
    accepted(chair.hand_over(again.leave("write").place))
    body = world_line(chair)["msg"]["body"]
    assert (body["react"], body["nudge"]) == ([{"to": 3, "with": "ouch"}], "burt")
    after = chair.session()
    assert (after.react, after.nudge, after.nudgeable) == ({}, "", None)
    assert reaction_lines(after, 3) == ["Anna: Ouch!"]
    assert "Anna nudges Burt." in after.history.story(3, after.record.head.seq)
