"""Who would take a seat that is not theirs, or gain by when they act: what keeps a seat its owner's."""

from __future__ import annotations

from typing import Final

from pbem.game import JsonObject, Seat
from pbem.protocol.client import compose_consent, compose_join
from pbem.protocol.crypto.digest import b64
from pbem.protocol.crypto.identity import Identity, recovery_hash, recovery_key
from pbem.protocol.draws import LENGTH, chain, seat_label
from pbem.protocol.formats.messages import build_rekey
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import Record
from pbem.protocol.record.deadlines import plus_hours
from pbem.protocol.record.line import write_line
from pbem.protocol.record.takeover import default_from
from pbem.protocol.referee import Accepted, Held, Ruling, carry_out, receive
from tests.attacks.attack import ANYBODY, FUTILE, NOBODY, OWNER, REFUSED, Aftermath, attack
from tests.attacks.stage import Stage
from tests.world import secret

_THIEF: Final = Identity(secret("a thief of seats"))


def _joining(stage: Stage) -> Stage | None:
    """The match when the first has joined and the second has not."""
    joined = stage.moment(lambda r: len(r.ledger.players) == 1)
    return None if joined is None else stage.branch(joined)


@attack("player", "takes two seats with one key", REFUSED)
def _two_seats(stage: Stage) -> Aftermath | None:
    branch = _joining(stage)
    if branch is None:
        return None
    first, second = map(Seat, branch.seats[:2])
    return Aftermath(ruling=branch.judge(branch.join_file(second, branch.people[first])))


@attack("player", "takes a name that looks like another's", REFUSED)
def _look_alike(stage: Stage) -> Aftermath | None:
    branch = _joining(stage)
    if branch is None:
        return None
    first, second = map(Seat, branch.seats[:2])
    name = branch.record.names[first].replace("a", "\N{CYRILLIC SMALL LETTER A}")
    return Aftermath(
        ruling=branch.judge(compose_join(branch.copy(), branch.people[second], second, name=name))
    )


def _proposed(stage: Stage, victim: Seat, new: Identity) -> Stage:
    """All the others agree to give the victim's seat to another key: the host proposes it."""
    game = stage.record.game
    anchor = chain(seat_label(victim), game, new.chain_seed(game))[0]
    keys = {
        "sign": b64(new.sign_public),
        "seal": b64(new.seal_public),
        "anchor": b64(anchor),
        "length": LENGTH,
    }
    terms = {"kind": "rekey", "seat": victim, **keys}
    kept: list[JsonObject] = []
    for seat in map(Seat, stage.seats):
        if seat == victim:
            continue
        file = compose_consent(stage.copy(), stage.people[seat], seat, stage.number(seat), terms)
        ruling = receive(stage.record, stage.host, canon(file), stage.now, kept)
        kept.append(file)
        if isinstance(ruling, Accepted):
            stage.take(ruling)
    return stage


@attack(
    "all the others",
    "give a seat to a key of theirs behind its owner's back",
    OWNER,
    words="It is proposed in the record and in an email; any file of the owner undoes it, for at least 72 hours.",
)
def _taken_over(stage: Stage) -> Aftermath | None:
    moment = stage.playing()
    if moment is None:
        return None
    branch, seat = moment
    since = len(branch.lines)
    _proposed(branch, seat, _THIEF)
    return Aftermath(branch.lines, upto=len(branch.lines), since=since)


@attack("host and all the others", "give a seat away before its owner could object", ANYBODY)
def _before_time(stage: Stage) -> Aftermath | None:
    moment = stage.playing()
    if moment is None:
        return None
    branch, seat = moment
    _proposed(branch, seat, _THIEF)
    since = len(branch.lines)
    later = stage.branch(branch.record)
    later.now = branch.record.ledger.proposals[seat].until
    done = carry_out(later.record, stage.host, seat, later.now).lines[0]
    members = {name: value for name, value in done.body.items() if name not in _COMMON}
    game = branch.record.game
    line = write_line(done.kind, members, stage.host, game=game, after=branch.record.head, at=branch.now)
    return Aftermath([*branch.lines, line.raw], upto=since + 1, since=since)


_COMMON: Final = frozenset({"kind", "seq", "prev", "at"})


