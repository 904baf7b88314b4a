"""One match in memory whose keys, nonce, salts and time follow from what it is made with."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Sequence
from dataclasses import field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal, Self, assert_never

from pbem.base.errors import PbemError
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.game import JsonObject, Seat
from pbem.player.seat.client import compose_rekey, rekey_what
from pbem.player.store import Keyring, write_private
from pbem.protocol.client import (
    NO_ORDERS,
    Composed,
    Packets,
    SeatView,
    compose_consent,
    compose_join,
    compose_ready,
    compose_turn,
)
from pbem.protocol.crypto.digest import SALT_SIZE, fingerprint, lp, mac, sha, u32
from pbem.protocol.crypto.identity import SECRET_SIZE, Identity
from pbem.protocol.crypto.primitives import SignKey
from pbem.protocol.formats.identity_file import write_identity
from pbem.protocol.formats.messages import Message, message_of
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import Deadlines, HostOpenings, Line, Record
from pbem.protocol.record.deadlines import format_time, parse_time, plus_hours
from pbem.protocol.record.standing import Answer, Decision, Host, Joins, Links, ReadyFiles, beneath
from pbem.protocol.referee import (
    Accepted,
    MatchPlan,
    Ruling,
    carry_out,
    create_match,
    hand_over,
    offer,
    receive,
    retake,
    retire,
    substitute,
)

# --- all people of one match, and the file of whoever is awaited ------------------------------------------


class Everybody(ABC):
    """A match with the keys of its host and of every seat. Whoever makes one says where time and salts come from.

    ``record`` is the host's. Players work from ``copy()`` and their own keys, as in a real match.
    """

    record: Record
    host: Identity
    people: dict[Seat, Identity]
    packets: Packets | None = None
    """Opened envelopes, kept from one view to the next."""
    in_page: Container[str] = ()
    """The seats that play in a page which the host serves."""

    # --- what each kind of match says ---------------------------------------------------------------------

    @abstractmethod
    def time(self) -> str:
        """The host's time, in UTC (schemas/README.md §1)."""

    @abstractmethod
    def salt(self, seat: str) -> bytes:
        """16 bytes, never the same twice in one match."""

    def number(self, seat: str) -> int:
        """The number of the seat's next file; a match whose files need not arrive counts for itself."""
        return self.record.ledger.players[Seat(seat)].n + 1

    def called(self, seat: str) -> str:
        """The name that a seat joins with."""
        return seat.title()

    def choose(self, seat: str) -> Sequence[JsonObject]:
        """The actions of one turn file of a seat that is asked: the rules' suggestion."""
        return [self.advice(seat)]

    # --- the players' side --------------------------------------------------------------------------------

    def copy(self) -> Record:
        """The match as a player verifies it: without the host's secret."""
        return Record(self.record.ledger)

    def view(self, seat: str) -> SeatView:
        """What a seat sees with its own key."""
        who = Seat(seat)
        return SeatView(self.copy(), self.people[who], who, self.packets)

    def advice(self, seat: str) -> JsonObject:
        """The action that the rules suggest to a seat now."""
        rules = self.record.rules
        return rules.action_to_json(rules.suggest(self.view(seat).view))

    def join_file(self, seat: str, identity: Identity | None = None, **more: Any) -> JsonObject:
        """A signed join, not sent; ``more`` goes to ``compose_join``."""
        told: dict[str, Any] = {"served": seat in self.in_page, "name": self.called(seat), **more}
        return compose_join(self.copy(), identity or self.people[Seat(seat)], seat, **told)

    def ready_file(self, seat: str) -> JsonObject:
        """A signed ready file, not sent."""
        who = Seat(seat)
        number, served = self.number(who), seat in self.in_page
        return compose_ready(self.copy(), self.people[who], who, number, served=served)

    def compose(self, seat: str, *actions: JsonObject, **more: Any) -> Composed:
        """A signed turn and the copies to keep of it; ``more`` goes to ``compose_turn``."""
        who = Seat(seat)
        return compose_turn(
            self.copy(),
            self.people[who],
            who,
            self.number(who),
            actions=actions,
            served=seat in self.in_page,
            salt=lambda: self.salt(who),
            **more,
        )

    def turn_file(self, seat: str, *actions: JsonObject, **more: Any) -> JsonObject:
        """A signed turn, not sent."""
        return self.compose(seat, *actions, **more).file

    def move_file(self, seat: str) -> JsonObject:
        """The signed turn of a seat that is asked, not sent."""
        return self.turn_file(seat, *self.choose(seat))

    def next_file(self) -> JsonObject | None:
        """The file of whoever is awaited, of the first if there are several; None when no player is.

        A pause is no reason to wait here: it says when something is due, not that nothing may come.
        """
        match beneath(self.record.standing):
            case Joins(seats=seats):
                return self.join_file(seats[0])
            case ReadyFiles(seats=seats) | Links(seats=seats):
                return self.ready_file(seats[0])
            case Decision(seat=seat) | Answer(seat=seat):
                return self.move_file(seat)
            case Host() | None:
                return None
            case other:
                assert_never(other)

    # --- the host's side ----------------------------------------------------------------------------------

    @property
    def lines(self) -> list[bytes]:
        """The game file as everybody has it."""
        return [line.raw for line in self.record.lines]

    def judge(self, file: JsonObject | bytes, consents: Sequence[JsonObject] = ()) -> Ruling:
        """What an honest host says to this file now; nothing is recorded."""
        raw = file if isinstance(file, bytes) else canon(file)
        return receive(self.record, self.host, raw, self.time(), consents)

    def take(self, ruling: Accepted) -> Accepted:
        """Record what was ruled."""
        self.record = ruling.record
        return ruling

    def send(self, file: JsonObject | bytes, consents: Sequence[JsonObject] = ()) -> Ruling:
        """Hand a file to the host; what he accepts is recorded."""
        ruling = self.judge(file, consents)
        if isinstance(ruling, Accepted):
            self.take(ruling)
        return ruling

    def move(self) -> bool:
        """One file of whoever is awaited; False when nobody is, or when the host did not accept it."""
        file = self.next_file()
        return file is not None and isinstance(self.send(file), Accepted)


