"""The one place where a line becomes part of a record: every check of schemas/README.md §11, 1 to 10, in that order.

``Verifier.feed`` checks a line against everything before it, then takes it into the ledger, and returns the faults.
``strict`` (loading, ruling) raises the first and takes nothing; the audit goes on and lists them all, so the
referee can accept nothing that the audit would flag.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from pbem.base.errors import FormatError, PbemError, VerificationError
from pbem.base.sentences import sentence
from pbem.base.values import replace
from pbem.game import AnyRules, BadSetup, Game, IllegalAction, JsonObject, MalformedAction, Seat, Setup
from pbem.games import find_game
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.formats.signed import body_hash
from pbem.protocol.record.check_close import agreed_end, check_close, check_end, take_close, take_opened
from pbem.protocol.record.check_consents import check_consent_record, take_consent_record
from pbem.protocol.record.check_epochs import (
    check_announce,
    check_burn,
    check_default,
    check_extend,
    check_open,
    check_promised,
    take_announce,
    take_burn,
    take_open,
)
from pbem.protocol.record.check_messages import check_join, check_link, check_message, with_link
from pbem.protocol.record.check_results import check_result, check_step_authors, check_turn_steps
from pbem.protocol.record.deadlines import Deadlines
from pbem.protocol.record.fault import Fault
from pbem.protocol.record.game_form import check_game_form
from pbem.protocol.record.host_seat import host_seat
from pbem.protocol.record.ledger import ChainRun, Ledger, Player, SealedPart
from pbem.protocol.record.line import Line, read_line, verify_entry
from pbem.protocol.record.log import Log
from pbem.protocol.record.measures import check_measures, sealed_size, take_measures
from pbem.protocol.record.standing import Moment
from pbem.protocol.record.stands import moment_of
from pbem.protocol.record.takeover import check_withdraw, link_lost, named_proposal, settle
from pbem.protocol.record.waiting import asked_until, awaited_seat, check_due, move_holds, moved, pass_time

FOREIGN = (
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
        raise VerificationError("genesis", "record 0: the file does not begin with a genesis record")
    verify_entry(line, line.hash, unb64(line.body["host"]["sign"], 32))
    entry, rules, deadlines = terms_of(line.body)
    ledger = Ledger(Log([line]), line.hash, entry, rules, deadlines)
    ledger.index.take(line)
    ledger.moments = ledger.moments.plus(moment_of(ledger))
    return ledger


def terms_of(genesis: JsonObject) -> tuple[Game, AnyRules, Deadlines]:
    """What the body of record 0 sets for the whole match: the game, its rules with these options, the deadlines.

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
        )
        own = host_seat(genesis)
        if own is not None and own not in setup.seats:
            raise BadSetup(f"the host plays {own}, and the match has no such seat")
        return entry, entry.rules(setup), Deadlines.from_json(genesis["deadlines"])
    except KeyError as error:
        raise VerificationError("genesis", f"record 0: {error.args[0]}") from error
    except (BadSetup, TypeError, ValueError) as error:
        raise VerificationError("genesis", f"record 0: {error}") from error


