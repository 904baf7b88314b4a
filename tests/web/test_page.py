"""The page in Chromium: a seat from the invitation on, practice, offline, hostile words, two tabs, who serves it."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from pbem.web.build import WEB, build
from pbem.web.policy import headers_of
from pbem.web.serve import host_file, page_files, server
from tests.web.api import CODE, WORD, Api, opened
from tests.web.device import CHOICE, Phone
from tests.web.friends import ME, Friends, one_file
from tests.web.usable import faults_of

GAMES = ("wyatt-earp", "way-out-west")
_AS_A_PICTURE = """async () => {
  const { pngOf } = await import("./png.mjs");
  const table = JSON.parse(localStorage.getItem("last"));
  const made = await pngOf(table);
  const image = await createImageBitmap(made);
  const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
  const paper = canvas.getContext("2d");
  paper.drawImage(image, 0, 0);
  const colours = new Set(new Uint32Array(paper.getImageData(0, 0, image.width, image.height).data.buffer));
  return [made.type, image.width / table.width, image.height / table.height, colours.size > 20];
}"""
"""The table as a PNG for others, as the end of a match is shared: its kind, how often its size, whether it is drawn."""


def joined(phone: Phone, friends: Friends, name: str = "Anna") -> None:
    """Take in the invitation, join, hand the file to the host, take in their answer."""
    phone.open()
    phone.wait("home")
    phone.bring(friends.lines())
    phone.wait("invitation")
    phone.page.fill("#name", name)
    phone.press("Join")
    friends.take(phone.shown())
    phone.bring(friends.lines(0))
    phone.wait("table")


@pytest.mark.parametrize("game", GAMES)
def test_a_turn_by_files_the_page_closed_after_every_step(game: str, browser: Any, served: str) -> None:
    phone, friends = Phone(browser, served), Friends(game)
    joined(phone, friends)
    for _ in range(3):
        assert phone.verified > 0
        phone.open()  # whatever was not kept is gone
        phone.wait("home")
        assert phone.verified == 0  # the list is of what was verified before
        phone.page.locator("button.row").first.click()
        phone.wait("table")
        one_file(phone, friends)
    assert sum(line.kind == "turn" for line in friends.world.record.lines) > 3
    assert phone.said == []
    phone.close()


def test_a_turn_by_the_hosts_api_from_a_links_tap_on(browser: Any, served: str) -> None:
    friends = Friends("wyatt-earp")
    api = Api(friends)
    phone = Phone(browser, served)
    with opened(api) as url:
        phone.open(f"#join={api.match}&api={url}&word={WORD}")
        phone.wait("invitation")
        assert "word" not in phone.page.url
        phone.page.fill("#name", "Anna")
        phone.press("Join")
        phone.play()  # the page was ready by itself
        while len(api.posted) < 4:
            phone.sign()
            phone.post()
        assert len(set(api.posted)) == len(api.posted)
        a_hotel_answers(phone, api)
        words = paper_after_the_first_turn(phone)
        on_another_device(Phone(browser, served), api, url, words)
        chosen_while_the_host_is_slow(phone, api)
        others_take_their_time(phone, api)
        api.altered = True
        head = len(friends.world.lines)
        friends.says = "later"
        phone.sign()
        phone.page.locator(".notice.trouble").wait_for()  # what nobody signed is shown, and not taken
        assert len(friends.world.lines) > head
        api.altered = False
        phone.open()
        phone.wait("home")
        phone.page.fill("#paste", f"#match={api.match}&seat=anna&api={url}&word={WORD}")  # as an email has it
        phone.press("Take in")
        phone.wait("table")
        phone.page.locator(CHOICE).first.wait_for()
    assert phone.said == []
    phone.close()


def test_a_friend_joins_by_a_link_is_ready_by_itself_on_another_day_and_plays_by_touch(
    browser: Any, served: str
) -> None:
    friends = Friends("wyatt-earp")
    friends.held = True  # they join later
    api, phone = Api(friends), Phone(browser, served)
    phone.context.add_init_script("navigator.setAppBadge = async (count) => { globalThis.badge = count; };")
    with opened(api) as url:
        link = f"#join={api.match}&seat={ME}&api={url}&code={CODE}"
        a_scanner_looks_for_a_minute(Phone(browser, served), api, link)
        phone.open(link)
        phone.wait("invitation")
        assert CODE not in phone.page.url
        assert (api.posted, phone.page.locator("main :is(input, select):visible").count()) == ([], 1)
        phone.page.fill("#name", "Anna")
        phone.press("Join")
        phone.post()
        assert len(api.posted) == 1
        phone.page.close()
        api.go_on()
        assert friends.world.record.missing_links == (ME,)
        phone.open()  # another day: nothing is tapped
        phone.wait("home")
        phone.page.locator(".matches .mark").wait_for()  # what the others did meanwhile
        assert phone.page.evaluate("() => badge") == 1
        while friends.world.record.waiting is None:
            phone.page.wait_for_timeout(20)
        assert len(api.posted) == 2
        phone.open(link)  # the link in the chat, tapped again, asks nothing
        phone.play()
        assert phone.page.locator("dialog").count() == 0
        for part in ("supply", ""):  # draw two, discard one
            phone.touch(part or phone.marked[0])
            phone.yes()
            phone.post()
        assert phone.page.locator("dialog, [data-do=deliver]").count() == 0  # nothing is left to be sent
        assert "Asking the host" not in phone.page.inner_text("main")
        assert not api.opens(CODE)
        phone.open(link)  # the word that the join brought opens the API now
        phone.wait("table")
        phone.news()
        the_list_is_fresh(phone, api)
        another_seat_proposes(phone, api)
        assert phone.trouble == ""
    assert phone.said == []
    phone.close()


def the_list_is_fresh(phone: Phone, api: Api) -> None:
    """On coming back to the tab and by a pull, an hour later each time; the number on the icon follows."""

    def shown() -> None:
        phone.page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")

    def pulled() -> None:
        finger = phone.context.new_cdp_session(phone.page)
        for kind, at in (("touchStart", 100), ("touchMove", 200), ("touchMove", 300), ("touchEnd", 0)):
            points = [{"x": 150, "y": at}] if at else []
            finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    for again in (shown, pulled):
        api.friends.held = True
        while (api.friends.world.record.waiting or {}).get("seat") == ME:
            phone.sign()
            phone.post()
        asked = api.lines_asked
        phone.page.evaluate(_AN_HOUR_LATER)
        phone.press("Your matches")
        phone.wait("home")
        while api.lines_asked == asked:
            phone.page.wait_for_timeout(20)
        phone.rest()
        assert phone.page.locator(".matches .mark").count() == 0
        phone.page.evaluate("() => { badge = 0; }")
        api.go_on()
        phone.page.evaluate(_AN_HOUR_LATER)
        again()
        phone.page.locator(".matches .mark").wait_for()
        assert phone.page.evaluate("() => badge") == 1
        phone.page.locator("button.row").first.click()
        phone.play()


_AN_HOUR_LATER = "() => { const now = Date.now; Date.now = () => now() + 3_600_000; }"


def a_scanner_looks_for_a_minute(phone: Phone, api: Api, link: str) -> None:
    """A mail server's scanner opens the link and lets its scripts run: it looks, and nothing changes at the host."""
    phone.context.clock.install()
    phone.open(link)
    phone.wait("invitation")
    asked = len(api.methods)
    phone.page.clock.run_for(61_000)
    phone.rest()
    assert asked > 0
    assert set(api.methods) <= {"GET", "OPTIONS"}
    assert (api.posted, len(api.friends.world.record.lines)) == ([], 1)
    phone.close()


