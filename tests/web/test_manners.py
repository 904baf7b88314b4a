"""One phone from its first minute to a new version: keyboard, languages, paste, share, storage, backup, update."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from pbem.protocol.formats.armour import scan
from pbem.web.build import HASHES, REST, fingerprint_of
from pbem.web.serve import page_files, server
from tests.web.device import Phone
from tests.web.friends import Friends, one_file
from tests.web.unseen import Spoken, by_tree
from tests.web.versions import another_version
from tests.world import days_ago

_SHARES = """
navigator.canShare = (given) => given.files.length === 1;
navigator.share = async (given) => { globalThis.shared = [given.files[0].name, await given.files[0].text()]; };
if (navigator.storage) navigator.storage.persist = async () => { globalThis.persisted = true; return true; };
"""
_OFFERS = """addEventListener("DOMContentLoaded", () => {
  const offer = new Event("beforeinstallprompt", { cancelable: true });
  offer.prompt = async () => {};
  dispatchEvent(offer);
  globalThis.offered = offer.defaultPrevented;
});"""
"""A browser offers to install the page, before any of it but its first file has come."""
_SHARED = '<form method="post" enctype="multipart/form-data" action="{}shared"><input type="file" name="files"></form>'
"""What the phone does where another program shares a file to the installed page (``share_target``)."""
_FILL = """() => new Promise((done) => {
  const asked = indexedDB.open("else", 1);
  asked.onupgradeneeded = () => asked.result.createObjectStore("kept");
  asked.onsuccess = () => {
    const put = (size, number) => {
      const change = asked.result.transaction("kept", "readwrite", { durability: "strict" });
      const bytes = new Uint8Array(size).map(() => Math.random() * 256);
      change.objectStore("kept").put(bytes, number);
      change.oncomplete = () => put(size, number + 1);
      change.onabort = () => {
        if (size > 100) return put(size / 10, number + 1);
        asked.result.close();
        done(change.error.name);
      };
    };
    put(1000000, 0);
  };
})"""
"""Keep more and more, until the browser gives no more space."""
QUOTA = 60_000_000
"""Bytes that the browser gives the page."""


@pytest.fixture
def files(built: Path) -> dict[str, bytes]:
    """What the page's address gives; it changes when a new version comes out."""
    return dict(page_files(built))


@pytest.fixture
def phone(browser: Any, files: dict[str, bytes]) -> Iterator[Phone]:
    """A phone for one test: a browser's storage of its own, at an address of its own."""
    running = server(files, 0)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    new_phone = Phone(
        browser, f"http://127.0.0.1:{running.server_address[1]}/", quota=QUOTA, timezone_id="Europe/Berlin"
    )
    new_phone.context.add_init_script(_SHARES)
    new_phone.context.grant_permissions(["clipboard-read", "clipboard-write"])
    yield new_phone
    assert new_phone.said == []
    new_phone.close()
    running.shutdown()
    running.server_close()


@pytest.fixture
def friends() -> Friends:
    """Whoever plays with the phone's owner; their match began the day before, so that nobody's time is up."""
    return Friends("wyatt-earp", began=days_ago(1))


def practise(phone: Phone) -> None:
    """A match against the computer is begun."""
    phone.open()
    phone.wait("home")
    phone.press("Begin")
    phone.wait("table")


def join(phone: Phone, friends: Friends) -> None:
    """The owner joins a match of people, whose cards are dealt then."""
    phone.open()
    phone.wait("home")
    phone.page.fill("#paste", friends.lines().decode())
    phone.press("Take in")
    phone.wait("invitation")
    phone.page.fill("#name", "Anna")
    phone.press("Join")
    friends.take(phone.shown())
    phone.page.fill("#paste", friends.lines(0).decode())
    phone.press("Take in")
    phone.wait("table")


def label_of(phone: Phone, do: str) -> str:
    """What the last row says that does this."""
    row = phone.page.locator(f"section.choosing button.row[data-do={do}]").last
    return str(row.locator(".label").inner_text())


