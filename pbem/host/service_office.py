"""What all parts of the service share: the host's keys, his clock, who he is in mail, and the verified records.

``Office`` is made once in a process. Everything that depends on the world comes in here as an argument.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Final

from pbem.crypto import base32
from pbem.crypto.digest import b64, kdf, lp, mac
from pbem.crypto.identity import Identity
from pbem.errors import UsageProblem
from pbem.host.config import Limits
from pbem.mail.outgoing import Sender
from pbem.record import HostOpenings, Record
from pbem.record.deadlines import format_time
from pbem.record.line import read_line
from pbem.store.database import Database
from pbem.store.database_matches import Matches, MatchRow
from pbem.store.durable import Steps, no_steps

Clock = Callable[[], datetime]

MOST_RECORDS: Final = 512
"""Matches whose verified records are kept in memory."""


def utc_now() -> datetime:
    """The clock of the machine."""
    return datetime.now(UTC)


@dataclass
class Office:
    """The host at work."""

    database: Database
    host: Identity
    sender: Sender
    operator: str
    clock: Clock = utc_now
    limits: Limits = field(default_factory=Limits)
    witness: bool = True
    null_sender: bool = True
    pictures: bool = True
    """Whether letters carry the table as a picture: it takes most of the time that a letter takes, and 100 KB."""
    steps: Steps = no_steps
    """Called with a name at every point where a crash would leave other traces."""

    def __post_init__(self) -> None:
        self.records = Records(self.host)

    @cached_property
    def key(self) -> bytes:
        """The secret behind message ids and invitation words."""
        return kdf(self.host.secret, "pbem/1 service")

    def now(self) -> str:
        """The time as records write it."""
        return format_time(self.clock())

    def later(self, seconds: float) -> str:
        """The time ``seconds`` from now (or ago)."""
        return format_time(self.clock() + timedelta(seconds=seconds))

    def today(self) -> str:
        """The day of UTC, for limits."""
        return self.now()[:10]

    def word(self, game: str, seat: str, address: str) -> str:
        """The one-time word of an invitation: 50 bits that nobody can guess, another for another address."""
        return base32.encode(mac(self.key, lp("pbem/1 invitation", game, seat, address)))[:10].lower()


class Records:
    """Verified records, so that the cost of a turn does not grow with its match. Only committed lines are kept."""

    def __init__(self, host: Identity) -> None:
        self._host = host
        self._kept: OrderedDict[str, Record] = OrderedDict()

    def load(self, matches: Matches, match: MatchRow) -> Record:
        """The record of a match as the database has it now."""
        record = self._kept.get(match.game)
        if record is not None and record.head.seq < match.seq:
            grown = record.fork()
            grown.extend(matches.lines(match.game, record.head.seq + 1))
            record = grown
        if record is None or record.head.hash.hex() != match.head:
            record = self._read(matches.lines(match.game))
        self.keep(record)
        return record

    def _read(self, lines: list[bytes]) -> Record:
        genesis = read_line(lines[0])
        if genesis.body.get("host", {}).get("sign") != b64(self._host.sign_public):
            raise UsageProblem("this identity is not the host of a match in this database")
        return Record.load(lines, HostOpenings(self._host, genesis))

    def keep(self, record: Record) -> None:
        """Remember a record; the one that was not used for longest is forgotten."""
        game = b64(record.game)
        self._kept[game] = record
        self._kept.move_to_end(game)
        while len(self._kept) > MOST_RECORDS:
            self._kept.popitem(last=False)
