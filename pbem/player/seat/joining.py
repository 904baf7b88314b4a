"""Which seat a person joins by an invitation, and what the join says."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.game import Json, JsonObject, Seat
from pbem.player.seat.client import PlayerClient
from pbem.player.seat.moments import read_moment, wall_of
from pbem.player.seat.sent_files import Signed
from pbem.player.store.keyring import file_name_for
from pbem.protocol.formats.identity_file import Header
from pbem.protocol.record import Record
from pbem.protocol.record.agreement import TERMS_MEMBERS
from pbem.protocol.record.deadlines import plus_hours
from pbem.protocol.record.kinds.agreements import AGREEMENTS, untimely
from pbem.protocol.record.kinds.pause import PAUSE, USUAL


@dataclass(frozen=True, slots=True)
class JoinWishes:
    """What a join can say; what is None is as in the join that was signed before, else as usual."""

    name: str | None = None
    lang: str | None = None
    mail: str | None = None
    zone: str | None = None


def seat_to_join(record: Record, invite: Path, letter: str, person: str, asked: str | None) -> Seat:
    """The seat: the one that was asked for, else that of the email, else the one that is called like the person.

    ``letter`` is the seat that the invitation is for; empty if it does not say.

    Raises:
        UsageProblem: none of these says it.
    """
    chosen = (asked or "").lower() or letter or _seat_like(person, record)
    if chosen is None:
        raise UsageProblem(
            sentence("{invite} does not say which seat is yours", invite=invite),
            hint=sentence("Say it: --seat {names}", names="|".join(record.seats)),
        )
    return Seat(chosen)


def sign_join(
    client: PlayerClient,
    header: Header,
    seat: Seat,
    wishes: JoinWishes,
    *,
    lang: str,
    substitute: bool = False,
    word: str | None = None,
    again: bool = False,
) -> Signed:
    """A signed join. What the wishes leave open is as in the join that was signed before, else as usual.

    Args:
        client: the person's client at the invitation.
        header: the head of their identity file.
        seat: the seat.
        wishes: what they said.
        lang: the language of their emails, if neither they nor an earlier join says one.
        substitute: they follow somebody in the seat.
        word: the invite code.
        again: yes to signing once more what has no answer yet.

    Raises:
        AlreadySigned: the same join has no answer yet, and ``again`` is False.
    """
    before = client.kept_join(seat)
    last = before.page.wish if before is not None else {}
    return client.join(
        seat,
        name=wishes.name or last.get("name") or header.name,
        lang=wishes.lang or last.get("lang") or lang,
        mail=wishes.mail or last.get("mail") or None,
        recovery=header.recovery,
        substitute=substitute,
        word=word,
        zone=wishes.zone or last.get("zone") or None,
        again=again,
    )


def _seat_like(person: str, record: Record) -> str | None:
    """The seat that is called like this person."""
    try:
        name = file_name_for(person)
    except UsageProblem:
        return None
    return name if name in record.seats else None


# --- what a consent agrees to, from the words of a person -------------------------------------------------


def consent_to(client: PlayerClient, kind: str, members: Sequence[str]) -> JsonObject:
    """The terms of a consent from ``member=value`` words; the own seat is the default for an absence.

    A pause is said to the minute, "now" too, so that all agree to one moment; without an end it has the usual one.
    """
    if kind not in TERMS_MEMBERS:
        raise UsageProblem(
            sentence("there is nothing called {kind!r} to agree to", kind=kind),
            hint=sentence("There are: {names}.", names=", ".join(sorted(TERMS_MEMBERS))),
        )
    terms: JsonObject = {"kind": kind}
    for text in members:
        member, sign, value = text.partition("=")
        if not sign:
            raise UsageProblem(sentence("expected MEMBER=VALUE, found {text!r}", text=text))
        terms[member] = _member(client, member, value)
    required, optional = TERMS_MEMBERS[kind]
    if "seat" in required and AGREEMENTS[kind].rule == "seat":
        terms.setdefault("seat", client.seat)
    if kind == PAUSE.name:
        until = str(terms.get("until", plus_hours(client.clock(), USUAL)))
        terms["until"] = f"{until[:-3]}00Z"
    missing, unknown = required - set(terms), set(terms) - {"kind"} - required - optional
    if missing or unknown:
        wanted = ", ".join(f"{name}=..." for name in sorted(required | optional)) or "-"
        raise UsageProblem(
            sentence(
                "{kind} takes {wanted}; found {names}",
                kind=kind,
                wanted=wanted,
                names=", ".join(sorted(set(terms) - {"kind"})) or "-",
            )
        )
    reason = untimely(client.record.ledger, terms, client.clock())
    if reason:
        raise UsageProblem(reason)
    return terms


def absence_of(client: PlayerClient, begin: str, until: str) -> JsonObject:
    """The terms of a consent to one's own absence, from words of a person.

    Raises:
        UsageProblem: it is over before it counts, or ends before it begins.
    """
    terms = consent_to(client, "absence", [f"from={begin}", f"until={until}"])
    if terms["until"] <= client.clock():
        raise UsageProblem(
            sentence("those dates are in the past: {begin} to {until}", begin=begin, until=until)
        )
    if terms["until"] <= terms["from"]:
        raise UsageProblem(
            sentence("the end, {until}, is not after the beginning, {begin}", begin=begin, until=until)
        )
    return terms


def _member(client: PlayerClient, member: str, value: str) -> Json:
    if member == "to":
        return _record_reference(client, value)
    if member == "length":
        return _whole(value)
    if member not in ("from", "until"):
        return value
    wall = wall_of(client.record.ledger.deadlines)
    return read_moment(value, client.clock(), wall, ends=member == "until")


def _record_reference(client: PlayerClient, value: str) -> JsonObject:
    line = client.record.ledger.line_at(_whole(value))
    if line is None:
        raise UsageProblem(sentence("there is no record {value} in your copy", value=value))
    return line.reference


def _whole(value: str) -> int:
    if not value.isdecimal():
        raise UsageProblem(sentence("expected a number, found {value!r}", value=value))
    return int(value)
