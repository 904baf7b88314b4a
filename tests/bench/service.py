"""The service's whole path for a file, from mail to queued emails, warm and cold; memory and bytes of the database."""

from __future__ import annotations

import gc
import statistics
import tempfile
import time
import tracemalloc
from pathlib import Path

from pbem.host.database.heads import Heads
from pbem.host.database.matches import Matches
from pbem.host.service.context import Records
from tests.bench.measure import ROWS, aimed, line
from tests.service.table import Table
from tests.world import World

FILES = 60
ROUNDS = 7
"""Matches that are played warm and not warm: files differ too much to be held against each other one by one."""


def _per_file(*, warm: bool) -> tuple[list[float], Table]:
    """Seconds of processor time that the service takes for each file; unless ``warm``, another match was in memory.

    Of a match that is not warm it counts, too, what compressing it again costs.
    """
    folder = Path(tempfile.mkdtemp(prefix="pbem-bench-"))
    table = Table(folder, seats=("anna", "burt"), warm=512 if warm else 1).start()
    other = World("wyatt-earp", ("anna", "burt"), seed="other").start().record
    records = table.service.context.records
    taken: list[float] = []
    while len(taken) < FILES:
        asked = next((player for player in table.players.values() if player.asked), None)
        if asked is None:
            break
        table.mail.arrive(asked.mail(asked.move()))
        begin = time.process_time()
        if not warm:
            records.keep(other)
        table.service.run_once()
        taken.append(time.process_time() - begin)
        table.read()
    return taken, table


def main() -> None:
    """Print the cost of a file of a match that is in memory and of one that must be verified again."""
    late, early = slice(-FILES // 3, None), slice(FILES // 3)
    warm: list[float] = []
    begun: list[float] = []
    cold: list[float] = []
    for _ in range(ROUNDS):
        taken, table = _per_file(warm=True)
        warm.append(statistics.median(taken[late]))
        begun.append(statistics.median(taken[early]))
        cold.append(statistics.median(_per_file(warm=False)[0][late]))
    print(
        f"service: one file, mail to queued letters, without pictures ({FILES} files, {ROUNDS} rounds, SQLite)"
    )
    line("warm, the last third", f"{statistics.median(warm) * 1e3:8.1f} ms")
    line("not warm, the last third", f"{statistics.median(cold) * 1e3:8.1f} ms")
    _ratios("a file of a match that was not warm / warm", cold, warm, 1.3)
    _ratios("a warm file late / early in the match", warm, begun, 1.05)

    lines = next(iter(table.players.values())).lines
    size = sum(map(len, lines))
    stored = (table.folder / "service.db").stat().st_size
    line("database after the match / its game file", f"{stored / size:6.2f}", f"{stored / 1e6:.1f} MB")
    ROWS.append({"name": "database / game file", "median": round(stored / size, 2)})
    records = Records(table.service.context.host, Heads())
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    with table.service.context.database.transaction() as transaction:
        matches = Matches(transaction)
        match = matches.named(table.short)
        assert match is not None
        records.load(matches, match)
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    held = (after - before) / size - 1
    aimed("memory of an open match beyond its raw lines / its file", held, held, held, 0.9)


def _ratios(name: str, above: list[float], below: list[float], aim: float) -> None:
    """A ratio round by round."""
    ratios = [a / b for a, b in zip(above, below, strict=True)]
    aimed(name, statistics.median(ratios), min(ratios), max(ratios), aim)
