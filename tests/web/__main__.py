"""``python -m tests.web``: pictures of the page, what it weighs and costs, and whole hands and game turns in Chromium.

::

    --screens DIR    its states at three widths, light and dark, as PNG; these and more are judged for everybody's use
    --figures        bytes over the wire, seconds on a slow line, processor seconds, memory; fails if an aim is missed
    --touch          a whole match of each game by touch alone, 360 × 560 and 390 × 844, taps counted; --part: a hand or
                     game turn of each only
    --touch-elsewhere  a hand or game turn of each by touch in Firefox and in WebKit, as far as they are installed
    --third          a whole match of examples/third-game against the computer by touch, page/ unchanged
    --taps           each kind of tap of a turn, slowed four times: milliseconds to the first changed frame, as a table;
                     ends with 1 where one is over 100
    --unseen         a hand or game turn by the keyboard alone, and by the accessibility tree alone
    --whole          one seat in Chromium to the end of a hand or game turn, by the API and by files, offline in the
                     middle, closed and opened after every step
    --three          the same at a host's real process: by their API, by mail and files, and in a terminal
    --three-elsewhere  that in two Firefoxes and two WebKits, as far as they are installed
    --party          three seats of each game in three pages; seconds from a tap to everybody's table
    --elsewhere      the same in Firefox and in WebKit, as far as they are installed
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import cache, partial
from pathlib import Path

from pbem.web.serve import page_files, server
from tests.mail.stack import MailStack
from tests.play.test_real_terminal import Terminal
from tests.service.api_run import lines_of, party
from tests.service.real import Place
from tests.web.by_touch import SIZES, log_line, run
from tests.web.by_touch import touched as by_touch_in
from tests.web.conftest import kept_page
from tests.web.device import Phone
from tests.web.elsewhere import Driven, Visitor, firefox, started, webkit
from tests.web.evening import evening
from tests.web.figures import figures
from tests.web.party import Pages
from tests.web.running import gone, running, say
from tests.web.screens import screens
from tests.web.taps import LIMIT, SLOWED, Taps, measured, quarter, too_late
from tests.web.taps import table as table_of_taps
from tests.web.third import third
from tests.web.three import SEATS, Tab, judged, table
from tests.web.unseen import hands

OTHERS = {"firefox": firefox, "webkit": webkit}
Opened = Callable[[], AbstractContextManager[Driven]]


def pictured(folder: Path) -> bool:
    """Every state as a picture, judged; whether no fault was found."""
    files = page_files(kept_page())
    with running(files) as (_, url, browser):
        judged_states, faults = screens(folder, browser, url, files)
    say(f"{judged_states} screens judged by axe, touch targets, width: {len(faults)} faults")
    for fault in faults:
        say(fault)
    return not faults


# --- whole hands and game turns -----------------------------------------------------------------------------


def whole(games: Sequence[str]) -> None:
    """One seat in Chromium, from the invitation to the end of a hand or game turn."""
    with running() as (_, url, browser):
        for game in games:
            phone = Phone(browser, url)
            say(evening(phone, f"Chromium {browser.version}", game))
            assert phone.said == []
            phone.close()


def touched(games: Sequence[str], until: str) -> None:
    """A match of each game, on a small and on a large phone, by touch alone."""
    with running() as (_, url, browser):
        for game in games:
            for size in SIZES:
                say(run(browser, url, game, size, until))


def tapped(games: Sequence[str]) -> bool:
    """What a tap shows, and after how long, on a slowed processor; whether each was within the limit."""
    late = []
    for game in games:
        with running() as (_, url, browser):
            say(f"{game}: the page's own thread slowed {SLOWED} times, load {os.getloadavg()[0]:.0f}")
            late += _shown(measured(browser, url, game, SLOWED))
        with running() as (_, url, browser), quarter() as held:
            if not held:
                say("a quarter of a processor: not tried, this process may make no control group")
                continue
            say(f"{game}: the browser held to a quarter of a processor, load {os.getloadavg()[0]:.0f}")
            late += _shown(measured(browser, url, game, 1))
    say(f"over {LIMIT} ms: {', '.join(dict.fromkeys(late)) or 'no kind of tap'}")
    return not late


def _shown(taps: Taps) -> list[str]:
    """The table is said; the kinds that were over the limit."""
    for row in table_of_taps(taps.measured):
        say(row)
    return too_late(taps.measured)


def a_third_game() -> None:
    """One that the page does not know."""
    with running() as (_, _url, browser):
        say(third(browser))


def three(games: Sequence[str]) -> None:
    """One seat by HTTP, one by mail and files, one in a terminal."""
    for game in games:
        with running() as (_, url, browser):
            at_one_table(game, "Chromium", (Phone(browser, url), Phone(browser, url)))


def at_one_table(game: str, name: str, phones: tuple[Tab, Tab]) -> None:
    """Three ways at the table of a host's real process, from the invitations to the end of a hand or game turn."""
    terminal, began = Terminal(f"pbem-three-{os.getpid()}"), time.monotonic()
    with tempfile.TemporaryDirectory() as folder, MailStack(("games", "boss", *SEATS)) as stack:
        place = Place(stack.ports, str(stack.ca_file))
        try:
            with table(place, Path(folder), phones) as play:
                play.begin(game, terminal)
                play.play()
                taps = sorted(play.seconds)
                say(
                    f"{name}: {game}, three ways: files {play.files}, {len(play.lines)} records, {judged(play.lines)};"
                    f" from tap to record in the page {taps[len(taps) // 2]:.1f} s (median),"
                    f" {taps[-1]:.1f} s (slowest); {time.monotonic() - began:.0f} s in all,"
                    f" load {os.getloadavg()[0]:.0f}"
                )
        finally:
            terminal.tmux("kill-server")


