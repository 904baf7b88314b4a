"""The configuration of a service in a folder, as tests of commands need it; nobody answers at its mail server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pbem.host.config import Config
from pbem.player.mail.servers import Secret, Server


def config_in(folder: Path, **changes: Any) -> Config:
    """A whole one, its database in ``folder``; ``changes`` are members of it."""
    server = Server("mail.example.org", 993, "games", Secret("file", "word"))
    members: dict[str, Any] = {
        "folder": folder,
        "address": "games@example.org",
        "operator": "boss@example.org",
        "database": "sqlite:///service.db",
        "identity": "host",
        "home": "home",
        "passphrase": Secret("file", "word"),
        "imap": server,
        "smtp": server,
    }
    return Config(**members | changes)
