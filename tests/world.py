"""A whole match in memory: host, players, clock and entropy at the seams that production uses.

``World`` keeps the host's record and nothing else; every player works from the lines he was sent, with nothing but
his identity. Keys are made from fixed text, so a match is the same every time (HPKE's ephemeral keys excepted).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pbem.client import Packets, SeatView, compose_consent, compose_join, compose_ready, compose_turn
from pbem.crypto.identity import Identity
from pbem.crypto.primitives import SignKey
from pbem.formats.messages import Message, message_of
from pbem.formats.strict_json import canon
from pbem.game import JsonObject, Seat
from pbem.player.rekey import compose_rekey, rekey_what
from pbem.record import Deadlines, HostOpenings, Line, Record
from pbem.record.deadlines import plus_hours
from pbem.referee import Accepted, MatchPlan, Refused, Ruling, carry_out, create_match, receive, substitute

START = "2026-11-21T18:00:00Z"
NAMES = ("anna", "burt", "curt", "dora", "emil")


def secret(text: str) -> bytes:
    """32 fixed bytes for a TEST key."""
    return hashlib.sha256(b"TEST " + text.encode()).digest()


class Counter:
    """Fixed salts, never the same twice."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.count = 0

    def __call__(self) -> bytes:
        self.count += 1
        return secret(f"salt {self.name} {self.count}")[:16]


