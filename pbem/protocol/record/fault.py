"""What can be wrong with a game file, as data: the referee stops at the first, the audit lists all."""

from __future__ import annotations

from pbem.base.errors import VerificationError
from pbem.base.values import dataclass

STEPS = {
    1: "line, order, host signature, members",
    2: "players' signatures, numbers, what they had seen",
    3: "links",
    4: "announcements, burns and defaults",
    5: "opening of an epoch",
    6: "draws and rolls",
    7: "packets",
    8: "open actions and their steps",
    9: "close: seed, leaves, packets, sealed parts, hands",
    10: "end",
    11: "a seat's own packets",
    12: "replay with the rules",
}
"""The numbered steps of schemas/README.md §11; 11 and 12 are the two that need a key and the engine."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: its record, the step of schemas/README.md §11 that found it, a stable code, a sentence."""

    seq: int
    step: int
    code: str
    sentence: str

    def error(self) -> VerificationError:
        """The same as an exception."""
        return VerificationError(self.code, f"record {self.seq}: {self.sentence}")
