"""Matches that trials share when there is more to test than to play."""

from __future__ import annotations

from tests.history.matches import GAMES, played
from tests.report.matches import running
from tests.verifier.damage import rolled, small
from tests.verifier.matches import match
from tests.verifier.tampering import CHEATED


def play() -> None:
    """Play them; the helpers remember them."""
    for name in CHEATED:
        match(name)
    for game in GAMES:
        played(game)
        running(game)
    small()
    rolled()