def another_seat_proposes(phone: Phone, api: Api) -> None:
    """No email mentions it: the host's API gives the signed consent, the first row says so, the menu agrees."""
    end = {"kind": "end", "why": "supper"}
    api.proposed = [api.friends.world.consent(api.friends.others[0], end)]
    phone.news()
    row = phone.page.locator("section.choosing button[data-do=matters]")
    assert row.locator(".label").inner_text() == "Burt proposes: End the match now (supper)"
    phone.press("More")
    phone.press("Pause, be away, end")
    offered = phone.page.locator("dialog[open] button[data-matter]").all_inner_texts()
    assert offered[:2] == ["Agree: Burt proposes: End the match now (supper)", "Propose a pause"]
    assert offered[-1] == "Give up your seat"
    phone.press(offered[0])
    assert phone.page.locator("dialog[open] .inside p").first.inner_text() == "End the match now (supper)"
    posted = len(api.posted)
    phone.page.locator("dialog[open] .ways button.first").click()
    while len(api.posted) == posted:
        phone.page.wait_for_timeout(20)
    phone.rest()
    assert json.loads(api.posted[-1])["body"]["what"] == end
    assert row.count() == 0


def on_another_device(phone: Phone, api: Api, url: str, words: str) -> None:
    """A later email's link holds no secret: the page asks for the seat, and its keys open the host's API."""
    phone.open(f"#match={api.match}&seat={ME}&api={url}")
    phone.page.get_by_role("heading", name="Bring your seat here").wait_for()
    phone.page.fill("#own-seat textarea", " ".join(reversed(words.split())))
    phone.page.locator("#own-seat button").click()
    phone.page.locator(".notice.trouble").wait_for()
    phone.page.fill("#own-seat textarea", words)
    phone.page.locator("#own-seat button").click()
    phone.wait("table")
    phone.open(f"#match={api.match}&seat={ME}&api={url}")  # from then on it opens the match
    phone.wait("table")
    assert phone.trouble == ""
    phone.close()


