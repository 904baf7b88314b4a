"""An evening that nobody prepared: ``pbem host`` behind a name and a certificate, a friend in Chromium with a link.

::

    python -m tests.evening.host [-o examples/host-evening.md]

Real programs: ``pbem host`` in a terminal (tmux), Caddy in front with a certificate (recipe a), Chromium at phone size.
What is counted are the organiser's answers and commands, and the friend's taps; a field typed counts one. The host's
program is killed in the middle, and goes on once in another folder from its copy.
"""

from __future__ import annotations

import argparse
import base64
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import trustme
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from playwright.sync_api import sync_playwright

from tests.cli.seats import run
from tests.evening.organiser import PASSPHRASE, ByLink, Organiser
from tests.mail.stack import free_port
from tests.play.test_real_terminal import Terminal, new_terminal
from tests.report.browser import chromium
from tests.service.containers import caddy_program
from tests.web.conftest import FLAGS, kept_page
from tests.web.device import Phone
from tests.web.three import decide

NAME = "anna.test"


@dataclass
class Count:
    """What the evening asked of people."""

    answers: int = 0
    commands: int = 0
    first_visit: list[str] = field(default_factory=list)
    second_visit: list[str] = field(default_factory=list)
    turns: int = 0
    records: int = 0
    seconds: float = 0

    def table(self) -> str:
        """For people."""
        rows = [
            (
                "the organiser's answers to `pbem host`, from an empty folder to links on the screen",
                str(self.answers),
            ),
            (
                "commands that the organiser typed, the recipe's, a power cut and a dead computer included",
                str(self.commands),
            ),
            ("a friend's taps to the own seat: " + ", ".join(self.first_visit), str(len(self.first_visit))),
            (
                "taps on the second visit before the first own choice: " + ", ".join(self.second_visit),
                str(len(self.second_visit)),
            ),
            ("turns of both in the end", str(self.turns)),
            ("records, audited without a fault", str(self.records)),
        ]
        lines = ["| what | how many |", "|---|--:|", *(f"| {what} | {number} |" for what, number in rows)]
        return "\n".join(lines) + "\n"


