"""What may become part of a record: every check of a line, and what anybody can say of a player's file.

The one place where a line is taken, by the checks of schemas/README.md §11, 1 to 10, in that order.

``Verifier.feed`` checks a line against everything before it, then takes it into the ledger, and returns the faults.
``strict`` (loading, ruling) raises the first and takes nothing; the audit goes on and lists them all, so the
referee can accept nothing that the audit would flag. ``judge`` rules on a player's file before it is a line.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple, TypeAlias

from pbem.base.errors import FormatError, PbemError, VerificationError
from pbem.base.sentences import sentence
from pbem.base.shapes.schema import narrowed
from pbem.base.values import dataclass, replace
from pbem.game import AnyRules, BadSetup, Game, IllegalAction, JsonObject, MalformedAction, Seat, Setup
from pbem.games import find_game
from pbem.protocol.crypto.digest import name64, unb64
from pbem.protocol.formats.envelopes import verify_file
from pbem.protocol.formats.messages import Message
from pbem.protocol.record.check_messages import (
    NothingNew,
    Refusal,
    count,
    has_seen,
    key_of,
    link_fault,
    lone_writer,
    newest_number,
    number_ahead,
    refuse_if,
    restart_counts,
    signing_key,
    too_many,
)
from pbem.protocol.record.check_results import check_result, check_step_authors
from pbem.protocol.record.deadlines import Deadlines, Moment
from pbem.protocol.record.kind import Kind
from pbem.protocol.record.kinds import FILES, KINDS
from pbem.protocol.record.kinds.announce import ANNOUNCE
from pbem.protocol.record.kinds.burn import back_before_deal
from pbem.protocol.record.kinds.consent import CONSENT
from pbem.protocol.record.ledger import Ledger
from pbem.protocol.record.line import Fault, Line, Log, at_record, differs, read_line, verify_entry
from pbem.protocol.record.open_play import check_open_play
from pbem.protocol.record.openings import agreed_end
from pbem.protocol.record.takeover import asked_until, moment_of, pass_time

BAD_VALUE_ERRORS = (
    KeyError,
    TypeError,
    ValueError,
    IndexError,
    AttributeError,
    MalformedAction,
    BadSetup,
    IllegalAction,
)
"""What code may raise when a host signed values that no honest program writes: a fault, not a crash."""


def start_ledger(raw: bytes) -> Ledger:
    """The ledger of a file whose record 0 is ``raw``; raises ``FormatError`` or ``VerificationError``."""
    line = read_line(raw)
    if line.kind != "genesis" or line.seq != 0 or line.body["prev"] != "":
        raise VerificationError(
            "genesis", at_record(0, sentence("the file does not begin with a genesis record"))
        )
    verify_entry(line, line.hash, unb64(line.body["host"]["sign"], 32))
    entry, rules, deadlines = terms_of(line.body)
    ledger = Ledger(Log([line]), line.hash, entry, rules, deadlines, paged="page" in line.body["host"])
    ledger.index.take(line)
    ledger.moments = ledger.moments.plus(moment_of(ledger))
    return ledger


class GenesisTerms(NamedTuple):
    """What record 0 sets for the whole match: the game, its rules with these options, the deadlines."""

    game: Game
    rules: AnyRules
    deadlines: Deadlines


def terms_of(genesis: JsonObject) -> GenesisTerms:
    """What the body of record 0 sets for the whole match.

    Raises:
        VerificationError: code ``genesis``; there is no such game, or it has no such options.
    """
    try:
        entry = find_game(genesis["rules"]["id"])
        setup = Setup(
            tuple(map(Seat, genesis["seats"])),
            genesis["options"],
            genesis["setup"],
            genesis["rules"]["version"],
            recorded=True,
        )
        own = genesis["host"].get("seat")
        if own is not None and own not in setup.seats:
            raise BadSetup(sentence("the host plays {seat}, and the match has no such seat", seat=own))
        return GenesisTerms(entry, entry.rules(setup), Deadlines.from_json(genesis["deadlines"], bulk=True))
    except KeyError as error:
        raise VerificationError("genesis", at_record(0, error.args[0])) from error
    except (BadSetup, TypeError, ValueError) as error:
        raise VerificationError("genesis", at_record(0, error)) from error


def check_due(ledger: Ledger, line: Line) -> Iterator[Fault]:
    """The ``due`` of a record is what the deadlines of the match give, to the second; ``ledger`` stands before it."""
    due = line.body.get("due")
    if due is None:
        return
    expected = KINDS[line.kind].due(ledger, line)
    if due != expected:
        yield line.fault(4, "due", differs(sentence("deadline"), expected, due))


class Verifier:
    """Feeds lines into a ledger. ``strict``: raise the first fault; else collect and go on.

    ``openly``: play on what is public too (``open_play``), but for the results of those epochs that the caller replays
    with all that is hidden (``replayed``).
    """

    def __init__(
        self, ledger: Ledger, *, strict: bool, openly: bool = True, replayed: Collection[int] = ()
    ) -> None:
        self.ledger = ledger
        self.strict = strict
        self.openly = openly
        self.replayed = replayed

    def feed_raw(self, raw: bytes, known: Line | None = None, read: Line | None = None) -> list[Fault]:
        """Read, check and take one line; ``known`` is the record on it if its form was found right already.

        ``read`` is the record on it if ``read_line`` gave it, but nobody has looked at the game's own values in it.
        """
        if known is not None:
            return self.feed(known)
        seq = self.ledger.lines.size
        try:
            line = read_line(raw) if read is None else read
            check_game_form(self.ledger, line.body)
        except (FormatError, VerificationError) as error:
            if self.strict:
                raise FormatError(at_record(seq, error), hint=error.hint) from error
            unread = Line(seq, "unreadable", {"at": self.ledger.head.at}, {}, raw, b"")
            self.ledger.lines = self.ledger.lines.plus(unread)  # so that every record keeps its place
            self._add_moment(self.ledger.moments[-1])
            return [Fault(seq, 1, "malformed", str(error))]
        return self.feed(line)

    def feed(self, line: Line) -> list[Fault]:
        """Check and take one line.

        After a raise the ledger is spent: rulings work on a fork, and loading gives up.
        """
        faults: list[Fault] = []
        place = self.ledger.lines.size
        try:
            # A fault names a record by its place in the file, whatever the record claims.
            if line.seq != place:
                self._note(
                    faults, Fault(place, 1, "seq", differs(sentence("number of the record"), place, line.seq))
                )
                line = replace(line, seq=place)
            kind = KINDS[line.kind]
            pass_time(self.ledger, line.body["at"], extends=kind.extends)
            for fault in self._check(line, kind):
                self._note(faults, fault)
            if kind.begin is not None:
                kind.begin(self.ledger, line)
            if "steps" in line.body:
                self._take_result(line, faults)
            self._take(line, kind, faults)
            self._add_moment(moment_of(self.ledger))
        except BAD_VALUE_ERRORS as error:
            self._note(
                faults,
                line.fault(1, "malformed", "the rules cannot follow this record: {error}", error=error),
            )
            self._add_moment(self.ledger.moments[-1])
        return faults

    def _add_moment(self, moment: Moment) -> None:
        """The moment of the newest record; where its line was never taken there is none."""
        if self.ledger.moments.size < self.ledger.lines.size:
            self.ledger.moments = self.ledger.moments.plus(moment)

    def _note(self, faults: list[Fault], fault: Fault) -> None:
        if self.strict:
            raise fault.error()
        faults.append(fault)

    def _check(self, line: Line, kind: Kind) -> Iterator[Fault]:
        ledger, before = self.ledger, self.ledger.head
        yield from self._check_chain(line, before)
        if ledger.ended is not None:
            yield line.fault(10, "after-end", "a record after the end of the match")
        if not kind.ends and agreed_end(ledger) is not None:
            words = sentence("a record after the end of the match")
            yield line.fault(10, "after-end", words)
        announces = KINDS[before.kind].announces if before.kind in KINDS else None
        if announces is not None and kind is not ANNOUNCE and announces(before):
            words = sentence("the next deal must be announced right after record {record}", record=before.seq)
            yield line.fault(4, "late", words)
        back = back_before_deal(ledger) if ledger.left_out else ()
        if back and "back" not in line.body:
            words = sentence(
                "record {record} brings back {named}: the deal must be voided right after it",
                record=before.seq,
                named=", ".join(back),
            )
            yield line.fault(4, "late", words)
        seat = lone_writer(line) if kind.counted and "steps" not in line.body else None
        reason = too_many(ledger, seat, kind.quota, key=key_of(line)) if seat is not None else ""
        if reason:
            yield line.fault(2, "too-many", reason)
        yield from kind.check(ledger, line)
        if "steps" in line.body:
            yield from check_step_authors(ledger, line, kind.by)
        yield from check_due(ledger, line)

    def _check_chain(self, line: Line, before: Line) -> Iterator[Fault]:
        expected = name64(before.hash)  # empty after a line that cannot be read: nobody knows its name
        if before.hash and line.body["prev"] != expected:
            place = sentence("hash of the record before")
            yield line.fault(1, "prev", differs(place, expected, line.body["prev"]))
        at, since = line.body["at"], before.body["at"]
        if at < since:
            yield line.fault(
                1, "time", "written at {at}, but the record before it at {before}", at=at, before=since
            )
        try:
            verify_entry(line, self.ledger.game, self.ledger.host_sign)
        except PbemError as error:
            yield line.fault(1, "signature", "the host's signature: {error}", error=error)

    def _take_result(self, line: Line, faults: list[Fault]) -> None:
        reported, epoch = check_result(self.ledger, line)
        for fault in reported:
            self._note(faults, fault)
        if self.openly and line.body["epoch"] not in self.replayed:
            for fault in check_open_play(self.ledger, line):
                self._note(faults, fault)
        if epoch is not None:
            self.ledger.epochs[epoch.number] = epoch

    def _take(self, line: Line, kind: Kind, faults: list[Fault]) -> None:
        ledger = self.ledger
        ledger.lines = ledger.lines.plus(line)
        ledger.index.take(line, bars=kind.bars)
        self._count(line, kind)
        kind.take(ledger, line)
        self._mark_unsound(line, faults)
        if "steps" in line.body:
            ledger.shown, ledger.result, ledger.asks = line, line, "due" in line.body
            ledger.due, ledger.asked = line.body.get("due"), line.seq
            if not ledger.asks and ledger.reveal == "match":  # no close will ask for the links
                ledger.due = asked_until(ledger, line.at)

    def _count(self, line: Line, kind: Kind) -> None:
        """What one seat alone wrote is counted; for a newcomer from nought."""
        if "steps" in line.body or kind.fresh:
            restart_counts(self.ledger)
        if kind.newcomer:
            self.ledger.alone.pop(Seat(line.body["msg"]["body"]["seat"]), None)
        if kind.counted and "steps" not in line.body:
            count(self.ledger, line)

    def _mark_unsound(self, line: Line, faults: list[Fault]) -> None:
        if not any(fault.step in (3, 4, 5) for fault in faults):
            return
        number = line.body.get("epoch")
        target = self.ledger.epochs.get(number) if isinstance(number, int) else self.ledger.newest
        if target is not None:
            self.ledger.epochs[target.number] = replace(target, sound=False)


# --- game form --------------------------------------------------------------------------------------------
#
# What a game's own values in a record may look like: events, actions and the public view, by the game's
# schemas.
#
# A host signs what they like. Whoever reads a record afterwards (an email, a page, a table, the rules
# engine) may rely on these members having the form of the match's game, with its names and no others
# (schemas/README.md §11, 1).


def check_game_form(ledger: Ledger, body: JsonObject) -> None:
    """Return if the result in this record, if there is one, is made of values of the match's game.

    Raises:
        FormatError: the first that is none, and where.
    """
    if "steps" not in body:
        return
    game = ledger.entry.info.id
    words = ledger.rules.words
    view, event = narrowed(f"{game}/view", words), narrowed(f"{game}/event", words)
    action = narrowed(f"{game}/action", words, public=True)
    steps, public = body["steps"], body["public"]
    actions = [step["action"] for step in steps if "action" in step]
    events = [happened for step in steps for happened in step["events"]]
    if action.accept_all(actions) and event.accept_all(events) and view.accept_all((public,)):
        return
    for number, step in enumerate(steps):
        if "action" in step:
            action.validate(step["action"], ("body", "steps", number, "action"), bulk=True)
        for index, happened in enumerate(step["events"]):
            event.validate(happened, ("body", "steps", number, "events", index), bulk=True)
    view.validate(public, ("body", "public"), bulk=True)


# --- a player's file -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class UnknownSender:
    """Nobody's file for this match; ``taken``: a join for a seat that somebody has."""

    reason: str
    taken: bool = False


