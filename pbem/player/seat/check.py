"""Checking a file before it is sent: what the host will say, as far as the player's copy and own view reach.

What everybody can see is judged by the very function that the host calls (``pbem.protocol.record.verifier``): the same
code, the same sentence, the same place. Here only what the seat alone can add: whether its actions are legal in its
own view. What the host alone can judge is said in notes and not guessed: whether sealed parts open, what follows
after something new is shown, their clock, and records that have not arrived yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pbem.base.sentences import Sentence, joined, sentence, term
from pbem.base.values import dataclass
from pbem.game import JsonObject, Seat
from pbem.protocol.client import SeatView, check_actions
from pbem.protocol.formats.messages import Message, read_message
from pbem.protocol.record import Record
from pbem.protocol.record.check_messages import NothingNew, Refusal, placed
from pbem.protocol.record.kinds.consent import CONSENT, check_in_time
from pbem.protocol.record.kinds.retake import join_fault, retake_fault
from pbem.protocol.record.kinds.turn import check_acting, check_may_act, check_quiet
from pbem.protocol.record.verifier import Again, UnknownSender, judge


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

    def words(self) -> Sentence:
        """The verdict for a person."""
        name = sentence("{kind} {n} of {seat}", kind=term(self.kind), n=self.n, seat=self.seat)
        notes = [sentence("note: {note}", note=note) for note in self.notes]
        said: tuple[str, ...] = (sentence("nothing wrong that can be seen from here"),)
        if not self.ok:
            said = (placed(self.sentence, self.rules, self.action),)
        return joined((joined((name, *said), ": "), *notes), "\n")

    def to_json(self) -> JsonObject:
        """For programs: ``action`` is counted from 0."""
        facts: JsonObject = {"ok": self.ok, "kind": self.kind, "seat": self.seat, "n": self.n}
        if self.code:
            facts |= {"code": self.code, "text": self.sentence, "rules": list(self.rules)}
        if self.action is not None:
            facts["action"] = self.action
        return facts | {"notes": list(self.notes)}


def check_file(
    record: Record,
    raw: bytes,
    view: SeatView | None = None,
    sealed: Sequence[JsonObject] | None = None,
    *,
    at: str = "",
) -> Verdict:
    """What the host would say to ``raw`` now.

    Args:
        record: the player's verified copy.
        raw: the file.
        view: the seat's own view, if its identity is at hand; without it legality is not judged.
        sealed: the file's sealed actions, from the player's own copies, if they are there.
        at: the time now, as records write it: a pause that ended by then is over. Else the last record's.

    Raises:
        FormatError: it is no file of a known kind; the message is what the host says of it (``malformed``).
    """
    message = read_message(raw)
    at = max(at, record.head.at)
    record = record.as_of(at)
    head = message.kind, message.seat, message.n
    try:
        judged = judge(record.ledger, message)
        if isinstance(judged, UnknownSender) and not _takes_again(record, message):
            return Verdict(*head, "ignored", judged.reason)
        if isinstance(judged, Again):
            text = sentence("this very file is in the record already; the host would send its receipt again")
            return Verdict(*head, notes=(text,))
        if isinstance(judged, NothingNew):
            return Verdict(*head, notes=(judged.sentence,))
        if "name" in message.body:
            _check_name(record, message)
        if message.kind == CONSENT.name:
            check_in_time(record.ledger, message, at)
        notes = _check_turn(record, message, view, sealed) if message.kind == "turn" else []
    except Refusal as fault:
        return Verdict(*head, fault.code, str(fault), fault.rules, fault.action)
    return Verdict(*head, notes=tuple(notes))


def _takes_again(record: Record, message: Message) -> bool:
    """Whether this may be a seat that its own link takes again: its proof is for the host, who has the code."""
    ledger, body = record.ledger, message.body
    return "proof" in body and not retake_fault(ledger, Seat(message.seat)) and not join_fault(ledger, body)


def _check_name(record: Record, message: Message) -> None:
    """Whether the host's program would take the name: their policy, but nothing in it is hidden."""
    from pbem.protocol.referee.ruling import look_alike

    reason = look_alike(record.ledger, message.body["name"], message.seat)
    if reason:
        raise Refusal("malformed", reason)


def _check_turn(
    record: Record, message: Message, view: SeatView | None, sealed: Sequence[JsonObject] | None
) -> list[str]:
    unread = sealed is None and "sealed" in message.body
    notes: list[str] = [sentence("what it seals was not checked")] if unread else []
    actions = [*message.body["actions"], *(sealed or ())]
    if not actions:
        check_quiet(record.ledger, message)
        return notes
    check_acting(record.ledger, message)
    if view is None or view.seat != message.seat:
        return [*notes, sentence("whether its actions are legal needs the view of its seat")]
    return notes + _check_legal(record, view, actions)


def _check_legal(record: Record, view: SeatView, actions: Sequence[JsonObject]) -> list[str]:
    """Try the actions one by one; raise for the first that is not allowed, say from where on it is unknown."""
    checked_actions = check_actions(record.rules, view.view, view.seat, actions)
    if checked_actions.fault:
        raise Refusal(
            checked_actions.code,
            checked_actions.fault,
            rules=checked_actions.rules,
            action=checked_actions.checked,
        )
    if checked_actions.checked < len(actions):
        until = checked_actions.open_until or "more is known"
        return [f"{checked_actions.checked} of {len(actions)} actions checked; the rest depends on {until}"]
    return []


class ActionsVerdict(NamedTuple):
    """The refusal that some actions would meet, both empty if none; and what stays open."""

    code: str
    fault: str
    notes: list[str]


def refusal_of(record: Record, view: SeatView, actions: Sequence[JsonObject]) -> ActionsVerdict:
    """What a host would say of these actions now."""
    try:
        check_may_act(record.ledger, view.seat)
        return ActionsVerdict("", "", _check_legal(record, view, actions))
    except Refusal as fault:
        return ActionsVerdict(fault.code, placed(str(fault), fault.rules, fault.action), [])
