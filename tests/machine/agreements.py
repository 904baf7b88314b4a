"""What people agree on, in any combination: consents, proposals, and what the host's operator does with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pbem.game import JsonObject, Seat
from pbem.protocol.crypto.digest import b64, fingerprint
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.messages import message_of
from pbem.protocol.record.deadlines import plus_hours
from pbem.protocol.referee import (
    carry_out,
    end_early,
    retake,
    substitute,
    withdraw,
)
from tests.machine import files
from tests.machine.fate import Fate
from tests.machine.match import Match
from tests.machine.moves import Move, join_file, someone
from tests.world import secret

What = Callable[[Match, Fate], JsonObject]


def agree(match: Match, fate: Fate) -> None:
    """Something is agreed on by everybody who must, or by some, in some order."""
    if not match.joined:
        return
    terms = TERMS[match.choose(fate, TERMS)](match, fate)
    seats = _signers(match, fate, terms)
    match.tell(f"{', '.join(seats)} agree to {terms}")
    for seat in seats:
        match.send(files.consent(match, seat, terms))


def _signers(match: Match, fate: Fate, terms: JsonObject) -> list[Seat]:
    seats = match.joined
    about = terms.get("seat")
    others = [seat for seat in seats if seat != about]
    own = [seat for seat in seats if seat == about]
    return fate.pick((seats, own or seats, others, fate.some(seats), seats[::-1]))


def _absence(match: Match, fate: Fate) -> JsonObject:
    begin = plus_hours(match.world.now, fate.pick((0, 24, -24)))
    until = plus_hours(begin, fate.pick((24, 24 * 21, 24 * 366, 0, 24 * 400)))
    return {"kind": "absence", "seat": _about(match, fate), "from": begin, "until": until}


def _short_absence(match: Match, fate: Fate) -> JsonObject:
    begin = plus_hours(match.world.now, fate.pick((0, 24, -24)))
    until = plus_hours(begin, fate.pick((24, 48)))
    return {"kind": "absence", "seat": _about(match, fate), "from": begin, "until": until}


def _about(match: Match, fate: Fate) -> Seat:
    return someone(match, fate) or match.record.seats[0]


def _pause(match: Match, fate: Fate) -> JsonObject:
    return {"kind": "pause", "until": plus_hours(match.world.now, fate.pick((24, 24 * 60, 24 * 61, -5)))}


def expected(match: Match, seat: Seat) -> Identity:
    """Who the others agree to as the next player of this seat: somebody new after every change of its keys."""
    player = match.ledger.players.get(seat)
    who = Identity(secret(f"expected {seat} {player.sign.hex() if player else 'nobody'}"))
    match.keys[who.sign_public] = who
    return who


def substitute_terms(match: Match, seat: Seat) -> JsonObject:
    """What the others agree to so that somebody new takes this seat."""
    newcomer = fingerprint(expected(match, seat).sign_public)
    return {"kind": "substitute", "seat": seat, "newcomer": newcomer}


def _resume(match: Match, _: Fate) -> JsonObject:
    return {"kind": "pause", "until": match.world.now}


def _rewind(match: Match, fate: Fate) -> JsonObject:
    lines = [line for line in match.record.lines if "steps" in line.body][::-1] or list(
        match.record.lines[:1]
    )
    reference = fate.pick(lines[:6]).reference
    if fate.number(0, 3) == 3:
        reference = {**reference, "line": files.flipped(reference["line"])}
    return {"kind": "rewind", "to": reference}


def _rekey(match: Match, fate: Fate) -> JsonObject:
    seat, who = _about(match, fate), match.stranger()
    return {"kind": "rekey", "seat": seat, **files.keys(match, seat, who)}


def _bad_rekey(match: Match, fate: Fate) -> JsonObject:
    terms = _rekey(match, fate)
    bad = fate.pick((("sign", files.SMALL_ORDER), ("sign", files.OFF_CURVE), ("seal", files.SMALL_ORDER)))
    return {**terms, bad[0]: b64(bad[1])}


def _end(match: Match, fate: Fate) -> JsonObject:
    return fate.pick(({"kind": "end"}, {"kind": "end", "why": "supper"}))


TERMS: Final[dict[str, What]] = {
    "pause": _pause,
    "resume": _resume,
    "short absence": _short_absence,
    "resign": lambda match, fate: {"kind": "resign", "seat": _about(match, fate)},
    "substitute": lambda match, fate: substitute_terms(match, _about(match, fate)),
    "rewind": _rewind,
    "end": _end,
    "absence": _absence,
    "rekey": _rekey,
    "rekey to bad keys": _bad_rekey,
}
"""What there is to agree to."""


def partner(match: Match, fate: Fate) -> None:
    """All the others agree that somebody else takes a seat, or that it has new keys."""
    terms = TERMS[match.choose(fate, ("substitute", "rekey"))](match, fate)
    for seat in match.joined:
        if seat != terms["seat"]:
            match.send(files.consent(match, seat, terms))
    match.tell(f"the others agree to {terms}")


def newcomer(match: Match, fate: Fate) -> None:
    """The operator puts somebody new into a seat, with the consents that they have kept."""
    if not match.joined:
        return
    resigned = [seat for seat in match.joined if seat in match.ledger.resigned]
    seat = fate.pick((*resigned, *match.joined))
    fill(match, seat)


def fill(match: Match, seat: Seat) -> str:
    """The same for this seat; why it cannot be, if it cannot."""
    last = max(
        [match.ledger.players[seat].n, *(f["body"]["n"] for f in match.usable() if f["body"]["seat"] == seat)]
    )
    proposal = match.ledger.proposals.get(seat)
    if proposal is not None and proposal.what["kind"] == "rekey":
        return carry(match, seat)
    file = join_file(match, seat, expected(match, seat), "good", n=min(last + 1, 2**32 - 1))
    join, now, kept = message_of(file), match.world.now, match.usable()
    match.tell(f"somebody new joins as {seat}")
    return match.act("a newcomer", lambda record: substitute(record, match.host, join, kept, now))


def leaves(match: Match, fate: Fate) -> None:
    """A seat resigns, the others agree to somebody new, and the operator would seat them."""
    if not match.joined:
        return
    seat = fate.pick(match.joined)
    match.tell(f"{seat} resigns")
    match.send(files.consent(match, seat, {"kind": "resign", "seat": seat}))
    if fate.number(0, 2) and seat in match.ledger.proposals:
        match.world.now = max(match.world.now, match.ledger.proposals[seat].until)
    for other in match.joined:
        if other != seat:
            match.send(files.consent(match, other, substitute_terms(match, seat)))
    fill(match, seat)


def taken_again(match: Match, fate: Fate) -> None:
    """Somebody opens an invitation in a second browser: it is good until the seat's first turn."""
    if not match.joined:
        return
    seat = fate.pick(match.joined)
    join = message_of(join_file(match, seat, match.stranger(), "good", n=0))
    match.tell(f"the invitation of {seat} is opened again")
    match.act("a retake", lambda record: retake(record, match.host, join, match.world.now))


