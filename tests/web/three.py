"""Three ways at one table: in the page by the host's API, in the page by mail and files, in a terminal.

The host is the process that its owner starts, ``pbem host serve --http``, with real mail servers. Nobody but them knows
of the others' ways. From the invitations to the end of a hand or game turn.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlencode

import httpx

from pbem.game import Seat
from pbem.protocol.audit import audit
from pbem.protocol.formats.messages import read_message
from pbem.protocol.record import Record
from tests.evening.play import Guest
from tests.mail.stack import free_port
from tests.patience import PATIENCE
from tests.play.test_real_terminal import Terminal
from tests.service.api_people import Visitor, way_in
from tests.service.people import Player
from tests.service.real import Place, Postbox
from tests.service.test_commands import Person, new_host
from tests.verifier.node import verify_all

SEATS = ("anna", "burt", "curt")
ASKED_EVERY = 15.0
_LAYS = re.compile(r"^(Lay|Play)\b")


class Tab(Protocol):
    """What a person does with the page, in whatever browser."""

    def open(self, rest: str = "") -> Any: ...

    def again(self, screen: str = ...) -> None: ...

    def wait(self, screen: str) -> None: ...

    def play(self) -> None: ...

    def fill(self, selector: str, text: str) -> None: ...

    def press(self, name: str) -> None: ...

    def bring(self, raw: bytes, name: str = ...) -> None: ...

    def news(self) -> None: ...

    def offline(self, away: bool) -> None: ...

    @property
    def has_file(self) -> bool: ...

    @property
    def actions(self) -> list[str]: ...

    def take(self, index: int) -> None: ...

    def take_last(self) -> None: ...

    @property
    def chosen(self) -> int: ...

    def sign(self) -> None: ...

    def choose(self) -> bool: ...

    def look_at_signed(self) -> None: ...

    @property
    def signed(self) -> bool: ...

    def send(self) -> None: ...

    def post(self) -> None: ...

    def post_in_vain(self) -> str: ...

    def shown(self) -> bytes: ...

    @property
    def trouble(self) -> str: ...

    def audited(self) -> str: ...

    def close(self) -> None: ...


class Table:
    """The host's process, and whoever plays how."""

    def __init__(self, place: Place, folder: Path, host: Person, api: str, phones: tuple[Tab, Tab]) -> None:
        self.host, self.api = host, api
        self.anna, self.burt = phones
        self.boxes = {seat: Postbox(place, Player(seat)) for seat in ("anna", "burt")}
        self.place, self.folder = place, folder
        self.files = dict.fromkeys(SEATS, 0)
        self.seconds: list[float] = []
        """From Anna's tap to the record in her page."""
        self.eye: Visitor
        self._looked_at = -1
        """Records of Curt's copy when it was last looked at."""

    @property
    def lines(self) -> list[bytes]:
        """The records, as the host's API gives them."""
        self.eye.fetch()
        return self.eye.player.lines

    @property
    def closed(self) -> bool:
        """Whether a hand or a game turn has ended."""
        return any(b'"kind":"close"' in line or b'"kind":"end"' in line for line in self.lines)

    # --- in -----------------------------------------------------------------------------------------------

    def begin(self, game: str, terminal: Terminal) -> None:
        """Invitations, joins, everybody ready."""
        self.host.run("host", "new", "table", "--game", game, "--seats", ",".join(SEATS))
        given = [f"{seat}={seat}@players.test" for seat in SEATS]
        invited = json.loads(self.host.run("host", "invite", "table", *given, "--json"))["invited"]
        (letter,) = self.boxes["anna"].read_until(1)
        client = httpx.Client(base_url=self.api, timeout=60)
        self.eye = Visitor(self.boxes["anna"].player, client, letter)
        self.eye.fetch()
        self._join_by_api(way_in(letter))
        self._join_by_files(
            next(invitation["word"] for invitation in invited if invitation["seat"] == "burt")
        )
        self.curt = Guest("curt", self.folder / "terminal", self.place, terminal, keyring=False)
        self.curt.first_start()
        self.files["curt"] += 1
        self.until(lambda: self.lines and self._record.ledger.newest is not None)
        self.until(lambda: self.lines and not self._record.can_be_ready(Seat("anna")))  # by the page itself
        self.files["anna"] += 1
        for be_ready in (self.by_files, self._ready_in_terminal):
            before = len(self.lines)
            be_ready()
            self.until(lambda before=before: len(self.lines) > before)  # type: ignore[misc]

    def _join_by_api(self, way: dict[str, str]) -> None:
        phone = self.anna
        phone.open("#" + urlencode(way))
        phone.wait("invitation")
        phone.fill("#name", "Anna")
        phone.press("Join")
        self._post()
        phone.wait("table")

    def _join_by_files(self, word: str) -> None:
        phone, box = self.burt, self.boxes["burt"]
        phone.open()
        phone.wait("home")
        phone.bring(box.read_until(1)[0], "letter.eml")
        phone.wait("invitation")
        for place, text in (("#name", "Burt"), ("#mail", "burt@players.test"), ("#word", word)):
            phone.fill(place, text)
        phone.press("Join")
        self._mail(phone, box)
        while len(box.player.lines) < 2:
            self._letters(phone, box)
        phone.wait("table")

    def _ready_in_terminal(self) -> None:
        self.curt.be_ready()
        self.files["curt"] += 1

    # --- a file -------------------------------------------------------------------------------------------

    def play(self, most: int = 400) -> None:
        """Whoever is asked decides, until a hand or game turn has ended."""
        ways: dict[str, Callable[[], None]] = {
            "anna": self.by_api,
            "burt": self.by_files,
            "curt": self.in_terminal,
        }
        for _ in range(most):
            if self.closed:
                return
            self.until(lambda: self.closed or self._record.waiting is not None)
            waiting, before = self._record.waiting, len(self.lines)
            if waiting is not None and not self.closed:
                ways[str(waiting["seat"])]()
                self.until(lambda before=before: len(self.lines) > before)  # type: ignore[misc]

    @property
    def _record(self) -> Record:
        return self.eye.player.record

    def by_api(self) -> None:
        """Anna looks for news, chooses (every third time without a network, the page opened again) and sends."""
        phone = self.anna
        phone.news()
        if self.files["anna"] % 3 == 2:
            phone.offline(True)
            phone.again()
            phone.offline(False)
        decide(phone)
        self._post()

    def _post(self) -> None:
        begun = time.monotonic()
        self.anna.post()
        self.seconds.append(time.monotonic() - begun)
        self.files["anna"] += 1

    def by_files(self) -> None:
        """Burt saves the emails of his mailbox, opens the page again, takes them in, and mails the file it gives."""
        phone, box = self.burt, self.boxes["burt"]
        phone.again()
        while not self._asks("burt", box.player.lines):
            self._letters(phone, box)
        decide(phone)
        self._mail(phone, box)

    def _letters(self, phone: Tab, box: Postbox) -> None:
        for raw in box.read_until(len(box.player.letters) + 1):
            phone.bring(raw, "letter.eml")
            assert not phone.trouble, phone.trouble

    def _mail(self, phone: Tab, box: Postbox) -> None:
        file = read_message(phone.shown()).file
        box.send(box.player.mail(file))
        self.files["burt"] += 1

    def in_terminal(self) -> None:
        """Curt looks for news until it is his turn, and decides with Enter."""
        self._looked_at = -1
        self.until(self._curt_has_everything, lambda: self.curt.press("r"))
        self.until(self.curt.is_asked)
        self.curt.decide()
        self.files["curt"] += 1

    def _curt_has_everything(self) -> bool:
        (copy,) = self.curt.folder.rglob("game.jsonl")
        lines = copy.read_bytes().splitlines()
        if len(lines) == self._looked_at:
            return False
        self._looked_at = len(lines)
        return self._asks("curt", lines)

    def _asks(self, seat: str, lines: list[bytes]) -> bool:
        """Whether a copy knows all that its seat must know to go on; not every record brings an email."""
        theirs, host = Record.load(lines), self._record
        if host.waiting is None:
            return theirs.can_be_ready(Seat(seat))
        return theirs.waiting == host.waiting and theirs.public == host.public

    def until(self, done: Callable[[], Any], ask: Callable[[], Any] = lambda: None) -> None:
        """Wait for this, and ``ask`` for it now and then; who waits is shown how the match stood."""
        begun, asked = time.monotonic(), 0
        while not done():
            waited = time.monotonic() - begun
            assert waited < PATIENCE, f"{len(self.lines)} records: {self.lines[-1][:300]!r}"
            if waited >= asked * ASKED_EVERY:
                ask()
                asked += 1
            time.sleep(0.1)