class Verifier:
    """Feeds lines into a ledger. ``strict``: raise the first fault; else collect and go on."""

    def __init__(self, ledger: Ledger, *, strict: bool) -> None:
        self.ledger = ledger
        self.strict = strict

    def feed_raw(self, raw: bytes, known: Line | None = None, read: Line | None = None) -> list[Fault]:
        """Read, check and take one line; ``known`` is the record on it if its form was found right already.

        ``read`` is the record on it if ``read_line`` gave it, but nobody has looked at the game's own values in it.
        """
        if known is not None:
            return self.feed(known)
        seq = len(self.ledger.lines)
        try:
            line = read_line(raw) if read is None else read
            check_game_form(self.ledger, line.body)
        except (FormatError, VerificationError) as error:
            if self.strict:
                raise FormatError(f"record {seq}: {error}", hint=error.hint) from error
            unread = Line(seq, "unreadable", {"at": self.ledger.head.at}, {}, raw, b"")
            self.ledger.lines = self.ledger.lines.plus(unread)  # so that every record keeps its place
            self._keep(self.ledger.moments[-1])
            return [Fault(seq, 1, "malformed", str(error))]
        return self.feed(line)

    def feed(self, line: Line) -> list[Fault]:
        """Check and take one line.

        After a raise the ledger is spent: rulings work on a fork, and loading gives up.
        """
        faults: list[Fault] = []
        place = len(self.ledger.lines)
        try:
            if (
                line.seq != place
            ):  # a fault names a record by its place in the file, whatever the record claims
                self._note(faults, Fault(place, 1, "seq", f"expected record {place}, found {line.seq}"))
                line = replace(line, seq=place)
            pass_time(self.ledger, line.at, extends=line.kind == "extend")
            for fault in self._check(line):
                self._note(faults, fault)
            if line.kind == "open":  # its draws can be checked only once the links are turned into a cut
                take_open(self.ledger, line)
            if "steps" in line.body:
                self._take_result(line, faults)
            self._take(line, faults)
            self._keep(moment_of(self.ledger))
        except FOREIGN as error:
            self._note(
                faults, Fault(line.seq, 1, "malformed", f"a value no program of ours writes: {error!r}")
            )
            self._keep(self.ledger.moments[-1])
        return faults

    def _keep(self, moment: Moment) -> None:
        """The moment of the newest record; where its line was never taken there is none."""
        if len(self.ledger.moments) < len(self.ledger.lines):
            self.ledger.moments = self.ledger.moments.plus(moment)

    def _note(self, faults: list[Fault], fault: Fault) -> None:
        if self.strict:
            raise fault.error()
        faults.append(fault)

    # --- checks -------------------------------------------------------------------------------------------

    def _check(self, line: Line) -> Iterator[Fault]:
        yield from self._check_chain(line)
        if self.ledger.ended is not None:
            yield Fault(line.seq, 10, "after-end", "a record after the end of the match")
        if line.kind not in ("close", "end") and agreed_end(self.ledger) is not None:
            yield Fault(
                line.seq,
                10,
                "after-end",
                "a record after the close that all agreed to; only the end may follow",
            )
        if line.kind == "genesis":
            yield Fault(line.seq, 1, "genesis", "a second genesis record")
        yield from check_promised(self.ledger, line)
        yield from check_measures(self.ledger, line)
        check = _CHECKS.get(line.kind)
        if check is not None:
            yield from check(self.ledger, line, True)
        yield from check_due(self.ledger, line)

    def _check_chain(self, line: Line) -> Iterator[Fault]:
        head = self.ledger.head
        expected = b64(head.hash)  # empty after a line that cannot be read: nobody knows its name
        if head.hash and line.body["prev"] != expected:
            yield Fault(line.seq, 1, "prev", f"expected prev {expected}, found {line.body['prev']}")
        if line.at < head.at:
            yield Fault(line.seq, 1, "time", f"written at {line.at}, before the record before it ({head.at})")
        try:
            verify_entry(line, self.ledger.game, self.ledger.host_sign)
        except PbemError as error:
            yield Fault(line.seq, 1, "signature", f"the host's signature: {error}")

    # --- taking -------------------------------------------------------------------------------------------

    def _take_result(self, line: Line, faults: list[Fault]) -> None:
        found, epoch = check_result(self.ledger, line)
        for fault in found:
            self._note(faults, fault)
        if epoch is not None:
            self.ledger.epochs[epoch.number] = epoch

    def _take(self, line: Line, faults: list[Fault]) -> None:
        ledger = self.ledger
        ledger.lines = ledger.lines.plus(line)
        ledger.index.take(line)
        take_measures(ledger, line)
        take = _TAKES.get(line.kind)
        if take is not None:
            take(ledger, line)
        self._mark_unsound(line, faults)
        if "steps" in line.body:
            ledger.shown, ledger.result, ledger.asks = line, line, "due" in line.body
            set_due(ledger, line)
            if not ledger.asks and ledger.reveal == "match":  # no close will ask for the links
                ledger.due = asked_until(ledger, line.at)

    def _mark_unsound(self, line: Line, faults: list[Fault]) -> None:
        if not any(fault.step in (3, 4, 5) for fault in faults):
            return
        number = line.body.get("epoch")
        target = self.ledger.epochs.get(number) if isinstance(number, int) else self.ledger.newest
        if target is not None:
            self.ledger.epochs[target.number] = replace(target, sound=False)


# --- one function for each kind: what is checked, what is taken -------------------------------------------


