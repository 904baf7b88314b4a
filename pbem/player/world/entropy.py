"""Entropy and time of a demo: both arguments of the real path, here from a seed and a start."""

from __future__ import annotations

from datetime import UTC, datetime

from pbem.protocol.crypto.digest import lp, mac, sha, u32
from pbem.protocol.record.deadlines import format_time, parse_time

_MINUTE = 60


class SeededEntropy:
    """Bytes that follow from a seed and a name; the same again for the same. For TEST matches only."""

    def __init__(self, seed: str, name: str) -> None:
        self._key = sha(lp("pbem demo, TEST entropy", seed, name))
        self._count = 0

    def __call__(self, size: int) -> bytes:
        """The next ``size`` bytes."""
        out = b""
        while len(out) < size:
            self._count += 1
            out += mac(self._key, u32(self._count))
        return out[:size]


class StepClock:
    """A clock that goes on by some minutes whenever somebody looks; every match has the same rhythm."""

    def __init__(self, start: str) -> None:
        self._now = parse_time(start).timestamp()
        self._looks = 0

    def __call__(self) -> str:
        """The time now, some minutes after the last look."""
        self._looks += 1
        self._now += (7 + self._looks * 5 % 23) * _MINUTE
        return format_time(datetime.fromtimestamp(self._now, UTC))
