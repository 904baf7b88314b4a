"""``python -m tests.machine --runs 10000 --jobs 2 --log machine.log``: walk so many times; exit 1 if something broke.

With ``--service`` the walks go by mail through a service that is restarted in between (``by_mail``), and what its
database holds is compared with the referee alone.

Each job walks with seeds of its own, in pieces, and writes one line for each piece to the log; a walk that breaks
something is written there in its shortest form.
"""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests.machine.by_mail import BY_MAIL, ByMail
from tests.machine.verdicts import Judged
from tests.machine.walk import Plan, run

PIECE = 250
"""Walks of one seed."""


def piece(seed: int, walks: int, steps: int, service: bool) -> tuple[bool, str]:
    """Walk with this seed, through a service or in memory; whether nothing broke, and what to write down."""
    judged, begun = Judged(), time.process_time()
    plan = Plan(left=judged.take, match=ByMail, begun=BY_MAIL) if service else Plan(left=judged.take)
    text = ""
    try:
        run(plan, walks, steps=steps, seed=seed)
    except Exception as error:  # noqa: BLE001 - whatever one piece meets is written down, and the others go on
        notes = (note for note in getattr(error, "__notes__", ()) if "Draw" not in note)
        text = "\n".join([f"BROKEN: {type(error).__name__}: {error}", *notes])
    apart = judged.judge()
    seconds = time.process_time() - begun
    counts = f"{plan.walks} walks, {plan.steps} steps, {judged.count} files, {seconds:.0f} s"
    said = "\n".join(
        [f"seed {seed}: {counts}: {'nothing broke' if not text and not apart else 'BROKEN'}", *apart]
    )
    return not text and not apart, f"{said}\n{text}" if text else said


def main() -> int:
    """Walk."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--steps", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1, help="of the first piece")
    parser.add_argument("--log", type=Path, default=Path("machine.log"))
    parser.add_argument("--service", action="store_true", help="through a service, beside the referee alone")
    given = parser.parse_args()
    pieces = [min(PIECE, given.runs - first) for first in range(0, given.runs, PIECE)]
    seeds = range(given.seed, given.seed + len(pieces))
    fine = True
    with ProcessPoolExecutor(given.jobs) as pool, given.log.open("a", encoding="utf-8") as log:
        for good, said in pool.map(
            piece, seeds, pieces, [given.steps] * len(pieces), [given.service] * len(pieces)
        ):
            fine = fine and good
            print(said, flush=True)
            print(said, file=log, flush=True)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
