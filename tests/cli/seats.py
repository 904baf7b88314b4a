"""Commands run as a person runs them: the console script's ``main``, with streams of its own.

``Friends`` is a host and players, each in a folder of their own, who do everything by commands and hand each other
files. The TEST identities have a low work factor and an empty passphrase, so that a command costs no second.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pbem.cli import main
from pbem.player.store import Keyring
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.identity_file import write_identity


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The answer of ``--json``."""
        return json.loads(self.out)


@contextlib.contextmanager
def streams(stdin: bytes) -> Iterator[tuple[io.TextIOWrapper, io.TextIOWrapper]]:
    """Standard output and errors of what runs within, to which these bytes are typed."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    before = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            yield out, err
    finally:
        sys.stdin = before


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    stream.seek(0)
    return stream.read()


def run(*arguments: object, stdin: bytes = b"") -> Done:
    """Run ``pbem`` with these arguments."""
    with streams(stdin) as (out, err):
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
        return Done(code, _text(out), _text(err))


def make_identity(home: Path, name: str, kind: Any = "player") -> Identity:
    """A TEST identity, from fixed text, with an empty passphrase and a low work factor."""
    identity = Identity(hashlib.sha256(f"TEST cli {name}".encode()).digest())
    salt = hashlib.sha256(name.encode()).digest()[:16]
    raw = write_identity(identity, name.title(), "", salt, kind=kind, log_n=1)
    Keyring(home).add(name, raw)
    return identity


@dataclass
class Friends:
    """A host and players who only hand each other files."""

    root: Path
    seats: Sequence[str] = ("anna", "burt")
    game: str = "wyatt-earp"
    options: Sequence[str] = ()
    delivered: set[str] = field(default_factory=set)
    identities: dict[str, Identity] = field(default_factory=dict)
    """By seat."""

    @property
    def match(self) -> Path:
        """The host's match folder."""
        return self.root / "host" / "match"

    def folder(self, seat: str) -> Path:
        """A player's folder: their home and what they were sent."""
        return self.root / seat

    def begin(self) -> Friends:
        """Identities, the match, invitations."""
        make_identity(self.root / "host" / "home", "host", "host")
        for seat in self.seats:
            self.identities[seat] = make_identity(self.folder(seat) / "home", seat)
        done = run("host", "new", self.match, "--game", self.game, "--seats", ",".join(self.seats),
                   "--home", self.root / "host" / "home", *self.options)  # fmt: skip
        assert done.code == 0, done.err
        self.deliver()
        return self

    def host(self, command: str, *arguments: object, stdin: bytes = b"") -> Done:
        """``pbem host COMMAND MATCH …`` as the host."""
        return run(
            "host", command, self.match, *arguments, "--home", self.root / "host" / "home", stdin=stdin
        )

    def play(self, seat: str, command: str, *arguments: object, stdin: bytes = b"") -> Done:
        """``pbem COMMAND FOLDER …`` as a player."""
        home = self.folder(seat) / "home"
        return run(command, self.folder(seat), *arguments, "--home", home, stdin=stdin)

    def deliver(self) -> None:
        """Every email that is new goes into its reader's folder."""
        box = self.match / "outbox"
        for letter in sorted(box.glob("*.eml")):
            if letter.name not in self.delivered:
                self.delivered.add(letter.name)
                (self.folder(letter.name.split("-")[1]) / letter.name).write_bytes(letter.read_bytes())

    def send(self, file: Path) -> Done:
        """Hand a file to the host, and everybody their emails."""
        done = self.host("advance", file, "--json")
        self.deliver()
        return done

    def sign(self, seat: str, command: str, *arguments: object) -> Path:
        """Sign something into a file of the player's folder."""
        file = self.folder(seat) / f"{command}.json"
        done = self.play(seat, command, *arguments, "-o", file)
        assert done.code == 0, done.err
        return file

    def join_and_ready(self) -> Friends:
        """Everybody joins by their invitation and is ready."""
        for seat in self.seats:
            folder = self.folder(seat)
            invite = next(folder.glob("*invitation.eml"))
            done = run("join", invite, "-o", folder / "join.json", "--home", folder / "home")
            assert done.code == 0, done.err
            assert self.send(folder / "join.json").code == 0
        for seat in self.seats:
            assert self.send(self.sign(seat, "ready")).code == 0
        return self

    @property
    def game_file(self) -> bytes:
        """The host's game file."""
        return (self.match / "game.jsonl").read_bytes()

    def status(self) -> Any:
        """The host's status as data."""
        done = self.host("status", "--json")
        assert done.code == 0, done.err
        return done.json