def accepted(ruling: Ruling) -> Accepted:
    """The ruling as the acceptance that it must be.

    Raises:
        PbemError: it is another.
    """
    if not isinstance(ruling, Accepted):
        why = getattr(ruling, "sentence", "") or getattr(ruling, "reason", "") or type(ruling).__name__
        raise PbemError(sentence("the host did not accept this: {why}", why=why))
    return ruling


# --- people -----------------------------------------------------------------------------------------------
#
# People whose keys protect nothing: their names, keys that follow from a text, identities with a known
# passphrase.

NAMES: Final = ("anna", "burt", "curt", "dora", "emil")
PASSPHRASE: Final = "demo"  # noqa: S105 - it protects nothing and stands in a file beside the identities
_LOG_N: Final = 4
"""So little work, too: nobody has to wait for a lock whose key lies beside it."""


def secret(text: str) -> bytes:
    """32 bytes that follow from ``text``: for TEST keys, nonces and salts."""
    return sha(b"TEST " + text.encode())


def make_identity(
    home: Path, name: str, kind: Literal["player", "host"], entropy: Callable[[int], bytes]
) -> Identity:
    """A new identity in a keyring of its own, sealed like any other; the passphrase lies beside it."""
    identity = Identity(entropy(SECRET_SIZE))
    raw = write_identity(identity, name.title(), PASSPHRASE, entropy(SALT_SIZE), kind=kind, log_n=_LOG_N)
    Keyring(home).add(name, raw)
    write_private(home / "passphrase", PASSPHRASE.encode() + b"\n")
    return identity


