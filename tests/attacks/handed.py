"""A match that goes from one host to another: who gives it, who takes it, and who signs on all the same."""

from __future__ import annotations

from typing import Final

from pbem.game import JsonObject
from pbem.protocol.crypto.digest import b64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.record.line import write_line
from pbem.protocol.referee import hand_over, offer, retire, stay
from tests.attacks.attack import ANYBODY, NOBODY, Aftermath, attack
from tests.attacks.stage import Stage
from tests.world import secret

_NEW: Final = Identity(secret("another host"))


def _told(stage: Stage, seat: str = "") -> Stage | None:
    """The match when its host has announced that another one takes it, with all links of the deck that is laid."""
    dealt = stage.moment(
        lambda record: record.ledger.running is not None and not record.missing_links and not record.over
    )
    if dealt is None:
        return None
    there = stage.branch(dealt)
    there.take(retire(there.record, there.host, offer(there.record.game, _NEW, seat=seat), there.now))
    return there


def _given(stage: Stage) -> Stage | None:
    """The match when it is given away."""
    there = _told(stage)
    held = None if there is None else there.record.ledger.retiring
    if there is None or held is None:
        return None
    there.now = held.until
    there.take(hand_over(there.record, there.host, {}, (), there.now))
    return there


def _taken_back(there: Stage) -> Stage:
    """The host takes it back."""
    there.take(stay(there.record, there.host, there.now))
    return there


def _written(there: Stage, kind: str, members: JsonObject) -> Aftermath:
    """The host who had the match signs such a record; no program of ours would."""
    since = len(there.lines)
    record = there.record
    line = write_line(kind, members, there.host, game=record.game, after=record.head, at=there.now)
    return Aftermath([*there.lines, line.raw], upto=since + 1, since=since)


@attack("host", "signs on after giving the match to another host", ANYBODY)
def _signs_on(stage: Stage) -> Aftermath | None:
    there = _given(stage)
    seat = None if there is None else there.seats[0]
    return None if there is None else _written(there, "extend", {"seat": seat, "due": "2027-01-01T00:00:00Z"})


@attack("host", "gives the match away before anybody could object", ANYBODY)
def _too_soon(stage: Stage) -> Aftermath | None:
    there = _told(stage)
    if there is None:
        return None
    members = {"proposal": there.record.head.seq, "ct": b64(bytes(560)), "contacts": {}}
    return _written(there, "handover", members)


@attack("host", "gives the match to a player without everybody's agreement", ANYBODY)
def _to_a_player(stage: Stage) -> Aftermath | None:
    there = _told(stage, seat=str(stage.seats[0]))
    held = None if there is None else there.record.ledger.retiring
    if there is None or held is None:
        return None
    there.now = held.until
    members = {"proposal": there.record.head.seq, "ct": b64(bytes(560)), "contacts": {}}
    return _written(there, "handover", members)


@attack("host", "names somebody as the new host who has not signed that", ANYBODY)
def _unasked(stage: Stage) -> Aftermath | None:
    there = _told(stage)
    if there is None:
        return None
    body = there.record.head.body
    members = {
        "host": {**body["host"], "mail": "mallory@example.org"},
        "accept": body["accept"],
        "until": body["until"],
    }
    return _written(_taken_back(there), "retire", members)


@attack(
    "host",
    "looks on at what was dealt before giving the match away",
    NOBODY,
    words="That host knows what was dealt, shuffled or sealed until then, and nothing later. All are told so.",
)
def _looks_back(stage: Stage) -> Aftermath | None:
    there = _given(stage)
    return None if there is None else Aftermath(there.lines, upto=len(there.lines), since=len(there.lines))
