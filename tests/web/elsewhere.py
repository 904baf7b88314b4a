"""The page in Firefox and WebKit, as Debian has them, by their own remote controls: no other driver is needed.

Firefox speaks Marionette at a socket, WebKitGTK's browser WebDriver by HTTP. Both take the same commands (W3C
WebDriver); what is done is done as a script of the page: buttons are pressed by what they say.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from pbem.protocol.formats.armour import scan
from tests.mail.stack import free_port
from tests.patience import PATIENCE, until
from tests.web.device import CHOICE, CLICKS, COUNT_CLICKS, KEPT, MIDDLE, TAKES_A_TAP
from tests.web.three import remove_match

_SEND = "section.choosing button[data-do=send]"
_PLACE = """([selector, text]) => {
  const all = [...document.querySelectorAll(selector)].filter((one) => !text || one.innerText.trim() === text);
  const one = all[all.length - 1];
  one?.scrollIntoView({ block: "nearest" });
  const box = one?.getBoundingClientRect();
  return box?.width ? [box.x + box.width / 2, box.y + box.height / 2] : null;
}"""
Command = Callable[[str, dict[str, Any]], Any]


class Driven:
    """A browser that takes W3C commands by their Marionette names."""

    def __init__(self, command: Command, name: str) -> None:
        self._command = command
        self.name = name

    def open(self, url: str) -> None:
        """Go there, and wait until the page has begun or has refused to."""
        self._command("WebDriver:Navigate", {"url": url})
        self.until("document.documentElement.dataset.state")
        if (state := self.script("return document.documentElement.dataset.state")) != "started":
            raise AssertionError(f"{self.name}: {state}: {self.script('return document.body.innerText')}")
        self.script(COUNT_CLICKS)

    def script(self, text: str, *given: Any) -> Any:
        """Run it in the page; what it returns."""
        return self._command("WebDriver:ExecuteScript", {"script": text, "args": list(given)})["value"]

    def act(self, kind: str, given: dict[str, Any], steps: list[dict[str, Any]]) -> None:
        """A finger or a keyboard does this, as the browser's own input."""
        source = {"type": kind, "id": kind, **given, "actions": steps}
        self._command("WebDriver:PerformActions", {"actions": [source]})

    def size(self, width: int, height: int) -> tuple[int, int]:
        """Make the page's part of the window so large, as far as the browser goes; how large it is then."""
        for _ in range(2):  # the second time it is known how much is around it
            around = self.script("return [outerWidth - innerWidth, outerHeight - innerHeight]")
            given = {"width": width + around[0], "height": height + around[1]}
            self._command("WebDriver:SetWindowRect", given)
        wide, high = self.script("return [innerWidth, innerHeight]")
        return int(wide), int(high)

    def until(self, condition: str) -> None:
        """Wait until this holds and nothing is being worked at."""
        end = time.monotonic() + PATIENCE
        rest = "document.documentElement.dataset.busy !== 'yes'"
        while not self.script(f"return Boolean(({condition}) && {rest})"):
            assert time.monotonic() < end, f"{condition}: {self.script('return document.body.innerText')}"
            time.sleep(0.1)

    def screen(self, name: str) -> None:
        """Wait for a screen."""
        self.until(f"document.documentElement.dataset.screen === '{name}'")

    def press(self, text: str) -> None:
        """A button by what it says, in the dialog if one is open."""
        self.until("true")
        element = self.script(
            """const place = document.querySelector("dialog[open]") || document;
            const said = (one) => one.ariaLabel || one.innerText.trim();
            const one = [...place.querySelectorAll("button")].find((one) => said(one) === arguments[0]);
            one?.click();
            return Boolean(one)""",
            text,
        )
        assert element, f"{self.name}: no button {text}: {self.script('return document.body.innerText')}"

    def click(self, selector: str) -> bool:
        """The last one of these; whether there is one."""
        self.until("true")
        text = "const all = document.querySelectorAll(arguments[0]); all[all.length - 1]?.click(); return all.length"
        return bool(self.script(text, selector))

    def fill(self, selector: str, text: str) -> None:
        """Type into a field."""
        self.script("document.querySelector(arguments[0]).value = arguments[1]", selector, text)

    def armour(self) -> bytes:
        """The file that is shown, as text."""
        (block,) = scan(self.script("return document.querySelector('pre.armour').textContent")).blocks
        self.press("Done")
        return block

    def yes(self) -> None:
        """What the action bar names, if a row has put the focus there."""
        if self.script("return document.activeElement.id") == "yes":
            self.script("document.getElementById('yes').click()")
            self.until("true")

    def bring(self, raw: bytes) -> None:
        """A saved email is chosen, as by the picker."""
        if not self.script("return Boolean(document.querySelector('#file'))"):
            self.press("More")
            self.press("Open an email or a file")
        text = """const bytes = Uint8Array.from(atob(arguments[0]), (one) => one.charCodeAt(0));
        const given = new DataTransfer();
        given.items.add(new File([bytes], "letter.eml", { type: "message/rfc822" }));
        const field = document.querySelector("#file");
        field.files = given.files;
        field.dispatchEvent(new Event("change", { bubbles: true }));"""
        self.script(text, b64encode(raw).decode())
        self.until("true")

    def audited(self) -> str:
        """What the page says to "Check everything"."""
        self.press("More")
        self.press("Check everything")
        self.until("document.querySelector('dialog[open] .note')")
        assert not self.script("return document.querySelectorAll('dialog[open] .fault').length")
        sentence = str(self.script("return document.querySelector('dialog[open] .inside p').textContent"))
        self.press("Close")
        return sentence


