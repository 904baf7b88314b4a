"""Pictures of the page in every state, each judged for everybody's use; a hostile name in all of them."""

from __future__ import annotations

import base64
import tempfile
import threading
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from playwright.sync_api import TimeoutError as TooLate

from pbem.player.pictures import shrink
from pbem.web.policy import headers_of
from pbem.web.serve import server
from tests.web.device import Phone
from tests.web.friends import Friends, one_file
from tests.web.usable import faults_at_this_width
from tests.web.versions import another_version
from tests.web.worker import Device, joined, next_file

WIDTHS = {360: 780, 768: 1024, 1280: 800}


def screens(folder: Path, browser: Any, url: str, files: dict[str, bytes]) -> tuple[int, list[str]]:
    """Each state at three widths, light and dark, into ``folder``; how many were judged, and what was found."""
    folder.mkdir(parents=True, exist_ok=True)
    judged, faults = 0, []
    stills(folder, browser, url)
    every = chain(states(Phone(browser, url)), endings(browser, url), troubles(browser, url, files))
    for name, phone in every:
        for width, height in WIDTHS.items():
            phone.page.set_viewport_size({"width": width, "height": height})
            phone.page.evaluate("() => scrollTo(0, 0)")
            for theme in ("light", "dark"):
                phone.page.emulate_media(color_scheme=theme)
                faults += [f"{name}, {width}, {theme}: {fault}" for fault in faults_at_this_width(phone)]
                judged += 1
                if name[0].isdigit():
                    place = folder / f"{name}-{width}-{theme}.png"
                    place.write_bytes(shrink(phone.page.screenshot()))
    return judged, faults


def states(phone: Phone) -> Iterator[tuple[str, Phone]]:
    """One evening; each name is a state that stands there to be looked at. Those with a number get pictures."""
    for name in evening_of(phone):
        yield name, phone


def evening_of(phone: Phone) -> Iterator[str]:
    """The states' names, as the phone reaches them."""
    friends = Friends("wyatt-earp")
    friends.names = {"burt": HOSTILE}
    phone.open()
    phone.wait("home")
    phone.press("Begin")
    phone.wait("table")
    yield "practice"
    phone.press("Your matches")
    phone.wait("home")
    yield "1-home"
    phone.bring(friends.lines())
    phone.wait("invitation")
    phone.page.fill("#name", "Anna")
    yield "2-invitation"
    phone.press("Join")
    yield "3-join-signed"
    friends.take(phone.shown())
    yield "join on its way"
    phone.bring(friends.lines(0))
    phone.wait("table")
    one_file(phone, friends)  # ready
    yield "4-table-wyatt-earp"
    phone.sign()
    head = len(friends.world.lines)
    yield "5-file-signed"
    friends.take(phone.shown())
    phone.bring(friends.lines(head - 1))
    phone.wait("table")
    phone.page.locator(".card.can").first.click()
    phone.rest()
    yield "6-touched"
    phone.page.locator(".card.chosen").click(button="right")
    phone.page.wait_for_selector("dialog[open] dl.rules")
    yield "7-card-held"
    phone.press("Close")
    for name, state in (("What happened", "8-story"), ("Standing orders", "9-orders"), *BESIDES.items()):
        phone.press("More")
        phone.press(name)
        yield state
        phone.press("Close")
    phone.press("Your matches")
    phone.wait("home")
    phone.page.locator("summary", has_text="Try it now").click()
    phone.page.select_option("#game", "way-out-west")
    phone.press("Begin")
    phone.wait("table")
    yield "10-table-way-out-west"
    phone.press("More")
    phone.press("The rules")
    phone.page.wait_for_selector("dialog[open] .moment svg")
    yield "15-rules-way-out-west"
    phone.press("Close")


HOSTILE = "<b onclick=1>Burt</b>{{7*7}}"
"""A name that is nothing but a name, in every picture."""


def played_until(game: str, over: Callable[[Friends], bool]) -> bytes:
    """A match that has come so far, as the backup of its player, who has looked at nothing yet."""
    friends = Friends(game)
    friends.names = {"burt": HOSTILE}
    with tempfile.TemporaryDirectory() as folder:
        device = Device(Path(folder))
        name, _ = joined(device, friends)
        scene = device("open", match=name)["scene"]
        while not over(friends):
            file = next_file(device, scene)
            device("left", text=file["text"], way="write", place=file["name"])
            friends.take(file["text"].encode())
            scene = device.bring(friends.lines(scene["head"]))["scene"]
        return base64.b64decode(device("backup", match=name)["data"])


