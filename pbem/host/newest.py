"""Whether books are the newest: they hold every record that their host is known to have signed.

What he has signed is known from elsewhere: a player's file names the record that it has seen with the host's signature
on it (``Books.shown``), a copy that somebody sent in, a note beside the books (``pbem.store.heads``). Books that lack
one of these were put back to an older state. Nothing is signed in them until it is there: another record under its
number would be a second history.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from pbem.record import Line

Shown: TypeAlias = tuple[int, str]
"""A record that the host has signed: its number, and its hash in hex."""


def lacking(shown: Iterable[Shown], lines: Sequence[Line]) -> list[int]:
    """The numbers of those records that these lines do not hold, lowest first."""
    return sorted(seq for seq, name in shown if seq >= len(lines) or lines[seq].hash.hex() != name)
