"""The page in a browser: no barrier that axe knows, in light and dark; fits every window; asks for nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Playwright

from pbem.player.lookback.page import page_of
from tests.browsers import launched
from tests.fonts import REPORT, families, set_family
from tests.report.browser import DESKTOP, NARROWEST, PHONE, Browser
from tests.report.matches import GAMES, altered, examined, running, whole

KINDS = ("whole", "running", "altered", "unreadable")


@pytest.fixture(scope="module")
def browser(driver: Playwright) -> Iterator[Browser]:
    with launched(driver) as running:
        yield Browser(running)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A page of every kind, of both games."""
    folder = tmp_path_factory.mktemp("pages")
    members = {}
    for game in GAMES:
        lines = {
            "whole": whole(game),
            "running": running(game).lines,
            "altered": next(iter(altered(game).values())),
            "unreadable": [b"{}"],
        }
        for kind in KINDS:
            examination = examined(lines[kind])
            members[f"{game} {kind}"] = folder / f"{game}-{kind}.html"
            members[f"{game} {kind}"].write_text(
                page_of(examination.document, examination.picture, examination.portrait), encoding="utf-8"
            )
    return members


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", [f"{game} {kind}" for game in GAMES for kind in KINDS])
def test_axe_finds_nothing_and_nothing_is_loaded(
    browser: Browser, pages: dict[str, Path], kind: str, scheme: str
) -> None:
    for width in (PHONE, DESKTOP) if (kind, scheme) == ("wyatt-earp whole", "light") else (PHONE,):
        with browser.opened(pages[kind], width, scheme) as opened:
            opened.unfold(8)  # they are all alike, and axe looks at each for long
            assert opened.violations() == []
            assert opened.said == []
            outside = [url for url in opened.asked_for if not url.startswith("data:")]
            assert outside == [pages[kind].as_uri()]


@pytest.mark.slow
@pytest.mark.parametrize("kind", [f"{game} {kind}" for game in GAMES for kind in KINDS])
def test_the_page_fits_into_every_window_folded_and_unfolded(
    browser: Browser, pages: dict[str, Path], kind: str
) -> None:
    for width in (NARROWEST, PHONE, DESKTOP):
        with browser.opened(pages[kind], width, "light") as opened:
            for unfolded in (False, True):
                for family in families():
                    set_family(opened.page, family, REPORT)
                    assert opened.overflow == 0, (width, unfolded, family)
                opened.unfold()


@pytest.mark.slow
def test_nothing_in_the_page_breaks_its_own_content_security_policy(
    browser: Browser, pages: dict[str, Path]
) -> None:
    for file in pages.values():
        assert browser.said_by(file) == []


@pytest.mark.slow
def test_a_fault_stands_at_the_top_and_its_link_leads_to_the_record(
    browser: Browser, pages: dict[str, Path]
) -> None:
    with browser.opened(pages["wyatt-earp altered"], PHONE, "light") as opened:
        first = opened.page.locator(".faults a").first
        assert first.is_visible()
        for family in families():
            set_family(opened.page, family, REPORT)
            box = first.bounding_box()
            assert box is not None
            assert box["y"] < 700, family
        first.click()
        assert opened.page.locator(".entry:target .fault").first.is_visible()


@pytest.mark.slow
def test_a_keyboard_reaches_verdict_and_fold_outs_and_is_seen_there(
    browser: Browser, pages: dict[str, Path]
) -> None:
    with browser.opened(pages["wyatt-earp whole"], DESKTOP, "light") as opened:
        opened.page.keyboard.press("Tab")
        assert opened.page.evaluate("document.activeElement.className") == "skip"
        opened.page.locator("summary").first.focus()
        opened.page.keyboard.press("Tab")  # a focus by keyboard is shown, one by mouse is not
        opened.page.keyboard.press("Shift+Tab")
        assert opened.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        opened.page.keyboard.press("Enter")
        assert opened.page.locator("details[open] pre").first.is_visible()


@pytest.mark.slow
def test_on_paper_the_story_is_whole_and_without_what_only_screens_need(
    browser: Browser, pages: dict[str, Path]
) -> None:
    with browser.opened(pages["wyatt-earp whole"], DESKTOP, "dark") as opened:
        opened.page.emulate_media(media="print")
        assert opened.page.locator(".chip").first.is_visible()
        assert not opened.page.locator("nav.toc").is_visible()
        assert opened.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert opened.page.pdf().startswith(b"%PDF")
