"""A real browser without a window: headless Chromium, driven by Playwright, with axe-core at hand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, sync_playwright

from tests.browsers import launched
from tests.patience import PATIENCE

NARROWEST, PHONE, DESKTOP = 320, 390, 1280
_AXE = "axe.run(document, {resultTypes: ['violations']})"


@dataclass
class Opened:
    """An opened page, with everything that it said and asked for."""

    page: Page
    said: list[str] = field(default_factory=list)
    asked_for: list[str] = field(default_factory=list)

    @property
    def overflow(self) -> int:
        """Pixels by which the page is wider than the window."""
        return int(
            self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        )

    def violations(self) -> list[str]:
        """What axe finds, with the first element of each kind."""
        result: dict[str, Any] = self.page.evaluate(_AXE)
        assert len(result["passes"]) > 20, "axe has looked at hardly anything"
        return [
            f"{violation['id']}: {violation['nodes'][0]['html'][:200]}" for violation in result["violations"]
        ]

    def unfold(self, most: int = 10_000) -> None:
        """Open the fold-outs, at most so many."""
        script = "(most) => [...document.querySelectorAll('details')].slice(0, most).forEach((one) => one.open = 1)"
        self.page.evaluate(script, most)


class Browser:
    """A browser that opens files."""

    def __init__(self, browser: Any) -> None:
        """``browser`` is Playwright's."""
        self._browser = browser

    @contextmanager
    def opened(self, file: Path, width: int, scheme: str, *, height: int = 900) -> Iterator[Opened]:
        """A file in a window of this width; ``scheme`` is ``light`` or ``dark``."""
        # The page's own CSP would keep axe out, which is put in from outside.
        context = self._browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            reduced_motion="reduce",
            bypass_csp=True,
        )
        try:
            context.set_default_timeout(1000 * PATIENCE)
            page = context.new_page()
            opened = Opened(page)
            page.on("console", lambda message: opened.said.append(message.text))
            page.on("pageerror", lambda fault: opened.said.append(str(fault)))
            page.on("request", lambda request: opened.asked_for.append(request.url))
            page.goto(file.as_uri())
            page.evaluate(AXE_SCRIPT)
            yield opened
        finally:
            context.close()

    def said_by(self, file: Path) -> list[str]:
        """What a browser complains of, with the page's own CSP in force."""
        context = self._browser.new_context()
        try:
            page, said = context.new_page(), []
            page.on("console", lambda message: said.append(message.text))
            page.goto(file.as_uri())
            return said
        finally:
            context.close()


@contextmanager
def started() -> Iterator[Browser]:
    """A browser for some tests."""
    with sync_playwright() as driver, launched(driver) as browser:
        yield Browser(browser)
