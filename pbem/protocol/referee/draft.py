"""A ruling in the making: lines signed one after the other onto a fork of the record.

``go_on`` writes what follows of itself: the first announcement, the close of an epoch that is over, the opening of
the next once all links are in, the announcement after it, and the end of the match (schemas/README.md §5).
"""

from __future__ import annotations

from collections.abc import Sequence

from pbem.base.errors import FormatError, PbemError
from pbem.base.values import replace
from pbem.game import JsonObject, Seat
from pbem.protocol.crypto.digest import b64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.envelopes import packet_salt, seal_packet
from pbem.protocol.formats.messages import Message, build_reject, read_message
from pbem.protocol.record import Epoch, HostOpenings, Line, Record
from pbem.protocol.record.check_messages import NothingNew, Refusal, has_seen
from pbem.protocol.record.check_results import lasting_facts, packet_plaintext_size, whole_packet_size
from pbem.protocol.record.kinds import FILES
from pbem.protocol.record.kinds.announce import announce
from pbem.protocol.record.kinds.burn import bring_back
from pbem.protocol.record.kinds.close import close, close_and_end
from pbem.protocol.record.kinds.join import JOIN
from pbem.protocol.record.kinds.open import deal
from pbem.protocol.record.kinds.withdraw import withdraw
from pbem.protocol.record.ledger import Ledger
from pbem.protocol.record.line import proves, write_line
from pbem.protocol.record.play import Play
from pbem.protocol.record.takeover import answer_by
from pbem.protocol.record.verifier import BAD_VALUE_ERRORS, Again, UnknownSender, judge
from pbem.protocol.referee import ruling


