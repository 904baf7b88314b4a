"""What an organiser sees while ``pbem host`` runs, and the keys that do something: links, a new match, a rematch.

It runs in a thread of its own, with a service of its own at the same database, beside the loop that fetches, rules and
sends. It prints public things only: who took which seat, who is awaited until when, what the service had to tell.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from pbem.base import system
from pbem.base.errors import PbemError, UsageProblem
from pbem.base.language import Language
from pbem.base.sentences import joined, sentence
from pbem.base.values import dataclass
from pbem.cli.clients import clock
from pbem.cli.console import coloured, fail, say, tell
from pbem.cli.first_start import Asking
from pbem.cli.identities import squares
from pbem.cli.service_serve import BackgroundLoop
from pbem.game import JsonObject
from pbem.games import find_game, game_ids
from pbem.host.contacts import Contacts
from pbem.host.database.mail import MailNotes
from pbem.host.service.answers import links_words
from pbem.host.service.begin import begin, begin_again
from pbem.host.service.links import SeatLink, SeatLinks
from pbem.host.service.service import Service
from pbem.player.mail.outgoing import check_address
from pbem.player.store.keyring import file_name_for
from pbem.protocol.crypto.identity import SECRET_SIZE, Identity
from pbem.protocol.record.deadlines import parse_time
from pbem.protocol.referee import MatchPlan, create_match

_EVERY: Final = 1.0
"""Seconds between two looks at what has changed."""
_KEY: Final = 0.25
"""Seconds that the terminal is asked for a key at a time."""


class Watch:
    """The organiser's terminal, as a context: it looks and listens until it is left.

    Args:
        beside: what it runs beside.
        language: the organiser's.
        first: a match to begin with, from the first start in this folder.
    """

    def __init__(self, beside: BackgroundLoop, language: Language, first: WantedMatch | None = None) -> None:
        self._beside = beside
        self._language = language
        self._ask = Asking(language)
        self._first = first
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._work, name="watch", daemon=True)
        self._seen: dict[str, str] = {}
        """What was told last of each match."""
        self._taken: set[tuple[str, str, str]] = set()
        """Match, seat and fingerprint of who sits there, as told."""
        self._told = ""
        """The newest note that was told."""
        self._fault = ""

    def __enter__(self) -> Watch:
        """Begin."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End; the terminal is as it was."""
        self._end.set()
        self._thread.join(2)
        self._say(sentence("Stopped. 'pbem host' in this folder goes on."))

    # --- the thread ---------------------------------------------------------------------------------------

    def _work(self) -> None:
        service = self._beside.make()
        try:
            self._guarded(lambda: self._begin(service))
            while not self._end.is_set():
                self._guarded(lambda: self._look(service))
                self._listen(service)
        finally:
            service.close()

    def _guarded(self, work: Callable[[], object]) -> None:
        """Whatever goes wrong is said; the match goes on beside it."""
        try:
            work()
        except PbemError as fault:
            tell(self._language.fault(fault))

    def _begin(self, service: Service) -> None:
        with service.context.database.reading() as transaction:
            notes = MailNotes(transaction).newest(1)
        self._told = notes[0][0] if notes else ""
        if self._first is not None:
            self._new(service, self._first)
            service.context.heads.write()
        if self._beside.elsewhere is not None:
            self._beside.elsewhere()
            self._say(
                sentence("A copy of everything lies in {folder}.", folder=self._beside.elsewhere.folder)
            )
        if self._first is None:
            self._links(service)
        self._help()

    def _new(self, service: Service, wanted: WantedMatch) -> None:
        """A match as it was asked for, with its invitations on their way or its links on the screen."""
        config = self._beside.config
        title = config.folder.resolve().name
        address = config.operator
        short = begin(service, wanted.plan(), wanted.contacts(config.name, address, title, config.language))
        self._say(sentence("Match {short} is made.", short=short))
        self._show(service, short)

    # --- looking ------------------------------------------------------------------------------------------

    def _look(self, service: Service) -> None:
        for status in service.matches.status(language=self._language):
            short, told = status["match"], _standing(status)
            self._say_taken(service, short)
            if self._seen.get(short) != told:
                self._seen[short] = told
                self._say(
                    joined(
                        (f"{service.context.clock().astimezone():%H:%M}  {status['title']} {short}", told),
                        ": ",
                    )
                )
        with service.context.database.reading() as transaction:
            notes = [note for note in reversed(MailNotes(transaction).newest(20)) if note[0] > self._told]
        for since, _, _, text in notes:
            self._told = since
            say(text)
        elsewhere = self._beside.elsewhere
        if elsewhere is not None and elsewhere.fault != self._fault:
            self._fault = elsewhere.fault
            told = sentence(
                "the copy in {folder} is not up to date: {fault}", folder=elsewhere.folder, fault=self._fault
            )
            tell(self._language.tell(told if self._fault else sentence("the copy is up to date again")))

    def _say_taken(self, service: Service, short: str) -> None:
        for seat_link in SeatLinks(service.context).all(short):
            found = (short, seat_link.seat, seat_link.fingerprint)
            if seat_link.name and found not in self._taken:
                self._taken.add(found)
                self._say(
                    sentence(
                        "{name} has taken the seat {seat}, key fingerprint {fingerprint}.",
                        name=seat_link.name,
                        seat=seat_link.seat,
                        fingerprint=seat_link.fingerprint,
                    )
                )

    # --- keys ---------------------------------------------------------------------------------------------

    def _listen(self, service: Service) -> None:
        """A key, or the time until the next look."""
        if not sys.stdin.isatty():
            self._end.wait(_EVERY)
            return
        for _ in range(round(_EVERY / _KEY)):
            if self._end.is_set():
                return
            key = ""
            with suppress(OSError, ValueError):
                key = system.answer(b"", bool, 1, _KEY).decode("ascii", "ignore").lower()
            if key:
                self._guarded(lambda key=key: self._do(service, key))  # type: ignore[misc]
                return

    def _do(self, service: Service, key: str) -> None:
        acts: dict[str, Callable[[], object]] = {
            "l": lambda: self._links(service),
            "s": lambda: self._status(service),
            "n": lambda: self._new(service, ask_match(self._ask, self._beside.config.name)),
            "r": lambda: self._again(service),
            "w": lambda: self._withdraw(service),
            "q": self._beside.stop,
        }
        acts.get(key, self._help)()
        service.context.heads.write()

    def _help(self) -> None:
        self._say(
            sentence(
                "Keys: l links, s standing, w another link for a seat, n another match, r rematch, q quit."
            )
        )

    def _status(self, service: Service) -> None:
        self._seen.clear()
        self._look(service)

    def _links(self, service: Service) -> None:
        for short in self._running(service):
            self._show(service, short)

    def _running(self, service: Service) -> list[str]:
        return [one["match"] for one in service.matches.status() if not one["over"]]

    def _again(self, service: Service) -> None:
        over = [one["match"] for one in service.matches.status(language=self._language) if one["over"]]
        if not over:
            self._say(sentence("No match is over yet."))
            return
        short = begin_again(service, over[-1])
        self._say(sentence("Match {short} is made.", short=short))
        self._show(service, short)

    def _withdraw(self, service: Service) -> None:
        """Which seat's link; it opens nothing any more, and another one is shown."""
        rows = [
            (short, one)
            for short in self._running(service)
            for one in SeatLinks(service.context).all(short)
            if one.url
        ]
        if not rows:
            self._say(sentence("There is no link that could be withdrawn."))
            return
        self._say(sentence("Whose link is withdrawn, and given again?"))
        chosen = self._ask.which(sentence("Number"), [f"{one.seat} ({short})" for short, one in rows])
        short, one = rows[chosen]
        self._print(SeatLinks(service.context).renew(short, one.seat))

    # --- printing -----------------------------------------------------------------------------------------

    def _show(self, service: Service, short: str) -> None:
        """Every seat of a match: its link and QR code, or who took it."""
        for seat_link in SeatLinks(service.context).all(short):
            self._print(seat_link)

    def _print(self, one: SeatLink) -> None:
        facts: JsonObject = {
            "seat": one.seat,
            "link": one.url,
            "name": one.name,
            "at": one.at,
            "fingerprint": one.fingerprint,
        }
        self._say(links_words([facts]))
        if one.url.startswith("http") and not one.name and not one.address:
            say(squares(one.url, colour=coloured()))

    def _say(self, words: str) -> None:
        say(self._language.tell(words))
        sys.stdout.flush()


def _standing(status: JsonObject) -> str:
    """Who is awaited, and until when; what the match came to, if it is over."""
    names = {seat["seat"]: seat.get("name", seat["seat"].capitalize()) for seat in status["seats"]}
    awaited = [names[seat] for seat in status["awaited"] if seat in names]
    if not awaited:
        return str(status["says"])
    if "due" not in status:
        return sentence("waiting for {names}", names=", ".join(awaited))
    until = parse_time(status["due"]).astimezone()
    return sentence(
        "waiting for {names}, by {until}", names=", ".join(awaited), until=f"{until:%a %d %b %H:%M}"
    )


# --- what ``pbem host`` asks before a match: which game, who plays, whether the host has a seat -----------

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
