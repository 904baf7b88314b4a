"""Many matches at once by computer players through real mail servers; prints what it took.

::

    python -m tests.service.load --matches 200                 # SQLite, one service process
    python -m tests.service.load --matches 200 --workers 3     # PostgreSQL, three processes
    python -m tests.service.load --matches 200 --door 0.5      # every second seat at the HTTP door

Needs root, Postfix and Dovecot (and PostgreSQL for several workers). Every file goes in through submission, LMTP and
IMAP; every letter goes out through submission and LMTP, with its witness copy, and is read by IMAP. A match counts if
it ended and its audit is clean. Time from arrival to reply is measured at the player's: from the moment his server
has taken the mail to the moment he reads the answer, with all matches at it at once. At the door it is from the post to
the moment when the records that it became are in the copy.
"""

from __future__ import annotations

import argparse
import base64
import email
import json
import os
import smtplib
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import psutil

from pbem.audit import audit
from pbem.client import SeatView, compose_join, compose_ready, compose_turn
from pbem.crypto.identity import Identity
from pbem.demo.players import choose_actions, choose_orders
from pbem.formats.armour import armour
from pbem.formats.strict_json import canon
from pbem.game import JsonObject, Seat
from pbem.host.service.beside import OpenDoor
from pbem.host.service.service import Service
from pbem.mail.imap import ImapMailbox
from pbem.mail.tls import verified_context
from pbem.player.orders import running_turn
from pbem.record import Record
from pbem.referee import MatchPlan
from tests.mail.stack import HOST, PASSWORD, MailStack, free_port, why_missing
from tests.service.postgres import Postgres
from tests.service.real import Place, real_service
from tests.world import FixedSalts, secret

SEATS = ("anna", "burt", "curt")


@dataclass
class Match:
    """One match as its players know it: they share what they verified, and keep their keys to themselves."""

    number: int
    game: str
    seats: tuple[str, ...]
    ordering: bool = True
    at_the_door: frozenset[str] = frozenset()
    """Seats that post and fetch by HTTP; the others write mails."""
    lines: list[bytes] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    waiting: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.people = {seat: Identity(secret(f"{seat} load {self.number}")) for seat in self.seats}
        self.salts = {seat: FixedSalts(f"{seat} load {self.number}") for seat in self.seats}
        self.record: Record | None = None
        self.joined: set[str] = set()

    def address(self, seat: str) -> str:
        return f"players+{self.number}.{seat}@players.test"

    def take(self, lines: list[bytes]) -> None:
        """New records, as far as they are new."""
        if not lines:
            return
        first = json.loads(lines[0])["body"]["seq"]
        assert first <= len(self.lines), "records are missing"
        fresh = lines[len(self.lines) - first :]
        if fresh:
            self.lines += fresh
            if self.record is None:
                self.record = Record.load(self.lines)
            else:
                self.record.extend(fresh)

    @property
    def over(self) -> bool:
        return self.record is not None and self.record.over

    def files(self, words: dict[str, str]) -> Iterator[tuple[str, JsonObject]]:
        """What these people want to send now, one file each."""
        record = self.record
        if record is None or record.over:
            return
        for seat in self.seats:
            if self.waiting:
                return  # one file of a match is on its way; its answer may change everything
            if Seat(seat) not in record.ledger.players and seat not in self.joined:
                self.joined.add(seat)
                person, mail = self.people[seat], self.address(seat)
                yield seat, compose_join(record, person, seat, name=seat.title(), mail=mail, word=words[mail])
        yield from self._moves(record)

    def _moves(self, record: Record) -> Iterator[tuple[str, JsonObject]]:
        waiting = record.waiting
        if waiting is not None:
            if not self.waiting:
                yield waiting["seat"], self._turn(record, waiting["seat"])
        elif record.ledger.complete and not self.waiting:
            for seat in record.missing_links[:1]:
                yield seat, compose_ready(record, self.people[seat], seat, self._number(seat))

    def _number(self, seat: str) -> int:
        self.numbers[seat] = self.numbers.get(seat, 0) + 1
        return self.numbers[seat]

    def _turn(self, record: Record, seat: str) -> JsonObject:
        """Everything that can be decided without a look, in one file."""
        who = Seat(seat)
        person, rules = self.people[seat], record.rules
        chosen = choose_actions(rules, SeatView(record, person, who).view, who)
        turn = running_turn(record)
        orders = choose_orders(rules, chosen.view, turn) if self.ordering and turn is not None else None
        n, salt = self._number(seat), self.salts[seat]
        return compose_turn(record, person, who, n, actions=chosen.actions, orders=orders, salt=salt).file


