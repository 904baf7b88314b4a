"""A match from its plan to its invitations: by email where there is an address and a way out, else by a link.

In: plans, the people of a match. Out: invitations and links themselves (``matches``, ``links``).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Final

from pbem.host.letter_mail import Contacts
from pbem.host.rematch import contacts_again, plan_again
from pbem.host.service.links import SeatLinks
from pbem.host.service.service import Service
from pbem.player.lookback.season import with_match
from pbem.protocol.referee import MatchPlan

_NONCE: Final = 16


def begin(service: Service, plan: MatchPlan, contacts: Contacts) -> str:
    """Make a match and invite everybody; its short name.

    Args:
        service: the host's.
        plan: what is played, and who sits where.
        contacts: what the host notes beside it; ``seats`` are the addresses that are known.
    """
    short = service.matches.create(plan, os.urandom(_NONCE), contacts)
    addresses = contacts.seats if service.context.mails else {}
    _invite(service, short, plan, addresses)
    return short


def begin_again(service: Service, short: str) -> str:
    """The next match of the same people, with seats and first place turned by one; its short name.

    Raises:
        RefusedError: the match is not over.
    """
    before = service.matches.contacts(short)
    record = service.matches.record(short)
    contacts = contacts_again(record, before, service.context.host, before.title)
    return begin(service, plan_again(record), contacts)


def follows(service: Service, short: str, running: Sequence[str]) -> str:
    """Which of the matches that run is the rematch of ``short``; empty if none is."""
    game = with_match((), service.matches.record(short))[0]["game"]
    for other in running:
        if game in [before["game"] for before in service.matches.contacts(other).season]:
            return other
    return ""


def _invite(service: Service, short: str, plan: MatchPlan, addresses: Mapping[str, str]) -> None:
    if addresses:
        service.matches.invite(short, addresses)
    others = [str(seat) for seat in plan.seats if seat not in addresses]
    if others:
        SeatLinks(service.context).give(short, others)
