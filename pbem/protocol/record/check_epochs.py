"""Steps 4 and 5 of schemas/README.md §11: announcements, burns, defaults; links complete, entropy and cut."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pbem.base.sentences import sentence
from pbem.base.values import replace
from pbem.game import JsonObject, Seat
from pbem.protocol.crypto.digest import unb64
from pbem.protocol.draws.deck import cut, entropy
from pbem.protocol.record.fault import Fault
from pbem.protocol.record.ledger import Epoch, Generation, Ledger, TapeRun
from pbem.protocol.record.line import Line
from pbem.protocol.record.takeover import link_lost, lost_link_overdue
from pbem.protocol.record.waiting import (
    awaited_seat,
    awaited_seats,
    between_epochs,
    default_from,
    excused_left,
    overdue_from,
)

# --- announce ---------------------------------------------------------------------------------------------


def check_announce(ledger: Ledger, line: Line) -> Iterator[Fault]:
    """The next number, the seats that were not burned, the decks and tapes this game needs."""
    body = line.body
    newest = ledger.newest
    expected = 1 if newest is None else newest.number + 1
    if body["epoch"] != expected:
        yield Fault(line.seq, 4, "epoch-number", f"expected epoch {expected}, found {body['epoch']}")
    if not ledger.complete:
        yield Fault(line.seq, 4, "early", "an announcement before every seat has joined")
    if newest is not None and newest.opened is None and not newest.burned:
        yield Fault(line.seq, 4, "early", f"epoch {newest.number} is neither opened nor burned yet")
    seats = announced_seats(ledger)
    if sorted(body["seats"]) != sorted(seats):  # their order means nothing: entropy takes byte order
        yield Fault(
            line.seq,
            4,
            "epoch-seats",
            f"expected the seats {', '.join(seats)}, found {', '.join(body['seats'])}",
        )
    yield from _check_laid(ledger, line)


def check_promised(ledger: Ledger, line: Line) -> Iterator[Fault]:
    """After an opening with somebody to act, and after a burn, the next epoch is announced (schemas/README.md §5).

    A host who could lay the next deck later would let a seat play on without owing its link.
    """
    before = ledger.head
    asked = before.kind == "open" and before.body["public"].get("waiting") is not None
    if (asked or before.kind == "burn") and line.kind != "announce":
        yield Fault(line.seq, 4, "late", f"the next announcement must follow record {before.seq} at once")


def announced_seats(ledger: Ledger) -> tuple[Seat, ...]:
    """Who gives a link to the next epoch: everybody but those burned out and silent since (schemas/README.md §5).

    The seat of a host who plays is never among them: whoever lays the deck adds nothing to its cut.
    """
    return tuple(seat for seat in ledger.linking if seat not in ledger.burned_out)


def _check_laid(ledger: Ledger, line: Line) -> Iterator[Fault]:
    decks, tapes = line.body.get("decks", {}), line.body.get("tapes", {})
    if set(decks) != set(ledger.info.decks):
        yield Fault(
            line.seq, 4, "decks", f"expected the decks {sorted(ledger.info.decks)}, found {sorted(decks)}"
        )
    for name, deck in decks.items():
        size = len(ledger.info.decks.get(name, ()))
        if len(deck["leaves"]) != size:
            yield Fault(
                line.seq, 4, "decks", f"deck {name}: expected {size} leaves, found {len(deck['leaves'])}"
            )
    if set(tapes) != set(ledger.info.tapes):
        yield Fault(
            line.seq, 4, "tapes", f"expected the tapes {sorted(ledger.info.tapes)}, found {sorted(tapes)}"
        )


def take_announce(ledger: Ledger, line: Line) -> None:
    """Take an announcement into the ledger."""
    body = line.body
    number, newest = body["epoch"], ledger.newest
    decks: Mapping[str, tuple[Generation, ...]] = {
        name: (Generation(0, tuple(deck["leaves"]), seq=line.seq),)
        for name, deck in body.get("decks", {}).items()
    }
    tapes: Mapping[str, TapeRun] = {
        name: TapeRun(unb64(tape["anchor"], 32), tape["length"], 0, unb64(tape["anchor"], 32))
        for name, tape in body.get("tapes", {}).items()
    }
    ledger.epochs[number] = Epoch(
        number,
        unb64(body["commit"], 32),
        tuple(Seat(seat) for seat in body["seats"]),
        line,
        decks,
        tapes,
        links={},
        again=_laid_again(newest) if newest is not None and newest.burned else (),
        thrown_away=newest.thrown_away + 1 if newest is not None and newest.burned else 0,
        left_out=tuple(seat for seat in ledger.linking if seat not in body["seats"]),
    )


def _laid_again(burned: Epoch) -> tuple[Seat, ...]:
    """For whose missing links the epoch after this one is laid again."""
    return tuple(dict.fromkeys((*burned.again, *burned.burned_for)))


# --- open -------------------------------------------------------------------------------------------------


def check_open(ledger: Ledger, line: Line) -> Iterator[Fault]:
    """All links are in, and the epoch before is over."""
    epoch = ledger.newest
    if epoch is None or epoch.number != line.body["epoch"] or epoch.burned or epoch.opened is not None:
        yield Fault(line.seq, 5, "open", f"epoch {line.body['epoch']} is not waiting to be opened")
        return
    if epoch.missing:
        yield Fault(line.seq, 5, "link-missing", f"opened without the link of {', '.join(epoch.missing)}")
    before = ledger.running
    if before is not None and ledger.reveal == "epoch" and before.closed is None:
        yield Fault(line.seq, 5, "open", f"epoch {before.number} was not closed before epoch {epoch.number}")


def take_open(ledger: Ledger, line: Line) -> None:
    """The entropy is known now: cut every deck."""
    epoch = ledger.epochs.get(line.body["epoch"])
    if epoch is None or epoch.opened is not None:
        return
    sound = epoch.sound and not epoch.missing
    ledger.epochs[epoch.number] = opened_epoch(ledger.game, replace(epoch, opened=line.seq, sound=sound))


def opened_epoch(game: bytes, epoch: Epoch) -> Epoch:
    """The epoch with its entropy and every deck's cut."""
    value = entropy(game, epoch.number, {str(seat): link for seat, link in epoch.links.items()})
    decks = {
        name: tuple(replace(g, cut=cut(value, name, g.number, len(g.leaves))) for g in generations)
        for name, generations in epoch.decks.items()
    }
    return replace(epoch, entropy=value, decks=decks)


