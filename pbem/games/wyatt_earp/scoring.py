"""Scoring (rules G): the order of the posters, and what each pays by capture points, money and options."""

from __future__ import annotations

from functools import cache
from itertools import count as counted
from typing import Final

from pbem.games.wyatt_earp import deck
from pbem.games.wyatt_earp.deck import Outlaw
from pbem.games.wyatt_earp.options import Options

_SHARE: Final = 1000
_FIRST_SHARE: Final = 2000
_LEAD: Final = 5
"""A lead of this many CP takes the whole poster (G3); who is closer shares (G4), or everybody (``sharers``)."""


@cache
def circle_from(first: str) -> tuple[Outlaw, ...]:
    """The posters in circle order, from this Outlaw's on (A15; the option ``first_poster``)."""
    count = len(deck.OUTLAW_NAMES)
    return tuple((deck.OUTLAW_OF[first] + step) % count for step in range(count))


def score_poster(options: Options, points: tuple[int, ...], pot: int) -> tuple[bool, tuple[int, ...]]:
    """Whether the Outlaw is captured (G2), and what each seat is paid (G3–G10)."""
    nothing = (0,) * len(points)
    if sum(points) < options.capture_min:
        return False, nothing
    best, *others = sorted(points, reverse=True)
    if best - max(others, default=0) >= _LEAD:
        return True, tuple(pot if cp == best else 0 for cp in points)
    return True, _share(options, points, _tiers(options, points), pot)


def _tiers(options: Options, points: tuple[int, ...]) -> list[int]:
    """The CP of those who share, highest first (G4–G6)."""
    least = max(points) - _LEAD + 1 if options.sharers == "within_four" else 0
    sharing = {cp for cp in points if cp >= least and (cp > 0 or options.zero_cp_shares)}
    return sorted(sharing, reverse=True)


def _share(options: Options, points: tuple[int, ...], tiers: list[int], pot: int) -> tuple[int, ...]:
    """Pass after pass, tier after tier, until the poster is empty or a tier cannot be paid (G6–G10)."""
    paid = [0] * len(points)
    for number in counted():
        for tier in tiers:
            seats = [seat for seat, cp in enumerate(points) if cp == tier]
            due = _FIRST_SHARE if number == 0 and tier == tiers[0] else _SHARE
            each = due if pot >= due * len(seats) else _short_share(options, len(seats), pot)
            for seat in seats:
                paid[seat] += each
            pot -= each * len(seats)
            if each < due or not pot:
                return tuple(paid)
    raise AssertionError("counting has no end")


def _short_share(options: Options, players: int, pot: int) -> int:
    """What each player of a tier gets when the poster cannot pay the tier in full (G8, G9)."""
    if players == 1:
        return pot if options.single_shortfall == "take_rest" else 0
    return pot // players // 1000 * 1000 if options.tie_payment == "split" else 0
