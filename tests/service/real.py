"""A service and its people on real mail servers: everything goes through SMTP and IMAP."""

from __future__ import annotations

import smtplib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pbem.host.config import FOR_EVER, Folders, Keep, Limits
from pbem.host.database.database import Database
from pbem.host.service.context import ServiceContext
from pbem.host.service.service import Service
from pbem.player.mail.imap import ImapMailbox
from pbem.player.mail.outgoing import Sender
from pbem.player.mail.ports import Account, Tls
from pbem.player.mail.smtp import SmtpOutgoing, verified_context
from pbem.player.store.durable import Steps, no_steps
from pbem.protocol.crypto.identity import Identity
from tests.mail.stack import HOST, PASSWORD
from tests.patience import PATIENCE, nap, patiently
from tests.service.people import Player
from tests.world import secret

OPERATOR = "boss@pbem.test"
FOLDERS = Folders()


@dataclass(frozen=True, slots=True)
class Place:
    """Where the servers are: all that a process needs to know."""

    ports: dict[str, int]
    ca_file: str
    starttls: bool = False
    password: str = PASSWORD

    def account(self, kind: str, user: str) -> Account:
        """An account on one of the servers."""
        plain = kind in ("imap", "submission")
        tls: Tls = "starttls" if plain else "implicit"
        return Account(
            "localhost", self.ports[kind], user, self.password, tls, ca_file=self.ca_file, timeout=PATIENCE
        )

    @property
    def imap(self) -> str:
        """Which IMAP port is used."""
        return "imap" if self.starttls else "imaps"


def real_service(
    place: Place,
    url: str,
    *,
    steps: Steps = no_steps,
    witness_wait: int = 1,
    pictures: bool = False,
    fetches: bool = True,
    user: str = "games",
    keep: Keep = FOR_EVER,
    host: Identity | None = None,
    **more: Any,
) -> Service:
    """A service at these servers."""
    context = ServiceContext(
        Database(url),
        host or Identity(secret("host service")),
        Sender(HOST, "Saturday table"),
        OPERATOR,
        limits=Limits(
            per_minute=1_000_000,
            per_hour=10_000_000,
            per_match=10_000_000,
            per_sender=1_000_000,
            per_domain=1_000_000,
            witness_wait=witness_wait,
            receipts=0,
        ),
        pictures=pictures,
        steps=steps,
        **more,
    )
    outgoing = SmtpOutgoing(lambda: place.account("submission", user))
    folders = (FOLDERS.processed, FOLDERS.quarantine)
    mailbox = ImapMailbox(lambda: place.account(place.imap, user), folders=folders) if fetches else None
    return Service(context, outgoing, mailbox, FOLDERS, keep)


class Postbox:
    """One person's mail program: sends through submission, reads by IMAP."""

    def __init__(self, place: Place, player: Player) -> None:
        self.place = place
        self.player = player
        self._box = ImapMailbox(lambda: place.account(place.imap, player.seat), folders=("Read",))
        self._smtp: smtplib.SMTP | None = None

    def send(self, raw: bytes, to: str = HOST) -> None:
        """Submit a mail; a server that hung up on an idle connection is dialled again."""
        if self._smtp is not None and not self._listens(self._smtp):
            self._smtp.close()
            self._smtp = None
        if self._smtp is None:
            self._smtp = smtplib.SMTP("localhost", self.place.ports["submission"], timeout=PATIENCE)
            self._smtp.starttls(context=verified_context(self.place.ca_file))
            self._smtp.login(self.player.seat, self.place.password)
        self._smtp.sendmail(self.player.address, [to], raw)

    @staticmethod
    def _listens(smtp: smtplib.SMTP) -> bool:
        try:
            return smtp.noop()[0] == 250
        except smtplib.SMTPServerDisconnected:
            return False

    def read(self) -> list[bytes]:
        """Read what came, and put it away."""
        waiting = [mail.uid for mail in self._box.waiting()]
        bodies = self._box.fetch(waiting)
        raws = [bodies[uid] for uid in waiting]
        for raw in raws:
            self.player.read(raw)
        self._box.move(waiting, "Read")
        return raws

    def read_until(self, number: int) -> list[bytes]:
        """Read until so many emails have come in all; waits on the mailbox, not on the clock."""
        raws = self.read()
        for _ in patiently(lambda: f"{self.player.seat} has {len(self.player.letters)} letters"):
            if len(self.player.letters) >= number:
                break
            self._box.wait(2)
            raws += self.read()
        return raws

    def pause(self, seconds: float) -> None:
        """Wait until something comes, at most so long."""
        self._box.wait(seconds)

    def close(self) -> None:
        """Hang up."""
        self._box.close()
        if self._smtp is not None:
            self._smtp.close()
            self._smtp = None


def sent_to(service: Service, address: str) -> list[str]:
    """The Message-IDs of all emails that the service counts as sent to somebody."""
    with service.context.database.transaction() as transaction:
        rows = transaction.run(
            "SELECT message_id FROM outbox WHERE rcpt = ? AND state = 'sent' ORDER BY id", address
        )
    return [str(row[0]) for row in rows]


def database_url(folder: Path) -> str:
    """An SQLite file."""
    return f"sqlite:///{folder / 'service.db'}"


def rounds(service: Service, boxes: Sequence[Postbox], done: Any) -> None:
    """Let the service work and people read until ``done()``."""
    for _ in patiently(lambda: f"the host has {service.counts()}"):
        if done():
            return
        result = service.run_once()
        assert not result.troubles, result.troubles
        letters = [raw for box in boxes for raw in box.read()]
        if not result.anything and not letters:
            nap()  # mail is on its way