class Visitor:
    """A person at the page in such a browser, as ``three.Tab`` says; ``gone`` ends what serves the page."""

    def __init__(
        self, browser: Driven, url: str, gone: Callable[[], None], *, pointer: str = "touch"
    ) -> None:
        self._browser, self._url, self._gone, self.pointer = browser, url, gone, pointer

    def open(self, rest: str = "") -> None:
        self._browser.open(self._url + rest)

    def again(self, screen: str = "table") -> None:
        self.open()
        self.wait("home")
        self._browser.script("document.querySelector('.matches button.row').click()")
        self._browser.screen(screen)

    def wait(self, screen: str) -> None:
        """Until this screen is shown; for the list a table is left, which the page opens on."""
        if screen == "home":
            self._browser.until("/home|table|joining/.test(document.documentElement.dataset.screen)")
            if self._browser.script("return document.documentElement.dataset.screen") != "home":
                self._browser.press("Your matches")
        self._browser.screen(screen)

    def play(self) -> None:
        self.wait("table")
        self._browser.until(f"document.querySelector('{CHOICE}')")

    def fill(self, selector: str, text: str) -> None:
        self._browser.fill(selector, text)

    def press(self, name: str) -> None:
        self._browser.press(name)
        self._browser.until("true")

    def bring(self, raw: bytes, name: str = "") -> None:  # noqa: ARG002  as a phone does it
        self._browser.bring(raw)

    def news(self) -> None:
        self._browser.click("#notice button")
        self.press("More")
        self.press("Look for news")
        pattern = "/New events|Nothing new|proposes something/"
        self._browser.until(f"{pattern}.test(document.querySelector('#notice').textContent)")

    def offline(self, away: bool) -> None:
        """Nobody serves the page, from the first time on, once all that must be there was fetched."""
        if away:
            until(lambda: self._browser.script(f"return {KEPT}"))
            self._gone()

    @property
    def has_file(self) -> bool:
        return bool(self._all(_SEND))

    @property
    def actions(self) -> list[str]:
        return self._all("section.choosing .rows button.row[data-do=action]")

    def take(self, index: int) -> None:
        rows = "section.choosing .rows button.row[data-do=action]"
        self._browser.script("document.querySelectorAll(arguments[0])[arguments[1]].click()", rows, index)
        self._browser.until("true")
        self._browser.yes()

    def take_last(self) -> None:
        assert self._browser.click("section.choosing .rows button.row:is([data-do=action], [data-do=open])")
        self._browser.until("true")
        self._browser.yes()

    def send(self) -> None:
        assert self._browser.click(_SEND)
        self._browser.until("true")

    @property
    def signed(self) -> bool:
        by_hand = bool(self._all("dialog[open] #left"))
        return by_hand or bool(re.match("Sending|Sent|Accepted|Refused|Kept", self.status))

    @property
    def status(self) -> str:
        return str(self._browser.script("return document.querySelector('#status')?.textContent ?? ''"))

    def choose(self) -> bool:
        if self.has_file:
            self.send()
        else:
            self.take_last()
        return self.signed

    @property
    def chosen(self) -> int:
        return len(self._all("section.choosing .tray ol li"))

    def sign(self) -> None:
        while not self.choose():
            pass

    def look_at_signed(self) -> None:
        assert self._browser.click("section.choosing button[data-do=deliver]")
        self._browser.until("document.querySelector('dialog[open] pre.armour')")

    def post(self) -> None:
        self._browser.until("document.querySelector('#status')?.textContent.startsWith('Accepted')")

    def post_in_vain(self) -> str:
        self._browser.until("document.querySelector('#notice.trouble')")
        trouble = str(self._browser.script("return document.querySelector('#notice.trouble').innerText"))
        self._browser.press("Send it another way")
        self._browser.until("document.querySelector('dialog[open] #left')")
        return trouble

    def shown(self) -> bytes:
        return self._browser.armour()

    @property
    def trouble(self) -> str:
        return "".join(self._all(".notice.trouble"))

    def audited(self) -> str:
        return self._browser.audited()

    def close(self) -> None:
        """The browser closes when it is left."""

    # --- by touch (``by_touch.Touched``) ------------------------------------------------------------------

    def rest(self) -> None:
        self._browser.until("true")

    def ask(self, script: str, given: Any = None) -> Any:
        return self._browser.script(f"return ({script})(arguments[0])", given)

    def until(self, script: str, given: Any = None) -> None:
        until(lambda: self.ask(script, given), lambda: self.ask("() => document.body.innerText"))

    def tap(self, selector: str, text: str = "") -> None:
        until(lambda: self._tapped(_PLACE, [selector, text]), f"{self._browser.name}: no {selector} {text}")
        self.rest()

    def touch(self, part: str) -> None:
        assert self._tapped(MIDDLE, part), f"{part} is nowhere on the screen"
        self.rest()

    def _tapped(self, where: str, given: Any) -> bool:
        """A finger goes down and up again in the middle of it, until the click was counted; whether it is there."""
        place, before = self.ask(where, given), self.ask(CLICKS)
        if place is not None:
            at = {"type": "pointerMove", "duration": 0, "x": round(place[0]), "y": round(place[1])}
            down, up = {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}
            still = {"type": "pause", "duration": 40}
            self._browser.act("pointer", {"parameters": {"pointerType": self.pointer}}, [at, down, still, up])
            self.until(f"(before) => ({CLICKS})() > before", before)
        return place is not None

    def type(self, text: str) -> None:
        keys = [{"type": kind, "value": character} for character in text for kind in ("keyDown", "keyUp")]
        self._browser.act("key", {}, keys)

    def yes(self) -> None:
        self.until(TAKES_A_TAP)
        self.tap("#yes")

    def _all(self, selector: str) -> list[str]:
        text = "return [...document.querySelectorAll(arguments[0])].map((one) => one.innerText)"
        return list(self._browser.script(text, selector))


