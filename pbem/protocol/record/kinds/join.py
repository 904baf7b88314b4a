"""A player takes a seat that nobody has (schemas/README.md §6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pbem.base.sentences import Sentence, sentence
from pbem.game import JsonObject, Seat
from pbem.protocol.formats.messages import Message
from pbem.protocol.record.check_messages import check_newcomer, key_fault, refuse_if, seat_player
from pbem.protocol.record.kind import FileKind, Kind, RulingContext
from pbem.protocol.record.ledger import Ledger
from pbem.protocol.record.line import Fault, Line


def _check(ledger: Ledger, line: Line) -> Iterator[Fault]:
    body = line.body["msg"]["body"]
    if body["seat"] in ledger.players:
        yield line.fault(2, "seat-taken", "seat {seat} is taken already", seat=body["seat"])
    if body["n"] != 0:
        yield line.fault(2, "number", "a join has number 0, found {n}", n=body["n"])
    yield from check_newcomer(ledger, line)


def _take(ledger: Ledger, line: Line) -> None:
    seat_player(ledger, line, since=1)


def _judge(ledger: Ledger, message: Message) -> None:
    if message.n != 0:
        refuse_if("malformed", sentence("a join has number 0, found {n}", n=message.n))
    refuse_if("malformed", key_fault(ledger, Seat(message.seat), message.body))


def _rule(context: RulingContext, message: Message, _: Sequence[JsonObject]) -> None:
    refuse_if("malformed", context.look_alike(message.body["name"], message.seat))
    context.add("join", {"msg": message.file})
    context.go_on()


def _says(body: JsonObject) -> Sentence:
    return sentence("your join as {name}", name=body["name"])


JOIN: Final = Kind(
    "join",
    _check,
    _take,
    file=FileKind("join", _judge, _rule, newcomer=True, awaited=True, says=_says),
    signed_as="join",
    text="join",
    gathers=True,
    counted=False,
    newcomer=True,
    invitation="taken",
    keys=True,
)
