"""All people of one match, and the file of whoever is awaited."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container, Sequence
from typing import Any, assert_never

from pbem.base.errors import PbemError
from pbem.base.sentences import sentence
from pbem.game import JsonObject, Seat
from pbem.protocol.client import Composed, Packets, SeatView, compose_join, compose_ready, compose_turn
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import Record
from pbem.protocol.record.standing import Answer, Decision, Host, Joins, Links, ReadyFiles, beneath
from pbem.protocol.referee import Accepted, Ruling, receive


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
        keys, more = identity or self.people[Seat(seat)], {"served": seat in self.in_page, **more}
        return compose_join(self.copy(), keys, seat, name=self.called(seat), **more)

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
        raise PbemError(sentence("the host did not accept this: {why}", why=str(ruling)))
    return ruling