def started(tab: Visitor, name: str) -> str:
    """The first visit, to a practice table; then nobody serves the page any more, and it still opens."""
    began = time.monotonic()
    tab.open()
    tab.wait("home")
    first = time.monotonic() - began
    tab.press("Begin")
    tab.wait("table")
    tab.offline(away=True)
    again = time.monotonic()
    tab.open()
    tab.wait("home")
    warm = time.monotonic() - again
    tab.again()
    remove_match(tab)
    return f"{name}: first screen {first:.1f} s cold, {warm:.1f} s warm; from then on nobody serves the page any more"


# --- the two browsers ---------------------------------------------------------------------------------------


@contextmanager
def firefox() -> Iterator[Driven]:
    """Debian's Firefox without a screen."""
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    if program is None:
        raise FileNotFoundError("Firefox is not installed")
    port = free_port()
    with tempfile.TemporaryDirectory() as profile:
        wishes = {"marionette.port": port, "dom.w3c_touch_events.enabled": 1}
        Path(profile, "user.js").write_text(
            "".join(f'user_pref("{name}", {value});\n' for name, value in wishes.items())
        )
        running = subprocess.Popen(
            [program, "--headless", "--marionette", "--no-remote", "--profile", profile],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "HOME": profile},
        )  # fmt: skip
        try:
            with _connected(port) as line:
                about = json.loads(_message(line))
                assert about["applicationType"] == "gecko"
                command = _marionette(line)
                capabilities = command("WebDriver:NewSession", {"capabilities": {}})["capabilities"]
                yield Driven(command, f"Firefox {capabilities['browserVersion']}")
        finally:
            running.terminate()
            running.wait(60)


