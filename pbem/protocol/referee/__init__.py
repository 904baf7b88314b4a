"""The referee: pure rulings on a record. Bytes and a time go in; records to append come out.

``receive`` rules on one file of a player, ``rule_message`` on one that is read already; ``perform_default``,
``extend``, ``burn``, ``end_early`` are what the host may do of his own accord, each refused unless it is due. Nothing
here reads a clock or a disk: the caller commits what
comes back in one step, and only then sends anything.

In: rulings on files, the host's own acts, the draft of new lines, genesis. Out: judging what anybody can see
(``pbem.protocol.record.judge``), committing and writing letters (``pbem.host``). Called by: api, cli, host,
host.demo, host.service, practice, seat, world.
"""

from __future__ import annotations

from pbem.protocol.referee.draft import departed_from, receive, rule_message
from pbem.protocol.referee.genesis import MatchPlan, create_match
from pbem.protocol.referee.host_acts import (
    after_outage,
    burn,
    carry_on,
    carry_out,
    end_early,
    extend,
    give_time,
    hand_over,
    offer,
    perform_default,
    reseal,
    retake,
    retire,
    stay,
    substitute,
    withdraw,
)
from pbem.protocol.referee.ruling import (
    Accepted,
    Departed,
    Held,
    Ignored,
    Quarantined,
    Refused,
    Repeated,
    Ruling,
    Unchanged,
    Unreadable,
    Unrecorded,
)

__all__ = [
    "Accepted",
    "Departed",
    "Held",
    "Ignored",
    "MatchPlan",
    "Quarantined",
    "Refused",
    "Repeated",
    "Ruling",
    "Unchanged",
    "Unreadable",
    "Unrecorded",
    "after_outage",
    "burn",
    "carry_on",
    "carry_out",
    "create_match",
    "departed_from",
    "end_early",
    "extend",
    "give_time",
    "hand_over",
    "offer",
    "perform_default",
    "receive",
    "reseal",
    "retake",
    "retire",
    "rule_message",
    "stay",
    "substitute",
    "withdraw",
]
