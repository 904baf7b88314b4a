"""The demo of three seats against its files: what one costs whole, over the host's step with letters and a picture."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from pbem.game import Seat
from pbem.host.demo import Demo
from pbem.host.demo.match import DemoResult
from pbem.player.letters import letters_for
from pbem.player.letters.face import Face
from pbem.player.pictures import to_png
from pbem.player.world import SeededEntropy, StepClock
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.referee import Accepted, receive
from tests.bench.mail import eml_of
from tests.bench.measure import aimed, line
from tests.pictures.kept import forget
from tests.world import World

T = TypeVar("T")
FILES = 60
ROUNDS = 3


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

    ruled = receive(world.record, world.host, raw, world.now)
    assert isinstance(ruled, Accepted)
    record, first = ruled.record, ruled.lines[0].seq

    def ruling() -> None:
        receive(world.record, world.host, raw, world.now)

    def mails() -> int:
        """The letters of the step as mails, with a picture that was made before."""
        made = letters_for(record, first, record.head.seq, Seat(seat))
        for letter in made:
            eml_of(letter)
        return len(made)

    def pictured() -> float:
        """Seconds of the same with a picture that must be made, of a table of which this turn changed a part."""
        forget()
        before = Face(world.record, world.record.head.seq).portrait
        assert before is not None
        assert before.png
        return _timed(mails)[1]

    count = mails()
    whole, parts = [], []
    for _ in range(ROUNDS):
        forget()
        played, spent = _timed(_demo)
        pictures = to_png.cache_info().misses
        with_picture = min(pictured() for _ in range(5))
        a_ruling, letters = (min(_timed(work)[1] for _ in range(5)) for work in (ruling, mails))
        whole.append(spent / (played.files * (a_ruling + with_picture)))
        picture, letter = with_picture - letters, letters / count
        parts.append(spent / (played.files * a_ruling + played.letters * letter + pictures * picture))
    print(
        f"demo: Wyatt Earp, three seats, {played.files} files, {played.letters} letters, {pictures} pictures, audit"
    )
    for name, took in (("a ruling", a_ruling), ("a letter as a mail", letter), ("a picture", picture)):
        line(name, f"{took * 1e3:8.1f} ms")
    line("demo, each file", f"{spent / played.files * 1e3:8.1f} ms")
    for name, ratios in (
        ("demo / files × host step with letters and a picture", sorted(whole)),
        ("demo / the rulings, letters and pictures that it made", sorted(parts)),
    ):
        aimed(name, ratios[ROUNDS // 2], ratios[0], ratios[-1], 1.2)


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    """What it gives, and the seconds of processor time it took."""
    begin = time.process_time()
    found = work()
    return found, time.process_time() - begin
