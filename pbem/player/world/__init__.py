"""Everybody's keys in one process: a match whose files are all made here, for practice, the demo and tests.

In: whose file is awaited and the making of it, people whose keys protect nothing, fixed entropy and time. Out:
folders, emails and rulings of a real host (``pbem.host``), a player with their own key alone (``pbem.player.seat``).
Called by: cli, host, practice.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal, assert_never

from pbem.base.errors import PbemError
from pbem.base.sentences import sentence
from pbem.game import JsonObject, Seat
from pbem.player.store import Keyring, write_private
from pbem.protocol.client import Composed, Packets, SeatView, compose_join, compose_ready, compose_turn
from pbem.protocol.crypto.digest import SALT_SIZE, lp, mac, sha, u32
from pbem.protocol.crypto.identity import SECRET_SIZE, Identity
from pbem.protocol.formats.identity_file import write_identity
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import Record
from pbem.protocol.record.deadlines import (
    Answer,
    Decision,
    Host,
    Joins,
    Links,
    ReadyFiles,
    beneath,
    format_time,
    parse_time,
)
from pbem.protocol.referee import Accepted, Ruling, receive

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
        members: dict[str, Any] = {"served": seat in self.in_page, "name": self.called(seat), **more}
        return compose_join(self.copy(), identity or self.people[Seat(seat)], seat, **members)

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
        """Hand a file to the host; what they accept is recorded."""
        ruling = self.judge(file, consents)
        if isinstance(ruling, Accepted):
            self.take(ruling)
        return ruling


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
# People whose keys protect nothing: their names, and identities with a known passphrase.

NAMES: Final = ("anna", "burt", "curt", "dora", "emil")
PASSPHRASE: Final = "demo"  # noqa: S105 - it protects nothing and stands in a file beside the identities
_LOG_N: Final = 4
"""So little work, too: nobody has to wait for a lock whose key lies beside it."""


def make_identity(
    home: Path, name: str, kind: Literal["player", "host"], entropy: Callable[[int], bytes]
) -> Identity:
    """A new identity in a keyring of its own, sealed like any other; the passphrase lies beside it."""
    identity = Identity(entropy(SECRET_SIZE))
    raw = write_identity(identity, name.title(), PASSPHRASE, entropy(SALT_SIZE), kind=kind, log_n=_LOG_N)
    Keyring(home).add(name, raw)
    write_private(home / "passphrase", PASSPHRASE.encode() + b"\n")
    return identity


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
