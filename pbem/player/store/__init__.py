"""Files on disk: match folder, match file, locks, outgoing emails, identities.

This package stores bytes and interprets none of them. See ``match_folder`` for the layout, ``game_file`` for
what an append promises, ``keyring`` for identities.

In: folders, appends, locks, boxes, identities' files, both databases, their forms, backups. Out: what the bytes mean,
and when they are written (``pbem.host``, ``pbem.player.seat``), SQL above this package. Called by: api, cli, host,
host.database, host.service, lookback, play, practice, seat, web, world.
"""

from pbem.player.store.checkpoints import Checkpoints as Checkpoints
from pbem.player.store.checkpoints import Vouched as Vouched
from pbem.player.store.durable import FileLock as FileLock
from pbem.player.store.durable import read_file as read_file
from pbem.player.store.durable import write_file as write_file
from pbem.player.store.durable import write_private as write_private
from pbem.player.store.game_file import GameFile as GameFile
from pbem.player.store.game_file import Loaded as Loaded
from pbem.player.store.game_file import Mark as Mark
from pbem.player.store.keyring import Keyring as Keyring
from pbem.player.store.keyring import default_home as default_home
from pbem.player.store.match_folder import GAME_FILE as GAME_FILE
from pbem.player.store.match_folder import Inbox as Inbox
from pbem.player.store.match_folder import MatchFolder as MatchFolder
from pbem.player.store.match_folder import Outbox as Outbox
from pbem.player.store.match_folder import PrivateNotes as PrivateNotes
from pbem.player.store.match_folder import Sealed as Sealed
from pbem.player.store.match_folder import find_match_folder as find_match_folder
