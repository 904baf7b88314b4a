"""A host's match folder that holds the records of a world."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from pbem.host import FolderHost
from pbem.host.letter_mail import Contacts
from pbem.host.recover import recover
from pbem.player.store.durable import Steps, no_steps
from pbem.protocol.crypto.identity import Identity


def lay(path: Path, lines: Sequence[bytes], host: Identity, clock: Callable[[], str]) -> Path:
    """A folder with a database that holds these records, and the emails of the last step; where it is."""
    recover(path, host, [("copy", lines)], clock)
    return path


def laid(
    path: Path,
    lines: Sequence[bytes],
    host: Identity,
    clock: Callable[[], str],
    steps: Steps = no_steps,
) -> FolderHost:
    """The host at work on it."""
    return FolderHost(lay(path, lines, host, clock), host, clock, steps)


def note_contacts(client: FolderHost, contacts: Contacts) -> None:
    """Let the match have been made with these contacts."""
    with client._opened() as store:
        store.note_contacts(contacts)
        store.note_addresses(contacts.seats)
