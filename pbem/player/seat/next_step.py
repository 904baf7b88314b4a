"""Where a match stands for one player, in one line: who has until when, and which of his files has no answer."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.base.language import Language
from pbem.base.sentences import sentence
from pbem.game import Seat
from pbem.player.letters.hosting import host_plays
from pbem.player.letters.standing import waiting_at
from pbem.player.seat.book import BookEntry
from pbem.protocol.record import Record


def next_step(
    record: Record, seat: Seat | None, unanswered: Sequence[BookEntry], now: str, language: Language
) -> str:
    """The line that ``pbem`` alone says in the folder of a match, and ``pbem play`` at its end.

    ``seat`` is the reader's, None for who has none; ``now`` is UTC as records write it.
    """
    now = max(now, record.head.at)
    waiting = waiting_at(record.as_of(now), seat, record.head.seq, language, now=now)
    parts = [", ".join(part for part in (waiting.line(), waiting.until()) if part) + "."]
    waits = [entry.message.n for entry in unanswered if entry.left]
    kept = [entry.message.n for entry in unanswered if not entry.left]
    if kept:
        parts.append(language.tell(sentence("Your file {n} is signed and has not left.", n=kept[-1])))
    elif waits:
        parts.append(language.tell(sentence("Your file {n} has no answer yet.", n=waits[-1])))
    hosted = host_plays(record, record.names)
    if hosted is not None:
        parts.append(language.tell(hosted))
    return " ".join(parts)
