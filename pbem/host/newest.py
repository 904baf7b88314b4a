"""Whether a store is the newest: it holds every record that their host is known to have signed.

What he has signed is known from elsewhere: a player's file names the record that it has seen with the host's signature
on it (``MatchStore.shown``), a copy that somebody sent in, a note beside the store (``pbem.host.database.heads``). A
store that lacks one of these was put back to an older state. Nothing is signed in it until it is there: another
record under its number would be a second history.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from pbem.protocol.record import Line

Shown: TypeAlias = tuple[int, str]
"""A record that the host has signed: its number, and its hash in hex."""


def lacking(shown: Iterable[Shown], named: Callable[[int], str]) -> list[int]:
    """The numbers of those records that the store does not hold, lowest first.

    ``named`` says which record they hold under a number: its hash in hex, empty if none.
    """
    return sorted(seq for seq, name in shown if named(seq) != name)


def name_in(lines: Sequence[Line]) -> Callable[[int], str]:
    """The same of these records."""
    return lambda seq: lines[seq].hash.hex() if seq < len(lines) else ""
