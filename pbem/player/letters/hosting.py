"""What a player must know of a host who plays, or who serves the page: the same words wherever a player looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from pbem.base.sentences import Sentence, joined, sentence
from pbem.game import JsonObject, Seat
from pbem.player.letters.layout import clean_name
from pbem.player.letters.letter import Line
from pbem.protocol.record.kinds.retake import retake_fault
from pbem.protocol.record.ledger import Ledger

_IN_PAGE: Final = b'"served":true'
"""In a canonical record, where quotes inside a text are escaped: a file in it was made in a page that the host serves.
A host whose match went from a folder into a service serves one that genesis does not name (schemas/README.md §4.4)."""


class Hosted(Protocol):
    """A record as far as it says who hosts."""

    @property
    def genesis(self) -> JsonObject:
        """The body of record 0."""

    @property
    def lines(self) -> Sequence[Line]:
        """All records."""


def host_plays(
    record: Hosted, names: Mapping[Seat, str], served: str = "", upto: int | None = None
) -> Sentence | None:
    """Who hosts and plays, what that player could see, and what not even that player can do; None if nobody does.

    Args:
        record: who hosts it.
        names: the players' names; a seat that nobody has taken yet is called by its id.
        served: the host's name, where the host also serves the page that this is read on: then nothing that the page
            does is sure, and what the host could do with another page is said in place of what the host cannot do.
        upto: as it stands after this record; after the newest if None.
    """
    host = record.genesis["host"]
    seat = host.get("seat")
    if seat is None:
        return host_serves(served) if served else None
    lines = record.lines if upto is None else record.lines[: upto + 1]
    paged = "page" in host or any(_IN_PAGE in line.raw for line in lines)
    name = clean_name(names.get(Seat(seat), "")) or str(seat)
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
                "{name} also serves a web app to play in. As long as another program made one part of the"
                " shuffle, {name} alone cannot choose a card or die. No record can show whether one did.",
                name=name,
            )
            if paged
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
        "Until a seat's first turn, anyone with its invitation could take it, and the host has every invitation."
    )


def host_serves(name: str) -> Sentence:
    """What a host who serves the page could do with a page that is not the released one."""
    return sentence(
        "{name} also serves this web app. With a changed one {name} could see your cards, play in your name and"
        " keep your keys for good. If all of you use it, {name} could choose cards too.",
        name=clean_name(name),
    )
