"""The volumes of the games' tests, by command: ``python -m tests.games.volumes --log tests/games/volumes.txt``.

Way Out West: a thousand random matches with every dollar and counter watched (rows A4, A10), and a hundred thousand
gunfights against their exact odds (rows L1-L8). The test command runs a slice of both.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.conformance.keyed import Keyed
from tests.games.way_out_west.table import any_kind, rules_for
from tests.games.way_out_west.test_odds import STRENGTHS, compare
from tests.games.way_out_west.test_whole_matches import watch

WAYS = 3  # to begin a fight


def volumes(matches: int, fights: int) -> Iterator[str]:
    """Run both; yields a line for each part when it is over. Raises AssertionError at the first difference."""
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Print each line as it comes, keep them all when wished."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--matches", type=int, default=1000)
    parser.add_argument("--fights", type=int, default=926, help="for each pair of strengths and way to begin")
    parser.add_argument("--log", type=Path)
    wish = parser.parse_args(arguments)
    lines = []
    for line in volumes(wish.matches, wish.fights):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
        lines.append(line)
    if wish.log:
        wish.log.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
