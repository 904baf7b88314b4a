"""What an organiser sees while ``pbem host`` runs, and the keys that do something: links, a new match, a rematch.

It runs in a thread of its own, with a service of its own at the same database, beside the loop that fetches, rules and
sends. It prints public things only: who took which seat, who is awaited until when, what the service had to report.
"""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from typing import Final

import typer

from pbem.base import system
from pbem.base.errors import PbemError, UsageProblem
from pbem.base.language import Language
from pbem.base.language.language import weekday_day
from pbem.base.sentences import joined, sentence
from pbem.base.values import dataclass
from pbem.cli.clients import clock
from pbem.cli.console import coloured, fail, print_notice, say
from pbem.cli.first_start import Asking
from pbem.cli.identities import squares
from pbem.cli.service_run import link_facts
from pbem.cli.service_serve import BackgroundLoop
from pbem.game import JsonObject
from pbem.games import find_game, game_ids
from pbem.host.database.database import Database
from pbem.host.database.notes import MailNotes
from pbem.host.letter_mail import Contacts
from pbem.host.service.answers import links_words
from pbem.host.service.begin import begin, begin_again, follows
from pbem.host.service.client import ServiceClient
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
        loop: what it runs beside.
        language: the organiser's.
        first: a match to begin with, from the first start in this folder.
    """

    def __init__(self, loop: BackgroundLoop, language: Language, first: WantedMatch | None = None) -> None:
        self._loop = loop
        self._language = language
        self._ask = Asking(language)
        self._first = first
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._work, name="watch", daemon=True)
        self._seen: dict[str, str] = {}
        """What was shown last of each match."""
        self._taken: set[tuple[str, str, str]] = set()
        """Match, seat and fingerprint of who sits there, as shown."""
        self._last_note = 0
        """The newest note that was shown; what the first round notes is shown, too."""
        self._fault = ""

    def __enter__(self) -> Watch:
        """Begin."""
        with (
            closing(Database(self._loop.config.database_url)) as database,
            database.reading() as transaction,
        ):
            self._last_note = MailNotes(transaction).last()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End; the terminal is as it was."""
        self._end.set()
        self._thread.join(2)
        self._say(sentence("Stopped. 'pbem host' in this folder goes on."))

    def _work(self) -> None:
        with closing(self._loop.make()) as service:
            self._guarded(lambda: self._begin(service))
            while not self._end.is_set():
                self._guarded(lambda: self._look(service))
                self._listen(service)

    def _guarded(self, work: Callable[[], object]) -> None:
        """Whatever goes wrong is said; the match goes on beside it."""
        try:
            work()
        except PbemError as fault:
            print_notice(_here(self._language.fault(fault), self._language))
        except typer.Abort:  # the end of input at a question
            self._help()

    def _begin(self, service: Service) -> None:
        if self._first is not None:
            self._new(service, self._first)
            service.context.heads.write()
        if self._loop.elsewhere is not None:
            self._loop.elsewhere()
            self._say(sentence("A copy of everything lies in {folder}.", folder=self._loop.elsewhere.folder))
        if self._first is None:
            self._links(service)
        self._help()

    def _new(self, service: Service, wanted: WantedMatch) -> None:
        """A match as it was asked for, with its invitations on their way or its links on the screen."""
        config = self._loop.config
        title = config.folder.resolve().name
        address = config.operator
        short = begin(service, wanted.plan(), wanted.contacts(config.name, address, title, config.language))
        self._say(sentence("Match {short} is made.", short=short))
        self._show(service, short)

    def _look(self, service: Service) -> None:
        for status in service.matches.status(language=self._language):
            short, news = status["match"], _standing(status)
            self._say_taken(service, short)
            if self._seen.get(short) != news:
                self._seen[short] = news
                self._say(
                    joined(
                        (f"{service.context.clock().astimezone():%H:%M}  {status['title']} {short}", news),
                        ": ",
                    )
                )
        with service.context.database.reading() as transaction:
            notes = MailNotes(transaction).after(self._last_note)
        for self._last_note, text in notes:
            self._say(text)
        elsewhere = self._loop.elsewhere
        if elsewhere is not None and elsewhere.fault != self._fault:
            self._fault = elsewhere.fault
            news = sentence(
                "the copy in {folder} is not up to date: {fault}", folder=elsewhere.folder, fault=self._fault
            )
            print_notice(
                self._language.translate(news if self._fault else sentence("the copy is up to date again"))
            )

    def _say_taken(self, service: Service, short: str) -> None:
        for seat_link in SeatLinks(service.context).all(short):
            taken = (short, seat_link.seat, seat_link.fingerprint)
            if seat_link.name and taken not in self._taken:
                self._taken.add(taken)
                self._say(
                    sentence(
                        "{name} has taken the seat {seat}, key fingerprint {fingerprint}.",
                        name=seat_link.name,
                        seat=seat_link.seat,
                        fingerprint=seat_link.fingerprint,
                    )
                )

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
            "n": lambda: self._new(service, self._asked()),
            "r": lambda: self._again(service),
            "e": lambda: self._end_early(service),
            "w": lambda: self._withdraw(service),
            "q": self._loop.stop,
        }
        acts.get(key, self._help)()
        service.context.heads.write()

    def _asked(self) -> WantedMatch:
        config = self._loop.config
        wanted = ask_match(self._ask, config.name)
        return wanted if config.api.url else ask_addresses(self._ask, wanted, config.address)

    def _help(self) -> None:
        self._say(
            sentence(
                "Keys: l links, s standing, w another link for a seat, n another match, r rematch, e end early, q quit."
            )
        )

    def _status(self, service: Service) -> None:
        self._seen.clear()
        self._look(service)

    def _links(self, service: Service) -> None:
        for short in self._running(service):
            self._show(service, short)

    def _running(self, service: Service) -> list[str]:
        return [match["match"] for match in service.matches.status() if not match["over"]]

    def _again(self, service: Service) -> None:
        over = [match["match"] for match in service.matches.status(language=self._language) if match["over"]]
        if not over:
            self._say(sentence("No match is over yet."))
            return
        rematch = follows(service, over[-1], self._running(service))
        if rematch:
            self._say(sentence("The rematch is {short} already.", short=rematch))
            return
        short = begin_again(service, over[-1])
        self._say(sentence("Match {short} is made.", short=short))
        self._show(service, short)

    def _end_early(self, service: Service) -> None:
        """End a match, if all who must have agreed."""
        running = self._running(service)
        if not running:
            self._say(sentence("No match is running."))
            return
        ServiceClient(service, running[self._ask.which(sentence("Number"), running)]).end()

    def _withdraw(self, service: Service) -> None:
        """Which seat's link; it opens nothing any more, and another one is shown."""
        rows = [
            (short, link)
            for short in self._running(service)
            for link in SeatLinks(service.context).all(short)
            if link.url
        ]
        if not rows:
            self._say(sentence("There is no link that could be withdrawn."))
            return
        self._say(sentence("Whose link is withdrawn, and given again?"))
        chosen = self._ask.which(sentence("Number"), [f"{link.seat} ({short})" for short, link in rows])
        short, link = rows[chosen]
        self._print(SeatLinks(service.context).renew(short, link.seat))

    def _show(self, service: Service, short: str) -> None:
        """Every seat of a match: its link and QR code, or who took it."""
        links = SeatLinks(service.context).all(short)
        given = [link for link in links if link.url and not link.name and not link.address]
        if given:
            self._say(sentence("Give each friend their own link: whoever opens it can take that seat."))
        own = service.matches.record(short).ledger.host_seat
        if own is not None and any(link.seat == own for link in given):
            self._say(sentence("The link of {seat} is your own: open it in your browser.", seat=own))
        for seat_link in links:
            self._print(seat_link)

    def _print(self, link: SeatLink) -> None:
        self._say(links_words([link_facts(link)]))
        if link.url.startswith("http") and not link.name and not link.address:
            say(squares(link.url, colour=coloured()))

    def _say(self, words: str) -> None:
        say(_here(self._language.translate(words), self._language))
        sys.stdout.flush()


