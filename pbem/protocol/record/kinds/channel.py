"""Where a seat's own turns are announced besides emails: for the host alone, in no record (schemas/README.md §6)."""

from __future__ import annotations

from typing import Final

from pbem.base.sentences import Sentence, sentence
from pbem.game import JsonObject
from pbem.protocol.formats.messages import Message
from pbem.protocol.record.kind import FileKind
from pbem.protocol.record.ledger import Ledger


def _judge(_: Ledger, __: Message) -> None:
    """Its address is sealed: what is wrong with it the host alone can say."""


def _says(_: JsonObject) -> Sentence:
    return sentence("a chat webhook of your own, sealed to the host")


CHANNEL: Final = FileKind("channel", _judge, says=_says)
