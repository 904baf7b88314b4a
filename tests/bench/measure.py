"""Timing side by side: all candidates of a comparison take turns, so that they see the same noise."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

ROWS: Final[list[dict[str, Any]]] = []
"""Every ratio that was printed: name, median, least, greatest, aim, whether it was met."""


@dataclass(frozen=True)
class Times:
    """Seconds of each round."""

    rounds: Sequence[float]

    @property
    def median(self) -> float:
        return statistics.median(self.rounds)

    @property
    def spread(self) -> float:
        """Interquartile range over median."""
        quarter, _, three = statistics.quantiles(self.rounds, n=4)
        return (three - quarter) / self.median if self.median else 0.0


def interleaved(
    parts: Mapping[str, Callable[[], object]],
    rounds: int = 9,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, Times]:
    """Run every part once a round, ``rounds`` times, after one round of warming up.

    ``clock``: ``process_time`` for what only computes, so that others on the machine do not count.
    """
    taken: dict[str, list[float]] = {name: [] for name in parts}
    for number in range(rounds + 1):
        for name, part in parts.items():
            gc.collect()
            gc.disable()
            begin = clock()
            part()
            spent = clock() - begin
            gc.enable()
            if number:
                taken[name].append(spent)
    return {name: Times(values) for name, values in taken.items()}


def ratio(times: Mapping[str, Times], above: str, below: str) -> tuple[float, float, float]:
    """Median, least and greatest ratio of two parts, round by round."""
    ratios = [a / b for a, b in zip(times[above].rounds, times[below].rounds, strict=True)]
    return statistics.median(ratios), min(ratios), max(ratios)


def line(name: str, value: str, aim: str = "") -> None:
    """Print one row of the table."""
    print(f"  {name:<58} {value:<28} {aim}")


def ratio_line(
    name: str, times: Mapping[str, Times], above: str, below: str, aim: float, *, at_least: bool = False
) -> None:
    """Print a ratio with its spread and whether the aim is met."""
    aimed(name, *ratio(times, above, below), aim, at_least=at_least)


def aimed(
    name: str, middle: float, least: float, greatest: float, aim: float, *, at_least: bool = False
) -> None:
    """Print a ratio that was measured, and keep it: an aim that nothing could miss is none."""
    met = middle >= aim if at_least else middle <= aim
    sign = "≥" if at_least else "≤"
    kept = {"median": round(middle, 3), "least": round(least, 3), "greatest": round(greatest, 3)}
    ROWS.append({"name": name, **kept, "aim": f"{sign} {aim:g}", "met": met})
    line(
        name,
        f"{middle:6.2f}  [{least:.2f} .. {greatest:.2f}]",
        f"aim {sign} {aim:g}: {'met' if met else 'MISSED'}",
    )
