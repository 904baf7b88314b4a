"""A seat agrees to the roster, or gives its link of the announced epoch (schemas/README.md §5, §6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pbem.base.sentences import Sentence, sentence
from pbem.game import JsonObject, Seat
from pbem.protocol.formats.messages import Message
from pbem.protocol.record.check_messages import NothingNew, check_link, check_message, take_signed
from pbem.protocol.record.kind import FileKind, Kind, RulingContext
from pbem.protocol.record.ledger import Ledger
from pbem.protocol.record.line import Fault, Line


def _check(ledger: Ledger, line: Line) -> Iterator[Fault]:
    message = line.body["msg"]
    yield from check_message(ledger, line, "ready", message)
    yield from check_link(ledger, line, message["body"])
    seat, newest = Seat(message["body"]["seat"]), ledger.newest
    if newest is not None and newest.number == message["body"]["link"]["epoch"] and seat in newest.links:
        yield line.fault(
            3, "again", "{seat} pressed Ready for deal {number} before", seat=seat, number=newest.number
        )


def _judge(ledger: Ledger, message: Message) -> NothingNew | None:
    """A second ready for one link changes nothing, however fresh its number."""
    newest = ledger.newest
    if newest is None or Seat(message.seat) not in newest.links:
        return None
    line = next(line for line in reversed(ledger.lines) if _gives_link(line, message.seat, newest.number))
    return NothingNew(line, sentence("you were ready already; nothing to do"))


def _gives_link(line: Line, seat: str, epoch: int) -> bool:
    body = line.body["msg"]["body"] if "msg" in line.body else {}
    return body.get("seat") == seat and body.get("link", {}).get("epoch") == epoch


def _rule(context: RulingContext, message: Message, _: Sequence[JsonObject]) -> None:
    context.add("ready", {"msg": message.file})
    context.go_on()


def _says(body: JsonObject) -> Sentence:
    return sentence("you have pressed Ready for deal {epoch}", epoch=body["link"]["epoch"])


READY: Final = Kind(
    "ready",
    _check,
    take_signed,
    file=FileKind("ready", _judge, _rule, awaited=True, link_alone=True, says=_says),
    signed_as="ready",
    text="ready",
    gathers=True,
    counted=False,
)
