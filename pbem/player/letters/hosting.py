"""What a player must know of a host who plays, or who serves the page: the same words wherever a player looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from pbem.base.language import moment_of
from pbem.base.sentences import Sentence, joined, sentence
from pbem.game import JsonObject, Seat
from pbem.player.letters.layout import clean_name
from pbem.player.letters.letter import Line
from pbem.protocol.record.kinds.end import END
from pbem.protocol.record.kinds.handover import HANDOVER
from pbem.protocol.record.kinds.object import OBJECT
from pbem.protocol.record.kinds.retake import retake_fault
from pbem.protocol.record.kinds.retire import RETIRE
from pbem.protocol.record.kinds.withdraw import WITHDRAW
from pbem.protocol.record.ledger import Ledger
from pbem.protocol.record.line import Index

_ENDS: Final = tuple(kind.name for kind in (OBJECT, HANDOVER, WITHDRAW, END))
"""Records by which it is no more true that the match is being given to another host."""

_IN_PAGE: Final = b'"served":true'
"""In a canonical record, where quotes inside a text are escaped: a file in it was made in a page that the host serves.
A host who took a match over from a folder serves one that genesis does not name (schemas/README.md §4.4)."""


class Hosted(Protocol):
    """A record as far as it says who hosts."""

    @property
    def genesis(self) -> JsonObject:
        """The body of record 0."""

    @property
    def lines(self) -> Sequence[Line]:
        """All records."""

    @property
    def index(self) -> Index:
        """Where things stand among them."""


def host_plays(
    record: Hosted, names: Mapping[Seat, str], served: str = "", upto: int | None = None
) -> Sentence | None:
    """Who hosts and plays, what that player could see, and what not even that player can do; None if nobody does.

    Of a match that went to another host, what the one before still knows comes behind it.

    Args:
        record: who hosts it.
        names: the players' names; a seat that nobody has taken yet is called by its id.
        served: the host's name, where the host also serves the page that this is read on: then nothing that the page
            does is sure, and what the host could do with another page is said in place of what the host cannot do.
        upto: as it stands after this record; after the newest if None.
    """
    last = len(record.lines) - 1 if upto is None else upto
    taken = [record.lines[seq] for seq in record.index.of_kinds((HANDOVER.name,), last)]
    hosts = [record.genesis["host"], *(record.lines[line.body["proposal"]].body["host"] for line in taken)]
    before = taken[-1].seq if taken else 0
    host = hosts[-1]
    paged = "page" in host or (
        "seat" in host and any(_IN_PAGE in record.lines[seq].raw for seq in range(before + 1, last + 1))
    )
    text = _all(_plays(host, names, served, paged=paged), _goes(record, last))
    if not taken:
        return text
    former = hosts[-2].get("seat")
    when = moment_of(taken[-1].body["at"], record.lines[last].body["at"])
    knows = (
        sentence(
            "Since {when} another host has this match. The host before knows what was dealt, shuffled or sealed"
            " until then, and no more.",
            when=when,
        )
        if former is None
        else sentence(
            "Since {when} another host has this match. {name}, who hosted before and plays, knows what was dealt,"
            " shuffled or sealed until then, and no more.",
            when=when,
            name=clean_name(names.get(former, "")) or str(former),
        )
    )
    return _all(text, knows)


def _all(*sentences: Sentence | None) -> Sentence | None:
    said = [text for text in sentences if text is not None]
    return joined(said, " ") if said else None


def _goes(record: Hosted, last: int) -> Sentence | None:
    """That the match is being given to another host, as long as somebody can stop it."""
    retired = record.index.of_kinds((RETIRE.name,), last)
    if not retired:
        return None
    line = record.lines[retired[-1]]
    for seq in record.index.of_kinds(_ENDS, last):
        if seq > line.seq and record.lines[seq].body.get("proposal", line.seq) == line.seq:
            return None
    return sentence(
        "The host gives this match to another host after {until}. Any player's 'pbem consent MATCH object' stops"
        " it until then.",
        until=moment_of(line.body["until"], record.lines[last].body["at"]),
    )


def _plays(host: JsonObject, names: Mapping[Seat, str], served: str, *, paged: bool) -> Sentence | None:
    seat = host.get("seat")
    if seat is None:
        return host_serves(served) if served else None
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
