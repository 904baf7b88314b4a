"""Where a seat's own turns are announced besides emails: for the host alone, in no record (schemas/README.md §6)."""

from __future__ import annotations

from typing import Final

from pbem.protocol.formats.messages import Message
from pbem.protocol.record.kind import FileKind
from pbem.protocol.record.ledger import Ledger


def _judge(_: Ledger, __: Message) -> None:
    """Its address is sealed: what is wrong with it the host alone can say."""


CHANNEL: Final = FileKind("channel", _judge)
