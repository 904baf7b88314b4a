"""An organiser at a terminal who types ``pbem host`` and answers, and friends who have nothing but their link."""

from __future__ import annotations

import os
import re
import shlex
import signal
import ssl
import sys
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import psutil

from pbem.game import JsonObject
from tests.patience import PATIENCE
from tests.play.test_real_terminal import Terminal
from tests.service.people import Player

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"^([a-z0-9-]+): (\S*#join=\S+)$", re.MULTILINE)
PASSPHRASE = "six white horses"  # noqa: S105 - of a test


@dataclass
class Organiser:
    """One person who hosts, in a folder of their own; every answer is counted."""

    terminal: Terminal
    folder: Path
    environ: dict[str, str] = field(default_factory=dict)
    answers: int = 0
    commands: int = 0
    wiped: int = 0

    def sit_down(self) -> None:
        """A shell in the folder."""
        self.folder.mkdir(parents=True, exist_ok=True)
        usual = {
            "PBEM_LANG": "en",
            "NO_COLOR": "1",
            "PYTHONPATH": str(ROOT),
            "PBEM_HOME": str(self.folder.parent / "home"),
            "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
        }
        settings = [f"{name}={value}" for name, value in (usual | self.environ).items()]
        self.terminal.tmux(
            "new-session", "-d", "-x", "140", "-y", "160",
            f"cd {shlex.quote(str(self.folder))} && PS1='$ ' {shlex.join(['env', *settings, 'sh'])}",
        )  # fmt: skip
        self.terminal.until("$")

    def host(self, *options: str) -> None:
        """The one command."""
        self.commands += 1
        self.terminal.press(shlex.join([sys.executable, "-m", "pbem", "host", *options]), "Enter")

    def answer(self, question: str, text: str = "") -> None:
        """Wait for a question and answer it."""
        self.terminal.until(question)
        self.answers += 1
        self.terminal.press(*([text] if text else []), "Enter")

    def first_start(
        self,
        game: str,
        friends: str,
        url: str,
        copies: Path,
        *,
        mail: tuple[str, ...] = (),
        plays: bool = True,
    ) -> None:
        """All questions of the first start; ``mail``: address, server to read from and to send through, password."""
        self.answer("Your name, as the others read it", "Anna")
        self.answer("Which game?", {"wyatt-earp": "1", "way-out-west": "2"}[game])
        self.answer("Who else plays?", friends)
        self.answer("Do you play yourself?", "y" if plays else "n")
        self.answer("How do emails go?", "2" if mail else "1")
        if mail:
            address, reads, sends, password = mail
            self.answer("Your email address", address)
            self.answer("The server that your email arrives at", reads)
            self.answer("The server that sends your email", sends)
            self.answer("Your password there", password)
        self.answer("friends reach this computer in a browser", url)
        self.answer("A folder on another disk", str(copies))
        self.answer("A passphrase for that copy", PASSPHRASE)
        self.answer("The same again", PASSPHRASE)
        self.terminal.until("Keys: l links")

    def new_match(self, friends: str) -> None:
        """Another one in the same folder, in which the host does not play."""
        self.terminal.press("n")
        self.answer("Which game?", "1")
        self.answer("Who else plays?", friends)
        self.answer("Do you play yourself?", "n")
        self.terminal.until(f"&seat={friends.split()[-1].lower()}&")

    def end_early(self, short: str) -> None:
        """Ask for the end of a match, by its number among those that run."""
        self.terminal.press("e")
        self.terminal.wait(lambda screen: screen.rstrip().endswith("Number [1]:"), "the matches that run")
        number = re.findall(rf"^ +([0-9]+)  .*{short}", self.terminal.screen, re.MULTILINE)[-1]
        self.terminal.press(number, "Enter")

    def awaits(self, name: str) -> None:
        """Until the newest line of the screen that says who is awaited says this one."""

        def fits(screen: str) -> bool:
            said = [line for line in screen.splitlines() if ": waiting for " in line]
            return bool(said) and f": waiting for {name}, by " in said[-1]

        self.terminal.wait(fits, f"waiting for {name}")

    def links(self) -> dict[str, str]:
        """The links on the screen, by seat."""
        return dict(LINK.findall(self.terminal.screen))

    def process(self) -> psutil.Process:
        """The program that hosts."""
        pane = int(self.terminal.tmux("list-panes", "-F", "#{pane_pid}").split()[0])
        processes = [
            child
            for child in psutil.Process(pane).children(recursive=True)
            if "host" in child.cmdline() and child.cmdline()[1:3] == ["-m", "pbem"]
        ]
        return processes[0]

    def killed(self) -> None:
        """Power fails: nothing of the program runs on."""
        mine = self.process()
        every = [mine, *mine.children(recursive=True)]
        for process in every:
            if process.is_running():
                os.kill(process.pid, signal.SIGKILL)
        psutil.wait_procs(every, 20)
        self.wipe()

    def wipe(self) -> None:
        """Nothing of before stands on the screen any more, of an earlier wiping neither."""
        self.wiped += 1
        mark = ["wiped", str(self.wiped)]
        self.terminal.press(f"clear; echo {' '.join(mark)}", "Enter")
        self.terminal.wait(lambda screen: screen.split()[:2] == mark, "a clear screen")

    def quit(self) -> None:
        """One key ends it."""
        self.terminal.press("q")
        self.terminal.until("Stopped.")
        self.wipe()

    def again(self, *options: str) -> None:
        """The command once more, until it serves."""
        self.host(*options)
        self.terminal.until("Keys: l links")

    def moved(self, copy: Path, elsewhere: Path) -> None:
        """The computer is gone: in a folder of another one the match goes on from its copy, with one command."""
        self.folder.rename(self.folder.with_name("gone"))
        elsewhere.mkdir()
        self.folder = elsewhere
        self.terminal.press(f"cd {elsewhere}", "Enter")
        self.host("--from", str(copy))
        self.answer("Passphrase of anna", PASSPHRASE)
        self.terminal.until("Keys: l links")


