"""The form of the service's database, and how an older one becomes the newest.

``STEPS`` are all changes that were ever made, in order; a database notes how many it has had. What is missing is
done when it is opened, in one transaction on both databases: whoever is killed in the middle has done nothing. A step
that was committed is never changed; another one is put behind it, and a database of the new form is kept for the
tests (``python -m tests.service.kept_form``). There is no way back: restore a backup.

Not by a library: those at hand open connections of their own, beside the one that holds the lock and the file's
mode, and one that is killed leaves its lock behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final, Protocol, TypeAlias

from pbem.errors import StoreError

Row: TypeAlias = tuple[Any, ...]

_LOCK: Final = 7065626
"""PostgreSQL: two workers that start together take turns."""


class DatabaseDamaged(StoreError):
    """The database is not what was written: trying again does not help, a person has to."""


class DatabaseFull(StoreError):
    """There is no room on its disk; as soon as there is, it works again."""


class DatabaseNewer(DatabaseDamaged):
    """The database was made by a newer version of this program."""


class Driver(Protocol):
    """What differs between the two databases."""

    lock: str
    hold: str
    types: ClassVar[dict[str, str]]
    """What a column of bytes and one that counts by itself are called."""

    def begin(self, *, reading: bool = False) -> None:
        """Start a transaction; one that only reads waits for nobody."""
        ...

    def alone(self, number: int) -> None:
        """Until the transaction ends nobody else gets past this call with this number."""
        ...

    def run(self, statement: str, values: Sequence[Any]) -> list[Row]:
        """Run one statement; its rows, if it has any.

        Raises:
            ValueError: a value that it cannot hold: a zero byte in a text, too great a number. Another row may pass.
            StoreError: it cannot be reached or refuses.
        """
        ...

    def has(self, table: str) -> bool:
        """Whether there is such a table."""
        ...

    def check(self) -> str:
        """What the database itself finds wrong with its pages and indexes; empty if nothing."""
        ...

    def pack(self, table: str, numbers: Sequence[int]) -> None:
        """Let the room that these rows no longer need be used by others; ``table`` has an ``id``."""
        ...

    def compact(self) -> None:
        """Give the room of what was removed back, outside of a transaction."""
        ...

    def end(self, *, keep: bool) -> None:
        """Commit, or take everything back."""
        ...

    def close(self) -> None:
        """Hang up."""
        ...


_FIRST: Final = """
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
INSERT INTO times (game) SELECT game FROM matches WHERE game NOT IN (SELECT game FROM times);
"""
"""What databases of the first form have; those of the first weeks have only some of it, and get the rest."""
_LAST: Final = "retained"
"""The table of the first form that was made last: where it is, the others are."""

_DOORS: Final = """
CREATE TABLE doors (
  game TEXT NOT NULL REFERENCES matches, seat TEXT NOT NULL, counter INTEGER NOT NULL DEFAULT 0,
  shut INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (game, seat));
CREATE TABLE posted (
  game TEXT NOT NULL REFERENCES matches, seat TEXT NOT NULL, receipt TEXT NOT NULL, hash TEXT NOT NULL,
  mark TEXT NOT NULL, seen INTEGER NOT NULL, mail BIGINT NOT NULL, PRIMARY KEY (game, seat, receipt));
CREATE INDEX posted_mail ON posted (mail)
"""
"""Words of the HTTP door that were withdrawn; files that came by it."""

_CIRCLES: Final = "CREATE TABLE circles (game TEXT PRIMARY KEY REFERENCES matches, note TEXT NOT NULL)"
"""What the host notes beside a match: its title, who is reached where, the season."""

_OPEN: Final = """
CREATE INDEX matches_open ON matches (game) WHERE over = 0;
CREATE INDEX matches_waiting ON matches (game) WHERE waits > 0;
CREATE INDEX times_lost ON times (game) WHERE lost_from <> ''
"""
"""So that a round costs what is open, however many matches there ever were."""

_GLANCES: Final = """
CREATE TABLE glances (
  game TEXT PRIMARY KEY REFERENCES matches, head TEXT NOT NULL, rules TEXT NOT NULL, due TEXT NOT NULL,
  good TEXT NOT NULL, by_hand INTEGER NOT NULL)
"""
"""What lists say of a match and only its records do; who asks for a list fills it."""

STEPS: Final = (_FIRST, _DOORS, _CIRCLES, _OPEN, _GLANCES)
VERSION: Final = len(STEPS)


def migrate(driver: Driver, url: str) -> None:
    """Bring a database to the newest form, within the caller's transaction.

    Raises:
        DatabaseNewer: a newer version of this program has made it; nothing was changed.
    """
    if version_of(driver) == VERSION and driver.has(_LAST):
        return  # making what is there already would lock it, against those who work
    driver.alone(_LOCK)
    found = version_of(driver)
    if found > VERSION:
        raise DatabaseNewer(
            f"the database {url} has form {found}, this version of pbem knows up to form {VERSION}",
            hint="Run the newer version of pbem again, or restore a backup that was made before it ran.",
        )
    whole = bool(found) and driver.has(_LAST)
    for step in (*(() if whole else STEPS[:1]), *STEPS[max(found, 1) :]):
        for statement in step.format(**driver.types).split(";"):
            if statement.strip():
                driver.run(statement, ())
    driver.run(
        "INSERT INTO meta (name, value) VALUES ('version', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        (str(VERSION),),
    )


def version_of(driver: Driver) -> int:
    """Which form a database has; 0 if it is empty."""
    if not driver.has("meta"):
        return 0
    rows = driver.run("SELECT value FROM meta WHERE name = 'version'", ())
    return int(rows[0][0]) if rows else 0
