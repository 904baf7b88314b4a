"""Matches with everybody's keys in one process, for attacks, demo, practice and tests.

In: whose file is awaited and the making of it, a match in memory whose keys follow from a text, a host's tools to
change a record and sign it again, fixed entropy and time, people whose keys protect nothing. Out: folders, letters
and rulings of a real host (``pbem.host``), a player with his own key alone (``pbem.player.seat``). Called by: cli,
host.demo, practice.
"""

from __future__ import annotations

from pbem.player.world.forge import Forge
from pbem.player.world.world import (
    NAMES,
    PASSPHRASE,
    START,
    Everybody,
    FixedSalts,
    SeededEntropy,
    StepClock,
    World,
    accepted,
    make_identity,
    secret,
)

__all__ = [
    "NAMES",
    "PASSPHRASE",
    "START",
    "Everybody",
    "FixedSalts",
    "Forge",
    "SeededEntropy",
    "StepClock",
    "World",
    "accepted",
    "make_identity",
    "secret",
]
