"""What a signature rests on: the host did with this player's files what they say, as far as their owner can know.

``pbem.protocol.client.seat_view`` finds it in a record; here it is asked of the files and copies that a player's
folder keeps, is looked for once in every record, and is said in words.
"""

from __future__ import annotations

import json

from pbem.base.errors import VerificationError
from pbem.base.language import moment_of
from pbem.base.sentences import joined, sentence
from pbem.game import Seat
from pbem.player.seat.copy import Copy
from pbem.player.seat.own_copies import OwnCopies
from pbem.player.seat.sent_files import SentFiles
from pbem.protocol.client import SeatView
from pbem.protocol.client.seat_view import OtherFile, other_files, sealed_faults
from pbem.protocol.crypto.digest import b64
from pbem.protocol.record import Record

_SEALED = "sealed-checked.json"


class OwnWord:
    """A player's copy beside what they have signed and sealed."""

    def __init__(self, copy: Copy, sent: SentFiles, sealed: OwnCopies) -> None:
        self._copy = copy
        self._sent = sent
        self._sealed = sealed
        self._checked = 0

    def check(self, record: Record, seat: Seat, view: SeatView | None) -> None:
        """Nothing, if the own messages in the record are those that were sent.

        Args:
            record: the copy, verified from its first byte.
            seat: whose files.
            view: the seat's view, if what was sealed is to be looked at too.

        Raises:
            VerificationError: code ``own-sealed`` or ``own-message``, with what to do.
        """
        hint = sentence("keep this file and tell the others")
        if view is not None:
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
                    "Did you sign it on another device of yours? Then say so: pbem update COPY --mine. "
                    "If not, somebody has your key: keep this file and tell the others."
                ),
            )
        self._checked = len(record.lines)

    def altered_actions(self, view: SeatView) -> list[str]:
        """Where the host did other actions than this seat had sealed, in words (schemas/README.md §3.2)."""
        record, seat = view.record, view.seat
        since = 0 if self._copy.is_proven else self._mark(record)
        faults = sealed_faults(view, lambda n: self._sealed.of_number(record, seat, n, "sealed"), since=since)
        if not faults and not self._copy.is_proven and since < len(record.lines):
            mark = {"game": b64(record.game), "next": len(record.lines)}
            self._sent.notes.write(_SEALED, json.dumps(mark).encode(), replace=True)
        return [joined((sentence("record {seq}", seq=fault.seq), fault.sentence), ": ") for fault in faults]

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