@dataclass(frozen=True, slots=True)
class Again:
    """The very file that ``line`` holds."""

    line: Line


Judged: TypeAlias = UnknownSender | Again | NothingNew | None
"""None: nothing that everybody can see is wrong with the file."""


def judge(ledger: Ledger, message: Message) -> Judged:
    """What anybody who holds the game file can say of a player's file whose form is good: one ruling for both sides.

    The referee asks here and then adds what the host alone can: open what is sealed, play, and record. A player's
    ``pbem check`` asks here and adds what the seat's own view shows. So host and player give the same sentence, name
    the same action, and check in the same order:

    1. whose file it is: this match, a seat, that seat's signature; else it is nobody's (``UnknownSender``) and never
       answered;
    2. whether it stands in the record already (``Again``);
    3. whether the match goes on, its number, what it had seen, its link;
    4. what its kind asks for: keys of a join or rekey, what a consent agrees to, open actions, whose turn it is.

    Actions are counted from 0 in ``Refusal.action`` as in ``reject`` files, and from 1 in every sentence (``placed``).

    Raises:
        Refusal: for the first fault, with its code (schemas/README.md §9).
    """
    unknown = unknown_sender(ledger, message)
    if unknown is not None:
        return unknown
    earlier = ledger.earlier_line(message.hash)
    if earlier is not None:
        return Again(earlier)
    if brings_somebody(message) and Seat(message.seat) in ledger.players:
        return UnknownSender(sentence("the seat {seat} is taken", seat=message.seat), taken=True)
    if ledger.ended is not None:
        raise Refusal("match-over", sentence("the match has ended"))
    _check_number(ledger, message)
    _check_seen(ledger, message)
    _check_link(ledger, message)
    return FILES[message.kind].judge(ledger, message)