def carry(match: Match, seat: Seat) -> str:
    """The operator gives the seat the keys that the others proposed."""
    match.tell(f"the host gives {seat} the keys that were proposed")
    return match.act("carrying out", lambda record: carry_out(record, match.host, seat, match.world.now))


def proposed(match: Match, fate: Fate) -> None:
    """What was proposed is carried out, in time or before it, or taken back."""
    seats = [*match.ledger.proposals, *match.record.seats]
    seat = fate.pick(seats)
    proposal = match.ledger.proposals.get(seat)
    if proposal is not None and fate.number(0, 3):
        match.world.now = max(match.world.now, proposal.until)
    if fate.number(0, 3) == 3:
        match.tell(f"the host withdraws what was proposed about {seat}")
        match.act("a withdrawal", lambda record: withdraw(record, match.host, seat, match.world.now))
    elif proposal is not None:
        fill(match, seat)


def end(match: Match, fate: Fate) -> None:
    """The operator ends the match by the consents they have kept."""
    why = fate.pick(("", "supper"))
    match.tell("the host ends the match")
    match.act("an end", lambda record: end_early(record, match.host, why, match.usable(), match.world.now))


AGREEMENTS: Final[dict[str, Move]] = {
    "agree": agree,
    "agree to a new player": partner,
    "newcomer": newcomer,
    "proposed": proposed,
    "leaves": leaves,
    "taken again": taken_again,
    "end": end,
}
