"""``python -m tests.web``: pictures of the page, what it weighs and costs, and whole hands and game turns in Chromium.

::

    --screens DIR    its states at three widths, light and dark, as PNG; these and more are judged for everybody's use
    --figures        bytes over the wire, processor seconds, memory, as a table
    --touch          a whole match of each game by touch alone, 360 × 560 and 390 × 844, taps counted; --part: a hand or
                     game turn of each only
    --touch-elsewhere  a hand or game turn of each by touch in Firefox and in WebKit, as far as they are installed
    --third          a whole match of examples/third-game against the computer by touch, page/ unchanged
    --taps           each kind of tap of a turn, slowed four times: milliseconds to the first changed frame, as a table;
                     ends with 1 where one is over 100
    --unseen         a hand or game turn by the keyboard alone, and by the accessibility tree alone
    --whole          one seat in Chromium to the end of a hand or game turn, by the API and by files, offline in the
                     middle, closed and opened after every step
    --three          the same at a host's real process: by his API, by mail and files, and in a terminal
    --three-elsewhere  that in two Firefoxes and two WebKits, as far as they are installed
    --party          three seats of each game in three pages; seconds from a tap to everybody's table
    --elsewhere      the same in Firefox and in WebKit, as far as they are installed
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache, partial
from http.server import ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from typing import Any

import psutil
from playwright.sync_api import sync_playwright

from pbem.web.build import LATER, WEB
from pbem.web.build import SIZES as PACKED
from pbem.web.serve import page_files, server
from tests.mail.stack import MailStack
from tests.play.test_real_terminal import Terminal
from tests.report.browser import chromium
from tests.service.api_run import lines_of, party
from tests.service.real import Place
from tests.web.by_touch import SIZES, run, told
from tests.web.by_touch import touched as by_touch_in
from tests.web.conftest import FLAGS, kept_page
from tests.web.device import KEPT, Phone
from tests.web.elsewhere import Driven, Visitor, firefox, started, webkit
from tests.web.evening import evening
from tests.web.friends import Friends
from tests.web.line import slow_line, slower
from tests.web.party import Pages
from tests.web.screens import screens
from tests.web.taps import LIMIT, SLOWED, Taps, measured, quarter, too_late
from tests.web.taps import table as table_of_taps
from tests.web.third import third
from tests.web.three import SEATS, Tab, judged, table
from tests.web.unseen import hands
from tests.web.worker import Device, joined, next_file

TIMES = 4
"""How many times slower a cheap phone is, as far as the aims say."""
LOADED = """globalThis.loaded = []; navigator.serviceWorker?.addEventListener("message", ({ data }) => {
  if (data?.of) loaded.push({ at: performance.now(), done: data.fetched, of: data.of, all: data.all });
});"""
"""What is told of the bytes on the line is written down."""
OTHERS = {"firefox": firefox, "webkit": webkit}
Opened = Callable[[], AbstractContextManager[Driven]]


@contextmanager
def running(files: Mapping[str, bytes] | None = None) -> Iterator[tuple[Path, str, Any]]:
    """The built page, its address, and a browser. ``files``: what is served of it, if it is to change meanwhile."""
    folder = kept_page()
    served = server(files or page_files(folder), 0)
    threading.Thread(target=served.serve_forever, daemon=True).start()
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        yield folder, f"http://127.0.0.1:{served.server_address[1]}/", browser
        browser.close()
    served.shutdown()


def pictured(folder: Path) -> bool:
    """Every state as a picture, judged; whether no fault was found."""
    files = page_files(kept_page())
    with running(files) as (_, url, browser):
        judged_states, faults = screens(folder, browser, url, files)
    say(f"{judged_states} screens judged by axe, touch targets, width: {len(faults)} faults")
    for fault in faults:
        say(fault)
    return not faults


# --- figures ------------------------------------------------------------------------------------------------


def figures() -> None:
    """Bytes, seconds over a slow line, processor seconds of the whole browser, memory."""
    with tempfile.TemporaryDirectory() as place, running() as (folder, _, browser):
        packed = Path(place) / "page"
        shutil.copytree(folder, packed)
        weighed(packed)
        with slow_line(page_files(packed)) as url:
            say(f"at 1.6 Mbit/s and 150 ms, load {os.getloadavg()[0]:.0f} on {os.cpu_count()} processors:")
            on_a_slow_line(browser, url)
            say(f"the same on a processor {TIMES} times slower:")
            with slower(TIMES, Meter.processes) as passed:
                on_a_slow_line(browser, url)
            say(f"the browser ran {passed[0]:.0f} of {passed[1]:.0f} s, load {os.getloadavg()[0]:.0f}")
    with running() as (_, url, browser):
        phone = Phone(browser, url)
        meter = Meter()
        phone.open()
        phone.wait("home")
        meter.tell("cold: from the address to the first screen")
        phone.press("Begin")
        phone.wait("table")
        meter.tell("cold: a new practice match to its table")
        for turn in (1, 2, 3):
            phone.take_last()
            meter.tell(f"turn {turn}: drawn, the next table")
            phone.take_last()
            phone.wait("table")
            meter.tell(f"turn {turn}: signed, checked, answered by two players, next table")
        for visit in (2, 3, 4):
            phone.open()
            phone.wait("home")
            meter.tell(f"warm, visit {visit}: from the address to the first screen")
            phone.page.locator("button.row").first.click()
            phone.wait("table")
            meter.tell(f"warm, visit {visit}: the match to its table")
        remembered(phone, "after practice")
        phone.close()
        long_match(browser, url, Friends("wyatt-earp"), 150)
        long_match(browser, url, Friends("way-out-west", others=("burt", "curt", "dave", "ella")), 1000)


def on_a_slow_line(browser: Any, url: str) -> None:
    """What one waits for at the first and at the second visit."""
    phone, meter = Phone(browser, url, width=360, height=560), Meter()
    phone.context.add_init_script(LOADED)
    phone.page = phone.context.new_page()
    phone.page.goto(f"{url}#practice=wyatt-earp", wait_until="commit")
    phone.page.wait_for_selector("#meanwhile p")
    meter.tell("first visit: the goal of the game can be read", start=False)
    phone.wait("table")
    phone.page.wait_for_selector(".game .can")
    meter.tell("first visit: the first practice table can be touched")
    steps = phone.ask("() => loaded")
    gaps = [late["at"] - soon["at"] for soon, late in pairwise(steps)]
    say(
        f"{'':29}its line: {len(steps)} times another number, to {steps[-1]['of'] / 1e6:.2f} MB,"
        f" the longest time without one {max(gaps) / 1000:.1f} s"
    )
    phone.page.wait_for_function(KEPT)
    phone.page.close()
    phone.page = phone.context.new_page()
    meter = Meter()
    phone.page.goto(url, wait_until="commit")
    phone.page.wait_for_selector("html[data-screen=last] .board svg")
    meter.tell("second visit: the last public table, as of when", start=False)
    phone.page.wait_for_selector(".game:not(.last) .can")
    meter.tell("second visit: it can be touched")
    phone.close()


def long_match(browser: Any, url: str, friends: Friends, records: int) -> None:
    """A match of so many records, made here and put in as a backup: taken in, opened anew, a turn."""
    with tempfile.TemporaryDirectory() as folder:
        device = Device(Path(folder))
        name, _ = joined(device, friends)
        scene = device("open", match=name)["scene"]
        while len(friends.world.lines) < records:
            file = next_file(device, scene)
            device("left", text=file["text"], way="write", place=file["name"])
            friends.take(file["text"].encode())
            if records > 500:  # no match is that long without talk
                friends.chat(records)
            scene = device.bring(friends.lines(scene["head"]))["scene"]
        backup = base64.b64decode(device("backup", match=name)["data"])
    phone, told = Phone(browser, url), f"{len(friends.world.lines)} records"
    phone.open()
    phone.wait("home")
    meter = Meter()
    phone.bring(backup, "match.zip")
    phone.press("Take it in")
    phone.wait("table")
    meter.tell(f"{told}: taken in for the first time, to the table")
    phone.open()
    phone.wait("home")
    meter.tell(f"{told}: warm, from the address to the first screen")
    phone.page.locator("button.row").first.click()
    phone.wait("table")
    meter.tell(f"{told}: warm, the match to its table")
    phone.sign()
    phone.page.wait_for_selector("dialog[open] .ways")
    meter.tell(f"{told}: chosen, signed and checked")
    before = len(friends.world.lines)
    friends.take(phone.shown())
    phone.bring(friends.lines(before - 1))
    phone.wait("table")
    meter.tell(f"{told}: the answer taken in, to the next table")
    remembered(phone, told)
    phone.close()


def remembered(phone: Phone, what: str) -> None:
    """What memory it takes now."""
    heap = phone.page.evaluate("globalThis.pbemMeasure().then((told) => told.answer.heap)")
    most = max(process.memory_info().rss for process in Meter.processes())
    say(f"{what}: Python's memory {heap / 2**20:.0f} MiB; the largest process {most / 2**20:.0f} MiB")


def weighed(folder: Path) -> None:
    """Each part of the page, packed as the build packs it; what a reader of English fetches at the first visit."""
    names = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file()]
    subprocess.run(["node", str(WEB / "pack.mjs"), str(folder), *names], check=True)
    packed = json.loads((folder / PACKED).read_bytes())["br"]
    sizes = {name: packed.get(name) or (folder / name).stat().st_size for name in names}
    parts = {
        "pyodide/pyodide.asm.wasm": 0, "pyodide/python_stdlib.zip": 0, "pyodide/pyodide.asm.mjs": 0, "app.zip": 0,
        "foreign/": 0, "rest.zip": 0, "lang-": 0, "": 0,
    }  # fmt: skip
    for name, size in sizes.items():
        parts[next(start for start in parts if name.startswith(start))] += size
    for start, size in parts.items():
        say(f"{start or 'the rest':28} {size / 1e6:6.2f} MB")
    say(f"{'everything':28} {sum(sizes.values()) / 1e6:6.2f} MB")
    first = sum(size for name, size in sizes.items() if not LATER.fullmatch(name))
    say(f"{'before the first table':28} {first / 1e6:6.2f} MB, in English")


class Meter:
    """Processor seconds of every process of the browser, and seconds on the wall, since it was last told."""

    def __init__(self) -> None:
        self._used, self._at = self.used(), time.monotonic()

    @staticmethod
    def processes() -> list[psutil.Process]:
        """The browser's."""
        children = psutil.Process().children(recursive=True)
        return [one for one in children if "chrom" in one.name()]

    def used(self) -> dict[int, float]:
        """Processor seconds by process."""
        return {one.pid: sum(one.cpu_times()[:2]) for one in self.processes()}

    def tell(self, what: str, *, start: bool = True) -> None:
        """So much since last time; ``start``: from here on anew."""
        now = self.used()
        seconds = sum(used - self._used.get(pid, 0.0) for pid, used in now.items())
        say(f"{seconds:6.1f} s processor, {time.monotonic() - self._at:6.1f} s wall: {what}")
        if start:
            self._used, self._at = now, time.monotonic()


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
    for row in table_of_taps(taps.found):
        say(row)
    return too_late(taps.found)


