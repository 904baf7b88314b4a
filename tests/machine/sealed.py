"""How much a seat may have sealed, said here a second time, from the lines alone (schemas/README.md §6).

A seat's parts that no record has opened add up to three quarters of its measure; in the last quarter only a choice goes
that comes alone: the shortest part, in a turn with a result, without open actions and without orders.
"""

from __future__ import annotations

from pbem.game import JsonObject, Seat
from pbem.protocol.crypto.digest import unb64
from pbem.protocol.record.line import Line

BUDGET = 786_432
FRAME = 256
LEAST = 560
"""Bytes of the shortest ciphertext."""


class SealedBytes:
    """What every seat has sealed and nobody has opened, from the lines of one match."""

    def __init__(self, seats: int) -> None:
        self.whole = BUDGET // seats
        self.held: dict[tuple[str, int, str], int] = {}

    def fork(self) -> SealedBytes:
        """The same, to go on from."""
        other = SealedBytes(1)
        other.whole, other.held = self.whole, dict(self.held)
        return other

    def left(self, seat: Seat) -> int:
        """Bytes that still fit into the first three quarters."""
        return self.whole - self.whole // 4 - self._sum(seat)

    def left_for_choices(self, seat: Seat) -> int:
        """Bytes that still fit at all."""
        return self.whole - self._sum(seat)

    def take(self, line: Line) -> str:
        """Count a record; why it seals more than its seat may, empty if it does not."""
        reason = ""
        if line.kind == "turn":
            body = line.body["msg"]["body"]
            sizes = {part: len(unb64(body[part]["ct"])) for part in ("sealed", "orders") if part in body}
            self.held |= {(body["seat"], body["n"], part): size + FRAME for part, size in sizes.items()}
            seat = Seat(body["seat"])
            space = self.left_for_choices(seat) if _chooses(line, body, sizes) else self.left(seat)
            reason = f"{seat} has sealed {-space} bytes more than it may" if sizes and space < 0 else ""
        for opening in line.body.get("opened", ()):
            self.held.pop((opening["seat"], opening["n"], opening["part"]), None)
        return reason

    def _sum(self, seat: Seat) -> int:
        return sum(size for (holder, _, _), size in self.held.items() if holder == seat)


def _chooses(line: Line, body: JsonObject, sizes: dict[str, int]) -> bool:
    return "steps" in line.body and not body["actions"] and sizes == {"sealed": LEAST}
