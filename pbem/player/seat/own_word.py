"""What a signature rests on: the host did with this player's files what they say, as far as their owner can know.

``pbem.protocol.client.own_word`` finds it in a record; here it is asked of the files and copies that a player's
folder keeps, is looked for once in every record, and is said in words.
"""

from __future__ import annotations

import json

from pbem.base.errors import VerificationError
from pbem.base.sentences import joined, sentence
from pbem.game import Seat
from pbem.player.seat.copy import Copy
from pbem.player.seat.own_copies import OwnCopies
from pbem.player.seat.own_orders import OwnOrders
from pbem.player.seat.sent_files import SentFiles
from pbem.protocol.client import SeatView
from pbem.protocol.client.own_word import other_files, sealed_faults
from pbem.protocol.crypto.digest import b64
from pbem.protocol.record import Record

_SEALED = "sealed-checked.json"


class OwnWord:
    """A player's copy beside what he has signed and sealed."""

    def __init__(self, copy: Copy, sent: SentFiles, sealed: OwnCopies, orders: OwnOrders) -> None:
        self._copy = copy
        self._sent = sent
        self._sealed = sealed
        self._orders = orders
        self._checked = 0

    def check(self, record: Record, seat: Seat, view: SeatView | None) -> None:
        """Nothing, if the own messages in the record are those that were sent.

        Args:
            record: the copy, verified from its first byte.
            seat: whose files.
            view: the seat's view, if what was sealed is to be looked at too.

        Raises:
            VerificationError: code ``order``, ``own-sealed`` or ``own-message``, with what to do.
        """
        hint = "Keep this file and tell the others; the close will prove it. 'pbem turn --unchecked' goes on."
        if view is not None:
            for misused in self.misused_orders(view) if seat in record.ledger.orders else ():
                raise VerificationError("order", misused, hint=hint)
            for altered in self.altered_actions(view):
                raise VerificationError("own-sealed", altered, hint=hint)
        for _, seq, n in self._not_from_here(record, seat):
            raise VerificationError(
                "own-message",
                sentence("record {seq} holds your file {n}, but not as you sent it from here", seq=seq, n=n),
                hint=sentence(
                    "Did you sign it on another device of yours? Then say so: pbem elsewhere GAME. "
                    "If not, somebody has your key: keep this file and tell the others."
                ),
            )
        self._checked = len(record.lines)

    def misused_orders(self, view: SeatView) -> list[str]:
        """Where the host did not do what the own orders say, in words; looked for once in every record."""
        return [_at_record(violation.seq, violation.sentence) for violation in self._orders.violations(view)]

    def altered_actions(self, view: SeatView) -> list[str]:
        """Where the host did other actions than this seat had sealed, in words (schemas/README.md §3.2)."""
        record, seat = view.record, view.seat
        since = 0 if self._copy.is_proven else self._mark(record)
        faults = sealed_faults(view, lambda n: self._sealed.of_number(record, seat, n, "sealed"), since=since)
        if not faults and not self._copy.is_proven and since < len(record.lines):
            mark = {"game": b64(record.game), "next": len(record.lines)}
            self._sent.notes.write(_SEALED, json.dumps(mark).encode(), replace=True)
        return [_at_record(fault.seq, fault.sentence) for fault in faults]

    def _mark(self, record: Record) -> int:
        """The first record that was not looked at for altered actions yet."""
        if _SEALED not in self._sent.notes.names():
            return 0
        try:
            mark = json.loads(self._sent.notes.read(_SEALED))
            return int(mark["next"]) if mark["game"] == b64(record.game) else 0
        except (ValueError, KeyError, TypeError):
            return 0

    def signed_elsewhere(self, record: Record, seat: Seat) -> list[int]:
        """Note that what ``check`` complains of was signed on another device of this player's; the records it is in."""
        found = self._not_from_here(record, seat)
        for hashed, _, _ in found:
            self._sent.book.write(hashed, elsewhere=True)
        return [seq for _, seq, _ in found]

    def _not_from_here(self, record: Record, seat: Seat) -> list[tuple[bytes, int, int]]:
        """Files of this seat whose number was used here for others, and of which he said nothing: name, record, n."""
        sent: dict[int, set[bytes]] = {}
        for message in self._sent.all(record.game):
            if message.seat == seat:
                sent.setdefault(message.n, set()).add(message.hash)
        return [
            other_file
            for other_file in other_files(record, seat, sent, since=self._checked)
            if not self._sent.book.page(other_file[0]).elsewhere
        ]


def _at_record(seq: int, what: str) -> str:
    return joined((sentence("record {seq}", seq=seq), what), ": ")
