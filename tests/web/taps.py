"""What a tap shows, and after how long, on a slowed processor: ``python -m tests.web --taps``.

Each kind of tap of a practice match, from the finger's first contact to the first frame on which something is another
than before: the page itself, the button that looks pressed, or the mark that something is worked at. Beside it the
browser's own Event Timing.
Slowed in two ways, one after the other: the page's own thread four times, by Chromium; and, where this process may make
a control group (Linux, root), every process of the browser together held to a quarter of a processor.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any, Final

import psutil

from tests.web.device import GUARD, MIDDLE, Phone

SLOWED: Final = 4
LIMIT: Final = 100
"""Milliseconds."""
_GROUPS: Final = Path("/sys/fs/cgroup/cpu")
_WATCH: Final = """() => {
  const taps = (globalThis.taps = { from: 0, shown: 0, what: '', timing: 0 });
  let content = false, pressed = false;
  const all = { subtree: true, childList: true, attributes: true, characterData: true };
  new MutationObserver((list) => {
    for (const { target, attributeName } of list) {
      if (attributeName === 'data-pressed') pressed = true;
      else if (target !== document.documentElement) content = true;
    }
  }).observe(document, all);
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) if (one.interactionId) taps.timing = Math.max(taps.timing, one.duration);
  }).observe({ type: 'event', durationThreshold: 16 });
  const frame = () => {
    if (taps.shown) return;
    const busy = document.documentElement.dataset.busy === 'yes'
      && getComputedStyle(document.body, '::before').opacity === '1';
    if (content || pressed || busy) {
      const what = content ? 'page' : pressed ? 'press' : 'mark';
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => taps.shown || Object.assign(taps, { shown: performance.now() - taps.from, what });
      port2.postMessage(0); // the task after the frame
    } else requestAnimationFrame(frame);
  };
  addEventListener('pointerdown', (event) => {
    content = pressed = false;
    Object.assign(taps, { from: event.timeStamp, shown: 0, what: '', timing: 0 });
    requestAnimationFrame(frame);
  }, true);
}"""
_UNDER_A_FINGER: Final = """(one) => {
  one.scrollIntoView({ block: "nearest" });
  const box = one.getBoundingClientRect();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  return one.contains(document.elementFromPoint(x, y)) ? [x, y] : null;
}"""
_ALONE: Final = 400
"""Milliseconds after a tap in which nobody asks the page anything."""


class Taps:
    """Taps in one practice match, and what each kind took: milliseconds, what was shown, Event Timing."""

    def __init__(self, phone: Phone, rate: int) -> None:
        self.measured: dict[str, list[tuple[float, str, float]]] = defaultdict(list)
        self._phone = phone
        self._rate = rate
        phone.page.evaluate(_WATCH)
        phone.page.wait_for_function(
            "() => true"
        )  # the driver's own scripts are in the page now, not at the first tap
        self._slow = phone.context.new_cdp_session(phone.page)

    def at(self, kind: str, place: tuple[float, float]) -> None:
        """One tap of this kind there, on an idle page. Nothing of the driver's runs in the page meanwhile."""
        page = self._phone.page
        self._phone.rest()
        page.wait_for_timeout(GUARD)
        self._slow.send("Emulation.setCPUThrottlingRate", {"rate": self._rate})
        page.touchscreen.tap(*place)
        page.wait_for_timeout(_ALONE)
        page.wait_for_function("() => taps.shown", polling=50)
        page.wait_for_timeout(GUARD)
        self._slow.send("Emulation.setCPUThrottlingRate", {"rate": 1})
        self._phone.rest()
        taps = page.evaluate("() => taps")
        self.measured[kind].append((taps["shown"], taps["what"], taps["timing"]))

    def part(self, kind: str, part: str) -> None:
        """On a part of the table, a card, a button of the action bar."""
        place = self._phone.page.evaluate(MIDDLE, part)
        assert place is not None, f"{part} is nowhere on the screen"
        self.at(kind, place)

    def button(self, kind: str, name: str) -> None:
        """On a button by its name, in the open sheet if there is one."""
        page = self._phone.page
        place = page.locator("dialog[open]") if page.locator("dialog[open]").count() else page
        self._at(kind, place.get_by_role("button", name=name, exact=True).first)

    def on(self, kind: str, selector: str) -> bool:
        """On the first of these, if there is one."""
        element = self._phone.page.locator(selector).first
        if not element.count():
            return False
        self._at(kind, element)
        return True

    def _at(self, kind: str, element: Any) -> None:
        place = element.evaluate(_UNDER_A_FINGER)
        assert place is not None, f"{kind}: something lies over it"
        self.at(kind, place)


