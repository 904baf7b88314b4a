"""What a host does at a match of their own accord, in one place for a folder's client and a service's."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Final

from pbem.base.errors import PbemError, UsageProblem
from pbem.base.sentences import sentence, term
from pbem.game import JsonObject, Seat
from pbem.host.reminders import Wishes, next_look, reminders_due
from pbem.host.store import Act, MatchStore, Outcome
from pbem.player.letters.letter import Kind, who_hears
from pbem.player.mail.outgoing import check_address
from pbem.protocol import referee
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.envelopes import verify_file
from pbem.protocol.formats.messages import Message, read_message
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import Record
from pbem.protocol.record.check_messages import newest_number, signing_key
from pbem.protocol.record.kinds import KINDS
from pbem.protocol.record.kinds.burn import seats_to_burn
from pbem.protocol.record.kinds.default import default_fault
from pbem.protocol.record.kinds.end import END
from pbem.protocol.record.takeover import completion_fault, host_must_act
from pbem.protocol.record.verifier import brings_somebody
from pbem.protocol.referee import Accepted


class HostActs:
    """A host with a client; ``_act`` opens the store, does it, and commits."""

    host: Identity

    def _act(self, act: Act) -> Outcome:
        raise NotImplementedError

    def _opened(self) -> AbstractContextManager[MatchStore]:
        """The store of the match, under their lock or in one transaction."""
        raise NotImplementedError

    def wishes(self) -> Wishes:
        """When each seat that has said so is reminded."""
        with self._opened() as store:
            return store.wishes()

    def wish(self, seat: Seat, hours: Sequence[int]) -> None:
        """Change when a seat is reminded."""
        with self._opened() as store:
            store.wish(seat, hours)

    def discreet(self) -> Sequence[str]:
        """The seats whose emails keep results out of their subjects."""
        with self._opened() as store:
            return store.contacts.discreet

    def show_results(self, seat: Seat, *, shown: bool) -> None:
        """Whether the subjects of this seat's emails show results."""
        with self._opened() as store:
            store.note_contacts(store.contacts.with_results(seat, shown=shown))

    def observers(self) -> Sequence[str]:
        """Who reads along."""
        with self._opened() as store:
            return store.observers()

    def observe(self, address: str, *, remove: bool = False) -> None:
        """Let somebody read along, who gets the whole match so far; or no more."""
        with self._opened() as store:
            observers = store.observers()
            if remove:
                store.let_go(check_address(address))
            elif (plain := admitted(address, observers)) not in observers:
                store.let_in(plain)

    def default(self, seat: Seat) -> Outcome:
        """Play the default of an overdue seat; ``RefusedError`` unless due."""
        return self._act(lambda record, at, _: referee.perform_default(record, self.host, seat, at))

    def extend(self, seat: Seat, due: str) -> Outcome:
        """Give the awaited seat time until ``due``."""
        return self._act(lambda record, at, _: referee.extend(record, self.host, seat, due, at))

    def burn(self) -> Outcome:
        """Burn the announced epoch of a missing seat; ``RefusedError`` unless due."""
        return self._act(lambda record, at, _: referee.burn(record, self.host, at))

    def end(self, why: str | None = None) -> Outcome:
        """End the match by the consents that were sent in; without ``why`` for the reason that most of them give."""
        return self._act(
            lambda record, at, kept: referee.end_early(
                record, self.host, _reason(kept) if why is None else why, kept, at
            )
        )

    def reseal(self, seat: Seat) -> Outcome:
        """Seal again what a seat learned in the running epoch."""
        return self._act(lambda record, at, _: referee.reseal(record, self.host, seat, at))

    def carry_out(self, seat: Seat) -> Outcome:
        """Give the seat the keys that are proposed for it, once the hold is over."""
        return self._act(lambda record, at, _: referee.carry_out(record, self.host, seat, at))

    def withdraw(self, seat: Seat) -> Outcome:
        """Take back what is proposed about a seat."""
        return self._act(lambda record, at, _: referee.withdraw(record, self.host, seat, at))

    def substitute(self, raw: bytes) -> Outcome:
        """Put the signer of this join into their seat, or propose it; those who must have consented."""
        message = read_message(raw)
        if not brings_somebody(message):
            raise UsageProblem(
                sentence("expected the join of the new player, found: {kind}", kind=term(message.kind))
            )

        def put(record: Record, at: str, kept: Sequence[JsonObject]) -> Accepted:
            if message.game != record.game or message.seat not in record.seats:
                raise UsageProblem(sentence("this join is for another match or seat"))
            return referee.substitute(record, self.host, message, kept, at)

        return self._act(put)


# Consents that wait for others: in the host's private part until all who must agree have
# (schemas/README.md §7).


def agreed(files: Iterable[JsonObject]) -> list[JsonObject]:
    """What these consents agree to, and whose they are."""
    agreements: dict[bytes, JsonObject] = {}
    for file in files:
        terms = file["body"]["what"]
        entry = agreements.setdefault(canon(terms), {"what": terms, "seats": []})
        entry["seats"].append(file["body"]["seat"])
    return list(agreements.values())


