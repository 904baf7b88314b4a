"""Every kind of record and of file, each in a module of its own; whoever deals with them asks here by name.

Below: the state of the record (ledger, lines) and its parts. Above: the verifier, the judge, the referee, emails.
"""

from __future__ import annotations

from typing import Final

from pbem.protocol.record.kind import FileKind, Kind
from pbem.protocol.record.kinds.absence import ABSENCE
from pbem.protocol.record.kinds.announce import ANNOUNCE
from pbem.protocol.record.kinds.burn import BURN
from pbem.protocol.record.kinds.channel import CHANNEL
from pbem.protocol.record.kinds.close import CLOSE
from pbem.protocol.record.kinds.consent import CONSENT
from pbem.protocol.record.kinds.default import DEFAULT
from pbem.protocol.record.kinds.end import END
from pbem.protocol.record.kinds.extend import EXTEND
from pbem.protocol.record.kinds.genesis import GENESIS
from pbem.protocol.record.kinds.join import JOIN
from pbem.protocol.record.kinds.open import OPEN
from pbem.protocol.record.kinds.pause import PAUSE
from pbem.protocol.record.kinds.propose import PROPOSE
from pbem.protocol.record.kinds.ready import READY
from pbem.protocol.record.kinds.rekey import REKEY
from pbem.protocol.record.kinds.reseal import RESEAL
from pbem.protocol.record.kinds.resign import RESIGN
from pbem.protocol.record.kinds.retake import RETAKE
from pbem.protocol.record.kinds.rewind import REWIND
from pbem.protocol.record.kinds.substitute import SUBSTITUTE
from pbem.protocol.record.kinds.turn import TURN
from pbem.protocol.record.kinds.withdraw import WITHDRAW

KINDS: Final[dict[str, Kind]] = {
    kind.name: kind
    for kind in (
        GENESIS, JOIN, READY, ANNOUNCE, OPEN, TURN, DEFAULT, CLOSE, BURN, EXTEND, REKEY, PROPOSE, WITHDRAW, RESEAL,
        ABSENCE, PAUSE, RESIGN, REWIND, SUBSTITUTE, RETAKE, END,
    )
}  # fmt: skip
"""Every kind of record, by name."""
FILES: Final[dict[str, FileKind]] = {
    file.name: file
    for file in (CONSENT, CHANNEL, *(kind.file for kind in KINDS.values()))
    if file is not None
}
"""Every kind of file that a player signs, by name."""
