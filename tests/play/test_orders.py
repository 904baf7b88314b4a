"""Standing orders and pictures in the client: changed by keys, sent, the same offer for everybody."""

from __future__ import annotations

from pathlib import Path

from textual.pilot import Pilot
from textual.widgets import Input, OptionList, Static

from pbem.player.play.matters import SendScreen, TextScreen
from pbem.player.play.orders import StandingOrders
from pbem.player.play.standing import OrdersScreen
from pbem.protocol.referee import Accepted
from tests.play.player_session import Chair, accepted, until
from tests.play.screens import choose
from tests.play.test_screen import drive, earp, rows, tray
from tests.world import World


def listed(pilot: Pilot[None]) -> list[str]:
    options = pilot.app.screen.query_one("#orders-list", OptionList)
    return [str(options.get_option_at_index(at).prompt) for at in range(options.option_count)]


async def pick(pilot: Pilot[None], beginning: str) -> None:
    options = pilot.app.screen.query_one("#orders-list", OptionList)
    at = next(at for at, text in enumerate(listed(pilot)) if text.startswith(beginning))
    options.highlighted = at
    options.focus()
    await pilot.press("enter")
    await pilot.pause()


async def type_rule(pilot: Pilot[None], text: str) -> None:
    line = pilot.app.screen.query_one("#orders-type", Input)
    line.focus()
    line.value = text
    await pilot.press("enter")
    await pilot.pause()


def shown(pilot: Pilot[None], name: str) -> str:
    return str(pilot.app.screen.query_one(name, Static).content)


def test_orders_are_made_by_keys_and_leave_in_a_file_of_their_own(tmp_path: Path) -> None:
    chair = earp(tmp_path)
    session = chair.session(mail=True)
    seat = session.seat

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("1", "o")
        await pilot.pause()
        assert isinstance(pilot.app.screen, OrdersScreen)
        await pick(pilot, "+ answer every Hideout")
        await type_rule(pilot, "when draw do draw supply")
        assert [text[:2] for text in listed(pilot)[1:4]] == ["1.", "2.", "3."]
        assert "your draw: draw supply" in shown(pilot, "#orders-answers")
        await pick(pilot, "Send them now")
        assert isinstance(pilot.app.screen, SendScreen)
        assert "your standing orders, 3 rules" in shown(pilot, "#send-summary")
        await pilot.press("enter")
        await pilot.pause()

    drive(session, script)
    assert chair.world.record.ledger.orders[seat].seat == seat
    assert not session.orders_changed
    assert [rule["when"] for rule in (session.orders or {})["rules"]] == ["react", "react", "draw"]


def test_a_rule_that_is_none_is_explained_and_nothing_changes(tmp_path: Path) -> None:
    session = earp(tmp_path).session()

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("1", "o")
        await pilot.pause()
        await type_rule(pilot, "when thirsty do drink")
        assert "no question 'thirsty'" in shown(pilot, "#orders-fault")
        assert "The questions are" in shown(pilot, "#orders-fault")
        assert listed(pilot)[0].startswith("You have none")
        await pilot.press("f1")
        await pilot.pause()
        assert isinstance(pilot.app.screen, TextScreen)
        assert "when react do" in shown(pilot, "#text")

    drive(session, script)
    assert not session.orders_changed


def test_changed_orders_travel_with_the_next_turn_and_can_be_taken_back(tmp_path: Path) -> None:
    chair = earp(tmp_path)
    session = chair.session(mail=True)

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("1", "o")
        await pilot.pause()
        await pick(pilot, "+ never answer")
        await pilot.press("escape")
        await pilot.pause()
        assert any("Standing orders, changed: 1 rule" in text for text in tray(pilot))
        await pilot.press("o")
        await pilot.pause()
        await pick(pilot, "1. when react")
        await pilot.press("escape")
        await pilot.pause()
        assert not any("Standing orders" in text for text in tray(pilot))
        await pilot.press("o")
        await pilot.pause()
        await pick(pilot, "+ never answer")
        await pilot.press("escape")

    drive(session, script)
    session.add({"do": "draw", "from": "discard"})
    session.add({"do": "discard", "card": session.trial.options[0]["card"]} if session.trial is not None
                and session.trial.options[0]["do"] == "discard" else _a_discard(session))  # fmt: skip
    session.leave("mail")
    assert session.seat in chair.world.record.ledger.orders


def _a_discard(session: object) -> dict[str, object]:
    trial = session.trial  # type: ignore[attr-defined]
    return next(action for action in trial.options if action["do"] == "discard")


def test_every_seat_is_offered_the_same_reaction_in_every_hand(tmp_path: Path) -> None:
    world = until(World("wyatt-earp", ("anna", "burt", "curt")).start(), "burt", "play", 12)
    offers = set()
    for seat in ("anna", "burt", "curt"):
        session = Chair(world, seat, tmp_path / seat).session()
        lines = [line.label for line in StandingOrders(session).lines()]
        start = lines.index("")
        offers.add(tuple(label for label in lines[start:] if "Hideout" in label))
    assert len(offers) == 1
    assert len(offers.pop()) == 4


def test_way_out_west_offers_its_own_ready_made_orders(tmp_path: Path) -> None:
    world = until(World("way-out-west", ("anna", "burt", "curt")).start(), "anna", "actions", 20)
    session = Chair(world, "anna", tmp_path).session()

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("1", "o")
        await pilot.pause()
        await pick(pilot, "+ never lend my sheriff")
        await type_rule(pilot, "when fire do fire")
        assert not shown(pilot, "#orders-fault")
        assert len([text for text in listed(pilot) if text[:1].isdigit()]) == 2

    drive(session, script)
    sent = session.leave("write")
    assert isinstance(accepted(world.send(Path(sent.place).read_bytes())), Accepted)


def test_waiting_players_find_the_orders_among_their_choices(tmp_path: Path) -> None:
    chair = earp(tmp_path)
    session = Chair(chair.world, "burt", tmp_path / "burt").session()

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("1")
        assert rows(pilot)[0].startswith("Standing orders")
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(pilot.app.screen, OrdersScreen)

    drive(session, script)


def test_the_table_is_written_as_a_picture_for_the_owner_alone(tmp_path: Path) -> None:
    chair = earp(tmp_path)
    session = chair.session()

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("1", "p")
        await pilot.pause()

    drive(session, script)
    pictures = list(tmp_path.glob("table-*.png"))
    assert len(pictures) == 1
    assert pictures[0].read_bytes().startswith(b"\x89PNG")
    assert pictures[0].stat().st_mode & 0o077 == 0


def test_what_most_people_say_in_advance_is_a_key_away_after_a_choice(tmp_path: Path) -> None:
    chair = earp(tmp_path)
    session = chair.session()

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("1", "a")
        await pilot.pause()
        assert not session.orders_changed, "nothing is offered before something was chosen"
        await choose(pilot, "Draw two from the supply")
        await pilot.press("a", "b")
        await pilot.pause()
        assert [row[:5] for row in rows(pilot) if row[1:3] == " ["] == ["a [x]", "b [x]"]
        await pilot.press("b")
        await pilot.pause()
        assert [row[:5] for row in rows(pilot) if row[1:3] == " ["] == ["a [x]", "b [ ]"]

    drive(session, script)
    assert [rule["when"] for rule in (session.orders or {})["rules"]] == ["react", "react"]