def play(phone: Phone, taps: Taps, rounds: int) -> None:
    """Every kind of tap that a turn has, so many times."""
    for _ in range(rounds):
        _news(phone, taps)
        taps.on("a card or a part that cannot be touched now", ".card:not(.can)")
        taps.on("a fold", "details.latest summary")
        _sheets(taps)
        taps.on("a choice of the list", ".choosing button[data-do=action]")
        _decide(phone, taps)
    _news(phone, taps)
    taps.button("back to the list", "Your matches")
    phone.wait("home")
    taps.on("a fold", "#settings summary")
    for _ in range(2):
        taps.on("a setting", "#quiet")
    taps.on("a match of the list", "ul.matches button.row")
    phone.wait("table")


def _news(phone: Phone, taps: Taps) -> None:
    while phone.page.locator(".game[data-news=yes], dialog.ending").count():
        if not taps.on("on from the end of a hand", "dialog.ending .ways button"):
            taps.on("skip what happened", ".game[data-news=yes] #yes")
        phone.rest()


def _sheets(taps: Taps) -> None:
    for kind, name in (
        ("the rules", "The rules"), ("what happened", "What happened"), ("check everything", "Check everything"),
    ):  # fmt: skip
        taps.button("the menu", "More")
        taps.button(kind, name)
        taps.button("a sheet is closed", "Close")
    taps.on("talk", "button.talk")
    taps.button("words are kept", "Keep")


def _decide(phone: Phone, taps: Taps) -> None:
    """Touches until the yes, one of them taken back; then the yes."""
    taken_back = False
    for _ in range(40):
        if phone.page.locator(".game[data-news=yes], dialog.ending").count():
            return
        chosen = phone.page.locator(".game .chosen").count()
        if phone.page.locator("#yes .label").count() and (chosen or not phone.marked):
            if not taken_back and chosen:
                taken_back = taps.on("what was touched is let go", ".yes .clear")
                continue
            taps.on("the yes", "#yes")
            continue
        if taps.on("a number of the stepper", ".stepper .number.can"):
            continue
        if taps.on("a button of the action bar", ".chips .chip.can"):
            continue
        part = phone.marked[0]
        kind = "a card of the hand" if part.startswith("hand:") else "a part of the table"
        taps.part(kind, part)


def measured(browser: Any, url: str, game: str, rate: int, rounds: int = 2) -> Taps:
    """The kinds of tap of a practice match."""
    phone = Phone(browser, url, width=360, height=560, reduced_motion="no-preference")
    phone.open()
    phone.wait("home")
    phone.page.evaluate("() => document.fonts.ready")
    taps = Taps(phone, rate)
    phone.page.select_option("#game", game)
    taps.button("practice is begun", "Begin")
    phone.wait("table")
    play(phone, taps, rounds)
    phone.close()
    return taps


@contextmanager
def quarter() -> Iterator[bool]:
    """Every process of the browser in a group of a quarter of a processor; False where that cannot be made."""
    place = _GROUPS / "pbem-quarter"
    try:
        place.mkdir()
        (place / "cpu.cfs_period_us").write_text("20000")
        (place / "cpu.cfs_quota_us").write_text("5000")
    except OSError:
        yield False
        return
    for child in psutil.Process().children(recursive=True):
        if "chrom" in child.name():
            (place / "cgroup.procs").write_text(str(child.pid))
    yield True
    for pid in (place / "cgroup.procs").read_text().split():
        (_GROUPS / "cgroup.procs").write_text(pid)
    place.rmdir()


def too_late(by_kind: dict[str, list[tuple[float, str, float]]]) -> list[str]:
    """The kinds of which one tap or more showed nothing within the limit."""
    return [kind for kind, all_ in by_kind.items() if max(tap[0] for tap in all_) > LIMIT]


def table(by_kind: dict[str, list[tuple[float, str, float]]]) -> Iterator[str]:
    """As rows; the last column says what is over the limit."""
    yield "| tap | times | median ms | most ms | shown first | Event Timing, most ms | over 100 ms |"
    yield "|---|--:|--:|--:|---|--:|--:|"
    for kind, all_ in by_kind.items():
        shown = [tap[0] for tap in all_]
        names = ", ".join(sorted({tap[1] for tap in all_}))
        late = sum(seconds > LIMIT for seconds in shown)
        timing = max(tap[2] for tap in all_)
        yield f"| {kind} | {len(all_)} | {median(shown):.0f} | {max(shown):.0f} | {names} | {timing:.0f} | {late} |"
