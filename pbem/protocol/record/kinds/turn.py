"""A turn: actions, links, standing orders and talk of one seat (schemas/README.md §6, §8)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pbem.base.errors import VerificationError
from pbem.base.sentences import sentence, term
from pbem.game import Json, JsonObject, MalformedAction, Seat
from pbem.protocol.formats.messages import Message
from pbem.protocol.record import check_messages
from pbem.protocol.record.check_results import check_turn_steps, other_moves
from pbem.protocol.record.kind import Actions, FileKind, Kind, RulingContext
from pbem.protocol.record.ledger import Ledger, SealedPart
from pbem.protocol.record.line import Fault, Line
from pbem.protocol.record.play import FileAction, OrderInForce, Play, RefusedAction


def _check(ledger: Ledger, line: Line) -> Iterator[Fault]:
    message = line.body["msg"]
    body = message["body"]
    reason = check_messages.over_budget(ledger, body, result="steps" in line.body)
    if reason:
        yield line.fault(2, "over-budget", reason)
    yield from check_messages.check_message(ledger, line, "turn", message)
    yield from check_messages.check_link(ledger, line, body)
    if "steps" not in line.body:
        if body["actions"]:
            yield line.fault(8, "steps", other_moves(body["seat"]))
        return
    yield from _check_order(ledger, line, body)
    yield from check_turn_steps(ledger, line)


def _check_order(ledger: Ledger, line: Line, body: JsonObject) -> Iterator[Fault]:
    seat = Seat(body["seat"])
    waiting = ledger.waiting
    if waiting is None or waiting["seat"] != seat:
        asked = waiting["seat"] if waiting else sentence("nobody")
        yield line.fault(
            8, "not-your-turn", "the match waits for {asked}, not for {seat}", asked=asked, seat=seat
        )
    if with_actions(line) and ledger.result and body["seen"]["seq"] < ledger.result.seq:
        yield line.fault(2, "stale", "{seat} had not seen record {seq}", seat=seat, seq=ledger.result.seq)
    if ledger.paused is not None:
        yield line.fault(8, "paused", "the match is paused")
    reason = check_messages.link_missing(ledger, body)
    if reason:
        yield line.fault(3, "link-missing", reason)


def with_actions(line: Line) -> bool:
    """Whether the turn had actions. Every client seals a list, often an empty one: the record says if it was used."""
    return bool(line.body["msg"]["body"]["actions"] or line.body["applied"] or "stopped" in line.body)


def _play(play: Play, line: Line, actions: Actions) -> None:
    play.file(Seat(line.body["msg"]["body"]["seat"]), actions(line))


def _judge(ledger: Ledger, message: Message) -> None:
    rules = ledger.rules
    check_messages.refuse_if("malformed", check_messages.private_message_fault(ledger, message.body))
    check_messages.refuse_if("malformed", check_messages.gesture_fault(ledger, message.body))
    for index, written in enumerate(message.body["actions"]):
        try:
            action = rules.action_from_json(written)
        except MalformedAction as error:
            raise check_messages.Refusal("malformed", str(error), rules=error.rules, action=index) from error
        if rules.is_secret(action):
            text = sentence("this action tells a secret and stands open; 'pbem turn' seals it for you")
            raise check_messages.Refusal("must-be-sealed", text, action=index)
    # What fits nowhere is not opened.
    check_messages.refuse_if("over-budget", check_messages.over_budget(ledger, message.body, result=True))
    if message.body["actions"]:
        check_acting(ledger, message)


def check_quiet(ledger: Ledger, message: Message) -> None:
    """Raise ``Refusal`` unless a turn that moves nobody on may be recorded."""
    check_messages.refuse_if(
        "too-many", check_messages.too_many(ledger, Seat(message.seat), check_messages.TALK)
    )
    check_messages.refuse_if("over-budget", check_messages.over_budget(ledger, message.body, result=False))


def check_acting(ledger: Ledger, message: Message) -> None:
    """Raise ``Refusal`` unless this turn may act now; for who can read them, sealed actions are actions too."""
    check_may_act(ledger, Seat(message.seat))
    if ledger.result is not None and message.seen_seq < ledger.result.seq:
        raise check_messages.Refusal(
            "stale",
            sentence(
                "the position has changed since you looked; look again and sign a new file",
            ),
        )
    check_messages.refuse_if("link-missing", check_messages.link_missing(ledger, message.body))


def check_may_act(ledger: Ledger, seat: Seat) -> None:
    """Raise ``Refusal`` unless the match waits for this seat to act."""
    if ledger.ended is not None:
        raise check_messages.Refusal("match-over", sentence("the match has ended"))
    if ledger.paused is not None:
        raise check_messages.Refusal("paused", sentence("the match is paused"))
    asked = ledger.awaited
    if asked is None or ledger.waiting is None:
        raise check_messages.Refusal("not-your-turn", sentence("the match waits for nobody"))
    if asked != seat:
        phase = term(ledger.waiting["phase"])
        raise check_messages.Refusal(
            "not-your-turn", sentence("the match waits for {seat} ({phase})", seat=asked, phase=phase)
        )


def _rule(context: RulingContext, message: Message, _: Sequence[JsonObject]) -> None:
    """What the file seals is opened, its actions are played one by one."""
    contents = {part: _open(context, message, part) for part in check_messages.PARTS if part in message.body}
    orders = contents.get("orders")
    actions = _actions(message, contents.get("sealed"))
    if not actions:
        _rule_quiet(context, message, orders)
        return
    check_acting(context.ledger, message)
    play = _play_with(context, message, orders)
    play.revealed = False
    try:
        play.file(Seat(message.seat), actions)
    except RefusedAction as error:
        hidden = error.by != "file"  # row and place would show something of the hand
        rules, place = ((), None) if hidden else (error.rules, error.index)
        raise check_messages.Refusal(
            error.code, str(error), rules=rules, action=place, sealed=hidden
        ) from error
    _accept(context, message, play)


def _rule_quiet(context: RulingContext, message: Message, orders: Json | None) -> None:
    """A turn without actions: talk, a link, orders; a result only if the new orders answer."""
    ledger = context.ledger
    asked = ledger.awaited == message.seat and ledger.paused is None
    if asked and orders is not None and not check_messages.link_missing(ledger, message.body):
        play = _play_with(context, message, orders)
        play.answer_orders()
        if play.steps:
            _accept(context, message, play)
            return
    check_quiet(ledger, message)
    context.add("turn", {"msg": message.file})
    context.go_on()


def _accept(context: RulingContext, message: Message, play: Play) -> None:
    members: JsonObject = {"msg": message.file, "epoch": play.table.epoch, "applied": play.applied}
    if play.stopped is not None:
        members["stopped"] = play.stopped
    context.add("turn", {**members, **context.result(play, wrote=Seat(message.seat))})
    context.go_on()


def _play_with(context: RulingContext, message: Message, orders: Json | None) -> Play:
    play = context.play()
    if isinstance(orders, dict):
        play.orders = {**play.orders, Seat(message.seat): OrderInForce(message.n, orders)}
    return play


def _open(context: RulingContext, message: Message, part: str) -> Json:
    sealed = SealedPart(Seat(message.seat), message.n, part, message.body[part], -1, None)
    try:
        _, content = context.openings.open(sealed)
        if part == "orders":
            context.ledger.rules.check_order(content)
    except VerificationError as error:
        text = sentence("what you sealed as {part}: {error}", part=part, error=error)
        raise check_messages.Refusal("bad-seal", text, sealed=True) from error
    except MalformedAction as error:
        text = sentence("your sealed orders: {error}", error=error)
        raise check_messages.Refusal("bad-seal", text, sealed=True) from error
    return content


def _actions(message: Message, sealed: Json | None) -> list[FileAction]:
    opened = [FileAction("file", written) for written in message.body["actions"]]
    hidden = sealed if isinstance(sealed, list) else []
    return opened + [FileAction("sealed", written, bulk=False) for written in hidden]


TURN: Final = Kind(
    "turn",
    _check,
    check_messages.take_signed,
    file=FileKind("turn", _judge, _rule, acts=True),
    signed_as="turn",
    by=frozenset({"file", "sealed", "order"}),
    play=_play,
    text="turn",
    asks=True,
    invitation="played",
    quota=check_messages.TALK,
)