def paper_after_the_first_turn(phone: Phone) -> str:
    """The words are asked for once there is something to lose, and shown until they are written down."""
    phone.press("Write this down")
    words: str = phone.page.locator("pre.paper").inner_text()
    assert len(words.split()) == 14
    phone.press("Not now")
    phone.press("Write this down")
    phone.press("It is written down")
    assert phone.page.get_by_role("button", name="Write this down", exact=True).count() == 0
    return words


def a_hotel_answers(phone: Phone, api: Api) -> None:
    """The network's login page takes the file and says that all is well: it is kept, shown, sent again by a button."""
    posted, api.hotel = len(api.posted), True
    phone.sign()
    phone.page.locator("#notice.trouble", has_text="Something else answered in the host's place").wait_for()
    assert phone.status.startswith("Kept on this phone")
    assert len(api.posted) == posted
    api.hotel = False
    phone.press("Try again")
    phone.post()
    assert len(api.posted) == posted + 1


def others_take_their_time(phone: Phone, api: Api) -> None:
    """While others are asked the page listens: what they do is on the table without a tap."""
    api.friends.held = True
    asked = api.lines_asked
    while (api.friends.world.record.waiting or {}).get("seat") == ME:
        phone.sign()
        phone.post()
        asked = api.lines_asked  # from here on the page asks only because it listens
    while api.lines_asked == asked:
        phone.page.wait_for_timeout(20)
    api.go_on()
    phone.page.locator(CHOICE).first.wait_for()
    phone.rest()


def chosen_while_the_host_is_slow(phone: Phone, api: Api) -> None:
    """What is chosen while records are on their way is still there when they have come."""
    api.friends.world.turn("burt", say="Hurry up")
    api.awake.clear()
    asked = api.lines_asked
    phone.press("More")
    phone.press("Look for news")
    while api.lines_asked == asked:
        phone.page.wait_for_timeout(20)
    phone.press("Say something")
    phone.page.fill("#talk-all", "Wait for me")
    phone.press("Keep")
    api.awake.set()
    phone.page.locator("#notice", has_text="New events").wait_for()
    phone.rest()
    phone.press("Say something")
    assert phone.page.input_value("#talk-all") == "Wait for me"
    phone.page.fill("#talk-all", "")
    phone.press("Keep")


def test_practice_offline_and_a_touched_table(browser: Any, served: str) -> None:
    phone = Phone(browser, served, width=360, height=560)
    phone.open("#practice=wyatt-earp")  # the link that a friend is given
    phone.wait("table")
    assert phone.page.url == served
    phone.offline(away=True)
    phone.open("#practice=wyatt-earp")  # tapped again: the same match
    phone.wait("table")
    phone.page.go_back()  # the phone's own Back
    phone.page.wait_for_selector("html[data-screen=home]")
    phone.page.locator(".matches button.row").click()
    phone.wait("table")
    assert sorted(phone.marked) == ["discard", "supply"]
    phone.touch("supply")
    phone.yes()
    assert phone.asked == "Your turn to play and discard"
    assert phone.page.evaluate(_AS_A_PICTURE) == ["image/png", 2, 2, True]
    assert phone.said == []
    phone.close()


def test_two_tabs_write_one_after_the_other(browser: Any, served: str) -> None:
    phone = Phone(browser, served)
    phone.open()
    phone.wait("home")
    second = phone.context.new_page()
    second.goto(served)
    second.wait_for_selector("html[data-state=elsewhere]")
    assert "another tab" in second.inner_text("main")
    phone.page.close()
    second.wait_for_selector("html[data-screen=home]")
    phone.context.close()


