"""A whole match in memory with everybody's keys, which follow from its seed; and what a ruling must be."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Self

from pbem.game import JsonObject, Seat
from pbem.player.world import NAMES, Everybody, accepted
from pbem.protocol.client import (
    NO_ORDERS,
    Composed,
    Packets,
    compose_consent,
    compose_join,
    compose_rekey,
    rekey_terms,
)
from pbem.protocol.crypto.digest import SALT_SIZE, fingerprint, sha
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.crypto.primitives import SignKey
from pbem.protocol.formats.messages import Message, message_of
from pbem.protocol.record import Deadlines, HostOpenings, Line, Record
from pbem.protocol.record.deadlines import plus_hours
from pbem.protocol.referee import (
    Accepted,
    MatchPlan,
    Refused,
    Ruling,
    carry_out,
    create_match,
    retake,
    substitute,
)

__all__ = ["NAMES", "START", "FixedSalts", "World", "accepted", "refusal", "secret", "top_of"]


def secret(text: str) -> bytes:
    """32 bytes that follow from ``text``: for TEST keys, nonces and salts."""
    return sha(b"TEST " + text.encode())


class FixedSalts:
    """16 bytes at each call, which follow from a name and how often it was called, from ``count`` on."""

    def __init__(self, name: str, count: int = 0) -> None:
        self.name = name
        self.count = count

    def __call__(self) -> bytes:
        """The next ones."""
        self.count += 1
        return secret(f"salt {self.name} {self.count}")[:SALT_SIZE]


START: Final = "2026-11-21T18:00:00Z"


def days_ago(number: int) -> str:
    """An evening so many days before today, for a match at which a program looks by this machine's clock."""
    return f"{datetime.now(UTC) - timedelta(days=number):%Y-%m-%d}T18:00:00Z"


