"""A new player's evening: from an empty home to the end of a hand or game turn, by ``pbem play`` and keys alone.

Three players, each in a terminal (tmux) with a home and a folder of their own, and a host's service, on a real IMAP and
SMTP pair. Nobody edits a file or types another command. What is counted: commands, prompts, keys, files, and the
seconds that a person waits for the screen after a key that does something.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Event

import psutil

from pbem.host.service.service import Service
from pbem.protocol.record import Record
from pbem.protocol.referee import MatchPlan
from tests.mail.stack import PASSWORD
from tests.patience import nap, patiently
from tests.play.test_real_terminal import Terminal
from tests.service.real import Place, database_url, real_service
from tests.world import secret

ROOT = Path(__file__).resolve().parents[2]
SEATS = ("anna", "burt", "curt")
GAMES = ("way-out-west", "wyatt-earp")
"""A hand of the second one takes three times as long."""
BEFORE = 2
"""Files of a player before the first decision: their join, their ready file."""
REST = 0.2
"""Seconds without a change after which a screen counts as complete."""
WORKING = {psutil.STATUS_RUNNING, psutil.STATUS_DISK_SLEEP}
"""Of a program: it runs, or it would if a processor were free."""
DECIDED = re.compile(r"Send (?:this action|these \d+ actions|now and look) +(?!you may go on)")
"""The row that sends, where it does not say that more may be chosen; other rows may say who is next, too."""
OFFERED = re.compile(r"^ ([abc]) \[ \]", re.MULTILINE)
"""The key of an order that is offered and not taken."""
LEAVING = "Send it to the host by email"
STORY = "[|◀ first]"
NEWS = re.compile(r"new records?\.|Nothing new\.|proposes something")


@dataclass
class Counted:
    """What one player did."""

    commands: int = 0
    prompts: int = 0
    passphrases: int = 0
    keys: int = 0
    files: int = 0
    turns: int = 0
    waited: list[float] = field(default_factory=list)
    keys_in_turns: int = 0
    prompts_in_turns: int = 0
    waited_in_turns: float = 0
    longest_in_turns: float = 0


class Guest:
    """One player at their terminal."""

    def __init__(self, name: str, folder: Path, place: Place, terminal: Terminal, *, keyring: bool) -> None:
        self.name = name
        self.folder = folder / "evening"
        self.folder.mkdir(parents=True)
        self.terminal = terminal
        self.counted = Counted()
        self.keyring = keyring
        backend = "tests.evening.kept.FileKeyring" if keyring else "keyring.backends.null.Keyring"
        self._environ = {
            "PBEM_HOME": str(folder / "home"),
            "PYTHONPATH": str(ROOT),
            "SSL_CERT_FILE": place.ca_file,
            "PYTHON_KEYRING_BACKEND": backend,
            "PBEM_TEST_KEYRING": str(folder / "keyring.json"),
            "PBEM_LANG": "en",
            "TZ": "Europe/Berlin",
            "NO_COLOR": "1",
        }
        self.place = place
        words = ["env", *(f"{key}={value}" for key, value in self._environ.items()), "sh"]
        terminal.start(f"cd {shlex.quote(str(self.folder))} && PS1='$ ' {shlex.join(words)}")

    def play(self) -> None:
        """The one command."""
        self.counted.commands += 1
        self.terminal.press(f"{shlex.quote(sys.executable)} -m pbem play", "Enter")

    def answer(self, prompt: str, *typed: str, secret: bool = False) -> None:
        """Wait for a question and answer it; Enter counts as a key."""
        self.terminal.until(prompt)
        self.counted.prompts += 1
        self.counted.passphrases += secret
        self.press(*typed, "Enter")

    def press(self, *keys: str) -> None:
        """Keys of a person: a word typed counts by its letters."""
        named = {"C-c", "Enter", "Escape", "Down", "Up", "End", "Home"}
        self.counted.keys += sum(1 if key in named else len(key) for key in keys)
        self.terminal.press(*keys)

    def shows(self, *texts: str) -> str:
        """Wait for this on the screen; the waiting counts."""
        begun = time.monotonic()
        screen = self.terminal.until(*texts)
        self.counted.waited.append(time.monotonic() - begun)
        return screen

    def closes(self, text: str) -> None:
        """Enter, until this is gone."""
        for _ in range(10):
            self.press("Enter")
            with suppress(AssertionError):  # a second Enter too early would send once more
                self.terminal.wait(lambda screen: text not in screen, f"{text} to go")
                return
        raise AssertionError(f"{text} does not go away")

    def turn_to(self, key: str, text: str) -> None:
        """Press a key for a page; once more if news came up in between and turned it away."""
        begun = time.monotonic()
        for _ in range(10):
            self.press(key)
            end = time.monotonic() + 15
            while time.monotonic() < end:
                screen = self.terminal.screen
                if text in screen and STORY not in screen:
                    self.counted.waited.append(time.monotonic() - begun)
                    return
                nap()
        raise AssertionError(f"{text} never came up:\n{self.terminal.screen}")

    def chooses(self, before: str, key: str = "Enter") -> str:
        """Press a key once, until the choice is another one and has stopped moving; the wait itself does not count."""
        begun = time.monotonic()
        self.press(key)
        last = self.terminal.wait(
            lambda screen: choice(screen) != choice(before), f"another choice than {before}"
        )
        self.counted.waited.append(time.monotonic() - begun)
        return self.at_rest(last)

    def at_rest(self, last: str) -> str:
        """The screen once its choice does not change any more, and no program at this terminal works on it."""
        spent = self.processor()
        while True:
            Event().wait(REST)
            screen, before, programs = self.terminal.screen, spent, self._programs()
            spent = _spent(programs)
            works = spent - before > REST / 6 or any(program.status() in WORKING for program in programs)
            if choice(screen) == choice(last) and not works:
                return screen
            last = screen

    def processor(self) -> float:
        """Seconds of processor that the programs at this terminal have taken so far."""
        return _spent(self._programs())

    @cached_property
    def _shell(self) -> psutil.Process:
        return psutil.Process(int(self.terminal.tmux("list-panes", "-F", "#{pane_pid}").split()[0]))

    def _programs(self) -> list[psutil.Process]:
        return [self._shell, *self._shell.children(recursive=True)]

    def waits(self, fits: Callable[[str], bool]) -> str:
        """Wait until the screen fits; the waiting counts."""
        begun = time.monotonic()
        screen = self.terminal.wait(fits, "the next choice")
        self.counted.waited.append(time.monotonic() - begun)
        return screen

    # --- what a player does -------------------------------------------------------------------------------

    def first_start(self) -> None:
        """The three questions, the invitation in the mailbox, the join on its way."""
        self.play()
        self.answer("1. Your name", self.name.title())
        self.answer("2. Your email address", f"{self.name}@players.test")
        self.answer(
            "Number",
        )
        self.answer("email arrives at", f"localhost:{self.place.ports['imaps']}")
        self.answer("sends your email", f"localhost:{self.place.ports['smtps']}")
        self.answer("Your password there", PASSWORD, secret=True)
        if self.keyring:
            self.answer("A passphrase for your keys (Enter")
        else:
            self.answer("A passphrase for your keys", "six white horses", secret=True)
            self.answer("The same again", "six white horses", secret=True)
        self.answer("Enter when it is written down")
        self.answer("Join?")
        self.shows("Waiting for the host's answer")
        self.counted.files += 1

    def leave(self) -> None:
        """They do not wait for the host's answer."""
        self.press("C-c")
        self.shows("Start pbem play again when the host has answered.")

    def come_back(self) -> None:
        """The second start."""
        self.play()
        if not self.keyring:
            self.answer("Passphrase of", "six white horses", secret=True)

    def be_ready(self) -> None:
        """Everybody has joined: what waited for the host's answer became the table by itself; orders go along."""
        self.take_offers(self.shows("Press Ready"))
        self.send("s")

    def look_for_news(self) -> None:
        """Fetch emails."""
        self.terminal.wait(lambda shown: NEWS.search(shown) is None, "the word of earlier news to go")
        self.press("r")
        self.waits(lambda shown: NEWS.search(shown) is not None)

    def is_asked(self) -> bool:
        """Turn to the choices: whether they are those of a decision that no file of this player waits for."""
        self.turn_to("1", ", by ")
        screen = self.at_rest("")
        return "Your turn to" in screen and "No answer yet" not in " ".join(screen.split())

    def hears_that_it_is_the_turn(self) -> None:
        """Look for news until a decision is asked for; the email may be on its way."""
        self.look_for_news()
        while not self.is_asked():
            self.look_for_news()

    def decide(self) -> None:
        """Enter until nothing is left to choose, every order that is offered by its key, and one file is sent.

        The first row lays what can be laid and plays what can be played, so that the hand ends.
        """
        screen = self.at_rest("")
        while not decided(screen):
            screen = self.chooses(screen)
        self.take_offers(screen)
        self.send("s")

    def take_offers(self, screen: str) -> None:
        """Every order that is offered, by its key."""
        while offered := OFFERED.search(screen):
            if LEAVING in screen:  # an Enter too many on a slow machine: back to the choices
                self.press("Escape")
                screen = self.at_rest(self.terminal.wait(lambda shown: LEAVING not in shown, "the choices"))
            screen = self.chooses(screen, offered[1])

    def send(self, key: str) -> None:
        """The file leaves by mail."""
        self.press(key)
        self.shows(LEAVING)
        self.press("Enter")
        self.shows("on its way to the host")
        self.closes("on its way to the host")
        self.counted.files += 1


