"""Asking for a configuration, writing it and trying it: ``pbem host init`` and ``pbem mail init``."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from pbem.base.errors import PbemError, StoreError, UsageProblem, there_already
from pbem.base.sentences import joined, sentence
from pbem.cli.console import print_notice, say
from pbem.cli.first_start import Asking
from pbem.cli.keys import keyring_at, make_identity, place_for
from pbem.cli.options import ConfigFile, Home, Untried
from pbem.cli.service_run import configuration, host_identity
from pbem.cli.speech import language_here
from pbem.host.config import CONFIG_NAME, ApiPlace, Config
from pbem.host.config_file import fault_of, render_server, try_all, words_of, write_config
from pbem.host.deploy import IN_CONTAINERS, PROXIES, check_for_containers, write_set, write_trying, write_unit
from pbem.player.mail.outgoing import check_address
from pbem.player.mail.ports import OWN_MAIL, Auth, Tls
from pbem.player.mail.servers import Secret, Server
from pbem.player.mail.smtp import SmtpOutgoing, verified_context
from pbem.player.store.durable import write_private

app = typer.Typer()

T = TypeVar("T")


def ask_and_write(path: Path | None, home: Path | None, *, untried: bool, containers: bool = False) -> None:
    """Ask, try, write: the configuration, and the unit or the set of files that puts the service up."""
    target = _free(path)
    address = _until_good(lambda: check_address(_ask(sentence("The service's email address"), "")))
    name = _ask(sentence("What it is called in email"), "pbem")
    operator = _until_good(
        lambda: check_address(_ask(sentence("Who hears of trouble (your own address)"), ""))
    )
    place = None if untried else target.parent
    database = IN_CONTAINERS if containers else _ask(sentence("Database"), "sqlite:///service.db")
    config = Config(
        folder=target.parent,
        address=address,
        name=name,
        operator=operator,
        database=database,
        plus=_yes(
            sentence("Does {address} arrive there too", address=address.replace("@", "+anything@")),
            default=True,
        ),
        identity=_ask(sentence("The host's identity (pbem id show; empty: the only one)"), ""),
        home=_home(target, home, containers=containers),
        passphrase=_ask_secret(sentence("The identity's passphrase")),
        imap=_ask_server(sentence("Mailbox (IMAP)"), address, 993, 143, place),
        smtp=_ask_server(sentence("Submission (SMTP)"), address, 465, 587, place),
        api=_ask_api() if containers else ApiPlace(),
    )
    if containers:
        check_for_containers(config)
        written = write_set(config, target)
        write_config(target, config)
        _try(config, target, untried=untried, without=("database",))
        _say_set(target, written)
        return
    write_config(target, config)
    unit = write_unit(config, target, keyring_at(home).folder)
    _try(config, target, untried=untried, without=())
    say(
        sentence(
            "Wrote {target} and {unit}. Next: pbem host new ..., pbem host invite ..., pbem host serve;"
            " for good: sudo systemctl enable --now {unit}",
            target=target,
            unit=unit,
        )
    )


def _free(path: Path | None) -> Path:
    target = path or Path(CONFIG_NAME)
    if target.exists():
        raise there_already(target, sentence("Change it by hand, or name another file with --config."))
    return target


def _home(target: Path, home: Path | None, *, containers: bool) -> str:
    if not containers:
        return str(home) if home else ""
    place = (home or keyring_at(None).folder).resolve()
    try:
        return str(place.relative_to(target.parent.resolve()))
    except ValueError:
        raise UsageProblem(
            sentence("no container sees the identities in {place}", place=place),
            hint=sentence("Put them into this folder: --home home"),
        ) from None


def _ask_api() -> ApiPlace:
    url = _ask(sentence("The address of the HTTP API in emails (https://...; empty: none)"), "")
    return ApiPlace(url=url, proxies=PROXIES if url else ())


def set_up_for_trying(path: Path | None) -> None:
    """Everything, without a question: identity, passwords, configuration, files for containers and two mail servers."""
    target = _free(path)
    home, passphrase = target.parent / "home", secrets.token_urlsafe(18)
    config, written = write_trying(target)
    write_private(target.parent / "secrets" / "passphrase", f"{passphrase}\n".encode())
    make_identity(place_for(home, "Host", None, "host"), passphrase)
    _say_set(target, written)
    say(
        sentence(
            "Everybody at {place} has a mailbox; the password of all is in secrets/mailbox.",
            place=config.address.partition("@")[2],
        )
    )


def _say_set(target: Path, written: Sequence[Path]) -> None:
    names = ", ".join(str(place.relative_to(target.parent)) for place in written)
    say(
        sentence(
            "Wrote {target}, {names}.\nNext: docker compose up --detach --wait; docker compose exec pbem pbem host try;"
            " docker compose exec pbem pbem host new ...",
            target=target,
            names=names,
        )
    )


def try_again(path: Path | None) -> None:
    """Try everything that a configuration names; ``StoreError`` if something does not work."""
    if not _tried(configuration(path)):
        raise StoreError(
            sentence("something does not work as it should"), hint=sentence("Fix it, or the configuration.")
        )


def _try(config: Config, target: Path, *, untried: bool, without: Sequence[str]) -> None:
    """Try what was written; what does not work is mended in the file, without a question asked again."""
    if not _tried(config, without) and not untried:
        raise StoreError(
            sentence(
                "something does not work as it should; your answers are kept in {target}", target=target
            ),
            hint=sentence("Fix it, or change {target}. Then: pbem host try --config {target}", target=target),
        )


def _tried(config: Config, without: Sequence[str] = ()) -> bool:
    tried = try_all(config, os.environ, without)
    if config.passphrase is not None:
        tried.append((sentence("identity and passphrase"), fault_of(lambda: host_identity(config))))
    for name, fault in tried:
        print_notice(joined((name, fault or sentence("works")), ": "))
    return not any(fault for _, fault in tried)


def ask_own_mail(home: Path | None, *, untried: bool) -> None:
    """The same for a player, who only sends."""
    path = keyring_at(home).folder / OWN_MAIL
    if path.exists():
        raise there_already(path, sentence("Change it by hand."))
    address = _until_good(lambda: check_address(_ask(sentence("Your email address"), "")))
    folder = None if untried else path.parent
    server = _ask_server(sentence("Submission (SMTP)"), address, 465, 587, folder)
    text = "\n".join([f'address = "{address}"', "", "[smtp]", *render_server(server)]) + "\n"
    write_private(path, text.encode())
    try:
        with closing(SmtpOutgoing(lambda: server.account(path.parent, os.environ))) as outgoing:
            outgoing.connect()
        print_notice(joined(("smtp", sentence("works")), ": "))
    except PbemError as fault:
        if not untried:
            fault.done = sentence("your answers are kept in {path}; change there what is wrong", path=path)
            raise
        print_notice(joined(("smtp", str(fault)), ": "))
    say(sentence("Wrote {path}. Now: pbem turn COPY ... --send", path=path))


def _ask_server(label: str, user: str, implicit: int, starttls: int, folder: Path | None) -> Server:
    """The answers; relative names begin at ``folder``, and certificates there are looked at if it is given."""
    host = _until_good(
        lambda: _given(_ask(sentence("{what} server", what=label), ""), sentence("a mail server has a name"))
    )
    tls: Tls = (
        "implicit"
        if _yes(sentence("TLS from the first byte (otherwise STARTTLS)"), default=True)
        else "starttls"
    )
    usual = str(implicit if tls == "implicit" else starttls)
    port = _until_good(lambda: _number(_ask(sentence("Port"), usual)))
    name = _ask(sentence("User"), user)
    auth: Auth = (
        "xoauth2" if _yes(sentence("Does it need XOAUTH2 (an access token)"), default=False) else "password"
    )
    secret = sentence("The access token") if auth == "xoauth2" else sentence("The password")
    password = _until_good(lambda: _given(_ask_secret(secret), sentence("a mail server needs a password")))
    ca_file = _until_good(
        lambda: _certificates(
            _ask(sentence("A file with the server's own certificate authority (empty: none)"), ""), folder
        )
    )
    return Server(host, port, name, password, tls, auth, ca_file)


def _given(answer: T | None, otherwise: str) -> T:
    """The answer, if there is one."""
    if not answer:
        raise UsageProblem(otherwise)
    return answer


def _certificates(name: str, folder: Path | None) -> str:
    """The name of a file that can be read as what it is to be, or no name."""
    if name and folder is not None:
        verified_context(str(folder / Path(name).expanduser()))
    return name


def _ask_secret(label: str) -> Secret | None:
    how = _until_good(
        lambda: _way(_ask(sentence("{what}: from file, env, keyring, command or none", what=label), "file"))
    )
    if how == "none":
        return None
    words = {
        "file": sentence("Which file (its first line; mode 0600)"),
        "env": sentence("Which environment variable"),
        "keyring": sentence("Which entry (service/user)"),
        "command": sentence("Which command (words separated by blanks)"),
    }
    where = _ask(words[how], "")
    if not where:
        return None
    return Secret(how, tuple(where.split()) if how == "command" else where)


def _until_good(ask: Callable[[], T]) -> T:
    """Ask again until the answer is one: whoever mistypes one of many answers loses no other."""
    while True:
        try:
            return ask()
        except UsageProblem as fault:
            print_notice(words_of(fault))


def _ask(question: str, default: str) -> str:
    return Asking(language_here()).text(question, default)


def _way(how: str) -> str:
    if how not in ("file", "env", "keyring", "command", "none"):
        raise UsageProblem(sentence("expected file, env, keyring, command or none, found {how!r}", how=how))
    return how


def _number(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise UsageProblem(sentence("expected the number of a port, found {text!r}", text=text))
    return int(text)


def _yes(question: str, *, default: bool) -> bool:
    return Asking(language_here()).yes(question, default=default)


@app.command()
def init(
    config: ConfigFile = None,
    untried: Untried = False,
    containers: Annotated[
        bool,
        typer.Option(
            "--containers", help="Write files for containers, with PostgreSQL and a TLS proxy, and no unit."
        ),
    ] = False,
    trying: Annotated[
        bool,
        typer.Option(
            "--trying", help="The same with mail servers of its own, to try everything. Asks nothing."
        ),
    ] = False,
    home: Home = None,
) -> None:
    """Set up the service, and try every part of it. It asks, and writes the systemd unit that starts it."""
    if trying:
        set_up_for_trying(config)
    else:
        ask_and_write(config, home, untried=untried, containers=containers)


@app.command("try")
def try_(config: ConfigFile = None) -> None:
    """Try everything that service.toml names.

    The folder, the database, both servers, a test email both ways, identity and passphrase.
    """
    try_again(config)
