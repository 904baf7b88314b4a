"""Who would sit where he does not belong, or gain by when he acts: what keeps a seat its owner's."""

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
    there = _joining(stage)
    if there is None:
        return None
    first, second = map(Seat, there.seats[:2])
    return Aftermath(ruling=there.judge(there.join_file(second, there.people[first])))


@attack("player", "takes a name that looks like another's", REFUSED)
def _look_alike(stage: Stage) -> Aftermath | None:
    there = _joining(stage)
    if there is None:
        return None
    first, second = map(Seat, there.seats[:2])
    name = there.record.names[first].replace("a", "\N{CYRILLIC SMALL LETTER A}")
    return Aftermath(ruling=there.judge(compose_join(there.copy(), there.people[second], second, name=name)))


def _proposed(there: Stage, victim: Seat, new: Identity) -> Stage:
    """All the others agree to give the victim's seat to another key: the host proposes it."""
    game = there.record.game
    anchor = chain(seat_label(victim), game, new.chain_seed(game))[0]
    keys = {
        "sign": b64(new.sign_public),
        "seal": b64(new.seal_public),
        "anchor": b64(anchor),
        "length": LENGTH,
    }
    what = {"kind": "rekey", "seat": victim, **keys}
    kept: list[JsonObject] = []
    for seat in map(Seat, there.seats):
        if seat == victim:
            continue
        file = compose_consent(there.copy(), there.people[seat], seat, there.number(seat), what)
        ruling = receive(there.record, there.host, canon(file), there.now, kept)
        kept.append(file)
        if isinstance(ruling, Accepted):
            there.take(ruling)
    return there


@attack(
    "all the others",
    "give a seat to a key of theirs behind its owner's back",
    OWNER,
    words="It is proposed in the record and in an email; any file of the owner undoes it, for at least 72 hours.",
)
def _taken_over(stage: Stage) -> Aftermath | None:
    found = stage.playing()
    if found is None:
        return None
    there, seat = found
    since = len(there.lines)
    _proposed(there, seat, _THIEF)
    return Aftermath(there.lines, upto=len(there.lines), since=since)


@attack("host and all the others", "give a seat away before its owner could object", ANYBODY)
def _before_time(stage: Stage) -> Aftermath | None:
    found = stage.playing()
    if found is None:
        return None
    there, seat = found
    _proposed(there, seat, _THIEF)
    since = len(there.lines)
    later = stage.branch(there.record)
    later.now = there.record.ledger.proposals[seat].until
    done = carry_out(later.record, stage.host, seat, later.now).lines[0]
    members = {name: value for name, value in done.body.items() if name not in _COMMON}
    game = there.record.game
    line = write_line(done.kind, members, stage.host, game=game, after=there.record.head, at=there.now)
    return Aftermath([*there.lines, line.raw], upto=since + 1, since=since)


_COMMON: Final = frozenset({"kind", "seq", "prev", "at"})


@attack(
    "host",
    "holds back an owner's message until the seat is given away",
    OWNER,
    words="Only its sender knows. Email it to everybody too, and they know as well.",
)
def _vetoed(stage: Stage) -> Aftermath | None:
    found = stage.playing()
    if found is None:
        return None
    there, seat = found
    _proposed(there, seat, _THIEF)
    objection = there.turn_file(seat, say="I am here")
    there.now = there.record.ledger.proposals[seat].until
    there.take(carry_out(there.record, stage.host, seat, there.now))
    lines = there.lines
    return Aftermath(lines, upto=len(lines), since=len(lines), unanswered=(objection,))


@attack("player", "takes new keys by their recovery key to have a bad deck dealt again", FUTILE)
def _laid_anew(stage: Stage) -> Aftermath | None:
    """The link of the deck that is laid is owed by the old chain still; no deck is burned for the new key."""
    paper = secret("a recovery secret")
    made = stage.another("recovery")
    for seat in map(Seat, made.seats):
        recovery = recovery_hash(recovery_key(paper).public)
        made.send(compose_join(made.copy(), made.people[seat], seat, name=seat.title(), recovery=recovery))
    for seat in map(Seat, made.seats):
        made.send(made.ready_file(seat))
    rekeyed = [seat for seat in map(Seat, made.seats) if isinstance(_rekey(made, seat, paper), Accepted)]
    burned = sum(line.kind == "burn" for line in made.record.lines)
    return Aftermath(tries=len(rekeyed), gained=burned) if rekeyed else None


def _rekey(made: Stage, seat: Seat, paper: bytes) -> Ruling:
    new, game = Identity(secret(f"new keys {seat}")), made.record.game
    anchor = chain(seat_label(seat), game, new.chain_seed(game))[0]
    n, seen = made.number(seat), made.record.head.seen
    return made.send(
        build_rekey(recovery_key(paper), game, seat, n, seen, new=new, anchor=anchor, length=LENGTH)
    )


# --- what the host may do, and nobody can hold against him ---------------------------------------------------------


@attack(
    "host",
    "holds the last agreement back until it suits them",
    NOBODY,
    words="What everybody must agree to counts when the host records it, not when the last one agreed.",
)
def _kept_back(stage: Stage) -> Aftermath | None:
    """Everybody agrees to pause; he lets a day go by before he says so. A consent that waits is not answered."""
    found = stage.playing()
    if found is None:
        return None
    there, _ = found
    since = len(there.lines)
    kept: list[JsonObject] = []
    for seat in map(Seat, there.seats):
        file = compose_consent(there.copy(), there.people[seat], seat, there.number(seat), {"kind": "pause"})
        late = there.later(24) if seat == there.seats[-1] else there.now
        ruling = receive(there.record, there.host, canon(file), late, kept)
        kept.append(file)
        if not isinstance(ruling, Held | Accepted):
            return None
        if isinstance(ruling, Accepted):
            there.take(ruling)
    return Aftermath(there.lines, upto=len(there.lines), since=since)


@attack(
    "host",
    "waits longer for a friend than required",
    NOBODY,
    words="Once time is up the host may play a timeout move, but need not. The record shows how late each one was.",
)
def _patient(stage: Stage) -> Aftermath | None:
    found = stage.playing()
    if found is None:
        return None
    there, seat = found
    since = len(there.lines)
    limit = default_from(there.record.ledger, seat)
    if limit is None:
        return None
    there.now = plus_hours(limit, 24)
    there.move()
    return Aftermath(there.lines, upto=len(there.lines), since=since)


@attack("host", "goes on from an older backup", REFUSED)
def _older(stage: Stage) -> Aftermath | None:
    """An honest one, after a loss: the next file proves by his own signature that he had signed more."""
    found = stage.playing()
    if found is None:
        return None
    there, _ = found
    older: Record = there.record
    there.move()
    file = there.next_file()
    return None if file is None else Aftermath(ruling=receive(older, stage.host, canon(file), there.now))
