"""The screen, driven by keys and mouse: a whole turn of each game, and everything around it."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import ContentSwitcher, Footer, Input, OptionList, Select, Static

from pbem.base.language import language_of
from pbem.game import Seat
from pbem.player.play import Post, Session
from pbem.player.play.app import PlayApp
from pbem.player.play.choices import ChoiceRow, Do
from pbem.player.play.leaving import done_text
from pbem.player.play.matters import SendScreen, TalkScreen, TextScreen
from pbem.player.play.panels import Choosing, Drawn, Tray
from tests.patience import PATIENCE
from tests.play.player_session import Chair, accepted, until
from tests.play.screens import FOLDER, SCREENS, at_screen, choose, own_font, text_of
from tests.play.screens import SIZES as IMAGES
from tests.world import World

Script = Callable[["Pilot[None]"], Awaitable[None]]


def drive(
    session: Session, script: Script, size: tuple[int, int] = (80, 24), *, colour: bool = True
) -> PlayApp:
    app = PlayApp(session, colour=colour)

    async def main() -> None:
        async with at_screen(app, size) as pilot:
            await pilot.pause()
            await script(pilot)

    asyncio.run(main())
    return app


def rows(pilot: Pilot[None]) -> list[str]:
    choosing = pilot.app.query_one(Choosing)
    return [str(choosing.get_option_at_index(at).prompt) for at in range(choosing.option_count)]


def offered(pilot: Pilot[None]) -> list[str]:
    """The rows that choose something, without what happened and the ways back."""
    app = pilot.app
    assert isinstance(app, PlayApp)
    pairs = zip(rows(pilot), app.choices.rows(), strict=True)
    return [label for label, row in pairs if row.do is not Do.NEWS and not label.startswith("←")]


def tray(pilot: Pilot[None]) -> list[str]:
    widget = pilot.app.query_one(Tray)
    return [str(widget.get_option_at_index(at).prompt) for at in range(widget.option_count)]


def page(pilot: Pilot[None]) -> str | None:
    return pilot.app.query_one(ContentSwitcher).current


def earp(
    tmp_path: Path, phase: str = "draw", kind: str = "draw", member: str = "do", seed: str = "1"
) -> Chair:
    world = World("wyatt-earp", ("anna", "burt", "curt"), seed=seed).start()
    until(world, "anna", phase, kind=kind, member=member)
    return Chair(world, "anna", tmp_path)


def test_a_whole_turn_of_wyatt_earp_is_composed_and_accepted(tmp_path: Path) -> None:
    chair = earp(tmp_path)
    session = chair.session()

    async def script(pilot: Pilot[None]) -> None:
        await choose(pilot, "Take the top of the discard")
        assert rows(pilot)[0].startswith(("Lay", "Play", "Discard", "Bank", "Most", "Hideout", "Wyatt", "Stage",
                                          "Fastest"))  # fmt: skip
        await choose(pilot, "Discard")
        if not tray(pilot)[-1].startswith("2. Discard"):
            await choose(pilot, "Discard")
        assert [line[:2] for line in tray(pilot)] == ["1.", "2."]
        await choose(pilot, "Send these 2 actions")
        assert isinstance(pilot.app.screen, SendScreen)
        summary = str(pilot.app.screen.query_one("#send-summary", Static).content)
        assert "Take the top of the discard" in summary
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(pilot.app.screen, TextScreen)
        await pilot.press("enter")
        await pilot.pause()
        assert rows(pilot)[0].strip().startswith("You signed this on ")
        assert "Take the top of the discard" in rows(pilot)[0]
        assert rows(pilot)[1] == "Send it once more, unchanged"

    drive(session, script)
    (sent,) = session.unanswered
    ruling = accepted(chair.hand_over(sent.page.place))
    assert ruling.stopped is None
    waiting = chair.world.record.waiting
    assert waiting is not None
    assert waiting["seat"] == "burt"


def test_a_whole_turn_of_way_out_west_is_composed_and_accepted(tmp_path: Path) -> None:
    """A game turn of one seat: bid, and both actions, each composed on the screen and handed over."""
    world = World("way-out-west", ("anna", "burt", "curt")).start()
    chair = Chair(world, "anna", tmp_path)
    asked: list[str] = []
    for phase, path in (
        ("setup", ["A cowboy into"]),
        ("auction", ["Bid $"]),
        ("actions", ["Buy cowboys", "1 in"]),
        ("actions", ["Pass"]),
    ):
        until(world, "anna", phase)
        session = chair.session(mail=True)

        def scripted(labels: list[str]) -> Script:
            async def script(pilot: Pilot[None]) -> None:
                await pilot.press("1")
                for label in labels:
                    shown = offered(pilot)
                    if any(row.startswith(label) for row in shown) or "Buy" in label:
                        await choose(pilot, label)
                    else:
                        await choose(
                            pilot, next(row for row in shown if "…" in row or "Buy cowboys: 1" in row)
                        )
                while not tray(pilot)[0].startswith("1."):
                    await choose(pilot, offered(pilot)[0])
                await pilot.press("s", "enter")
                await pilot.pause()

            return script

        drive(session, scripted(path))
        assert session.unanswered[-1].page.place == "Accepted"
        asked.append(phase)
    assert asked == ["setup", "auction", "actions", "actions"]


def test_what_is_chosen_can_be_taken_back_by_key_and_by_click(tmp_path: Path) -> None:
    async def script(pilot: Pilot[None]) -> None:
        before = rows(pilot)
        await choose(pilot, "Take the top of the discard")
        assert rows(pilot) != before
        await pilot.press("backspace")
        await pilot.pause()
        assert rows(pilot) == before
        await choose(pilot, "Take the top of the discard")
        await pilot.click(Tray, offset=(4, 1))
        await pilot.pause()
        assert rows(pilot) == before
        await pilot.click(Choosing, offset=(4, 1))  # the mouse takes a choice too
        await pilot.pause()
        assert tray(pilot)[0].startswith("1. ")

    drive(earp(tmp_path).session(), script)


def test_a_file_that_is_sent_by_hand_comes_with_the_hosts_address(tmp_path: Path) -> None:
    session = earp(tmp_path).session()
    session.speak("Reach for the sky", {})
    sent = session.leave("write")
    text = done_text(sent, session.words, address="host@example.org")
    assert "The host's address: mailto:host@example.org" in text
    assert "mailto:" not in done_text(sent, session.words)


def test_after_a_look_the_player_sends_or_says_what_then(tmp_path: Path) -> None:
    session = earp(tmp_path).session()

    async def script(pilot: Pilot[None]) -> None:
        await choose(pilot, "Draw two from the supply")
        assert rows(pilot)[0].startswith("Send now and look")
        assert any("whatever you see" in row for row in rows(pilot))
        await choose(pilot, "Discard")
        if len(tray(pilot)) == 1:
            await choose(pilot, "Discard")
        assert tray(pilot)[1].endswith("(sealed)")
        assert rows(pilot)[0] == "Send these 2 actions  then it is up to the others"
        assert [row[:5] for row in rows(pilot)[2:]] == ["a [ ]", "b [ ]"]

    drive(session, script)
    assert session.preview().sealed


def test_a_target_is_named_in_advance_or_left_open(tmp_path: Path) -> None:
    chair = earp(tmp_path, "play", "most-wanted", "steal", seed="2")
    session = chair.session()

    async def script(pilot: Pilot[None]) -> None:
        await choose(pilot, "Most wanted")
        if rows(pilot)[0].startswith("←"):
            await choose(pilot, "Most wanted: steal from a territory")
        shown = rows(pilot)
        title = str(pilot.app.query_one(Choosing).border_title)
        assert title.startswith("Which Outlaw card, if it hits?")
        assert "shoot first, name it after a hit" in shown[1]
        await pilot.press("escape")
        await pilot.pause()
        assert rows(pilot) != shown
        await choose(pilot, "Most wanted: steal from a territory")
        await choose(pilot, shown[-1])

    drive(session, script)
    assert session.trial is not None
    assert {"outlaw", "seat"} <= set(session.trial.actions[0])
    ruling = accepted(chair.world.send(session.leave("write").signed.raw))
    assert ruling.stopped is None


def test_words_travel_with_the_file(tmp_path: Path) -> None:
    chair = earp(tmp_path)
    session = chair.session()

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("t")
        await pilot.pause()
        dialog = pilot.app.screen
        assert isinstance(dialog, TalkScreen)
        dialog.query_one("#talk-say", Input).value = "Reach for the sky"
        await pilot.click("#talk-keep")
        await pilot.pause()
        assert "To all: Reach for the sky" in tray(pilot)
        await pilot.press("t")
        await pilot.pause()
        pilot.app.screen.query_one("#talk-react", Select).value = "laugh"
        assert not pilot.app.screen.query("#talk-nudge")  # nobody else is waited for
        await pilot.click("#talk-keep")
        await pilot.pause()
        assert tray(pilot)[-1] == "Your reaction: Ha ha!"

    drive(session, script)
    assert session.say == "Reach for the sky"
    accepted(chair.world.send(session.leave("write").signed.raw))


def test_the_own_turn_comes_first_under_the_news_a_line_each(tmp_path: Path) -> None:
    chair = earp(tmp_path)
    chair.session().mark_looked()
    for who, said in (("burt", "Well?"), ("curt", "Draw!")):
        chair.world.turn(who, say=said)
    session = chair.session()

    async def script(pilot: Pilot[None]) -> None:
        assert page(pilot) == "turn"
        choosing = pilot.app.query_one(Choosing)
        shown = [str(choosing.get_option_at_index(at).prompt) for at in range(choosing.option_count)]
        assert ["Well?" in shown[0], "Draw!" in shown[1]] == [True, True]
        assert max(map(len, shown[:2])) <= 76
        assert choosing.highlighted == 2
        await pilot.press("up", "enter")
        await pilot.pause()
        assert page(pilot) == "story"
        assert "Well?" in str(pilot.app.query_one("#moment-text", Static).content)

    drive(session, script)
    assert session.looked == session.record.head.seq
    assert not chair.session().news


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_the_first_line_says_whose_turn_it_is_and_by_when(tmp_path: Path, size: tuple[int, int]) -> None:
    """Also where news are shown first, and in the language and with the name of whoever plays."""
    world = World("wyatt-earp", ("anna", "burt", "curt")).start()
    waiting = world.record.waiting
    assert waiting is not None
    asked = str(waiting["seat"])
    others = [seat for seat in world.seats if seat != asked]
    name = world.record.names[Seat(asked)]
    for seat, code, said in ((others[0], "en", "Waiting for "), (others[1], "de", "Warten auf ")):
        chair = Chair(world, seat, tmp_path / seat)
        chair.session().mark_looked(0)
        session = chair.session(language=language_of(code))
        first: list[str] = []

        async def script(pilot: Pilot[None], first: list[str] = first) -> None:
            assert isinstance(pilot.app, PlayApp)
            assert page(pilot) == "story"
            first.append(text_of(pilot.app).splitlines()[0])

        drive(session, script, size)
        assert name in first[0], first
        assert session.waiting.others() in first[0]
        assert re.search(r"\d\d:\d\d UTC$", first[0])
        assert said in first[0]
    own = Chair(world, asked, tmp_path / asked).session()
    assert own.waiting.others() == ""
    assert f"you are {name}" in own.top()


def test_the_story_begins_with_the_news_and_steps_both_ways(tmp_path: Path) -> None:
    chair = earp(tmp_path)
    chair.session().mark_looked()
    chair.world.turn("burt", say="Well?")
    session = chair.session()

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("3")
        assert page(pilot) == "story"
        title = pilot.app.query_one("#moment-title", Static)
        assert str(title.content) == "One record since you last looked"
        assert "Well?" in str(pilot.app.query_one("#moment-text", Static).content)
        seen = []
        for key in ("end", "left", "left", "home", "right"):
            await pilot.press(key)
            await pilot.pause()
            seen.append(str(title.content).split(",")[0])
        assert seen[0] == f"{session.record.head.seq} of {session.record.head.seq}"
        assert len(set(seen)) == 5
        await pilot.click("#moment-steps", offset=(6, 0))
        await pilot.pause()
        assert str(title.content).split(",")[0] == seen[3]
        await pilot.press("1")
        assert page(pilot) == "turn"

    drive(session, script)
    assert session.looked == session.record.head.seq


def test_all_pages_show_and_every_key_of_the_footer_works(tmp_path: Path) -> None:
    async def script(pilot: Pilot[None]) -> None:
        for key, name in (("2", "table"), ("3", "story"), ("1", "turn")):
            await pilot.press(key)
            assert page(pilot) == name
        await pilot.click("#nav", offset=(10, 0))
        assert page(pilot) == "table"
        theme = pilot.app.theme
        await pilot.press("d")
        assert pilot.app.theme != theme
        await pilot.press("question_mark")
        await pilot.pause()
        assert isinstance(pilot.app.screen, TextScreen)
        await pilot.press("escape")
        await pilot.press("r", "1")
        await choose(pilot, "Take the top of the discard")
        await pilot.press("q")
        assert pilot.app.is_running
        await pilot.press("q")

    drive(earp(tmp_path).session(), script)


def test_a_new_answer_in_the_folder_is_taken_in(tmp_path: Path) -> None:
    chair = earp(tmp_path)
    session = chair.session()

    async def script(pilot: Pilot[None]) -> None:
        chair.world.turn("curt", say="Draw!")
        await pilot.press("1", "r")
        await pilot.pause()
        assert page(pilot) == "story"
        assert "Draw!" in str(pilot.app.query_one("#moment-text", Static).content)

    drive(session, script)


SIZES = [(80, 24), (81, 25), (100, 30), (120, 40), (160, 50)]


@pytest.mark.parametrize("size", SIZES, ids=[f"{w}x{h}" for w, h in SIZES])
@pytest.mark.parametrize(
    ("game", "seats", "phase"), [("wyatt-earp", 4, "play"), ("way-out-west", 5, "actions")]
)
def test_nothing_is_cut_at_eighty_columns_or_more(
    game: str, seats: int, phase: str, size: tuple[int, int], tmp_path: Path
) -> None:
    world = until(World(game, ("anna", "burt", "curt", "dora", "emil")[:seats]).start(), "anna", phase, 12)
    session = Chair(world, "anna", tmp_path).session()

    async def script(pilot: Pilot[None]) -> None:
        for key in "123":
            await pilot.press(key)
            await pilot.pause()
            for widget in pilot.app.screen.query("Drawn, OptionList, Static, Footer"):
                if widget.display and widget.size.width:
                    assert widget.region.right <= size[0], widget
                    assert widget.virtual_size.width <= widget.outer_size.width, widget
        await pilot.press("1")
        await pilot.pause()
        choosing = pilot.app.query_one(Choosing)
        assert choosing.size.height >= 4
        assert pilot.app.query_one(Tray).region.bottom < size[1]
        footer = pilot.app.query_one(Footer)
        assert all(key.region.right <= size[0] for key in footer.children)
        assert pilot.app.query_one("#glance", Drawn).size.width > 50

    drive(session, script, size)


def test_without_colour_everything_is_still_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("1")
        await pilot.pause()
        svg = own_font(pilot.app.export_screenshot())
        for word in ("Belle", "Anna", "discard", "Draft"):
            assert word in svg

    app = drive(earp(tmp_path).session(), script, colour=False)
    assert app.no_color


def test_a_broken_thing_is_shown_and_does_not_end_the_session(tmp_path: Path) -> None:
    chair = earp(tmp_path)
    session = chair.session()

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("1")
        await choose(pilot, "Take the top of the discard")
        chair.world.turn("curt", say="x")
        (tmp_path / "game.jsonl").write_bytes(b"not a game file\n")
        await pilot.press("r")
        await pilot.pause()
        assert pilot.app.is_running
        assert pilot.app._notifications
        await pilot.press("s")
        await pilot.pause()
        assert isinstance(pilot.app.screen, SendScreen)
        await pilot.press("escape")

    drive(session, script)


def test_the_list_of_ways_depends_on_what_is_in_the_file(tmp_path: Path) -> None:
    session = earp(tmp_path).session(mail=True)

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("1", "s")
        await pilot.pause()
        assert pilot.app.screen.query_one("#send-ways", OptionList).option_count == 1
        await pilot.press("enter")
        await choose(pilot, "Take the top of the discard")
        await pilot.press("s")
        await pilot.pause()
        assert pilot.app.screen.query_one("#send-ways", OptionList).option_count == 4

    drive(session, script)
    assert session.unanswered == []


def test_what_was_signed_before_is_shown_and_signed_again_only_after_a_yes(tmp_path: Path) -> None:
    chair = earp(tmp_path)
    first = chair.session()
    first.add({"do": "draw", "from": "discard"})
    first.leave("write")
    session = chair.session()  # closed, and opened again

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("1")
        assert "You signed this on Saturday 18:00 UTC: Take the top of the discard" in rows(pilot)[0]
        assert "No answer yet." in rows(pilot)[0]
        await choose(pilot, "Take the top of the discard")
        await pilot.press("s")
        await pilot.pause()
        ways = pilot.app.screen.query_one("#send-ways", OptionList)
        assert [option.id for option in ways.options] == ["back", "deliver", "again"]
        await pilot.press("down", "enter")  # the old file, unchanged
        await pilot.pause()
        assert [option.id for option in ways.options] == ["write", "armour", "back"]
        await pilot.press("enter")
        await pilot.pause()
        await pilot.press("enter", "s", "end", "enter", "enter")  # now another one is meant
        await pilot.pause()

    drive(session, script)
    assert [entry.message.n for entry in session.unanswered] == [2, 3]


def test_there_is_a_picture_of_every_screen_and_none_of_them_needs_the_net() -> None:
    for screen in SCREENS:
        game = "wyatt-earp" if screen.place.startswith("wyatt") else "way-out-west"
        for size in IMAGES:
            for light in ("dark", "light") if screen.both else ("dark",):
                svg = (FOLDER / f"{game}-{screen.name}-{size}-{light}.svg").read_text()
                assert "</svg>" in svg
                assert "url(http" not in svg


def test_starting_another_command_does_not_load_the_screen() -> None:
    code = "import sys, pbem.cli.app; print('textual' in sys.modules, 'rich' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    assert done.stdout.split() == ["False", "False"]


def test_a_small_window_shows_the_hand_and_the_way_out(tmp_path: Path) -> None:
    world = until(World("wyatt-earp", ("anna", "burt", "curt")).start(), "anna", "play", 12, "lay")
    app = PlayApp(Chair(world, "anna", tmp_path).session())

    async def look() -> str:
        async with at_screen(app, (60, 20)) as pilot:
            await pilot.press("1")
            await pilot.pause()
            return text_of(app)

    shown = asyncio.run(look())
    assert "Your hand (" in shown
    assert all(text in shown for text in ("s send", "q quit", "? help", "Your turn to"))


def test_a_row_that_only_the_scroll_bar_breaks_is_whole_however_often_it_is_shown(tmp_path: Path) -> None:
    """As wide as the list without its bar; the bar comes once the rows are measured."""
    session = Chair(
        until(World("wyatt-earp", ("anna", "burt")).start(), "anna", "draw"), "anna", tmp_path
    ).session()

    async def script(pilot: Pilot[None]) -> None:
        choosing = pilot.app.query_one(Choosing)
        words = " ".join(["word"] * 14)
        rows = [ChoiceRow(Do.ACTION, f"{words} last{at:04}") for at in range(12)]
        for _ in range(3):
            choosing.show("Choose", rows)
            await pilot.pause()
            shown = "".join(choosing.render_line(at).text for at in range(choosing.size.height))
            assert "last0000" in shown
            assert "last0001" in shown

    drive(session, script)


@pytest.mark.parametrize(("code", "first"), [("en", "Draw two"), ("de", "Zwei vom")])
def test_what_is_offered_in_advance_is_whole_in_a_small_window(tmp_path: Path, code: str, first: str) -> None:
    world = until(World("wyatt-earp", ("anna", "burt")).start(), "anna", "draw", 4)
    session = Chair(world, "anna", tmp_path).session(language=language_of(code))
    app = PlayApp(session)

    async def look() -> str:
        async with at_screen(app, (60, 20)) as pilot:
            await pilot.press("1")
            await choose(pilot, first)
            await pilot.press("a")
            await pilot.pause()
            return text_of(app)

    shown = " ".join(asyncio.run(look()).split())
    offers = session.offers()
    assert [taken for _, taken in offers] == [True, False]
    for offer, _ in offers:
        assert set(session.language.translate(offer.sentence).split()) <= set(shown.split()), shown
    assert "a [x]" in shown
    assert "b [ ]" in shown


def test_control_c_leaves_from_a_dialog_and_keeps_the_tray(tmp_path: Path) -> None:
    chair = earp(tmp_path)
    app = PlayApp(chair.session())

    async def leave() -> None:
        async with at_screen(app, (80, 24)) as pilot:
            await pilot.press("1")
            await choose(pilot, "Take the top of the discard")
            await pilot.press("s")
            await pilot.pause()
            await pilot.press("ctrl+c")
            await pilot.pause()

    asyncio.run(leave())
    assert app.return_code == 0
    assert chair.session().preview().count == 1


@pytest.mark.parametrize(("pressed", "shown"), [((), "story"), (("2",), "table")])
def test_letters_that_come_late_do_not_turn_the_page(
    tmp_path: Path, pressed: tuple[str, ...], shown: str
) -> None:
    chair, gate = earp(tmp_path), threading.Event()
    session = chair.session()
    session.post = Post(tmp_path, fetch=lambda: int(gate.wait(PATIENCE)))
    pages: list[str | None] = []

    async def script(pilot: Pilot[None]) -> None:
        await pilot.press("1", "r", *pressed)
        assert chair.world.move()
        gate.set()
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        pages.append(page(pilot))

    drive(session, script)
    assert pages == [shown]
    assert session.record.head.seq == len(chair.world.lines) - 1
