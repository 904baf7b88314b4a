"""Every way we know to falsify a game file: ``CHEATS``, and ``tampered(world)``, what a match can be turned into.

Every cheat in every match is a volume (``tests.verifier.side_by_side``). The tests take each in the shortest match
that gives an occasion for it: ``occasions.json``, made by ``python -m tests.verifier.tampering``.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path

from pbem.protocol.audit import audit
from pbem.protocol.crypto.primitives import SignKey
from pbem.protocol.record.line import Fault
from tests.forge import Forge
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
from tests.verifier.matches import PAPER, match
from tests.world import World

__all__ = [
    "CHEATED", "CHEATS", "QUICK", "Cheat", "Tampered", "cheats_in", "falsified", "faults_of", "shortest", "tampered",
]  # fmt: skip

QUICK = ("wyatt-earp-italian", "way-out-west-short")
CHEATED = (
    *QUICK,
    *("wyatt-earp-absent", "wyatt-earp-agreed", "wyatt-earp-fresh", "wyatt-earp-lost", "wyatt-earp-rewound"),
    "wyatt-earp-sealed",
    *("way-out-west-burned", "way-out-west-hidden", "way-out-west-unclosed", "way-out-west-whole"),
)
"""Matches that are falsified: between them they give an occasion for every cheat."""

MODULES = (
    *(lines, players, people, consents, rewinds, epochs, turning_back),
    *(results, packets, closes, sealed_parts, ends),
)
"""Imported for what they register."""


KEPT = Path(__file__).with_name("occasions.json")
SOME = 1
"""Matches of each cheat that the tests take."""


def tampered(
    world: World, papers: Sequence[SignKey] = (), cheats: Sequence[Cheat] = CHEATS
) -> Iterator[Tampered]:
    """Every falsified file that this match can be turned into; ``papers`` are recovery keys used in it."""
    forge = Forge(world, papers)
    for cheat in cheats:
        lines = cheat.make(forge)
        if lines is not None:
            yield Tampered(cheat, lines)


def shortest(cheat: Cheat) -> str:
    """The shortest match with an occasion for it. Raises KeyError where none is kept."""
    return str(json.loads(KEPT.read_bytes())[cheat.name][0])


@lru_cache(maxsize=1)
def falsified(cheat: Cheat) -> list[bytes]:
    """The falsified file, where an occasion costs least; all of them are eighty megabytes."""
    lines = cheat.make(Forge(match(shortest(cheat)), [PAPER]))
    assert lines is not None, "python -m tests.verifier.tampering finds occasions"
    return lines


@cache
def faults_of(cheat: Cheat) -> Sequence[Fault]:
    """What an audit finds in it."""
    return audit(falsified(cheat)).faults


def cheats_in(name: str) -> list[Cheat]:
    """The cheats that the tests take in this match."""
    kept = json.loads(KEPT.read_bytes())
    return [cheat for cheat in CHEATS if name in kept.get(cheat.name, ())]


def keep_occasions() -> None:
    """Look for every cheat's occasions in every match, and write down those in the shortest ones."""
    occasions: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for name in CHEATED:
        for cheat in tampered(match(name), [PAPER]):
            occasions[cheat.name].append((len(cheat.lines), name))
    kept = {cheat: [name for _, name in sorted(places)[:SOME]] for cheat, places in sorted(occasions.items())}
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    keep_occasions()