def test_a_match_is_begun_and_a_file_leaves_by_the_keyboard_alone(phone: Phone) -> None:
    phone.open()
    phone.wait("home")
    keyboard = phone.page.keyboard
    phone.tab_to("Begin")
    keyboard.press("Enter")
    phone.wait("table")
    label = label_of(phone, "action")
    phone.tab_to(label)
    keyboard.press("Enter")
    assert phone.offered == label  # the action bar says what the list says, and has the focus
    assert phone.focused == "yes"
    phone.enter()
    assert phone.asked == "Your turn to play and discard"
    assert phone.focused == "asked"  # read out at once
    phone.tab_to("More")
    keyboard.press("Enter")
    phone.page.wait_for_selector("dialog[open]")
    keyboard.press("Escape")
    phone.page.wait_for_selector("dialog[open]", state="detached")
    assert phone.page.evaluate("() => document.activeElement.ariaLabel") == "More"
    card = phone.page.locator(".hand .card").first
    card.focus()
    keyboard.press("?")
    phone.page.wait_for_selector("dialog[open] dl.rules")
    keyboard.press("Escape")
    phone.page.wait_for_selector("dialog[open]", state="detached")
    while phone.focused != "yes":  # groups are opened on the way
        rows = phone.page.locator("section.choosing button.row:is([data-do=action], [data-do=open])")
        phone.tab_to(str(rows.last.locator(".label").inner_text()))
        phone.enter()
    phone.enter()
    assert phone.page.locator("section.choosing .tray").count() == 0
    spoken, head = Spoken(phone), phone.head
    while phone.head == head:  # the next turn as a screen reader has it
        assert by_tree(phone, spoken) == ""


def test_another_language_at_once_and_after_the_next_start(phone: Phone) -> None:
    phone.context.add_init_script(_OFFERS)
    practise(phone)
    phone.press("Your matches")
    phone.wait("home")
    assert phone.page.evaluate("() => offered && persisted")
    about = phone.page.locator(".warning", has_text="home screen")
    about.get_by_role("button", name="Not now").click()
    about.wait_for(state="detached")
    phone.page.locator("summary", has_text="Settings").click()
    phone.page.select_option("#lang", "de")
    phone.page.locator("h2", has_text="Einstellungen").wait_for()
    phone.rest()
    phone.open()
    phone.wait("home")
    assert phone.page.get_attribute("html", "lang") == "de"
    assert phone.page.locator(".warning .ways").count() == 0, "installing is offered once"
    phone.page.locator("button.row").first.click()
    phone.wait("table")
    assert phone.asked.startswith("Du ")
    phone.press("Deine Partien")
    phone.wait("home")
    phone.page.locator("summary", has_text="Einstellungen").click()
    phone.page.select_option("#lang", "en")
    phone.page.locator("h2", has_text="Settings").wait_for()
    phone.rest()


def test_a_letter_is_pasted_and_a_file_is_shared_or_copied(phone: Phone, friends: Friends) -> None:
    page = phone.open()
    phone.wait("home")
    page.goto("about:blank")
    page.set_content(_SHARED.format(phone.url))
    page.set_input_files(
        "input", [{"name": "invitation.jsonl", "mimeType": "text/plain", "buffer": friends.lines()}]
    )
    page.evaluate("() => document.forms[0].submit()")
    phone.wait("invitation")
    assert page.url == phone.url
    page.fill("#name", "Anna")
    phone.press("Join")
    phone.press("Share it")
    name, text = page.wait_for_function("() => globalThis.shared").json_value()
    assert name.endswith(".txt")
    phone.press("Copy it as text")
    (block,) = scan(page.evaluate("() => navigator.clipboard.readText()")).blocks
    assert block.strip() == text.strip().encode()
    friends.take(text.strip().encode())
    phone.press("Done")
    page.fill("#paste", friends.lines(0).decode())
    phone.press("Take in")
    phone.wait("table")
    one_file(phone, friends)  # ready
    due = page.locator(".due")
    at = datetime.fromisoformat(due.get_attribute("datetime")).astimezone(ZoneInfo("Europe/Berlin"))
    assert due.get_attribute("title") == f"by {at:%A} {at:%H:%M}"  # as a clock in Berlin shows it


def fill(phone: Phone) -> None:
    """The page's storage is full to the last hundred bytes, by something else of the same origin."""
    assert phone.page.evaluate(_FILL) == "QuotaExceededError"
    assert (
        phone.page.evaluate("() => navigator.storage.estimate().then((answer) => answer.usage)") > QUOTA * 0.9
    )


def backup_of(phone: Phone) -> tuple[bytes, str]:
    """The open match as a file, and its name."""
    phone.press("More")
    with phone.page.expect_download() as saving:
        phone.press("Save a backup")
    return Path(saving.value.path()).read_bytes(), saving.value.suggested_filename


