"""The host at work on one match of a database, whether a service runs beside it or a person does all of it by hand.

Every act is one transaction: records, the emails about them, and what became of the file that caused them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from typing import TYPE_CHECKING

from pbem.base.errors import FormatError, UsageProblem
from pbem.base.language import ENGLISH, Language
from pbem.base.sentences import sentence
from pbem.game import JsonObject, Seat
from pbem.host.acts import HostActs
from pbem.host.archive import Contents
from pbem.host.database.database import Transaction
from pbem.host.database.joins import WaitingJoins, chosen
from pbem.host.database.mail import InboxRows, OutboxRows
from pbem.host.database.matches import Matches
from pbem.host.service.context import ServiceContext
from pbem.host.service.heal import Healer
from pbem.host.service.letters import Letterbox, NotMade
from pbem.host.service.matches import MatchClient
from pbem.host.service.store import DatabaseStore
from pbem.host.store import Act, Caller, Outcome
from pbem.protocol.formats.messages import read_message
from pbem.protocol.formats.strict_json import MAX_FILE
from pbem.protocol.referee import Refused

if TYPE_CHECKING:
    from pbem.host.service.service import Service


class HostedMatch(HostActs):
    """The host at work on one match."""

    def __init__(self, context: ServiceContext, short: str) -> None:
        self.context = context
        self.host = context.host
        self.short = short
        self.matches = MatchClient(context)
        self.notices: list[str] = []
        """What the host should hear; the caller prints and forgets it."""

    def check(self) -> None:
        """Refuse to sign anything now; see the classes that know why."""
        raise NotImplementedError

    @contextmanager
    def _opened(self) -> Iterator[DatabaseStore]:
        with self.context.database.transaction() as transaction:
            match = Matches(transaction).hold(self._game(transaction))
            assert match is not None  # noqa: S101 - it was found in this transaction
            store = DatabaseStore(self.context, transaction, match)
            yield store
            self.context.steps("ruled")
        self.context.steps("committed")
        store.keep()

    def take(self, raw: bytes) -> Outcome:
        """Rule on a file that a person hands in; handing a join in says that it comes from the right person.

        It is kept before anything parses it.
        """
        name, now = sha256(raw).hexdigest(), self.context.now()
        if len(raw) <= MAX_FILE:
            with self.context.database.transaction() as transaction:
                game = self._game(transaction)
                InboxRows(transaction).keep_handed(name, raw, now, game, "handed in")
        self.check()
        try:
            message = read_message(raw)
        except FormatError as fault:
            if not raw.lstrip().startswith(b"{"):
                text = sentence(
                    "this is not a file that pbem has signed; hand in the file, or the email that brings it"
                )
                return Outcome(Refused("malformed", text))
            return Outcome(Refused("malformed", str(fault)))
        caller = Caller() if self.context.by_hand else Caller(name=f"hand/{name[:16]}")
        with self._opened() as store:
            return store.host().take(message, caller)

    def offer(self, lines: Sequence[bytes]) -> list[str]:
        """Take from a copy of the record what is missing here; what came of it, in words."""
        with self.context.database.transaction() as transaction:
            healer = Healer(self.context, transaction, f"copy {self.context.now()}")
            said = healer.bring(self._game(transaction), [lines])
        for record in healer.repaired:
            self.context.records.keep(record)
        return said

    def _act(self, act: Act) -> Outcome:
        self.check()
        with self._opened() as store:
            return store.host().act(act)

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats of the match."""
        return tuple(Seat(seat["seat"]) for seat in self.status()["seats"])

    @property
    def names(self) -> dict[str, str]:
        """What each seat's player is called; a seat that nobody has taken is called by its id."""
        return {row["seat"]: row.get("name", row["seat"]) for row in self.status()["seats"]}

    def status(self, language: Language = ENGLISH) -> JsonObject:
        """Where the match stands, with what only the host knows: consents, files seen, emails not sent.

        What it ``says`` is in this language; programs read it in English.
        """
        with self.context.database.reading() as transaction:
            game = self._game(transaction)
            files, last = InboxRows(transaction).heard_of(game)
            waiting = OutboxRows(transaction).unsent(game)
        facts = self.matches.status([self.short], language)[0]
        mail = {"files": files, **({"last": last} if last else {})}
        unsent = {"folder": sentence("the service's outbox"), "unsent": waiting}
        return facts | {"people": facts["mail"], "mail": mail, "outbox": unsent}

    def where(self, letter: str) -> str:
        """What an email is called."""
        return letter

    def rewrite_letters(self, seats: Sequence[Seat] = ()) -> tuple[str, ...]:
        """Nothing: emails are committed with their records and cannot be lost."""
        del seats
        return ()

    def contents(self) -> Contents:
        """All that an audit needs: the game file, emails whose file stands in no record, every email, made again."""
        with self.context.database.transaction() as transaction:
            game = self._game(transaction)
            lines = Matches(transaction).lines(game)
            boxes = {f"inbox/{number:08}.eml": raw for number, raw in InboxRows(transaction).of(game)}
            box = Letterbox(self.context, transaction)
            letters = {}
            for row in OutboxRows(transaction).of(game):
                with suppress(NotMade):
                    letters[f"outbox/{row.id:08}-{row.state}.eml"] = box.ready(row, leaves=False)
        boxes |= {name: make() for name, make in letters.items()}
        return Contents(tuple(lines), boxes)

    def close(self) -> None:
        """Let go of the database."""
        self.context.close()

    def _game(self, transaction: Transaction) -> str:
        return Matches(transaction).required(self.short).game


class ServiceClient(HostedMatch):
    """The host at work on one match of their service, which sends the emails and keeps the time."""

    def __init__(self, service: Service, short: str) -> None:
        super().__init__(service.context, short)
        self._service = service

    def check(self) -> None:
        """Refuse where another place serves, with a clock that jumped, and in a match that stands still."""
        self._service.whereabouts.look(start=False)
        self._service.time.check()
        with self.context.database.reading() as transaction:
            self.matches.refuse_stopped(transaction, Matches(transaction).required(self.short))

    def pending(self, seat: Seat, which: str = "") -> bytes:
        """The join of a substitute that came by mail with their invite code; ``which``, where several have come."""
        with self.context.database.transaction() as transaction:
            matches = Matches(transaction)
            row = matches.required_seat(matches.required(self.short), seat)
            waiting = WaitingJoins(transaction).of(row.game, row.seat)
        if not waiting:
            raise UsageProblem(
                sentence("no join of a replacement player for {seat} has come by email", seat=seat),
                hint=sentence(
                    "Invite one: pbem host invite {short} {seat}=ADDRESS --substitute. Or name the file.",
                    short=self.short,
                    seat=seat,
                ),
            )
        return (waiting[0] if len(waiting) == 1 and not which else chosen(waiting, which)).file

    def on_time(self) -> tuple[Outcome, ...]:
        """Nothing: the service itself does what is due."""
        self.notices.append(
            sentence("the service keeps the time of its matches: pbem host serve, or pbem host run-once")
        )
        return ()

    def beat(self, *, clock_is_right: bool = False) -> Outcome | None:
        """Say that the clock is right; each match then has its time given back in the next round."""
        if clock_is_right:
            self.notices.append(self._service.time.clock_is_right().value)
        return None

    def close(self) -> None:
        """Let go of the service."""
        self._service.close()