class Visitors:
    """Those who post and fetch at the HTTP door, as a page does: a file, its receipt, the records after one's last."""

    def __init__(self, url: str) -> None:
        self.client = httpx.Client(base_url=url, timeout=120)
        self.names: dict[int, str] = {}
        self.waiting: dict[tuple[int, str], tuple[str, str, float]] = {}
        self.delays: list[float] = []
        self.files = 0
        self.requests = 0

    def _ask(self, method: str, path: str, word: str, **more: Any) -> httpx.Response:
        self.requests += 1
        return self.client.request(method, path, headers={"Authorization": f"Bearer {word}"}, **more)

    def post(self, match: Match, seat: str, word: str, file: JsonObject) -> None:
        """Let a file go."""
        self.files += 1
        began = time.monotonic()
        answer = self._ask("POST", f"/match/{self.names[match.number]}/files", word, content=canon(file))
        assert answer.status_code == 202, answer.text
        self.waiting[match.number, seat] = (word, answer.json()["receipt"], began)

    def look(self, matches: dict[int, Match]) -> set[int]:
        """Ask after every file that has no answer yet; the matches that have gone on."""
        touched = set()
        for (number, seat), (word, receipt, began) in list(self.waiting.items()):
            match, path = matches[number], f"/match/{self.names[number]}"
            state = self._ask("GET", f"{path}/files/{receipt}", word)
            assert state.status_code == 200, state.text
            became = state.json()
            if became["state"] == "waiting":
                continue
            assert became["state"] == "recorded" or match.over, became
            while len(match.lines) <= became.get("record", 0):
                found = self._ask("GET", f"{path}/lines?after={len(match.lines) - 1}", word)
                assert found.status_code == 200, found.text
                match.take([line for line in found.content.split(b"\n") if line])
            self.delays.append(time.monotonic() - began)
            del self.waiting[number, seat]
            match.waiting.pop(seat)
            touched.add(number)
        return touched


class Players:
    """All computer players behind one mailbox; each has an address of his own in it."""

    def __init__(self, place: Place, matches: list[Match], visitors: Visitors) -> None:
        self.place = place
        self.visitors = visitors
        self.matches = {match.number: match for match in matches}
        self.box = ImapMailbox(lambda: place.account("imaps", "players"), folders=("Read",))
        self.smtp = self._connected()
        self.words: dict[str, str] = {}
        self.sent: dict[str, tuple[int, str, float]] = {}
        self.delays: list[float] = []
        self.files = 0
        self.letters = 0
        self.twice = 0
        self.seen: set[str] = set()

    def _connected(self) -> smtplib.SMTP:
        client = smtplib.SMTP("localhost", self.place.ports["submission"], timeout=300)
        client.starttls(context=verified_context(self.place.ca_file))
        client.login("players", PASSWORD)
        return client

    def submit(self, sender: str, raw: bytes) -> None:
        """Send one mail; a server that hung up on an idle connection is dialled again."""
        try:
            self.smtp.sendmail(sender, [HOST], raw)
        except (smtplib.SMTPServerDisconnected, smtplib.SMTPSenderRefused):
            self.smtp.close()
            self.smtp = self._connected()
            self.smtp.sendmail(sender, [HOST], raw)

    def read(self) -> set[int]:
        """Read everything that came; the matches it was about."""
        waiting = [mail.uid for mail in self.box.waiting()]
        touched = set()
        for start in range(0, len(waiting), 100):
            chunk = waiting[start : start + 100]
            bodies = self.box.fetch(chunk)
            now = time.monotonic()
            for uid in chunk:
                touched.add(self._letter(bodies[uid], now))
            self.box.move(chunk, "Read")
        return touched

    def _letter(self, raw: bytes, now: float) -> int:
        message = email.message_from_bytes(raw)
        name = str(message["Message-ID"])
        self.twice += name in self.seen
        self.seen.add(name)
        self.letters += 1
        number, _, seat = str(message["To"]).partition("+")[2].partition("@")[0].partition(".")
        match = self.matches[int(number)]
        for part in message.walk():
            if (part.get_filename() or "").endswith(".jsonl"):
                data = part.get_payload(decode=True)
                assert isinstance(data, bytes)
                match.take([line for line in data.split(b"\n") if line])
        answered = self.sent.pop(str(message["In-Reply-To"]), None)
        if answered is not None:
            assert (
                "accepted" in str(message["Subject"]) or "stopped" in str(message["Subject"]) or match.over
            ), message["Subject"]
            self.delays.append(now - answered[2])
            match.waiting.pop(seat, None)
        return match.number

    def write(self, match: Match) -> None:
        """Send what the people of a match want to."""
        for seat, file in match.files(self.words):
            if seat in match.at_the_door:
                match.waiting[seat] = time.monotonic()
                self.visitors.post(match, seat, self.words[match.address(seat)], file)
                continue
            self.files += 1
            name = f"<load-{match.number}-{self.files}@players.test>"
            raw = _mail(match.address(seat), name, file, block=self.files % 2 == 0)
            self.submit(match.address(seat), raw)
            now = time.monotonic()
            self.sent[name] = (match.number, seat, now)
            match.waiting[seat] = now

    def close(self) -> None:
        self.box.close()
        self.smtp.quit()
        self.visitors.client.close()


