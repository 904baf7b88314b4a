"""The host's client: one match folder, one identity, a clock and a source of entropy.

Every call goes the same way: lock the folder, repair it, load the record once, rule, append
(the append is the commit), then write the emails. A crash at any point loses nothing: before the append nothing
happened, after it the emails are made again from the record by ``repair``, which every call begins with.

::

    client = HostClient.create(path, host, plan, clock, entropy)      # genesis and invitations
    client = HostClient(path, host, clock)                            # later
    outcome = client.take(raw)                                      # one file of a player
    client.default(seat); client.extend(seat, due); client.burn()       # refused unless due
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from pbem.base.errors import FormatError, RefusedError
from pbem.base.language import ENGLISH, Language
from pbem.base.sentences import sentence
from pbem.game import Json, JsonObject, Seat
from pbem.host.acts import HostActs, agreed
from pbem.host.folder import FolderStore
from pbem.host.letter_mail import Contacts, contact_of
from pbem.host.match import MatchHost
from pbem.host.status import last_file, status_of
from pbem.host.store import LIMIT, MOST, Act, Heartbeat, MatchStore, Outcome, refuse
from pbem.player.letters.letter import names_at, tag_of
from pbem.player.lookback.season import with_match
from pbem.player.store import Mark, MatchFolder, find_match_folder
from pbem.player.store.durable import Steps, no_steps
from pbem.protocol import referee
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.messages import read_message
from pbem.protocol.formats.strict_json import MAX_FILE
from pbem.protocol.record import Deadlines, Record
from pbem.protocol.referee import (
    MatchPlan,
    Refused,
)

Clock = Callable[[], str]
Entropy = Callable[[int], bytes]

_NONCE_SIZE = 32


class HostClient(HostActs):
    """A host at work on one match."""

    def __init__(self, path: Path, host: Identity, clock: Clock, steps: Steps = no_steps) -> None:
        self.folder: MatchFolder = find_match_folder(path)
        self.host = host
        self.clock = clock
        self._store = FolderStore(self.folder, host, clock, steps)
        self._heartbeat = Heartbeat(self._store)
        self._repaired = False

    @classmethod
    def create(
        cls,
        path: Path,
        host: Identity,
        plan: MatchPlan,
        clock: Clock,
        entropy: Entropy,
        contacts: Contacts | None = None,
    ) -> HostClient:
        """A new match in a new folder: its genesis, and an invitation to every seat in the outbox.

        ``contacts`` holds what emails say and no record does: who the host is, where everybody is reached.

        Raises:
            UsageProblem: the folder holds a match already, or the plan does not fit.
        """
        genesis = referee.create_match(plan, host, entropy(_NONCE_SIZE), clock())
        folder = MatchFolder.create(path)
        if contacts is not None:
            contacts.write(folder.host)
        folder.game.append([genesis.raw], expected=Mark.EMPTY)
        client = cls(path, host, clock)
        with client.at_work():
            pass  # mending an empty outbox writes the invitations
        return client

    def again(self, path: Path, entropy: Entropy, title: str | None) -> HostClient:
        """The next match of the same people, in a new folder: seats and first place turned by one.

        ``title``: of the next match; None leaves it as it was.

        Raises:
            RefusedError: this match is not over.
        """
        with self.at_work() as record:
            contacts = contacts_again(record, Contacts.read(self.folder.host), self.host, title)
            plan = plan_again(record)
        return HostClient.create(path, self.host, plan, self.clock, entropy, contacts)

    @contextmanager
    def at_work(self) -> Iterator[Record]:
        """The match under its lock, repaired, loaded and with all emails of the last commit written."""
        with self.folder.lock():
            if not self._repaired:
                self.notices.extend(self.folder.repair())
                self.notices.extend(self.folder.warnings())
            if self._store.open() or not self._repaired:
                self._store.repair()
                self._repaired = True
            yield self._store.record

    @property
    def notices(self) -> list[str]:
        """What was mended, and what else the host should hear; the caller prints and forgets it."""
        return self._store.notices

    def _host_at_work(self) -> MatchHost:
        return MatchHost(self.host, self._store, self.clock())

    def skip_letters_before(self, seq: int) -> None:
        """After a recovery: the emails of records before ``seq`` were sent long ago."""
        self._store.skip_letters_before(seq)

    def gave_up(self, upto: int, names: Sequence[str]) -> None:
        """After a recovery: other records up to this number belong to a history that was given up, these files too."""
        self._store.give_up(upto, names)

    def rewrite_letters(self, seats: Sequence[Seat] = ()) -> tuple[str, ...]:
        """Make the emails of the last commit again (for these seats, else all), as far as they are not sent."""
        with self.at_work():
            return self._store.newest(seats)

    def take(self, raw: bytes) -> Outcome:
        """Rule on one file: keep it, rule, commit, write the emails."""
        with self.at_work() as record:
            if len(raw) <= MAX_FILE:
                self.folder.inbox.keep(raw)  # before anything parses it
            self._check_clock(record)
            try:
                message = read_message(raw)
            except FormatError as fault:
                if not raw.lstrip().startswith(b"{"):
                    text = sentence(
                        "this is not a file that pbem has signed; hand in the file, or the email that brings it"
                    )
                    return Outcome(Refused("malformed", text))
                return Outcome(Refused("malformed", str(fault)))
            return self._host_at_work().take(message)

    @contextmanager
    def _opened(self) -> Iterator[MatchStore]:
        with self.at_work():
            yield self._store

    def _act(self, act: Act) -> Outcome:
        with self.at_work() as record:
            self._check_clock(record)
            return self._host_at_work().act(act)

    def _check_clock(self, record: Record) -> None:
        self._store.check_newest()
        refuse(self._heartbeat.fault(self.clock(), LIMIT, record.head.at), "outage FOLDER")

    def beat(self, *, clock_is_right: bool = False) -> Outcome | None:
        """Note that the host is at work; after an outage, first give back the time of it (schemas/README.md §10.7).

        Args:
            clock_is_right: a person has looked at the clock, however far from the last sign of life it is.

        Raises:
            ClockProblem: the clock went back or jumped ahead; nothing was noted.
        """
        with self.at_work() as record:
            now = self.clock()
            self._store.check_newest()
            beat, limit = self._heartbeat, MOST if clock_is_right else LIMIT
            if clock_is_right and beat.set_back(now, record.head.at):
                return None
            refuse(beat.fault(now, limit, record.head.at), "outage FOLDER")
            outage = beat.outage(now)
            outcome = (
                self._host_at_work().give_back(outage.since, outage.until) if outage is not None else None
            )
            beat.beat(now)
            return outcome

    def on_time(self) -> tuple[Outcome, ...]:
        """Record everything that the clock makes due now: what a pause held up, defaults, burns; write reminders."""
        done: list[Outcome] = []
        with self.at_work() as record:
            self._check_clock(record)
            while (outcome := self._host_at_work().on_time()) is not None:
                done.append(outcome)
        return tuple(done)

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats of the match."""
        with self.at_work() as record:
            return record.seats

    @property
    def names(self) -> dict[str, str]:
        """What each seat's player is called; a seat that nobody has taken is called by its id."""
        with self.at_work() as record:
            return {str(seat): name for seat, name in names_at(record, record.head.seq).items()}

    def where(self, letter: str) -> str:
        """Where an email lies."""
        return str(self.folder.outbox.path(letter))

    def status(self, language: Language = ENGLISH) -> JsonObject:
        """The status, with what only the host's folder knows: consents that wait, emails not sent.

        What it ``says`` is in this language; programs read it in English.
        """
        with self.at_work() as record:
            status = status_of(record, self.clock(), language)
            status["consents"] = agreed(self._host_at_work().usable())
            status["mail"] = last_file(self.folder.inbox)
            status["outbox"] = {
                "folder": str(self.folder.outbox.folder),
                "unsent": list(self.folder.outbox.unsent()),
            }
            return status


