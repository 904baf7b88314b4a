"""The tests' words for ``pbem.player.world``: a whole match in memory, and what a ruling must be."""

from __future__ import annotations

from pbem.player.world import NAMES, START, FixedSalts, World, accepted, secret
from pbem.protocol.referee import Refused, Ruling

__all__ = ["NAMES", "START", "FixedSalts", "World", "accepted", "refusal", "secret", "top_of"]


def refusal(ruling: Ruling) -> Refused:
    """The ruling as the refusal it must be."""
    assert isinstance(ruling, Refused), ruling
    return ruling


def top_of(world: World) -> str:
    """The top card of the discard in a match of Wyatt Earp, which everybody sees."""
    public = world.record.public
    assert public is not None
    return str(public["discard"]["top"])
