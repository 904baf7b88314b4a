"""The volumes of the games' tests, by command: ``python -m tests.games.volumes --log tests/games/volumes.txt``.

Wyatt Earp: a thousand random matches that end (rows H5, F5). Way Out West: a thousand random matches with every dollar
and counter watched (rows A4, A10), and a hundred thousand gunfights against their exact odds (rows L1-L8); two thousand
positions under random options in which the list of legal actions and the refusals must agree. The test command runs a
slice of each.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.conformance.keyed import Keyed
from tests.games.way_out_west import listed as listing
from tests.games.way_out_west.table import any_kind, rules_for
from tests.games.way_out_west.test_odds import STRENGTHS, compare
from tests.games.way_out_west.test_whole_matches import watch
from tests.games.wyatt_earp.test_whole_matches import MOST_HANDS, most_hands

WAYS = 3  # to begin a fight


def volumes(matches: int, fights: int, positions: int) -> Iterator[str]:
    """Run all; yields a line for each part when it is over. Raises AssertionError at the first difference."""
    began = time.process_time()
    hands = most_hands(matches)
    assert hands < MOST_HANDS
    spent = time.process_time() - began
    yield f"Wyatt Earp: {matches} random matches end, the longest after {hands} hands ({spent:.0f} s)"
    for players in (3, 4, 5):
        began = time.process_time()
        some = matches // 3 + (players - 3 < matches % 3)
        for number in range(some):
            watch(rules_for(players), Keyed(f"random {players} {number}"), any_kind)
        spent = time.process_time() - began
        yield f"Way Out West, {players} players: {some} random matches, nothing lost, nothing made ({spent:.0f} s)"
    began = time.process_time()
    compare(fights)
    whole = fights * WAYS * len(STRENGTHS) ** 2
    yield f"Way Out West: {whole:,} gunfights fall as their odds say ({time.process_time() - began:.0f} s)"
    began = time.process_time()
    listed, refused = listing.compare(positions, "volume")
    spent = time.process_time() - began
    yield (
        f"Way Out West: {positions:,} positions under random options, {listed:,} actions listed and {refused:,} "
        f"refused, the same by the list and by the refusals ({spent:.0f} s)"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print each line as it comes, keep them all when wished."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--matches", type=int, default=1000)
    parser.add_argument("--fights", type=int, default=926, help="for each pair of strengths and way to begin")
    parser.add_argument("--positions", type=int, default=2000, help="the list against the refusals")
    parser.add_argument("--log", type=Path)
    wish = parser.parse_args(arguments)
    lines = []
    for line in volumes(wish.matches, wish.fights, wish.positions):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
        lines.append(line)
    if wish.log:
        wish.log.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
