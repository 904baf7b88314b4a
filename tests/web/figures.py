"""What the page weighs and costs, beside the aims and what was measured at commit 6c868bd0 (23 November 2026).

That page was measured in Chromium 150 at 390 × 844 and 360 × 640, over 1.6 Mbps with 150 ms, on a processor four times
slower. An aim of seconds is judged on such a processor, so by a machine that has nothing else to do.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import psutil

from pbem.base.language import CODES
from pbem.web.build import LATER, WEB
from pbem.web.build import SIZES as PACKED
from pbem.web.serve import page_files
from tests.web.device import KEPT, Phone
from tests.web.friends import Friends
from tests.web.line import slow_line, slower
from tests.web.running import running, say
from tests.web.worker import Device, joined, next_file

TIMES = 4
"""How many times slower a cheap phone is, as far as the aims say."""
LONG: Final = 900
"""Records of a long match in which somebody is still asked: with a hundred more it is over."""
LOADED = """globalThis.loaded = []; navigator.serviceWorker?.addEventListener("message", ({ data }) => {
  if (data?.of) loaded.push({ at: performance.now(), done: data.fetched, of: data.of, all: data.all });
});"""
"""What is shown of the bytes on the line is written down."""


@dataclass(frozen=True)
class Aim:
    """What is aimed at: no more than ``most`` of ``unit``; ``before`` is what commit 6c868bd0 had."""

    measured: str
    most: float
    unit: str
    before: str


BYTES: Final = Aim(
    "on the line before the first practice table, any language", 4.6, "MB", "7.07, served as 25.5"
)
GOAL: Final = Aim("first visit: the goal of the game can be read", 5, "s", "never")
FIRST: Final = Aim("first visit: the first practice table can be touched", 38, "s", "132 to 137")
STILL: Final = Aim("first visit: the number of bytes stands still", 2, "s", "files were counted")
LAST: Final = Aim("second visit: the last public table, as of when", 1.5, "s", "never")
TOUCHED: Final = Aim("second visit: it can be touched", 8, "s", "11.8: first screen 7.3, match 4.5")
AIMS: Final = (BYTES, GOAL, FIRST, STILL, LAST, TOUCHED)


def figures() -> bool:
    """Bytes, seconds over a slow line, processor seconds of the whole browser, memory; whether every aim is reached."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as place, running() as (folder, _, browser):
        packed = Path(place) / "page"
        shutil.copytree(folder, packed)
        bytes_on_the_line = weighed(packed)
        with slow_line(page_files(packed)) as url:
            say(f"at 1.6 Mbit/s and 150 ms, load {os.getloadavg()[0]:.0f} on {os.cpu_count()} processors:")
            on_a_slow_line(browser, url)
            say(f"the same on a processor {TIMES} times slower:")
            with slower(TIMES, Meter.processes) as passed:
                members = {BYTES: bytes_on_the_line / 1e6, **on_a_slow_line(browser, url)}
            load = os.getloadavg()[0]
            say(f"the browser ran {passed[0]:.0f} of {passed[1]:.0f} s, load {load:.0f}")
    with running() as (_, url, browser):
        at_home(browser, url)
        long_match(browser, url, Friends("wyatt-earp"), 150)
        long_match(browser, url, Friends("way-out-west", others=("burt", "curt", "dave", "ella")), LONG)
    say(f"{'':68} {'aim':>5} {'now':>6}      at 6c868bd0")
    for aim in AIMS:
        missed = "" if members[aim] <= aim.most else "  MISSED"
        say(f"{f'{aim.measured} ({aim.unit})':68} {aim.most:5} {members[aim]:6.2f}      {aim.before}{missed}")
    say(f"{time.monotonic() - began:.0f} s in all; the aims of seconds at load {load:.0f}")
    return all(members[aim] <= aim.most for aim in AIMS)


def at_home(browser: Any, url: str) -> None:
    """Processor seconds of a match against the computer, without a line to wait for."""
    phone, meter = Phone(browser, url), Meter()
    phone.open()
    phone.wait("home")
    meter.measure("cold: from the address to the first screen")
    phone.press("Begin")
    phone.wait("table")
    meter.measure("cold: a new practice match to its table")
    for turn in (1, 2, 3):
        phone.take_last()
        meter.measure(f"turn {turn}: drawn, the next table")
        phone.take_last()
        phone.wait("table")
        meter.measure(f"turn {turn}: signed, checked, answered by two players, next table")
    for visit in (2, 3, 4):
        phone.open()
        phone.wait("home")
        meter.measure(f"warm, visit {visit}: from the address to the first screen")
        phone.page.locator("button.row").first.click()
        phone.wait("table")
        meter.measure(f"warm, visit {visit}: the match to its table")
    remembered(phone, "after practice")
    phone.close()