def _mail(sender: str, name: str, file: JsonObject, *, block: bool) -> bytes:
    head = f"From: {sender}\r\nTo: {HOST}\r\nSubject: turn\r\nMessage-ID: {name}\r\nMIME-Version: 1.0\r\n"
    if block:
        return (
            head + "Content-Type: text/plain; charset=utf-8\r\n\r\n" + armour(file).replace("\n", "\r\n")
        ).encode()
    data = base64.encodebytes(canon(file)).decode().replace("\n", "\r\n")
    kind = "Content-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n"
    return (head + kind + "\r\n" + data).encode()


def serve(arguments: dict[str, Any]) -> None:
    """One service process, with a door if ``door`` is a port; works until it is terminated."""
    import signal
    import threading

    stopping = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    place = Place(arguments["ports"], arguments["ca_file"])
    url, port = arguments["url"], arguments["door"]
    more = {"pictures": arguments["pictures"], "witness_wait": 60, "door": arguments["address"]}

    def tell(text: str) -> None:
        sys.stderr.write(f"{text}\n")

    service = real_service(place, url, **more)
    with ExitStack() as stack:
        if port:
            make = partial(real_service, place, url, fetches=False, **more)
            door = OpenDoor(make, f"127.0.0.1:{port}", (), tell)
            stack.callback(door.close)
            door.start()
        service.serve(stopping.is_set, stopping.wait, tell)
    service.close()


@contextmanager
def running(count: int, given: dict[str, Any]) -> Iterator[list[psutil.Process]]:
    """Service processes."""
    doors = [given["door"]] + [0] * (count - 1)  # one of them has the door
    command = [sys.executable, "-m", "tests.service.load", "--serve"]
    processes = [subprocess.Popen([*command, json.dumps(given | {"door": door})]) for door in doors]
    try:
        yield [psutil.Process(process.pid) for process in processes]
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(60)


def invite(service: Service, matches: list[Match], players: Players) -> dict[int, str]:
    """Make all matches and send all invitations."""
    names = {}
    for match in matches:
        names[match.number] = service.matches.create(
            MatchPlan(match.game, match.seats), secret(f"nonce load {match.number}")[:16]
        )
        players.visitors.names[match.number] = names[match.number]
        addresses = {seat: match.address(seat) for seat in match.seats}
        for one in service.matches.invite(names[match.number], addresses):
            players.words[one.address] = one.word
    return names


