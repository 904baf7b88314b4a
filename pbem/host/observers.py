"""Observers: people who read along. They get what everybody may know, the public letters and no one's own.

Their addresses stand in the host's store, never in a record. A public letter is one that
goes to all seats (the start, the end of a turn, of a hand, of the match, a notice for all); it is written for
nobody's seat, and the attached lines are those that anybody may have.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.game import Seat
from pbem.player.letters import Kind, who_hears
from pbem.player.mail.outgoing import check_address
from pbem.protocol.record import Record

MOST: Final = 50
"""People who may read along in one match."""
_PUBLIC: Final = frozenset({Kind.STARTED, Kind.TURN_END, Kind.HAND_END, Kind.MATCH_END, Kind.NOTICE})


def admitted(address: str, there: Collection[str]) -> str:
    """The address of somebody who may read along beside those who do, in plain form.

    Raises:
        UsageProblem: it is no mail address, or there are too many.
    """
    plain = check_address(address)
    if plain not in there and len(there) >= MOST:
        raise UsageProblem(sentence("at most {most} people can read along", most=MOST))
    return plain


def public_kind(record: Record, first: int, last: int) -> Kind | None:
    """The kind of the public letter that records ``first`` to ``last`` cause; None if they concern single seats only.

    It is what a seat hears that neither sent the file nor is asked: the least that goes to anybody, if it goes to all.
    """
    if first == 0:
        return None
    heard: dict[Seat, Kind] = dict(who_hears(record, first, last, None))
    kinds = [kind for kind in heard.values() if kind in _PUBLIC]
    return kinds[0] if len(heard) == len(record.seats) and kinds else None
