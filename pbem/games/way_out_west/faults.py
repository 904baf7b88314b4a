"""What speaks against an action: rule rows and a sentence; and the one fault that many actions share."""

from __future__ import annotations

from typing import TypeAlias

from pbem.base.sentences import sentence, term
from pbem.games.way_out_west.state import Match, Position, stock

Fault: TypeAlias = tuple[tuple[str, ...], str]
"""Rule rows and a sentence."""
Faults: TypeAlias = list[Fault]


def stock_fault(match: Match, position: Position, seat: int, what: str, count: int, *rows: str) -> Faults:
    """``count`` counters are needed; empty if the seat has as many in stock (A10)."""
    left = stock(match, position, seat, what)
    if left >= count:
        return []
    told = sentence("{count} {what} needed, {left} in stock", count=count, what=term(what), left=left)
    return [((*rows, "A10"), told)]