# --- burn, default, extend --------------------------------------------------------------------------------


def check_burn(ledger: Ledger, line: Line) -> Iterator[Fault]:
    """A burn: links really missing, their seats overdue, epoch not the first and not open (schemas/README.md §5)."""
    body = line.body
    reason = burn_fault(ledger, body["epoch"], tuple(map(Seat, body["missing"])), line.at)
    if reason:
        yield Fault(line.seq, 4, "burn", reason)


def burn_fault(ledger: Ledger, number: int, missing: tuple[Seat, ...], at: str) -> str:
    """Why epoch ``number`` may not be burned for ``missing`` at this time; empty if it may.

    A link that nobody can give any more has its full time too (``lost_link_overdue``).
    """
    epoch = ledger.newest
    if epoch is None or epoch.number != number or epoch.opened is not None or epoch.burned:
        return sentence("epoch {number} is not waiting to be opened", number=number)
    if number == 1:
        return sentence("the first epoch is never burned")
    if not missing or any(seat not in epoch.missing for seat in missing):
        return sentence(
            "the links of {missing} are missing, not those of {named}",
            missing=", ".join(epoch.missing) or sentence("nobody"),
            named=", ".join(missing),
        )
    for seat in missing:
        if not _link_overdue(ledger, epoch, seat, at):
            return sentence("the link of {seat} is not overdue", seat=seat)
    if set(announced_seats(ledger)) <= set(missing):
        return sentence(
            "a burn must leave at least one seat to announce the next epoch to: wait until one of the others writes"
        )
    return ""


def seats_to_burn(ledger: Ledger, at: str) -> tuple[Seat, ...]:
    """For whose links the newest epoch may be burned at this time; nobody if it may not."""
    epoch = ledger.newest
    if epoch is None:
        return ()
    late = tuple(seat for seat in epoch.missing if not burn_fault(ledger, epoch.number, (seat,), at))
    return () if burn_fault(ledger, epoch.number, late, at) else late


def _link_overdue(ledger: Ledger, epoch: Epoch, seat: Seat, at: str) -> bool:
    running = ledger.running
    if ledger.paused is not None:
        return False
    if link_lost(ledger, epoch, seat):
        limit = lost_link_overdue(ledger, seat)
        return limit is not None and at >= limit
    if running is not None and not between_epochs(ledger):
        return seat in running.defaulted and seat in ledger.silent  # one that wrote since has its time again
    limit = overdue_from(ledger, seat)
    return limit is not None and at >= limit


def take_burn(ledger: Ledger, line: Line) -> None:
    """Mark the epoch burned and leave the missing seats out until they write again."""
    epoch = ledger.epochs.get(line.body["epoch"])
    if epoch is None:
        return
    ledger.epochs[epoch.number] = replace(
        epoch, burned=True, burned_for=tuple(map(Seat, line.body["missing"]))
    )
    ledger.burned_out |= {Seat(seat) for seat in line.body["missing"]}


def check_default(ledger: Ledger, line: Line) -> Iterator[Fault]:
    """A default: the seat is the one waited for, and its time is up."""
    reason = default_fault(ledger, Seat(line.body["seat"]), line.at)
    if reason:
        yield Fault(line.seq, 4, "default", reason)


def default_fault(ledger: Ledger, seat: Seat, at: str) -> str:
    """Why no default may be recorded for ``seat`` at this time; empty if it may."""
    asked = awaited_seat(ledger)
    if ledger.paused is not None:
        return sentence("the match is paused")
    if asked != seat:
        return sentence(
            "the match waits for {asked}, not for {seat}", asked=asked or sentence("nobody"), seat=seat
        )
    if ledger.deadlines.then == "wait" and seat not in ledger.resigned:
        return sentence("this match agreed to wait; no default turns are played")
    limit = overdue_from(ledger, seat)
    if limit is None or at < limit or excused_left(ledger, seat):
        limit = default_due(ledger, seat)
        return sentence(
            "a default of {seat} is due from {limit} on, not at {at}", seat=seat, limit=limit, at=at
        )
    return ""


def default_due(ledger: Ledger, seat: Seat) -> str | None:
    """From when on a default of ``seat`` may be recorded, if the match waits for it."""
    return default_from(ledger, seat)


def check_extend(ledger: Ledger, line: Line) -> Iterator[Fault]:
    """An extension only ever gives more time, to somebody who is in the match."""
    body: JsonObject = line.body
    if body["seat"] not in awaited_seats(ledger):
        yield Fault(line.seq, 4, "extend", f"the match does not wait for {body['seat']}")
    if ledger.due is None:
        yield Fault(line.seq, 4, "extend", "nobody is awaited")
    elif body["due"] < ledger.due:
        yield Fault(line.seq, 4, "extend", f"the time of {body['seat']} was {ledger.due}, not less")
