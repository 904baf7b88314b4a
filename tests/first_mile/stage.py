"""Where the first mile is walked: a host and two players in folders, and a service with its mail in memory.

Each is made when a row first asks for it. A command is run as it is typed, in the folder of whoever types it.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import EmailMessage
from functools import cached_property
from pathlib import Path
from typing import Final

from pbem.game import JsonObject
from pbem.protocol.client import compose_join
from tests.cli.seats import Friends, run
from tests.service.people import Player, parse
from tests.service.table import Table

ROOT = Path(__file__).resolve().parents[2]
HOST = "host@example.org"
ZONE = "Europe/Berlin"
READERS: Final[dict[str, tuple[str | None, str]]] = {"anna": (ZONE, "en"), "burt": (None, "fr")}
"""Zone and language of who plays by mail."""


@dataclass(frozen=True)
class Shown:
    """What was typed (or mailed, or looked at), and its result; ``code`` is what a command ended with."""

    typed: str
    printed: str
    code: int = 0

    def only(self, *patterns: str) -> Shown:
        """With the lines that hold one of these; the rest is left out."""
        kept = [
            line
            for line in self.printed.splitlines()
            if any(re.search(pattern, line) for pattern in patterns)
        ]
        return Shown(self.typed, "\n".join(kept), self.code)

    def first(self, lines: int) -> Shown:
        """With so many lines."""
        return Shown(self.typed, "\n".join(self.printed.splitlines()[:lines]), self.code)


class Stage:
    """Everything, in folders of ``root``."""

    def __init__(self, root: Path) -> None:
        self.root = root

    # --- by commands ----------------------------------------------------------------------------------------

    @cached_property
    def invited(self) -> Friends:
        """A host who has said their address, and two who were invited and have not joined."""
        options = ("--mail", HOST, "--title", "Saturday", "--to", "anna=anna@example.org",
                   "--to", "burt=burt@example.org", "--zone", ZONE)  # fmt: skip
        return Friends(self.root / "invited", options=options).begin()

    @cached_property
    def playing(self) -> Friends:
        """Two who play; the match waits for one of them."""
        return Friends(self.root / "playing").begin().join_and_ready()

    def seat(self) -> str:
        """Whom the match of ``playing`` waits for."""
        return str(self.playing.status()["waiting"]["seat"])

    def types(self, friends: Friends, seat: str, command: str) -> Shown:
        """``pbem …`` in the folder of a player (``host``: of the host), as it stands in ``command``."""
        folder = friends.root / "host" if seat == "host" else friends.folder(seat)
        words = shlex.split(command)[1:]
        with contextlib.chdir(folder), _environ(PBEM_HOME=str(folder / "home"), COLUMNS="100"):
            done = run(*words)
        return Shown(command, self._plain(done.out + done.err), done.code)

    def elsewhere(self, system: str, folder: Path, *commands: str) -> Shown:
        """The same commands on a system that is made (``tests.system.elsewhere``), in a process of their own."""
        words = [word for command in commands for word in (*shlex.split(command)[1:], "//")][:-1]
        environ = {**os.environ, "PYTHONPATH": str(ROOT), "PBEM_HOME": str(folder / "home"), "COLUMNS": "100"}
        done = subprocess.run(
            [sys.executable, "-m", "tests.system.elsewhere", system, *words],
            cwd=folder, env=environ, capture_output=True, text=True, check=False,
        )  # fmt: skip
        return Shown("\n".join(commands), self._plain(done.stdout + done.stderr), done.returncode)

    def _plain(self, text: str) -> str:
        return text.replace(str(self.root) + "/", "").replace(str(self.root), ".").rstrip()

    # --- by mail --------------------------------------------------------------------------------------------

    @cached_property
    def served(self) -> Table:
        """A service and two players by mail, one of whom reads the clock in Berlin, the other French."""
        folder = self.root / "served"
        folder.mkdir()
        table = Table(folder).invite()
        for seat, player in table.players.items():
            table.send(player.mail(joined(player, table.words[seat], *READERS[seat])))
        return table

    @cached_property
    def begun(self) -> Table:
        """The same match, once both have been ready."""
        for player in self.served.players.values():
            self.served.send(player.mail(player.ready()))
        return self.served


def joined(player: Player, word: str, zone: str | None, lang: str) -> JsonObject:
    """A join that names a time zone and a language."""
    return compose_join(
        player.record, player.identity, player.seat, name=player.seat.title(), mail=player.address,
        word=word, zone=zone, lang=lang,
    )  # fmt: skip


@contextlib.contextmanager
def _environ(**values: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def letter(raw: bytes, typed: str, *, html: bool = False, lines: int = 0) -> Shown:
    """Subject, heads that say who and where, and the text of an email (its first ``lines``)."""
    mail = parse(raw)
    part = mail.get_body(("html",) if html else ("plain",))
    assert isinstance(part, EmailMessage)
    text = str(part.get_content()).strip()
    heads = "\n".join(f"{name}: {mail[name]}" for name in ("From", "To", "Reply-To", "Subject") if mail[name])
    return Shown(typed, f"{heads}\n\n" + ("\n".join(text.splitlines()[:lines]) if lines else text))


def saved(folder: Path, pattern: str) -> bytes:
    """The newest email of this name in a folder."""
    return max(folder.glob(pattern), key=lambda path: path.name).read_bytes()