@dataclass
class World(Everybody):
    """A match by these words; the same words make the same match (HPKE's own one-time keys excepted).

    ``files`` are those that were sent by ``join``, ``ready`` and ``turn``, in order.
    """

    game: str
    seats: Sequence[str]
    options: JsonObject = field(default_factory=dict)
    profile: str = "default"
    reveal: str = "epoch"
    deadlines: Deadlines = field(default_factory=Deadlines)
    seed: str = "1"
    setup: JsonObject = field(default_factory=dict)
    led_by: Identity | None = None
    """The host's keys; their own for each seed if it is None."""
    plays: str | None = None
    """The seat that the host plays, if any."""
    page: bool = False
    """Whether the host declares a page to play in."""
    in_page: Container[str] = ()
    began: str = START
    """The time of genesis, UTC."""

    def __post_init__(self) -> None:
        self.now = self.began
        self.host = self.led_by or Identity(secret(f"host {self.seed}"))
        self.people = {Seat(seat): self.first_identity(seat) for seat in self.seats}
        self.numbers = dict.fromkeys(self.people, 0)
        self.packets = Packets()
        self.salts = {seat: FixedSalts(f"{seat} {self.seed}") for seat in self.people}
        plan = MatchPlan(
            self.game,
            self.seats,
            self.profile,
            self.options,
            self.setup,
            self.deadlines,
            self.reveal,
            plays=self.plays,
            page=self.page,
        )
        genesis = create_match(plan, self.host, secret(f"nonce {self.seed}")[:16], self.now)
        self.record = Record.begin(genesis.raw, HostOpenings(self.host, genesis))
        self.files: list[JsonObject] = []
        self.ordered: dict[tuple[Seat, int], JsonObject] = {}
        """The orders that each file of a seat brought."""

    def first_identity(self, seat: str) -> Identity:
        """The keys that a seat had when the match was made."""
        return Identity(secret(f"{seat} {self.seed}"))

    def former(self) -> Sequence[Identity]:
        """The keys that the seats began with."""
        return [self.first_identity(seat) for seat in self.seats]

    # --- the host's side ----------------------------------------------------------------------------------

    def time(self) -> str:
        """The host's time; it is stopped until somebody lets it pass."""
        return self.now

    def later(self, hours: int) -> str:
        """The time so many hours from now."""
        return plus_hours(self.now, hours)

    def pause(self, hours: int = 48) -> JsonObject:
        """What all agree to for a pause that ends so many hours from now; 0: the match goes on."""
        return {"kind": "pause", "until": self.later(hours)}

    def tick(self, hours: int = 0) -> None:
        """Let time pass."""
        self.now = self.later(hours)

    @property
    def head(self) -> Line:
        """The last record."""
        return self.record.head

    # --- the players' side --------------------------------------------------------------------------------

    def salt(self, seat: str) -> bytes:
        """The seat's next salt."""
        return self.salts[Seat(seat)]()

    def number(self, seat: str) -> int:
        """The next file number of a seat, whether or not the file before it arrived."""
        self.numbers[Seat(seat)] += 1
        return self.numbers[Seat(seat)]

    def compose(self, seat: str, *actions: JsonObject, **more: Any) -> Composed:
        """A signed turn; its orders are noted, so that the next one may leave out what has not changed."""
        who = Seat(seat)
        part = self.record.ledger.orders.get(who)
        kept = self.ordered.get((who, part.n)) if part else None
        composed = super().compose(seat, *actions, kept=kept, **more)
        self.ordered[who, self.numbers[who]] = more.get("orders") or NO_ORDERS
        return composed

    def join(self, seat: str, **more: Any) -> Ruling:
        """A player joins."""
        return self._sent(self.join_file(seat, **more))

    def ready(self, seat: str) -> Ruling:
        """A player gives their link."""
        return self._sent(self.ready_file(seat))

    def turn(self, seat: str, *actions: JsonObject, **more: Any) -> Ruling:
        """A player sends a turn."""
        return self._sent(self.turn_file(seat, *actions, **more))

    def _sent(self, file: JsonObject) -> Ruling:
        self.files.append(file)
        return self.send(file)

    # --- what the others agree to -------------------------------------------------------------------------

    def consent(self, seat: str, terms: JsonObject, key: SignKey | None = None) -> JsonObject:
        """A signed consent, not sent; ``key`` is the seat's recovery key, if that signs it."""
        who = Seat(seat)
        return compose_consent(self.copy(), key or self.people[who], who, self.number(seat), terms)

    def agree(self, terms: JsonObject, *seats: str) -> Ruling:
        """Consents of these seats, one after the other; the ruling on the last."""
        kept: list[JsonObject] = []
        for seat in seats:
            kept.append(self.consent(seat, terms))
            ruling = self.send(kept[-1], kept)
        return ruling

    def new_keys(self, seat: str, new: Identity) -> JsonObject:
        """What the others agree to if both keys of a seat are lost: ``new`` takes their place."""
        return rekey_terms(self.copy(), Seat(seat), new)

    def rekey_file(self, seat: str, key: SignKey, new: Identity, recovery: bytes | None = None) -> JsonObject:
        """A signed rekey, not sent; ``key`` is the seat's or its recovery key, ``recovery`` the hash of another one."""
        number, served = self.number(seat), seat in self.in_page
        return compose_rekey(self.copy(), Seat(seat), number, key, new, recovery, served=served)

    def newcomer(self, seat: str, name: str, n: int | None = None) -> Message:
        """The join of a substitute who is called ``name``; their number is the seat's next if ``n`` is None."""
        new = Identity(secret(f"{name} {self.seed}"))
        number = self.number(seat) if n is None else n
        return message_of(compose_join(self.copy(), new, seat, name=name.title(), n=number))

    def substitute_terms(self, seat: str, name: str) -> JsonObject:
        """What the others agree to if a newcomer called ``name`` is to have this seat."""
        new = Identity(secret(f"{name} {self.seed}"))
        return {"kind": "substitute", "seat": seat, "newcomer": fingerprint(new.sign_public)}

    def resign(self, seat: str) -> Accepted:
        """A seat gives up, and time passes until that counts."""
        done = accepted(self.send(self.consent(seat, {"kind": "resign", "seat": seat})))
        self.hold(seat)
        return done

    def put(self, seat: str, name: str) -> Accepted:
        """A newcomer takes the seat of somebody who resigns, with the consent of the others."""
        if Seat(seat) not in self.record.as_of(max(self.now, self.head.at)).ledger.resigned:
            self.resign(seat)
        terms = self.substitute_terms(seat, name)
        consents = [self.consent(other, terms) for other in self.seats if other != seat]
        done = self.take(substitute(self.record, self.host, self.newcomer(seat, name), consents, self.now))
        self.people[Seat(seat)] = Identity(secret(f"{name} {self.seed}"))
        return done

    def retake(self, seat: str, name: str) -> Accepted:
        """The same invitation takes the seat again, from another browser with keys of its own."""
        new = Identity(secret(f"{name} {self.seed}"))
        join = self.join_file(seat, new, n=0)
        done = self.take(retake(self.record, self.host, message_of(join), self.now))
        self.people[Seat(seat)] = new
        return done

    def hold(self, seat: str) -> None:
        """Let time pass until what is held about this seat may be carried out, or counts."""
        for _ in range(2):  # a pause that ends meanwhile moves it
            held = self.record.as_of(max(self.now, self.head.at)).ledger.proposals.get(Seat(seat))
            self.now = self.now if held is None else max(self.now, held.until)

    def carry_out(self, seat: str, join: Message | None = None) -> Accepted:
        """Wait for the end of the hold, then carry out what is proposed about this seat."""
        self.hold(seat)
        return self.take(carry_out(self.record, self.host, Seat(seat), self.now, join))

    # --- playing ------------------------------------------------------------------------------------------

    def start(self) -> Self:
        """Everybody joins and is ready."""
        for seat in self.seats:
            accepted(self.join(seat))
        for seat in self.record.ledger.linking:
            accepted(self.ready(seat))
        return self

    def play(self, limit: int = 100_000) -> Self:
        """Play on until the match is over, or ``limit`` files were sent.

        Raises:
            PbemError: the host did not accept one of them.
        """
        for _ in range(limit):
            if not self.move():
                break
        return self

    def move(self) -> bool:
        """One file of whoever is awaited; False when nobody is.

        Raises:
            PbemError: the host did not accept it.
        """
        file = self.next_file()
        if file is not None:
            accepted(self._sent(file))
        return file is not None


def refusal(ruling: Ruling) -> Refused:
    """The ruling as the refusal it must be."""
    assert isinstance(ruling, Refused), ruling
    return ruling


def top_of(world: World) -> str:
    """The top card of the discard in a match of Wyatt Earp, which everybody sees."""
    public = world.record.public
    assert public is not None
    return str(public["discard"]["top"])