@dataclass
class World:
    """One match with all its people."""

    game: str
    seats: Sequence[str]
    options: JsonObject = field(default_factory=dict)
    profile: str = "default"
    reveal: str = "epoch"
    deadlines: Deadlines = field(default_factory=Deadlines)
    seed: str = "1"
    setup: JsonObject = field(default_factory=dict)
    led_by: Identity | None = None
    """The host's keys; his own for each seed if it is None."""

    def __post_init__(self) -> None:
        self.now = START
        self.host = self.led_by or Identity(secret(f"host {self.seed}"))
        self.people = {Seat(seat): Identity(secret(f"{seat} {self.seed}")) for seat in self.seats}
        self.numbers = dict.fromkeys(self.people, 0)
        self.packets = Packets()
        self.salts = {seat: Counter(f"{seat} {self.seed}") for seat in self.people}
        plan = MatchPlan(
            self.game, self.seats, self.profile, self.options, self.setup, self.deadlines, self.reveal
        )
        genesis = create_match(plan, self.host, secret(f"nonce {self.seed}")[:16], self.now)
        self.record = Record.begin(genesis.raw, HostOpenings(self.host, genesis))
        self.rulings: list[Ruling] = []
        self.files: list[JsonObject] = []
        self.ordered: dict[tuple[Seat, int], JsonObject] = {}
        """The orders that each file of a seat brought."""

    # --- the host's side ----------------------------------------------------------------------------------

    def tick(self, hours: int = 0) -> None:
        """Let time pass."""
        self.now = plus_hours(self.now, hours)

    def send(self, file: JsonObject, consents: Sequence[JsonObject] = ()) -> Ruling:
        """Hand a file to the host; what he accepts is committed."""
        return self.send_raw(canon(file), consents)

    def send_raw(self, raw: bytes, consents: Sequence[JsonObject] = ()) -> Ruling:
        """Hand bytes to the host."""
        ruling = receive(self.record, self.host, raw, self.now, consents)
        self.rulings.append(ruling)
        if isinstance(ruling, Accepted):
            self.record = ruling.record
        return ruling

    def take(self, ruling: Accepted) -> Accepted:
        """Commit what the host did of his own accord."""
        self.record = ruling.record
        return ruling

    @property
    def lines(self) -> list[bytes]:
        """The game file as everybody has it."""
        return [line.raw for line in self.record.lines]

    @property
    def head(self) -> Line:
        """The last record."""
        return self.record.head

    # --- the players' side --------------------------------------------------------------------------------

    def number(self, seat: str) -> int:
        """The next file number of a seat."""
        self.numbers[Seat(seat)] += 1
        return self.numbers[Seat(seat)]

    def copy(self) -> Record:
        """The game file as a player verifies it: without the host's secret."""
        return Record(self.record.ledger)

    def view(self, seat: str) -> SeatView:
        """A seat's own view, from the file and its key alone."""
        return SeatView(self.copy(), self.people[Seat(seat)], Seat(seat), self.packets)

    def view_top(self) -> str:
        """The top card of the discard, which everybody sees."""
        assert self.record.public is not None
        return str(self.record.public["discard"]["top"])

    def join(self, seat: str, **more: Any) -> Ruling:
        """A player joins."""
        file = compose_join(self.copy(), self.people[Seat(seat)], seat, name=seat.title(), **more)
        self.files.append(file)
        return self.send(file)

    def ready(self, seat: str) -> Ruling:
        """A player gives his link."""
        file = compose_ready(self.copy(), self.people[Seat(seat)], Seat(seat), self.number(seat))
        self.files.append(file)
        return self.send(file)

    def turn_file(self, seat: str, *actions: JsonObject, **more: Any) -> JsonObject:
        """A signed turn, not sent."""
        n, who = self.number(seat), Seat(seat)
        part = self.record.ledger.orders.get(who)
        self.ordered[who, n] = more.get("orders") or {"rules": []}
        composed = compose_turn(
            self.copy(),
            self.people[who],
            who,
            n,
            actions=actions,
            kept=self.ordered.get((who, part.n)) if part else None,
            salt=self.salts[who],
            **more,
        )
        return composed.file

    def turn(self, seat: str, *actions: JsonObject, **more: Any) -> Ruling:
        """A player sends a turn."""
        file = self.turn_file(seat, *actions, **more)
        self.files.append(file)
        return self.send(file)

    def consent(self, seat: str, what: JsonObject) -> JsonObject:
        """A signed consent, not sent."""
        who = Seat(seat)
        return compose_consent(self.copy(), self.people[who], who, self.number(seat), what)

    def agree(self, what: JsonObject, *seats: str) -> Ruling:
        """Consents of these seats, one after the other; the ruling on the last."""
        kept: list[JsonObject] = []
        for seat in seats:
            kept.append(self.consent(seat, what))
            ruling = self.send(kept[-1], kept)
        return ruling

    def new_keys(self, seat: str, new: Identity) -> JsonObject:
        """What the others agree to if both keys of a seat are lost: ``new`` takes their place."""
        return rekey_what(self.copy(), Seat(seat), new)

    def rekey_file(self, seat: str, key: SignKey, new: Identity) -> JsonObject:
        """A signed rekey, not sent; ``key`` is the seat's or its recovery key."""
        return compose_rekey(self.copy(), Seat(seat), self.number(seat), key, new)

    def newcomer(self, seat: str, name: str, n: int | None = None) -> Message:
        """The join of a substitute who is called ``name``; his number is the seat's next if ``n`` is None."""
        new = Identity(secret(f"{name} {self.seed}"))
        number = self.number(seat) if n is None else n
        return message_of(compose_join(self.copy(), new, seat, name=name.title(), n=number))

    def put(self, seat: str, name: str) -> Accepted:
        """A newcomer takes the seat of somebody who resigns, with the consent of the others."""
        if Seat(seat) not in self.record.ledger.resigned:
            accepted(self.send(self.consent(seat, {"kind": "resign", "seat": seat})))
        others = [one for one in self.seats if one != seat]
        consents = [self.consent(one, {"kind": "substitute", "seat": seat}) for one in others]
        done = self.take(substitute(self.record, self.host, self.newcomer(seat, name), consents, self.now))
        self.people[Seat(seat)] = Identity(secret(f"{name} {self.seed}"))
        return done

    def hold(self, seat: str) -> None:
        """Let time pass until what is proposed about this seat may be carried out."""
        for _ in range(2):  # a pause that ends meanwhile moves it
            self.now = max(self.now, self.record.as_of(self.now).ledger.proposals[Seat(seat)].until)

    def carry_out(self, seat: str, join: Message | None = None) -> Accepted:
        """Wait for the end of the hold, then carry out what is proposed about this seat."""
        self.hold(seat)
        return self.take(carry_out(self.record, self.host, Seat(seat), self.now, join))

    def start(self) -> World:
        """Everybody joins and is ready."""
        for seat in self.seats:
            assert isinstance(self.join(seat), Accepted)
        for seat in self.seats:
            assert isinstance(self.ready(seat), Accepted)
        return self

    # --- playing ------------------------------------------------------------------------------------------

    def move(self) -> bool:
        """One file of whoever is awaited, as the computer player suggests; False when nobody is."""
        if self.record.over:
            return False
        waiting = self.record.waiting
        if waiting is None:
            missing = self.record.missing_links
            if not missing:
                return False
            ruling = self.ready(missing[0])
        else:
            ruling = self.send(self.move_file(waiting["seat"]))
        assert isinstance(ruling, Accepted), ruling
        return True

    def move_file(self, seat: str) -> JsonObject:
        """The signed turn that the computer player suggests, not sent."""
        action = self.record.rules.suggest(self.view(seat).view)
        return self.turn_file(seat, self.record.rules.action_to_json(action))

    def play(self, limit: int = 100_000) -> World:
        """Play on until the match is over, or ``limit`` files were sent."""
        for _ in range(limit):
            if not self.move():
                break
        return self


def refusal(ruling: Ruling) -> Refused:
    """The ruling as the refusal it must be."""
    assert isinstance(ruling, Refused), ruling
    return ruling


def accepted(ruling: Ruling) -> Accepted:
    """The ruling as the acceptance it must be."""
    assert isinstance(ruling, Accepted), ruling
    return ruling
