"""The service's configuration: one TOML file (mode 0600), and never a password in it.

::

    address = "games@example.org"          # what the service is called in mail
    name = "Saturday table"
    database = "sqlite:///service.db"      # beside this file; or postgresql://user@host/name
    plus = true                            # games+anything@example.org is delivered too
    shared = false                         # true: a person's own mailbox, too; other emails are not looked at
    witness = true                         # a copy of every email comes back: proof that it left
    null_sender = true                     # bounces of answers to bad mail go nowhere; false if the provider minds
    pictures = true                        # the table as a picture in every email

    [operator]                             # who is alerted to trouble, and in which language
    address = "me@example.org"
    language = "en"                        # or fr, it, de

    [identity]
    name = "host"
    passphrase_file = "passphrase"         # or passphrase_env = "PBEM_PASSPHRASE"

    [imap]                                 # and [smtp] alike; without [smtp] no mail leaves, and no address is needed
    host = "imap.example.org"
    port = 993
    tls = "implicit"                       # or "starttls"; there is no third
    user = "games@example.org"
    password_file = "imap-password"        # or password_env, password_keyring = "service/user", password_command
    auth = "password"                      # or "xoauth2": what password_… gives is then an access token

    [folders]
    inbox = "INBOX"
    processed = "Processed"
    quarantine = "Quarantine"
    sent = []                              # more folders in which a witness copy may lie

    [api]                                  # the HTTP API; a server in front brings TLS
    url = "https://games.example.org"      # as emails name it; without it they name no API
    listen = "127.0.0.1:8080"              # or unix:FILE; --http says otherwise
    proxies = ["127.0.0.1"]                # servers in front that say whom they ask for
    page = "packed"                        # the page beside the API, declared; or a folder of 'pbem web build'

    [push]                                 # browsers are called by these push services, too
    services = ["push.example.org"]

    [backup]                               # a copy of everything but passwords, on another disk
    folder = "/media/stick/pbem"

    [health]
    listen = "127.0.0.1:9090"              # for probes and Prometheus; not for the world

    [limits]
    per_minute = 60
    per_hour = 1000                        # above it the brake is pulled, and the operator alerted
    per_match = 500                        # above it the emails of that match wait, and no others
    lease = 60                             # seconds after which others take over from a worker that is silent
    answers = 40                           # refusals, receipts again, help … to one person in a day
    answers_hour = 8                       # and in an hour
    receipts = 600                         # seconds in which another email to the seat spares a mere receipt; or 0
    per_sender = 60                        # emails of one sender that are looked into in an hour
    per_domain = 600                       # and of all senders of one mail domain
    refused = 1000000                      # bytes of a seat's refused emails that are kept in a day
    aside = 5000000                        # and of emails of one domain that brought nothing
    open_matches = 20                      # running matches in which one address may have a seat

    [club]                                 # who may ask for a free seat by email (JOIN): nobody, list or known
    for = "list"
    list = ["carl@example.net"]

    [keep]                                 # days; records, hashes and refusals are kept for ever
    mail = 90                              # emails of a match, in and out, after its end; 0: for ever
    strangers = 30                         # emails that belong to no match
    log = 365
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import field, fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pbem.base.errors import UsageProblem
from pbem.base.language import CODES
from pbem.base.sentences import joined, sentence
from pbem.base.values import dataclass
from pbem.player.mail.outgoing import Sender, check_address
from pbem.player.mail.servers import Secret, Server, TomlTable, server_of
from pbem.protocol.record.deadlines import DAYS, Calendar, Deadlines, Offset, format_time

CONFIG_NAME: Final = "service.toml"
PAGE_PATH: Final = "play"
"""The folder of the page beside the API: the API is outside of its service worker's scope."""
PACKED: Final = "packed"
"""What stands for the page that came with this pbem."""
NO_MAIL: Final = "host@pbem.invalid"
"""The address of a host who has no mail: nothing ever leaves or arrives there."""


@dataclass(frozen=True, slots=True)
class Folders:
    """The mailbox's folders."""

    inbox: str = "INBOX"
    processed: str = "Processed"
    quarantine: str = "Quarantine"
    sent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ApiPlace:
    """Where the HTTP API is: its address in emails, where it listens, whose word counts for who asks."""

    url: str = ""
    listen: str = ""
    proxies: tuple[str, ...] = ()
    page: str = ""
    """The built page that the API serves beside it: a folder, an archive, or ``packed``; empty: none."""

    @property
    def page_url(self) -> str:
        """Where friends find the page that this host serves; empty if it serves none."""
        return f"{self.url}/{PAGE_PATH}/" if self.url and self.page else ""