class Draft:
    """Lines to append, made by the host at time ``at``."""

    def __init__(self, record: Record, host: Identity, at: str, *, extends: bool = False) -> None:
        self.record = record.fork()
        self.host = host
        self.at = max(at, record.head.at)
        self.record.pass_time(self.at, extends=extends)
        self.lines: list[Line] = []

    @property
    def ledger(self) -> Ledger:
        """The match with the lines so far."""
        return self.record.ledger

    @property
    def openings(self) -> HostOpenings:
        """What the host may read."""
        replay = self.record.replay
        if replay is None or not isinstance(replay.openings, HostOpenings):
            raise LookupError("a ruling needs the record loaded with the host's openings")
        return replay.openings

    def add(self, kind: str, members: JsonObject) -> Line:
        """Sign one more record and take it, from its bytes and with every check, as any reader does.

        Where it brings back a seat that the waiting announcement leaves out, a burn and a new one follow at once.

        Nothing that made the line helps to read it: its bytes are read once, by the strict reader, signatures are
        verified and the result is played again. Only what was sealed is not opened a second time, where its very bytes
        were opened to rule (``HostOpenings.open``), and the same signature over the same bytes has the same verdict
        (``crypto.native``). So a ruling hands out no line that a strict reader would not take.

        Raises:
            Unreadable: the line would not be taken; the draft is spent.
        """
        try:
            line = write_line(
                kind, members, self.host, game=self.ledger.game, after=self.ledger.head, at=self.at
            )
            self.record.take_read(line)
        except (*BAD_VALUE_ERRORS, PbemError, RecursionError) as fault:
            raise ruling.Unreadable(kind, self.ledger.head.seq + 1, fault) from fault
        self.lines.append(line)
        if self.ledger.left_out:
            bring_back(self)
        return line

    @property
    def outcome(self) -> JsonObject | None:
        """The outcome by the rules, once the match is decided."""
        return self.record.outcome

    def packet_body(self, seq: int, seat: Seat) -> JsonObject:
        """The packet body of a seat in a record of an epoch that is not closed yet."""
        return self.record.packet_body(seq, seat)

    def accepted(self, sender: Seat | None = None) -> ruling.Accepted:
        """The ruling that commits these lines; ``sender`` is whose file it answers, None if nobody's."""
        return ruling.Accepted(tuple(self.lines), self.record, sender)

    def look_alike(self, name: str, seat: str) -> str:
        """Why nobody may be called so in this seat, in words; empty if somebody may."""
        return ruling.look_alike(self.ledger, name, seat)

    def play(self) -> Play:
        """A play from the present table with the orders in force."""
        replay = self.record.replay
        if replay is None:
            raise LookupError("a ruling needs the record loaded with the host's openings")
        return Play(replay.table, replay.orders(self.ledger))

    def result(self, play: Play, *, wrote: Seat | None = None, failed: Seat | None = None) -> JsonObject:
        """The members of a result: steps, public view, packets, due (schemas/README.md §8)."""
        members: JsonObject = {"steps": play.steps, "public": play.table.public}
        size = packet_plaintext_size(self.ledger, play.steps)
        if size is not None:
            members["packets"] = self._packets(play.bodies(self.record.seats), size, play.table.epoch)
        asks = play.table.asks
        if asks is not None:
            members["due"] = answer_by(self.ledger, asks.seat, self.at, wrote=wrote, failed=failed)
        return members

    def _packets(self, bodies: dict[Seat, JsonObject], size: int, epoch: int) -> JsonObject:
        seed = self.openings.seed(epoch)
        return {seat: self.packet(seat, body, size, seed) for seat, body in bodies.items()}

    def packet(
        self, seat: Seat, body: JsonObject, size: int, seed: bytes, seal: bytes | None = None
    ) -> JsonObject:
        """One sealed packet of the record that comes next, in an epoch with this seed."""
        game, seq = self.record.game, self.ledger.head.seq + 1
        salt = packet_salt(seed, game, seq, seat)
        public = self.ledger.players[seat].seal if seal is None else seal
        return seal_packet(game, seq, seat, public, salt, body, size)

    def whole_packet(self, seat: Seat, seal: bytes | None = None) -> JsonObject:
        """``epoch`` and ``packets`` of a rekey, substitute or reseal: all that the seat was dealt."""
        running = self.ledger.running
        live = running if running is not None and running.closed is None else None
        members: JsonObject = {"epoch": running.number if running else 0}
        size = whole_packet_size(self.ledger, live, seat)
        if not self.record.rules.has_secrets or size is None:
            return members
        body = self._shown_so_far(live, seat)
        members["packets"] = {seat: self.packet(seat, body, size, self.openings.seed(members["epoch"]), seal)}
        return members

    def _shown_so_far(self, epoch: Epoch | None, seat: Seat) -> JsonObject:
        bodies = [self.record.packet_body(line.seq, seat) for line in epoch.results] if epoch else []
        return {
            "draws": [draw for body in bodies for draw in body["draws"]],
            "facts": lasting_facts(fact for body in bodies for fact in body["facts"]),
        }

    def go_on(self) -> None:
        """Write everything that follows without anybody's file."""
        ledger = self.ledger
        if ledger.complete and not ledger.epochs:
            announce(self)
        while self._advance():
            pass

    def _advance(self) -> bool:
        ledger = self.ledger
        running, newest = ledger.running, ledger.newest
        if ledger.ended is not None or newest is None or ledger.paused is not None:
            return False
        if running is not None and running.closed is None and self.record.table.epoch_over:
            if self.outcome is not None:
                close_and_end(self, {"outcome": self.outcome})
                return False
            if ledger.reveal == "epoch":
                close(self, running)
                return True
        between = running is None or running.closed is not None or self._over_unclosed(running)
        if between and newest.opened is None and not newest.burned and not newest.missing:
            deal(self, newest)
            return True
        return False

    def _over_unclosed(self, running: Epoch) -> bool:
        return self.ledger.reveal == "match" and self.record.table.epoch_over and running.closed is None


# --- receive ----------------------------------------------------------------------------------------------
#
# Ruling on one file of a player: its form, what everybody can see of it, then what the host alone can
# add.
#
# Form is size, strict JSON and schema. What everybody can see is ``pbem.protocol.record.verifier``. Here the
# file becomes a record, or the host's signed ``reject`` (schemas/README.md §9).


def receive(
    record: Record, host: Identity, raw: bytes, at: str, consents: Sequence[JsonObject] = ()
) -> ruling.Ruling:
    """Rule on the bytes of one file.

    Args:
        record: the match, loaded with the host's openings; it is not changed.
        host: the host's identity.
        raw: the file as it came.
        at: the time now, as records write it.
        consents: consent files stored before (see ``Held``).

    Returns:
        What to append and answer. The caller commits ``Accepted.lines`` before anything is sent.
    """
    try:
        message = read_message(raw)
    except FormatError as error:
        return ruling.Refused("malformed", str(error))
    return rule_message(record, host, message, at, consents)


