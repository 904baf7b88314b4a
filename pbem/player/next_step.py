"""Where a match stands for one player, in one line: who has until when, and what he does next."""

from __future__ import annotations

from pbem.game import Seat
from pbem.language import moment_of
from pbem.player.book import Entry
from pbem.record import Record
from pbem.sentences import Sentence, joined, sentence


def who_has(record: Record, seat: Seat | None, now: str) -> Sentence:
    """Whom the match waits for and until when; ``seat`` is the reader's, None for who has none.

    ``now`` is UTC as records write it.
    """
    if record.over:
        return sentence("The match is over.")
    if record.ledger.paused is not None:
        return sentence("The match is paused.")
    awaited = [Seat(record.waiting["seat"])] if record.waiting is not None else list(record.missing_links)
    if len(record.ledger.players) < len(record.seats):
        awaited = [one for one in record.seats if one not in record.ledger.players]
        names = ", ".join(awaited)
        return sentence("The match waits for {names} to join.", names=names)
    if not awaited:
        return sentence("The match waits for the host.")
    mine, due = seat in awaited, record.due
    others = ", ".join(record.names[one] for one in awaited if one != seat)
    if due is None:
        return (
            sentence("The match waits for you.")
            if mine
            else sentence("The match waits for {names}.", names=others)
        )
    until = moment_of(due, now)
    parts = [sentence("You have until {until}.", until=until)] if mine else []
    if others and len(awaited) - mine == 1:
        parts.append(sentence("{name} has until {until}.", name=others, until=until))
    elif others:
        parts.append(sentence("{names} have until {until}.", names=others, until=until))
    return joined(parts, " ")


def next_step(record: Record, seat: Seat | None, unanswered: list[Entry], now: str) -> Sentence:
    """The line that ``pbem`` alone says in the folder of a match, and ``pbem play`` at its end."""
    stands = who_has(record, seat, now)
    waits = [entry for entry in unanswered if entry.left]
    kept = [entry for entry in unanswered if not entry.left]
    if kept:
        return joined(
            (stands, sentence("Your file {n} is signed and has not left.", n=kept[-1].message.n)), " "
        )
    if waits:
        return joined((stands, sentence("Your file {n} has no answer yet.", n=waits[-1].message.n)), " ")
    return stands
