"""The record: verified bytes of a game file, and the only way to get a match from them.

Contract, in order:

1. bytes become a ``Record`` through ``Record.load`` or not at all: with checks 1 to 10 of schemas/README.md §11;
2. the only change is ``extend``, which makes the same checks on the bytes of new lines;
3. with openings (the host's secret, or what closes opened) it also holds the table: the position in play.

A caller's loop::

    record = Record.load(lines)                   # a player or an auditor
    record = Record.load(lines, openings_of_host) # the host, who can deal
    draft = record.fork(); draft.extend([raw]); … # a ruling: tried on a copy

Disk, clock and keys are the callers' business.

In: lines, the chain, the verifier, the ledger, time and deadlines, takeovers, draws checked, the judge that host
and player share. Out: what becomes of a file (``pbem.protocol.referee``), a whole audit with every fault
(``pbem.protocol.audit``), rules of a game. Called by: every package above.
"""

from pbem.protocol.record.deadlines import Deadlines as Deadlines
from pbem.protocol.record.ledger import Epoch as Epoch
from pbem.protocol.record.ledger import Ledger as Ledger
from pbem.protocol.record.ledger import SealedPart as SealedPart
from pbem.protocol.record.line import Fault as Fault
from pbem.protocol.record.line import Line as Line
from pbem.protocol.record.openings import ClosedOpenings as ClosedOpenings
from pbem.protocol.record.openings import HostOpenings as HostOpenings
from pbem.protocol.record.record import Label as Label
from pbem.protocol.record.record import Record as Record