@dataclass(frozen=True, slots=True)
class Limits:
    """What keeps a robot from running wild."""

    per_minute: int = 60
    per_hour: int = 1000
    per_match: int = 500
    """Emails about one match in an hour, beyond which its others wait."""
    answers: int = 40
    answers_hour: int = 8
    """Answers beside the emails of a match that one person gets in a day, and in an hour."""
    per_sender: int = 60
    """Emails of one sender that are looked into in an hour; more wait."""
    per_domain: int = 600
    """And of all senders of one mail domain."""
    refused: int = 1_000_000
    """Bytes of refused emails of one seat that are kept in a day; of more only their names are."""
    aside: int = 5_000_000
    """Bytes of emails of one domain that brought nothing, kept in a day; of more only a hash is, beside the mailbox."""
    open_matches: int = 20
    """Running matches in which one address may have a seat."""
    receipts: int = 600
    """Seconds for which a receipt that asks nothing waits: another email to that seat makes it needless."""
    witness_wait: int = 60
    """Seconds until an email whose sending was interrupted counts as not sent, if no witness copy came."""
    lease: int = 60
    """Seconds for which a worker is believed to be there that has given no sign of life; the same for all workers."""
    idle: int = 60
    """Seconds after which the mailbox is looked at again even if it did not say anything."""

    @property
    def to_one(self) -> str:
        """How many answers one person gets (``pbem.host.budgets``)."""
        return f"{self.answers_hour}/hour; {self.answers}/day"


@dataclass(frozen=True, slots=True)
class Keep:
    """For how many days what is no record is kept; 0 is for ever."""

    mail: int = 90
    """Emails of a match, in and out, after its end."""
    strangers: int = 30
    """Emails that belong to no match, and the answers to them."""
    log: int = 365