def a_third_game() -> None:
    """One that the page has never heard of."""
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
            with table(place, Path(folder), phones) as made:
                made.begin(game, terminal)
                made.play()
                taps = sorted(made.seconds)
                say(
                    f"{name}: {game}, three ways: files {made.files}, {len(made.lines)} records, {judged(made.lines)};"
                    f" from tap to record in the page {taps[len(taps) // 2]:.1f} s (median),"
                    f" {taps[-1]:.1f} s (slowest); {time.monotonic() - began:.0f} s in all,"
                    f" load {os.getloadavg()[0]:.0f}"
                )
        finally:
            terminal.tmux("kill-server")


def three_elsewhere(games: Sequence[str], made_of: Sequence[Opened]) -> bool:
    """The same in two Firefoxes and in two WebKits, as far as they are installed; whether nothing failed."""
    fine = True
    for made in made_of:
        for game in games:
            served = server(page_files(kept_page()), 0)
            threading.Thread(target=served.serve_forever, daemon=True).start()
            url, over = f"http://127.0.0.1:{served.server_address[1]}/", cache(partial(gone, served))
            try:
                with made() as one, made() as other:
                    at_one_table(game, one.name, (Visitor(one, url, over), Visitor(other, url, over)))
            except FileNotFoundError as fault:
                say(f"{made.__name__}: {fault}")
            except AssertionError as fault:
                say(f"{made.__name__}: {game}: FAILED: {fault}")
                fine = False
            over()
    return fine


