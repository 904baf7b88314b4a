"""What a letter is written from: the read-only face of a record, and nothing else.

``Source`` is a ``Protocol``: the record of ``pbem.protocol.record`` fits it, and so does a fake in a test. It holds
public things only. Packets pass through as sealed bytes inside ``Line.raw``; no module of this room opens one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pbem.game import AnyRules, GameInfo, JsonObject, Seat
from pbem.protocol.record.ledger import Index
from pbem.protocol.record.standing import Moment


class Line(Protocol):
    """One record of the game file."""

    @property
    def seq(self) -> int:
        """Its number, from 0."""
        ...

    @property
    def kind(self) -> str:
        """``genesis``, ``turn``, … (schemas/README.md §7)."""
        ...

    @property
    def body(self) -> JsonObject:
        """The body that the host signed."""
        ...

    @property
    def hash(self) -> bytes:
        """SHA-256 of ``raw``."""
        ...

    @property
    def raw(self) -> bytes:
        """The line as it stands in the file, without its line feed."""
        ...


class Label(Protocol):
    """How well one draw of a record is proven (schemas/README.md §4.4)."""

    @property
    def step(self) -> int:
        """Which step of the record, from 0."""
        ...

    @property
    def index(self) -> int:
        """Which entry of that step's ``chance``, from 0."""
        ...

    @property
    def label(self) -> str:
        """``fair``, ``fair after reveal`` or ``bound only``."""
        ...

    @property
    def again(self) -> tuple[str, ...]:
        """Seats for whose missing links the deck or tape was laid again."""
        ...

    @property
    def retaken(self) -> bool:
        """Whether that was since these seats were taken again by their invitation."""
        ...

    @property
    def thrown_away(self) -> int:
        """How many layings were burned for it."""
        ...

    @property
    def left_out(self) -> tuple[str, ...]:
        """Seats without a link in the cut."""
        ...

    @property
    def cut_by(self) -> tuple[str, ...]:
        """Seats whose links made the cut, if one was left out."""
        ...

    @property
    def served(self) -> tuple[str, ...]:
        """Seats of the cut whose part was made in a page that the host serves, as they say."""
        ...

    @property
    def unknown(self) -> tuple[str, ...]:
        """Where the host serves a page, the other seats of the cut."""
        ...


class Source(Protocol):
    """A verified record, as far as letters need it."""

    @property
    def game(self) -> bytes:
        """The match's id: the hash of record 0."""
        ...

    @property
    def genesis(self) -> JsonObject:
        """The body of record 0."""
        ...

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats, clockwise."""
        ...

    @property
    def lines(self) -> Sequence[Line]:
        """All records; ``lines[i].seq == i``."""
        ...

    @property
    def index(self) -> Index:
        """Where things stand among the records."""
        ...

    @property
    def game_info(self) -> GameInfo:
        """Static facts of the game."""
        ...

    @property
    def rules(self) -> AnyRules:
        """The engine bound to this match."""
        ...

    def moment(self, seq: int) -> Moment:
        """What the match waited for after record ``seq``, and what everybody saw then."""
        ...

    def labels(self, seq: int) -> Sequence[Label]:
        """The labels of that record's draws."""
        ...
