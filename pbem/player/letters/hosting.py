"""What a player must know of a host who plays, or who serves the page: the same words wherever a player looks."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.base.sentences import Sentence, joined, sentence
from pbem.game import JsonObject, Seat
from pbem.player.letters.layout import clean_name
from pbem.protocol.record.host_seat import host_seat
from pbem.protocol.record.kinds.retake import retake_fault
from pbem.protocol.record.ledger import Ledger


def host_plays(genesis: JsonObject, names: Mapping[Seat, str], served: str = "") -> Sentence | None:
    """Who hosts and plays, what that player could see, and what not even that player can do; None if nobody does.

    Args:
        genesis: the body of record 0.
        names: the players' names; a seat that nobody has taken yet is called by its id.
        served: the host's name, where the host also serves the page that this is read on: then nothing that the page
            does is sure, and what the host could do with another page is said in place of what the host cannot do.
    """
    seat = host_seat(genesis)
    if seat is None:
        return host_serves(served) if served else None
    name = clean_name(names.get(seat, "")) or str(seat)
    name = name.capitalize() if name == str(seat) else name
    return joined(
        (
            sentence(
                "{name} hosts and plays, and could look at every hand, every order and every card or die to come.",
                name=name,
            ),
            host_serves(name)
            if served
            else sentence(
                "Alone, {name} cannot choose a card or die as long as another player's part of the shuffle is in it.",
                name=name,
            ),
            sentence("A hand that is dealt again is marked, with who else could have compared the two."),
        ),
        " ",
    )


def invitations_hold(ledger: Ledger) -> Sentence | None:
    """Who could still take a seat by its invitation (schemas/README.md §10.10); None if nobody can any more."""
    return None if all(retake_fault(ledger, seat) for seat in ledger.seats) else invitation_holds()


def invitation_holds() -> Sentence:
    """Until when a seat can be taken by its invitation, and by whom."""
    return sentence(
        "Until the seat's first turn, whoever holds its invitation, the host first, could take it."
    )


def host_serves(name: str) -> Sentence:
    """What a host who serves the page could do with a page that is not the released one."""
    return sentence(
        "{name} also serves this page: with a changed page {name} could see your cards, play in your name, keep your"
        " keys for good and, if all of you use it, choose cards.",
        name=clean_name(name),
    )
