"""``pbem host`` alone: to a host what ``pbem play`` is to a player. One command, in any folder, and it goes on."""

from __future__ import annotations

import secrets
import sys
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import urlsplit

import typer

from pbem.base.errors import UsageProblem
from pbem.base.language import Language
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.cli.console import fail, print_notice, say
from pbem.cli.first_start import Asking, MailServers, ask_servers
from pbem.cli.host_watch import WantedMatch, Watch, ask_addresses, ask_match
from pbem.cli.keys import make_identity, place_for
from pbem.cli.options import Lang
from pbem.cli.passphrase import old_passphrase
from pbem.cli.service_run import build_service
from pbem.cli.service_serve import BackgroundLoop, serve_until_stopped
from pbem.cli.speech import spoken
from pbem.host.config import CONFIG_NAME, NO_MAIL, PACKED, ApiPlace, Config, checked_api, read_config
from pbem.host.config_file import write_config
from pbem.host.copy_elsewhere import bring_here, copied_identity
from pbem.host.service.answers import restored_words
from pbem.player.mail.outgoing import check_address
from pbem.player.mail.servers import Secret
from pbem.player.store.durable import write_private
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.identity_file import read_identity
from pbem.web.serve import PACKED as BROUGHT
from pbem.web.serve import page_files

app = typer.Typer()


@app.command()
def here(
    folder: Annotated[
        Path, typer.Argument(metavar="[FOLDER]", help="Where the host's files lie; otherwise this folder.")
    ] = Path(),
    copy: Annotated[
        Path | None,
        typer.Option(
            "--from", metavar="COPY", help="Go on from the copy of a host whose computer is gone for good."
        ),
    ] = None,
    listen: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Where the HTTP API listens, at the first start.")
    ] = "",
    page: Annotated[
        Path | None, typer.Option(metavar="PAGE", help="Another built web app, at the first start.")
    ] = None,
    passphrase_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The passphrase of the copy, in its first line.")
    ] = None,
    lang: Lang = None,
) -> None:
    """Host on this computer: set up, invite, deal, send and fetch.

    It asks what it does not know, and says whom the match waits for.
    """
    language = spoken(lang)
    ask = Asking(language)
    target = folder / CONFIG_NAME
    wanted = None
    try:
        if copy is not None:
            _go_on_from(copy, folder, passphrase_file, ask)
        elif not target.exists():
            if not sys.stdin.isatty():
                raise UsageProblem(
                    sentence(
                        "there is no host in {folder} yet, and no terminal to ask at", folder=folder.resolve()
                    ),
                    hint=sentence("Start it at a terminal once. To set up a service instead: pbem host init"),
                )
            wanted = first_start(folder, ask, Wishes(listen, page)).wanted
    except (typer.Abort, KeyboardInterrupt):
        say("\n" + language.translate(sentence("Left. pbem host begins from here.")))
        raise typer.Exit(1) from None
    serve_until_stopped(
        target,
        pictures=None,
        http=None,
        health=None,
        watching=partial(_watching, language=language, wanted=wanted),
    )


def _watching(loop: BackgroundLoop, *, language: Language, wanted: WantedMatch | None) -> Watch:
    return Watch(loop, language, wanted)


def _go_on_from(copy: Path, folder: Path, passphrase_file: Path | None, ask: Asking) -> None:
    """Bring everything here, and learn from the mailbox what came since."""
    copied = copied_identity(copy)
    passphrase = old_passphrase(passphrase_file, copied.name)
    host = read_identity(copied.raw, passphrase)[0]
    target = bring_here(copy, folder, host, passphrase)
    text = sentence(
        "The host goes on here. Never start the old folder again: if both sign the same match, players can "
        "prove it."
    )
    print_notice(ask.language.translate(text))
    config = read_config(target)
    with closing(build_service(config, checked=False, host=host)) as service:
        restored = None if config.imap is None else service.restorer().heal()
        service.whereabouts.take()
    if restored is None:
        return
    ask.say(restored_words(copy, None, restored))


# The first ``pbem host`` in a folder: at most thirteen answers, and a match is running.
# Who hosts, what is played by whom, how emails go, where friends find the page, where a copy lies.
# Nothing is written before the last answer is there; Ctrl-C leaves and changes nothing.

