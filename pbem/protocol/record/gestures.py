"""Gestures in a turn file: reactions under records, and a nudge for who is waited for (schemas/README.md §6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pbem.base.sentences import sentence
from pbem.game import JsonObject, Seat
from pbem.protocol.record.deadlines import plus_hours
from pbem.protocol.record.ledger import Indexed, Ledger

REACTIONS: Final = ("clap", "laugh", "wow", "ouch", "thanks", "sorry")
"""What can stand under a record."""
NUDGED: Final = 24
"""Hours within which a seat is called by one nudge at most, whoever's."""


def gesture_fault(ledger: Ledger, body: JsonObject) -> str:
    """Why the gestures of this file cannot be, in words; empty if they can."""
    seat, seen, under = body["seat"], body["seen"]["seq"], [one["to"] for one in body.get("react", ())]
    later = next((to for to in under if to > seen), None)
    if later is not None:
        return sentence("{seat} reacts to record {seq} and had seen {seen}", seat=seat, seq=later, seen=seen)
    if len(set(under)) < len(under):
        return sentence("{seat} reacts twice to one record", seat=seat)
    nudged = body.get("nudge")
    if nudged is not None and (nudged == seat or nudged not in ledger.seats):
        return sentence(
            "{seat} nudges {nudged}, which is not another seat of the match", seat=seat, nudged=nudged
        )
    return ""


def called_by(lines: Sequence[Indexed], line: Indexed) -> Seat | None:
    """Whom this record calls by a nudge: nobody if that seat was called less than a day before."""
    nudged = line.body.get("msg", {}).get("body", {}).get("nudge")
    if nudged is None or nudged_lately(lines[: line.seq], Seat(nudged), line.body["at"]):
        return None
    return Seat(nudged)


def nudged_lately(lines: Sequence[Indexed], seat: Seat, at: str) -> bool:
    """Whether one of these records calls this seat by a nudge less than a day before ``at``.

    Nudges between two calls count for nothing, so whoever nudges all the time does not keep others from it.
    """
    ends = ""
    for line in lines:
        if line.body.get("msg", {}).get("body", {}).get("nudge") == seat and line.body["at"] >= ends:
            ends = plus_hours(line.body["at"], NUDGED)
    return at < ends


def only_reacts(body: JsonObject) -> bool:
    """Whether this file brings reactions and nothing else but a link: nobody is written to for it."""
    more = {"sealed", "orders", "say", "tell", "nudge"}
    return "react" in body and not body["actions"] and not body.keys() & more


def reactions(lines: Sequence[Indexed]) -> Mapping[int, Mapping[Seat, str]]:
    """By record, what stands under it: each seat's newest reaction."""
    found: dict[int, dict[Seat, str]] = {}
    for line in lines:
        body = line.body.get("msg", {}).get("body", {})
        for one in body.get("react", ()):
            found.setdefault(one["to"], {})[Seat(body["seat"])] = one["with"]
    return found
