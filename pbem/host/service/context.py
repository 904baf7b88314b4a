"""What all parts of the service share: the host's keys, their clock, who they are in mail, and the verified records.

``ServiceContext`` is made once in a process. Everything that depends on the world comes in here as an argument.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Final

from pbem.base import system
from pbem.base.errors import FormatError, VerificationError
from pbem.base.resources import PAGE
from pbem.base.sentences import command, sentence
from pbem.base.values import dataclass
from pbem.host.config import Club, Limits
from pbem.host.database.database import Database
from pbem.host.database.driver import DatabaseDamaged
from pbem.host.database.heads import Head, Heads
from pbem.host.database.matches import Matches, MatchRow
from pbem.host.letter_mail import letter_key
from pbem.host.service.painting import Painter
from pbem.host.store import grown, opened
from pbem.player.mail.confined import Confined
from pbem.player.mail.look import Look, Looked, look
from pbem.player.mail.outgoing import Sender
from pbem.player.pictures.picture import Paint, to_png
from pbem.player.store.durable import Steps, no_steps
from pbem.protocol.crypto import digest as base32
from pbem.protocol.crypto.digest import b64, lp, mac, sha
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.record import Record
from pbem.protocol.record.checkpoint import CompressedSnapshot, NotCompressed, compressed, restored
from pbem.protocol.record.deadlines import format_time
from pbem.protocol.record.line import read_line

Clock = Callable[[], datetime]

MOST_LOOKED: Final = 64
"""Emails of which it is remembered what they bring."""
MOST_RECORDS: Final = 512
"""Matches whose verified records are kept in memory."""
MOST_SNAPSHOT_BYTES: Final = 384 * 1024 * 1024
"""Bytes of compressed records: thousands of matches beyond those."""
_AWAKE: Final = 4
"""The newest records of a match stay read; what the others say is read again when somebody asks."""
_STALE: Final = 128
"""A snapshot is made again when it is one record behind, and one more for each so many that it has.

What came since is verified when it is read: that takes longer the more there are, and compressing the more there were.
"""


def utc_now() -> datetime:
    """The clock of the machine."""
    return datetime.now(UTC)


@dataclass
class ServiceContext:
    """The host at work."""

    database: Database
    host: Identity
    sender: Sender
    operator: str
    clock: Clock = utc_now
    elapsed: Callable[[], float] = system.elapsed
    """Seconds by a clock that nobody sets: it distinguishes an outage from a clock that was moved."""
    limits: Limits = field(default_factory=Limits)
    witness: bool = True
    null_sender: bool = True
    pictures: bool = True
    """Whether emails carry the table as a picture: it takes most of the time that an email takes, and 100 KB."""
    look: Look = look
    """How untrusted mail is looked at: ``Confined`` does it under limits, in a process of its own."""
    paint: Paint = to_png
    """How pictures are made: ``Painter`` does it in a process of its own, so that the API answers meanwhile."""
    steps: Steps = no_steps
    """Called with a name at every point where a crash would leave other traces."""
    heads: Heads = field(default_factory=Heads)
    """What was signed, noted outside the database."""

    api: str = ""
    """The address of this host's HTTP API, as emails name it; empty if they have none."""
    push: tuple[str, ...] = ()
    """Push services that this host adds to those that are listed (``service.push``), ``host`` or ``host:port``."""
    page: str = PAGE
    """The page that links name: the release's, or the one that this host serves."""
    mails: bool = True
    """Whether emails are written; a host without mail has players at the API alone."""
    folder: Path | None = None
    """The match folder of a host without a mail account, who hands every file in and every email over."""
    club: Club = field(default_factory=Club)
    """Who may ask for a match by email."""
    warm: int = MOST_RECORDS
    """So many matches' verified records are kept in memory."""
    language: str = "en"
    """The one in which the operator is alerted."""

    def __post_init__(self) -> None:
        self.records = Records(self.host, self.heads, self.warm)
        self._looked: OrderedDict[bytes, Looked] = OrderedDict()
        self.calls = False
        """Whether this process has appended something for a webhook or a browser to hear of."""

    def look_at(self, raw: bytes) -> Looked:
        """A look at an email; what is ruled on soon after it was sorted is not looked at twice.

        Raises:
            MailRefused: it does not pass the gate, or breaks the process that looks at it.
        """
        name = sha(raw)
        looked = self._looked.pop(name, None) or self.look(raw, self.sender.address)
        self._looked[name] = looked
        while len(self._looked) > MOST_LOOKED:
            self._looked.popitem(last=False)
        return looked

    def close(self) -> None:
        """Let go of the database, and of the processes that look at mail and make pictures."""
        for helper in (self.look, self.paint):
            if isinstance(helper, Confined | Painter):
                helper.close()
        self.database.close()

    @cached_property
    def key(self) -> bytes:
        """The secret behind message ids and invitation words."""
        return letter_key(self.host)

    @property
    def by_hand(self) -> bool:
        """Whether a person hands files and emails over: then nobody is limited, and no seat needs an address."""
        return self.folder is not None

    def before_showing(self, match: MatchRow) -> None:
        """Note outside the database how far a match is signed; durable when this returns.

        Whoever shows a record, by an email, an answer of the API, a notice or a file, calls this first, with the match
        as it was committed: so nobody ever holds a record that a database which was put back could sign otherwise.
        """
        self.heads.note(match.game, Head(match.era, match.seq, match.head))
        self.heads.write()

    def recover_command(self, short: str) -> str:
        """What an operator types to merge every copy that exists into this match."""
        if self.folder:
            return command("pbem host recover -o {folder} COPY...", folder=self.folder)
        return command("pbem host recover {match} COPY...", match=short)

    def now(self) -> str:
        """The time as records write it."""
        return format_time(self.clock())

    def later(self, seconds: float) -> str:
        """The time ``seconds`` from now (or ago)."""
        return format_time(self.clock() + timedelta(seconds=seconds))

    def today(self) -> str:
        """The day of UTC, for limits."""
        return self.now()[:10]

    def invite_code(self, game: str, seat: str, address: str) -> str:
        """An invite code, another for another address: 80 bits, since a join shows its proof to everybody."""
        return base32.encode(mac(self.key, lp("pbem/1 invitation", game, seat, address)))[:16].lower()

    def code(self, game: str, seat: str, invited: str, number: int) -> str:
        """The code of an invitation's link: 130 bits; ``number`` counts how often a link was withdrawn."""
        return base32.encode(mac(self.key, lp("pbem/1 link", game, seat, invited, str(number))))[:26].lower()