def _reason(files: Sequence[JsonObject]) -> str:
    """Why the match is to end, as most of the consents to it say; nothing if they give no reason."""
    ends = [entry for entry in agreed(files) if entry["what"]["kind"] == END.name]
    return str(max(ends, key=lambda entry: len(entry["seats"]))["what"].get("why", "")) if ends else ""


def still_counts(record: Record, message: Message) -> bool:
    """Whether a kept consent may still be used: its number is not used up, and its signer sits there now."""
    player = record.ledger.players.get(Seat(message.seat))
    if player is None or message.n <= newest_number(player, message.file) or message.game != record.game:
        return False
    try:
        verify_file(message.kind, message.file, signing_key(player, message.file))
    except PbemError:
        return False
    return True


# Observers: people who read along. They get what everybody may know, the public emails and no one's own.
#
# Their addresses stand in the host's store, never in a record. A public email is one that goes to all
# seats (the start, the end of a turn, of a hand, of the match, a notice for all); it is written for
# nobody's seat, and the attached lines are those that anybody may have.

MOST: Final = 50
"""People who may read along in one match."""
_PUBLIC: Final = frozenset({Kind.STARTED, Kind.TURN_END, Kind.HAND_END, Kind.MATCH_END, Kind.NOTICE})


def admitted(address: str, observers: Collection[str]) -> str:
    """The address of somebody who may read along beside those who do, in plain form.

    Raises:
        UsageProblem: it is no mail address, or there are too many.
    """
    plain = check_address(address)
    if plain not in observers and len(observers) >= MOST:
        raise UsageProblem(sentence("a match has at most {most} spectators", most=MOST))
    return plain


def public_kind(record: Record, first: int, last: int) -> Kind | None:
    """The kind of the public email that records ``first`` to ``last`` cause; None if they concern single seats only.

    It is what a seat hears that neither sent the file nor is asked: the least that goes to anybody, if it goes to all.
    """
    if first == 0:
        return None
    heard: dict[Seat, Kind] = dict(who_hears(record, first, last, None))
    kinds = [kind for kind in heard.values() if kind in _PUBLIC]
    return kinds[0] if len(heard) == len(record.seats) and kinds else None


# What a clock makes due: the next act of a host who is on time, for services and for ``pbem host tick``.
#
# One act at a time, since each changes what is due next. Order: what follows of itself, then a takeover
# whose hold is over, then a default, then a burn.


def next_act(
    record: Record, host: Identity, at: str, joins: Mapping[Seat, bytes] | None = None
) -> referee.Accepted | None:
    """The next record that is due at ``at``; None if nothing is, or if nobody is left to play for.

    ``joins`` are those of newcomers who wait for a seat that is proposed for them.

    When all seats are silent or have resigned, a match would go on by defaults alone, perhaps for ever: it waits
    until somebody writes.
    """
    at = max(at, record.head.at)
    now = record.as_of(at)
    ledger = now.ledger
    if now.over or not ledger.complete:
        return None
    accepted = referee.carry_on(now, host, at)
    if accepted is not None:
        return accepted
    takeover = _takeover(now, host, at, joins or {})
    if takeover is not None:
        return takeover
    if all(seat in ledger.silent or seat in ledger.resigned for seat in now.seats):
        return None
    waiting = now.waiting
    if waiting is not None:
        seat = Seat(waiting["seat"])
        return None if default_fault(ledger, seat, at) else referee.perform_default(now, host, seat, at)
    return referee.burn(now, host, at) if seats_to_burn(ledger, at) else None


def quiet_until(record: Record, host: Identity, wishes: Wishes, now: str) -> str:
    """When the clock may make something due in a match that has just gone on; empty if that may be at once.

    A fault of this program is met then by whoever keeps the time, not by the file that brought the record.
    """
    if record.head.at > now or record.ledger.proposals or reminders_due(record, wishes, "", now):
        return ""
    try:
        due = next_act(record, host, now) is not None
    except Exception:  # noqa: BLE001 - whatever it is, it must not keep a good file from being recorded
        due = True
    return "" if due else next_look(record, wishes, now)


def _takeover(
    record: Record, host: Identity, at: str, joins: Mapping[Seat, bytes]
) -> referee.Accepted | None:
    """A proposal carried out after its hold. In a match of two seats it waits for the host's own command."""
    for seat, proposal in sorted(record.ledger.proposals.items()):
        comes = seat in joins or not KINDS[proposal.what["kind"]].newcomer
        if (
            proposal.counts
            or host_must_act(record.ledger)
            or not comes
            or completion_fault(record.ledger, proposal, at)
        ):
            continue
        join = read_message(joins[seat]) if seat in joins else None
        try:
            return referee.carry_out(record, host, seat, at, join, by_hand=False)
        except PbemError:  # the newcomer's join does not fit; the operator sees why when they try
            continue
    return None
