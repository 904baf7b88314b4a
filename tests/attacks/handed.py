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


def _announced(stage: Stage, seat: str = "") -> Stage | None:
    """The match when its host has announced that another one takes it, with all links of the deck that is laid."""
    dealt = stage.moment(
        lambda record: record.ledger.running is not None and not record.missing_links and not record.over
    )
    if dealt is None:
        return None
    branch = stage.branch(dealt)
    branch.take(retire(branch.record, branch.host, offer(branch.record.game, _NEW, seat=seat), branch.now))
    return branch


def _given(stage: Stage) -> Stage | None:
    """The match when it is given away."""
    branch = _announced(stage)
    held = None if branch is None else branch.record.ledger.retiring
    if branch is None or held is None:
        return None
    branch.now = held.until
    branch.take(hand_over(branch.record, branch.host, {}, (), branch.now))
    return branch


def _taken_back(stage: Stage) -> Stage:
    """The host takes it back."""
    stage.take(stay(stage.record, stage.host, stage.now))
    return stage


def _written(stage: Stage, kind: str, members: JsonObject) -> Aftermath:
    """The host who had the match signs such a record; no program of ours would."""
    since = len(stage.lines)
    record = stage.record
    line = write_line(kind, members, stage.host, game=record.game, after=record.head, at=stage.now)
    return Aftermath([*stage.lines, line.raw], upto=since + 1, since=since)


@attack("host", "signs on after giving the match to another host", ANYBODY)
def _signs_on(stage: Stage) -> Aftermath | None:
    branch = _given(stage)
    seat = None if branch is None else branch.seats[0]
    return (
        None if branch is None else _written(branch, "extend", {"seat": seat, "due": "2027-01-01T00:00:00Z"})
    )


@attack("host", "gives the match away before anybody could object", ANYBODY)
def _too_soon(stage: Stage) -> Aftermath | None:
    branch = _announced(stage)
    if branch is None:
        return None
    members = {"proposal": branch.record.head.seq, "ct": b64(bytes(560)), "contacts": {}}
    return _written(branch, "handover", members)


@attack("host", "gives the match to a player without everybody's agreement", ANYBODY)
def _to_a_player(stage: Stage) -> Aftermath | None:
    branch = _announced(stage, seat=str(stage.seats[0]))
    held = None if branch is None else branch.record.ledger.retiring
    if branch is None or held is None:
        return None
    branch.now = held.until
    members = {"proposal": branch.record.head.seq, "ct": b64(bytes(560)), "contacts": {}}
    return _written(branch, "handover", members)


@attack("host", "names somebody as the new host who has not signed that", ANYBODY)
def _unasked(stage: Stage) -> Aftermath | None:
    branch = _announced(stage)
    if branch is None:
        return None
    body = branch.record.head.body
    members = {
        "host": {**body["host"], "mail": "mallory@example.org"},
        "accept": body["accept"],
        "until": body["until"],
    }
    return _written(_taken_back(branch), "retire", members)


@attack(
    "host",
    "looks on at what was dealt before giving the match away",
    NOBODY,
    words="That host knows what was dealt, shuffled or sealed until then, and nothing later. All are told so.",
)
def _looks_back(stage: Stage) -> Aftermath | None:
    branch = _given(stage)
    return (
        None if branch is None else Aftermath(branch.lines, upto=len(branch.lines), since=len(branch.lines))
    )
