"""An evening that nobody prepared: ``pbem host`` behind a name and a certificate, a friend in Chromium with a link.

::

    python -m tests.evening.host [--game way-out-west] [-o examples/host-evening.md]

Real programs: ``pbem host`` in a terminal (tmux), Caddy in front with a certificate (recipe a), mail servers, and three
Chromiums at phone size: the organiser's own seat and two friends; a third friend has mail alone. What is counted are
the organiser's answers and commands, and a friend's taps; a field typed counts one. The host's program is killed in the
middle, and goes on once in another folder from its copy. A whole hand, or a whole game turn, is played and audited.
"""

from __future__ import annotations

import argparse
import base64
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import trustme
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from playwright.sync_api import sync_playwright

from pbem.protocol.record import Record
from tests.cli.seats import run
from tests.evening.by_mail import arrives, joins
from tests.evening.organiser import Organiser
from tests.mail.stack import PASSWORD, MailStack, free_port
from tests.patience import PATIENCE
from tests.play.test_real_terminal import Terminal, new_terminal
from tests.report.browser import chromium
from tests.service.containers import caddy_program
from tests.service.people import Player
from tests.service.real import Place, Postbox
from tests.web.conftest import FLAGS, kept_page
from tests.web.device import Phone
from tests.web.three import choose, decide

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
            ("a friend's taps to a seat: " + ", ".join(self.first_visit), str(len(self.first_visit))),
            (
                "taps on the second visit before the first own choice: " + ", ".join(self.second_visit),
                str(len(self.second_visit)),
            ),
            ("turns of all four, to the end of the hand or game turn", str(self.turns)),
            ("records, audited without a finding", str(self.records)),
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
    """One person with a phone and nothing but the link; every tap has a name."""

    def __init__(self, browser: Any, link: str, name: str) -> None:
        self.base, _, self.fragment = link.partition("#")
        self.phone = Phone(browser, self.base)
        self.name = name
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
        self.phone.fill("#name", self.name)
        self.tap("Join")
        self.phone.page.wait_for_selector("html:is([data-screen=table], [data-screen=joining])")
        self.phone.rest()

    def come_back(self) -> list[str]:
        """Another day: the page, and the match in it; what was tapped before the first own choice."""
        self.phone.again()
        return ["the page", "the match"]

    def act(self) -> None:
        """One file of his."""
        self.phone.play()
        choose(self.phone)  # else "Accepted" is still what became of the file before
        decide(self.phone)
        self.phone.post()


@dataclass
class Table:
    """Three phones, a friend with mail alone, and what the host's program says has happened."""

    organiser: Organiser
    phones: dict[str, Friend]
    box: Postbox
    game: Path
    short: str = ""

    def record(self) -> Record:
        """The match as the host has it."""
        config = self.organiser.folder / "service.toml"
        self.game.unlink(missing_ok=True)
        done = run("host", "export", self.short, "-o", self.game, "--config", config)
        assert done.code == 0, done.err
        return Record.load(self.game.read_bytes().splitlines())

    def grown(self, head: int) -> None:
        """Until the host has more records than this."""
        end = time.monotonic() + PATIENCE
        while len(self.record().lines) <= head:
            assert time.monotonic() < end, self.organiser.terminal.screen
            self.box.pause(1)

    def act(self, count: Count) -> bool:
        """One file of whoever is awaited; False once nobody is."""
        record = self.record()
        waiting = record.waiting
        asked = [waiting["seat"]] if waiting is not None else list(record.missing_links)
        if not asked or record.over:
            return False
        if any(seat in self.phones for seat in asked):
            friend = self.phones[next(seat for seat in asked if seat in self.phones)]
            taps = friend.come_back()
            if waiting is not None:
                count.second_visit = taps
                friend.act()
        else:
            shown = record.ledger.shown
            known = 0 if shown is None else shown.seq  # an older copy may say that she is asked, too
            arrives(self.box, lambda: len(self.box.player.lines) > known and self.box.player.asked)
            self.box.send(self.box.player.mail(self.box.player.move()))
        self.grown(len(record.lines))
        count.turns += waiting is not None
        return True