def unknown_sender(ledger: Ledger, message: Message) -> UnknownSender | None:
    """Why this is nobody's file for this match; None if it is somebody's."""
    if message.kind not in FILES:
        return UnknownSender(sentence("a reject is the host's own word, not a player's file"))
    if message.game != ledger.game:
        return UnknownSender(sentence("it is for another match"))
    if message.seat not in ledger.seats:
        return UnknownSender(sentence("this match has no seat {seat}", seat=message.seat))
    player = ledger.players.get(Seat(message.seat))
    if player is None and not brings_somebody(message):
        return UnknownSender(sentence("nobody has joined as {seat} yet", seat=message.seat))
    try:
        if brings_somebody(message) or player is None:
            key = unb64(message.body["sign"], 32)
        else:
            key = signing_key(player, message.file)
        verify_file(message.kind, message.file, key)
    except PbemError as fault:
        return UnknownSender(sentence("its signature does not hold: {fault}", fault=fault))
    return None


def brings_somebody(message: Message) -> bool:
    """Whether a file brings somebody into a seat."""
    file = FILES.get(message.kind)
    return file is not None and file.newcomer


def awaited(message: Message) -> bool:
    """Whether a file always has its receipt: its seat waits until it, or what it agrees to, is recorded."""
    if message.kind == CONSENT.name:
        kind = KINDS.get(message.body["what"]["kind"])
        return kind is not None and kind.agreement is not None and kind.agreement.awaited
    file = FILES.get(message.kind)
    return file is not None and file.awaited


def _check_number(ledger: Ledger, message: Message) -> None:
    player = ledger.players.get(Seat(message.seat))
    if player is None:
        return
    if message.n <= newest_number(player, message.file):
        raise Refusal(
            "stale",
            sentence("a newer file of yours is in the match file already; sign a new one"),
        )
    refuse_if("number-ahead", number_ahead(player.n, message.n))


def _check_seen(ledger: Ledger, message: Message) -> None:
    known = ledger.line_at(message.seen_seq)
    if known is None:
        raise Refusal(
            "stale",
            sentence(
                "your match file has more records than the host's; compare the two with 'pbem compare'",
            ),
        )
    if not has_seen(ledger, message.body["seen"]):
        raise Refusal(
            "stale",
            sentence(
                "your match file differs from the host's; compare the two with 'pbem compare'",
            ),
        )


def _check_link(ledger: Ledger, message: Message) -> None:
    link = message.body.get("link")
    reason = link_fault(ledger, Seat(message.seat), link, message.seen_seq) if link else ""
    refuse_if("bad-link", reason)
