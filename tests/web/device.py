"""The page in a browser as a player uses it: by what it says and by its buttons, never by its insides."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from pbem.base.language import CODES
from pbem.player.pictures.picture import Font
from pbem.web.build import REST
from tests.fonts import drawn_script
from tests.patience import PATIENCE

_SEND = "section.choosing button[data-do=send]"
"""What is signed next; a file that is signed and waits for its answer is another row."""
_DELIVER = "section.choosing button[data-do=deliver]"
_UNDER_WAY = re.compile("^(Sending|Sent)")
"""What is said of a file until it has its answer."""
_ACTION = "section.choosing .rows button.row[data-do=action]"
CHOICE = "section.choosing .rows > li > button.row:is([data-do=action], [data-do=open])"
"""What can be done, or a group of it: where there are several ways for everything, there are groups alone."""
_BEHIND = [REST, *(f"rest-{code}.zip" for code in CODES if code != "en"), *(font.path.name for font in Font)]
KEPT = f"Promise.all({_BEHIND}.map((name) => caches.match(name))).then((found) => found.every(Boolean))"
"""Whether everything is there that the page needs without a network."""
GUARD = 320
"""Milliseconds after which the button that says yes takes a tap."""
TAKES_A_TAP = """() => {
  const yes = document.getElementById("yes");
  return yes && !(Date.now() - yes.dataset.since < 300);
}"""
"""Whether it has said what it says for so long; one that says since when nowhere takes every tap."""
COUNT_CLICKS = """addEventListener("click", () => {
  const { dataset } = document.documentElement;
  dataset.clicks = Number(dataset.clicks ?? 0) + 1;
}, true);"""
"""Each click is counted before any listener runs: the browser makes it of a tap when it processes that."""
CLICKS = "() => Number(document.documentElement.dataset.clicks ?? 0)"
MIDDLE = """(part) => {
  for (const one of document.querySelectorAll(`.game [data-part="${CSS.escape(part)}"]`)) {
    one.scrollIntoView({ block: "nearest" });
    const box = one.getBoundingClientRect();
    if (box.width) return [box.x + box.width / 2, box.y + box.height / 2];
  }
  return null;
}"""
_NEXT = """() => [...new Set([...document.querySelectorAll('.game .can')].map((one) => one.dataset.part))]"""
_FOCUSED = "() => (document.activeElement.ariaLabel || document.activeElement.innerText || document.activeElement.id)"
_TABS = 200
"""More presses of the Tab key than any screen of the page needs."""


class Phone:
    """One browser with its storage, and one open tab."""

    def __init__(
        self, browser: Any, url: str, *, width: int = 390, height: int = 844, quota: int = 0, **more: Any
    ) -> None:
        self.context = browser.new_context(
            viewport={"width": width, "height": height}, has_touch=True, **more
        )
        self.context.set_default_timeout(1000 * PATIENCE)
        self.context.add_init_script(COUNT_CLICKS + drawn_script())
        self.url = url
        self.said: list[str] = []
        self.page: Any = None
        self._sent_at = "-1"
        if quota:  # bytes that the browser gives; it asks once in a while only, so this comes before anything is kept
            tab = self.context.new_cdp_session(self.context.new_page())
            tab.send("Storage.overrideQuotaForOrigin", {"origin": self.origin, "quotaSize": quota})

    def open(self, rest: str = "") -> Any:
        """A new tab, started; a tab that was open is closed first."""
        if self.page is not None:
            self.page.close()
        self.page = self.context.new_page()
        self.page.on("pageerror", lambda fault: self.said.append(str(fault)))
        self.page.goto(self.url + rest)
        self.page.wait_for_selector("html[data-state]")
        return self.page

    @property
    def origin(self) -> str:
        """Whose storage it is."""
        return self.url.rstrip("/")

    @property
    def state(self) -> str:
        """``started``, ``refused`` or ``elsewhere``."""
        return str(self.page.get_attribute("html", "data-state"))

    def wait(self, screen: str) -> None:
        """Until this screen is shown and nothing is being worked at; for the list a table is left."""
        if screen == "home":
            self.page.wait_for_selector(
                "html:is([data-screen=home], [data-screen=table], [data-screen=joining])"
            )
            self.rest()
            if self.page.get_attribute("html", "data-screen") != "home":
                self.press("Your matches")
        self.page.wait_for_selector(f"html[data-screen={screen}]")
        self.rest()

    def rest(self) -> None:
        """Until nothing is being worked at."""
        self.page.wait_for_selector("html[data-busy=no], html:not([data-busy])")

    def press(self, name: str) -> None:
        """A button by its name, in the dialog if one is open."""
        place = self.page.locator("dialog[open]") if self.page.locator("dialog[open]").count() else self.page
        self.done(place.get_by_role("button", name=name, exact=True).first.click)

    def bring(self, raw: bytes, name: str = "letter.jsonl") -> None:
        """A saved file is chosen on the first screen or in the menu."""
        if self.page.locator("#file").count() == 0:
            self.press("More")
            self.press("Open an email or a file")
        self.page.set_input_files("#file", [{"name": name, "mimeType": "text/plain", "buffer": raw}])
        self.rest()

    def again(self, screen: str = "table") -> None:
        """The page is closed and opened again; the match that lies first in it."""
        self.open()
        self.wait("home")
        self.page.locator("button.row").first.click()
        self.wait(screen)

    def fill(self, selector: str, text: str) -> None:
        """Type into a field."""
        self.page.fill(selector, text)

    def offline(self, away: bool) -> None:
        """Without a network, once all that must be there was fetched, or with one again."""
        if away:
            self.page.wait_for_function(KEPT)
        self.context.set_offline(away)

    def news(self) -> None:
        """Ask the host's API for what is new."""
        if self.page.locator("#notice button").count():
            self.page.locator("#notice button").last.click()
        self.press("More")
        self.press("Look for news")
        self.page.locator(
            "#notice", has_text=re.compile("New events|Nothing new|proposes something")
        ).wait_for()
        self.rest()

    @property
    def trouble(self) -> str:
        """What went wrong, as it is shown."""
        return "".join(self.page.locator(".notice.trouble").all_inner_texts())

    @property
    def actions(self) -> list[str]:
        """What can be done, in words; without what leads to more choices."""
        return list(self.page.locator(_ACTION).all_inner_texts())

    def take_last(self) -> None:
        """The last choice: two cards from the supply, a discard, a pass; its yes by the keyboard."""
        self._take(self.page.locator(CHOICE).last)

    def take(self, index: int) -> None:
        """One of ``actions``."""
        self._take(self.page.locator(_ACTION).nth(index))

    def _take(self, row: Any) -> None:
        self._sent_at = self.head
        self.done(row.click)
        if self.focused == "yes":
            self.enter()

    def enter(self) -> None:
        """The Enter key on a button, until that is done."""
        self.done(partial(self.page.keyboard.press, "Enter"))

    def done(self, press: Callable[[], object]) -> None:
        """A press of a button in whatever way, until its click was counted and nothing is being worked at.

        What a click begins marks the page as busy before the click is over, so that neither can be missed.
        """
        before = self.page.evaluate(CLICKS)
        press()
        self.page.wait_for_function(f"(before) => ({CLICKS})() > before", arg=before)
        self.rest()

    @property
    def chosen(self) -> int:
        """How many actions lie in the draft."""
        return int(self.page.locator("section.choosing .tray ol li").count())

    # --- by touch -----------------------------------------------------------------------------------------

    @property
    def marked(self) -> list[str]:
        """The parts that are marked: a touch on them leads on."""
        return list(self.page.evaluate(_NEXT))

    def touch(self, part: str) -> None:
        """A finger on a part of the table, a card, a button; until that is done."""
        place = self.page.evaluate(MIDDLE, part)
        assert place is not None, f"{part} is nowhere on the screen"
        self.done(partial(self.page.touchscreen.tap, *place))

    def tap(self, selector: str, text: str = "") -> None:
        """A finger on the last of these, or of those that say just this; until that is done."""
        said = {"has_text": re.compile(f"^{re.escape(text)}$")} if text else {}
        self.done(self.page.locator(selector, **said).last.tap)

    def type(self, text: str) -> None:
        """Keys, where the focus is."""
        self.page.keyboard.type(text)

    def ask(self, script: str, given: Any = None) -> Any:
        """What a function of the page's language gives."""
        return self.page.evaluate(script, given)

    def until(self, script: str, given: Any = None) -> None:
        """Until it gives something true."""
        self.page.wait_for_function(script, arg=given)

    @property
    def offered(self) -> str:
        """What the action bar would do."""
        return " ".join(self.page.locator("#yes .label").all_inner_texts())

    def yes(self) -> None:
        """A tap on what the action bar names, as soon as it takes one."""
        self.until(TAKES_A_TAP)
        self.done(self.page.locator("#yes").tap)

    @property
    def head(self) -> str:
        """The number of the last record on the screen."""
        return str(self.page.get_attribute(".game", "data-head"))

    def grown(self, head: str) -> None:
        """Until there are more records than this."""
        self.page.wait_for_function(
            "(head) => Number(document.querySelector('.game')?.dataset.head) > Number(head)", arg=head
        )
        self.rest()

    # --- by the keyboard ----------------------------------------------------------------------------------

    def tab_to(self, text: str) -> None:
        """The Tab key until what has the focus says this."""
        for _ in range(_TABS):
            self.page.keyboard.press("Tab")
            if str(self.page.evaluate(_FOCUSED)).startswith(text):
                return
        raise AssertionError(f"the keyboard does not come to {text}")

    @property
    def focused(self) -> str:
        """The id of what has the focus."""
        return str(self.page.evaluate("() => document.activeElement.id"))

    # --- files --------------------------------------------------------------------------------------------

    @property
    def status(self) -> str:
        """The sentence about the file that left last: sent, accepted, refused."""
        return "".join(self.page.locator("#status").all_inner_texts())

    @property
    def signed(self) -> bool:
        """Whether a file is signed: shown to be taken along, or on its way by the API."""
        by_hand = self.page.locator("dialog[open] #left").count()
        return bool(by_hand or re.match("Sending|Sent|Accepted|Refused|Kept", self.status))

    def play(self) -> None:
        """Until there is something to do at the table, and the file that made it so has its answer."""
        self.wait("table")
        self.page.locator(CHOICE).first.wait_for()
        self.page.locator("#status", has_text=_UNDER_WAY).wait_for(state="detached")
        self.rest()

    def sign(self) -> None:
        """Choose the last row again and again, until a file is signed."""
        while not self.choose():
            pass

    def send(self) -> None:
        """The draft as it is."""
        self._sent_at = self.head
        self.done(self.page.locator(_SEND).last.click)

    def choose(self) -> bool:
        """One choice, or the draft as it is; whether a file is signed by that."""
        if self.has_file:
            self.send()
        else:
            self.take_last()
        return self.signed

    def look_at_signed(self) -> None:
        """The file that was signed and has not left."""
        self.done(self.page.locator(_DELIVER).last.click)
        self.page.wait_for_selector("dialog[open] pre.armour", state="attached")
        self.rest()

    def shown(self) -> bytes:
        """The signed file, as it is saved; its sheet is closed."""
        raw = self.download().strip()
        self.press("Done")
        return raw

    def download(self) -> bytes:
        """The signed file, as it is saved."""
        with self.page.expect_download() as saving:
            self.page.locator("dialog[open]").get_by_role("button", name="Download it", exact=True).click()
        self.rest()
        return Path(saving.value.path()).read_bytes()

    def post(self) -> None:
        """The file that was signed goes to the host's API by itself: until they have accepted it.

        The file before it may have been accepted, too: its record is waited for.
        """
        self.page.locator("#status", has_text="Accepted").wait_for(state="attached")
        self.grown(self._sent_at)

    def post_in_vain(self) -> str:
        """The file that was signed goes where nobody answers; what is shown of it. It is taken by hand then."""
        message = self.page.locator("#notice.trouble")
        message.wait_for()
        text = str(message.inner_text())
        self.press("Send it another way")
        self.page.wait_for_selector("dialog[open] #left", state="attached")
        return text

    def audited(self) -> str:
        """What the page says to "Check everything"."""
        self.press("More")
        self.press("Check everything")
        assert self.page.locator("dialog[open] .fault").count() == 0
        sentence = str(self.page.locator("dialog[open] .inside p").first.inner_text())
        self.press("Close")
        return sentence

    @property
    def asked(self) -> str:
        """What is asked now."""
        return str(self.page.locator("#asked").inner_text())

    @property
    def has_file(self) -> bool:
        """Whether there is something to send."""
        return bool(self.page.locator(_SEND).count())

    @property
    def verified(self) -> int:
        """How many times a match was verified, from its beginning or on, and this kept, since the tab was opened."""
        verified_records = self.page.evaluate(
            "globalThis.pbemMeasure().then((message) => message.answer.verified)"
        )
        return int(verified_records)

    def close(self) -> None:
        """The browser is closed with all its storage."""
        self.context.close()
