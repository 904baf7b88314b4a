"""One match on either of the two stores, taken up where a world stands; a host killed where the test asks for it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Protocol

from pbem.host import FolderHost, Outcome
from pbem.host.database.database import Database
from pbem.host.database.mail import OutboxRows
from pbem.host.database.matches import Matches
from pbem.host.service.context import ServiceContext
from pbem.host.service.letters import Letterbox
from pbem.host.service.matches import MatchClient
from pbem.host.service.store import DatabaseStore
from pbem.host.store import Caller
from pbem.player.mail.outgoing import Sender
from pbem.player.store.durable import Steps, no_steps
from pbem.protocol.crypto.digest import b64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.messages import Message, read_message
from pbem.protocol.record import Record
from pbem.protocol.record.deadlines import parse_time
from tests.host.folders import lay
from tests.patience import until
from tests.world import START, secret

HOST = Identity(secret("host 1"))
"""The host of every ``World`` with the usual seed."""


class Rig(Protocol):
    """A host at one match."""

    now: str

    def take(self, raw: bytes) -> Outcome:
        """Rule on a player's file."""
        ...

    def lines(self) -> list[bytes]:
        """The match as the store has it."""
        ...

    def letters(self) -> dict[str, bytes]:
        """What waits to be sent, by what it is called."""
        ...

    def consents(self) -> list[Message]:
        """What is kept of them."""
        ...

    def notices(self) -> list[str]:
        """What the host was shown."""
        ...

    def opened(self) -> AbstractContextManager[DatabaseStore]:
        """The store, for one step."""
        ...

    def close(self) -> None:
        """Close the store."""
        ...


class FolderRig:
    """A match folder."""

    def __init__(self, place: str, now: str = START, steps: Steps = no_steps) -> None:
        self.now, self.steps = now, steps
        self.client = FolderHost(Path(place), HOST, lambda: self.now, steps)

    @staticmethod
    def lay(place: str, lines: Sequence[bytes]) -> None:
        """A folder that holds these records."""
        lay(Path(place), lines, HOST, lambda: START)

    def take(self, raw: bytes) -> Outcome:
        """See ``Rig``."""
        return self.client.take(raw)

    def lines(self) -> list[bytes]:
        """See ``Rig``: as it is printed."""
        return list(self.client.folder.game.read().lines)

    def letters(self) -> dict[str, bytes]:
        """See ``Rig``."""
        box = self.client.folder.outbox
        return {name: box.read(name) for name in box.letters()}

    def consents(self) -> list[Message]:
        """See ``Rig``."""
        with self.client._opened() as store:
            return store.consents()

    def notices(self) -> list[str]:
        """See ``Rig``."""
        return self.client.notices

    def opened(self) -> AbstractContextManager[DatabaseStore]:
        """See ``Rig``."""
        return self.client._opened()

    def close(self) -> None:
        """See ``Rig``."""
        self.client.close()


class DatabaseRig:
    """A match in a database; its files come by mail that is there already."""

    def __init__(self, place: str, now: str = START, steps: Steps = no_steps) -> None:
        self.now = now
        self._mails = 0
        sender = Sender("games@pbem.test", "Saturday table")
        self.context = ServiceContext(
            Database(place),
            HOST,
            sender,
            "boss@pbem.test",
            lambda: parse_time(self.now),
            lambda: parse_time(self.now).timestamp(),
            steps=steps,
        )

    @staticmethod
    def lay(place: str, lines: Sequence[bytes]) -> None:
        """A database that holds a match of these records."""
        record, rig = Record.load(list(lines)), DatabaseRig(place)
        MatchClient(rig.context).bring_back(record.lines, record)
        with rig.context.database.transaction() as transaction:
            for seat in record.seats:
                Matches(transaction).set_address(b64(record.game), seat, f"{seat}@players.test")
        rig.context.close()

    def take(self, raw: bytes) -> Outcome:
        """See ``Rig``."""
        message = read_message(raw)
        self._mails += 1
        name = f"{os.getpid()}.{self._mails}"
        caller = Caller(f"<{name}@players.test>", f"{message.seat}@players.test", name)
        with self.context.database.transaction() as transaction:
            # A server notices after a moment only that whoever had the match was killed.
            match = Matches(transaction).hold(b64(message.game))
            assert match is not None
            store = DatabaseStore(self.context, transaction, match)
            outcome = store.host().take(message, caller)
        store.keep()
        self.context.steps("committed")
        return outcome

    def lines(self) -> list[bytes]:
        """See ``Rig``."""
        with self.context.database.transaction() as transaction:
            matches = Matches(transaction)
            return matches.lines(matches.all()[0].game)

    def letters(self) -> dict[str, bytes]:
        """See ``Rig``."""
        with self.context.database.transaction() as transaction:
            rows = OutboxRows(transaction).claim_due("9999", 10_000)
            box = Letterbox(self.context, transaction)
            letters = {row.effect: box.ready(row)() for row in rows if row.rcpt != "boss@pbem.test"}
            transaction.run("UPDATE outbox SET state = 'queued'")
        return letters

    def consents(self) -> list[Message]:
        """See ``Rig``."""
        with self.context.database.transaction() as transaction:
            matches = Matches(transaction)
            return list(map(read_message, matches.consents(matches.all()[0].game).values()))

    def notices(self) -> list[str]:
        """See ``Rig``."""
        with self.context.database.transaction() as transaction:
            return [str(row[0]) for row in transaction.run("SELECT text FROM notes ORDER BY id")]

    @contextmanager
    def opened(self) -> Iterator[DatabaseStore]:
        """See ``Rig``."""
        with self.context.database.transaction() as transaction:
            matches = Matches(transaction)
            match = matches.hold(matches.all()[0].game)
            assert match is not None
            store = DatabaseStore(self.context, transaction, match)
            yield store
        store.keep()

    def close(self) -> None:
        """See ``Rig``."""
        self.context.close()


@dataclass(frozen=True)
class Kind:
    """One of the store, and where a match lies on it."""

    rig: type[FolderRig | DatabaseRig]
    place: str


def _die(kind: Kind, now: str, raw: bytes, point: str) -> None:
    """Take a file, and end at this point as the kernel ends a killed process."""

    def steps(name: str) -> None:
        if name == point:
            os.kill(os.getpid(), signal.SIGKILL)

    kind.rig(kind.place, now, steps).take(raw)


_PROCESSES = get_context("forkserver")
_PROCESSES.set_forkserver_preload(["tests.host.rigs"])


def killed(kind: Kind, now: str, raw: bytes, point: str) -> bool:
    """Let a host take the file in a process of its own that is killed at ``point``; whether it came so far."""
    process = _PROCESSES.Process(target=_die, args=(kind, now, raw, point))
    process.start()
    until(lambda: process.exitcode is not None, f"{point}: the host does not end", lambda: process.join(1))
    return process.exitcode == -signal.SIGKILL
