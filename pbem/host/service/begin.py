"""A match from its plan to its invitations: by email where there is an address and a way out, else by a link.

In: plans, the people of a match. Out: invitations and links themselves (``matches``, ``links``).
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Final

from pbem.host.again import circle_again, plan_again
from pbem.host.circle import Circle
from pbem.host.service.links import SeatLinks
from pbem.host.service.service import Service
from pbem.protocol.referee import MatchPlan

_NONCE: Final = 16


def begin(service: Service, plan: MatchPlan, circle: Circle) -> str:
    """Make a match and invite everybody; its short name.

    Args:
        service: the host's.
        plan: what is played, and who sits where.
        circle: what the host notes beside it; ``seats`` are the addresses that are known.
    """
    short = service.matches.create(plan, secrets.token_bytes(_NONCE), circle)
    addresses = circle.seats if service.office.mails else {}
    _invite(service, short, plan, addresses)
    return short


def begin_again(service: Service, short: str) -> str:
    """The next match of the same people, with seats and first place turned by one; its short name.

    Raises:
        RefusedError: the match is not over.
    """
    before = service.matches.circle(short)
    record = service.matches.record(short)
    circle = circle_again(record, before, service.office.host, before.title)
    return begin(service, plan_again(record), circle)


def _invite(service: Service, short: str, plan: MatchPlan, addresses: Mapping[str, str]) -> None:
    if addresses:
        service.matches.invite(short, addresses)
    others = [str(seat) for seat in plan.seats if seat not in addresses]
    if others:
        SeatLinks(service.office).give(short, others)