STOP: Final = sentence(
    "The database answers, so do not restore a backup over it. Stop all workers, make a copy of the database, and look"
    " at the matches named: 'pbem host export MATCH' writes one out, and 'pbem host recover MATCH COPY...' brings it"
    " back from the players' copies."
)
"""What to do about a database that answers and is not what was written."""


class Records:
    """Verified records, so that the cost of a turn does not grow with its match. Only committed lines are kept.

    Those used last are at hand; those before are compressed, and read in a few milliseconds. Both are what this
    process verified itself, in its own memory: a match that it has not seen is verified from its first record.
    """

    def __init__(
        self,
        host: Identity,
        heads: Heads,
        most: int = MOST_RECORDS,
        most_snapshot_bytes: int = MOST_SNAPSHOT_BYTES,
    ) -> None:
        self._host = host
        self._heads = heads
        self._most = most
        self._most_snapshot_bytes = most_snapshot_bytes
        self._kept: OrderedDict[str, Record] = OrderedDict()
        self._snapshots: OrderedDict[str, CompressedSnapshot] = OrderedDict()
        self._snapshot_bytes = 0
        self._eras: dict[str, int] = {}

    def load(self, matches: Matches, match: MatchRow) -> Record:
        """The record of a match as the database has it now.

        Raises:
            DatabaseDamaged: the records do not hold, or the database has gone back while this program ran.
        """
        known = self._heads.known().get(match.game)
        if known is not None and (match.era, match.seq) < (known.era, known.seq):
            raise DatabaseDamaged(
                sentence(
                    "the database has gone back while this program ran:"
                    " match {short} ends with record {seq}, and record {signed} was signed",
                    short=match.short,
                    seq=match.seq,
                    signed=known.seq,
                ),
                hint=STOP,
            )
        record = self._kept.get(match.game)
        if record is None or not self.at_hand(match):
            record = self._read(matches, match, record)
        self._remember(record)
        self._eras[match.game] = match.era
        return record

    def at_hand(self, match: MatchRow) -> bool:
        """Whether the record as the database has it now is in memory: it was ruled on last by this process."""
        record = self._kept.get(match.game)
        return record is not None and record.head.hash.hex() == match.head

    def _read(self, matches: Matches, match: MatchRow, before: Record | None) -> Record:
        """From the record that is remembered on, if it is a beginning of what the database has; else from the start."""
        try:
            if before is not None and before.head.seq < match.seq:
                lines = matches.lines(match.game, before.head.seq + 1)
                if read_line(lines[0]).body["prev"] == b64(before.head.hash):
                    return grown(before, lines)
            lines = matches.lines(match.game)
            snapshot = self._snapshots.get(match.game)
            known = None if snapshot is None else restored(snapshot, lines)
            if known is not None:
                known.extend(lines[len(known.lines) :])
                return known
            return opened(lines, self._host)
        except (FormatError, VerificationError, IndexError) as fault:
            raise DatabaseDamaged(
                sentence("match {short} in the database is damaged: {fault}", short=match.short, fault=fault),
                hint=STOP,
            ) from fault

    def keep(self, record: Record) -> None:
        """Remember a record that was committed just now, and that it was."""
        game = b64(record.game)
        self._remember(record)
        self._heads.note(game, Head(self._eras.get(game, 0), record.head.seq, record.head.hash.hex()))

    def _remember(self, record: Record) -> None:
        """The one that was not used for longest is forgotten."""
        game = b64(record.game)
        before = self._kept.get(game)
        self._kept[game] = record
        self._kept.move_to_end(game)
        if before is not record:
            read_since = 0 if before is None else max(0, len(before.lines) - _AWAKE)
            for line in record.lines[max(1, read_since) : -_AWAKE]:
                line.drop_parsed()
        while len(self._kept) > self._most:
            self._compress(*self._kept.popitem(last=False))

    def _compress(self, game: str, record: Record) -> None:
        """Keep it compressed; of the snapshots, too, those not used for longest are forgotten."""
        snapshot = self._snapshots.pop(game, None)
        if snapshot is not None:
            self._snapshot_bytes -= snapshot.size
        behind = 1 + record.head.seq // _STALE
        if snapshot is None or not record.head.seq - behind < snapshot.seq <= record.head.seq:
            try:
                snapshot = compressed(record, snapshot)
            except NotCompressed:
                return
        self._snapshots[game] = snapshot
        self._snapshot_bytes += snapshot.size
        while self._snapshot_bytes > self._most_snapshot_bytes:
            self._snapshot_bytes -= self._snapshots.popitem(last=False)[1].size