def _check_ready(ledger: Ledger, line: Line, signatures: bool) -> Iterator[Fault]:
    message = line.body["msg"]
    yield from check_message(ledger, line, "ready", message, signatures=signatures)
    yield from check_link(ledger, line, message["body"])
    seat, newest = Seat(message["body"]["seat"]), ledger.newest
    if newest is not None and newest.number == message["body"]["link"]["epoch"] and seat in newest.links:
        yield Fault(
            line.seq, 3, "again", f"the link of {seat} for epoch {newest.number} stands there already"
        )


def _check_turn(ledger: Ledger, line: Line, signatures: bool) -> Iterator[Fault]:
    message = line.body["msg"]
    body = message["body"]
    yield from check_message(ledger, line, "turn", message, signatures=signatures)
    yield from check_link(ledger, line, body)
    if "steps" not in line.body:
        if body["actions"]:
            yield Fault(line.seq, 8, "steps", "a turn with actions must have a result")
        return
    yield from _check_turn_order(ledger, line, body)
    yield from check_turn_steps(ledger, line)


def _check_turn_order(ledger: Ledger, line: Line, body: JsonObject) -> Iterator[Fault]:
    seat = Seat(body["seat"])
    waiting = ledger.waiting
    if waiting is None or waiting["seat"] != seat:
        asked = waiting["seat"] if waiting else "nobody"
        yield Fault(line.seq, 8, "not-your-turn", f"the match waits for {asked}, not for {seat}")
    if _with_actions(line) and ledger.result and body["seen"]["seq"] < ledger.result.seq:
        yield Fault(line.seq, 2, "stale", f"{seat} had not seen record {ledger.result.seq}")
    if ledger.paused is not None:
        yield Fault(line.seq, 8, "paused", "a turn while the match is paused")
    reason = link_missing(ledger, body)
    if reason:
        yield Fault(line.seq, 3, "link-missing", reason)


def _with_actions(line: Line) -> bool:
    """Whether the turn had actions. Every client seals a list, often an empty one: the record says if it was used."""
    return bool(line.body["msg"]["body"]["actions"] or line.body["applied"] or "stopped" in line.body)


def link_missing(ledger: Ledger, body: JsonObject) -> str:
    """Why this turn is refused for want of a link (schemas/README.md §5); empty if it is not."""
    epoch, seat = ledger.newest, Seat(body["seat"])
    if epoch is None or epoch.opened is not None or epoch.burned or seat not in epoch.seats:
        return ""
    if seat in epoch.links or "link" in body or body["seen"]["seq"] < epoch.announced.seq:
        return ""
    if link_lost(ledger, epoch, seat):
        return ""
    return sentence(
        "{seat} has seen the announcement of epoch {number} and must send its link",
        seat=seat,
        number=epoch.number,
    )


def _check_default(ledger: Ledger, line: Line, _: bool) -> Iterator[Fault]:
    yield from check_default(ledger, line)
    yield from check_step_authors(ledger, line)


def _check_open(ledger: Ledger, line: Line, _: bool) -> Iterator[Fault]:
    yield from check_open(ledger, line)
    yield from check_step_authors(ledger, line)


_AGREED = ("rekey", "reseal", "absence", "pause", "resume", "resign", "propose", "substitute", "rewind")
_CHECKS: dict[str, Callable[[Ledger, Line, bool], Iterator[Fault]]] = (
    {
        "join": lambda ledger, line, s: check_join(ledger, line, line.body["msg"], signatures=s),
        "ready": _check_ready,
        "turn": _check_turn,
        "announce": lambda ledger, line, _: check_announce(ledger, line),
        "open": _check_open,
        "default": _check_default,
        "close": lambda ledger, line, s: check_close(ledger, line, signatures=s),
        "burn": lambda ledger, line, _: check_burn(ledger, line),
        "extend": lambda ledger, line, _: check_extend(ledger, line),
        "end": lambda ledger, line, s: check_end(ledger, line, signatures=s),
    }
    | {kind: (lambda ledger, line, s: check_consent_record(ledger, line, signatures=s)) for kind in _AGREED}
    | {"withdraw": lambda ledger, line, _: check_withdraw(ledger, line)}
)


