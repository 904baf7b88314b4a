"""An evening that nobody prepared: ``pbem host`` behind a name and a certificate, a friend in Chromium with a link.

::

    python -m tests.evening.host [--game way-out-west] [-o examples/host-evening.md]

Real programs: ``pbem host`` in a terminal (tmux), Caddy in front with a certificate (recipe a), mail servers, three
Chromiums at phone size (the organiser's own seat and two friends), and a third friend who has a terminal and mail:
``pbem play``. What is counted are the organiser's answers and commands, and a friend's taps; a field typed counts one.
The host's program is killed in the middle, and goes on once in another folder from its copy. A whole hand, or a whole
game turn, is played and audited.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from playwright.sync_api import sync_playwright

from pbem.protocol.record import Record
from tests.browsers import launched
from tests.cli.seats import run
from tests.evening.organiser import Organiser
from tests.evening.play import GAMES, TITLES, Guest
from tests.evening.tunnel import ending_tls
from tests.mail.stack import PASSWORD, MailStack, free_port
from tests.patience import until
from tests.play.test_real_terminal import Terminal, new_terminal
from tests.service.real import Place
from tests.web.conftest import FLAGS, kept_page
from tests.web.device import Phone
from tests.web.three import choose, decide

NAME = "anna.house.test"


@dataclass
class Count:
    """What the evening asked of people."""

    answers: int = 0
    commands: int = 0
    first_visit: list[str] = field(default_factory=list)
    second_visit: list[str] = field(default_factory=list)
    mail_commands: int = 0
    mail_answers: int = 0
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
                "a friend's taps on the second visit, from the opened web app to the first choice",
                str(len(self.second_visit)),
            ),
            ("commands of the friend with a terminal and email: `pbem play`", str(self.mail_commands)),
            ("answers of that friend, until everybody has joined", str(self.mail_answers)),
            ("turns of all four, to the end of the hand or game turn", str(self.turns)),
            ("records, audited without a finding", str(self.records)),
        ]
        lines = ["| what | how many |", "|---|--:|", *(f"| {label} | {number} |" for label, number in rows)]
        return "\n".join(lines) + "\n"


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

    def come_back(self) -> None:
        """Another day: the page is opened, and stands at the table by itself."""
        self.phone.open()
        self.phone.wait("table")

    def act(self) -> None:
        """One file of theirs."""
        choose(self.phone)  # else "Accepted" is still what became of the file before
        decide(self.phone)
        self.phone.post()


@dataclass
class Table:
    """Three phones, a friend at a terminal, and what the host's program says has happened."""

    organiser: Organiser
    phones: dict[str, Friend]
    dora: Guest
    game: Path
    short: str = ""

    def record(self) -> Record:
        """The match as the host has it."""
        config = self.organiser.folder / "service.toml"
        self.game.unlink(missing_ok=True)
        done = run("host", "export", self.short, "-o", self.game, "--config", config)
        assert done.code == 0, done.err
        return Record.load(self.game.read_bytes().splitlines())

    def act(self, count: Count) -> bool:
        """One file of whoever is awaited; False once nobody is."""
        record = self.record()
        waiting = record.waiting
        asked = [waiting["seat"]] if waiting is not None else list(record.missing_links)
        if not asked or record.over:
            return False
        if any(seat in self.phones for seat in asked):
            friend = self.phones[next(seat for seat in asked if seat in self.phones)]
            before = len(friend.taps)
            friend.come_back()
            if waiting is not None:
                friend.phone.play()
                count.second_visit = friend.taps[before:]
                friend.act()
        elif waiting is None:
            self.dora.be_ready()
        else:
            self.dora.hears_that_it_is_the_turn()
            self.dora.decide()
        until(lambda: len(self.record().lines) > len(record.lines), self.screens, pause=lambda: time.sleep(1))
        count.turns += waiting is not None
        return True

    def screens(self) -> str:
        """What stands on every screen, for who looks why nothing comes."""
        phones = [
            f"{seat}: {friend.phone.status!r}, {friend.phone.trouble!r}\n{friend.phone.page.inner_text('main')}"
            for seat, friend in self.phones.items()
            if friend.phone.page is not None
        ]
        return "\n---\n".join([self.organiser.terminal.screen, self.dora.terminal.screen, *phones])


