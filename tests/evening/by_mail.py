"""An evening by email alone: ``pbem host`` with a mail account, its host without a seat, friends with SMTP and IMAP.

::

    python -m tests.evening.by_mail [wyatt-earp | way-out-west]

Real programs: ``pbem host`` in a terminal (tmux), Postfix and Dovecot. The host's program is killed in the middle, and
goes on once on another computer from its backup. A whole hand, or a whole game turn, is played and audited.
"""

from __future__ import annotations

import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from pbem.protocol.crypto.digest import short_id
from tests.cli.seats import run
from tests.evening.organiser import Organiser
from tests.mail.stack import PASSWORD, MailStack, why_missing
from tests.needed import require
from tests.patience import patiently, until
from tests.play.test_real_terminal import new_terminal
from tests.service.people import Player, parse
from tests.service.real import Place, Postbox

HOST = "games"
SEATS = {"wyatt-earp": ("anna", "burt"), "way-out-west": ("anna", "burt", "curt")}
WORD = re.compile(r"--word ([a-z0-9]+)")


@dataclass
class Evening:
    """The organiser, the mail servers, and friends who have nothing but mail."""

    organiser: Organiser
    place: Place
    boxes: Sequence[Postbox]
    copies: Path
    turns: int = 0

    def begin(self, game: str) -> None:
        """From the first question to all friends ready."""
        self.organiser.environ["SSL_CERT_FILE"] = self.place.ca_file
        self.organiser.sit_down()
        self.organiser.host()
        servers = (f"localhost:{self.place.ports['imaps']}", f"localhost:{self.place.ports['smtps']}")
        friends = ", ".join(f"{box.player.seat.title()} {box.player.address}" for box in self.boxes)
        account = (f"{HOST}@pbem.test", *servers, PASSWORD)
        self.organiser.first_start(game, friends, "", self.copies, mail=account, plays=False)
        for box in self.boxes:
            joins(box)
        for box in self.boxes:
            arrives(box, lambda box=box: box.player.asked)  # type: ignore[misc]
            box.send(box.player.mail(box.player.ready()))

    def turn(self) -> None:
        """Whoever is awaited sends one file, and somebody has the record that it makes: a mere receipt may wait."""
        asked = self._asked()
        head = len(self.known)
        asked.send(asked.player.mail(asked.player.move()))
        until(
            lambda: len(self._read()) > head,
            f"nobody hears of the file of {asked.player.seat}",
            lambda: asked.pause(2),
        )
        self.turns += 1

    @property
    def known(self) -> list[bytes]:
        """The longest record that somebody has."""
        return max((box.player.lines for box in self.boxes), key=len)

    def _read(self) -> list[bytes]:
        for box in self.boxes:
            box.read()
        return self.known

    def _asked(self) -> Postbox:
        for _ in patiently("nobody is asked"):
            known = self._read()
            for box in self.boxes:
                if box.player.asked and box.player.lines == known:
                    return box
            self.boxes[0].pause(2)
        raise AssertionError

    def dies(self, elsewhere: Path) -> None:
        """Power fails, and the computer with it; another one goes on from the copy."""
        self.organiser.killed()
        self.organiser.moved(self.copies / "pbem-friends", elsewhere)

    def audited(self, game: Path) -> int:
        """What the host has is what the friends have, and holds; how many records."""
        self.organiser.quit()
        self._read()
        known = self.known
        short = short_id(self.boxes[0].player.record.game)
        done = run("host", "export", short, "-o", game, "--config", self.organiser.folder / "service.toml")
        assert done.code == 0, done.err
        lines = game.read_bytes().splitlines()
        assert lines[: len(known)] == known
        audit = run("audit", game)
        assert audit.code == 0, audit.out + audit.err
        return len(lines)


def joins(box: Postbox) -> None:
    """Take the seat by the email that invites."""
    (letter,) = box.read_until(1)
    body = parse(letter).get_body(("plain",))
    word = WORD.search("" if body is None else str(body.get_content()))
    assert word is not None
    box.send(box.player.mail(box.player.join(word[1])))


def arrives(box: Postbox, fits: Callable[[], bool]) -> None:
    """Wait for an email after which that holds."""
    for _ in patiently(f"{box.player.seat} waits for a letter"):
        if fits():
            return
        box.pause(2)
        box.read()


@contextmanager
def evening(organiser: Organiser, folder: Path, *seats: str) -> Iterator[Evening]:
    """Mail servers, an organiser who starts, and a friend for each of these seats."""
    with MailStack((HOST, *seats)) as stack, ExitStack() as closing:
        place = Place(stack.ports, str(stack.ca_file))
        boxes = [Postbox(place, Player(seat)) for seat in seats]
        for box in boxes:
            closing.callback(box.close)
        yield Evening(organiser, place, boxes, folder / "stick")


def main() -> None:
    """Play it to the end of a hand or game turn, and give the result."""
    game = sys.argv[1] if len(sys.argv) > 1 else "wyatt-earp"
    require(why_missing())
    terminal, begun = new_terminal("by-mail"), time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        organiser = Organiser(terminal, folder / "friends")
        try:
            with evening(organiser, folder, *SEATS[game]) as played:
                played.begin(game)
                for _ in range(3):
                    played.turn()
                organiser.killed()
                organiser.again()
                for _ in range(3):
                    played.turn()
                played.dies(folder / "elsewhere")
                while not any(b'"kind":"close"' in line for line in played.known):
                    played.turn()
                records = played.audited(folder / "game.jsonl")
        finally:
            terminal.tmux("kill-server")
    print(
        f"{game}: {organiser.answers} answers, {organiser.commands} commands, {played.turns} files of friends,"
    )
    print(f"{records} records with a close, audited without a fault, {time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    main()
