"""Mail servers in memory, behind the same two ports as the real one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from weakref import WeakSet

from pbem.host.config import FOR_EVER, Club, Folders, Keep, Limits
from pbem.host.config_file import NoMail
from pbem.host.database.database import Database
from pbem.host.database.heads import Heads
from pbem.host.service.context import MOST_RECORDS, ServiceContext
from pbem.host.service.service import Service
from pbem.player.mail.gate import peek_message_id, peek_sender
from pbem.player.mail.look import Look, look
from pbem.player.mail.outgoing import Sender
from pbem.player.mail.ports import (
    MailTrouble,
    NotSent,
    Stop,
    TooLate,
    Unknown,
    WaitingMail,
    always,
    never,
    outermost,
)
from pbem.player.pictures.picture import Paint, to_png
from pbem.player.store.durable import Steps, no_steps
from pbem.protocol.crypto.identity import Identity
from tests.world import secret

GENEROUS = Limits(
    per_minute=100_000,
    per_hour=1_000_000,
    per_match=1_000_000,
    per_sender=100_000,
    per_domain=100_000,
    answers_hour=40,
    receipts=0,
)
HOST = "games@pbem.test"
OPERATOR = "boss@pbem.test"


@dataclass
class FakeMail:
    """Mailboxes by address, and faults on demand."""

    inbox: dict[str, bytes] = field(default_factory=dict)
    folders: dict[str, dict[str, bytes]] = field(default_factory=dict)
    delivered: list[tuple[str, bytes]] = field(default_factory=list)
    envelopes: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    places: dict[str, list[str]] = field(default_factory=dict)
    """Marks of where the service runs, by folder."""
    faults: list[Exception] = field(default_factory=list)
    """Raised by the next emails, one each; ``Unknown`` delivers the email before it is raised."""
    count: int = 0
    down: bool = False
    """Whether no server can be reached."""
    until: str = ""
    """When the servers' certificates end."""
    unlisted: int = 0
    named: set[str] = field(default_factory=set)
    """The mails that a reader has been notified of."""

    def _reached(self) -> None:
        if self.down:
            raise MailTrouble("the mail server is down")

    def arrive(self, raw: bytes) -> None:
        """Put a mail into the host's inbox."""
        self.count += 1
        self.inbox[str(self.count)] = raw

    def letters(self, address: str) -> list[bytes]:
        """What was delivered to somebody."""
        return [raw for to, raw in self.delivered if to == address]

    # --- ports ----------------------------------------------------------------------------------------------

    def send(
        self, env_from: str, to: Sequence[str], raw: bytes, envid: str, may: Callable[[], bool] = always
    ) -> None:
        """See ``Outgoing``."""
        assert envid
        self._reached()
        if not may():
            raise TooLate("claimed too long ago")
        fault = self.faults.pop(0) if self.faults else None
        if fault is not None and not isinstance(fault, Unknown):
            raise fault
        self.envelopes.append((env_from, tuple(to)))
        for address in to:
            if address.partition("@")[0].partition("+")[0] == "games":
                self.arrive(f"Delivered-To: {address}\r\n".encode() + raw)
            else:
                self.delivered.append((address, raw))
        if fault is not None:
            raise fault

    def reach(self) -> None:
        """See ``Outgoing``."""
        self._reached()
        if self.faults and not isinstance(self.faults[0], Unknown):
            raise self.faults.pop(0)

    def valid_until(self) -> str:
        """See ``Outgoing`` and ``Mailbox``."""
        return self.until

    def waiting(self, most: int = 0) -> list[WaitingMail]:
        """See ``Mailbox``."""
        self._reached()
        new = [uid for uid in self.inbox if uid not in self.named]
        asked = outermost(new, most) if most else new
        self.named.update(asked)
        self.unlisted = len(new) - len(asked)
        return [
            WaitingMail(uid, len(raw), peek_sender(raw), peek_message_id(raw))
            for uid, raw in self.inbox.items()
            if uid in self.named
        ]

    def fetch(self, uids: Sequence[str]) -> dict[str, bytes]:
        """See ``Mailbox``."""
        return {uid: self.inbox[uid] for uid in uids}

    def fetch_head(self, uid: str) -> bytes:
        """See ``Mailbox``."""
        return self.inbox[uid].partition(b"\r\n\r\n")[0] + b"\r\n\r\n"

    def move(self, uids: Sequence[str], folder: str) -> None:
        """See ``Mailbox``."""
        for uid in uids:
            self.folders.setdefault(folder, {})[uid] = self.inbox.pop(uid)

    def marks(self, folder: str) -> list[str]:
        """See ``service.place.Marks``."""
        self._reached()
        return self.places.get(folder, [])[-20:]

    def mark(self, folder: str, text: str) -> None:
        """See ``service.place.Marks``."""
        self._reached()
        self.places.setdefault(folder, []).append(text)

    def delete(self, message_ids: Sequence[str], folders: Sequence[str]) -> int:
        """See ``Mailbox``."""
        count = 0
        for name in folders:
            box = self.folders.get(name, {})
            for uid in [uid for uid, raw in box.items() if peek_message_id(raw) in message_ids]:
                del box[uid]
                count += 1
        return count

    def holds(self, message_id: str, folders: Sequence[str]) -> bool:
        """See ``Mailbox``."""
        boxes = [self.inbox, *(self.folders.get(name, {}) for name in folders)]
        return any(message_id.encode() in raw for box in boxes for raw in box.values())

    def kept(self, folders: Sequence[str], since: date) -> Iterator[bytes]:
        """See ``Mailbox``; these mails have no days."""
        assert since.year
        for box in (self.inbox, *(self.folders.get(name, {}) for name in folders)):
            yield from box.values()

    def wait(self, timeout: float, stop: Stop = never) -> bool:
        """See ``Mailbox``."""
        return timeout > 0 and not stop()

    def close(self) -> None:
        """See ``Mailbox``."""