# --- the next match of the same people: what was agreed on stays, seats and first place turn by one -------


def plan_again(record: Record) -> MatchPlan:
    """The plan of the match after ``record``: the second seat is the first now.

    Who stands for a place in the setup (the dealer) hands it on to the next seat.

    Raises:
        RefusedError: the match is not over.
    """
    if not record.over:
        raise RefusedError(
            sentence("this match is not over yet"),
            hint=sentence("'pbem host status' says what it waits for; 'pbem host end' ends it."),
        )
    genesis, seats = record.genesis, list(map(str, record.seats))
    turned = [*seats[1:], seats[0]]
    after: dict[Json, Json] = dict(zip(seats, turned, strict=True))
    setup: JsonObject = {
        key: after.get(value, value) if isinstance(value, str) else value
        for key, value in genesis["setup"].items()
    }
    return MatchPlan(
        genesis["rules"]["id"],
        turned,
        "default",
        genesis["options"],
        setup,
        Deadlines.from_json(genesis["deadlines"], bulk=True),
        genesis["draw"]["reveal"],
        genesis["consent"],
        plays=record.ledger.host_seat,
    )


def contacts_again(record: Record, contacts: Contacts, host: Identity, title: str | None) -> Contacts:
    """The contacts of the match after ``record``: its title unless there is another, addresses of now, the season."""
    own = {str(seat): mail for seat in record.seats if (mail := contact_of(record, host, seat))}
    langs = {
        str(seat): tag_of(record, seat, record.head.seq)
        for seat in record.seats
        if seat in record.ledger.players
    }
    return replace(
        contacts,
        title=contacts.title if title is None else title,
        seats={**contacts.seats, **own},
        langs={**contacts.langs, **langs},
        season=with_match(contacts.season, record),
    )
