"""``pbem play`` in a real terminal (tmux), on the files that commands made: a whole turn of each game, accepted."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.seats import Friends, run
from tests.needed import program
from tests.patience import nap, patiently

COLOUR = re.compile(r"\x1b\[[\d;]*?\b(?:3[0-8]|4[0-8]|9[0-7])\b")
ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Terminal:
    """One tmux session on a server of its own."""

    socket: str

    def tmux(self, *arguments: str) -> str:
        """Run a tmux command."""
        done = subprocess.run(
            ["tmux", "-L", self.socket, "-f", os.devnull, *arguments],
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout

    def start(self, command: str) -> None:
        """A terminal of 80 by 24 that runs ``command``."""
        self.tmux("new-session", "-d", "-x", "80", "-y", "24", command)

    @property
    def screen(self) -> str:
        """What the terminal shows."""
        return self.tmux("capture-pane", "-p")

    def press(self, *keys: str) -> None:
        """Type keys."""
        self.tmux("send-keys", *keys)

    def until(self, *texts: str, gone: str = "") -> str:
        """Wait until all of these stand on the screen (and ``gone`` does not); the screen."""
        return self.wait(
            lambda screen: all(text in screen for text in texts) and (not gone or gone not in screen), texts
        )

    def wait(self, fits: Callable[[str], bool], expected: object) -> str:
        """Wait until the screen fits; a terminal does not report when it is done."""
        for _ in patiently(lambda: f"waited for {expected}:\n{self.screen}"):
            if fits(screen := self.screen):
                break
            nap()
        return screen


def new_terminal(name: str) -> Terminal:
    """A terminal on a server of its own; whoever asks for it ends the server."""
    program("tmux")
    return Terminal(f"pbem-test-{os.getpid()}-{name[-12:]}")


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    terminal = new_terminal(tmp_path.name)
    yield terminal
    terminal.tmux("kill-server")


def command(friends: Friends, seat: str, **environ: str) -> str:
    """The command line that starts the client for a player."""
    folder = friends.folder(seat)
    secret = folder / "passphrase"
    secret.write_text("\n")
    secret.chmod(0o600)
    words = [sys.executable, "-m", "pbem", "play", str(folder), "--home", str(folder / "home"),
             "--passphrase-file", str(secret)]  # fmt: skip
    setting = [f"{name}={value}" for name, value in {"COLORTERM": "truecolor", **environ}.items()]
    return f"cd {shlex.quote(str(ROOT))} && env {' '.join(setting)} {shlex.join(words)}"


def handed_over(friends: Friends, seat: str, kind: str = "turn") -> dict[str, object]:
    """Give the newest written file to the host; what they ruled."""
    files = sorted(friends.folder(seat).glob(f"{kind}-*.json"), key=lambda file: file.stat().st_mtime)
    done = friends.send(files[-1])
    assert done.code == 0, done.out
    (ruling,) = json.loads(done.out)
    assert isinstance(ruling, dict)
    return ruling


def write_it(terminal: Terminal) -> None:
    """Look at the whole file, and write it."""
    terminal.press("s")
    terminal.until("Your file", "Write the file", "allowed")
    terminal.press("Enter")
    terminal.until("Done", "nothing is wrong")
    terminal.press("Enter")
    terminal.until("You signed this", gone="nothing is wrong")


def test_a_whole_turn_of_wyatt_earp_in_a_terminal(tmp_path: Path, terminal: Terminal) -> None:
    friends = Friends(tmp_path, ("anna", "burt"), "wyatt-earp").begin().join_and_ready()
    terminal.start(command(friends, "anna"))
    screen = terminal.until("Your turn to draw", "Draw two from the supply", "Your hand (1", "Draft")
    assert max(map(len, screen.splitlines())) <= 80
    assert COLOUR.search(terminal.tmux("capture-pane", "-p", "-e"))
    terminal.press("Enter")
    terminal.until("1. Take the top of the discard")
    # Behind the choices stand "Send" and the two orders that are offered here, whatever the hand.
    terminal.press("End", "Up", "Up", "Up", "Enter")  # the last choice: a discard, or all of them
    screen = terminal.wait(lambda shown: "← back" in shown or "2. Discard" in shown, "a discard")
    if "2. Discard" not in screen:
        terminal.press("Enter")
        terminal.until("2. Discard", "Send these 2 actions")
    write_it(terminal)
    ruling = handed_over(friends, "anna")
    assert ruling["ruling"] == "accepted"
    assert "stopped" not in ruling
    assert friends.status()["waiting"]["seat"] == "burt"
    terminal.press("r")
    terminal.until("since you last looked", "Anna discards")
    terminal.press("Left", "Left", "Home")
    terminal.until("1 of")
    terminal.press("1")
    terminal.until("Waiting for Burt to draw")
    terminal.press("q")
    terminal.wait(lambda _: not terminal.tmux("list-sessions"), "the end")


def test_a_join_that_was_refused_is_shown_and_asked_for_again(tmp_path: Path, terminal: Terminal) -> None:
    friends = Friends(tmp_path).begin()
    for seat in friends.seats:  # both call themselves Anna
        folder = friends.folder(seat)
        (invite,) = folder.glob("*invitation.eml")
        words = ("--name", "Anna", "-o", folder / "join.json", "--home", folder / "home")
        assert run("join", invite, *words).code == 0
        friends.send(folder / "join.json")
    assert friends.status()["unjoined"] == ["burt"]
    terminal.start(f"{command(friends, 'burt')}; sleep 60")
    shown = terminal.until("Your name, as the others read it [Anna]")
    assert "The host refused it" in shown.replace("\n", "")
    terminal.press("Burt", "Enter")
    terminal.until("Join?")
    terminal.press("Enter")
    terminal.wait(
        lambda shown: "Start pbem play again when the host has answered." in " ".join(shown.split()),
        "the file",
    )
    assert handed_over(friends, "burt", "join")["ruling"] == "accepted"
    assert friends.status()["unready"] == ["anna", "burt"]


def test_a_copy_without_a_seat_of_ones_own_leads_to_the_join(tmp_path: Path, terminal: Terminal) -> None:
    friends = Friends(tmp_path).begin()
    folder = friends.folder("burt")
    (invite,) = folder.glob("*invitation.eml")
    (folder / "game.jsonl").write_bytes(friends.game_file)  # they saved the attached file, not the email
    invite.unlink()
    terminal.start(f"{command(friends, 'burt')}; sleep 60")
    terminal.until("You have no seat in this match yet. Free are:", "1  anna", "2  burt", "Which one [1]:")
    terminal.press("2", "Enter")
    terminal.until("Join?")
    terminal.press("Enter")
    terminal.until("The code of your invitation (Enter: it has none)")
    terminal.press("Enter")
    terminal.until("Start pbem play again when the host has answered.")
    assert handed_over(friends, "burt", "join")["ruling"] == "accepted"
    assert friends.status()["unjoined"] == ["anna"]


def test_a_whole_turn_of_way_out_west_in_a_terminal(tmp_path: Path, terminal: Terminal) -> None:
    friends = Friends(tmp_path, ("anna", "burt", "curt"), "way-out-west").begin().join_and_ready()
    others_play(friends, "anna")
    terminal.start(command(friends, "anna", NO_COLOR="1"))
    terminal.until("Your turn to place a cowboy", "San Antonia", "Deadwood", "Draft")
    shown = terminal.tmux("capture-pane", "-p", "-e")
    assert COLOUR.search(shown) is None, shown  # NO_COLOR
    assert "\x1b[7m" in shown  # what is chosen is still marked
    phases: list[str] = []
    tokens = 0
    while tokens < 2:
        phase = str(friends.status()["waiting"]["phase"])
        phases.append(phase)
        if phase == "setup":
            terminal.press("Enter")
        elif phase == "auction":
            terminal.until("Drop out")
            terminal.press("Enter")
        elif tokens == 0:
            terminal.until("Buy cowboys")
            pick_cowboys(terminal)
            tokens += 1
        else:
            terminal.until("Your turn to act")
            terminal.press("End", "Enter")
            tokens += 1
        terminal.until("1. ", "Send this action")
        write_it(terminal)
        assert handed_over(friends, "anna")["ruling"] == "accepted"
        others_play(friends, "anna")
        terminal.press("r")
        terminal.until("since you last looked")
        terminal.press("1")
        terminal.until("Draft", gone="since you last")
    assert phases[0] == "setup"
    assert phases[-3:] == ["auction", "actions", "actions"]
    terminal.press("q")


def pick_cowboys(terminal: Terminal) -> None:
    """Open "Buy cowboys" and take the first way to buy some."""
    rows = [line for line in terminal.screen.splitlines() if "ways)" in line or line.strip() == "Pass"]
    at = next(number for number, row in enumerate(rows) if "Buy cowboys" in row)
    terminal.press(*["Down"] * at, "Enter")
    terminal.until("← back")
    terminal.press("Enter")
    screen = terminal.wait(lambda shown: "1. Buy cowboys" in shown or "Buy cowboys:" in shown, "cowboys")
    if "1. Buy cowboys" not in screen:
        terminal.press("Enter")
        terminal.until("1. Buy cowboys")


def others_play(friends: Friends, but: str) -> None:
    """Everybody else does the least they may (and opens the bidding), until ``but`` is asked."""
    while (waiting := friends.status()["waiting"])["seat"] != but:
        seat = waiting["seat"]
        legal = json.loads(friends.play(seat, "legal", "--json").out)["legal"]
        least = {"setup": 0, "auction": 0, "actions": -1, "gunfight": 0}[waiting["phase"]]
        words = [action["words"] for action in legal]
        chosen = next((command for command in ("bid 1", "drop-out") if command in words), words[least])
        file = friends.folder(seat) / "move.json"
        done = run("turn", friends.folder(seat), chosen, "-o", file, "--home", friends.folder(seat) / "home")
        assert done.code == 0, done.err
        assert friends.send(file).code == 0