def test_a_full_storage_is_shown_and_a_backup_goes_on_where_there_is_space(
    phone: Phone, friends: Friends, browser: Any
) -> None:
    """When a browser frees space that was given up is its own business: what needs space again has another storage."""
    join(phone, friends)
    fill(phone)
    phone.choose()
    assert "could not keep it" in phone.trouble
    assert phone.page.locator("dialog[open]", has_text="Download it").count() == 0
    phone.again()
    kept = backup_of(phone)  # a full phone can still be read
    roomy = Phone(browser, phone.url, timezone_id="Europe/Berlin")
    roomy.open()
    roomy.wait("home")
    roomy.bring(*kept)
    roomy.press("Take it in")
    roomy.wait("table")
    one_file(roomy, friends)
    assert roomy.said == []
    roomy.close()


def test_a_full_storage_takes_no_seat_that_it_cannot_keep(phone: Phone) -> None:
    phone.open()
    phone.wait("home")
    phone.bring(Friends("way-out-west", seed="another").lines())
    phone.wait("invitation")
    phone.page.fill("#name", "Anna")
    fill(phone)
    phone.press("Join")
    assert "could not keep it" in phone.trouble
    phone.open()  # only what was kept is there
    phone.wait("home")
    assert phone.page.locator(".matches button.row:not(:has-text('practice'))").count() == 0


def test_a_backup_brings_a_match_back(phone: Phone, friends: Friends) -> None:
    join(phone, friends)
    one_file(phone, friends)
    raw, name = backup_of(phone)
    phone.press("More")
    phone.press("Remove this match from this device")
    phone.press("Remove")
    phone.wait("home")
    phone.bring(raw, name)
    phone.press("Take it in")
    phone.wait("table")
    phone.bring(raw, "again.zip")
    phone.press("Take it in")
    assert "already" in phone.page.locator(".notice.trouble").inner_text()
    tab = phone.context.new_cdp_session(phone.page)
    tab.send("Storage.clearDataForOrigin", {"origin": phone.origin, "storageTypes": "all"})
    phone.open()
    phone.wait("home")
    assert phone.page.locator(".matches").count() == 0
    phone.bring(raw, name)
    phone.press("Take it in")
    phone.wait("table")


def test_a_new_version_shows_its_number_and_waits_for_a_yes(phone: Phone, files: dict[str, bytes]) -> None:
    phone.open()
    phone.wait("home")
    phone.press("Begin")
    phone.wait("table")
    files |= another_version(files, "9.9")
    for _ in range(2):  # asked again at each start, and the old one goes on meanwhile
        phone.open()
        phone.wait("home")
        asked = phone.page.locator("#version", has_text="9.9")
        asked.wait_for()
        assert fingerprint_of(files[HASHES]) in asked.inner_text()
        assert "9.9" not in phone.page.locator("h1").inner_text()
    phone.page.locator("#version button").click()
    phone.page.locator("h1", has_text="9.9").wait_for()
    phone.wait("home")
    assert phone.page.locator("#version p").count() == 0
    assert phone.verified == 1  # another program, which believes nothing of what the old one kept


def test_the_first_table_stands_before_the_rest_has_come(phone: Phone, files: dict[str, bytes]) -> None:
    rest = files.pop(REST)
    phone.open("#practice=wyatt-earp")
    phone.wait("table")
    phone.touch("supply")
    phone.yes()
    assert "did not arrive" in phone.trouble
    files[REST] = rest
    phone.press("Try again")
    phone.rest()
    phone.touch("supply")
    phone.yes()
    assert phone.asked == "Your turn to play and discard"


_AN_HOUR_LATER = "() => { const now = Date.now; Date.now = () => now() + 61 * 60 * 1000; }"
"""The clock that Python has in the page's worker."""


def test_after_an_hour_without_an_answer_it_is_sent_again_and_nothing_happens_twice(
    phone: Phone, friends: Friends
) -> None:
    """The very same file, which the host takes once."""
    join(phone, friends)
    one_file(phone, friends)  # ready
    phone.sign()
    before, sent = len(friends.world.lines), phone.shown()
    notes = phone.page.locator(".choosing > .note")
    notes.filter(has_text="No answer yet.").wait_for()
    (keys,) = [worker for worker in phone.page.workers if worker.url.endswith("/keys.mjs")]
    keys.evaluate(_AN_HOUR_LATER)
    phone.press("Your matches")
    phone.wait("home")
    phone.page.locator("button.row").first.click()
    phone.wait("table")
    notes.filter(has_text="Not confirmed yet: send it again. Nothing happens twice.").wait_for()
    phone.page.locator("section.choosing button[data-do=deliver]").click()
    phone.rest()
    assert phone.shown() == sent
    friends.take(sent)
    taken = len(friends.world.lines)
    friends.world.send(sent)
    assert len(friends.world.lines) == taken > before
    phone.bring(friends.lines(before - 1))
    phone.wait("table")
    assert notes.count() == 0
