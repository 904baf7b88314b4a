"""The tables of a service's database, once for SQLite and PostgreSQL, by SQLAlchemy Core.

Times are text as records write them, hashes base64url (matches) or hex (records). ``''`` stands for what is not there,
so that nothing has to ask for NULL. Records are packed by zlib: they say the same names again and again.
"""

from __future__ import annotations

import zlib
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    column,
)
from sqlalchemy.engine import Dialect

from pbem.protocol.formats.strict_json import MAX_LINE

METADATA: Final = MetaData()
_Long: Final = BigInteger().with_variant(Integer, "sqlite")


class Packed(TypeDecorator[bytes]):
    """A record's bytes, in two thirds of the space.

    Bytes that are not packed come out as they are: who checks a record finds what is damaged, and says where.
    """

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: bytes | None, dialect: Dialect) -> bytes | None:  # noqa: ARG002 - as it is called
        """Pack."""
        return value if value is None else zlib.compress(value)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> bytes | None:  # noqa: ARG002 - as it is called
        """Unpack; no more than a record may have, whoever has written into the database."""
        if value is None or value[:1] == b"{":
            return value
        unpacker = zlib.decompressobj()
        try:
            plain = unpacker.decompress(value, MAX_LINE + 1)
        except zlib.error:
            return bytes(value)
        return plain if unpacker.eof and not unpacker.unused_data else bytes(value)


def _text(*names: str) -> list[Column[Any]]:
    """Columns of text, empty where nothing is said."""
    return [Column(name, Text, nullable=False, server_default="") for name in names]


def _numbers(*names: str, default: int = 0) -> list[Column[Any]]:
    return [Column(name, Integer, nullable=False, server_default=str(default)) for name in names]


def _bytes(*names: str) -> list[Column[Any]]:
    return [Column(name, LargeBinary, nullable=False) for name in names]


def _key(*names: str) -> list[Column[Any]]:
    """Columns of text that name a row."""
    return [Column(name, Text, primary_key=True) for name in names]


def _of_match() -> Column[Any]:
    """The match that a row hangs on, as the first part of its name."""
    return Column("game", Text, ForeignKey("matches.game"), primary_key=True)


def _serial() -> Column[Any]:
    return Column("id", _Long, Identity(always=True), primary_key=True)


def _table(name: str, *columns: Column[Any] | list[Column[Any]], rowid: bool = True) -> Table:
    flat = [col for part in columns for col in (part if isinstance(part, list) else [part])]
    serial = any(col.identity is not None for col in flat)
    return Table(name, METADATA, *flat, sqlite_autoincrement=serial, sqlite_with_rowid=rowid)


