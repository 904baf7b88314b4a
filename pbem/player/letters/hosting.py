"""What a player must know of a host who plays: one sentence, the same wherever a player looks."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.base.sentences import Sentence, joined, sentence
from pbem.game import JsonObject, Seat
from pbem.player.letters.layout import clean_name
from pbem.protocol.record.host_seat import host_seat


def host_plays(genesis: JsonObject, names: Mapping[Seat, str]) -> Sentence | None:
    """Who hosts and plays, what that player could see, and what not even that player can do; None if nobody does.

    Args:
        genesis: the body of record 0.
        names: the players' names; a seat that nobody has taken yet is called by its id.
    """
    seat = host_seat(genesis)
    if seat is None:
        return None
    name = clean_name(names.get(seat, "")) or str(seat)
    name = name.capitalize() if name == str(seat) else name
    return joined(
        (
            sentence(
                "{name} hosts and plays, and could look at every hand, every order and every card or die to come.",
                name=name,
            ),
            sentence(
                "Alone, {name} cannot choose a card or die as long as another player's part of the shuffle is in it.",
                name=name,
            ),
            sentence("A hand that is dealt again is marked, with who else could have compared the two."),
        ),
        " ",
    )