class FixedSalts:
    """16 bytes at each call, which follow from a name and how often it was called, from ``count`` on."""

    def __init__(self, name: str, count: int = 0) -> None:
        self.name = name
        self.count = count

    def __call__(self) -> bytes:
        """The next ones."""
        self.count += 1
        return secret(f"salt {self.name} {self.count}")[:SALT_SIZE]


# --- world ------------------------------------------------------------------------------------------------

START: Final = "2026-11-21T18:00:00Z"


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
    """The host's keys; his own for each seed if it is None."""
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
        """The host's time; it stands still until somebody lets it pass."""
        return self.now

    def later(self, hours: int) -> str:
        """The time so many hours from now."""
        return plus_hours(self.now, hours)

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
        """A player gives his link."""
        return self._sent(self.ready_file(seat))

    def turn(self, seat: str, *actions: JsonObject, **more: Any) -> Ruling:
        """A player sends a turn."""
        return self._sent(self.turn_file(seat, *actions, **more))

    def _sent(self, file: JsonObject) -> Ruling:
        self.files.append(file)
        return self.send(file)

    # --- what the others agree to -------------------------------------------------------------------------

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

    def rekey_file(self, seat: str, key: SignKey, new: Identity, recovery: bytes | None = None) -> JsonObject:
        """A signed rekey, not sent; ``key`` is the seat's or its recovery key, ``recovery`` the hash of another one."""
        number, served = self.number(seat), seat in self.in_page
        return compose_rekey(self.copy(), Seat(seat), number, key, new, recovery, served=served)

    def newcomer(self, seat: str, name: str, n: int | None = None) -> Message:
        """The join of a substitute who is called ``name``; his number is the seat's next if ``n`` is None."""
        new = Identity(secret(f"{name} {self.seed}"))
        number = self.number(seat) if n is None else n
        return message_of(compose_join(self.copy(), new, seat, name=name.title(), n=number))

    def substitute_what(self, seat: str, name: str) -> JsonObject:
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
        what = self.substitute_what(seat, name)
        consents = [self.consent(one, what) for one in self.seats if one != seat]
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

    def retire(self, name: str, *, plays: str = "", api: str = "") -> Accepted:
        """The host gives the match to another one called ``name``, who plays the seat ``plays``, if any."""
        new = Identity(secret(f"host {name}"))
        offered = offer(self.record.game, new, seat=plays, mail=f"{name}@example.org", api=api)
        return self.take(retire(self.record, self.host, offered, self.now))

    def hand_over(self, name: str, consents: Sequence[JsonObject] = ()) -> Accepted:
        """Wait until that counts; then the other host has the match, and goes on with it."""
        held = self.record.ledger.retiring
        self.now = self.now if held is None else max(self.now, held.until)
        contacts = {Seat(seat): f"{seat}@example.org" for seat in self.seats}
        done = self.take(hand_over(self.record, self.host, contacts, consents, self.now))
        self.host = Identity(secret(f"host {name}"))
        self.record = Record.load(self.lines, HostOpenings.of(self.host, self.lines))
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


# --- entropy and time of a demo: both arguments of the real path, here from a seed and a start ------------

_MINUTE = 60


class SeededEntropy:
    """Bytes that follow from a seed and a name; the same again for the same. For TEST matches only."""

    def __init__(self, seed: str, name: str) -> None:
        self._key = sha(lp("pbem demo, TEST entropy", seed, name))
        self._count = 0

    def __call__(self, size: int) -> bytes:
        """The next ``size`` bytes."""
        out = b""
        while len(out) < size:
            self._count += 1
            out += mac(self._key, u32(self._count))
        return out[:size]


class StepClock:
    """A clock that goes on by some minutes whenever somebody looks; every match has the same rhythm."""

    def __init__(self, start: str) -> None:
        self._now = parse_time(start).timestamp()
        self._looks = 0

    def __call__(self) -> str:
        """The time now, some minutes after the last look."""
        self._looks += 1
        self._now += (7 + self._looks * 5 % 23) * _MINUTE
        return format_time(datetime.fromtimestamp(self._now, UTC))
