"""The referee: pure rulings on a record (DESIGN §4). Bytes and a time go in; records to append come out.

``receive`` rules on one file of a player; ``perform_default``, ``extend``, ``burn``, ``end_early`` are what the host
may do of his own accord, each refused unless it is due. Nothing here reads a clock or a disk: the caller commits what
comes back in one step, and only then sends anything.
"""

from __future__ import annotations

from pbem.referee.genesis import MatchPlan, create_match
from pbem.referee.host_acts import (
    after_outage,
    burn,
    carry_on,
    end_early,
    extend,
    perform_default,
    reseal,
    substitute,
)
from pbem.referee.receive import receive
from pbem.referee.ruling import Accepted, Held, Ignored, Refused, Repeated, Ruling

__all__ = [
    "Accepted",
    "Held",
    "Ignored",
    "MatchPlan",
    "Refused",
    "Repeated",
    "Ruling",
    "after_outage",
    "burn",
    "carry_on",
    "create_match",
    "end_early",
    "extend",
    "perform_default",
    "receive",
    "reseal",
    "substitute",
]
