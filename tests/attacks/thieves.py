"""Who has stolen a seat's key: what they do can be undone, by its owner with the paper, within the hold."""

from __future__ import annotations

from typing import Final

from pbem.base.values import replace
from pbem.game import JsonObject, Seat
from pbem.protocol.client import compose_consent, compose_join, compose_rekey
from pbem.protocol.crypto.digest import fingerprint
from pbem.protocol.crypto.identity import Identity, recovery_hash, recovery_key
from pbem.protocol.crypto.primitives import SignKey
from pbem.protocol.formats.messages import message_of
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record.kinds.consent import usable
from pbem.protocol.record.line import write_line
from pbem.protocol.referee import Accepted, Ruling, receive
from pbem.protocol.referee.draft import Draft
from tests.attacks.attack import ANYBODY, FUTILE, NOBODY, Aftermath, attack
from tests.attacks.stage import USUAL, Stage
from tests.world import secret

PAPER: Final = recovery_key(secret("the paper of whom a thief robs"))
LOOT: Final = recovery_key(secret("a thief's own paper"))
THIEF: Final = Identity(secret("a thief of keys"))


def _dealt(stage: Stage, count: int = USUAL) -> Stage:
    """A match in which everybody has a paper, dealt, with all parts of the next shuffle."""
    other = stage.another("stolen", stage.seats[:count])
    for seat in map(Seat, other.seats):
        recovery = recovery_hash(PAPER.public)
        other.send(compose_join(other.copy(), other.people[seat], seat, name=seat.title(), recovery=recovery))
    for _ in range(2):
        for seat in map(Seat, other.seats):
            other.send(other.ready_file(seat))
    return other


def _resigns(stage: Stage, seat: Seat) -> Ruling:
    terms = {"kind": "resign", "seat": seat}
    return stage.send(compose_consent(stage.copy(), stage.people[seat], seat, stage.number(seat), terms))


def _rekeys(stage: Stage, seat: Seat, key: SignKey, new: Identity, recovery: bytes | None = None) -> Ruling:
    ruling = stage.send(compose_rekey(stage.copy(), seat, stage.number(seat), key, new, recovery))
    if isinstance(ruling, Accepted):
        stage.people[seat] = new
    return ruling


@attack("thief of a key", "resigns the seat for its owner", FUTILE)
def _resigned(stage: Stage) -> Aftermath | None:
    """It is held for at least 72 hours, and whatever the owner sends undoes it."""
    other = _dealt(stage)
    tries = gained = 0
    for seat in map(Seat, other.seats):
        tries += isinstance(_resigns(other, seat), Accepted)
        _rekeys(other, seat, PAPER, Identity(secret(f"again {seat}")))
        later = other.record.as_of(other.later(500)).ledger
        gained += seat in later.resigned
    return Aftermath(tries=tries, gained=gained)


@attack("host and thief of a key", "record that the seat is given up, without a hold", ANYBODY)
def _given_up(stage: Stage) -> Aftermath | None:
    """That counts at once only if the owner's recovery words have signed it."""
    other = _dealt(stage)
    seat, since = Seat(other.seats[0]), len(other.lines)
    terms: JsonObject = {"kind": "resign", "seat": seat}
    file = compose_consent(other.copy(), other.people[seat], seat, other.number(seat), terms)
    return _forged(other, "resign", {"what": terms, "consents": [file]}, since)


def _replaced_at_once(stage: Stage, count: int) -> Aftermath | None:
    """All of them agree, the thief in the owner's name, and the host puts their man there without a hold."""
    if count not in stage.record.game_info.seats:
        return None
    other = _dealt(stage, count)
    seat, since = Seat(other.seats[0]), len(other.lines)
    terms: JsonObject = {"kind": "substitute", "seat": seat, "newcomer": fingerprint(THIEF.sign_public)}
    files = [
        compose_consent(other.copy(), other.people[who], who, other.number(who), terms)
        for who in map(Seat, other.seats)
    ]
    join = compose_join(other.copy(), THIEF, seat, name="Somebody else", n=other.number(seat))
    packets = Draft(other.record, other.host, other.now).whole_packet(seat, THIEF.seal_public)
    return _forged(other, "substitute", {"what": terms, "consents": files, "msg": join, **packets}, since)


