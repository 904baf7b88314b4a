"""Every way we know to falsify a game file: ``CHEATS``, and ``tampered(world)``, what a match can be turned into."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.crypto.primitives import SignKey
from tests.verifier.cheats import (
    closes,
    consents,
    ends,
    epochs,
    lines,
    packets,
    people,
    players,
    results,
    rewinds,
    sealed_parts,
    turning_back,
)
from tests.verifier.cheats.cheat import CHEATS, Cheat, Tampered
from tests.verifier.forging import Forge
from tests.world import World

__all__ = ["CHEATED", "CHEATS", "QUICK", "Cheat", "Tampered", "tampered"]

QUICK = ("wyatt-earp-italian", "way-out-west-short")
CHEATED = (
    *QUICK,
    *("wyatt-earp-absent", "wyatt-earp-agreed", "wyatt-earp-lost", "wyatt-earp-rewound", "wyatt-earp-sealed"),
    *("way-out-west-burned", "way-out-west-hidden", "way-out-west-unclosed", "way-out-west-whole"),
)
"""Matches that are falsified: between them they give an occasion for every cheat."""

MODULES = (
    *(lines, players, people, consents, rewinds, epochs, turning_back),
    *(results, packets, closes, sealed_parts, ends),
)
"""Imported for what they register."""


def tampered(world: World, papers: Sequence[SignKey] = ()) -> Iterator[Tampered]:
    """Every falsified file that this match can be turned into; ``papers`` are recovery keys used in it."""
    forge = Forge(world, papers)
    for cheat in CHEATS:
        made = cheat.make(forge)
        if made is not None:
            yield Tampered(cheat, made)
