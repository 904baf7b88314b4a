"""The service's whole path for a file, from mail to queued letters, warm and cold; memory and bytes of the database."""

from __future__ import annotations

import gc
import statistics
import tempfile
import time
import tracemalloc
from pathlib import Path

from pbem.host.service.office import Records
from pbem.store.database_matches import Matches
from pbem.store.heads import Heads
from tests.bench.measure import ROWS, aimed, line
from tests.service.table import Table
from tests.world import World

FILES = 60


def _per_file(*, warm: bool) -> tuple[list[float], Table]:
    """Seconds of processor time that the service takes for each file; unless ``warm``, another match was at hand.

    Of a match that is not warm it counts, too, what putting it away again costs.
    """
    folder = Path(tempfile.mkdtemp(prefix="pbem-bench-"))
    table = Table(folder, seats=("anna", "burt"), warm=512 if warm else 1).start()
    other = World("wyatt-earp", ("anna", "burt"), seed="other").start().record
    records = table.service.office.records
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
    warm, table = _per_file(warm=True)
    cold, _ = _per_file(warm=False)
    late = slice(-FILES // 3, None)
    print(f"service: one file, mail to queued letters, without pictures ({len(warm)} files, SQLite)")
    line("warm, the last third", f"{statistics.median(warm[late]) * 1e3:8.1f} ms")
    line("not warm, the last third", f"{statistics.median(cold[late]) * 1e3:8.1f} ms")
    ratios = sorted(a / b for a, b in zip(cold[late], warm[late], strict=False))
    aimed("a file of a match that was not warm / warm", statistics.median(ratios), ratios[0], ratios[-1], 1.3)
    early = sorted(a / b for a, b in zip(warm[late], warm[: FILES // 3], strict=False))
    aimed("a warm file late / early in the match", statistics.median(early), early[0], early[-1], 1.05)

    lines = next(iter(table.players.values())).lines
    size = sum(map(len, lines))
    stored = (table.folder / "service.db").stat().st_size
    line("database after the match / its game file", f"{stored / size:6.2f}", f"{stored / 1e6:.1f} MB")
    ROWS.append({"name": "database / game file", "median": round(stored / size, 2)})
    records = Records(table.service.office.host, Heads())
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    with table.service.office.database.transaction() as transaction:
        matches = Matches(transaction)
        match = matches.named(table.short)
        assert match is not None
        records.load(matches, match)
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    held = (after - before) / size - 1
    aimed("memory of an open match beyond its raw lines / its file", held, held, held, 0.9)
