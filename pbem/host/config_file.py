"""Writing a configuration, and trying whether it works: what ``pbem host init`` does with its answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

from pbem.errors import PbemError, UsageProblem
from pbem.host.config import Config, DoorPlace, Secret, Server
from pbem.mail.imap import ImapMailbox
from pbem.mail.smtp import SmtpOutgoing
from pbem.store.durable import write_private


def write_config(path: Path, config: Config) -> None:
    """Write the file, mode 0600; ``UsageProblem`` if there is one."""
    try:
        write_private(path, render(config).encode())
    except FileExistsError:
        raise UsageProblem(
            f"{path} is there already", hint="Change it by hand, or name another file."
        ) from None


def render(config: Config) -> str:
    """The TOML text of a configuration: what differs from the defaults, and what everybody will look for."""
    lines = [
        "# The host's service. Passwords are never in this file.",
        _pair("address", config.address),
        _pair("name", config.name),
        _pair("database", config.database),
        _pair("plus", config.plus),
        _pair("witness", config.witness),
        _pair("null_sender", config.null_sender),
        _pair("pictures", config.pictures),
        "",
        "[operator]",
        _pair("address", config.operator),
        _pair("language", config.language),
        "",
        "[identity]",
        *([_pair("name", config.identity)] if config.identity else []),
        *([_pair("home", config.home)] if config.home else []),
        *_secret("passphrase", config.passphrase),
    ]
    if config.imap is not None:
        lines += ["", "[imap]", *render_server(config.imap)]
    lines += ["", "[smtp]", *render_server(config.smtp)]
    folders = config.folders
    lines += [
        "",
        "[folders]",
        *(_pair(name, getattr(folders, name)) for name in ("inbox", "processed", "shunt")),
    ]
    lines.append(_pair("sent", list(folders.sent)))
    door = config.door
    if door != DoorPlace():
        lines += [
            "",
            "[door]",
            _pair("url", door.url),
            _pair("listen", door.listen),
            _pair("proxies", list(door.proxies)),
        ]
    if config.health:
        lines += ["", "[health]", _pair("listen", config.health)]
    for name, table in (("limits", config.limits), ("keep", config.keep)):
        lines += ["", f"[{name}]", *(_pair(item.name, getattr(table, item.name)) for item in fields(table))]
    return "\n".join(lines) + "\n"


def _pair(name: str, value: object) -> str:
    """JSON of text, numbers, truth values and lists of text is TOML too."""
    return f"{name} = {json.dumps(value)}"


def _secret(name: str, secret: Secret | None) -> list[str]:
    if secret is None:
        return []
    where = list(secret.where) if isinstance(secret.where, tuple) else secret.where
    return [_pair(f"{name}_{secret.how}", where)]


def render_server(server: Server) -> list[str]:
    """The lines of one server's table."""
    lines = [_pair(name, getattr(server, name)) for name in ("host", "port", "tls", "user", "auth")]
    lines += _secret("password", server.password)
    return lines + ([_pair("ca_file", server.ca_file)] if server.ca_file else [])


def try_connections(config: Config, environ: Mapping[str, str]) -> list[tuple[str, str]]:
    """Log in to both servers; for each its name and what is wrong with it (nothing: it works)."""
    tried = []
    if config.imap is not None:
        mailbox = open_mailbox(config, environ)
        tried.append(("imap", _fault(mailbox.connect)))
        mailbox.close()
    outgoing = SmtpOutgoing(lambda: config.smtp.account(config.folder, environ))
    tried.append(("smtp", _fault(outgoing.connect)))
    outgoing.close()
    return tried


def _fault(connect: object) -> str:
    assert callable(connect)  # noqa: S101 - a bound method
    try:
        connect()
    except PbemError as fault:
        return str(fault)
    return ""


def open_mailbox(config: Config, environ: Mapping[str, str]) -> ImapMailbox:
    """The mailbox of a configuration that has one."""
    server, folders = config.imap, config.folders
    if server is None:
        raise UsageProblem("the configuration has no [imap]: mail comes in by 'pbem host deliver' only")
    return ImapMailbox(
        lambda: server.account(config.folder, environ), folders.inbox, (folders.processed, folders.shunt)
    )
