"""What a signature rests on: the host did with this player's files what they say, as far as their owner can know.

``pbem.protocol.client.seat_view`` finds it in a record; here it is asked of the files and copies that a player's
folder keeps, is looked for once in every record, and is said in words.
"""

from __future__ import annotations

import json
from typing import Literal

from pbem.base.errors import VerificationError
from pbem.base.language import moment_of
from pbem.base.sentences import joined, sentence
from pbem.game import Json, JsonObject, Seat
from pbem.player.seat.copy import Copy
from pbem.player.seat.orders import still_of_use
from pbem.player.seat.sent_files import SentFiles
from pbem.player.seat.uses import UsesCheck, Violation
from pbem.player.store import PrivateNotes, Sealed
from pbem.protocol.client import SeatView
from pbem.protocol.client.seat_view import OtherFile, other_files, sealed_faults
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.envelopes import Part, open_own, part_commit
from pbem.protocol.record import Record

_SEALED = "sealed-checked.json"


class OwnWord:
    """A player's copy beside what they have signed and sealed."""

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
        hint = sentence("keep this file and tell the others")
        if view is not None:
            for misused in self.misused_orders(view) if seat in record.ledger.orders else ():
                raise VerificationError("order", misused, hint=hint)
            for altered in self.altered_actions(view):
                raise VerificationError("own-sealed", altered, hint=hint)
        for file in self._not_from_here(record, seat):
            raise VerificationError(
                "own-message",
                sentence(
                    "the match file holds a file of yours from {when}, but not as you sent it from here",
                    when=moment_of(record.lines[file.seq].at, record.head.at),
                ),
                hint=sentence(
                    "Did you sign it on another device of yours? Then say so: pbem elsewhere COPY. "
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
        unknown = self._not_from_here(record, seat)
        for file in unknown:
            self._sent.log.write(file.name, elsewhere=True)
        return [file.seq for file in unknown]

    def _not_from_here(self, record: Record, seat: Seat) -> list[OtherFile]:
        """Files of this seat whose number was used here for others, and of which they said nothing."""
        sent: dict[int, set[bytes]] = {}
        for message in self._sent.all(record.game):
            if message.seat == seat:
                sent.setdefault(message.n, set()).add(message.hash)
        return [
            other_file
            for other_file in other_files(record, seat, sent, since=self._checked)
            if not self._sent.log.page(other_file.name).elsewhere
        ]


def _at_record(seq: int, text: str) -> str:
    return joined((sentence("record {seq}", seq=seq), text), ": ")


# --- own orders -------------------------------------------------------------------------------------------
#
# What a player keeps of their standing orders: copies of what they sealed, those for their next file, how far
# they checked.
#
# Orders travel in a turn file. Those that are planned wait here and leave with the next one, so that a
# change of mind costs no mail of its own.

_PLANNED = "orders-planned.json"
_CHECKED = "orders-checked.json"


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

    # --- the host's use of them ---------------------------------------------------------------------------

    def violations(self, view: SeatView) -> tuple[Violation, ...]:
        """Where the host did not do what the orders say, in records not checked before.

        A misuse is named again each time, until the file is given up: what was good is not looked at twice.
        """
        record, seat = view.record, view.seat
        if seat not in record.ledger.orders:
            return ()
        check = UsesCheck(view, lambda n: self.copy(record, seat, n), self._mark(record))
        checked_uses = check.run()
        if not checked_uses.violations:
            mark = {"game": b64(record.game), "next": len(record.lines)}
            self._notes.write(_CHECKED, json.dumps(mark).encode(), replace=True)
        return checked_uses.violations

    def _mark(self, record: Record) -> int:
        if _CHECKED not in self._notes.names():
            return 0
        mark = json.loads(self._notes.read(_CHECKED))
        return int(mark["next"]) if mark["game"] == b64(record.game) else 0


# --- own copies -------------------------------------------------------------------------------------------
#
# What a player sealed, read again by themselves: from the copies on this device, else from the file by their
# own key.
#
# Every sealed part of a file has a copy for the seat's own key beside the host's
# (schemas/README.md §3.2). So a second device, or one whose copies are lost, knows the standing orders in
# force and the sealed actions, and takes nothing back unawares. Which of several copies counts, the
# commitment in the signed file says.

Member = Literal["sealed", "orders"]
_PARTS: dict[Member, Part] = {"sealed": "sealed", "orders": "order"}


class OwnCopies:
    """The sealed parts of one player in one match, whose record only grows."""

    def __init__(self, kept: Sealed, identity: Identity) -> None:
        self._kept = kept
        self._identity = identity
        self._read: dict[bytes, Json] = {}

    def of_file(self, body: JsonObject, member: Member) -> Json | None:
        """What a file of this player, given by its body, has sealed; None if it has no such part or cannot be read.

        It cannot be read if it was sealed with a key that is neither at hand nor left a copy here.
        """
        part = body.get(member)
        if part is None:
            return None
        commit = unb64(part["commit"], 32)
        if commit not in self._read:
            content = self._here(body, member, commit)
            if content is None:
                content = self._opened(body, member)
            if content is None:
                return None
            self._read[commit] = content
        return self._read[commit]

    def of_number(self, record: Record, seat: Seat, n: int, member: Member) -> Json | None:
        """What file ``n`` of the seat has sealed as it stands in the record; if it is not there, what is kept here."""
        line = record.ledger.sealed_in(seat, n, member)
        if line is not None:
            return self.of_file(line.body["msg"]["body"], member)
        kept = self._kept.find(str(record.lines[0].reference["line"]), seat, n, member)
        return kept[-1].content if kept else None

    def _here(self, body: JsonObject, member: Member, commit: bytes) -> Json | None:
        game, seat, n = body["game"], body["seat"], body["n"]
        for copy in self._kept.find(game, seat, n, member):
            if part_commit(_PARTS[member], unb64(game, 32), seat, n, copy.salt, copy.content) == commit:
                return copy.content
        return None

    def _opened(self, body: JsonObject, member: Member) -> Json | None:
        keys = self._identity.seal_key, self._identity.seal_public
        try:
            return open_own(
                _PARTS[member], unb64(body["game"], 32), body["seat"], body["n"], *keys, body[member]
            )[1]
        except VerificationError:
            return None