META: Final = _table("meta", _key("name"), _text("value", "until"))
MATCHES: Final = _table(
    "matches",
    _key("game"),
    Column("short", Text, nullable=False, unique=True),
    _text("created"),
    _numbers("seq", default=-1),
    _text("head"),
    _numbers("over", "waits"),
)
LINES: Final = _table(
    "lines", _of_match(), Column("seq", Integer, primary_key=True), Column("raw", Packed, nullable=False)
)
SEATS: Final = _table(
    "seats",
    _of_match(),
    _key("seat"),
    _text("address", "invited", "word", "suspended"),
    _numbers("bounces"),
    _text("heard"),
)
JOINS: Final = _table(
    "joins",
    _of_match(),
    _key("seat", "key"),
    _numbers("number"),
    _text("sender"),
    _bytes("file"),
    rowid=False,
)
CONSENTS: Final = _table("consents", _of_match(), _key("hash"), _text("seat"), _bytes("file"))
RULED: Final = _table("ruled", _of_match(), _key("hash"), _text("verdict", "at"), _bytes("reject"))
INBOX: Final = _table(
    "inbox",
    _serial(),
    Column("name", Text, nullable=False, unique=True),
    _text("message_id", "sender"),
    _bytes("raw"),
    _text("arrived", "state", "game", "reason"),
    _numbers("tries"),
)
OUTBOX: Final = _table(
    "outbox",
    _serial(),
    Column("effect", Text, nullable=False, unique=True),
    Column("token", Text, nullable=False, unique=True),
    Column("message_id", Text, nullable=False, unique=True),
    _text("game", "seat", "rcpt", "env_from", "name"),
    _bytes("raw"),
    _text("state", "created"),
    _numbers("tries"),
    _text("not_before", "tried", "sent", "fault"),
)
COUNTS: Final = _table("counts", _key("name"), _numbers("count"), _text("until"))
TIMES: Final = _table("times", _of_match(), _text("wake", "reminded", "lost_from", "lost_until"))
WISHES: Final = _table("wishes", _of_match(), _key("seat"), _text("hours"))
OBSERVERS: Final = _table(
    "observers", _of_match(), _key("address"), _numbers("since", default=-1), _text("suspended")
)
NOTES: Final = _table("notes", _serial(), _text("at", "kind", "game", "text"))
STOPS: Final = _table("stops", _of_match(), _text("state", "since"))
PROVEN: Final = _table("proven", _of_match(), Column("seq", Integer, primary_key=True), _key("line"))
COPIES: Final = _table("copies", _of_match(), _key("line"), _numbers("seq"), _text("prev"), _bytes("raw"))
PIECES: Final = _table(
    "pieces", _of_match(), _key("bundle"), Column("number", Integer, primary_key=True), _bytes("raw")
)
ERAS: Final = _table("eras", _of_match(), _numbers("era", "upto"))
ALARMS: Final = _table("alarms", _key("kind"), _text("mailed"), _numbers("reported"))
RETAINED: Final = _table("retained", _of_match(), _text("ended", "cleared"))
ACCESS: Final = _table("access", _of_match(), _key("seat"), _numbers("counter", "invitation"))
POSTED: Final = _table(
    "posted",
    _of_match(),
    _key("seat", "receipt"),
    _text("hash", "mark"),
    _numbers("seen"),
    Column("mail", BigInteger, nullable=False),
)
PUSHES: Final = _table(
    "pushes",
    _of_match(),
    _key("seat", "endpoint"),
    _text("p256dh", "auth"),
    _numbers("named"),
    Column("zone", Text, nullable=False, server_default="UTC"),
    _numbers("looked", default=-1),
    _numbers("rung", default=-2),
    _text("later"),
)
CONTACTS: Final = _table("contacts", _of_match(), _text("note"))
SUMMARIES: Final = _table(
    "summaries", _of_match(), _text("head", "rules", "due", "good"), _numbers("by_hand")
)

TABLES: Final = (*sorted(METADATA.tables), "alembic_version")
"""What a database of the newest form has."""


def _partial(name: str, over: Column[Any], where: Any) -> None:
    Index(name, over, sqlite_where=where, postgresql_where=where)


Index("seats_address", SEATS.c.address)
Index("seats_invited", SEATS.c.invited)
Index("inbox_state", INBOX.c.state, INBOX.c.game, INBOX.c.id)
Index("inbox_message_id", INBOX.c.message_id)
Index("inbox_sender", INBOX.c.sender)
Index("outbox_state", OUTBOX.c.state, OUTBOX.c.not_before, OUTBOX.c.id)
Index("outbox_thread", OUTBOX.c.game, OUTBOX.c.seat, OUTBOX.c.id)
Index("outbox_tried", OUTBOX.c.tried)
Index("outbox_rcpt", OUTBOX.c.rcpt)
Index("times_wake", TIMES.c.wake)
Index("observers_address", OBSERVERS.c.address)
Index("notes_kind", NOTES.c.kind, NOTES.c.id)
Index("posted_mail", POSTED.c.mail)
_partial("matches_open", MATCHES.c.game, column("over") == 0)
_partial("matches_waiting", MATCHES.c.game, column("waits") > 0)
_partial("times_lost", TIMES.c.game, column("lost_from") != "")
