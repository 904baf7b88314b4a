"""Consents that wait for others: in the host's private part until all who must agree have (schemas/README.md §7)."""

from __future__ import annotations

from collections.abc import Iterable

from pbem.base.errors import PbemError
from pbem.game import JsonObject, Seat
from pbem.protocol.formats.messages import Message
from pbem.protocol.formats.signed import verify_file
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import Record


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