def play(players: Players, matches: list[Match], seconds: float) -> None:
    """Until all matches have ended, or the time is up."""
    end, told = time.monotonic() + seconds, 0.0
    while not all(match.over for match in matches) and time.monotonic() < end:
        touched = players.read() | players.visitors.look(players.matches)
        for number in touched:
            players.write(players.matches[number])
        if time.monotonic() - told > 15:
            told = time.monotonic()
            over = sum(match.over for match in matches)
            print(
                f"  {over} of {len(matches)} over, {players.files} files, {players.letters} letters",
                flush=True,
            )
        if not touched:
            players.box.wait(0.1 if players.visitors.waiting else 1)


def report(
    players: Players, matches: list[Match], service: Service, names: dict[int, str], took: float
) -> bool:
    """Print the numbers; whether everything is as it must be."""
    clean = sum(audit(service.matches.lines(names[match.number])).ok for match in matches if match.over)
    over = sum(match.over for match in matches)
    counts = service.counts()
    print(f"matches          {len(matches)}, over {over}, audit clean {clean}")
    visitors = players.visitors
    print(
        f"files in         {players.files} by mail, {visitors.files} by the door ({visitors.requests} requests)"
    )
    print(f"letters out      {players.letters} read, outbox {counts}, twice {players.twice}")
    files = players.files + visitors.files
    rates = f"{files / took:.1f} files and {players.letters / took:.1f} letters a second"
    print(f"time             {took:.0f} s: {rates}")
    for what, found in (("arrival to reply", players.delays), ("post to record  ", visitors.delays)):
        if len(found) > 100:
            cuts, median = statistics.quantiles(found, n=100), statistics.median(found)
            print(f"{what} median {median:.2f} s, 99th {cuts[98]:.2f} s, worst {max(found):.2f} s")
    return over == clean == len(matches) and set(counts) == {"sent"} and not players.twice


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--game", choices=("both", "wyatt-earp", "way-out-west"), default="both")
    parser.add_argument("--seconds", type=float, default=7200)
    parser.add_argument("--door", type=float, default=0.0, help="share of the seats at the HTTP door")
    parser.add_argument("--without-orders", action="store_true", help="nobody gives standing orders")
    parser.add_argument("--pictures", action="store_true", help="letters carry the table as a picture")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(json.loads(options.serve))
        return 0
    if why_missing():
        sys.exit(why_missing())
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        servers = stack.enter_context(MailStack(("games", "boss", "players")))
        place = Place(servers.ports, str(servers.ca_file))
        url = f"sqlite:///{folder / 'service.db'}"
        if options.workers > 1:
            url = stack.enter_context(Postgres()).url("load")
        matches = [
            _match(number, options.game, options.door, ordering=not options.without_orders)
            for number in range(options.matches)
        ]
        port = free_port() if options.door else 0
        address = f"http://127.0.0.1:{port}" if port else ""
        players = Players(place, matches, Visitors(address))
        service = real_service(place, url, fetches=False, door=address)
        started = time.monotonic()
        names = invite(service, matches, players)
        given = {
            "ports": place.ports, "ca_file": place.ca_file, "url": url, "pictures": options.pictures,
            "door": port, "address": address,
        }  # fmt: skip
        with running(options.workers, given) as processes:
            play(players, matches, options.seconds)
            took = time.monotonic() - started
            _wait_for_last_letters(service, players)
            memory = [process.memory_info().rss // 2**20 for process in processes]
        good = report(players, matches, service, names, took)
        print(
            f"memory           service {memory} MiB, this driver {psutil.Process().memory_info().rss // 2**20} MiB"
        )
        print(f"machine          {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
        players.close()
        service.close()
    return 0 if good else 1


def _match(number: int, game: str, door: float, *, ordering: bool) -> Match:
    """The match of this number; ``door``: the share of all seats that are at the HTTP door, spread evenly."""
    chosen = ("wyatt-earp", "way-out-west")[number % 2] if game == "both" else game
    seats = SEATS[:2] if chosen == "wyatt-earp" else SEATS
    there = (seat for at, seat in enumerate(seats, number) if int((at + 1) * door) > int(at * door))
    return Match(number, chosen, seats, ordering, frozenset(there))


def _wait_for_last_letters(service: Service, players: Players) -> None:
    end = time.monotonic() + 90
    while time.monotonic() < end and set(service.counts()) != {"sent"}:
        players.read()
        players.box.wait(1)
    players.read()


if __name__ == "__main__":
    sys.exit(main())
