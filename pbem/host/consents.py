"""Consents that wait for others: in the host's private part until all who must agree have (schemas/README.md §7)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pbem.crypto.digest import b64
from pbem.errors import PbemError
from pbem.formats.messages import Message, read_message
from pbem.formats.signed import verify_file
from pbem.formats.strict_json import canon
from pbem.game import JsonObject, Seat
from pbem.record import Record
from pbem.store import PrivateNotes


class Consents:
    """The waiting consents of one match."""

    def __init__(self, notes: PrivateNotes) -> None:
        self._notes = notes

    def keep(self, message: Message) -> None:
        """Keep a consent that the referee held."""
        name = f"consent-{message.seat}-{message.n:06}-{b64(message.hash)[:8].replace('_', 'x')}.json"
        self._notes.write(name, canon(message.file), replace=True)

    def usable(self, record: Record) -> list[JsonObject]:
        """The files that may still count: their number not used up, signed by who sits there now."""
        return [message.file for message in self._all() if still_counts(record, message)]

    def waiting(self, record: Record) -> list[JsonObject]:
        """What was agreed to, and by whom, for the status."""
        return agreed(self.usable(record))

    def _all(self) -> Iterator[Message]:
        for name in self._notes.names():
            if name.startswith("consent-"):
                yield read_message(self._notes.read(name))


def agreed(files: Iterable[JsonObject]) -> list[JsonObject]:
    """What these consents agree to, and whose they are."""
    found: dict[bytes, JsonObject] = {}
    for file in files:
        what = file["body"]["what"]
        entry = found.setdefault(canon(what), {"what": what, "seats": []})
        entry["seats"].append(file["body"]["seat"])
    return list(found.values())


def still_counts(record: Record, message: Message) -> bool:
    """Whether a kept consent may still be used: its number is not used up, and its signer sits there now."""
    player = record.ledger.players.get(Seat(message.seat))
    if player is None or message.n <= player.n or message.game != record.game:
        return False
    try:
        verify_file("consent", message.file, player.sign)
    except PbemError:
        return False
    return True
