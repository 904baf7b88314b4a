"""The demo of three seats against its files: what one costs whole, over the host's step with letters and a picture."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from pbem.demo import Demo, SeededEntropy, StepClock
from pbem.demo.match import DemoResult
from pbem.formats.strict_json import canon
from pbem.game import Seat
from pbem.letters import letters_for
from pbem.pictures import to_png
from pbem.referee import Accepted, receive
from tests.bench.mail import eml_of
from tests.bench.measure import aimed, line
from tests.world import World

FILES = 60
ROUNDS = 5


def _demo() -> DemoResult:
    """The first files of a match; it audits what it has played."""
    folder = Path(tempfile.mkdtemp(prefix="pbem-bench-"))
    clock = StepClock("2026-11-21T18:00:00Z")
    return Demo("wyatt-earp", 3, folder, clock, lambda name: SeededEntropy("bench", name), limit=FILES).run()


def main() -> None:
    """Print what the demo takes for each file, over what its host must do for one."""
    world = World("wyatt-earp", ("anna", "burt", "curt"), seed="bench").start().play(20)
    while world.record.waiting is None or world.record.waiting["phase"] != "draw":
        world.move()
    seat = world.record.waiting["seat"]
    top = world.view(seat).view_json["discard"]["top"]
    raw = canon(world.turn_file(seat, {"do": "draw", "from": "discard"}, {"do": "discard", "card": top}))

    def step() -> None:
        """One file at the host: the ruling, three letters as mails, one new picture."""
        ruled = receive(world.record, world.host, raw, world.now)
        assert isinstance(ruled, Accepted)
        record = ruled.record
        to_png.cache_clear()
        for letter in letters_for(record, ruled.lines[0].seq, record.head.seq, Seat(seat)):
            eml_of(letter)

    step()
    ratios = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        played = _demo()
        between = time.process_time()
        for _ in range(5):
            step()
        steps = (time.process_time() - between) / 5
        ratios.append((between - begin) / (played.files * steps))
    print(
        f"demo: Wyatt Earp, three seats, {played.files} files and {played.letters} letters, and their audit"
    )
    line("host step with letters and one picture", f"{steps * 1e3:8.1f} ms")
    line("demo, each file", f"{(between - begin) / played.files * 1e3:8.1f} ms")
    ratios.sort()
    aimed(
        "demo / files × host step with letters and a picture", ratios[ROUNDS // 2], ratios[0], ratios[-1], 1.2
    )
