"""What a consent agrees to, from the words of a person."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.game import Json, JsonObject
from pbem.player.seat.client import PlayerClient
from pbem.player.seat.moments import read_moment, wall_of
from pbem.protocol.record.agreement import WHAT_MEMBERS
from pbem.protocol.record.kinds.agreements import AGREEMENTS
from pbem.protocol.record.kinds.handover import HANDOVER
from pbem.protocol.record.kinds.retire import OBJECT


def consent_to(client: PlayerClient, kind: str, members: Sequence[str]) -> JsonObject:
    """The ``what`` of a consent from ``member=value`` words; the own seat is the default for an absence."""
    if kind not in WHAT_MEMBERS:
        raise UsageProblem(
            sentence("there is nothing called {kind!r} to agree to", kind=kind),
            hint=sentence("There are: {names}.", names=", ".join(sorted(WHAT_MEMBERS))),
        )
    what: JsonObject = {"kind": kind}
    for text in members:
        member, sign, value = text.partition("=")
        if not sign:
            raise UsageProblem(sentence("expected MEMBER=VALUE, found {text!r}", text=text))
        what[member] = _member(client, member, value)
    required, optional = WHAT_MEMBERS[kind]
    if "seat" in required and AGREEMENTS[kind].rule == "seat":
        what.setdefault("seat", client.seat)
    retiring = client.record.ledger.retiring
    if AGREEMENTS[kind] in (OBJECT.what, HANDOVER.what) and retiring is not None:
        what.setdefault("to", retiring.line.reference)
    missing, foreign = required - set(what), set(what) - {"kind"} - required - optional
    if missing or foreign:
        wanted = ", ".join(f"{name}=..." for name in sorted(required | optional)) or "-"
        raise UsageProblem(
            sentence(
                "{kind} takes {wanted}; found {names}",
                kind=kind,
                wanted=wanted,
                names=", ".join(sorted(set(what) - {"kind"})) or "-",
            )
        )
    return what


def absence_of(client: PlayerClient, begin: str, until: str) -> JsonObject:
    """The ``what`` of a consent to one's own absence, from words of a person.

    Raises:
        UsageProblem: it is over before it counts.
    """
    what = consent_to(client, "absence", [f"from={begin}", f"until={until}"])
    if what["until"] <= max(client.clock(), what["from"]):
        raise UsageProblem(
            sentence(
                "those dates are in the past: {begin} to {until}",
                begin=what["from"],
                until=what["until"],
            )
        )
    return what


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