def _spent(programs: Sequence[psutil.Process]) -> float:
    times = [program.cpu_times() for program in programs]
    return sum(taken.user + taken.system for taken in times)


def choice(screen: str) -> str:
    """What stands between the question and the footer: rows and draft."""
    return screen.rpartition("Your turn to")[2]


def decided(screen: str) -> bool:
    """Whether nothing is left to be chosen for this file."""
    return DECIDED.search(" ".join(screen.split())) is not None


class Evening:
    """All of it; ``run`` plays."""

    def __init__(
        self, folder: Path, place: Place, terminals: Sequence[Terminal], game: str = GAMES[0]
    ) -> None:
        self.service: Service = real_service(place, database_url(folder))
        self.guests = {
            name: Guest(name, folder / name, place, terminal, keyring=name == "anna")
            for name, terminal in zip(SEATS, terminals, strict=False)
        }
        self.short = self.service.matches.create(
            MatchPlan(game, list(self.guests)), secret("nonce evening")[:16]
        )

        self.taken: dict[str, tuple[int, int]] = {}
        """Files that each seat sends before its first turn, and turns that it took."""
        self.farewells: list[str] = []
        self.processor = 0.0
        self._record: Record | None = None

    @property
    def record(self) -> Record:
        """The match as the host has it; every line is verified once."""
        lines = self.service.matches.lines(self.short)
        if self._record is None:
            self._record = Record.load(lines)
        else:
            self._record.extend(lines[len(self._record.lines) :])
        return self._record

    def host_until(self, done: Callable[[], bool]) -> None:
        """Let the host's service work until this holds."""
        for _ in patiently(lambda: f"the host has {self.service.counts()}, {len(self.record.lines)} records"):
            if done():
                return
            result = self.service.run_once()
            assert not result.troubles, result.troubles
            nap()

    def run(self, decisions: int = 1000, leaver: str = "") -> None:
        """First start, join, ready, a whole hand or game turn or so many decisions of it, and good night.

        ``leaver`` does not wait for the host's answer.
        """
        self.service.matches.invite(self.short, {name: f"{name}@players.test" for name in self.guests})
        self.host_until(lambda: set(self.service.counts()) == {"sent"})
        for guest in self.guests.values():
            guest.first_start()
        if leaver:
            self.guests[leaver].leave()
        self.host_until(lambda: self._all_sent() and len(self.record.ledger.players) == len(self.guests))
        if leaver:
            self.guests[leaver].come_back()
        for guest in self.guests.values():
            guest.be_ready()
        self.host_until(lambda: self._all_sent() and self.record.waiting is not None)
        for _ in range(decisions):
            if any(line.kind == "close" for line in self.record.lines):
                break
            self._turn()
        for name in (
            self.guests
        ):  # in Wyatt Earp a turn begins with a draw; in Way Out West cowboys are placed first, one a file
            done = self._done(name)
            self.taken[name] = BEFORE + done.count("place-cowboy"), done.count("draw") or 1
        self.processor = sum(guest.processor() for guest in self.guests.values())
        for guest in self.guests.values():
            guest.press("C-c")
            self.farewells.append(guest.terminal.until(", by ", gone="Draft"))
        self.service.close()

    def _done(self, name: str) -> list[str]:
        """What a seat did, by the ``do`` of its actions."""
        steps = [step for line in self.record.lines for step in line.body.get("steps", ())]
        return [str(step["action"]["do"]) for step in steps if step.get("seat") == name and "action" in step]

    def _all_sent(self) -> bool:
        return set(self.service.counts()) == {"sent"}

    def _turn(self) -> None:
        """Whoever is asked looks for news, decides with Enter, and sends one file."""
        waiting = self.record.waiting
        assert waiting is not None
        guest = self.guests[str(waiting["seat"])]
        begun, counted = len(self.record.lines), guest.counted
        counted.turns += 1
        keys, prompts, waits = counted.keys, counted.prompts, len(counted.waited)
        guest.hears_that_it_is_the_turn()
        guest.decide()
        counted.keys_in_turns += counted.keys - keys
        counted.prompts_in_turns += counted.prompts - prompts
        counted.waited_in_turns += sum(counted.waited[waits:])
        counted.longest_in_turns = max(counted.longest_in_turns, *counted.waited[waits:])
        self.host_until(lambda: self._all_sent() and len(self.service.matches.lines(self.short)) > begun)