FOR_EVER: Final = Keep(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Club:
    """Who may ask this service for a free seat by email; nobody, unless it is set."""

    who: str = "nobody"
    listed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Config:
    """All of it. ``folder`` is where the file lies; relative names start there. ``file`` is what it is called."""

    folder: Path
    address: str
    operator: str
    database: str
    identity: str
    passphrase: Secret | None
    imap: Server | None
    smtp: Server | None
    """None: no email is ever written; the players come by the API."""
    name: str = "pbem"
    plus: bool = True
    shared: bool = False
    """Whether the mailbox is a person's own, too: then only emails about matches are read and moved."""
    witness: bool = True
    null_sender: bool = True
    pictures: bool = True
    home: str = ""
    folders: Folders = field(default_factory=Folders)
    limits: Limits = field(default_factory=Limits)
    keep: Keep = field(default_factory=Keep)
    club: Club = field(default_factory=Club)
    language: str = "en"
    """The operator's."""
    api: ApiPlace = field(default_factory=ApiPlace)
    push: tuple[str, ...] = ()
    """Push services beside those that are listed."""
    backup: str = ""
    """The folder that holds a copy of everything, written before anything leaves that shows it; empty: none."""
    health: str = ""
    """Where probes and Prometheus may ask; empty: nowhere."""
    file: str = field(default=CONFIG_NAME, compare=False)

    @property
    def heads(self) -> Path:
        """Beside the configuration: what the service has signed (``pbem.host.database.heads``)."""
        return self.folder / f"{Path(self.file).stem}.heads.jsonl"

    @property
    def backup_folder(self) -> Path | None:
        """Where the copy of everything lies."""
        return self.folder / Path(self.backup).expanduser() if self.backup else None

    @property
    def sender(self) -> Sender:
        """Who the service is in mail."""
        return Sender(self.address, self.name, self.plus)

    @property
    def database_url(self) -> str:
        """The database, a relative file name resolved."""
        name = self.database.removeprefix("sqlite:///")
        if name == self.database:
            return self.database
        return f"sqlite:///{self.folder / Path(name).expanduser()}"


def read_config(path: Path) -> Config:
    """The configuration in a file.

    Raises:
        UsageProblem: not there, not TOML, or something in it is missing, unknown or of the wrong kind.
    """
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError as fault:
        raise UsageProblem(
            sentence(
                "there is no service here: {path} is missing; go to the service's folder, or name it: --config FILE",
                path=path,
            ),
            hint=sentence("Begin one with: pbem host"),
        ) from fault
    except OSError as fault:
        raise UsageProblem(
            sentence("cannot read the configuration {path}: {strerror}", path=path, strerror=fault.strerror)
        ) from fault
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise UsageProblem(sentence("{path} is not TOML: {fault}", path=path, fault=fault)) from fault
    try:
        return replace(_config(data, path.parent), file=path.name)
    except UsageProblem as fault:
        raise UsageProblem(joined((str(path), str(fault)), ": "), hint=fault.hint) from None


def _config(data: dict[str, Any], folder: Path) -> Config:
    top = TomlTable(data, "")
    identity = TomlTable(top.take("identity", dict, {}), "identity.")
    imap = top.take("imap", dict, None)
    smtp = top.take("smtp", dict, None)
    needed = () if smtp is not None else ("",)
    operator = TomlTable(top.take("operator", dict, *({} for _ in needed)), "operator.")
    reads = operator.take("address", str, *needed)  # without mail the operator reads at the terminal
    backup = TomlTable(top.take("backup", dict, {}), "backup.")
    health = TomlTable(top.take("health", dict, {}), "health.")
    config = Config(
        folder=folder,
        address=check_address(top.take("address", str, *(NO_MAIL for _ in needed))),
        operator=check_address(reads) if reads else "",
        database=top.take("database", str, "sqlite:///service.db"),
        identity=identity.take("name", str, ""),
        passphrase=identity.secret("passphrase", required=False),
        home=identity.take("home", str, ""),
        imap=None if imap is None else server_of(TomlTable(imap, "imap."), 993),
        smtp=None if smtp is None else server_of(TomlTable(smtp, "smtp."), 465),
        name=top.take("name", str, "pbem"),
        plus=top.take("plus", bool, True),
        shared=top.take("shared", bool, False),
        witness=top.take("witness", bool, True),
        null_sender=top.take("null_sender", bool, True),
        pictures=top.take("pictures", bool, True),
        folders=_folders(TomlTable(top.take("folders", dict, {}), "folders.")),
        limits=_limits(TomlTable(top.take("limits", dict, {}), "limits.")),
        keep=_keep(TomlTable(top.take("keep", dict, {}), "keep.")),
        club=_club(TomlTable(top.take("club", dict, {}), "club.")),
        language=operator.one_of("language", *CODES),
        api=_api(TomlTable(top.take("api", dict, {}), "api.")),
        push=_push(TomlTable(top.take("push", dict, {}), "push.")),
        backup=backup.take("folder", str, ""),
        health=health.take("listen", str, ""),
    )
    if config.backup and not config.database.startswith("sqlite:"):
        raise UsageProblem(
            sentence("backup.folder is for an SQLite database"),
            hint=sentence("For PostgreSQL: pbem host backup, or the database's own means."),
        )
    for table in (operator, identity, backup, health, top):
        table.finish()
    return config


def _folders(table: TomlTable) -> Folders:
    sent = table.take("sent", list, [])
    if not all(type(name) is str for name in sent):
        raise UsageProblem(sentence("folders.sent must be a list of names"))
    names = {
        name: table.take(name, str, getattr(Folders(), name)) for name in ("inbox", "processed", "quarantine")
    }
    table.finish()
    return Folders(**names, sent=tuple(sent))


def _api(table: TomlTable) -> ApiPlace:
    proxies = table.take("proxies", list, [])
    if not all(type(name) is str for name in proxies):
        raise UsageProblem(sentence("api.proxies must be a list of addresses"))
    url = table.take("url", str, "").rstrip("/")
    place = ApiPlace(url, table.take("listen", str, ""), tuple(proxies), table.take("page", str, ""))
    table.finish()
    return checked_api(place)


def _push(table: TomlTable) -> tuple[str, ...]:
    services = table.take("services", list, [])
    if not all(type(name) is str for name in services):
        raise UsageProblem(sentence("push.services must be a list of hosts"))
    table.finish()
    return tuple(services)


def checked_api(place: ApiPlace) -> ApiPlace:
    """The same, if its address is one that an email may name.

    Raises:
        UsageProblem: it is no https address, or has a query.
    """
    url = place.url
    parts = urlsplit(url)
    local = parts.scheme == "http" and parts.hostname in ("localhost", "127.0.0.1", "::1")
    if url and (
        not parts.hostname or parts.query or parts.fragment or not (parts.scheme == "https" or local)
    ):
        raise UsageProblem(
            sentence("api.url must be an https address without query, found {url!r}", url=url),
            hint=sentence("For trying on one machine http://localhost:8080 will do."),
        )
    return place


def _limits(table: TomlTable) -> Limits:
    numbers = {each.name: table.take(each.name, int, getattr(Limits(), each.name)) for each in fields(Limits)}
    table.finish()
    wrong = [name for name, number in numbers.items() if number < (name != "receipts")]
    if wrong:
        least = int(wrong[0] != "receipts")
        raise UsageProblem(sentence("limits.{wrong} must be at least {least}", wrong=wrong[0], least=least))
    return Limits(**numbers)


def _keep(table: TomlTable) -> Keep:
    days = {field.name: table.take(field.name, int, getattr(Keep(), field.name)) for field in fields(Keep)}
    table.finish()
    wrong = [name for name, number in days.items() if number < 0]
    if wrong:
        raise UsageProblem(sentence("keep.{wrong} must be at least 0", wrong=wrong[0]))
    return Keep(**days)


def _club(table: TomlTable) -> Club:
    listed = table.take("list", list, [])
    if not all(type(name) is str for name in listed):
        raise UsageProblem(sentence("club.list must be a list of addresses"))
    who = table.one_of("for", "nobody", "list", "known")
    table.finish()
    return Club(who, tuple(check_address(address) for address in listed))


# A named time zone as the table of offsets that genesis holds (schemas/README.md §10.2).
# The IANA database is read here, once, when a match is made; rulings and audits use the table.

YEARS = 10
"""So far the table reaches; after it the last offset holds."""


def zone_named(name: str) -> ZoneInfo:
    """The zone ``name`` of the IANA database; ``UsageProblem`` if there is none."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UsageProblem(
            sentence("there is no time zone {name!r}", name=name),
            hint=sentence("Name it like Europe/Berlin, America/New_York or UTC."),
        ) from error


def zone_offsets(name: str, since: datetime, years: int = YEARS) -> tuple[Offset, ...]:
    """The offsets of the zone ``name`` from ``since`` on.

    Raises:
        UsageProblem: there is no such zone, or it has an offset that is not in whole minutes.
    """
    zone = zone_named(name)
    offsets = [Offset(since, _minutes(zone, since))]
    day, end = since, since + timedelta(days=366 * years)
    while day < end:
        after = day + timedelta(days=1)
        if _minutes(zone, after) != offsets[-1].minutes:
            change = _change(zone, day, after)
            offsets.append(Offset(change, _minutes(zone, change)))
        day = after
    return tuple(offsets)


def calendar(days: Sequence[str], hours: tuple[str, str], zone: str, since: datetime) -> Calendar:
    """The calendar of a match that is made at ``since``; ``BadSetup`` or ``UsageProblem`` if it does not fit."""
    offsets = zone_offsets(zone, since)
    members = {
        "days": [day for day in DAYS if day in days] if set(days) <= set(DAYS) else list(days),
        "from": hours[0],
        "to": hours[1],
        "zone": zone,
        "offsets": [{"since": format_time(o.since), "minutes": o.minutes} for o in offsets],
    }
    calendar = Deadlines.from_json({**Deadlines().to_json(), **members}).calendar
    assert calendar is not None  # noqa: S101 - its members are there
    return calendar


def _minutes(zone: ZoneInfo, moment: datetime) -> int:
    offset = moment.astimezone(zone).utcoffset() or timedelta(0)
    minutes, rest = divmod(offset, timedelta(minutes=1))
    if rest:
        raise UsageProblem(
            sentence(
                "the time zone {key} is off UTC by a part of a minute at {moment}",
                key=zone.key,
                moment=format_time(moment),
            )
        )
    return minutes


def _change(zone: ZoneInfo, before: datetime, after: datetime) -> datetime:
    """The second at which the offset changes between two moments, one day apart."""
    old = _minutes(zone, before)
    low, high = int(before.timestamp()), int(after.timestamp())
    while high - low > 1:
        middle = (low + high) // 2
        if _minutes(zone, datetime.fromtimestamp(middle, UTC)) == old:
            low = middle
        else:
            high = middle
    return datetime.fromtimestamp(high, UTC)