def on_a_slow_line(browser: Any, url: str) -> dict[Aim, float]:
    """Seconds that one waits for what, at the first and at the second visit."""
    members = {}
    phone, meter = Phone(browser, url, width=360, height=560), Meter()
    phone.context.add_init_script(LOADED)
    phone.page = phone.context.new_page()
    phone.page.goto(f"{url}#practice=wyatt-earp", wait_until="commit")
    phone.page.wait_for_selector("#meanwhile p")
    members[GOAL] = meter.measure(GOAL.measured, start=False)
    phone.wait("table")
    phone.page.wait_for_selector(".game .can")
    members[FIRST] = meter.measure(FIRST.measured)
    steps = phone.ask("() => loaded")
    gaps = [late["at"] - soon["at"] for soon, late in pairwise(steps)]
    say(
        f"{'':29}its line: {len(steps)} times another number, to {steps[-1]['of'] / 1e6:.2f} MB,"
        f" the longest time without one {max(gaps) / 1000:.1f} s"
    )
    members[STILL] = max(gaps) / 1000
    phone.page.wait_for_function(KEPT)
    phone.page.close()
    phone.page = phone.context.new_page()
    meter = Meter()
    phone.page.goto(url, wait_until="commit")
    phone.page.wait_for_selector("html[data-screen=last] .board svg")
    members[LAST] = meter.measure(LAST.measured, start=False)
    phone.page.wait_for_selector(".game:not(.last) .can")
    members[TOUCHED] = meter.measure(TOUCHED.measured)
    phone.close()
    return members


def long_match(browser: Any, url: str, friends: Friends, records: int) -> None:
    """A match of so many records, made here and put in as a backup: restored, opened again, a turn."""
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
    phone, size = Phone(browser, url), f"{len(friends.world.lines)} records"
    phone.open()
    phone.wait("home")
    meter = Meter()
    phone.bring(backup, "match.zip")
    phone.press("Take it in")
    phone.wait("table")
    meter.measure(f"{size}: taken in for the first time, to the table")
    phone.open()
    phone.wait("home")
    meter.measure(f"{size}: warm, from the address to the first screen")
    phone.page.locator("button.row").first.click()
    phone.wait("table")
    meter.measure(f"{size}: warm, the match to its table")
    phone.sign()
    phone.page.wait_for_selector("dialog[open] .ways")
    meter.measure(f"{size}: chosen, signed and checked")
    before = len(friends.world.lines)
    friends.take(phone.shown())
    phone.bring(friends.lines(before - 1))
    phone.wait("table")
    meter.measure(f"{size}: the answer taken in, to the next table")
    remembered(phone, size)
    phone.close()


def remembered(phone: Phone, title: str) -> None:
    """What memory it takes now."""
    heap = phone.page.evaluate("globalThis.pbemMeasure().then((message) => message.answer.heap)")
    most = max(process.memory_info().rss for process in Meter.processes())
    say(f"{title}: Python's memory {heap / 2**20:.0f} MiB; the largest process {most / 2**20:.0f} MiB")


def weighed(folder: Path) -> int:
    """Each part of the page, packed as the build packs it; bytes before the first table, in the largest language."""
    names = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file()]
    subprocess.run(["node", str(WEB / "pack.mjs"), str(folder), *names], check=True)
    packed = json.loads((folder / PACKED).read_bytes())["br"]
    sizes = {name: packed.get(name) or (folder / name).stat().st_size for name in names}
    parts = {
        "pyodide/pyodide.asm.wasm": 0, "pyodide/python_stdlib.zip": 0, "pyodide/pyodide.asm.mjs": 0, "app.zip": 0,
        "game-": 0, "foreign/": 0, "rest": 0, "lang-": 0, "": 0,
    }  # fmt: skip
    for name, size in sizes.items():
        parts[next(start for start in parts if name.startswith(start))] += size
    for start, size in parts.items():
        say(f"{start or 'the rest':28} {size / 1e6:6.2f} MB")
    say(f"{'everything':28} {sum(sizes.values()) / 1e6:6.2f} MB")
    first = sum(size for name, size in sizes.items() if not LATER.fullmatch(name))
    first += max(size for name, size in sizes.items() if name.startswith("game-"))
    by_language = {"en": first}
    for code in CODES:
        if code != "en":
            more = sizes[f"lang-{code}.zip"] + sizes[f"words-{code}.json"] - sizes["words-en.json"]
            by_language[code] = first + more
    for code, size in by_language.items():
        say(f"{'before the first table':28} {size / 1e6:6.2f} MB, {code}, the larger game ({size:,} bytes)")
    return max(by_language.values())


class Meter:
    """Processor seconds of every process of the browser, and wall-clock seconds, since it was last read."""

    def __init__(self) -> None:
        self._used, self._at = self.used(), time.monotonic()

    @staticmethod
    def processes() -> list[psutil.Process]:
        """The browser's."""
        children = psutil.Process().children(recursive=True)
        return [child for child in children if "chrom" in child.name()]

    def used(self) -> dict[int, float]:
        """Processor seconds by process."""
        return {process.pid: sum(process.cpu_times()[:2]) for process in self.processes()}

    def measure(self, title: str, *, start: bool = True) -> float:
        """So much since last time, and wall-clock seconds; ``start``: and begins to measure again."""
        now, wall = self.used(), time.monotonic() - self._at
        seconds = sum(used - self._used.get(pid, 0.0) for pid, used in now.items())
        say(f"{seconds:6.1f} s processor, {wall:6.1f} s wall: {title}")
        if start:
            self._used, self._at = now, time.monotonic()
        return wall