COLUMNS = ("player", "commands", "prompts", "secrets typed", "keys", "files before", "turns", "files a turn",
           "questions a turn", "keys a file", "waiting a file", "longest wait")  # fmt: skip


def table(evening: Evening) -> str:
    """What was counted, as Markdown."""
    rows = [COLUMNS, ("---", *["--:"] * (len(COLUMNS) - 1))]
    for guest in evening.guests.values():
        counted = guest.counted
        before, turns = evening.taken[guest.name]
        rows.append(
            (
                guest.name.title() + (", keyring" if guest.keyring else ""),
                *map(
                    str, (counted.commands, counted.prompts, counted.passphrases, counted.keys, before, turns)
                ),
                f"{(counted.files - before) / turns:.2f}",
                f"{counted.prompts_in_turns / turns:.0f}",
                f"{counted.keys_in_turns / counted.turns:.0f}",
                f"{counted.waited_in_turns / counted.turns:.1f} s",
                f"{counted.longest_in_turns:.1f} s",
            )
        )
    return "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"


HEAD = """# A new player's evening

Three people who have never heard of pbem, each with an empty home, an empty folder and a mailbox. A host's service
runs on a real IMAP and SMTP pair. They type `pbem play`, and then nothing but keys. The first start asks three
questions, and for the servers and the password of their email account. Then come the invitation, joining, Ready, and a
whole game turn of Way Out West or a whole hand of Wyatt Earp. `python -m tests.golden evening` plays both
again in three real terminals and writes this.

Commands: `pbem play`, once: after the join it waits for the host's answer and becomes the table. Anna's computer has
a keyring, so she types only the password of her email account. The other two have none and choose a
passphrase, typed twice. Each row that can be taken first is
taken with Enter, and every order that is offered with its key, already with Ready. Files before the first
turn are the join, Ready and, in Way Out West, one for each cowboy that is placed. A turn is what the rules
call so. A file costs its keys and its waiting, with the news before it and the sending after it. Waiting is from a key
to what it brings, on a machine that did much else.
"""
TITLES = {"way-out-west": "Way Out West, a game turn", "wyatt-earp": "Wyatt Earp, a hand"}


def played(game: str) -> str:
    """The evening of one game as a piece of the page."""
    from tests.mail.stack import MailStack

    with tempfile.TemporaryDirectory() as folder, MailStack(("games", "boss", *SEATS)) as stack:
        terminals = [Terminal(f"pbem-evening-{os.getpid()}-{name}") for name in SEATS]
        try:
            evening = Evening(Path(folder), Place(stack.ports, str(stack.ca_file)), terminals, game)
            evening.run()
        finally:
            for terminal in terminals:
                terminal.tmux("kill-server")
    farewell = [line for line in evening.farewells[0].splitlines() if ", by " in line or "over" in line]
    taken = f"Processor time of the three terminals: {evening.processor:.0f} s."
    leaves = f"What the terminal of Anna says when she leaves:\n\n```\n{farewell[-1]}\n```\n"
    return f"\n## {TITLES[game]}\n\n{table(evening)}\n{taken} {leaves}"


def main() -> None:
    """Play, and write ``examples/evening.md``; with the name of a game print only its piece."""
    named = sys.argv[1:]
    text = "".join(map(played, named or GAMES))
    if not named:
        (ROOT / "examples" / "evening.md").write_text(HEAD + text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
