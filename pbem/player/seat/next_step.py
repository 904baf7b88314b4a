"""Where a match stands for one player, in one line: who has until when, and which of their files has no answer."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.base.language import Language
from pbem.base.sentences import sentence
from pbem.game import Seat
from pbem.player.letters.hosting import host_plays
from pbem.player.letters.standing import waiting_at
from pbem.player.seat.sent_log import SentEntry
from pbem.protocol.record import Record


def next_step(
    record: Record, seat: Seat | None, unanswered: Sequence[SentEntry], now: str, language: Language
) -> str:
    """The line that ``pbem`` alone says in the folder of a match, and ``pbem play`` at its end.

    ``seat`` is the reader's, None for who has none; ``now`` is UTC as records write it.
    """
    now = max(now, record.head.at)
    waiting = waiting_at(record.as_of(now), seat, record.head.seq, language, now=now)
    parts = [", ".join(part for part in (waiting.line(), waiting.until()) if part) + "."]
    if any(not entry.left for entry in unanswered):
        parts.append(language.translate(sentence("What you signed has not left yet.")))
    elif unanswered:
        parts.append(language.translate(sentence("What you sent has no answer yet.")))
    hosted = host_plays(record, record.names)
    if hosted is not None:
        parts.append(language.translate(hosted))
    return " ".join(parts)