@attack("host, the one opponent and thief of a key", "replace the owner without a hold", ANYBODY)
def _replaced_by_one(stage: Stage) -> Aftermath | None:
    return _replaced_at_once(stage, 2)


@attack("host, all the others and thief of a key", "replace the owner without a hold", ANYBODY)
def _replaced_by_all(stage: Stage) -> Aftermath | None:
    return _replaced_at_once(stage, 3)


def _replaced_after_a_hold(stage: Stage, count: int) -> Aftermath | None:
    """They agree, and the owner says one word by the recovery words before the hold is over."""
    if count not in stage.record.game_info.seats:
        return None
    other = _dealt(stage, count)
    tries = gained = 0
    for seat in map(Seat, other.seats):
        terms: JsonObject = {"kind": "substitute", "seat": seat, "newcomer": fingerprint(THIEF.sign_public)}
        kept: list[JsonObject] = []
        for who in (who for who in map(Seat, other.seats) if who != seat):
            file = compose_consent(other.copy(), other.people[who], who, other.number(who), terms)
            ruling = receive(other.record, other.host, canon(file), other.now, kept)
            kept.append(file)
            if isinstance(ruling, Accepted):
                other.take(ruling)
        tries += seat in other.record.ledger.proposals
        back = _rekeys(other, seat, PAPER, Identity(secret(f"back {seat}")))
        gained += not isinstance(back, Accepted) or seat in other.record.ledger.proposals
    return Aftermath(tries=tries, gained=gained)


@attack("the one opponent and thief of a key", "replace the owner, who has the recovery words", FUTILE)
def _held_against_one(stage: Stage) -> Aftermath | None:
    return _replaced_after_a_hold(stage, 2)


@attack("all the others and thief of a key", "replace the owner, who has the recovery words", FUTILE)
def _held_against_all(stage: Stage) -> Aftermath | None:
    return _replaced_after_a_hold(stage, 3)


@attack("thief of a key", "makes what the owner's recovery words have signed out of date", FUTILE)
def _made_stale(stage: Stage) -> Aftermath | None:
    """The thief signs higher numbers, and undoes a proposal; the owner's yes to a replacement counts on."""
    other = _dealt(stage)
    tries = gained = 0
    for seat in map(Seat, other.seats):
        terms: JsonObject = {"kind": "substitute", "seat": seat, "newcomer": fingerprint(THIEF.sign_public)}
        own = compose_consent(other.copy(), PAPER, seat, other.number(seat), terms)
        for _ in range(2):
            tries += isinstance(_resigns(other, seat), Accepted)
        gained += not usable(other.record.ledger, message_of(own), other.later(24))
    return Aftermath(tries=tries, gained=gained)


@attack("host and thief of a key", "have the seat resigned and played for at once", ANYBODY)
def _at_once(stage: Stage) -> Aftermath | None:
    other = _dealt(stage)
    seat = Seat(str(other.record.waiting["seat"] if other.record.waiting else other.seats[0]))
    since = len(other.lines)
    _resigns(other, seat)
    draft = Draft(other.record, other.host, other.now)
    play = draft.play()
    play.default(seat)
    members = {"epoch": play.table.epoch, "seat": seat, **draft.result(play, failed=seat)}
    return _forged(other, "default", members, since)


def _forged(stage: Stage, kind: str, members: JsonObject, since: int) -> Aftermath:
    game = stage.record.game
    line = write_line(kind, members, stage.host, game=game, after=stage.record.head, at=stage.now)
    lines = [*stage.lines, line.raw]
    return Aftermath(lines, upto=len(lines), since=since, stage=stage)