def all_in_the_page(games: Sequence[str]) -> None:
    """Every seat in the page, and one machine for all of it: from a tap to everybody's table."""
    for game in games:
        began = time.monotonic()
        with (
            tempfile.TemporaryDirectory() as folder,
            party(Path(folder), SEATS, game) as made,
            running() as (_, url, browser),
        ):
            pages = Pages(browser, url, made)
            pages.begin()
            pages.play()
            taps = sorted(pages.seconds)
            say(
                f"{game}, all in the page: {len(taps)} files, {len(lines_of(made))} records, {judged(lines_of(made))};"
                f" from tap to everybody's table {taps[len(taps) // 2]:.1f} s (median), {taps[-1]:.1f} s (slowest);"
                f" {time.monotonic() - began:.0f} s in all, load {os.getloadavg()[0]:.0f}, troubles {made.troubles}"
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
            with opened_browser() as one:
                tab = Visitor(one, url, over)
                say(started(tab, one.name))
                for game in games:
                    say(evening(tab, one.name, game))
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
                with opened_browser() as one:
                    size = one.size(*SIZES[0])
                    tab = Visitor(one, url, partial(gone, served))
                    finger = by_touch_in(tab, game, f"{game} {one.name}", "part")
                    say(f"{one.name}, {tab.pointer}: {told(finger, game, size, time.monotonic() - began)}")
            except FileNotFoundError as fault:
                say(f"{opened_browser.__name__}: {fault}")
            except AssertionError as fault:
                say(f"{opened_browser.__name__}: {game}: FAILED: {fault}")
                fine = False
            gone(served)
    return fine


def gone(served: ThreadingHTTPServer) -> None:
    """Nobody answers at its port any more."""
    served.shutdown()
    served.server_close()


def say(text: str) -> None:
    """A line of the log."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


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
    if asked.figures:
        figures()
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