def rule_message(
    record: Record, host: Identity, message: Message, at: str, consents: Sequence[JsonObject] = ()
) -> ruling.Ruling:
    """``receive`` for a message whose form is known to be good."""
    record = record.as_of(max(at, record.head.at))
    departed = departed_from(record, message)
    if departed is not None:
        return departed
    try:
        judged = judge(record.ledger, message)
        if isinstance(judged, UnknownSender):
            return ruling.Ignored(judged.reason, taken=judged.taken)
        if isinstance(judged, Again):
            return ruling.Repeated(judged.line, Seat(message.seat))
        if isinstance(judged, NothingNew):
            unchanged = ruling.Unchanged(judged.line, Seat(message.seat), judged.sentence)
            return _with_withdrawal(record, host, message, at, unchanged)
        answer = _ruled(record, host, message, at, consents)
    except Refusal as refusal:
        answer = refused(record, host, message, at, refusal)
    except ruling.Unreadable as fault:
        answer = _quarantined(message, fault)
    return _with_withdrawal(record, host, message, at, answer)


def _ruled(
    record: Record, host: Identity, message: Message, at: str, consents: Sequence[JsonObject]
) -> ruling.Ruling:
    seat, rule = Seat(message.seat), FILES[message.kind].rule
    if rule is None:
        return ruling.Unrecorded(seat)
    draft = Draft(record, host, at)
    awaits = rule(draft, message, consents)
    return draft.accepted(seat) if awaits is None else ruling.Held(seat, awaits.terms, awaits.missing)


def _quarantined(message: Message, fault: ruling.Unreadable) -> ruling.Quarantined:
    text = f"{message.kind} {message.n} of {message.seat} ({b64(message.hash)}): {fault}"
    return ruling.Quarantined(Seat(message.seat), text)


def _with_withdrawal(
    record: Record, host: Identity, message: Message, at: str, answer: ruling.Ruling
) -> ruling.Ruling:
    """The answer with a record that withdraws what was proposed about the seat, if it signed a file that none holds.

    A join proves nothing about who sits there now, and an old file that is in the record already can come from anybody.
    """
    proposal = record.ledger.proposals.get(Seat(message.seat))
    if (
        proposal is None
        or message.kind == JOIN.name
        or not isinstance(
            answer, (ruling.Refused, ruling.Held, ruling.Quarantined, ruling.Unchanged, ruling.Unrecorded)
        )
    ):
        return answer
    draft = Draft(record, host, at)
    try:
        withdraw(draft, proposal)
    except ruling.Unreadable as fault:
        return _quarantined(message, fault)
    return replace(answer, withdrawn=draft.accepted())


def departed_from(record: Record, message: Message) -> ruling.Departed | None:
    """Whether the message has seen what its host signed and this record does not hold (schemas/README.md §6).

    Whoever sent it, this proves that the record is not the newest one: what is signed now would be a second history.
    """
    seen = message.body.get("seen")
    if message.game != record.game or message.seat not in record.seats or seen is None:
        return None
    if has_seen(record.ledger, seen) or not proves(record.game, record.ledger.host_sign, seen):
        return None
    return ruling.Departed(Seat(message.seat), seen, forked=message.seen_seq <= record.head.seq)


def refused(record: Record, host: Identity, message: Message, at: str, refusal: Refusal) -> ruling.Refused:
    """The refusal with the host's signed ``reject`` (schemas/README.md §9): rows only for a fault in an open action."""
    reject = build_reject(
        host,
        message,
        code=refusal.code,
        head=record.head.reference,
        at=max(at, record.head.at),
        action=refusal.action,
        rules=refusal.rules if refusal.action is not None else None,
    )
    return ruling.Refused(
        refusal.code,
        str(refusal),
        Seat(message.seat),
        refusal.rules,
        refusal.action,
        reject,
        sealed=refusal.sealed,
    )