def evening(folder: Path, terminal: Terminal, guest: Terminal, game: str) -> Count:
    """The whole of it, to the end of a hand or game turn."""
    begun, count = time.monotonic(), Count()
    page, api, outside = kept_page(), f"127.0.0.1:{free_port()}", free_port()
    url = f"https://{NAME}:{outside}"
    organiser = Organiser(terminal, folder / "friends")
    with (
        MailStack(("games", "dora")) as stack,
        ending_tls(folder, NAME, outside, api) as spki,
        sync_playwright() as driver,
        launched(driver, *FLAGS, f"--ignore-certificate-errors-spki-list={spki}") as browser,
    ):
        place = Place(stack.ports, str(stack.ca_file))
        organiser.environ["SSL_CERT_FILE"] = place.ca_file
        organiser.sit_down()
        organiser.commands += 1  # Caddy's
        organiser.host("--page", str(page), "--listen", api)
        servers = (f"localhost:{place.ports['imaps']}", f"localhost:{place.ports['smtps']}")
        mail = ("games@pbem.test", *servers, PASSWORD)
        organiser.first_start(game, "Burt, Curt, Dora dora@players.test", url, folder / "stick", mail=mail)
        count.answers = organiser.answers
        links = organiser.links()
        phones = {seat: Friend(browser, links[seat], seat.title()) for seat in ("anna", "burt", "curt")}
        dora = Guest("dora", folder / "dora", place, guest, keyring=False)
        short = parse_qs(phones["anna"].fragment)["join"][0]
        table = Table(organiser, phones, dora, folder / "game.jsonl", short)
        for friend in phones.values():
            friend.first_visit()
        dora.first_start()
        organiser.terminal.until("Dora has taken the seat dora")
        count.mail_answers = dora.counted.prompts
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
        count.mail_commands = dora.counted.commands
    audit = run("audit", folder / "game.jsonl")
    assert audit.code == 0, audit.out + audit.err
    count.seconds = time.monotonic() - begun
    return count


def played(game: str) -> str:
    """The count of one game, as a piece of the page."""
    terminals = host, guest = new_terminal("host-evening"), new_terminal("dora-evening")
    with tempfile.TemporaryDirectory() as folder:
        try:
            count = evening(Path(folder), host, guest, game)
        finally:
            for terminal in terminals:
                terminal.tmux("kill-server")
    assert count.answers <= 14, count
    assert len(count.first_visit) <= 5, count
    assert count.second_visit == [], count
    print(f"{game}: {count.seconds:.0f} s")
    return f"## {TITLES[game]}\n\n{count.table()}"


def main() -> None:
    """Play them, and write the count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--game", choices=GAMES, help="one of them alone")
    given = parser.parse_args()
    text = "\n".join(map(played, [given.game] if given.game else GAMES))
    print(text)
    if given.output is not None:
        given.output.write_text(ABOUT + text, encoding="utf-8")


ABOUT = """# An evening that nobody prepared

[pbem](../README.md) · [host](host.md)

One person types `pbem host` in an empty folder, with an email account, and Caddy and a certificate in front
(recipe a of [host.md](host.md#reachable)). She plays in the page, and so do two friends, who have a phone
(Chromium at 390 × 844) and nothing but the link. A third one has a terminal and email: `pbem play`. In the
middle the host's program is killed; later the folder is gone, and the host goes on elsewhere from the copy.
Then everything is audited. Made by `python -m tests.evening.host -o examples/host-evening.md`.

"""


if __name__ == "__main__":
    main()
