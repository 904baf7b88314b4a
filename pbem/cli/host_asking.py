"""What ``pbem host`` asks before a match: which game, who plays, whether the host has a seat."""

from __future__ import annotations

from typing import Final

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.cli.asking import Asking
from pbem.cli.clients import clock
from pbem.cli.console import fail, say
from pbem.games import find_game, game_ids
from pbem.host.contacts import Contacts
from pbem.player.mail.outgoing import check_address
from pbem.player.store.keyring import file_name_for
from pbem.protocol.crypto.identity import SECRET_SIZE, Identity
from pbem.protocol.referee import MatchPlan, create_match

_LONGEST: Final = 16
"""Characters of a seat."""


@dataclass(frozen=True, slots=True)
class Invitee:
    """Somebody who is to play: his seat, and his address if emails shall go to him."""

    seat: str
    address: str = ""


@dataclass(frozen=True, slots=True)
class WantedMatch:
    """A match as it was asked for."""

    game: str
    people: tuple[Invitee, ...]
    plays: str | None

    def plan(self) -> MatchPlan:
        """What the referee makes of it."""
        return MatchPlan(self.game, [person.seat for person in self.people], plays=self.plays)

    def contacts(self, name: str, mail: str, title: str, lang: str) -> Contacts:
        """What is noted beside it."""
        addresses = {person.seat: person.address for person in self.people if person.address}
        return Contacts(name, mail, title, lang, addresses)


def ask_match(ask: Asking, host: str) -> WantedMatch:
    """Four questions; what the rules do not allow is asked again. ``host`` is what the host is called."""
    games = game_ids()
    titles = [find_game(game).info.title for game in games]
    _say(ask, sentence("Which game?"))
    game = games[ask.which(sentence("Number"), titles)]
    while True:
        people = ask.until_right(
            sentence("Who else plays? Names, with an email address for those who want emails"), read_people
        )
        plays = ask.yes(sentence("Do you play yourself?"))
        try:
            own = (Invitee(seat_of(host)),) if plays else ()
            wanted = WantedMatch(game, distinct((*own, *people)), own[0].seat if own else None)
            create_match(wanted.plan(), Identity(bytes(SECRET_SIZE)), bytes(16), clock())
        except UsageProblem as fault:
            fail(fault)
            continue
        return wanted


def read_people(text: str) -> tuple[Invitee, ...]:
    """``Burt, Curt curt@example.org`` as people, in this order.

    Raises:
        UsageProblem: a name that gives no seat, or an address that is none.
    """
    invitees: list[Invitee] = []
    for part in text.split(","):
        words = part.replace("<", " <").split()
        if not words:
            continue
        address = words.pop().removeprefix("<").removesuffix(">") if "@" in words[-1] else ""
        name = " ".join(words) or address.partition("@")[0]
        if set("<>") & set(name + address):
            raise UsageProblem(
                sentence("{part!r} is not a name", part=part.strip()),
                hint=sentence("Like this: Burt, Curt, Dora dora@example.org"),
            )
        invitees.append(Invitee(seat_of(name), check_address(address) if address else ""))
    if not invitees:
        raise UsageProblem(
            sentence("nobody was named"), hint=sentence("Like this: Burt, Curt, Dora dora@example.org")
        )
    return distinct(invitees)


def seat_of(name: str) -> str:
    """The seat of somebody who is called so."""
    plain = file_name_for(name)[:_LONGEST].strip("-")
    return plain if plain[0].isalpha() else f"s-{plain}"[:_LONGEST]


def distinct(people: tuple[Invitee, ...] | list[Invitee]) -> tuple[Invitee, ...]:
    """The same people, if no two have one seat; ``UsageProblem`` if they do."""
    seats = [person.seat for person in people]
    twice = [seat for seat in seats if seats.count(seat) > 1]
    if twice:
        raise UsageProblem(
            sentence("two are called {name}", name=twice[0].capitalize()),
            hint=sentence(
                "Call one of them otherwise; the others read the name that a player gives on joining."
            ),
        )
    return tuple(people)


def _say(ask: Asking, words: str) -> None:
    say(ask.language.tell(words))