def test_hostile_names_and_talk_are_shown_as_text(browser: Any, served: str) -> None:
    evil = "<img src=x onerror=alert(1)>"
    phone, friends = Phone(browser, served), Friends("wyatt-earp")
    friends.names = {"burt": evil[:28], "curt": "</h1><script>1"}
    friends.says = "<b onclick=1>{{7*7}}</b> javascript:alert(1)"
    joined(phone, friends, name="<s>Anna")
    one_file(phone, friends)
    text = phone.page.text_content("main")
    assert "<img src=x" in text
    assert phone.page.locator("main :is(script, b, s, img)").count() == 0
    phone.bring(b"From: x\r\nSubject: <script>alert(1)</script>\r\n\r\n<script>alert(1)</script>", "a.eml")
    assert phone.page.locator(".notice.trouble").inner_text()
    assert phone.said == []
    phone.close()


def test_a_page_without_its_headers_does_not_start(browser: Any, built: Path) -> None:
    def bare(name: str) -> dict[str, str]:
        return {key: value for key, value in headers_of(name).items() if key == "Content-Type"}

    for headers in (
        bare,
        lambda name: headers_of("post.mjs") | {"Content-Type": headers_of(name)["Content-Type"]},
    ):
        running = server(page_files(built), 0, headers=headers)
        threading.Thread(target=running.serve_forever, daemon=True).start()
        phone = Phone(browser, f"http://127.0.0.1:{running.server_address[1]}/")
        phone.open()
        assert phone.state == "refused"
        assert "you should not use it" in phone.page.inner_text("main")
        phone.close()
        running.shutdown()
        running.server_close()


def test_a_page_that_a_host_serves_asks_for_recovery_words_behind_its_sentence_and_leads_to_other_hosts(
    browser: Any, built: Path
) -> None:
    running = server({**page_files(built), **host_file("Anna", bytes(32), "https://anna.test/api")}, 0)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    phone = Phone(browser, f"http://127.0.0.1:{running.server_address[1]}/")
    phone.open("#match=7q3kdw1x&seat=anna&api=https://anna.test/api")  # an email's link, without the seat
    phone.page.get_by_role("heading", name="Bring your seat here").wait_for()
    assert phone.page.locator("textarea#words").count() == 0
    assert phone.page.locator("#own-seat .hosted").inner_text().startswith("Anna also serves this web app.")
    phone.page.locator("#own-seat button").click()
    phone.page.locator("#own-seat textarea#words").wait_for()
    phone.page.go_back()
    phone.wait("home")
    phone.page.fill("#paste", "Come: https://dora.test/play/#join=7q3kdw1x&seat=burt&code=abc")
    phone.press("Take in")
    link = phone.page.locator("dialog").get_by_role("link", name="Open it there", exact=True)
    assert link.get_attribute("href") == "https://dora.test/play/#join=7q3kdw1x&seat=burt&code=abc"
    phone.press("Close")
    kept = phone.page.locator("#screen a")
    assert kept.get_attribute("href") == "https://dora.test/play/#match=7q3kdw1x", "the code is kept nowhere"
    assert phone.said == []
    phone.close()
    running.shutdown()
    running.server_close()


def test_it_is_built_the_same_byte_for_byte(built: Path, tmp_path: Path) -> None:
    build(tmp_path / "again", WEB / "node_modules")
    assert page_files(built) == page_files(tmp_path / "again")


def test_every_state_can_be_used_by_everybody(browser: Any, served: str) -> None:
    phone = Phone(browser, served)
    phone.open()
    phone.wait("home")
    seen = {"home": faults_of(phone)}
    phone.press("Begin")
    phone.wait("table")
    seen["table"] = faults_of(phone)
    phone.touch("supply")
    phone.rest()
    seen["touched"] = faults_of(phone)
    phone.yes()
    seen["drawn"] = faults_of(phone)
    for name in (
        "Say something", "Standing orders", "What happened", "Check everything", "Hint", "The rules",
    ):  # fmt: skip
        phone.press("More")
        seen["menu"] = faults_of(phone)
        phone.press(name)
        seen[name] = faults_of(phone)
        phone.press("Close")
    phone.page.locator(".card").first.click(button="right")
    phone.page.wait_for_selector("dialog[open] dl.rules")
    seen["a card held"] = faults_of(phone)
    assert {name: faults for name, faults in seen.items() if faults} == {}
    phone.close()
