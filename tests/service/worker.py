"""One worker process of a service without a mail server: emails are files in a folder, which is also the witness.

``python -m tests.service.worker URL FOLDER``: works until it is killed.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

from pbem.host.config import Limits
from pbem.host.database.database import Database
from pbem.host.service.context import ServiceContext
from pbem.host.service.service import Service
from pbem.player.mail.outgoing import Sender
from pbem.player.mail.ports import Stop, TooLate, WaitingMail, always, never
from pbem.player.store.durable import Steps, no_steps
from pbem.protocol.crypto.identity import Identity
from tests.world import secret


class Sink:
    """Emails as files: ``<number>-<pid>-<message id>``; every sending leaves a file of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._count = 0

    def send(self, env_from: str, to: Sequence[str], raw: bytes, envid: str, may: Stop = always) -> None:
        """See ``Outgoing``."""
        assert env_from is not None
        if not may():
            raise TooLate("claimed too long ago")
        self._count += 1
        name = f"{envid}-{os.getpid()}-{self._count}"
        temporary = self.folder / f".{name}"
        temporary.write_bytes(to[0].encode() + b"\n" + raw)
        temporary.rename(self.folder / name)

    def reach(self) -> None:
        """See ``Outgoing``."""

    def valid_until(self) -> str:
        """See ``Outgoing``."""
        return ""

    unlisted = 0

    def waiting(self, most: int = 0) -> list[WaitingMail]:
        """See ``Mailbox``: mail is delivered to the database by others."""
        assert most >= 0
        return []

    def fetch(self, uids: Sequence[str]) -> dict[str, bytes]:
        """See ``Mailbox``."""
        raise AssertionError(uids)

    def fetch_head(self, uid: str) -> bytes:
        """See ``Mailbox``."""
        raise AssertionError(uid)

    def move(self, uids: Sequence[str], folder: str) -> None:
        """See ``Mailbox``."""
        raise AssertionError(uids, folder)

    def delete(self, message_ids: Sequence[str], folders: Sequence[str]) -> int:
        """See ``Mailbox``."""
        raise AssertionError(message_ids, folders)

    def holds(self, message_id: str, folders: Sequence[str]) -> bool:
        """See ``Mailbox``."""
        assert folders is not None
        return any(self.folder.glob(f"{message_id[1:].partition('@')[0].removeprefix('pbem.')}-*"))

    def kept(self, folders: Sequence[str], since: date) -> Iterator[bytes]:
        """See ``Mailbox``."""
        raise AssertionError(folders, since)

    def wait(self, timeout: float, stop: Stop = never) -> bool:
        """See ``Mailbox``."""
        time.sleep(0.0 if stop() else min(timeout, 0.02))
        return True

    def close(self) -> None:
        """See ``Mailbox``."""


def sink_service(url: str, folder: Path, api: str = "", steps: Steps = no_steps) -> Service:
    """A service whose emails are files; ``api`` is the address of its HTTP API."""
    sink = Sink(folder)
    context = ServiceContext(
        Database(url),
        Identity(secret("host service")),
        Sender("games@pbem.test"),
        "boss@pbem.test",
        limits=Limits(
            per_minute=1_000_000,
            per_hour=10_000_000,
            per_match=10_000_000,
            per_sender=1_000_000,
            per_domain=1_000_000,
            witness_wait=2,
            receipts=0,
        ),
        pictures=False,
        api=api,
        steps=steps,
    )
    return Service(context, sink, sink)


def main() -> None:
    """Work for ever."""
    service = sink_service(sys.argv[1], Path(sys.argv[2]))
    while True:
        if not service.run_once().anything:
            time.sleep(0.02)


if __name__ == "__main__":
    main()