def stills(folder: Path, browser: Any, url: str) -> None:
    """What happened meanwhile, three times in its course: a card on its way, and a shot before and after it turns."""
    raw = played_until("wyatt-earp", lambda friends: friends.closed)
    phone = Phone(browser, url, width=360, height=640, reduced_motion="no-preference")
    phone.open()
    phone.wait("home")
    phone.page.set_input_files("#file", [{"name": "a.zip", "mimeType": "application/zip", "buffer": raw}])
    phone.press("Take it in")
    for kind in (".flying", ".shot"):
        try:
            phone.page.locator(kind).first.wait_for(timeout=15000)
        except TooLate:
            continue  # nobody shot in what is shown
        for at in (1, 2, 3):
            place = folder / f"11-meanwhile{kind.replace('.', '-')}-{at}-360-light.png"
            place.write_bytes(shrink(phone.page.screenshot()))
            phone.page.wait_for_timeout(120)
    phone.close()


def endings(browser: Any, url: str) -> Iterator[tuple[str, Phone]]:
    """The screens at the end of a hand and of a match."""
    for name, game, over in (
        ("12-end-of-a-hand", "wyatt-earp", lambda friends: friends.closed),
        ("13-end-of-the-match", "way-out-west", lambda friends: friends.world.record.over),
    ):
        phone = Phone(browser, url)
        phone.open()
        phone.wait("home")
        phone.bring(played_until(game, over), "match.zip")
        phone.press("Take it in")
        phone.page.locator(".game[data-news=yes]").wait_for()
        phone.page.locator("#yes").click()
        phone.page.wait_for_selector("dialog.ending")
        while name.endswith("match") and phone.page.get_by_role("button", name="Go on", exact=True).count():
            phone.press("Go on")  # the game turns that ended before it
        yield name, phone
        phone.close()


def take_a_seat(phone: Phone, friends: Friends) -> None:
    """Anna joins by files, from the invitation to the table."""
    phone.open()
    phone.wait("home")
    phone.bring(friends.lines())
    phone.wait("invitation")
    phone.page.fill("#name", "Anna")
    phone.press("Join")
    friends.take(phone.shown())
    phone.bring(friends.lines(0))
    phone.wait("table")


def troubles(browser: Any, url: str, files: dict[str, bytes]) -> Iterator[tuple[str, Phone]]:
    """What is seen seldom: proofs, a seat of one's own, another tab, lost keys, a new version, a refused page."""
    phone, friends = Phone(browser, url), Friends("wyatt-earp")
    take_a_seat(phone, friends)
    one_file(phone, friends)  # ready
    phone.press("More")
    phone.press("What happened")
    while phone.page.get_by_role("button", name="Proofs", exact=True).count() == 0:
        phone.press("Earlier")
    phone.press("Proofs")
    yield "proofs", phone
    phone.press("Close")
    other = Phone(browser, url)  # a device that has nothing of the match
    other.open()
    other.wait("home")
    other.bring(friends.lines())
    other.wait("invitation")
    other.page.locator("summary", has_text="One of the seats is yours already").click()
    yield "the seat is yours", other
    other.close()
    first, phone.page = phone.page, phone.context.new_page()
    phone.page.goto(url)
    phone.page.wait_for_selector("html[data-state=elsewhere]")
    yield "another tab", phone
    phone.page.close()
    phone.page = first
    phone.page.evaluate(_LOSE)
    phone.open()  # on the table that was seen last, whose keys are gone
    phone.wait("lost")
    yield "lost keys", phone
    phone.press("Your matches")
    phone.wait("home")
    files |= another_version(files, "9.9")
    phone.open()
    phone.wait("home")
    phone.page.locator("#version", has_text="9.9").wait_for()
    yield "a new version", phone
    phone.close()
    bare = server(files, 0, headers=lambda name: {"Content-Type": headers_of(name)["Content-Type"]})
    threading.Thread(target=bare.serve_forever, daemon=True).start()
    refused = Phone(browser, f"http://127.0.0.1:{bare.server_address[1]}/")
    refused.open()
    assert refused.state == "refused"
    yield "refused", refused
    refused.close()
    bare.shutdown()
    bare.server_close()


_LOSE = """() => new Promise((done) => {
  const asked = indexedDB.open("pbem-keys", 1);
  asked.onsuccess = () => {
    const change = asked.result.transaction("kept", "readwrite");
    change.objectStore("kept").clear();
    change.oncomplete = () => { asked.result.close(); done(); };
  };
})"""
"""The browser forgets the keys, and nothing else."""

BESIDES = {
    "Say something": "words",
    "Check everything": "audit",
    "Open an email or a file": "letter",
    "Remove this match from this device": "removal",
}
"""What the menu leads to, and is only judged."""
