"""The files that put the service up: a unit for systemd, or a set for containers; written by ``pbem host init``.

Each works as it lies. The set for containers is the service with its HTTP API behind a proxy that brings TLS, its
database in PostgreSQL, and, for trying, a pair of mail servers in which everybody at one domain has a mailbox.
"""

from __future__ import annotations

import getpass
import os
import secrets
import sys
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from pbem.base.errors import UsageProblem, there_already
from pbem.base.resources import data_dir
from pbem.base.sentences import sentence
from pbem.host.config import ApiPlace, Config
from pbem.host.config_file import write_config
from pbem.host.database.database import sqlite_path
from pbem.player.mail.servers import Secret, Server
from pbem.player.store.durable import create_file, make_folder, write_private

UNIT: Final = "pbem.service"
WORKER: Final = "pbem-worker@.service"
"""The template of further workers."""
DOMAIN: Final = "try.test"
"""Where everybody has a mailbox when the service is tried: a domain that nobody in the world has."""
IN_CONTAINERS: Final = "postgresql://pbem@database/pbem"
"""The database of the set; its password comes by the environment."""
PROXIES: Final = ("172.30.79.0/24",)
API_URL: Final = "https://localhost:8443"
"""Where the API is while it is tried."""

_DATABASE: Final = "secrets/database.env"
_SET: Final = {"Containerfile": "Containerfile", "dockerignore": ".dockerignore", "Caddyfile": "Caddyfile"}
_LAST: Final = {"compose.yaml": "compose.yaml"}
_WITH_PASSWORD: Final = ("trying/dovecot.conf",)
_TRYING: Final = {
    name: name
    for name in (
        "trying/Containerfile",
        "trying/dovecot.conf",
        "trying/postfix/main.cf",
        "trying/postfix/master.cf",
    )
}


def write_unit(config: Config, path: Path, home: Path) -> Path:
    """Write the unit, and the template of further workers, beside the configuration at ``path``; the unit's path.

    The service runs as the user who runs this, and can write to its folder, its home and its database's folder alone.
    """
    folder = path.parent.resolve()
    unit = folder / UNIT
    values = {
        "path": unit,
        "worker": folder / WORKER,
        "places": [_escaped(place).replace(" ", "\\x20") for place in _written_by(config, folder, home)],
        "name": config.name,
        "user": getpass.getuser(),
        "folder": _escaped(folder),
        "home": _quoted(home.resolve()),
        "program": f'"{_quoted(sys.executable)}" -m pbem',
        "config": _quoted(path.resolve()),
    }
    _write(folder, {UNIT: UNIT, WORKER: WORKER}, values)
    return unit


def _written_by(config: Config, folder: Path, home: Path) -> list[Path]:
    """Where the service writes."""
    database = sqlite_path(config.database_url)
    places = [folder, home.resolve(), *([] if database is None else [database.resolve().parent])]
    return list(dict.fromkeys(places))


def _escaped(text: object) -> str:
    return str(text).replace("%", "%%")


def _quoted(text: object) -> str:
    r"""As it stands between the quotes of a unit, where ``\``, ``"``, ``%`` and ``$`` mean something."""
    return _escaped(text).replace("\\", "\\\\").replace('"', '\\"').replace("$", "$$")


def check_for_containers(config: Config) -> None:
    """Whether the set can run this configuration.

    Raises:
        UsageProblem: it names something that no container sees.
    """
    servers = [server for server in (config.imap, config.smtp) if server is not None]
    for secret in [config.passphrase, *(server.password for server in servers)]:
        if secret is None or secret.how != "file":
            raise UsageProblem(
                sentence(
                    "a container asks nobody and has no keyring: passphrase and passwords come from files"
                ),
                hint=sentence("Put them into this folder, mode 0600."),
            )
    places = [
        str(secret.where) for secret in [config.passphrase, *(host.password for host in servers)] if secret
    ]
    for place in [*places, *(server.ca_file for server in servers if server.ca_file)]:
        if Path(place).is_absolute() or ".." in Path(place).parts:
            raise UsageProblem(
                sentence("{place} is seen by no container", place=place),
                hint=sentence("It sees this folder: name a file in it."),
            )


def write_set(config: Config, path: Path) -> list[Path]:
    """Write the set beside the configuration at ``path``; its files. The configuration itself is not written."""
    folder = path.parent
    _check_free(folder, [_DATABASE, *(_SET | _LAST).values()])
    site = urlsplit(config.api.url).hostname or "localhost"
    values = {**_values(config), "site": site, "trying": False}
    _database(folder)
    return _write(folder, _SET | _LAST, values)


def write_trying(path: Path) -> tuple[Config, list[Path]]:
    """Write the set with mail servers of its own, and the configuration for them: nothing has to be asked."""
    folder = path.parent
    _check_free(folder, ["home", "secrets", *(_SET | _TRYING | _LAST).values()])
    password = secrets.token_urlsafe(12)
    write_private(folder / "secrets" / "mailbox", f"{password}\n".encode())
    address, secret = f"games@{DOMAIN}", Secret("file", "secrets/mailbox")
    config = Config(
        folder=folder,
        address=address,
        name="Trying pbem",
        operator=f"operator@{DOMAIN}",
        database=IN_CONTAINERS,
        identity="",
        home="home",
        passphrase=Secret("file", "secrets/passphrase"),
        imap=Server("imap", 993, "games", secret, ca_file="/tls/server.pem"),
        smtp=Server("smtp", 465, "games", secret, ca_file="/tls/server.pem"),
        api=ApiPlace(url=API_URL, proxies=PROXIES),
    )
    values = {**_values(config), "site": "localhost", "trying": True, "domain": DOMAIN, "password": password}
    _database(folder)
    written = _write(folder, _SET | _TRYING | _LAST, values)
    write_config(path, config)
    return config, written


def _number(name: str) -> int:
    """Who owns the folder, where there are numbers for that."""
    function = getattr(os, name, None)
    return int(function()) if function is not None else 0


def _values(config: Config) -> dict[str, object]:
    """What the set has of the configuration, of whoever owns the folder, and of this installation."""
    try:
        release = version("pbem")
    except PackageNotFoundError:  # a checkout that is not installed: a wheel has to lie beside the files
        release = "0"
    return {
        "home": config.home,
        "passphrase": config.passphrase.where if config.passphrase else "",
        "uid": _number("getuid"),
        "gid": _number("getgid"),
        "version": release,
    }


def _database(folder: Path) -> None:
    """The database's password, under the names that its server and its clients read."""
    word = secrets.token_urlsafe(18)
    write_private(folder / _DATABASE, f"POSTGRES_PASSWORD={word}\nPGPASSWORD={word}\n".encode())


def _check_free(folder: Path, names: Iterable[str]) -> None:
    existing = [name for name in names if (folder / name).exists()]
    if existing:
        raise there_already(folder / existing[0], sentence("Use an empty folder."))


def _write(folder: Path, names: Mapping[str, str], values: Mapping[str, object]) -> list[Path]:
    """Fill templates in and write them; ``UsageProblem`` if one of them is there already, and nothing is written."""
    templates = Environment(
        loader=FileSystemLoader(data_dir("templates") / "deploy"),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - no HTML
        keep_trailing_newline=True,
    )
    _check_free(folder, names.values())
    written = []
    for name, target in names.items():
        place = folder / target
        make_folder(place.parent)
        text = templates.get_template(name).render(values).encode()
        if name in _WITH_PASSWORD:
            write_private(place, text)
        else:
            create_file(place, text)
        written.append(place)
    return written