def _connected(port: int) -> socket.socket:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        except OSError:
            assert time.monotonic() < end, "Firefox does not answer"
            time.sleep(0.2)


def _message(line: socket.socket) -> bytes:
    """One message: its length, a colon, and so many bytes."""
    size = b""
    while (digit := line.recv(1)) != b":":
        assert digit, "Firefox has hung up"
        size += digit
    whole = b""
    while len(whole) < int(size):
        whole += line.recv(int(size) - len(whole))
    return whole


def _marionette(line: socket.socket) -> Command:
    count = 0

    def command(name: str, given: dict[str, Any]) -> Any:
        nonlocal count
        count += 1
        raw = json.dumps([0, count, name, given]).encode()
        line.sendall(str(len(raw)).encode() + b":" + raw)
        _, number, fault, value = json.loads(_message(line))
        assert number == count
        assert not fault, fault
        return value

    return command


@contextmanager
def webkit() -> Iterator[Driven]:
    """Debian's WebKitGTK with its small browser."""
    driver = shutil.which("WebKitWebDriver")
    small = sorted(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"))
    if driver is None or not small:
        raise FileNotFoundError("WebKitWebDriver or MiniBrowser is not installed")
    port = free_port()
    screen = ["xvfb-run", "-a"] if shutil.which("xvfb-run") else []
    running = subprocess.Popen(
        [*screen, driver, f"--port={port}"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE) as client:
            _answers(client)
            options = {"binary": str(small[-1]), "args": ["--automation"]}
            asked = {"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": options}}}
            session = client.post("/session", json=asked).json()["value"]
            assert "sessionId" in session, session
            place = f"/session/{session['sessionId']}"
            paths = {
                "WebDriver:Navigate": "/url", "WebDriver:ExecuteScript": "/execute/sync",
                "WebDriver:PerformActions": "/actions", "WebDriver:SetWindowRect": "/window/rect",
            }  # fmt: skip

            def command(name: str, given: dict[str, Any]) -> Any:
                answer = client.post(place + paths[name], json=given)
                assert answer.status_code == 200, answer.text
                return answer.json()

            version = session["capabilities"]["browserVersion"]
            yield Driven(command, f"WebKitGTK {version}")
            client.delete(place)
    finally:
        os.killpg(running.pid, signal.SIGTERM)  # xvfb-run leaves its screen and the driver behind
        running.wait(60)


def _answers(client: httpx.Client) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            client.get("/status")
        except httpx.TransportError:
            assert time.monotonic() < end, "WebKitWebDriver does not answer"
            time.sleep(0.2)
        else:
            return
