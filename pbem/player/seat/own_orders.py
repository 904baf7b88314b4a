"""What a player keeps of their standing orders: copies of what they sealed, and those for their next file.

Orders travel in a turn file. Those that are planned wait here and leave with the next one, so that a change of mind
costs no mail of its own.
"""

from __future__ import annotations

import json

from pbem.game import JsonObject, Seat
from pbem.player.seat.orders import still_of_use
from pbem.player.seat.own_copies import OwnCopies
from pbem.player.store import PrivateNotes, Sealed
from pbem.protocol.crypto.digest import b64
from pbem.protocol.record import Record

_PLANNED = "orders-planned.json"


class OwnOrders:
    """The orders of one player in one match."""

    def __init__(self, notes: PrivateNotes, sealed: Sealed, copies: OwnCopies) -> None:
        self._notes = notes
        self._sealed = sealed
        self._copies = copies

    def copy(self, record: Record, seat: Seat, n: int) -> JsonObject | None:
        """The orders that were sealed in file ``n``; None if they cannot be read here."""
        content = self._copies.of_number(record, seat, n, "orders")
        return content if isinstance(content, dict) else None

    def in_force(self, record: Record, seat: Seat) -> JsonObject | None:
        """The orders that the host has now; None if they have none, or they cannot be read here."""
        part = record.ledger.orders.get(seat)
        return None if part is None else self.copy(record, seat, part.n)

    def unreadable(self, record: Record, seat: Seat) -> bool:
        """Whether the host has orders that nobody here can read: sealed with keys that are gone."""
        return seat in record.ledger.orders and self.in_force(record, seat) is None

    def plan(self, order: JsonObject) -> None:
        """Let these orders leave with the next file."""
        self._notes.write(_PLANNED, json.dumps(order).encode(), replace=True)

    def keep_present(self) -> None:
        """Nothing is to change after all."""
        if _PLANNED in self._notes.names():
            self._notes.remove(_PLANNED)

    def planned(self) -> JsonObject | None:
        """What waits for the next file."""
        if _PLANNED not in self._notes.names():
            return None
        order: JsonObject = json.loads(self._notes.read(_PLANNED))
        return order

    def next(self, record: Record, seat: Seat) -> JsonObject | None:
        """What the next file carries: what was planned, else what the last file said and can still answer.

        That may not be in force yet: its answer has not come. Without it the next file would take it back.
        """
        planned = self.planned()
        order = self._last_said(record, seat) if planned is None else planned
        return None if order is None else still_of_use(record, order)

    def _last_said(self, record: Record, seat: Seat) -> JsonObject | None:
        part = record.ledger.orders.get(seat)
        newest = self._sealed.newest(b64(record.game), seat, "orders")
        if newest is not None and (part is None or newest.n > part.n):
            return newest.content if isinstance(newest.content, dict) else None
        return self.in_force(record, seat)
