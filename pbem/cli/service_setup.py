"""Asking for a configuration, writing it and trying it: ``pbem host init`` and ``pbem mail init``."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path

import typer

from pbem.cli.console import say, tell
from pbem.cli.keys import keyring_at, make_identity, place_for
from pbem.cli.service_run import configuration, host_identity
from pbem.errors import PbemError, StoreError, UsageProblem
from pbem.host.config import CONFIG_NAME, Config, DoorPlace
from pbem.host.config_file import render_server, try_all, write_config
from pbem.host.deploy import (
    IN_CONTAINERS,
    PROXIES,
    check_for_containers,
    write_set,
    write_trying,
    write_unit,
)
from pbem.mail.outgoing import check_address
from pbem.mail.ports import OWN_MAIL, Auth, Tls
from pbem.mail.servers import Secret, Server
from pbem.mail.smtp import SmtpOutgoing
from pbem.store.durable import write_private


def ask_and_write(path: Path | None, home: Path | None, *, untried: bool, containers: bool = False) -> None:
    """Ask, try, write: the configuration, and the unit or the set of files that puts the service up."""
    target = _free(path)
    address = check_address(_ask("The service's mail address", ""))
    name = _ask("What it is called in mail", "pbem")
    operator = check_address(_ask("Who is told of trouble (your own address)", ""))
    database = IN_CONTAINERS if containers else _ask("Database", "sqlite:///service.db")
    config = Config(
        folder=target.parent,
        address=address,
        name=name,
        operator=operator,
        database=database,
        plus=_yes(f"Does {address.replace('@', '+anything@')} arrive there too", default=True),
        identity=_ask("The host's identity (pbem id list; empty: the only one)", ""),
        home=_home(target, home, containers=containers),
        passphrase=_ask_secret("The identity's passphrase"),
        imap=_ask_server("Mailbox (IMAP)", address, 993, 143),
        smtp=_ask_server("Submission (SMTP)", address, 465, 587),
        door=_ask_door() if containers else DoorPlace(),
    )
    if containers:
        check_for_containers(config)
    _try(config, untried=untried, without=("database",) if containers else ())
    if containers:
        written = write_set(config, target)
        write_config(target, config)
        _say_set(target, written)
        return
    write_config(target, config)
    unit = write_unit(config, target, keyring_at(home).folder)
    say(
        f"Wrote {target} and {unit}. Next: pbem host new ..., pbem host invite ..., pbem host serve;"
        f" for good: sudo systemctl enable --now {unit}"
    )


def _free(path: Path | None) -> Path:
    target = path or Path(CONFIG_NAME)
    if target.exists():
        raise UsageProblem(
            f"{target} is there already", hint="Change it by hand, or name another file with --config."
        )
    return target


def _home(target: Path, home: Path | None, *, containers: bool) -> str:
    if not containers:
        return str(home) if home else ""
    place = (home or keyring_at(None).folder).resolve()
    try:
        return str(place.relative_to(target.parent.resolve()))
    except ValueError:
        raise UsageProblem(
            f"no container sees the identities in {place}", hint="Put them into this folder: --home home"
        ) from None


def _ask_door() -> DoorPlace:
    url = _ask("The HTTP door's address in letters (https://...; empty: none)", "")
    return DoorPlace(url=url, proxies=PROXIES if url else ())


def set_up_for_trying(path: Path | None) -> None:
    """Everything, without a question: identity, passwords, configuration, files for containers and two mail servers."""
    target = _free(path)
    home, passphrase = target.parent / "home", secrets.token_urlsafe(18)
    config, written = write_trying(target)
    write_private(target.parent / "secrets" / "passphrase", f"{passphrase}\n".encode())
    make_identity(place_for(home, "Host", None, "host"), passphrase)
    _say_set(target, written)
    say(
        f"Everybody at {config.address.partition('@')[2]} has a mailbox; the password of all is in secrets/mailbox."
    )


def _say_set(target: Path, written: Sequence[Path]) -> None:
    names = ", ".join(str(place.relative_to(target.parent)) for place in written)
    say(
        f"Wrote {target}, {names}.\nNext: docker compose up --detach --wait; docker compose exec pbem pbem host try;"
        " docker compose exec pbem pbem host new ..."
    )


def try_again(path: Path | None) -> None:
    """Try everything that a configuration names; ``StoreError`` if something does not work."""
    if not _tried(configuration(path)):
        raise StoreError("something does not work as it should", hint="Mend it, or the configuration.")


def _try(config: Config, *, untried: bool, without: Sequence[str]) -> None:
    if not _tried(config, without) and not untried:
        raise StoreError(
            "something does not work as it should; no configuration was written", hint="Or say --untried."
        )


def _tried(config: Config, without: Sequence[str] = ()) -> bool:
    tried = try_all(config, os.environ, without)
    if config.passphrase is not None:
        tried.append(("identity and passphrase", _fault(lambda: host_identity(config))))
    for name, fault in tried:
        tell(f"{name}: {fault or 'works'}")
    return not any(fault for _, fault in tried)


def _fault(work: Callable[[], object]) -> str:
    try:
        work()
    except PbemError as fault:
        return f"{fault} {fault.hint or ''}".strip()
    return ""


def ask_own_mail(home: Path | None, *, untried: bool) -> None:
    """The same for a player, who only sends."""
    path = keyring_at(home).folder / OWN_MAIL
    if path.exists():
        raise UsageProblem(f"{path} is there already", hint="Change it by hand.")
    address = check_address(_ask("Your mail address", ""))
    server = _ask_server("Submission (SMTP)", address, 465, 587)
    outgoing = SmtpOutgoing(lambda: server.account(path.parent, os.environ))
    try:
        outgoing.connect()
        tell("smtp: works")
    except PbemError as fault:
        tell(f"smtp: {fault}")
        if not untried:
            raise
    finally:
        outgoing.close()
    text = "\n".join([f'address = "{address}"', "", "[smtp]", *render_server(server)]) + "\n"
    write_private(path, text.encode())
    say(f"Wrote {path}. Now: pbem turn GAME ... --send")


def _ask_server(what: str, user: str, implicit: int, starttls: int) -> Server:
    host = _ask(f"{what} server", "")
    tls: Tls = (
        "implicit" if _yes("TLS from the first byte (otherwise STARTTLS)", default=True) else "starttls"
    )
    port = _number(_ask("Port", str(implicit if tls == "implicit" else starttls)))
    name = _ask("User", user)
    auth: Auth = "xoauth2" if _yes("Does it need XOAUTH2 (an access token)", default=False) else "password"
    password = _ask_secret("The access token" if auth == "xoauth2" else "The password")
    if password is None:
        raise UsageProblem("a mail server needs a password")
    ca_file = _ask("A file with the server's own certificate authority (empty: none)", "")
    server = Server(host, port, name, password, tls, auth, ca_file)
    if not host:
        raise UsageProblem("a mail server has a name")
    return server


def _ask_secret(what: str) -> Secret | None:
    how = _ask(f"{what}: from file, env, keyring, command or none", "file")
    if how == "none":
        return None
    if how not in ("file", "env", "keyring", "command"):
        raise UsageProblem(f"expected file, env, keyring, command or none, found {how!r}")
    words = {
        "file": "Which file (its first line; mode 0600)",
        "env": "Which environment variable",
        "keyring": "Which entry (service/user)",
        "command": "Which command (words separated by blanks)",
    }
    where = _ask(words[how], "")
    if not where:
        return None
    return Secret(how, tuple(where.split()) if how == "command" else where)


def _ask(question: str, default: str) -> str:
    answer: str = typer.prompt(question, default=default, err=True, show_default=bool(default))
    return answer.strip()


def _number(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise UsageProblem(f"expected the number of a port, found {text!r}")
    return int(text)


def _yes(question: str, *, default: bool) -> bool:
    return bool(typer.confirm(question, default=default, err=True))