def evening(folder: Path, terminal: Terminal, game: str) -> Count:
    """The whole of it, to the end of a hand or game turn."""
    begun, count = time.monotonic(), Count()
    page, api, outside = kept_page(), f"127.0.0.1:{free_port()}", free_port()
    url = f"https://{NAME}:{outside}"
    organiser = Organiser(terminal, folder / "friends")
    with (
        MailStack(("games", "dora")) as stack,
        caddy(folder, outside, api) as spki,
        sync_playwright() as driver,
    ):
        place = Place(stack.ports, str(stack.ca_file))
        organiser.environ["SSL_CERT_FILE"] = place.ca_file
        organiser.sit_down()
        organiser.commands += 1  # Caddy's
        flags = [
            *FLAGS,
            f"--host-resolver-rules=MAP {NAME} 127.0.0.1",
            f"--ignore-certificate-errors-spki-list={spki}",
        ]
        browser = driver.chromium.launch(executable_path=chromium(), args=flags)
        organiser.host("--page", str(page), "--listen", api)
        servers = (f"localhost:{place.ports['imaps']}", f"localhost:{place.ports['smtps']}")
        mail = ("games@pbem.test", *servers, PASSWORD)
        organiser.first_start(game, "Burt, Curt, Dora dora@players.test", url, folder / "stick", mail=mail)
        count.answers = organiser.answers
        links = organiser.links()
        phones = {seat: Friend(browser, links[seat], seat.title()) for seat in ("anna", "burt", "curt")}
        box = Postbox(place, Player("dora"))
        short = parse_qs(phones["anna"].fragment)["join"][0]
        table = Table(organiser, phones, box, folder / "game.jsonl", short)
        for friend in phones.values():
            friend.first_visit()
        joins(box)
        organiser.terminal.until("Dora has taken the seat dora")
        count.first_visit = list(phones["burt"].taps)
        halves = 0
        while not any(line.kind == "close" for line in table.record().lines):
            assert table.act(count)
            if halves == 0 and count.turns == 5:
                halves = 1
                organiser.killed()
                organiser.again()
            if halves == 1 and count.turns == 10:
                halves = 2
                organiser.quit()
                organiser.moved(folder / "stick" / "pbem-friends", folder / "elsewhere")
        assert halves == 2
        organiser.quit()
        count.commands = organiser.commands
        count.records = len(table.record().lines)
        browser.close()
        box.close()
    audit = run("audit", folder / "game.jsonl")
    assert audit.code == 0, audit.out + audit.err
    count.seconds = time.monotonic() - begun
    return count


def main() -> None:
    """Play it, and write the count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--game", default="wyatt-earp", choices=["wyatt-earp", "way-out-west"])
    given = parser.parse_args()
    terminal = new_terminal("host-evening")
    with tempfile.TemporaryDirectory() as folder:
        try:
            count = evening(Path(folder), terminal, given.game)
        finally:
            terminal.tmux("kill-server")
    print(count.table() + f"\n{count.seconds:.0f} s")
    if given.output is not None:
        given.output.write_text(ABOUT + count.table(), encoding="utf-8")


ABOUT = """# An evening that nobody prepared

[pbem](../README.md) · [host](host.md)

One person types `pbem host` in an empty folder, with a mail account, and Caddy and a certificate in front
(recipe a of [host.md](host.md#reachable)). She plays in the page, and so do two friends, who have a phone
(Chromium at 390 × 844) and nothing but the link; a third one has email alone. In the middle the host's
program is killed; later the folder is gone, and the host goes on elsewhere from the copy. A whole hand of
Wyatt Earp is played.
Made by `python -m tests.evening.host -o examples/host-evening.md`.

"""


if __name__ == "__main__":
    main()
