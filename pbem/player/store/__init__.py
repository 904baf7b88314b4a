"""Files on disk: match folder, match file, locks, outgoing emails, identities.

This room stores bytes and interprets none of them. See ``match_folder`` for the layout, ``game_file`` for
what an append promises, ``keyring`` for identities.

In: folders, appends, locks, boxes, identities' files, both databases, their forms, backups. Out: what the bytes
mean, and when they are written (``pbem.host``, ``pbem.player.seat``), SQL above this room. Called by: api, cli,
history, host, host.database, host.service, play, practice, seat, web, world.
"""

from __future__ import annotations

from pbem.player.store.checkpoints import Checkpoints, Vouched
from pbem.player.store.durable import FileLock, loose_permissions, read_file, write_file, write_private
from pbem.player.store.game_file import GameFile, Loaded, Mark
from pbem.player.store.keyring import Keyring, default_home
from pbem.player.store.match_folder import (
    GAME_FILE,
    Inbox,
    MatchFolder,
    Outbox,
    PrivateNotes,
    Sealed,
    find_match_folder,
)

__all__ = [
    "GAME_FILE",
    "Checkpoints",
    "FileLock",
    "GameFile",
    "Inbox",
    "Keyring",
    "Loaded",
    "Mark",
    "MatchFolder",
    "Outbox",
    "PrivateNotes",
    "Sealed",
    "Vouched",
    "default_home",
    "find_match_folder",
    "loose_permissions",
    "read_file",
    "write_file",
    "write_private",
]