def judged(lines: list[bytes]) -> str:
    """What our audit and the JavaScript verifier say."""
    report, theirs = audit(lines), verify_all({"table": lines})["table"]
    ours = "audit clean" if report.ok else f"audit: {[str(fault) for fault in report.faults]}"
    same = theirs["ok"] and theirs["records"] == len(lines)
    return f"{ours}, JavaScript {'agrees' if same else theirs}"


def decide(phone: Tab) -> None:
    """Choose until a file is signed."""
    while not phone.signed:
        choose(phone)


def choose(phone: Tab) -> None:
    """One choice, or what was drafted is sent; cards that can be laid are laid, so that the hand ends."""
    laid = [at for at, text in enumerate(phone.actions) if _LAYS.match(text)]
    if laid:
        phone.take(laid[0])
    elif phone.has_file:
        phone.send()
    else:
        phone.take_last()


def remove_match(tab: Tab) -> None:
    """The open match is taken off this device."""
    for name in ("More", "Remove this match from this device", "Remove"):
        tab.press(name)
    tab.wait("home")


@contextmanager
def table(place: Place, folder: Path, phones: tuple[Tab, Tab]) -> Iterator[Table]:
    """The host's process is started, and ended by SIGTERM; it had no trouble."""
    host, port = new_host(place, folder), free_port()
    api = f"http://127.0.0.1:{port}"
    with (host.folder / "service.toml").open("a") as config:
        config.write(f'\n[api]\nurl = "{api}"\n')
    log = (folder / "host.log").open("w")
    process = subprocess.Popen(
        [sys.executable, "-m", "pbem", "host", "serve", "--http", f"127.0.0.1:{port}"],
        cwd=host.folder,
        env={**host.environment(), "PYTHONPATH": str(Path.cwd())},
        stderr=log,
    )
    new_table = Table(place, folder, host, api, phones)
    try:
        yield new_table
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)
        log.close()
        for box in new_table.boxes.values():
            box.close()
        for phone in phones:
            phone.close()
    said = (folder / "host.log").read_text().splitlines()
    bad = [line for line in said if not line.startswith(("pbem: the HTTP API listens", "pbem: serving"))]
    assert (process.returncode, bad) == (0, []), f"the host ended with {process.returncode} and said {bad}"
