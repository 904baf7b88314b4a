"""A default: what the rules play for a seat whose time is up (schemas/README.md §10.3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.base.errors import RefusedError
from pbem.base.sentences import Sentence, sentence
from pbem.base.values import replace
from pbem.game import JsonObject, Seat
from pbem.protocol.record.kind import Actions, ByClock, Kind, RulingContext
from pbem.protocol.record.kinds.burn import burn_if_due
from pbem.protocol.record.ledger import Ledger
from pbem.protocol.record.line import Fault, Line, its_seat
from pbem.protocol.record.play import Play
from pbem.protocol.record.takeover import answer_by, default_from, excused_left, overdue_from


def _check(ledger: Ledger, line: Line) -> Iterator[Fault]:
    """A default: the seat is the one waited for, and its time is up."""
    reason = default_fault(ledger, Seat(line.body["seat"]), line.at)
    if reason:
        yield line.fault(4, "default", reason)


def default_fault(ledger: Ledger, seat: Seat, at: str) -> str:
    """Why no default may be recorded for ``seat`` at this time; empty if it may."""
    asked = ledger.awaited
    if ledger.paused is not None:
        return sentence("the match is paused")
    if asked != seat:
        return sentence(
            "the match waits for {asked}, not for {seat}", asked=asked or sentence("nobody"), seat=seat
        )
    if ledger.deadlines.then == "wait" and seat not in ledger.resigned:
        return sentence("this match agreed to wait: there are no timeout moves in it")
    limit = overdue_from(ledger, seat)
    if limit is None or at < limit or excused_left(ledger, seat):
        limit = default_from(ledger, seat)
        return sentence("too early: a timeout move for {seat} is due from {limit} on", seat=seat, limit=limit)
    return ""


def _take(ledger: Ledger, line: Line) -> None:
    seat = Seat(line.body["seat"])
    ledger.silent |= {seat}
    epoch = ledger.epochs.get(line.body["epoch"])
    if epoch is not None:
        ledger.epochs[epoch.number] = replace(epoch, defaulted=epoch.defaulted | {seat})


def _due(ledger: Ledger, line: Line) -> str | None:
    waiting = line.body["public"].get("waiting")
    if waiting is None:
        return None
    return answer_by(ledger, Seat(waiting["seat"]), line.at, failed=Seat(line.body["seat"]))


def _play(play: Play, line: Line, _: Actions) -> None:
    play.default(Seat(line.body["seat"]))


def _clock(ledger: Ledger, at: str) -> JsonObject | None:
    seat = ledger.awaited
    limit = None if seat is None else default_from(ledger, seat)
    if seat is None or limit is None:
        return None
    return {"seat": seat, "from": limit, "now": not default_fault(ledger, seat, at)}


def _clock_says(due: JsonObject) -> Sentence:
    if due["now"]:
        return sentence("A timeout move for {seat} is due now (pbem host default).", seat=due["seat"])
    return sentence("A timeout move for {seat} is due from {begin} on.", seat=due["seat"], begin=due["from"])


def perform_default(context: RulingContext, seat: Seat) -> None:
    """Play an overdue seat's default actions, and burn the next epoch if its link is missing (schemas/README.md §5).

    Raises:
        RefusedError: it may not be; the sentence says why.
    """
    reason = default_fault(context.ledger, seat, context.at)
    if context.ledger.ended is not None:
        reason = sentence("the match has ended")
    if reason:
        raise RefusedError(
            reason, hint=sentence("'pbem host status' says who the match waits for, and until when")
        )
    play = context.play()
    play.default(seat)
    context.add(DEFAULT.name, {"epoch": play.table.epoch, "seat": seat, **context.result(play, failed=seat)})
    burn_if_due(context)
    context.go_on()


DEFAULT: Final = Kind(
    "default",
    _check,
    _take,
    due=_due,
    by=frozenset({"default", "order"}),
    play=_play,
    audience=its_seat,
    asks=True,
    loses_link=True,
    lapses=True,
    clock=ByClock(_clock, _clock_says),
)
