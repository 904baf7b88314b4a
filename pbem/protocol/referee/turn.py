"""Ruling on a turn file: what it seals is opened, the actions one by one (schemas/README.md §8)."""

from __future__ import annotations

from pbem.base.errors import VerificationError
from pbem.base.sentences import sentence
from pbem.game import Json, JsonObject, MalformedAction, Seat
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.messages import Message
from pbem.protocol.record import Record, SealedPart
from pbem.protocol.record.judge import Refusal, check_acting, check_quiet
from pbem.protocol.record.play import FileAction, OrderInForce, Play, RefusedAction
from pbem.protocol.record.verifier import link_missing
from pbem.protocol.referee.draft import Draft
from pbem.protocol.referee.ruling import Ruling


def rule_turn(record: Record, host: Identity, message: Message, at: str) -> Ruling:
    """Rule on a turn that ``judge`` has nothing against; raises ``Refusal``."""
    draft = Draft(record, host, at)
    sealed = _open(draft, message, "sealed")
    orders = _open(draft, message, "orders")
    actions = _actions(message, sealed)
    if not actions:
        return _rule_quiet(draft, message, orders)
    check_acting(record, message)
    play = _play(draft, message, orders)
    play.revealed = False
    try:
        play.file(Seat(message.seat), actions)
    except RefusedAction as error:
        hidden = error.by != "file"  # row and place would tell of the hand
        rules, place = ((), None) if hidden else (error.rules, error.index)
        raise Refusal(error.code, str(error), rules=rules, action=place, sealed=hidden) from error
    return _accept(draft, message, play)


def _rule_quiet(draft: Draft, message: Message, orders: Json | None) -> Ruling:
    """A turn without actions: talk, a link, orders; a result only if the new orders answer."""
    record = draft.record
    waiting = record.waiting
    seat = Seat(message.seat)
    mine = waiting is not None and waiting["seat"] == seat
    if (
        mine
        and orders is not None
        and record.ledger.paused is None
        and not link_missing(record.ledger, message.body)
    ):
        play = _play(draft, message, orders)
        play.orders_only()
        if play.steps:
            return _accept(draft, message, play)
    check_quiet(record, message)
    draft.add("turn", {"msg": message.file})
    draft.go_on()
    return draft.accepted(seat)


def _accept(draft: Draft, message: Message, play: Play) -> Ruling:
    seat = Seat(message.seat)
    members: JsonObject = {"msg": message.file, "epoch": play.table.epoch, "applied": play.applied}
    if play.stopped is not None:
        members["stopped"] = play.stopped
    draft.add("turn", {**members, **draft.result(play, wrote=seat)})
    draft.go_on()
    return draft.accepted(seat)


def _play(draft: Draft, message: Message, orders: Json | None) -> Play:
    play = draft.play()
    if isinstance(orders, dict):
        seat = Seat(message.seat)
        play.orders = {**play.orders, seat: OrderInForce(message.n, orders)}
    return play


def _open(draft: Draft, message: Message, part: str) -> Json | None:
    if part not in message.body:
        return None
    sealed = SealedPart(Seat(message.seat), message.n, part, message.body[part], -1, None)
    try:
        _, content = draft.openings.open(sealed)
        if part == "orders":
            draft.record.rules.check_order(content)
    except VerificationError as error:
        told = sentence("what you sealed as {part}: {error}", part=part, error=error)
        raise Refusal("bad-seal", told, sealed=True) from error
    except MalformedAction as error:
        told = sentence("your sealed orders: {error}", error=error)
        raise Refusal("bad-seal", told, sealed=True) from error
    return content


def _actions(message: Message, sealed: Json | None) -> list[FileAction]:
    opened = [FileAction("file", written) for written in message.body["actions"]]
    hidden = [FileAction("sealed", written) for written in sealed] if isinstance(sealed, list) else []
    return opened + hidden
