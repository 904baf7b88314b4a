"""The service's configuration: one TOML file (mode 0600), and never a password in it.

::

    address = "games@example.org"          # what the service is called in mail
    name = "Saturday table"
    database = "sqlite:///service.db"      # beside this file; or postgresql://user@host/name
    plus = true                            # games+anything@example.org is delivered too
    witness = true                         # a copy of every letter comes back: proof that it left
    null_sender = true                     # bounces of answers to bad mail go nowhere; false if the provider minds
    pictures = true                        # the table as a picture in every letter

    [operator]                             # who is told of trouble, and in which language
    address = "me@example.org"
    language = "en"                        # or fr, it, de

    [identity]
    name = "host"
    passphrase_file = "passphrase"         # or passphrase_env = "PBEM_PASSPHRASE"

    [imap]                                 # and [smtp] alike
    host = "imap.example.org"
    port = 993
    tls = "implicit"                       # or "starttls"; there is no third
    user = "games@example.org"
    password_file = "imap-password"        # or password_env, password_keyring = "service/user", password_command
    auth = "password"                      # or "xoauth2": what password_… gives is then an access token

    [folders]
    inbox = "INBOX"
    processed = "Processed"
    shunt = "Quarantine"
    sent = []                              # more folders in which a witness copy may lie

    [door]                                 # the HTTP door; a server in front brings TLS
    url = "https://games.example.org"      # as letters name it; without it they name no door
    listen = "127.0.0.1:8080"              # or unix:FILE; --http says otherwise
    proxies = ["127.0.0.1"]                # servers in front that say whom they ask for

    [health]
    listen = "127.0.0.1:9090"              # for probes and Prometheus; not for the world

    [limits]
    per_minute = 60
    per_hour = 1000                        # above it the brake is pulled, and the operator told
    per_match = 500                        # above it the letters of that match wait, and no others
    answers = 40                           # refusals, receipts again, help … to one person in a day
    per_sender = 60                        # mails of one sender that are looked into in an hour
    per_domain = 600                       # and of all senders of one mail domain
    refused = 1000000                      # bytes of a seat's refused mails that are kept in a day
    open_matches = 20                      # running matches in which one address may have a seat

    [keep]                                 # days; records, hashes and refusals are kept for ever
    mail = 90                              # letters and mails of a match after its end; 0: for ever
    strangers = 30                         # mails that belong to no match
    log = 365
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import field, fields, replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from pbem.base.errors import UsageProblem
from pbem.base.language import CODES
from pbem.base.sentences import joined, sentence
from pbem.base.values import dataclass
from pbem.player.mail.outgoing import Sender, check_address
from pbem.player.mail.servers import Secret, Server, TomlTable, server_of

CONFIG_NAME: Final = "service.toml"


@dataclass(frozen=True, slots=True)
class Folders:
    """The mailbox's folders."""

    inbox: str = "INBOX"
    processed: str = "Processed"
    shunt: str = "Quarantine"
    sent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DoorPlace:
    """Where the HTTP door is: its address in letters, where it listens, whose word counts for who asks."""

    url: str = ""
    listen: str = ""
    proxies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Limits:
    """What keeps a robot from running wild."""

    per_minute: int = 60
    per_hour: int = 1000
    per_match: int = 500
    """Letters about one match in an hour, beyond which its others wait."""
    answers: int = 40
    per_sender: int = 60
    """Mails of one sender that are looked into in an hour; more wait."""
    per_domain: int = 600
    """And of all senders of one mail domain."""
    refused: int = 1_000_000
    """Bytes of refused mails of one seat that are kept in a day; of more only their names are."""
    open_matches: int = 20
    """Running matches in which one address may have a seat."""
    witness_wait: int = 60
    """Seconds until a letter whose sending was interrupted counts as not sent, if no witness copy came."""
    idle: int = 60
    """Seconds after which the mailbox is looked at again even if it did not say anything."""


@dataclass(frozen=True, slots=True)
class Keep:
    """For how many days what is no record is kept; 0 is for ever."""

    mail: int = 90
    """Letters and mails of a match after its end."""
    strangers: int = 30
    """Mails that belong to no match, and the answers to them."""
    log: int = 365


