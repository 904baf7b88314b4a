"""Everything that a service's database has."""

from __future__ import annotations

from typing import Final

from pbem.host.database.forms import make

revision: Final = "1"
down_revision: Final = None

_STATEMENTS: Final = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL, until TEXT NOT NULL DEFAULT '');
CREATE TABLE matches (
  game TEXT PRIMARY KEY, short TEXT NOT NULL UNIQUE, created TEXT NOT NULL, seq INTEGER NOT NULL,
  head TEXT NOT NULL, over INTEGER NOT NULL DEFAULT 0, waits INTEGER NOT NULL DEFAULT 0);
CREATE TABLE lines (
  game TEXT NOT NULL REFERENCES matches, seq INTEGER NOT NULL, raw {blob} NOT NULL, PRIMARY KEY (game, seq));
CREATE TABLE seats (
  game TEXT NOT NULL REFERENCES matches, seat TEXT NOT NULL, address TEXT NOT NULL DEFAULT '',
  invited TEXT NOT NULL DEFAULT '', word TEXT NOT NULL DEFAULT '', suspended TEXT NOT NULL DEFAULT '',
  bounces INTEGER NOT NULL DEFAULT 0, heard TEXT NOT NULL DEFAULT '', pending {blob}, pending_from TEXT,
  PRIMARY KEY (game, seat));
CREATE INDEX seats_address ON seats (address);
CREATE INDEX seats_invited ON seats (invited);
CREATE TABLE consents (
  game TEXT NOT NULL REFERENCES matches, hash TEXT NOT NULL, seat TEXT NOT NULL, file {blob} NOT NULL,
  PRIMARY KEY (game, hash));
CREATE TABLE ruled (
  game TEXT NOT NULL REFERENCES matches, hash TEXT NOT NULL, verdict TEXT NOT NULL, at TEXT NOT NULL,
  reject {blob} NOT NULL, PRIMARY KEY (game, hash));
CREATE TABLE inbox (
  id {serial}, name TEXT NOT NULL UNIQUE, message_id TEXT NOT NULL DEFAULT '', raw {blob} NOT NULL,
  arrived TEXT NOT NULL, state TEXT NOT NULL,
  game TEXT NOT NULL DEFAULT '', reason TEXT NOT NULL DEFAULT '', tries INTEGER NOT NULL DEFAULT 0);
CREATE INDEX inbox_state ON inbox (state, game, id);
CREATE INDEX inbox_message_id ON inbox (message_id);
CREATE TABLE outbox (
  id {serial}, effect TEXT NOT NULL UNIQUE, token TEXT NOT NULL UNIQUE, message_id TEXT NOT NULL UNIQUE,
  game TEXT NOT NULL DEFAULT '', seat TEXT NOT NULL DEFAULT '', rcpt TEXT NOT NULL, env_from TEXT NOT NULL,
  raw {blob} NOT NULL, state TEXT NOT NULL, created TEXT NOT NULL, tries INTEGER NOT NULL DEFAULT 0,
  not_before TEXT NOT NULL DEFAULT '', tried TEXT NOT NULL DEFAULT '', sent TEXT NOT NULL DEFAULT '',
  fault TEXT NOT NULL DEFAULT '');
CREATE INDEX outbox_state ON outbox (state, not_before, id);
CREATE INDEX outbox_thread ON outbox (game, seat, id);
CREATE INDEX outbox_tried ON outbox (tried);
CREATE TABLE answers (
  person TEXT NOT NULL, kind TEXT NOT NULL, day TEXT NOT NULL, count INTEGER NOT NULL,
  PRIMARY KEY (person, kind, day));
CREATE TABLE times (
  game TEXT PRIMARY KEY REFERENCES matches, wake TEXT NOT NULL DEFAULT '', reminded TEXT NOT NULL DEFAULT '',
  lost_from TEXT NOT NULL DEFAULT '', lost_until TEXT NOT NULL DEFAULT '');
CREATE INDEX times_wake ON times (wake);
CREATE TABLE wishes (
  game TEXT NOT NULL REFERENCES matches, seat TEXT NOT NULL, hours TEXT NOT NULL, PRIMARY KEY (game, seat));
CREATE TABLE observers (
  game TEXT NOT NULL REFERENCES matches, address TEXT NOT NULL, since INTEGER NOT NULL DEFAULT -1,
  suspended TEXT NOT NULL DEFAULT '', PRIMARY KEY (game, address));
CREATE INDEX observers_address ON observers (address);
CREATE TABLE notes (
  id {serial}, at TEXT NOT NULL, kind TEXT NOT NULL, game TEXT NOT NULL DEFAULT '', text TEXT NOT NULL);
CREATE INDEX notes_kind ON notes (kind, id);
CREATE TABLE stops (
  game TEXT PRIMARY KEY REFERENCES matches, state TEXT NOT NULL, since TEXT NOT NULL);
CREATE TABLE proven (
  game TEXT NOT NULL REFERENCES matches, seq INTEGER NOT NULL, line TEXT NOT NULL, PRIMARY KEY (game, seq, line));
CREATE TABLE copies (
  game TEXT NOT NULL REFERENCES matches, line TEXT NOT NULL, seq INTEGER NOT NULL, prev TEXT NOT NULL,
  raw {blob} NOT NULL, PRIMARY KEY (game, line));
CREATE TABLE pieces (
  game TEXT NOT NULL REFERENCES matches, bundle TEXT NOT NULL, number INTEGER NOT NULL, raw {blob} NOT NULL,
  PRIMARY KEY (game, bundle, number));
CREATE TABLE eras (
  game TEXT PRIMARY KEY REFERENCES matches, era INTEGER NOT NULL, upto INTEGER NOT NULL);
CREATE TABLE alarms (
  kind TEXT PRIMARY KEY, mailed TEXT NOT NULL DEFAULT '', told INTEGER NOT NULL DEFAULT 0);
CREATE TABLE retained (
  game TEXT PRIMARY KEY REFERENCES matches, ended TEXT NOT NULL, cleared TEXT NOT NULL DEFAULT '');
CREATE TABLE doors (
  game TEXT NOT NULL REFERENCES matches, seat TEXT NOT NULL, counter INTEGER NOT NULL DEFAULT 0,
  shut INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (game, seat));
CREATE TABLE posted (
  game TEXT NOT NULL REFERENCES matches, seat TEXT NOT NULL, receipt TEXT NOT NULL, hash TEXT NOT NULL,
  mark TEXT NOT NULL, seen INTEGER NOT NULL, mail BIGINT NOT NULL, PRIMARY KEY (game, seat, receipt));
CREATE INDEX posted_mail ON posted (mail);
CREATE TABLE circles (game TEXT PRIMARY KEY REFERENCES matches, note TEXT NOT NULL);
CREATE INDEX matches_open ON matches (game) WHERE over = 0;
CREATE INDEX matches_waiting ON matches (game) WHERE waits > 0;
CREATE INDEX times_lost ON times (game) WHERE lost_from <> '';
CREATE TABLE glances (
  game TEXT PRIMARY KEY REFERENCES matches, head TEXT NOT NULL, rules TEXT NOT NULL, due TEXT NOT NULL,
  good TEXT NOT NULL, by_hand INTEGER NOT NULL)
"""


def upgrade() -> None:
    """Make it."""
    make(_STATEMENTS)
