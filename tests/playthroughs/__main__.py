"""Write all playthroughs and perft counts again: ``python -m tests.playthroughs``.

Look at the difference before it is committed: every changed line is a change of what a match does, and one
that changes replay needs a new rules version.
"""

from __future__ import annotations

import sys

from tests.playthroughs import perft, transcript
from tests.toy import REGISTRY


def main() -> int:
    """Rewrite every file; the depths of each perft block are kept."""
    for case in transcript.cases():
        transcript.path_of(case).write_text(transcript.transcript(case), encoding="utf-8")
        print(transcript.path_of(case).name)
    for game in REGISTRY:
        path = perft.path_of(game.info.id)
        known = perft.blocks(path.read_text(encoding="utf-8"))
        for block in known:
            block.counts = {depth: perft.counted(game.info.id, block, depth) for depth in block.counts}
        path.write_text("\n".join(block.text() for block in known), encoding="utf-8")
        print(path.name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