@attack("thief of a key", "replaces the owner's recovery words with their own, and keeps the seat", FUTILE)
def _own_paper(stage: Stage) -> Aftermath | None:
    """The owner's paper undoes it within the hold, and takes the seat back."""
    other = _dealt(stage)
    tries = gained = 0
    for seat in map(Seat, other.seats):
        stolen = other.people[seat].sign_key
        thief = Identity(secret(f"thief {seat}"))
        tries += isinstance(_rekeys(other, seat, stolen, thief, recovery_hash(LOOT.public)), Accepted)
        back = _rekeys(other, seat, PAPER, Identity(secret(f"back {seat}")))
        later = other.record.as_of(other.later(500)).ledger
        gained += not isinstance(back, Accepted) or later.players[seat].recovery != recovery_hash(
            PAPER.public
        )
    return Aftermath(tries=tries, gained=gained)


@attack("host and thief of a key", "let the thief's recovery words count before the hold is over", ANYBODY)
def _paper_early(stage: Stage) -> Aftermath | None:
    other = _dealt(stage)
    seat = Seat(other.seats[0])
    since = len(other.lines)
    _rekeys(other, seat, other.people[seat].sign_key, THIEF, recovery_hash(LOOT.public))
    copy, new = other.copy(), Identity(secret("by the loot"))
    copy.ledger.players[seat] = replace(copy.ledger.players[seat], recovery=recovery_hash(LOOT.public))
    file = compose_rekey(copy, seat, other.number(seat), LOOT, new)
    members = {"msg": file, **Draft(other.record, other.host, other.now).whole_packet(seat, new.seal_public)}
    return _forged(other, "rekey", members, since)


@attack("host and all the others", "seat somebody else than all agreed to", ANYBODY)
def _somebody_else(stage: Stage) -> Aftermath | None:
    second = _dealt(stage)
    seat = Seat(second.seats[0])
    since = len(second.lines)
    named = fingerprint(Identity(secret("who was named")).sign_public)
    terms = {"kind": "substitute", "seat": seat, "newcomer": named}
    kept: list[JsonObject] = []
    for other in map(Seat, second.seats[1:]):
        file = compose_consent(second.copy(), second.people[other], other, second.number(other), terms)
        ruling = receive(second.record, second.host, canon(file), second.now, kept)
        kept.append(file)
        if isinstance(ruling, Accepted):
            second.take(ruling)
    proposal = second.record.ledger.proposals[seat]
    second.now = proposal.until
    n = second.number(seat)
    join = compose_join(second.copy(), THIEF, seat, name="Somebody else", n=n)
    packets = Draft(second.record, second.host, second.now).whole_packet(seat, THIEF.seal_public)
    act: JsonObject = {"act": "host"} if len(second.seats) == 2 else {}
    return _forged(
        second, "substitute", {"proposal": proposal.line.seq, **act, "msg": join, **packets}, since
    )


@attack(
    "thief of a key",
    "agrees in its owner's name to end the match",
    NOBODY,
    words="A match that everybody else wants to end then ends: nobody need wait three days to stop. "
    "Alone it ends none.",
)
def _ended(stage: Stage) -> Aftermath | None:
    moment = stage.playing()
    if moment is None:
        return None
    branch, _ = moment
    since = len(branch.lines)
    kept: list[JsonObject] = []
    for seat in map(Seat, branch.seats):
        terms = {"kind": "end", "why": "supper"}
        file = compose_consent(branch.copy(), branch.people[seat], seat, branch.number(seat), terms)
        ruling = receive(branch.record, branch.host, canon(file), branch.now, kept)
        kept.append(file)
        if isinstance(ruling, Accepted):
            branch.take(ruling)
    return Aftermath(branch.lines, upto=len(branch.lines), since=since)