FOR_EVER: Final = Keep(0, 0, 0)


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
    smtp: Server
    name: str = "pbem"
    plus: bool = True
    witness: bool = True
    null_sender: bool = True
    pictures: bool = True
    home: str = ""
    folders: Folders = field(default_factory=Folders)
    limits: Limits = field(default_factory=Limits)
    keep: Keep = field(default_factory=Keep)
    language: str = "en"
    """The operator's."""
    door: DoorPlace = field(default_factory=DoorPlace)
    health: str = ""
    """Where probes and Prometheus may ask; empty: nowhere."""
    file: str = field(default=CONFIG_NAME, compare=False)

    @property
    def heads(self) -> Path:
        """Beside the configuration: what the service has signed (``pbem.host.database.heads``)."""
        return self.folder / f"{Path(self.file).stem}.heads.jsonl"

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
    except OSError as fault:
        raise UsageProblem(
            sentence("cannot read the configuration {path}: {strerror}", path=path, strerror=fault.strerror),
            hint=sentence("Make one with: pbem host init"),
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
    operator = TomlTable(top.take("operator", dict), "operator.")
    health = TomlTable(top.take("health", dict, {}), "health.")
    config = Config(
        folder=folder,
        address=check_address(top.take("address", str)),
        operator=check_address(operator.take("address", str)),
        database=top.take("database", str, "sqlite:///service.db"),
        identity=identity.take("name", str, ""),
        passphrase=identity.secret("passphrase", required=False),
        home=identity.take("home", str, ""),
        imap=None if imap is None else server_of(TomlTable(imap, "imap."), 993),
        smtp=server_of(TomlTable(top.take("smtp", dict), "smtp."), 465),
        name=top.take("name", str, "pbem"),
        plus=top.take("plus", bool, True),
        witness=top.take("witness", bool, True),
        null_sender=top.take("null_sender", bool, True),
        pictures=top.take("pictures", bool, True),
        folders=_folders(TomlTable(top.take("folders", dict, {}), "folders.")),
        limits=_limits(TomlTable(top.take("limits", dict, {}), "limits.")),
        keep=_keep(TomlTable(top.take("keep", dict, {}), "keep.")),
        language=operator.one_of("language", *CODES),
        door=_door(TomlTable(top.take("door", dict, {}), "door.")),
        health=health.take("listen", str, ""),
    )
    operator.finish()
    identity.finish()
    health.finish()
    top.finish()
    return config


def _folders(table: TomlTable) -> Folders:
    sent = table.take("sent", list, [])
    if not all(type(name) is str for name in sent):
        raise UsageProblem(sentence("folders.sent must be a list of names"))
    names = {
        name: table.take(name, str, getattr(Folders(), name)) for name in ("inbox", "processed", "shunt")
    }
    table.finish()
    return Folders(**names, sent=tuple(sent))


def _door(table: TomlTable) -> DoorPlace:
    proxies = table.take("proxies", list, [])
    if not all(type(name) is str for name in proxies):
        raise UsageProblem(sentence("door.proxies must be a list of addresses"))
    url = table.take("url", str, "").rstrip("/")
    place = DoorPlace(url, table.take("listen", str, ""), tuple(proxies))
    table.finish()
    parts = urlsplit(url)
    local = parts.scheme == "http" and parts.hostname in ("localhost", "127.0.0.1", "::1")
    if url and (
        not parts.hostname or parts.query or parts.fragment or not (parts.scheme == "https" or local)
    ):
        raise UsageProblem(
            sentence("door.url must be an https address without query, found {url!r}", url=url),
            hint=sentence("For trying on one machine http://localhost:8080 will do."),
        )
    return place


def _limits(table: TomlTable) -> Limits:
    numbers = {item.name: table.take(item.name, int, getattr(Limits(), item.name)) for item in fields(Limits)}
    table.finish()
    wrong = [name for name, number in numbers.items() if number < 1]
    if wrong:
        raise UsageProblem(sentence("limits.{wrong} must be at least 1", wrong=wrong[0]))
    return Limits(**numbers)


def _keep(table: TomlTable) -> Keep:
    days = {item.name: table.take(item.name, int, getattr(Keep(), item.name)) for item in fields(Keep)}
    table.finish()
    wrong = [name for name, number in days.items() if number < 0]
    if wrong:
        raise UsageProblem(sentence("keep.{wrong} must be at least 0", wrong=wrong[0]))
    return Keep(**days)


def environment() -> Mapping[str, str]:
    """The process's environment."""
    return os.environ
