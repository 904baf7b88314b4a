"""The page in a browser as a player uses it: by what it says and by its buttons, never by its insides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

PATIENCE = 120_000
_SEND = "section.choosing button[data-do=send]"
"""What is signed next; a file that is signed and waits for its answer is another row."""


class Phone:
    """One browser with its storage, and one open tab."""

    def __init__(
        self, browser: Any, url: str, *, width: int = 390, height: int = 844, room: int = 0, **more: Any
    ) -> None:
        self.context = browser.new_context(viewport={"width": width, "height": height}, **more)
        self.context.set_default_timeout(PATIENCE)
        self.url = url
        self.said: list[str] = []
        self.page: Any = None
        if room:  # bytes that the browser gives; it asks once in a while only, so this comes before anything is kept
            tab = self.context.new_cdp_session(self.context.new_page())
            tab.send("Storage.overrideQuotaForOrigin", {"origin": self.origin, "quotaSize": room})

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
        """Until this screen is shown and nothing is being worked at."""
        self.page.wait_for_selector(f"html[data-screen={screen}]")
        self.rest()

    def rest(self) -> None:
        """Until nothing is being worked at."""
        self.page.wait_for_selector("html[data-busy=no], html:not([data-busy])")

    def press(self, name: str) -> None:
        """A button by its name, in the dialog if one is open."""
        place = self.page.locator("dialog[open]") if self.page.locator("dialog[open]").count() else self.page
        place.get_by_role("button", name=name, exact=True).first.click()
        self.rest()

    def bring(self, raw: bytes, name: str = "letter.jsonl") -> None:
        """A saved file is chosen on the first screen or in the menu."""
        if self.page.locator("#file").count() == 0:
            self.press("More")
            self.press("Take in a letter or a file")
        self.page.set_input_files("#file", [{"name": name, "mimeType": "text/plain", "buffer": raw}])
        self.rest()

    def take_last(self) -> None:
        """The last choice: two cards from the supply, a discard, a pass."""
        rows = self.page.locator("section.choosing .rows > li > button.row:not(.first):not([aria-pressed])")
        rows.nth(rows.count() - 1).click()
        self.rest()

    def download(self) -> bytes:
        """The signed file, as it is saved."""
        with self.page.expect_download() as saving:
            self.page.locator("dialog[open]").get_by_role("button", name="Download it", exact=True).click()
        self.rest()
        return Path(saving.value.path()).read_bytes()

    @property
    def asked(self) -> str:
        """What is asked now."""
        return str(self.page.locator("h1").inner_text())

    @property
    def has_file(self) -> bool:
        """Whether there is something to send."""
        return bool(self.page.locator(_SEND).count())

    def sign(self) -> None:
        """Look at the file and sign it."""
        self.page.locator(_SEND).last.click()
        self.page.wait_for_selector("dialog[open]")
        self.page.locator("dialog[open] .ways button.first").click()
        self.rest()

    @property
    def verified(self) -> int:
        """How many times a match was verified, from its beginning or on, and this kept, since the tab was opened."""
        told = self.page.evaluate("globalThis.pbemMeasure().then((told) => told.answer.verified)")
        return int(told)

    def close(self) -> None:
        """The browser is closed with all its storage."""
        self.context.close()