def take_message(ledger: Ledger, line: Line, file: JsonObject) -> None:
    """What every accepted message changes: number, link, orders, sealed part, and that its seat wrote."""
    body = file["body"]
    seat = Seat(body["seat"])
    player = ledger.players.get(seat)
    if player is None:
        return
    ledger.players[seat] = replace(player, n=max(player.n, body["n"]))
    ledger.messages[body_hash(body)] = line.seq
    settle(ledger, seat, line.seq)
    ledger.silent -= {seat}
    ledger.burned_out -= {seat}
    with_link(ledger, body)
    running = ledger.running
    number = running.number if running else None
    for part in ("sealed", "orders"):
        if part in body:
            size = sealed_size(body[part])
            kept = SealedPart(seat, body["n"], part, body[part], line.seq, number, size, line)
            ledger.unopened[seat, body["n"], part] = kept
            if part == "orders":
                ledger.orders[seat] = kept


def _take_join(ledger: Ledger, line: Line) -> None:
    seat_player(ledger, line, since=1)


def seat_player(ledger: Ledger, line: Line, *, since: int) -> None:
    """Put the sender of a join into his seat; his chain counts from epoch ``since`` on."""
    body = line.body["msg"]["body"]
    seat = Seat(body["seat"])
    recovery = body.get("recovery")
    before = ledger.players[seat].n if seat in ledger.players else 0
    ledger.players[seat] = Player(
        seat,
        body["name"],
        body["lang"],
        unb64(body["sign"], 32),
        unb64(body["seal"], 32),
        max(body["n"], before),
        (ChainRun(unb64(body["anchor"], 32), body["length"], since),),
        unb64(recovery, 32) if recovery else None,
        body.get("contact"),
        body.get("zone"),
    )
    ledger.messages[body_hash(body)] = line.seq
    settle(ledger, seat, line.seq)


def _take_default(ledger: Ledger, line: Line) -> None:
    seat = Seat(line.body["seat"])
    ledger.silent |= {seat}
    epoch = ledger.epochs.get(line.body["epoch"])
    if epoch is not None:
        ledger.epochs[epoch.number] = replace(epoch, defaulted=epoch.defaulted | {seat})


def set_due(ledger: Ledger, line: Line) -> None:
    """From this record on, whoever is awaited has until its ``due``."""
    ledger.due, ledger.asked = line.body.get("due"), line.seq


def _take_announce(ledger: Ledger, line: Line) -> None:
    take_announce(ledger, line)
    if awaited_seat(ledger) is None:
        set_due(ledger, line)


def _take_close(ledger: Ledger, line: Line) -> None:
    for file in line.body.get("consents", ()):
        take_message(ledger, line, file)
    take_close(ledger, line)
    if ledger.reveal == "epoch":
        set_due(ledger, line)


def _take_extend(ledger: Ledger, line: Line) -> None:
    ledger.due = line.body["due"]


def _take_end(ledger: Ledger, line: Line) -> None:
    take_opened(ledger, line)
    ledger.ended = line
    ledger.proposals.clear()  # nobody can carry them out, and nobody has to undo them


def _take_consented(ledger: Ledger, line: Line) -> None:
    if (
        line.kind in ("rekey", "substitute")
        and "proposal" in line.body
        and named_proposal(ledger, line) is None
    ):
        return  # a fault; nobody is put into any seat
    for file in line.body.get("consents", []):
        take_message(ledger, line, file)
    if line.kind == "rekey" and "msg" in line.body:
        take_message(ledger, line, line.body["msg"])
    if line.kind == "substitute":
        newest = ledger.newest
        seat_player(ledger, line, since=newest.number + 1 if newest else 1)
    if line.kind == "resume" and ledger.paused is not None:
        ledger.due = moved(ledger, ledger.due, ledger.paused.at, line.at)
        move_holds(ledger, ledger.paused.at, line.at)
    take_consent_record(ledger, line)


def _take_signed(ledger: Ledger, line: Line) -> None:
    take_message(ledger, line, line.body["msg"])


_TAKES: Mapping[str, Callable[[Ledger, Line], None]] = {
    "join": _take_join,
    "ready": _take_signed,
    "turn": _take_signed,
    "announce": _take_announce,
    "default": _take_default,
    "close": _take_close,
    "burn": take_burn,
    "extend": _take_extend,
    "end": _take_end,
} | dict.fromkeys((*_AGREED, "withdraw"), _take_consented)
