"""A player's signed files of one match: kept before they leave, numbered upwards, found again.

A number is used once: what was signed is kept in ``sent/`` before it leaves, and the next number is above all that
were kept or recorded, so a lost or refused file never meets another one of its number.
"""

from __future__ import annotations

from collections.abc import Callable

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.game import JsonObject, Seat
from pbem.player.seat.sent_log import SentLog
from pbem.player.store import MatchFolder, PrivateNotes
from pbem.protocol.crypto.digest import short_id
from pbem.protocol.formats.envelopes import body_hash
from pbem.protocol.formats.messages import Message, read_message
from pbem.protocol.formats.strict_json import MAX_FILE, canon
from pbem.protocol.record import Record
from pbem.protocol.record.check_messages import number_ahead


@dataclass(frozen=True, slots=True)
class Signed:
    """A file that may leave now: ``raw`` is its canonical JSON; ``warnings`` are for the player."""

    kind: str
    seat: Seat
    n: int
    file: JsonObject
    raw: bytes
    name: str
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def hash(self) -> bytes:
        """Its name in the log."""
        return body_hash(self.file["body"])


def as_signed(message: Message, warnings: tuple[str, ...] = (), notes: tuple[str, ...] = ()) -> Signed:
    """A signed file under the name that it leaves with."""
    name = f"{message.kind}-{short_id(message.game)}-{message.seat}-{message.n}.json"
    raw = canon(message.file)
    return Signed(message.kind, Seat(message.seat), message.n, message.file, raw, name, warnings, notes)


class SentFiles:
    """The folder ``sent/`` of a player's copy, and the log of what became of the files in it."""

    def __init__(self, folder: MatchFolder, clock: Callable[[], str]) -> None:
        self.notes = PrivateNotes(folder.path / "sent")
        self.log = SentLog.at(folder)
        self._clock = clock
        self._files: list[Message] | None = None

    def all(self, game: bytes) -> list[Message]:
        """Everything signed here for this match, by number; read once."""
        if self._files is None:
            self._files = self.log.files(game)
        return self._files

    def next_number(self, record: Record, seat: Seat) -> int:
        """The number of the next file of ``seat``; ``UsageProblem`` if that is too far ahead of the record."""
        player = record.ledger.players.get(seat)
        recorded = player.n if player is not None else 0
        n = max([recorded, *(m.n for m in self.all(record.game) if m.seat == seat)]) + 1
        if player is not None and (reason := number_ahead(recorded, n)):
            hint = sentence("Send the files that you signed and did not send, or take in newer records.")
            raise UsageProblem(reason, hint=hint)
        return n

    def keep(
        self,
        file: JsonObject,
        warnings: tuple[str, ...] = (),
        notes: tuple[str, ...] = (),
        wish: JsonObject | None = None,
    ) -> Signed:
        """Keep the file durably, which uses its number up; then it may leave. ``wish`` goes into the log.

        Raises:
            UsageProblem: it is longer than any host reads.
        """
        raw = canon(file)
        if len(raw) > MAX_FILE:
            raise UsageProblem(
                sentence(
                    "the file would have {count} bytes; at most {MAX_FILE} are read",
                    count=len(raw),
                    MAX_FILE=MAX_FILE,
                ),
                hint=sentence("Leave something out. Nothing was kept."),
            )
        message = read_message(raw)
        self.log.write(message.hash, at=self._clock(), wish=wish or {})
        kept = f"{message.n:06}-{message.seat}-{message.kind}-{message.hash.hex()[:12]}.json"
        self.notes.write(kept, raw, replace=True)
        self.all(message.game).append(message)
        return as_signed(message, warnings, notes)
