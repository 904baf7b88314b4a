"""The host's client for a match that lives in a service's database: what ``HostClient`` is for a match folder.

Records and emails of every act are one transaction; the running service sends the emails. Time is the service's
own business (``service.time``), so nothing here makes a default due.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from pbem.base.errors import UsageProblem
from pbem.base.language import ENGLISH, Language
from pbem.base.sentences import sentence
from pbem.game import JsonObject, Seat
from pbem.host.acts import HostActs
from pbem.host.answers import Contents
from pbem.host.database.database import Transaction
from pbem.host.database.joins import WaitingJoins, chosen
from pbem.host.database.mail import InboxRows, OutboxRows
from pbem.host.database.matches import Matches
from pbem.host.service.letters import Letterbox, NotMade
from pbem.host.service.service import Service
from pbem.host.service.store import DatabaseStore
from pbem.host.store import Act, MatchStore, Outcome


class ServiceClient(HostActs):
    """The host at work on one match of their service."""

    def __init__(self, service: Service, short: str) -> None:
        self._service = service
        self.host = service.context.host
        self._short = short
        self.notices: list[str] = []

    def pending(self, seat: Seat, which: str = "") -> bytes:
        """The join of a substitute that came by mail with their invite code; ``which``, where several have come."""
        with self._service.context.database.transaction() as transaction:
            matches = Matches(transaction)
            row = matches.required_seat(matches.required(self._short), seat)
            waiting = WaitingJoins(transaction).of(row.game, row.seat)
        if not waiting:
            raise UsageProblem(
                sentence("no join of a replacement player for {seat} has come by email", seat=seat),
                hint=sentence(
                    "Invite one: pbem host invite {short} {seat}=ADDRESS --substitute. Or name the file.",
                    short=self._short,
                    seat=seat,
                ),
            )
        return (waiting[0] if len(waiting) == 1 and not which else chosen(waiting, which)).file

    def take(self, raw: bytes) -> Outcome:
        """Files come to a service by mail only: the mail is kept before anything looks into it."""
        del raw
        raise UsageProblem(
            sentence("players' files for match {short} come by email or the web app", short=self._short),
            hint=sentence("Let the player email it. To hand in an email by hand: pbem host deliver < EMAIL"),
        )

    @contextmanager
    def _opened(self) -> Iterator[MatchStore]:
        with self._service.context.database.transaction() as transaction:
            match = Matches(transaction).hold(self._game(transaction))
            assert match is not None  # noqa: S101 - it was found in this transaction
            yield DatabaseStore(self._service.context, transaction, match)

    def _act(self, act: Act) -> Outcome:
        self._service.whereabouts.look(start=False)
        self._service.time.check()
        return self._service.matches.act(self._short, act)

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

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats of the match."""
        return tuple(Seat(seat["seat"]) for seat in self.status()["seats"])

    def status(self, language: Language = ENGLISH) -> JsonObject:
        """Where the match stands, with what only the service knows: consents, mail seen, emails not sent."""
        with self._service.context.database.reading() as transaction:
            Matches(transaction).required(self._short)
        facts = self._service.matches.status([self._short], language)[0]
        with self._service.context.database.transaction() as transaction:
            waiting = OutboxRows(transaction).unsent(facts["game"])
        heard = [seat["heard"] for seat in facts["mail"] if seat["heard"]]
        last = {"last": max(heard)} if heard else {}
        files = sum(row.get("files", 0) for row in facts["seats"])
        unsent = {"folder": sentence("the service's outbox"), "unsent": waiting}
        return facts | {"people": facts["mail"], "mail": {"files": files, **last}, "outbox": unsent}

    def where(self, letter: str) -> str:
        """What an email is called."""
        return letter

    def rewrite_letters(self, seats: Sequence[Seat] = ()) -> tuple[str, ...]:
        """Nothing: emails of a service are committed with their records and cannot be lost."""
        del seats
        return ()

    def contents(self) -> Contents:
        """All that an audit needs: the game file, emails whose file stands in no record, every email, made again."""
        with self._service.context.database.transaction() as transaction:
            game = self._game(transaction)
            lines = Matches(transaction).lines(game)
            boxes = {f"inbox/{number:08}.eml": raw for number, raw in InboxRows(transaction).of(game)}
            box = Letterbox(self._service.context, transaction)
            letters = {}
            for row in OutboxRows(transaction).of(game):
                with suppress(NotMade):
                    letters[f"outbox/{row.id:08}-{row.state}.eml"] = box.ready(row, leaves=False)
        boxes |= {name: make() for name, make in letters.items()}
        return Contents(tuple(lines), boxes)

    def close(self) -> None:
        """Let go of the database."""
        self._service.close()

    def _game(self, transaction: Transaction) -> str:
        return Matches(transaction).required(self._short).game