def three_elsewhere(games: Sequence[str], made_of: Sequence[Opened]) -> bool:
    """The same in two Firefoxes and in two WebKits, as far as they are installed; whether nothing failed."""
    fine = True
    for make in made_of:
        for game in games:
            served = server(page_files(kept_page()), 0)
            threading.Thread(target=served.serve_forever, daemon=True).start()
            url, over = f"http://127.0.0.1:{served.server_address[1]}/", cache(partial(gone, served))
            try:
                with make() as browser, make() as other:
                    at_one_table(game, browser.name, (Visitor(browser, url, over), Visitor(other, url, over)))
            except FileNotFoundError as fault:
                say(f"{make.__name__}: {fault}")
            except AssertionError as fault:
                say(f"{make.__name__}: {game}: FAILED: {fault}")
                fine = False
            over()
    return fine


def all_in_the_page(games: Sequence[str]) -> None:
    """Every seat in the page, and one machine for all of it: from a tap to everybody's table."""
    for game in games:
        began = time.monotonic()
        with (
            tempfile.TemporaryDirectory() as folder,
            party(Path(folder), SEATS, game) as tabs,
            running() as (_, url, browser),
        ):
            pages = Pages(browser, url, tabs)
            pages.begin()
            pages.play()
            taps = sorted(pages.seconds)
            say(
                f"{game}, all in the page: {len(taps)} files, {len(lines_of(tabs))} records, {judged(lines_of(tabs))};"
                f" from tap to everybody's table {taps[len(taps) // 2]:.1f} s (median), {taps[-1]:.1f} s (slowest);"
                f" {time.monotonic() - began:.0f} s in all, load {os.getloadavg()[0]:.0f}, troubles {tabs.troubles}"
            )
            pages.close()


def in_other_browsers(games: Sequence[str], made_of: Sequence[Opened]) -> bool:
    """The same in each other browser that is here; one that is not is named. Whether nothing failed."""
    fine = True
    for opened_browser in made_of:
        served = server(page_files(kept_page()), 0)
        threading.Thread(target=served.serve_forever, daemon=True).start()
        url, over = f"http://127.0.0.1:{served.server_address[1]}/", cache(partial(gone, served))
        try:
            with opened_browser() as browser:
                tab = Visitor(browser, url, over)
                say(started(tab, browser.name))
                for game in games:
                    say(evening(tab, browser.name, game))
        except FileNotFoundError as fault:
            say(f"{opened_browser.__name__}: {fault}")
        except AssertionError as fault:
            say(f"{opened_browser.__name__}: FAILED: {fault}")
            fine = False
        over()
    return fine


def touched_elsewhere(games: Sequence[str], made_of: Sequence[Opened]) -> bool:
    """A hand or game turn by touch in each other browser, from the link on; whether nothing failed."""
    fine = True
    for opened_browser in made_of:
        for game in games:
            served = server(page_files(kept_page()), 0)
            threading.Thread(target=served.serve_forever, daemon=True).start()
            url, began = f"http://127.0.0.1:{served.server_address[1]}/", time.monotonic()
            try:
                with opened_browser() as browser:
                    size = browser.size(*SIZES[0])
                    tab = Visitor(browser, url, partial(gone, served))
                    finger = by_touch_in(tab, game, f"{game} {browser.name}", "part")
                    say(
                        f"{browser.name}, {tab.pointer}: {log_line(finger, game, size, time.monotonic() - began)}"
                    )
            except FileNotFoundError as fault:
                say(f"{opened_browser.__name__}: {fault}")
            except AssertionError as fault:
                say(f"{opened_browser.__name__}: {game}: FAILED: {fault}")
                fine = False
            gone(served)
    return fine


if __name__ == "__main__":
    wanted = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    wanted.add_argument("--screens", type=Path)
    wanted.add_argument("--figures", action="store_true")
    wanted.add_argument("--touch", action="store_true")
    wanted.add_argument("--touch-elsewhere", action="store_true")
    wanted.add_argument("--part", action="store_true")
    wanted.add_argument("--third", action="store_true")
    wanted.add_argument("--taps", action="store_true")
    wanted.add_argument("--unseen", action="store_true")
    wanted.add_argument("--whole", action="store_true")
    wanted.add_argument("--three", action="store_true")
    wanted.add_argument("--three-elsewhere", action="store_true")
    wanted.add_argument("--party", action="store_true")
    wanted.add_argument("--elsewhere", action="store_true")
    wanted.add_argument("--game", action="append", help="only this one; else both")
    wanted.add_argument("--browser", action="append", choices=OTHERS, help="only this one; else both")
    asked = wanted.parse_args()
    played = asked.game or ["way-out-west", "wyatt-earp"]
    others = [OTHERS[name] for name in asked.browser or OTHERS]
    if asked.screens:
        sys.exit(0 if pictured(asked.screens) else 1)
    if asked.figures and not figures():
        sys.exit(1)
    if asked.touch:
        touched(played, "part" if asked.part else "match")
    if asked.touch_elsewhere and not touched_elsewhere(played, others):
        sys.exit(1)
    if asked.third:
        a_third_game()
    if asked.taps and not tapped(played):
        sys.exit(1)
    if asked.unseen:
        with running() as (_, url, browser):
            for game in played:
                say("\n".join(hands(browser, url, game)))
    if asked.whole:
        whole(played)
    if asked.three:
        three(played)
    if asked.three_elsewhere and not three_elsewhere(played, others):
        sys.exit(1)
    if asked.party:
        all_in_the_page(played)
    if asked.elsewhere:
        sys.exit(0 if in_other_browsers(played, others) else 1)