class FakeClock:
    """A clock that moves when it is asked to."""

    def __init__(self) -> None:
        self.time = datetime(2026, 11, 21, 18, tzinfo=UTC)
        self.ran = 0.0

    def __call__(self) -> datetime:
        return self.time

    def tick(self, seconds: float) -> None:
        """Let time pass."""
        self.ran += seconds
        self.jump(seconds)

    def jump(self, seconds: float) -> None:
        """Somebody sets the clock: no time passes."""
        self.time += timedelta(seconds=seconds)

    def elapsed(self) -> float:
        """The clock that nobody sets."""
        return self.ran


SERVICES: WeakSet[Service] = WeakSet()
"""Those that something still refers to."""


def fake_service(
    folder: Path,
    mail: FakeMail,
    clock: FakeClock | None = None,
    *,
    steps: Steps = no_steps,
    limits: Limits | None = None,
    witness: bool = True,
    url: str = "",
    look: Look = look,
    heads: Heads | None = None,
    host: Identity | None = None,
    warm: int = MOST_RECORDS,
    language: str = "en",
    keep: Keep = FOR_EVER,
    api: str = "",
    page: str = "",
    mails: bool = True,
    club: Club | None = None,
    paint: Paint | None = None,
) -> Service:
    """A service on an SQLite file in ``folder``, its mail in memory; emails have pictures if it can ``paint``."""
    clock = clock or FakeClock()
    context = ServiceContext(
        Database(url or f"sqlite:///{folder / 'service.db'}"),
        host or Identity(secret("host service")),
        Sender(HOST, "Saturday table"),
        OPERATOR,
        clock,
        clock.elapsed,
        limits or GENEROUS,
        witness,
        pictures=paint is not None,
        paint=paint or to_png,
        look=look,
        steps=steps,
        heads=heads or Heads(),
        warm=warm,
        language=language,
        api=api,
    )
    if not mails:
        context.mails, context.operator = False, ""
    context.page = page
    context.club = club or Club()
    service = Service(context, mail if mails else NoMail(), mail if mails else None, Folders(), keep)
    SERVICES.add(service)
    return service


__all__ = ["FakeClock", "FakeMail", "MailTrouble", "NotSent", "Unknown", "fake_service"]
