"""Where things stand in a game file: kept while it is folded, so that nobody walks the record from its start.

Every question names the record up to which it is asked, so that an old letter can be made again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import field
from typing import Protocol, TypeVar

from pbem.base.values import dataclass
from pbem.game import JsonObject, Seat
from pbem.protocol.record.log import Log

K = TypeVar("K")
V = TypeVar("V")


class Indexed(Protocol):
    """One record."""

    @property
    def seq(self) -> int:
        """Its number."""
        ...

    @property
    def kind(self) -> str:
        """Its kind."""
        ...

    @property
    def body(self) -> JsonObject:
        """What it says."""
        ...


@dataclass(slots=True)
class Index:
    """Numbers of records, in order. A fork shares what was there."""

    kinds: dict[str, Log[int]] = field(default_factory=dict)
    """By kind."""
    files: dict[Seat, Log[int]] = field(default_factory=dict)
    """Those that hold a file of the seat."""
    words: dict[Seat, Log[int]] = field(default_factory=dict)
    """Those in which the seat speaks: its files and consents; a newcomer's join is no word of his forerunner's."""
    tells: dict[Seat, Log[int]] = field(default_factory=dict)
    """Those that hold a private word to the seat."""
    seen: dict[Seat, Log[tuple[int, int]]] = field(default_factory=dict)
    """With each file of the seat the newest record that it has signed to have seen until then."""

    def fork(self) -> Index:
        """An independent copy."""
        return Index(dict(self.kinds), dict(self.files), dict(self.words), dict(self.tells), dict(self.seen))

    def take(self, line: Indexed, *, speaks: bool = True) -> None:
        """Take the newest record; ``speaks``: its file is a word of who sat in the seat before it."""
        seq, body = line.seq, line.body
        _add(self.kinds, line.kind, seq)
        speakers = {Seat(file["body"]["seat"]) for file in body.get("consents", ())}
        message = body.get("msg")
        if message is not None:
            said = message["body"]
            seat = Seat(said["seat"])
            _add(self.files, seat, seq)
            if speaks:
                speakers.add(seat)
            for to in {Seat(item["to"]) for item in said.get("tell", ())}:
                _add(self.tells, to, seq)
            if "seen" in said:
                before = self.seen.get(seat)
                _add(self.seen, seat, (seq, max(said["seen"]["seq"], before[-1][1] if before else -1)))
        for seat in speakers:
            _add(self.words, seat, seq)

    def of_kinds(self, kinds: tuple[str, ...], upto: int) -> list[int]:
        """The records of these kinds up to record ``upto``."""
        found = [seq for kind in kinds for seq in self.kinds.get(kind, ()) if seq <= upto]
        return found if len(kinds) == 1 else sorted(found)

    def files_of(self, seat: Seat, upto: int) -> Iterator[int]:
        """The records up to ``upto`` that hold a file of the seat, the newest first."""
        files = self.files.get(seat, Log())
        for at in range(bisect_right(files, upto) - 1, -1, -1):
            yield files[at]

    def seen_by(self, seat: Seat, upto: int) -> int:
        """The newest record that the seat has signed to have seen, in records up to ``upto``; −1 if there is none."""
        seen = self.seen.get(seat, Log())
        at = bisect_right(seen, upto, key=lambda one: one[0])
        return seen[at - 1][1] if at else -1

    def spoke(self, seat: Seat, after: int, upto: int) -> bool:
        """Whether the seat speaks in a record behind ``after`` and not behind ``upto``."""
        words = self.words.get(seat, Log())
        return bisect_right(words, after) < bisect_right(words, upto)


def _add(logs: dict[K, Log[V]], key: K, item: V) -> None:
    logs[key] = logs.get(key, Log()).plus(item)
