"""What a host asks of the store of one match, which is open for one step; and when their program last ran.

It is a transaction of the host's database (``pbem.host.service.store``): all of it counts when that ends, or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from datetime import timedelta
from typing import Any, Final, Protocol, TypeAlias

from pbem.base.errors import StoreError, UsageProblem
from pbem.base.language import Language
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.game import JsonObject, Seat
from pbem.host.letter_mail import Contacts, LetterName
from pbem.host.reminders import Wishes
from pbem.player.store.durable import Steps
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.messages import Message
from pbem.protocol.record import HostOpenings, Line, Record
from pbem.protocol.record.deadlines import clock_jumped, format_time, parse_time
from pbem.protocol.record.line import read_line
from pbem.protocol.record.openings import is_host_of
from pbem.protocol.referee import Accepted, Departed, Ignored, Ruling

Act: TypeAlias = Callable[[Record, str, Sequence[JsonObject]], Accepted]
"""Something the host does of their own accord: from the record, the time and the kept consents to the records."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The mail that an email answers, as far as headers need it."""

    message_id: str = ""
    sender: str = ""


@dataclass(frozen=True, slots=True)
class Caller(Answered):
    """Who brought a file, as far as an answer has to know; at a client nobody needs to be known.

    ``name`` is what answers to their mail are called after; ``quiet``, why a robot's mail is not answered; ``mailed``,
    whether it shows that mail reaches them.
    """

    name: str = ""
    quiet: str = ""
    mailed: bool = True


NOBODY = Caller()
OWN_WEBHOOK: Final = sentence("your chat webhook")
"""The subject of what is written to a seat about it."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the store knows of a file by its name: its ``reject``, or that its history was given up."""

    reject: JsonObject | None = None
    given_up: bool = False


@dataclass(frozen=True, slots=True)
class GivenUp(Ignored):
    """A file of a history that a person has given up: another one counts, and its sender is notified."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a file or an act of the host: the ruling, and the emails that now wait to be sent.

    ``again``: it was ruled on before, and only answered once more.
    """

    ruling: Ruling
    letters: tuple[str, ...] = ()
    again: bool = False


@dataclass(frozen=True, slots=True)
class Written:
    """An email that is to be sent; ``caller`` is whom it answers. ``again``: once more, under a new name.

    ``spare``: it only says that a file was recorded, so the next email to that seat, if it is soon, makes it needless.
    """

    name: LetterName
    caller: Caller = NOBODY
    again: bool = False
    spare: bool = False


@dataclass(frozen=True, slots=True)
class Plain:
    """An answer of text alone: ``templates/service/<kind>.txt.jinja`` with its values; ``name`` distinguishes two.

    ``match`` is the short name of the match that it is about, ``title`` its title; both empty where it is about none.
    """

    kind: str
    name: str
    subject: str
    language: Language
    values: Mapping[str, Any] = field(default_factory=dict)
    match: str = ""
    title: str = ""
    asks: JsonObject | None = None
    """The signed consent that its reader is asked to agree to; it is attached, so that a program can ask."""


class KeyValueStore(Protocol):
    """What a host remembers besides, by name: a folder's notes, or a table of the database."""

    def get(self, name: str) -> str:
        """What is remembered; empty if nothing."""

    def locked(self, name: str) -> str:
        """The same, and nobody else changes it until this step or transaction ends."""

    def set(self, name: str, value: str) -> None:
        """Remember this."""


