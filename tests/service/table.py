"""A match by mail in memory: the service, its players, and emails going round."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pbem.game import JsonObject
from pbem.host.service.service import Done, Service
from pbem.protocol.record import Deadlines
from pbem.protocol.referee import MatchPlan
from tests.service.fakes import OPERATOR, FakeClock, FakeMail, fake_service
from tests.service.people import Player, headers
from tests.world import secret


class Table:
    """One match from its making on; ``pump`` lets the service work and people read."""

    def __init__(
        self,
        folder: Path,
        game: str = "wyatt-earp",
        seats: Sequence[str] = ("anna", "burt"),
        *,
        options: JsonObject | None = None,
        service: Service | None = None,
        mail: FakeMail | None = None,
        deadlines: Deadlines | None = None,
        nonce: str = "nonce service",
        fresh: bool = True,
        **more: Any,
    ) -> None:
        self.folder = folder
        self.mail = mail or FakeMail()
        self.clock = FakeClock()
        self.service = service or fake_service(folder, self.mail, self.clock, **more)
        self._read = 0
        self._terms: dict[str, Any] | None = None
        """What it was made of, if another one made of the same begins the same."""
        if not fresh:  # a service that finds what another one has left
            return
        plan = MatchPlan(game, list(seats), options=options or {}, deadlines=deadlines or Deadlines())
        self.short = self.service.matches.create(plan, secret(nonce)[:16])
        self.players = {seat: Player(seat) for seat in seats}
        if service is None and mail is None and not options and more.keys() <= _ALIKE:
            self._terms = {
                "game": game,
                "seats": tuple(seats),
                "deadlines": deadlines,
                "nonce": nonce,
                **more,
            }
        self._since = self.clock.time, self.service.context.database.transactions

    def invite(self) -> Table:
        """Everybody is invited and has read it."""
        addresses = {player.seat: player.address for player in self.players.values()}
        invited = self.service.matches.invite(self.short, addresses)
        self.words = {invitation.seat: invitation.word for invitation in invited}
        self.pump()
        return self

    def invite_quietly(self) -> Table:
        """The same while the mail server is away."""
        addresses = {player.seat: player.address for player in self.players.values()}
        self.service.matches.invite(self.short, addresses)
        assert self.service.run_once().troubles
        return self

    def start(self) -> Table:
        """Everybody has joined and is ready.

        That was done once for all tables that are made of the same; it is as if the host had been restarted since.
        """
        database = self.service.context.database
        terms, mailed = self._terms, self.mail != FakeMail()
        if terms is None or mailed or self._since != (self.clock.time, database.transactions):
            return self._start()
        begun = _begun(**terms)
        database.close()
        (self.folder / "service.db").write_bytes(begun.database)
        vars(self.mail).update(vars(deepcopy(begun.mail)))
        self.players = {seat: player.as_now() for seat, player in begun.players.items()}
        self.words, self._read = dict(begun.words), len(self.mail.delivered)
        return self

    def _start(self) -> Table:
        self.invite()
        for player in self.players.values():
            self.send(player.mail(player.join(self.words[player.seat])))
        for player in self.players.values():
            self.send(player.mail(player.ready()))
        return self

    def pump(self) -> Done:
        """One round of the service; then everybody reads what came."""
        done = self.service.run_once()
        self.read()
        return done

    def read(self) -> None:
        """Deliver what was sent since the last time."""
        fresh = self.mail.delivered[self._read :]
        self._read = len(self.mail.delivered)
        for address, raw in fresh:
            for player in self.players.values():
                if player.address == address:
                    player.read(raw)

    def send(self, raw: bytes) -> Done:
        """A mail arrives, and the service works."""
        self.mail.arrive(raw)
        return self.pump()

    def pass_time(self, hours: float) -> None:
        """Let time pass while the service runs: a round every hour, which is no outage yet."""
        while hours > 0:
            step = min(hours, 1.0)
            hours -= step
            self.clock.tick(step * 3600)
            self.pump()

    def asked(self) -> list[Player]:
        """Who may act now, as their own copies say."""
        return [player for player in self.players.values() if player.asked]

    def play(self, limit: int = 100_000, how: Sequence[str] = ("attachment", "armour", "json")) -> int:
        """Computer players answer until nobody is asked; how many files they sent."""
        files = 0
        while files < limit and (asked := self.asked()):
            for player in asked:
                self.mail.arrive(player.mail(player.move(), how[files % len(how)]))
                files += 1
            self.clock.tick(60)
            self.pump()
        return files

    @property
    def lines(self) -> list[bytes]:
        """The match as the database has it."""
        return self.service.matches.lines(self.short)

    def subjects(self, seat: str) -> list[str]:
        """The subjects that somebody got, oldest first."""
        return [str(headers(raw)["Subject"]) for raw in self.mail.letters(self.players[seat].address)]

    def quarantined(self) -> list[str]:
        """The reasons for what was quarantined, newest first."""
        from pbem.host.database.mail import InboxRows

        with self.service.context.database.transaction() as transaction:
            return [row.reason for row in InboxRows(transaction).quarantined()]

    def alarms(self) -> list[str]:
        """What the operator was mailed about, oldest first."""
        return [str(headers(raw)["X-Pbem-Alarm"]) for raw in self.mail.letters(OPERATOR)]

    def notes(self, kind: str) -> list[str]:
        """What the operator was alerted to of this kind."""
        from pbem.host.database.notes import MailNotes

        with self.service.context.database.transaction() as transaction:
            return [line.text for line in MailNotes(transaction).newest() if line.kind == kind]


_ALIKE = {"api", "keep", "language", "limits", "page", "warm"}
"""What a table may be made of, besides game, seats, deadlines and nonce, that has no memory."""


@dataclass(frozen=True)
class _Begun:
    """A match in which everybody is ready, its host's service closed."""

    database: bytes
    mail: FakeMail
    players: dict[str, Player]
    words: dict[str, str]


@lru_cache(maxsize=16)
def _begun(**terms: Any) -> _Begun:
    with TemporaryDirectory() as name:
        table = Table(Path(name), **terms)._start()
        table.service.close()
        return _Begun(Path(name, "service.db").read_bytes(), table.mail, table.players, table.words)
