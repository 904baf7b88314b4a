"""Who has stolen a seat's key: what he does can be undone, by its owner with the paper, within the hold."""

from __future__ import annotations

from typing import Final

from pbem.base.values import replace
from pbem.game import JsonObject, Seat
from pbem.protocol.client import compose_consent, compose_join, compose_rekey
from pbem.protocol.crypto.digest import fingerprint
from pbem.protocol.crypto.identity import Identity, recovery_hash, recovery_key
from pbem.protocol.crypto.primitives import SignKey
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record.line import write_line
from pbem.protocol.referee import Accepted, Ruling, receive
from pbem.protocol.referee.draft import Draft
from tests.attacks.attack import ANYBODY, FUTILE, NOBODY, Aftermath, attack
from tests.attacks.stage import Stage
from tests.world import secret

PAPER: Final = recovery_key(secret("the paper of whom a thief robs"))
LOOT: Final = recovery_key(secret("a thief's own paper"))
THIEF: Final = Identity(secret("a thief of keys"))


def _dealt(stage: Stage) -> Stage:
    """A match in which everybody has a paper, dealt, with all parts of the next shuffle."""
    made = stage.another("stolen")
    for seat in map(Seat, made.seats):
        recovery = recovery_hash(PAPER.public)
        made.send(compose_join(made.copy(), made.people[seat], seat, name=seat.title(), recovery=recovery))
    for _ in range(2):
        for seat in map(Seat, made.seats):
            made.send(made.ready_file(seat))
    return made


def _resigns(made: Stage, seat: Seat) -> Ruling:
    what = {"kind": "resign", "seat": seat}
    return made.send(compose_consent(made.copy(), made.people[seat], seat, made.number(seat), what))


def _rekeys(made: Stage, seat: Seat, key: SignKey, new: Identity, recovery: bytes | None = None) -> Ruling:
    ruling = made.send(compose_rekey(made.copy(), seat, made.number(seat), key, new, recovery))
    if isinstance(ruling, Accepted):
        made.people[seat] = new
    return ruling


@attack("thief of a key", "resigns the seat for its owner", FUTILE)
def _resigned(stage: Stage) -> Aftermath | None:
    """It is held for at least 72 hours, and whatever the owner sends undoes it."""
    made = _dealt(stage)
    tries = gained = 0
    for seat in map(Seat, made.seats):
        tries += isinstance(_resigns(made, seat), Accepted)
        _rekeys(made, seat, PAPER, Identity(secret(f"again {seat}")))
        later = made.record.as_of(made.later(500)).ledger
        gained += seat in later.resigned
    return Aftermath(tries=tries, gained=gained)


@attack("host and thief of a key", "have the seat resigned and played for at once", ANYBODY)
def _at_once(stage: Stage) -> Aftermath | None:
    made = _dealt(stage)
    seat = Seat(str(made.record.waiting["seat"] if made.record.waiting else made.seats[0]))
    since = len(made.lines)
    _resigns(made, seat)
    draft = Draft(made.record, made.host, made.now)
    play = draft.play()
    play.default(seat)
    members = {"epoch": play.table.epoch, "seat": seat, **draft.result(play, failed=seat)}
    return _forged(made, "default", members, since)


def _forged(made: Stage, kind: str, members: JsonObject, since: int) -> Aftermath:
    game = made.record.game
    line = write_line(kind, members, made.host, game=game, after=made.record.head, at=made.now)
    lines = [*made.lines, line.raw]
    return Aftermath(lines, upto=len(lines), since=since, stage=made)


@attack("thief of a key", "replaces the owner's recovery words with their own, and keeps the seat", FUTILE)
def _own_paper(stage: Stage) -> Aftermath | None:
    """The owner's paper undoes it within the hold, and takes the seat back."""
    made = _dealt(stage)
    tries = gained = 0
    for seat in map(Seat, made.seats):
        stolen = made.people[seat].sign_key
        thief = Identity(secret(f"thief {seat}"))
        tries += isinstance(_rekeys(made, seat, stolen, thief, recovery_hash(LOOT.public)), Accepted)
        back = _rekeys(made, seat, PAPER, Identity(secret(f"back {seat}")))
        later = made.record.as_of(made.later(500)).ledger
        gained += not isinstance(back, Accepted) or later.players[seat].recovery != recovery_hash(
            PAPER.public
        )
    return Aftermath(tries=tries, gained=gained)


@attack("host and thief of a key", "let the thief's recovery words count before the hold is over", ANYBODY)
def _paper_early(stage: Stage) -> Aftermath | None:
    made = _dealt(stage)
    seat = Seat(made.seats[0])
    since = len(made.lines)
    _rekeys(made, seat, made.people[seat].sign_key, THIEF, recovery_hash(LOOT.public))
    copy, new = made.copy(), Identity(secret("by the loot"))
    copy.ledger.players[seat] = replace(copy.ledger.players[seat], recovery=recovery_hash(LOOT.public))
    file = compose_rekey(copy, seat, made.number(seat), LOOT, new)
    members = {"msg": file, **Draft(made.record, made.host, made.now).whole_packet(seat, new.seal_public)}
    return _forged(made, "rekey", members, since)


@attack("host and all the others", "seat somebody else than all agreed to", ANYBODY)
def _somebody_else(stage: Stage) -> Aftermath | None:
    made = _dealt(stage)
    seat = Seat(made.seats[0])
    since = len(made.lines)
    named = fingerprint(Identity(secret("who was named")).sign_public)
    what = {"kind": "substitute", "seat": seat, "newcomer": named}
    kept: list[JsonObject] = []
    for other in map(Seat, made.seats[1:]):
        file = compose_consent(made.copy(), made.people[other], other, made.number(other), what)
        ruling = receive(made.record, made.host, canon(file), made.now, kept)
        kept.append(file)
        if isinstance(ruling, Accepted):
            made.take(ruling)
    proposal = made.record.ledger.proposals[seat]
    made.now = proposal.until
    n = made.number(seat)
    join = compose_join(made.copy(), THIEF, seat, name="Somebody else", n=n)
    packets = Draft(made.record, made.host, made.now).whole_packet(seat, THIEF.seal_public)
    act: JsonObject = {"act": "host"} if len(made.seats) == 2 else {}
    return _forged(made, "substitute", {"proposal": proposal.line.seq, **act, "msg": join, **packets}, since)


@attack(
    "thief of a key",
    "agrees in its owner's name to end the match",
    NOBODY,
    words="A match that everybody else wants to end then ends: nobody need wait three days to stop. "
    "Alone it ends none.",
)
def _ended(stage: Stage) -> Aftermath | None:
    found = stage.playing()
    if found is None:
        return None
    there, _ = found
    since = len(there.lines)
    kept: list[JsonObject] = []
    for seat in map(Seat, there.seats):
        what = {"kind": "end", "why": "supper"}
        file = compose_consent(there.copy(), there.people[seat], seat, there.number(seat), what)
        ruling = receive(there.record, there.host, canon(file), there.now, kept)
        kept.append(file)
        if isinstance(ruling, Accepted):
            there.take(ruling)
    return Aftermath(there.lines, upto=len(there.lines), since=since)
