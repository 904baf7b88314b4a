"""What a kind of record is, as one value: how it is checked and taken, who hears of it, how it is worded and ruled.

Each kind is a module of ``pbem.protocol.record.kinds``; whoever deals with records asks its value and names no kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, Protocol, TypeAlias

from pbem.base.sentences import Sentence
from pbem.base.values import dataclass
from pbem.game import Json, JsonObject, Seat
from pbem.protocol.formats.messages import Message
from pbem.protocol.record.check_messages import TALK, NothingNew
from pbem.protocol.record.ledger import Ledger, SealedPart
from pbem.protocol.record.line import Fault, Indexed, Line, nobody
from pbem.protocol.record.play import FileAction, Play
from pbem.protocol.record.takeover import result_due

# --- ruling -----------------------------------------------------------------------------------------------


class HostReader(Protocol):
    """What only the host can read: seeds, and what players sealed to them."""

    def seed(self, epoch: int, /) -> bytes:
        """The seed of any epoch, announced or not."""

    def open(self, part: SealedPart, /) -> tuple[bytes, Json]:
        """Salt and content; raises ``VerificationError`` if the part does not open."""

    def opening(self, part: SealedPart, /) -> JsonObject:
        """The same as a close and the end show it to everybody."""


class RulingContext(Protocol):
    """What a ruling needs of the referee: new records on a copy of the match, and what only the host can read."""

    @property
    def at(self) -> str:
        """The time of the ruling."""

    @property
    def ledger(self) -> Ledger:
        """The match with the records so far."""

    @property
    def openings(self) -> HostReader:
        """What the host may read."""

    @property
    def outcome(self) -> JsonObject | None:
        """The outcome by the rules, once the match is decided."""

    def add(self, kind: str, members: JsonObject, /) -> Line:
        """Sign one more record and take it with every check."""

    def go_on(self) -> None:
        """Write what follows without anybody's file."""

    def play(self) -> Play:
        """A play from the present position with the orders in force."""

    def result(self, play: Play, /, *, wrote: Seat | None = None, failed: Seat | None = None) -> JsonObject:
        """The members of a result."""

    def whole_packet(self, seat: Seat, seal: bytes | None = None, /) -> JsonObject:
        """``epoch`` and ``packets`` with all that the seat was dealt, sealed to this key or its own."""

    def packet_body(self, seq: int, seat: Seat, /) -> JsonObject:
        """The packet body of a seat in a record of an epoch that is not closed yet."""

    def look_alike(self, name: str, seat: str, /) -> str:
        """Why nobody may be called so in this seat; empty if somebody may."""


@dataclass(frozen=True, slots=True)
class Awaits:
    """What a ruling ends with if nothing is recorded yet: it waits for the consents of these seats, or for the host."""

    terms: JsonObject
    missing: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of file that a player signs.

    ``judge`` says what anybody can see of it (it raises ``Refusal``), ``rule`` records it; it is given the consents
    that the host has stored. None: no record ever holds it, and the host does what it asks.
    """

    name: str
    judge: Callable[[Ledger, Message], NothingNew | None]
    rule: Callable[[RulingContext, Message, Sequence[JsonObject]], Awaits | None] | None = None
    newcomer: bool = False
    """Whether it brings somebody into a seat."""
    awaited: bool = False
    """Whether its seat plays no further before it is recorded; so it always has its receipt."""
    acts: bool = False
    """Whether it may hold actions."""
    link_alone: bool = False
    """Whether it is of use for the link that it gives, and for nothing else."""
    says: Callable[[JsonObject], Sentence] | None = None
    """What a body of its kind says, for who signed it; None if that is more than its kind."""


# --- records ----------------------------------------------------------------------------------------------

Audience: TypeAlias = Callable[[Indexed, Sequence[Seat]], Sequence[Seat]]
"""Of the match's seats those that hear of a record, beside whose file it answers."""
Actions: TypeAlias = Callable[[Line], list[FileAction]]
"""The actions of the file in a record, sealed ones too."""


def nothing_wrong(_: Ledger, __: Line) -> Iterator[Fault]:
    """No check of its own."""
    return iter(())


def nothing_changes(_: Ledger, __: Line) -> None:
    """Nothing to take."""


def never(_: Ledger, __: JsonObject) -> bool:
    """Whatever the terms are."""
    return False


def nobody_excused(_: Ledger, __: Seat, ___: str) -> bool:
    """Whoever must agree must."""
    return False


def at_any_time(_: Ledger, __: JsonObject, ___: str) -> str:
    """Nothing that rests on the time of the record."""
    return ""


def never_shown(_: Indexed) -> bool:
    """It shows nobody that."""
    return False


