"""Checking a file before it is sent, with the rules the host uses, as far as the own view reaches (DESIGN §6).

The order is the referee's (protocol §4.1, §4.3): form, match, seat, signature, number, what it had seen, link, whose
turn, then the actions. What the host alone can judge (sealed actions after a look) is said, not guessed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pbem.client import SeatView, check_actions
from pbem.crypto.digest import unb64
from pbem.errors import PbemError
from pbem.formats.messages import Message, check_keys, read_message
from pbem.formats.signed import verify_file
from pbem.game import JsonObject, MalformedAction, Seat
from pbem.record import Record
from pbem.record.check_consents import what_fault
from pbem.record.check_messages import link_fault, signing_key
from pbem.record.verifier import link_missing
from pbem.sentences import sentence, term


@dataclass(frozen=True, slots=True)
class Verdict:
    """``code`` is empty if the host would accept; ``notes`` say what could not be checked."""

    kind: str
    seat: str
    n: int
    code: str = ""
    sentence: str = ""
    rules: tuple[str, ...] = ()
    action: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong as far as can be seen."""
        return not self.code

    def to_json(self) -> JsonObject:
        """For programs."""
        told: JsonObject = {"ok": self.ok, "kind": self.kind, "seat": self.seat, "n": self.n}
        if self.code:
            told |= {"code": self.code, "text": self.sentence, "rules": list(self.rules)}
        if self.action is not None:
            told["action"] = self.action
        return told | {"notes": list(self.notes)}


class _Fault(Exception):
    def __init__(
        self, code: str, sentence: str, rules: Sequence[str] = (), action: int | None = None
    ) -> None:
        super().__init__(sentence)
        self.code = code
        self.rules = tuple(rules)
        self.action = action


def check_file(
    record: Record, raw: bytes, view: SeatView | None = None, sealed: Sequence[JsonObject] | None = None
) -> Verdict:
    """What the host would say to ``raw`` now.

    Args:
        record: the player's verified copy.
        raw: the file.
        view: the seat's own view, if its identity is at hand; without it legality is not judged.
        sealed: the file's sealed actions, from the player's own copies, if they are there.

    Raises:
        FormatError: it is no file of a known kind; the message says where.
    """
    message = read_message(raw)
    notes: list[str] = []
    try:
        _check_sender(record, message)
        if record.earlier_line(message.hash) is not None:
            notes.append(
                sentence("this very file is in the record already; the host would send its receipt again")
            )
        else:
            _check_time(record, message)
            _CHECKS.get(message.kind, _nothing)(record, message)
            if message.kind == "turn":
                notes += _check_turn(record, message, view, sealed)
    except _Fault as fault:
        return Verdict(
            message.kind, message.seat, message.n, fault.code, str(fault), fault.rules, fault.action
        )
    return Verdict(message.kind, message.seat, message.n, notes=tuple(notes))


def _check_sender(record: Record, message: Message) -> None:
    if message.kind == "reject":
        raise _Fault("ignored", sentence("a reject is the host's own word, not a player's file"))
    if message.game != record.game:
        raise _Fault("ignored", sentence("it is for another match"))
    if message.seat not in record.seats:
        raise _Fault("ignored", sentence("this match has no seat {seat}", seat=message.seat))
    player = record.ledger.players.get(Seat(message.seat))
    if player is None and message.kind != "join":
        raise _Fault("ignored", sentence("nobody has joined as {seat} yet", seat=message.seat))
    try:
        if message.kind == "join":
            key = unb64(message.body["sign"], 32)
        elif player is not None:
            key = signing_key(player, message.kind, message.file)
        verify_file(message.kind, message.file, key)
    except PbemError as fault:
        raise _Fault("ignored", sentence("its signature does not hold: {fault}", fault=fault)) from fault


def _check_time(record: Record, message: Message) -> None:
    player = record.ledger.players.get(Seat(message.seat))
    if message.kind == "join" and player is not None:
        raise _Fault("ignored", sentence("the seat {seat} is taken", seat=message.seat))
    if message.kind != "join" and player is not None and message.n <= player.n:
        raise _Fault(
            "stale",
            sentence("it is number {n}, but number {n2} is in the record already", n=message.n, n2=player.n),
        )
    known = record.ledger.line_at(message.seen_seq)
    if known is None:
        raise _Fault(
            "stale",
            sentence(
                "it had seen record {seen_seq}, which your copy does not have yet", seen_seq=message.seen_seq
            ),
        )
    if known.hash != message.seen_line:
        raise _Fault(
            "stale",
            sentence("it had seen another record {seen_seq} than your copy's", seen_seq=message.seen_seq),
        )
    if record.over:
        raise _Fault("match-over", sentence("the match has ended"))
    link = message.body.get("link")
    reason = link_fault(record.ledger, Seat(message.seat), link, message.seen_seq) if link else ""
    if reason:
        raise _Fault("bad-link", reason)