class ByLink:
    """A friend's program at the start: the link is all it is given."""

    def __init__(self, url: str, api: str = "", authority: str = "") -> None:
        """``api``: where it is reached from here, if a name stands in between; ``authority``: who is trusted."""
        place = urlsplit(url)
        self.way = {name: values[0] for name, values in parse_qs(place.fragment, strict_parsing=True).items()}
        api = api or f"{place.scheme}://{place.netloc}{place.path.removesuffix('play/').rstrip('/')}"
        trusted = ssl.create_default_context(cafile=authority or None)
        self.client = httpx.Client(base_url=api, timeout=PATIENCE, verify=trusted)
        self.player = Player(self.way["seat"])
        self.word = self.way["code"]

    def __enter__(self) -> ByLink:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

    def ask(self, method: str, path: str, **more: object) -> httpx.Response:
        """One request under the word that this friend has."""
        headers = {"Authorization": f"Bearer {self.word}"}
        return self.client.request(method, f"match/{self.way['join']}/{path}", headers=headers, **more)  # type: ignore[arg-type]

    def read(self, wait: int = 0) -> bool:
        """Take over what is new; whether there was something."""
        answer = self.ask("GET", f"lines?after={len(self.player.lines) - 1}&wait={wait}")
        assert answer.status_code == 200, answer.text
        lines = [line for line in answer.content.split(b"\n") if line]
        self.player.lines += lines
        return bool(lines)

    def send(self, file: JsonObject) -> JsonObject:
        """Post a file and wait for what becomes of it."""
        receipt = self.ask("POST", "files", json=file).json()["receipt"]
        while True:
            receipt_: JsonObject = self.ask("GET", f"files/{receipt}").json()
            if receipt_["state"] != "waiting":
                assert receipt_["state"] == "recorded", receipt_
                self.word = receipt_.get("word", self.word)
                return receipt_
            self.read(wait=5)

    def join(self) -> None:
        """Take the seat."""
        self.read()
        self.send(self.player.join(self.way["code"], contact=False))

    def ready(self) -> None:
        """Agree to the roster, once everybody has joined; the host's own seat has no part in the shuffle."""
        record = self.player.record
        while self.player.seat != record.genesis["host"].get("seat") and not self.player.asked:
            self.read(wait=5)
        if self.player.asked:
            self.send(self.player.ready())


def play(friends: list[ByLink], turns: int) -> int:
    """So many turns of whoever is asked; how many there were before something closed."""
    for done in range(turns):
        asked = _asked(friends)
        if not asked:
            return done
        asked[0].send(asked[0].player.move())
    return turns


def awaited(friends: list[ByLink]) -> str:
    """Who is to act, by name: what a friend gave before may have been a part of a shuffle and no turn."""
    _asked(friends)
    waiting = friends[0].player.record.waiting
    assert waiting is not None
    return str(waiting["seat"]).title()


def _asked(friends: list[ByLink]) -> list[ByLink]:
    """Who may act; the host's own record may come a moment after a friend's, so it is waited for, a minute at most."""
    for _ in range(12):
        for friend in friends:
            while friend.read():
                pass
        asked = [friend for friend in friends if friend.player.asked]
        if asked or friends[0].player.record.over:
            return asked
        friends[0].read(wait=5)
    return []
