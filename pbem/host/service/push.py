"""Web Push: a browser that wants it is called when it is its player's turn (RFC 8030, RFC 8291, RFC 8292).

A call is empty: the page's service worker says that it is somebody's turn, and looks for more itself. Who wants the
match named gets a message of one length, sealed for that browser. A call leaves at most once a turn, and
once more for a nudge (``nudged_by``: one a day); between ten in the evening and eight in the player's zone only if the
time would be up by then. It is noted before it leaves, so a crash loses one and never doubles it.

Calls go to listed services alone (``SERVICES``; the host may add some), by https, to public addresses: a registration
is somebody else's text, and must not make the host knock at APIs of their own network. A service that says a browser is
gone is believed. The key by which a host is known to them follows from their identity: nothing more is to be kept.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator
from datetime import datetime, time, timedelta
from typing import Final
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import http_ece
from py_vapid import Vapid02

from pbem.base.errors import FormatError, PbemError, StoreError
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.game import JsonObject, Seat
from pbem.host.database.matches import Matches, MatchRow
from pbem.host.database.push import PushRow, PushRows
from pbem.host.service.context import ServiceContext
from pbem.host.service.public_post import Post, PublicPost
from pbem.protocol.crypto.digest import b64, kdf, short_id, unb64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.record import Record
from pbem.protocol.record.check_messages import nudged_by
from pbem.protocol.record.deadlines import format_time, parse_time
from pbem.protocol.record.takeover import awaited_seats

SERVICES: Final = (
    "fcm.googleapis.com",
    "updates.push.services.mozilla.com",
    "web.push.apple.com",
    "*.notify.windows.com",
)
"""The push services of the browsers there are; ``*.`` stands for any one name."""
MOST_BODY: Final = 4096
"""Bytes of a registration."""
_MOST_BROWSERS: Final = 5
"""Of one seat in one match."""
_MOST_CALLS: Final = 50
"""In one round."""
_LENGTH: Final = 160
"""Bytes of every message before it is sealed, so that its length shows nothing."""
_TTL: Final = 86_400
_GONE: Final = (404, 410)
_NIGHT: Final = (time(22), time(8))
_P256: Final = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
"""The order of the curve (SEC 2, secp256r1)."""


class NotCalled(FormatError):
    """A registration that is not taken, and why."""


@dataclass(frozen=True, slots=True)
class Subscription:
    """What a browser gives to be called by (``PushSubscription.toJSON``), and what its player wants."""

    endpoint: str
    p256dh: str
    auth: str
    named: bool
    zone: str


def read_subscription(raw: bytes, more: Collection[str] = ()) -> Subscription:
    """The registration in a body; ``more``: services that the host has added.

    Raises:
        NotCalled: it has another form, or its service is not listed.
    """
    try:
        given = json.loads(raw)
        keys = given["subscription"]["keys"]
        endpoint, zone = str(given["subscription"]["endpoint"]), str(given.get("zone") or "UTC")
        p256dh, auth = str(keys["p256dh"]).rstrip("="), str(keys["auth"]).rstrip("=")
        Vapid02.from_raw_public(p256dh.encode())  # a point of the curve
        unb64(p256dh, 65)
        unb64(auth, 16)
        ZoneInfo(zone)
    except (ValueError, LookupError, TypeError, AttributeError, OSError, RecursionError, PbemError) as fault:
        raise NotCalled(sentence("this is not a browser's registration for messages")) from fault
    service_of(endpoint, more)
    return Subscription(endpoint, p256dh, auth, given.get("named") is True, zone)


def service_of(endpoint: str, more: Collection[str] = ()) -> str:
    """The service of an endpoint, ``host`` or ``host:port``.

    Raises:
        NotCalled: it is not https, or not one of the listed services.
    """
    try:
        parts = urlsplit(endpoint)
        host, port = parts.hostname or "", parts.port or 443
    except ValueError:
        host, port, parts = "", 0, urlsplit("")
    plain = (
        parts.scheme == "https" and not (parts.username or parts.password) and len(endpoint) <= MOST_BODY // 2
    )
    name = host if port == 443 else f"{host}:{port}"
    if not plain or not (name in more or any(_fits(name, service) for service in SERVICES)):
        hint = sentence("A host can add {name} to services under [push] in service.toml.", name=name)
        raise NotCalled(sentence("messages do not go to “{name}”", name=name or endpoint[:60]), hint=hint)
    return name


def _fits(name: str, listed: str) -> bool:
    if not listed.startswith("*."):
        return name == listed
    first, _, rest = name.partition(".")
    return bool(first) and rest == listed[2:]


class PushKey:
    """The key by which push services know this host (RFC 8292); it follows from their identity.

    Args:
        host: their identity.
        contact: how a service reaches them, ``mailto:…`` or their API's address.
    """

    def __init__(self, host: Identity, contact: str) -> None:
        wide = kdf(host.secret, "pbem/1 push", "0") + kdf(host.secret, "pbem/1 push", "1")
        secret = int.from_bytes(wide, "big") % (_P256 - 1) + 1
        self._vapid = Vapid02.from_raw(b64(secret.to_bytes(32, "big")).encode())
        self._contact = contact

    @property
    def public(self) -> str:
        """The public key as a browser wants it, ``applicationServerKey``."""
        claims = {"aud": "https://nobody.invalid", "exp": 0, "sub": "mailto:nobody@pbem.invalid"}
        return str(self._vapid.sign(claims)["Authorization"]).rpartition("k=")[2].rstrip("=")

    def headers(self, endpoint: str, until: datetime) -> dict[str, str]:
        """What says to the service of ``endpoint`` who calls, good until then."""
        split_result = urlsplit(endpoint)
        claims = {
            "aud": f"{split_result.scheme}://{split_result.netloc}",
            "exp": int(until.timestamp()),
            "sub": self._contact,
        }
        signed: dict[str, str] = self._vapid.sign(claims)
        return signed


def sealed(row: PushRow, body: JsonObject) -> bytes:
    """A message that only that browser opens (RFC 8291), always as long."""
    text = json.dumps(body, separators=(",", ":")).encode()
    once = Vapid02()
    once.generate_keys()
    return bytes(
        http_ece.encrypt(
            text.ljust(_LENGTH),
            salt=os.urandom(16),
            private_key=once.private_key,
            dh=unb64(row.p256dh, 65),
            auth_secret=unb64(row.auth, 16),
            version="aes128gcm",
        )
    )


class NewMailNotifiers:
    """Calls the browsers of whoever is asked. ``post`` sends; ``more`` are services that the host has added."""

    def __init__(self, context: ServiceContext, post: Post | None = None) -> None:
        self._context = context
        self._post = post or PublicPost(context.push)

    def ring(self) -> int:
        """Call whoever has become asked since; how many calls left."""
        context = self._context
        if not context.api:
            return 0
        with context.database.reading() as transaction:
            due = PushRows(transaction).due(context.now(), _MOST_CALLS)
        return sum(self._look(row) for row in due)

    def _look(self, row: PushRow) -> int:
        """Look at one match for one browser: note first, then call."""
        context = self._context
        with context.database.transaction() as transaction:
            matches, rows = Matches(transaction), PushRows(transaction)
            match = matches.find(row.game)
            if match is None or row not in rows.of(row.game, row.seat):
                return 0
            context.before_showing(match)
            record = context.records.load(matches, match)
            seat, now = Seat(row.seat), context.clock()
            own = next((number for number, whose in _acting(record) if whose == seat), -1)
            last = next((whose for _, whose in _acting(record)), "")
            asked = seat in awaited_seats(record.ledger) and not record.over and record.ledger.paused is None
            fresh = own != row.rung and last != row.seat
            wanted = asked and (fresh or _nudged(record, seat, row.looked))
            morning = _morning(row.zone, now, record.ledger.due) if wanted else None
            if morning is not None:  # not in the night; nothing is noted but when to look again
                rows.note(row, looked=row.looked, rung=row.rung, later=format_time(morning))
                return 0
            rows.note(row, looked=record.head.seq, rung=own if wanted else row.rung, later="")
        return self._call(row) if wanted else 0

    def _call(self, row: PushRow) -> int:
        context = self._context
        try:
            service_of(row.endpoint, context.push)
        except NotCalled:  # it was listed once
            self._forget(row)
            return 0
        key = PushKey(context.host, contact_of(context))
        headers = {"TTL": str(_TTL), "Urgency": "normal", "Topic": b64(kdf(row.auth.encode(), row.game))[:32]}
        headers |= key.headers(row.endpoint, context.clock() + timedelta(hours=12))
        body = b""
        if row.named:
            body = sealed(row, {"match": short_id(unb64(row.game, 32)), "seat": row.seat})
            headers |= {"Content-Encoding": "aes128gcm", "Content-Type": "application/octet-stream"}
        try:
            status = self._post(row.endpoint, headers, body).status
        except StoreError:
            return 0
        if status in _GONE:
            self._forget(row)
        return int(status in (200, 201, 202))

    def _forget(self, row: PushRow) -> None:
        with self._context.database.transaction() as transaction:
            PushRows(transaction).drop(row.game, row.seat, row.endpoint)


def contact_of(context: ServiceContext) -> str:
    """How a push service reaches the host."""
    return f"mailto:{context.sender.address}" if context.mails else context.api


def register(rows: PushRows, match: MatchRow, seat: str, wish: Subscription) -> None:
    """A browser is to be called from the next record on: whoever registers is looking at what there is now."""
    row = PushRow(match.game, seat, wish.endpoint, wish.p256dh, wish.auth, wish.named, wish.zone, match.seq)
    rows.keep(row, _MOST_BROWSERS)


def _acting(record: Record) -> Iterator[tuple[int, str]]:
    """The records of players' own steps, newest first: their numbers, and whose they are."""
    for line in reversed(record.lines):
        if line.body.get("steps") and "msg" in line.body:
            yield line.seq, str(line.body["msg"]["body"]["seat"])


def _nudged(record: Record, seat: Seat, looked: int) -> bool:
    """Whether a record after number ``looked`` calls this seat by a nudge."""
    return any(nudged_by(record.lines, line) == seat for line in record.lines[looked + 1 :])


def _morning(zone: str, now: datetime, due: str | None) -> datetime | None:
    """When the player's night ends, if it is night there now and their time is not up before; else None."""
    here = now.astimezone(ZoneInfo(zone))
    begin, end = _NIGHT
    if end <= here.time() < begin:
        return None
    day = here.date() + timedelta(days=1) if here.time() >= begin else here.date()
    morning = datetime.combine(day, end, here.tzinfo)
    return None if due and parse_time(due) <= morning else morning.astimezone(now.tzinfo)