def _check_join(_: Record, message: Message) -> None:
    try:
        check_keys(message)
    except PbemError as fault:
        raise _Fault("malformed", str(fault)) from fault


def _check_consent(record: Record, message: Message) -> None:
    reason = what_fault(record.ledger, message.body["what"])
    if reason:
        raise _Fault("illegal", reason)


def _nothing(_: Record, __: Message) -> None:
    """Nothing more is asked of this kind."""


_CHECKS = {"join": _check_join, "rekey": _check_join, "consent": _check_consent}


def _check_turn(
    record: Record, message: Message, view: SeatView | None, sealed: Sequence[JsonObject] | None
) -> list[str]:
    openly = message.body["actions"]
    _check_open(record, openly)
    hidden = list(sealed or ())
    if not openly and not hidden:
        return []
    check_may_act(record, Seat(message.seat), message.seen_seq)
    missing = link_missing(record.ledger, message.body)
    if missing:
        raise _Fault("link-missing", missing)
    notes = (
        []
        if sealed is not None or "sealed" not in message.body
        else [sentence("what it seals was not checked")]
    )
    if view is None or view.seat != message.seat:
        return [*notes, sentence("whether its actions are legal needs the view of its seat")]
    return notes + check_legal(record, view, [*openly, *hidden])


def _check_open(record: Record, openly: Sequence[JsonObject]) -> None:
    for index, written in enumerate(openly):
        try:
            action = record.rules.action_from_json(written)
        except MalformedAction as fault:
            raise _Fault(
                "malformed",
                sentence("action {index}: {fault}", index=index + 1, fault=fault),
                fault.rules,
                index,
            ) from fault
        if record.rules.is_secret(action):
            raise _Fault(
                "must-be-sealed",
                sentence("action {index} tells a secret and stands open", index=index + 1),
                (),
                index,
            )


def check_may_act(record: Record, seat: Seat, seen: int | None = None) -> None:
    """Raise unless the match waits for this seat, and it has seen the newest result."""
    ledger = record.ledger
    if record.over:
        raise _Fault("match-over", sentence("the match has ended"))
    if ledger.paused is not None:
        raise _Fault("paused", sentence("the match is paused"))
    waiting = record.waiting
    if waiting is None or waiting["seat"] != seat:
        if waiting is None:
            raise _Fault("not-your-turn", sentence("the match waits for nobody, not for {seat}", seat=seat))
        asked, phase = waiting["seat"], term(waiting["phase"])
        raise _Fault(
            "not-your-turn",
            sentence(
                "the match waits for {asked} ({phase}), not for {seat}", asked=asked, phase=phase, seat=seat
            ),
        )
    if seen is not None and ledger.result is not None and seen < ledger.result.seq:
        raise _Fault(
            "stale",
            sentence(
                "it had seen record {seen}, but record {seq} changed the position",
                seen=seen,
                seq=ledger.result.seq,
            ),
        )


def check_legal(record: Record, view: SeatView, actions: Sequence[JsonObject]) -> list[str]:
    """Try the actions one by one; raise for the first that is not allowed, say from where on it is unknown."""
    found = check_actions(record.rules, view.view, view.seat, actions)
    if found.fault:
        rows = f" [{', '.join(found.rules)}]" if found.rules else ""
        raise _Fault(
            "illegal",
            sentence(
                "action {checked}: {fault}{rows}", checked=found.checked + 1, fault=found.fault, rows=rows
            ),
            found.rules,
            found.checked,
        )
    if found.checked < len(actions):
        until = found.open_until or "more is known"
        return [f"{found.checked} of {len(actions)} actions checked; the rest depends on {until}"]
    return []


def check_before_signing(record: Record, view: SeatView, actions: Sequence[JsonObject]) -> list[str]:
    """The same for actions that are not signed yet; raises ``_Fault`` like the rest (see ``fault_of``)."""
    check_may_act(record, view.seat)
    return check_legal(record, view, actions)


def refusal_of(record: Record, view: SeatView, actions: Sequence[JsonObject]) -> tuple[str, str, list[str]]:
    """Code and sentence of the refusal these actions would meet, both empty if none; and what stays open."""
    try:
        return "", "", check_before_signing(record, view, actions)
    except _Fault as fault:
        return fault.code, str(fault), []
