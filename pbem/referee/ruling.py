"""What the referee answers: values, not exceptions, since refusing a turn is normal business."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from pbem.game import JsonObject, Seat
from pbem.record import Line, Record


@dataclass(frozen=True, slots=True)
class Accepted:
    """Records to append, in order; ``record`` is the match with them. The first line is the sender's receipt."""

    lines: tuple[Line, ...]
    record: Record
    sender: Seat | None

    @property
    def stopped(self) -> JsonObject | None:
        """Why a file was not applied to its end, if it was not (``at``, ``why``)."""
        return self.lines[0].body.get("stopped") if self.lines else None


@dataclass(frozen=True, slots=True)
class Refused:
    """A file that changed nothing. ``reject`` is the host-signed file for its sender; None if none is due."""

    code: str
    sentence: str
    seat: Seat | None = None
    rules: tuple[str, ...] = ()
    action: int | None = None
    reject: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class Repeated:
    """The same file again: answered with the earlier receipt."""

    line: Line
    seat: Seat


@dataclass(frozen=True, slots=True)
class Held:
    """A consent that is good but not enough yet: kept until the others' arrive."""

    seat: Seat
    what: JsonObject
    missing: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class Ignored:
    """Not for this match, or not signed by a seat: logged and never answered."""

    reason: str


class Refusal(Exception):
    """Raised inside a ruling; becomes ``Refused`` with a signed ``reject``."""

    def __init__(
        self, code: str, sentence: str, *, rules: tuple[str, ...] = (), action: int | None = None
    ) -> None:
        super().__init__(sentence)
        self.code = code
        self.rules = rules
        self.action = action


Ruling: TypeAlias = Accepted | Refused | Repeated | Held | Ignored