class MatchStore(Protocol):
    """The store of one match, under its lock or in one transaction."""

    steps: Steps
    """Called with a name at every point where a crash would leave other traces."""

    @property
    def name(self) -> str:
        """What commands call the match."""

    @property
    def record(self) -> Record:
        """The match as it stands in the store."""

    @property
    def contacts(self) -> Contacts:
        """What the host noted beside the match."""

    def addresses(self) -> Mapping[Seat, str]:
        """Where each seat is reached by mail, as far as that is known."""

    def note_contacts(self, contacts: Contacts) -> None:
        """Note this beside the match instead."""

    def append(self, done: Accepted) -> None:
        """Put records behind the newest one, with all that follows from them for who sits where."""

    def known(self, message: Message) -> Known:
        """What became of a file that no record holds."""

    def refuse(self, message: Message, reject: JsonObject) -> None:
        """A file is refused with this ``reject``, once and for all."""

    def hold(self, message: Message) -> None:
        """Keep a consent that is not enough yet."""

    def consents(self) -> list[Message]:
        """Every consent that is kept."""

    def drop(self, message: Message) -> None:
        """A consent that can count no more."""

    def note_contact(self, message: Message, caller: Caller) -> None:
        """A seat has signed this: it is there."""

    def webhook(self, message: Message, address: str) -> str:
        """Where a seat's own turns are announced besides, by a file of its own; empty: nowhere any more.

        A sentence for its sender.
        """

    def given_up(self) -> int:
        """Up to which number other records belong to a history that a person has given up; -1 if to none."""

    def stand_still(self, ruling: Departed, caller: Caller) -> None:
        """A record of the host's was shown that is not here: it counts as shown, and nothing is signed until it is."""

    def wishes(self) -> Wishes:
        """When each seat that has said so wants to be reminded."""

    def wish(self, seat: Seat, hours: Sequence[int]) -> None:
        """When a seat wants to be reminded from now on."""

    def reminded(self) -> str:
        """Reminders of moments up to then are written; empty if none ever was looked for."""

    def remind_from(self, moment: str) -> None:
        """Reminders of moments up to this one are written."""

    def observers(self) -> Sequence[str]:
        """The addresses of those who do, sorted."""

    def let_in(self, address: str) -> None:
        """Let somebody read along, who does not yet: they get the whole match so far."""

    def let_go(self, address: str) -> None:
        """Let somebody read along no more; nothing happens if they did not."""

    def write(self, letters: Sequence[Written]) -> tuple[str, ...]:
        """Emails to seats, to be sent; their names."""

    def public(self, first: int) -> None:
        """What who reads along hears of the records from ``first`` on."""

    def say(self, seat: Seat, answer: Plain, caller: Caller = NOBODY) -> tuple[str, ...]:
        """A plain answer to a seat; its name if there is somewhere to send it."""

    def notify_host(self, kind: str, text: str) -> None:
        """The host hears of this."""

    def put_aside(self, fault: str, caller: Caller) -> None:
        """The host hears of a good file that this program cannot record."""

    def ignore(self, message: Message, ruling: Ignored, caller: Caller) -> None:
        """A file that is nobody's: noted."""


def opened(lines: Sequence[bytes], host: Identity) -> Record:
    """The record of a match of this host, with their openings.

    Raises:
        UsageProblem: another host has signed it.
        PbemError: it does not hold.
    """
    if not is_host_of(lines, host):
        raise UsageProblem(
            sentence("this identity is not the host of this match"),
            hint=sentence(
                "Only the host's own identity can go on with it; choose it with --id, or in service.toml."
            ),
        )
    return Record.load(lines, HostOpenings(host, read_line(lines[0])))


def grown(record: Record, lines: Sequence[bytes]) -> Record:
    """The record with these lines behind it; ``record`` itself is not changed."""
    fork = record.fork()
    fork.extend(lines)
    return fork


# Whether a store is the newest: it holds every record that their host is known to have signed.
# What they have signed is known from elsewhere: a player's file names the record that it has seen with the
# host's signature on it (``Stops.proven``), a copy that somebody sent in, a note beside the store
# (``pbem.host.database.heads``). A store that lacks one of these was put back to an older state. Nothing
# is signed in it until it is there: another record under its number would be a second history.

Shown: TypeAlias = tuple[int, str]
"""A record that the host has signed: its number, and its hash in hex."""


def lacking(shown: Iterable[Shown], named: Callable[[int], str]) -> list[int]:
    """The numbers of those records that the store does not hold, lowest first.

    ``named`` says which record they hold under a number: its hash in hex, empty if none.
    """
    return sorted(seq for seq, name in shown if named(seq) != name)


def name_in(lines: Sequence[Line]) -> Callable[[int], str]:
    """The same of these records."""
    return lambda seq: lines[seq].hash.hex() if seq < len(lines) else ""


