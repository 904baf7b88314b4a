"""The players of a load run: computer players behind one mailbox or at the HTTP API, and what they have in hand.

They read every email that comes, verify its records, and answer with one file a match at a time. Time from arrival to
reply is measured here, at the player's.
"""

from __future__ import annotations

import base64
import email
import json
import re
import smtplib
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import httpx

from pbem.base.errors import UsageProblem
from pbem.game import JsonObject, Seat
from pbem.host.demo import choose_actions, choose_orders
from pbem.player.mail.imap import ImapMailbox
from pbem.player.mail.ports import MailTrouble
from pbem.player.mail.smtp import verified_context
from pbem.player.seat.orders import running_turn
from pbem.protocol.client import SeatView, compose_consent, compose_join, compose_ready, compose_turn
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.armour import armour
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import Record
from pbem.protocol.record.line import lines_in
from tests.mail.stack import HOST, PASSWORD
from tests.service.real import Place
from tests.world import FixedSalts, secret

SEATS = ("anna", "burt", "curt")
_RECORDS = re.compile(rb"(?s)Content-Type: application/(?:gzip|jsonl)\r\n.*?\r\n\r\n(.*?)\r\n--")


@dataclass
class Match:
    """One match as its players know it: they share what they verified, and keep their keys to themselves."""

    number: int
    game: str
    seats: tuple[str, ...]
    ordering: bool = True
    at_the_api: frozenset[str] = frozenset()
    """Seats that post and fetch by HTTP; the others write mails."""
    turns: int = 0
    """After so many turns all agree, by mail, that the match ends; 0: it is played to its own end."""
    lines: list[bytes] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    waiting: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.people = {seat: Identity(secret(f"{seat} load {self.number}")) for seat in self.seats}
        self.salts = {seat: FixedSalts(f"{seat} load {self.number}") for seat in self.seats}
        self.record: Record | None = None
        self.joined: set[str] = set()
        self.agreed: set[str] = set()

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

    @property
    def ends_by_agreement(self) -> bool:
        """Whether they have played as much as they wanted to."""
        lines = self.record.lines if self.record is not None else ()
        return 0 < self.turns <= sum(line.kind == "turn" for line in lines)

    def _moves(self, record: Record) -> Iterator[tuple[str, JsonObject]]:
        waiting = record.waiting
        if self.ends_by_agreement:
            for seat in [seat for seat in self.seats if seat not in self.agreed][:1]:
                if not self.waiting:
                    self.agreed.add(seat)
                    who, n = Seat(seat), self._number(seat)
                    yield seat, compose_consent(record, self.people[seat], who, n, {"kind": "end"})
        elif waiting is not None:
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

        def composed(orders: JsonObject | None) -> JsonObject:
            return compose_turn(record, person, who, n, actions=chosen.actions, orders=orders, salt=salt).file

        try:
            return composed(orders)
        except UsageProblem:
            return composed(
                None
            )  # a long hand has used up what may be sealed: no orders then, as they are informed


class Visitors:
    """Those who post and fetch at the HTTP API, as a page does: a file, its receipt, the records after one's last."""

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
                answer = self._ask("GET", f"{path}/lines?after={len(match.lines) - 1}", word)
                assert answer.status_code == 200, answer.text
                match.take([line for line in answer.content.split(b"\n") if line])
            self.delays.append(time.monotonic() - began)
            del self.waiting[number, seat]
            match.waiting.pop(seat)
            touched.add(number)
        return touched


class Players:
    """All computer players behind one mailbox; each has an address of their own in it."""

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
        head, _, body = raw.partition(b"\r\n\r\n")
        message = email.message_from_bytes(head)
        name = str(message["Message-ID"])
        self.twice += name in self.seen
        self.seen.add(name)
        self.letters += 1
        number, _, seat = str(message["To"]).partition("+")[2].partition("@")[0].partition(".")
        match = self.matches[int(number)]
        for attached in _RECORDS.findall(
            body
        ):  # to take the pictures apart would cost more than all the rest
            lines = lines_in(base64.b64decode(attached))
            assert lines, raw
            match.take(list(lines))
        answered = self.sent.pop(str(message["In-Reply-To"]), None)
        if answered is not None:
            subject = str(message["Subject"])
            assert "Refused" not in subject or seat in match.agreed or match.over, subject
            self.delays.append(now - answered[2])
            match.waiting.pop(seat, None)
        return match.number

    def write(self, match: Match) -> None:
        """Send what the people of a match want to."""
        for seat, file in match.files(self.words):
            if seat in match.at_the_api and seat not in match.agreed:
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

    def pause(self, seconds: float) -> None:
        """Until something comes, at most so long; a connection that broke meanwhile is made again at the next look."""
        with suppress(MailTrouble):
            self.box.wait(seconds)

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
