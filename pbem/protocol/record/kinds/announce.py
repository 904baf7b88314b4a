"""The announcement of an epoch: decks and tapes are laid before anybody knows a link to it (schemas/README.md §5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pbem.base.sentences import sentence
from pbem.game import JsonObject, Seat
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.draws import LENGTH, chain, lay, seed_commit, tape_label
from pbem.protocol.record.kind import Kind, RulingContext
from pbem.protocol.record.ledger import Epoch, Generation, Ledger, TapeRun
from pbem.protocol.record.line import Fault, Indexed, Line, differs
from pbem.protocol.record.takeover import links_by


def _check(ledger: Ledger, line: Line) -> Iterator[Fault]:
    """The next number, the seats that were not burned, the decks and tapes this game needs."""
    body = line.body
    newest = ledger.newest
    expected = 1 if newest is None else newest.number + 1
    if body["epoch"] != expected:
        yield line.fault(4, "epoch-number", differs(sentence("number of the deal"), expected, body["epoch"]))
    if not ledger.complete:
        yield line.fault(4, "early", "a deal was announced before every seat had joined")
    if newest is not None and newest.opened is None and not newest.burned:
        yield line.fault(
            4, "early", "deal {number} was neither dealt nor voided before", number=newest.number
        )
    seats = announced_seats(ledger)
    if sorted(body["seats"]) != sorted(seats):  # their order means nothing: entropy takes byte order
        yield line.fault(
            4,
            "epoch-seats",
            differs(sentence("seats of the deal"), ", ".join(seats), ", ".join(body["seats"])),
        )
    yield from _check_committed(ledger, line)


def announced_seats(ledger: Ledger) -> tuple[Seat, ...]:
    """Who gives a link to the next epoch: everybody but those burned out and silent since (schemas/README.md §5).

    The seat of a host who plays is never among them: whoever lays the deck adds nothing to its cut.
    """
    return tuple(seat for seat in ledger.linking if seat not in ledger.burned_out)


def _check_committed(ledger: Ledger, line: Line) -> Iterator[Fault]:
    decks, tapes = line.body.get("decks", {}), line.body.get("tapes", {})
    if set(decks) != set(ledger.info.decks):
        yield line.fault(
            4,
            "decks",
            differs(
                sentence("decks or dice sequence"),
                ", ".join(sorted(ledger.info.decks)),
                ", ".join(sorted(decks)),
            ),
        )
    for name, deck in decks.items():
        size = len(ledger.info.decks.get(name, ()))
        if len(deck["leaves"]) != size:
            yield line.fault(
                4, "decks", differs(sentence("cards in {deck}", deck=name), size, len(deck["leaves"]))
            )
    if set(tapes) != set(ledger.info.tapes):
        yield line.fault(
            4,
            "tapes",
            differs(
                sentence("decks or dice sequence"),
                ", ".join(sorted(ledger.info.tapes)),
                ", ".join(sorted(tapes)),
            ),
        )


def _take(ledger: Ledger, line: Line) -> None:
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
        again=_committed_again(newest) if newest is not None and newest.burned else (),
        retaken=newest is not None and newest.burned and ledger.running is None,
        thrown_away=newest.thrown_away + 1 if newest is not None and newest.burned else 0,
        left_out=tuple(seat for seat in ledger.linking if seat not in body["seats"]),
    )
    if ledger.awaited is None:
        ledger.due, ledger.asked = body.get("due"), line.seq


def _committed_again(burned: Epoch) -> tuple[Seat, ...]:
    """For whose missing links the epoch after this one is laid again."""
    return tuple(dict.fromkeys((*burned.again, *burned.burned_for)))


def _due(ledger: Ledger, line: Line) -> str | None:
    return links_by(ledger, map(Seat, line.body["seats"]), line.at)


def _audience(line: Indexed, seats: Sequence[Seat]) -> Sequence[Seat]:
    """The first is the roster, and goes to all."""
    return seats if line.body["epoch"] == 1 else ()


def announce(context: RulingContext) -> Line:
    """Lay the decks and tapes of the next epoch."""
    ledger, game = context.ledger, context.ledger.game
    number = max(ledger.epochs, default=0) + 1
    seed = context.openings.seed(number)
    seats = announced_seats(ledger)
    members: JsonObject = {
        "epoch": number,
        "commit": b64(seed_commit(game, number, seed)),
        "seats": list(seats),
        "due": links_by(ledger, seats, context.at),
    }
    info = ledger.info
    if info.decks:
        members["decks"] = {
            name: {"gen": 0, "leaves": [b64(x) for x in lay(seed, game, number, name, 0, cards).leaves]}
            for name, cards in info.decks.items()
        }
    if info.tapes:
        members["tapes"] = {
            name: {"anchor": b64(chain(tape_label(name, number), game, seed)[0]), "length": LENGTH}
            for name in info.tapes
        }
    return context.add(ANNOUNCE.name, members)


ANNOUNCE: Final = Kind(
    "announce", _check, _take, due=_due, follows=True, asks_links=True, audience=_audience, letter="roster"
)