def _standing(status: JsonObject) -> str:
    """Who is awaited, and until when; the result of the match, if it is over."""
    names = {seat["seat"]: seat.get("name", seat["seat"].capitalize()) for seat in status["seats"]}
    awaited = [names[seat] for seat in status["awaited"] if seat in names]
    if not awaited:
        return str(status["says"])
    if "due" not in status:
        return sentence("waiting for {names}", names=", ".join(awaited))
    return sentence("waiting for {names}, by {until}", names=", ".join(awaited), until=status["due"])


_MOMENT: Final = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def _here(text: str, language: Language) -> str:
    """With the times in it, which are as records write them, by the clock of this computer and in the language."""

    def local_time(moment: re.Match[str]) -> str:
        at = parse_time(moment[0]).astimezone()
        return f"{weekday_day(language.code, at)} {at:%H:%M}"

    return _MOMENT.sub(local_time, text)


# --- what ``pbem host`` asks before a match: which game, who plays, whether the host has a seat -----------

_LONGEST: Final = 16
"""Characters of a seat."""


@dataclass(frozen=True, slots=True)
class Invitee:
    """Somebody who is to play: the seat, and the address if emails shall go there."""

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
    infos = [find_game(game).info for game in games]
    rows = [
        sentence(
            "{title}, {least} to {most} players", title=info.title, least=info.seats[0], most=info.seats[-1]
        )
        for info in infos
    ]
    ask.say(sentence("Which game?"))
    chosen = ask.which(sentence("Number"), rows)
    game, title = games[chosen], infos[chosen].title
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
        seats = ", ".join(f"{who.seat} <{who.address}>" if who.address else who.seat for who in wanted.people)
        ask.say(sentence("{title}, seats {seats}.", title=title, seats=seats))
        if own:
            ask.say(
                sentence("The seat {seat} is yours. All are told that you host and play.", seat=own[0].seat)
            )
        return wanted


def ask_addresses(ask: Asking, wanted: WantedMatch, host: str) -> WantedMatch:
    """Where there is no web app, and so no link, everybody needs an email address; ``host`` is the host's own."""

    def read(text: str) -> str:
        address = check_address(text)
        if address == host:
            raise UsageProblem(
                sentence("{address} is where the host's emails arrive", address=address),
                hint=sentence("A seat needs another one."),
            )
        return address

    people = [
        person
        if person.address
        else Invitee(
            person.seat,
            ask.until_right(
                sentence("Without the web app {seat} needs emails. The address of {seat}", seat=person.seat),
                read,
            ),
        )
        for person in wanted.people
    ]
    return WantedMatch(wanted.game, tuple(people), wanted.plays)


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
