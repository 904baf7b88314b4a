"""The audit: everything that can be checked about a game file, every fault listed (schemas/README.md §11).

It stands on the same verifier and the same replay as the referee. It is **open** for epochs that were closed, where
every hidden card is known, and **sealed** for one that is still running, where only what is public can be checked;
the report says which it did. Somebody else's copy is compared with ``compare_copies``.

In: the whole check of a file, how far one holds, shots and luck, copies and pieces held against each other. Out:
what a ruling needs and no more (``pbem.protocol.record``), words and pages for people (``pbem.player.lookback``),
disk and keys. Called by: api, cli, host, letters, lookback, web.
"""

from pbem.protocol.audit.audit import OPEN as OPEN
from pbem.protocol.audit.audit import EpochReport as EpochReport
from pbem.protocol.audit.audit import Report as Report
from pbem.protocol.audit.audit import audit as audit
from pbem.protocol.audit.compare import Comparison as Comparison
from pbem.protocol.audit.compare import compare_copies as compare_copies
from pbem.protocol.audit.trials import Draw as Draw
from pbem.protocol.audit.trials import draws_of as draws_of
