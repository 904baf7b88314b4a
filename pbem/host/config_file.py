"""Writing a configuration, and trying whether it works: what ``pbem host init`` does with its answers."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from pbem.base.errors import PbemError, StoreError, there_already
from pbem.base.language import language_of
from pbem.base.sentences import joined, sentence
from pbem.host.config import NO_MAIL, ApiPlace, Club, Config
from pbem.host.database.database import Database
from pbem.player.mail.imap import EVERY, OURS, ImapMailbox
from pbem.player.mail.outgoing import message_id, plain_mail, robot_headers
from pbem.player.mail.ports import MailTrouble, Outgoing, always
from pbem.player.mail.servers import Secret, Server
from pbem.player.mail.smtp import SmtpOutgoing
from pbem.player.store.durable import disk, write_private

ARRIVES: Final = 60
"""Seconds within which a test mail has to be in the mailbox."""


def write_config(path: Path, config: Config) -> None:
    """Write the file, mode 0600; ``UsageProblem`` if there is one."""
    try:
        write_private(path, render(config).encode())
    except FileExistsError:
        raise there_already(path, sentence("Change it by hand, or name another file.")) from None


def render(config: Config) -> str:
    """The TOML text of a configuration: what differs from the defaults, and what everybody will look for."""
    lines = [
        "# The host's service. Passwords are never in this file.",
        *([_pair("address", config.address)] if config.address != NO_MAIL else []),
        _pair("name", config.name),
        _pair("database", config.database),
        _pair("plus", config.plus),
        *([_pair("shared", config.shared)] if config.shared else []),
        _pair("witness", config.witness),
        _pair("null_sender", config.null_sender),
        _pair("pictures", config.pictures),
        "",
        "[operator]",
        *([_pair("address", config.operator)] if config.operator else []),
        _pair("language", config.language),
        "",
        "[identity]",
        *([_pair("name", config.identity)] if config.identity else []),
        *([_pair("home", config.home)] if config.home else []),
        *_secret("passphrase", config.passphrase),
    ]
    if config.imap is not None:
        lines += ["", "[imap]", *render_server(config.imap)]
    if config.smtp is not None:
        lines += ["", "[smtp]", *render_server(config.smtp)]
    folders = config.folders
    lines += [
        "",
        "[folders]",
        *(_pair(name, getattr(folders, name)) for name in ("inbox", "processed", "quarantine")),
    ]
    lines.append(_pair("sent", list(folders.sent)))
    api = config.api
    if api != ApiPlace():
        lines += [
            "",
            "[api]",
            _pair("url", api.url),
            _pair("listen", api.listen),
            _pair("proxies", list(api.proxies)),
            *([_pair("page", api.page)] if api.page else []),
        ]
    if config.push:
        lines += ["", "[push]", _pair("services", list(config.push))]
    if config.backup:
        lines += ["", "[backup]", _pair("folder", config.backup)]
    if config.health:
        lines += ["", "[health]", _pair("listen", config.health)]
    club = config.club
    if club != Club():
        lines += ["", "[club]", _pair("for", club.who), _pair("list", list(club.listed))]
    for name, table in (("limits", config.limits), ("keep", config.keep)):
        lines += ["", f"[{name}]", *(_pair(each.name, getattr(table, each.name)) for each in fields(table))]
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


def try_all(
    config: Config, environ: Mapping[str, str], without: Sequence[str] = (), arrives: float = ARRIVES
) -> list[tuple[str, str]]:
    """Try everything that a configuration names; for each its name and what is wrong with it (nothing: it works).

    The folder, the database, both servers, and a test mail: to the operator, and to the service itself, where it has to
    arrive within ``arrives`` seconds. ``without`` names what cannot be tried from here.
    """
    tried: list[tuple[str, str]] = [(sentence("folder"), fault_of(lambda: _try_folder(config)))]
    if "database" not in without:
        tried.append((sentence("database"), fault_of(lambda: _try_database(config))))
    tried += try_connections(config, environ)
    if config.smtp is not None and not any(fault for _, fault in tried):
        tried.append((sentence("test email"), fault_of(lambda: _try_mail(config, environ, arrives))))
    return tried


def _try_folder(config: Config) -> None:
    """The service writes beside its configuration: heads, fallback alert, database."""
    probe = config.folder / f".{config.file}.try"
    with disk("write into", config.folder):
        probe.write_bytes(b"")
        probe.unlink()


def _try_database(config: Config) -> None:
    with closing(Database(config.database_url)) as database, database.transaction():
        pass


def _try_mail(config: Config, environ: Mapping[str, str], arrives: float) -> None:
    """One mail to the operator and to the service, under a name that nobody can guess."""
    sender = config.sender
    token = secrets.token_hex(13)
    own = message_id(token, sender.address)
    words = language_of(config.language).translate(
        sentence("This is a test: the service can write to you. There is nothing to do.")
    )
    headers = robot_headers(sender, answer=False)
    now = datetime.now(UTC)
    raw = plain_mail(sender, config.operator, "Test", f"{words}\n", own, now, headers)
    with closing(open_outgoing(config, environ)) as outgoing:
        outgoing.send(sender.envelope(token), [config.operator, sender.witness()], raw, token)
    if config.imap is None:
        return
    folders = config.folders
    copies = (folders.processed, folders.quarantine, *folders.sent)  # a service that runs may put it there
    end = time.monotonic() + arrives
    with closing(open_mailbox(config, environ)) as mailbox:
        while not mailbox.holds(own, copies):
            if time.monotonic() > end:
                raise StoreError(
                    sentence(
                        "an email to {witness} was sent and did not arrive within {arrives} s",
                        witness=sender.witness(),
                        arrives=arrives,
                    ),
                    hint=sentence(
                        "Does the provider deliver addresses with a plus part? Otherwise answer no to that question."
                    ),
                )
            mailbox.wait(2)
        mailbox.delete([own], (folders.inbox, *copies))


def try_connections(config: Config, environ: Mapping[str, str]) -> list[tuple[str, str]]:
    """Log in to both servers; for each its name and what is wrong with it (nothing: it works)."""
    tried = []
    if config.imap is not None:
        with closing(open_mailbox(config, environ)) as mailbox:
            tried.append(("imap", fault_of(mailbox.connect)))
    if config.smtp is not None:
        with closing(open_outgoing(config, environ)) as outgoing:
            tried.append(("smtp", fault_of(outgoing.reach)))
    return tried


def fault_of(work: Callable[[], object]) -> str:
    """What is wrong, and what to do about it; empty if it works."""
    try:
        work()
    except PbemError as fault:
        return words_of(fault)
    return ""


def words_of(fault: PbemError) -> str:
    """A fault and its hint in one line."""
    return joined([part for part in (str(fault), fault.hint) if part], ". ")


class NoMail:
    """The way out of a host without mail: nothing is ever put on it."""

    def send(
        self, env_from: str, to: Sequence[str], raw: bytes, envid: str, may: Callable[[], bool] = always
    ) -> None:
        """See ``Outgoing``; there is no email."""
        del env_from, to, raw, envid, may
        raise MailTrouble(sentence("this host has no email: there is no [smtp] in service.toml"))

    def reach(self) -> None:
        """See ``Outgoing``."""

    def valid_until(self) -> str:
        """See ``Outgoing``."""
        return ""

    def close(self) -> None:
        """See ``Outgoing``."""


def open_outgoing(config: Config, environ: Mapping[str, str]) -> Outgoing:
    """The way that emails leave."""
    server = config.smtp
    return NoMail() if server is None else SmtpOutgoing(lambda: server.account(config.folder, environ))


def open_mailbox(config: Config, environ: Mapping[str, str]) -> ImapMailbox:
    """The mailbox of a configuration that has one (``imap``)."""
    server, folders = config.imap, config.folders
    assert server is not None  # noqa: S101 - the caller has looked
    return ImapMailbox(
        lambda: server.account(config.folder, environ),
        folders.inbox,
        (folders.processed, folders.quarantine),
        OURS if config.shared else EVERY,
    )