LISTEN: Final = "127.0.0.1:8080"
"""Where the API listens, behind a server or a tunnel that brings TLS."""
_HOME: Final = "home"
_PASSPHRASE: Final = "secrets/passphrase"  # noqa: S105 - where it lies
_PASSWORD: Final = "secrets/mail"  # noqa: S105


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the command line says: where the API listens, and another page than the one that came with this pbem."""

    listen: str = ""
    page: Path | None = None


@dataclass(frozen=True, slots=True)
class FirstStart:
    """What the answers made: the configuration on the disk, the open identity, the match that is wanted."""

    config: Config
    host: Identity
    wanted: WantedMatch


def first_start(folder: Path, ask: Asking, wishes: Wishes) -> FirstStart:
    """Ask what must be known, make identity and configuration."""
    page = PACKED if BROUGHT.is_file() else ""
    if wishes.page is not None:
        page_files(wishes.page)  # refused before the first question
        page = str(wishes.page.resolve())
    ask.say(sentence("Welcome. A few questions, once; Ctrl-C leaves and changes nothing."))
    place = ask.until_right(
        sentence("Your name, as the others read it"),
        lambda text: place_for(folder / _HOME, text, None, "host"),
    )
    wanted = ask_match(ask, place.person)
    address, mail = _mail(ask, wanted, page)
    api = _api(ask, wishes.listen, page, mailed=mail is not None)
    if not api.url:
        wanted = ask_addresses(ask, wanted, address)
    elsewhere = _elsewhere(ask, folder)
    passphrase = _passphrase(ask)
    config = Config(
        folder=folder,
        address=address or NO_MAIL,
        operator=address,
        database="sqlite:///service.db",
        identity=place.name,
        home=_HOME,
        passphrase=Secret("file", _PASSPHRASE),
        imap=None if mail is None else replace(mail.imap, password=Secret("file", _PASSWORD)),
        smtp=None if mail is None else replace(mail.smtp, password=Secret("file", _PASSWORD)),
        name=place.person,
        plus=False,
        shared=mail is not None,
        language=ask.language.code,
        api=api,
        backup=str(elsewhere),
    )
    host, _ = make_identity(place, passphrase)
    write_private(folder / _PASSPHRASE, f"{passphrase}\n".encode(), replace=True)
    if mail is not None:
        write_private(folder / _PASSWORD, f"{mail.password}\n".encode(), replace=True)
    write_config(folder / CONFIG_NAME, config)
    return FirstStart(config, host, wanted)


def _mail(ask: Asking, wanted: WantedMatch, page: str) -> tuple[str, MailServers | None]:
    """The host's address and servers, or nothing: then everybody gets a link from the host."""
    ways = [
        sentence("No emails: I give each friend a link"),
        sentence("By my email account (IMAP and SMTP): for who has an address; the others get a link"),
    ]
    ask.say(sentence("How do emails go?"))
    while (way := ask.which(sentence("Number"), ways)) == 0 and not page:
        fail(_no_page())
    if way == 0:
        if any(person.address for person in wanted.people):
            ask.say(sentence("Then nothing is sent by email: all of them get a link from you."))
        return "", None
    address = ask.until_right(sentence("Your email address"), check_address)
    mail = ask_servers(address, ask)
    return (address, mail) if mail is not None else ("", None)


def _no_page() -> UsageProblem:
    """Nobody is given a link that opens nothing."""
    return UsageProblem(
        sentence("this pbem came without the web app, so a link would open nothing"),
        hint=sentence(
            "Without it everybody plays by email. To make it, in a copy of pbem's folder: make page. Then install "
            "pbem again."
        ),
    )


def _api(ask: Asking, listen: str, page: str, *, mailed: bool) -> ApiPlace:
    """Where friends find the page in a browser; nowhere, if all of them play by email."""

    def read(text: str) -> ApiPlace:
        if not text:
            if not mailed:
                raise UsageProblem(
                    sentence("without emails friends need an address"),
                    hint=sentence("To try it on this computer alone: http://localhost:8080"),
                )
            return ApiPlace()
        if not page:
            raise _no_page()
        whole = text if "://" in text else f"https://{text}"
        try:
            place = checked_api(ApiPlace(whole.rstrip("/"), "", ("127.0.0.1",), page))
        except UsageProblem as fault:
            raise UsageProblem(
                sentence("{text!r} is not an address like https://anna.example.org", text=text),
                hint=fault.hint,
            ) from None
        parts = urlsplit(place.url)
        here = f"127.0.0.1:{parts.port or 80}" if parts.scheme == "http" else LISTEN
        return replace(place, listen=listen or here)

    if page:
        ask.say(
            sentence(
                "A friend's browser has to reach this computer: by a name of your own, or by a tunnel. A tunnel prints "
                "its address: cloudflared tunnel --url http://{listen}",
                listen=listen or LISTEN,
            )
        )
    return ask.until_right(
        sentence("The address at which friends reach this computer in a browser (https://...; Enter: none)"),
        read,
    )


def _elsewhere(ask: Asking, folder: Path) -> Path:
    """Where the copy of everything lies."""
    name = f"pbem-{folder.resolve().name}"

    def read(text: str) -> Path:
        place = Path(text).expanduser().resolve() / name
        if folder.resolve() == place or folder.resolve() in place.parents:
            raise UsageProblem(
                sentence("{place} is in this folder", place=place),
                hint=sentence("Name one on another disk, a stick, or one that is kept elsewhere too."),
            )
        if place.exists() and any(place.iterdir()):
            raise UsageProblem(
                sentence("{place} is there already", place=place),
                hint=sentence("To go on from it: pbem host --from {place}", place=place),
            )
        return place

    question = sentence("A folder on another disk for a copy of everything, if this computer dies")
    while True:
        try:
            return read(ask.text(question, str(Path.home())))
        except UsageProblem as fault:
            fail(fault)


def _passphrase(ask: Asking) -> str:
    """The passphrase that opens the copy elsewhere: typed twice, or made and shown."""
    while True:
        typed = ask.secret(sentence("A passphrase for that copy (Enter: one is made and shown)"))
        if not typed:
            text = "-".join(secrets.token_hex(2) for _ in range(6))
            ask.say(
                sentence("Write it down; the copy opens with nothing else: {passphrase}", passphrase=text)
            )
            return text
        if ask.secret(sentence("The same again")) == typed:
            return typed
        print_notice(sentence("the two passphrases differ"))
