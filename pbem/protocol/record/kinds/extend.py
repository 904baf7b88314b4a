"""More time for whoever is awaited (schemas/README.md §10.3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.game import JsonObject, Seat
from pbem.protocol.record.kind import Kind, RulingContext
from pbem.protocol.record.ledger import Ledger
from pbem.protocol.record.line import Fault, Line, its_seat
from pbem.protocol.record.takeover import awaited_seats


def _check(ledger: Ledger, line: Line) -> Iterator[Fault]:
    """An extension only ever gives more time, to somebody who is in the match."""
    body: JsonObject = line.body
    if body["seat"] not in awaited_seats(ledger):
        yield line.fault(4, "extend", "the match does not wait for {seat}", seat=body["seat"])
    if ledger.due is None:
        yield line.fault(4, "extend", "the match waits for nobody")
    elif body["due"] < ledger.due:
        yield line.fault(
            4, "extend", "the deadline was {due} already; it cannot come earlier", due=ledger.due
        )


def _take(ledger: Ledger, line: Line) -> None:
    ledger.due = line.body["due"]


def extend(context: RulingContext, seat: Seat, due: str) -> None:
    """Give an awaited seat time until ``due``."""
    context.add(EXTEND.name, {"seat": seat, "due": due})


def _due(_: Ledger, line: Line) -> str | None:
    """The ``due`` that the record has: its own check looks at it."""
    due: str | None = line.body.get("due")
    return due


EXTEND: Final = Kind(
    "extend", _check, _take, due=_due, extends=True, asks=True, audience=its_seat, text="extend"
)
