"""Ruling on a turn file: links, seals, whose turn it is, then the actions one by one (protocol §4.3)."""

from __future__ import annotations

from pbem.crypto.identity import Identity
from pbem.errors import VerificationError
from pbem.formats.messages import Message
from pbem.game import Json, JsonObject, MalformedAction, Seat
from pbem.record import Record, SealedPart
from pbem.record.play import FileAction, OrderInForce, Play, RefusedAction
from pbem.record.verifier import link_missing
from pbem.referee.draft import Draft
from pbem.referee.ruling import Accepted, Refusal, Ruling
from pbem.sentences import sentence, term


def rule_turn(record: Record, host: Identity, message: Message, at: str) -> Ruling:
    """Rule on a turn whose signature, number, history and link are good; raises ``Refusal``."""
    draft = Draft(record, host, at)
    sealed = _open(draft, message, "sealed")
    orders = _open(draft, message, "orders")
    actions = _actions(draft, message, sealed)
    if actions:
        _check_may_act(record, message)
        play = _play(draft, message, orders)
        play.revealed = False
        try:
            play.file(Seat(message.seat), actions)
        except RefusedAction as error:
            raise Refusal(
                error.code,
                str(error),
                rules=error.rules if error.by == "file" else (),
                action=error.index if error.by == "file" else None,
            ) from error
        return _accept(draft, message, play)
    return _rule_quiet(draft, message, orders)


def _rule_quiet(draft: Draft, message: Message, orders: Json | None) -> Ruling:
    """A turn without actions: talk, a link, orders; a result only if the new orders answer (§4.1)."""
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
    draft.add("turn", {"msg": message.file})
    draft.go_on()
    return Accepted(tuple(draft.lines), draft.record, seat)


def _accept(draft: Draft, message: Message, play: Play) -> Ruling:
    seat = Seat(message.seat)
    members: JsonObject = {"msg": message.file, "epoch": play.table.epoch, "applied": play.applied}
    if play.stopped is not None:
        members["stopped"] = play.stopped
    draft.add("turn", {**members, **draft.result(play, wrote=seat)}, play)
    draft.go_on()
    return Accepted(tuple(draft.lines), draft.record, seat)


def _play(draft: Draft, message: Message, orders: Json | None) -> Play:
    play = draft.play()
    if isinstance(orders, dict):
        seat = Seat(message.seat)
        play.orders = {**play.orders, seat: OrderInForce(message.n, orders)}
    return play


def _check_may_act(record: Record, message: Message) -> None:
    ledger = record.ledger
    if ledger.paused is not None:
        raise Refusal("paused", sentence("the match is paused"))
    waiting = record.waiting
    if waiting is None or waiting["seat"] != message.seat:
        if not waiting:
            raise Refusal("not-your-turn", sentence("the match waits for nobody"))
        seat, phase = waiting["seat"], term(waiting["phase"])
        raise Refusal(
            "not-your-turn", sentence("the match waits for {seat} ({phase})", seat=seat, phase=phase)
        )
    if ledger.result is not None and message.seen_seq < ledger.result.seq:
        raise Refusal(
            "stale",
            sentence(
                "you had seen record {seen_seq}, but record {seq} changed the position; look again and sign a new file",
                seen_seq=message.seen_seq,
                seq=ledger.result.seq,
            ),
        )
    missing = link_missing(ledger, message.body)
    if missing:
        raise Refusal("link-missing", missing)


def _open(draft: Draft, message: Message, part: str) -> Json | None:
    if part not in message.body:
        return None
    sealed = SealedPart(Seat(message.seat), message.n, part, message.body[part], -1, None)
    try:
        _, content = draft.openings.open(sealed)
        if part == "orders":
            draft.record.rules.check_order(content)
    except VerificationError as error:
        raise Refusal(
            "bad-seal", sentence("what you sealed as {part}: {error}", part=part, error=error)
        ) from error
    except MalformedAction as error:
        raise Refusal("bad-seal", sentence("your sealed orders: {error}", error=error)) from error
    return content


def _actions(draft: Draft, message: Message, sealed: Json | None) -> list[FileAction]:
    rules = draft.record.rules
    for index, written in enumerate(message.body["actions"]):
        try:
            action = rules.action_from_json(written)
        except MalformedAction as error:
            raise Refusal(
                "malformed", sentence("action {index}: {error}", index=index, error=error), action=index
            ) from error
        if rules.is_secret(action):
            raise Refusal(
                "must-be-sealed",
                sentence(
                    "action {index} tells a secret and stands open; 'pbem turn' seals it for you", index=index
                ),
                action=index,
            )
    opened = [FileAction("file", written) for written in message.body["actions"]]
    hidden = [FileAction("sealed", written) for written in sealed] if isinstance(sealed, list) else []
    return opened + hidden