# --- when the host's program last ran ----------------------------------------------------------------------
#
# A host who was away, and a clock that is wrong: nothing is ruled on before that is settled
# (schemas/README.md §10.7).
#
# A running service beats: it notes the time every now and then. After it was down longer than
# ``PATIENCE``, whoever was awaited gets that time back by an ``extend``, before anything else is done. A
# gap beyond ``LIMIT``, or a clock that is behind the last record, may as well be a wrong clock: then
# nothing is processed until a person has said that it is right. Records never go back: a match that a
# wrong clock has taken ahead keeps that time until the right one is there, so nobody's time is up too
# early.

BEAT: Final = "heartbeat"
_AHEAD: Final = "clock-was-ahead"
PATIENCE: Final = 60
"""Minutes without a beat that are no outage: a restart, a nightly backup."""
LIMIT: Final = 24 * 31
"""Hours without a sign of life after which a person has to look at the clock."""
MOST: Final = 24 * 366 * 100
"""No limit: a person has looked."""


class ClockProblem(StoreError):
    """The clock cannot be trusted; nothing was processed, and trying again with a right clock helps."""


class Heartbeat:
    """The last moment at which a host's program is known to have run, and whether a clock fits to it."""

    def __init__(self, memory: KeyValueStore) -> None:
        self._memory = memory

    def last(self, *, locked: bool = False) -> str:
        """When it beat last; empty if it never did, or the note is damaged. ``locked``: nobody else beats meanwhile."""
        return _moment(self._memory.locked(BEAT) if locked else self._memory.get(BEAT))

    def beat(self, now: str, every: int = 0) -> None:
        """Note that the program runs at ``now``, unless it was noted less than ``every`` seconds ago."""
        last = self.last()
        if not last or parse_time(now) - parse_time(last) >= timedelta(seconds=every) or last > now:
            self._memory.set(BEAT, now)

    def outage(self, now: str, *, locked: bool = False) -> Outage | None:
        """The outage that ends now, if there was one."""
        return outage_of(self.last(locked=locked) or None, now)

    def fault(self, now: str, limit: int = LIMIT, signed: str = "") -> str:
        """Why a clock that says ``now`` cannot be trusted, in words; empty if it can.

        Args:
            now: what the clock says.
            limit: so many hours may lie between the last sign of life and now.
            signed: the time of the newest record, if there is one that counts as a sign of life.
        """
        last = max(signed if signed > _moment(self._memory.get(_AHEAD)) else "", self.last())
        return clock_jumped(last, now, limit) if last else ""

    def set_back(self, now: str, signed: str = "") -> bool:
        """Take ``now`` for right, since a person says so, if the clock was ahead before; whether it was."""
        if not is_behind(max(signed, self.last(locked=True)), now):
            return False
        if signed:
            self._memory.set(_AHEAD, signed)
        self._memory.set(BEAT, now)
        return True


def _moment(text: str) -> str:
    """A time as it was noted; empty if it is none."""
    try:
        return format_time(parse_time(text))
    except ValueError:
        return ""


def is_behind(last: str, now: str) -> bool:
    """Whether a clock that says ``now`` is behind what has passed already."""
    return bool(last) and last > now and bool(clock_jumped(last, now, MOST))


def refuse(reason: str, command: str) -> None:
    """Do nothing with a clock that is wrong for this reason, if there is one; ``command`` vouches for it.

    Raises:
        ClockProblem: with the reason.
    """
    if reason:
        raise clock_problem(reason, command)


def clock_problem(reason: str, command: str) -> ClockProblem:
    """What is said of a clock that is wrong for this reason."""
    return ClockProblem(
        sentence("nothing was processed: {reason}", reason=reason),
        hint=sentence(
            "Set the clock. Only if it is right, type pbem host {command} --clock-is-right.", command=command
        ),
    )


@dataclass(frozen=True, slots=True)
class Outage:
    """From the last beat to now the host could not be reached."""

    since: str
    until: str


def outage_of(beat: str | None, now: str, patience: int = PATIENCE) -> Outage | None:
    """The outage that ends now, if there was one; without any beat nobody promised to be there."""
    if beat is None or parse_time(now) - parse_time(beat) <= timedelta(minutes=patience):
        return None
    return Outage(beat, now)
