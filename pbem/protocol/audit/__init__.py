"""The audit: everything that can be checked about a game file, every fault listed (schemas/README.md §11).

It stands on the same verifier and the same replay as the referee. It is **open** for epochs that were closed, where
every hidden card is known, and **sealed** for one that is still running, where only what is public can be checked;
the report says which it did. Somebody else's copy is compared with ``compare_copies``.

In: the whole check of a file, how far one holds, shots and luck, copies and mailboxes held against each other. Out:
what a ruling needs and no more (``pbem.protocol.record``), words and pages for people (``pbem.player.report``), disk
and keys. Called by: api, cli, history, host, host.demo, report, tally, web.
"""

from __future__ import annotations

from pbem.protocol.audit.audit import OPEN, EpochReport, Report, audit
from pbem.protocol.audit.compare import Comparison, compare_copies
from pbem.protocol.audit.luck import Draw, Luck, draws_of, luck_of

__all__ = [
    "OPEN",
    "Comparison",
    "Draw",
    "EpochReport",
    "Luck",
    "Report",
    "audit",
    "compare_copies",
    "draws_of",
    "luck_of",
]