@attack(
    "host",
    "holds back an owner's message until the seat is given away",
    OWNER,
    words="Only its sender knows. Email it to everybody too, and they know as well.",
)
def _vetoed(stage: Stage) -> Aftermath | None:
    moment = stage.playing()
    if moment is None:
        return None
    branch, seat = moment
    _proposed(branch, seat, _THIEF)
    objection = branch.turn_file(seat, say="I am here")
    branch.now = branch.record.ledger.proposals[seat].until
    branch.take(carry_out(branch.record, stage.host, seat, branch.now))
    lines = branch.lines
    return Aftermath(lines, upto=len(lines), since=len(lines), unanswered=(objection,))


@attack("player", "takes new keys by their recovery key to have a bad deck dealt again", FUTILE)
def _dealt_again(stage: Stage) -> Aftermath | None:
    """The link of the deck that is laid is owed by the old chain still; no deck is burned for the new key."""
    paper = secret("a recovery secret")
    other = stage.another("recovery")
    for seat in map(Seat, other.seats):
        recovery = recovery_hash(recovery_key(paper).public)
        other.send(compose_join(other.copy(), other.people[seat], seat, name=seat.title(), recovery=recovery))
    for seat in map(Seat, other.seats):
        other.send(other.ready_file(seat))
    rekeyed = [seat for seat in map(Seat, other.seats) if isinstance(_rekey(other, seat, paper), Accepted)]
    burned = sum(line.kind == "burn" for line in other.record.lines)
    return Aftermath(tries=len(rekeyed), gained=burned) if rekeyed else None


def _rekey(stage: Stage, seat: Seat, paper: bytes) -> Ruling:
    new, game = Identity(secret(f"new keys {seat}")), stage.record.game
    anchor = chain(seat_label(seat), game, new.chain_seed(game))[0]
    n, seen = stage.number(seat), stage.record.head.seen
    return stage.send(
        build_rekey(recovery_key(paper), game, seat, n, seen, new=new, anchor=anchor, length=LENGTH)
    )


# --- what the host may do, and nobody can hold against them ---------------------------------------------------------


@attack(
    "host",
    "holds the last agreement back until it suits them",
    NOBODY,
    words="What everybody must agree to counts when the host records it, not when the last one agreed.",
)
def _kept_back(stage: Stage) -> Aftermath | None:
    """Everybody agrees to pause; they let a day go by before they say so. A consent that waits is not answered."""
    moment = stage.playing()
    if moment is None:
        return None
    branch, _ = moment
    since = len(branch.lines)
    kept: list[JsonObject] = []
    terms: JsonObject = {"kind": "pause", "until": branch.later(48)}
    for seat in map(Seat, branch.seats):
        file = compose_consent(branch.copy(), branch.people[seat], seat, branch.number(seat), terms)
        late = branch.later(24) if seat == branch.seats[-1] else branch.now
        ruling = receive(branch.record, branch.host, canon(file), late, kept)
        kept.append(file)
        if not isinstance(ruling, Held | Accepted):
            return None
        if isinstance(ruling, Accepted):
            branch.take(ruling)
    return Aftermath(branch.lines, upto=len(branch.lines), since=since)


@attack(
    "host",
    "waits longer for a friend than required",
    NOBODY,
    words="Once time is up the host may play a timeout move, but need not. The record shows how late each one was.",
)
def _patient(stage: Stage) -> Aftermath | None:
    moment = stage.playing()
    if moment is None:
        return None
    branch, seat = moment
    since = len(branch.lines)
    limit = default_from(branch.record.ledger, seat)
    if limit is None:
        return None
    branch.now = plus_hours(limit, 24)
    branch.move()
    return Aftermath(branch.lines, upto=len(branch.lines), since=since)


@attack("host", "goes on from an older backup", REFUSED)
def _older(stage: Stage) -> Aftermath | None:
    """An honest one, after a loss: the next file proves by their own signature that they had signed more."""
    moment = stage.playing()
    if moment is None:
        return None
    branch, _ = moment
    older: Record = branch.record
    branch.move()
    file = branch.next_file()
    return None if file is None else Aftermath(ruling=receive(older, stage.host, canon(file), branch.now))
