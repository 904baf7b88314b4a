"""All emails of a batch of records, each made as a host makes it (``pbem.host.letter_mail.make_letter``)."""

from __future__ import annotations

from pbem.game import Seat
from pbem.player.letters.compose import letter_for
from pbem.player.letters.letter import NO_EXTRAS, Letter, LetterExtras, Source, who_hears
from pbem.player.letters.rendering import LetterContexts


def letters_for(
    source: Source,
    seq_from: int,
    seq_to: int,
    sender_seat: Seat | None,
    *,
    pictures: bool = True,
    beside: LetterExtras = NO_EXTRAS,
) -> list[Letter]:
    """The emails that records ``seq_from`` to ``seq_to`` cause, in seat order; no seat has a way in by browser."""
    shared = LetterContexts()
    return [
        letter_for(
            source,
            seq_from,
            seq_to,
            seat,
            kind,
            pictures=pictures,
            link=None,
            extras=beside,
            letter_contexts=shared,
        )
        for seat, kind in who_hears(source, seq_from, seq_to, sender_seat)
    ]