@contextmanager
def caddy(folder: Path, port: int, behind: str) -> Iterator[str]:
    """Recipe (a): Caddy in front of the API, with a name and a certificate; what Chromium must know of that."""
    authority = trustme.CA()
    leaf = authority.issue_cert(NAME)
    leaf.private_key_pem.write_to_path(folder / "key.pem")
    chain = b"".join(blob.bytes() for blob in leaf.cert_chain_pems)
    (folder / "chain.pem").write_bytes(chain)
    site = f"{{\n admin off\n auto_https off\n}}\nhttps://{NAME}:{port} {{\n tls {folder}/chain.pem {folder}/key.pem\n"
    (folder / "Caddyfile").write_text(f"{site} reverse_proxy {behind}\n}}\n")
    command = [caddy_program(), "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]
    with (folder / "caddy.log").open("wb") as log:
        running = subprocess.Popen(
            command, stdout=log, stderr=log, env={"HOME": str(folder), "PATH": "/usr/bin:/bin"}
        )
        try:
            key = x509.load_pem_x509_certificate(chain).public_key()
            raw = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
            yield base64.b64encode(sha256(raw).digest()).decode()
        finally:
            running.terminate()
            running.wait(20)


class Friend:
    """One friend with a phone and nothing but the link; every tap has a name."""

    def __init__(self, browser: Any, link: str) -> None:
        self.base, _, self.fragment = link.partition("#")
        self.phone = Phone(browser, self.base)
        self.taps: list[str] = []

    def tap(self, name: str) -> None:
        """A button."""
        self.taps.append(name)
        self.phone.press(name)

    def first_visit(self) -> None:
        """From the link to the own seat."""
        self.taps.append("the link")
        self.phone.open("#" + self.fragment)
        self.phone.wait("invitation")
        self.taps.append("the name")
        self.phone.fill("#name", "Burt")
        self.tap("Join")
        self.phone.wait("table")

    def come_back(self) -> list[str]:
        """Another day: the page, and the match in it; what was tapped before the first own choice."""
        self.phone.again()
        return ["the page", "the match"]

    def act(self) -> None:
        """One file of his."""
        self.phone.play()
        decide(self.phone)
        self.phone.sign()
        self.phone.post()


def evening(folder: Path, terminal: Terminal, turns: int) -> Count:
    """The whole of it."""
    begun, count = time.monotonic(), Count()
    page, api, outside = kept_page(), f"127.0.0.1:{free_port()}", free_port()
    url = f"https://{NAME}:{outside}"
    organiser = Organiser(terminal, folder / "friends")
    organiser.sit_down()
    with caddy(folder, outside, api) as spki, sync_playwright() as driver:
        organiser.commands += 1  # Caddy's
        flags = [
            *FLAGS,
            f"--host-resolver-rules=MAP {NAME} 127.0.0.1",
            f"--ignore-certificate-errors-spki-list={spki}",
        ]
        browser = driver.chromium.launch(executable_path=chromium(), args=flags)
        organiser.host("--page", str(page), "--listen", api)
        organiser.first_start("wyatt-earp", "Burt", url, folder / "stick")
        count.answers = organiser.answers
        links = organiser.links()
        anna, burt = ByLink(links["anna"], f"http://{api}"), Friend(browser, links["burt"])
        anna.join()
        burt.first_visit()
        organiser.terminal.until("Burt has taken the seat burt")
        count.first_visit = list(burt.taps)
        killed = False
        while count.turns < turns:
            while anna.read():
                pass
            waiting = anna.player.record.waiting
            if waiting is None or anna.player.record.over:
                break
            if waiting["seat"] == "anna":
                anna.send(anna.player.move())
            else:
                count.second_visit = burt.come_back()
                burt.act()
            count.turns += 1
            if not killed and count.turns == turns // 2:
                killed = True
                organiser.killed()
                organiser.again()
        organiser.quit()
        shutil.move(organiser.folder, folder / "gone")
        elsewhere = folder / "elsewhere"
        elsewhere.mkdir()
        organiser.terminal.press(f"cd {elsewhere}", "Enter")
        organiser.host("--from", str(folder / "stick" / "pbem-friends"))
        organiser.answer("Passphrase of anna", PASSPHRASE)
        organiser.terminal.until("Keys: l links")
        while anna.read():
            pass
        waiting = anna.player.record.waiting
        if waiting is not None and waiting["seat"] == "burt":
            burt.come_back()
            burt.act()
            count.turns += 1
        while anna.read():
            pass
        organiser.quit()
        count.commands = organiser.commands
        browser.close()
    done = run(
        "host",
        "export",
        anna.way["join"],
        "-o",
        folder / "game.jsonl",
        "--config",
        elsewhere / "service.toml",
    )
    assert done.code == 0, done.err
    audit = run("audit", folder / "game.jsonl")
    assert audit.code == 0, audit.out + audit.err
    count.records = len((folder / "game.jsonl").read_bytes().splitlines())
    count.seconds = time.monotonic() - begun
    anna.client.close()
    return count


def main() -> None:
    """Play it, and write the count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--turns", type=int, default=8)
    given = parser.parse_args()
    terminal = new_terminal("host-evening")
    with tempfile.TemporaryDirectory() as folder:
        try:
            count = evening(Path(folder), terminal, given.turns)
        finally:
            terminal.tmux("kill-server")
    print(count.table() + f"\n{count.seconds:.0f} s")
    if given.output is not None:
        given.output.write_text(ABOUT + count.table(), encoding="utf-8")


ABOUT = """# An evening that nobody prepared

[pbem](../README.md) · [host](host.md)

One person types `pbem host` in an empty folder, with Caddy and a certificate in front (recipe a of
[host.md](host.md#reachable)); a friend has a phone (Chromium at 390 × 844) and nothing but the link.
In the middle the host's program is killed; later the folder is gone, and the host goes on elsewhere from
the copy. The organiser's own seat is played by a program of the tests.
Made by `python -m tests.evening.host -o examples/host-evening.md`.

"""


if __name__ == "__main__":
    main()
