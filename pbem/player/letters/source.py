"""What a letter is written from: the read-only face of a record, and nothing else.

``Source`` is a ``Protocol``: the record of ``pbem.protocol.record`` fits it, and so does a fake in a test. It holds
public things only. Packets pass through as sealed bytes inside ``Line.raw``; no module of this room opens one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pbem.game import AnyRules, GameInfo, JsonObject, Seat
from pbem.protocol.record.kind import Label
from pbem.protocol.record.ledger import Index, Indexed
from pbem.protocol.record.standing import Moment


class Line(Indexed, Protocol):
    """One record of the game file."""

    @property
    def hash(self) -> bytes:
        """SHA-256 of ``raw``."""
        ...

    @property
    def raw(self) -> bytes:
        """The line as it stands in the file, without its line feed."""
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