@dataclass(frozen=True, slots=True)
class ByClock:
    """A record that the host may write once a time is over.

    ``due`` says for programs what is due at a time (``now``) or will be; None if nothing is. ``says`` puts that into
    words for the host; None if there is nothing to say yet.
    """

    due: Callable[[Ledger, str], JsonObject | None]
    says: Callable[[JsonObject], Sentence | None]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of record.

    ``check`` looks at a record against the ledger before it, ``take`` puts it into the ledger. ``text`` is the key of
    its message, the macro ``said_<text>`` of ``templates/records.jinja``; empty if it says nothing beside its steps.
    """

    name: str
    check: Callable[[Ledger, Line], Iterator[Fault]] = nothing_wrong
    take: Callable[[Ledger, Line], None] = nothing_changes
    begin: Callable[[Ledger, Line], None] | None = None
    """What is taken before the record's result is looked at."""
    due: Callable[[Ledger, Line], str | None] = result_due
    """The ``due`` that the record must have if it has one; the ledger stands before the record."""
    file: FileKind | None = None
    """Of what kind the player's file in it is, if it is one's."""
    signed_as: str = ""
    """The kind as which ``msg`` is signed, if it may have one."""

    audience: Audience = nobody
    letter: str = "notice"
    """Why those are written to (``pbem.player.letters.letter.Kind``)."""
    text: str = ""
    gathers: bool = False
    """Whether neighbours of this kind are shown together, whoever's they are."""

    counted: bool = True
    """Whether it counts as talk if it is one seat's alone and moves nobody on (schemas/README.md §6)."""
    quota: int = 2 * TALK
    """How many of one seat alone there may be between two results before this one."""
    fresh: bool = False
    """Whether the count of talk begins again with it, as with a result."""
    newcomer: bool = False
    """Whether it brings somebody into a seat, by a join."""
    keys: bool = False
    """Whether a seat has other keys from it on."""
    asks: bool = False
    """Whether a seat may be asked after it that was not asked before."""
    goes_back: bool = False
    """Whether the position is an earlier one from it on."""
    ends: Literal["", "epoch", "match"] = ""
    """What it ends; what ends anything may follow a close that all agreed to."""
    follows: bool = False
    """Whether the host writes it unasked behind the record that it follows from, if it ends nothing (``ends``)."""
    loses_link: bool = False
    """Whether a link may be lost with it, for which the host then burns the newest epoch at once."""
    lapses: bool = False
    """Whether the time of the seat that it names has run out."""
    halts: bool = False
    """Whether nobody is asked anything after it, so that no order answers."""
    bars: bool = False
    """Whether the match never goes back across it."""
    proposes: Callable[[Indexed], bool] = never_shown
    """Whether it shows a seat what the others want to do about it."""
    asks_links: bool = False
    """Whether seats are asked for their links after it."""
    invitation: Literal["", "taken", "replaced", "again", "played"] = ""
    """What it does to the invitation of its seat: it is taken, void with its player, taken again, or played from."""
    extends: bool = False
    """Whether it says that time did not run out, so that no miss is counted before it."""

    announces: Callable[[Line], bool] | None = None
    """Whether the next epoch must be announced right behind the record.

    A host who could lay the next deck later would let a seat play on without owing its link.
    """

    by: frozenset[str] = frozenset()
    """By whom or what the steps of its result may be."""
    play: Callable[[Play, Line, Actions], None] | None = None
    """How its result is played."""
    clock: ByClock | None = None
    """What a clock makes due of it, if one does."""

    agreement: Agreement | None = None
    """What is agreed to, if that is how it comes about."""


class AgreementReader(Protocol):
    """How names, times and what others have typed are shown to whoever reads an agreement."""

    def name(self, seat: str, /) -> str:
        """Who sits there."""

    def moment(self, time: str, /) -> object:
        """A time on their clock, as a value of a sentence."""

    def passed(self, time: str, /) -> bool:
        """Whether this time is over for them."""

    def typed(self, text: str, /) -> str:
        """Somebody's own text, short and harmless."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Something that seats agree to by consents.

    ``rule`` says who must agree if genesis does not: ``all`` seats, the ``others`` than the one it is about, that
    ``seat``. ``fault`` says why nobody can agree to it now; ``by_all`` whether this one needs everybody all the same.
    ``awaited``: as a file's (``FileKind``).
    """

    rule: str
    says: Callable[[JsonObject, AgreementReader], Sentence]
    """What is agreed to, with a capital and without a full stop: ``Pause the match until Monday 19:00``."""
    fault: Callable[[Ledger, JsonObject], str]
    by_all: Callable[[Ledger, JsonObject], bool]
    excuses: Callable[[Ledger, Seat, str], bool] = nobody_excused
    """Whether a seat that else must agree need not at this time."""
    untimely: Callable[[Ledger, JsonObject, str], str] = at_any_time
    """Why a record of this time cannot say so, in words; empty if it can."""
    awaited: bool = False
    proposed: Callable[[Ledger, JsonObject], bool] = never
    """Whether it is proposed first and held, if the seat's recovery key has not agreed to it."""
    by_host: bool = False
    """Whether the host's own command records it, if it is not proposed: consents alone do not bring all it needs."""
    command: str = ""
    """The command of ``pbem host`` that carries it out once it was proposed."""
