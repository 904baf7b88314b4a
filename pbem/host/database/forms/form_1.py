"""What databases of the first form have; those of the first weeks have only some of it, and get the rest."""

from __future__ import annotations

from typing import Final

from pbem.host.database.forms import make

revision: Final = "1"
down_revision: Final = None

_STATEMENTS: Final = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL, until TEXT NOT NULL DEFAULT '');
CREATE TABLE IF NOT EXISTS matches (
  game TEXT PRIMARY KEY, short TEXT NOT NULL UNIQUE, created TEXT NOT NULL, seq INTEGER NOT NULL,
  head TEXT NOT NULL, over INTEGER NOT NULL DEFAULT 0, waits INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS lines (
  game TEXT NOT NULL REFERENCES matches, seq INTEGER NOT NULL, raw {blob} NOT NULL, PRIMARY KEY (game, seq));
CREATE TABLE IF NOT EXISTS seats (
  game TEXT NOT NULL REFERENCES matches, seat TEXT NOT NULL, address TEXT NOT NULL DEFAULT '',
  invited TEXT NOT NULL DEFAULT '', word TEXT NOT NULL DEFAULT '', suspended TEXT NOT NULL DEFAULT '',
  bounces INTEGER NOT NULL DEFAULT 0, heard TEXT NOT NULL DEFAULT '', pending {blob}, pending_from TEXT,
  PRIMARY KEY (game, seat));
CREATE INDEX IF NOT EXISTS seats_address ON seats (address);
CREATE INDEX IF NOT EXISTS seats_invited ON seats (invited);
CREATE TABLE IF NOT EXISTS consents (
  game TEXT NOT NULL REFERENCES matches, hash TEXT NOT NULL, seat TEXT NOT NULL, file {blob} NOT NULL,
  PRIMARY KEY (game, hash));
CREATE TABLE IF NOT EXISTS ruled (
  game TEXT NOT NULL REFERENCES matches, hash TEXT NOT NULL, verdict TEXT NOT NULL, at TEXT NOT NULL,
  reject {blob} NOT NULL, PRIMARY KEY (game, hash));
CREATE TABLE IF NOT EXISTS inbox (
  id {serial}, name TEXT NOT NULL UNIQUE, raw {blob} NOT NULL, arrived TEXT NOT NULL, state TEXT NOT NULL,
  game TEXT NOT NULL DEFAULT '', reason TEXT NOT NULL DEFAULT '', tries INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS inbox_state ON inbox (state, game, id);
CREATE TABLE IF NOT EXISTS outbox (
  id {serial}, effect TEXT NOT NULL UNIQUE, token TEXT NOT NULL UNIQUE, message_id TEXT NOT NULL UNIQUE,
  game TEXT NOT NULL DEFAULT '', seat TEXT NOT NULL DEFAULT '', rcpt TEXT NOT NULL, env_from TEXT NOT NULL,
  raw {blob} NOT NULL, state TEXT NOT NULL, created TEXT NOT NULL, tries INTEGER NOT NULL DEFAULT 0,
  not_before TEXT NOT NULL DEFAULT '', tried TEXT NOT NULL DEFAULT '', sent TEXT NOT NULL DEFAULT '',
  fault TEXT NOT NULL DEFAULT '');
CREATE INDEX IF NOT EXISTS outbox_state ON outbox (state, not_before, id);
CREATE INDEX IF NOT EXISTS outbox_thread ON outbox (game, seat, id);
CREATE INDEX IF NOT EXISTS outbox_tried ON outbox (tried);
CREATE TABLE IF NOT EXISTS answers (
  person TEXT NOT NULL, kind TEXT NOT NULL, day TEXT NOT NULL, count INTEGER NOT NULL,
  PRIMARY KEY (person, kind, day));
CREATE TABLE IF NOT EXISTS times (
  game TEXT PRIMARY KEY REFERENCES matches, wake TEXT NOT NULL DEFAULT '', reminded TEXT NOT NULL DEFAULT '',
  lost_from TEXT NOT NULL DEFAULT '', lost_until TEXT NOT NULL DEFAULT '');
CREATE INDEX IF NOT EXISTS times_wake ON times (wake);
CREATE TABLE IF NOT EXISTS wishes (
  game TEXT NOT NULL REFERENCES matches, seat TEXT NOT NULL, hours TEXT NOT NULL, PRIMARY KEY (game, seat));
CREATE TABLE IF NOT EXISTS observers (
  game TEXT NOT NULL REFERENCES matches, address TEXT NOT NULL, since INTEGER NOT NULL DEFAULT -1,
  suspended TEXT NOT NULL DEFAULT '', PRIMARY KEY (game, address));
CREATE INDEX IF NOT EXISTS observers_address ON observers (address);
CREATE TABLE IF NOT EXISTS notes (
  id {serial}, at TEXT NOT NULL, kind TEXT NOT NULL, game TEXT NOT NULL DEFAULT '', text TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS stops (
  game TEXT PRIMARY KEY REFERENCES matches, state TEXT NOT NULL, since TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS proven (
  game TEXT NOT NULL REFERENCES matches, seq INTEGER NOT NULL, line TEXT NOT NULL, PRIMARY KEY (game, seq, line));
CREATE TABLE IF NOT EXISTS copies (
  game TEXT NOT NULL REFERENCES matches, line TEXT NOT NULL, seq INTEGER NOT NULL, prev TEXT NOT NULL,
  raw {blob} NOT NULL, PRIMARY KEY (game, line));
CREATE TABLE IF NOT EXISTS pieces (
  game TEXT NOT NULL REFERENCES matches, bundle TEXT NOT NULL, number INTEGER NOT NULL, raw {blob} NOT NULL,
  PRIMARY KEY (game, bundle, number));
CREATE TABLE IF NOT EXISTS eras (
  game TEXT PRIMARY KEY REFERENCES matches, era INTEGER NOT NULL, upto INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS notes_kind ON notes (kind, id);
CREATE TABLE IF NOT EXISTS alarms (
  kind TEXT PRIMARY KEY, mailed TEXT NOT NULL DEFAULT '', told INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS retained (
  game TEXT PRIMARY KEY REFERENCES matches, ended TEXT NOT NULL, cleared TEXT NOT NULL DEFAULT '');
INSERT INTO times (game) SELECT game FROM matches WHERE game NOT IN (SELECT game FROM times)
"""


def upgrade() -> None:
    """Make it."""
    make(_STATEMENTS)
