"""The first start of ``pbem play``: three questions, and everything is set up. No file needs to be edited.

Name, mail address, how mail comes. Who lets emails be fetched is asked for the server and its password too, which is
tried at once and then sealed under the identity. The language is the system's; what else there is has a usual value.
"""

from __future__ import annotations

import getpass
import json
import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import typer

from pbem.base.errors import FormatError, PbemError, UsageProblem
from pbem.base.language import Language
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.cli.console import fail, print_notice, read_input, say
from pbem.cli.keys import identity_on_paper, make_identity, place_for, put_back
from pbem.player.mail.outgoing import check_address
from pbem.player.mail.own import mailbox_at, outgoing_at, sealed_password
from pbem.player.mail.ports import OWN_MAIL, Account, LoginRefused, MailTrouble, Tls
from pbem.player.mail.servers import Secret, Server
from pbem.player.seat.keeping_open import Settings, SystemKeyring, until_of, write_settings
from pbem.player.seat.moments import now
from pbem.player.store.durable import write_private
from pbem.protocol.crypto.identity import Identity

if TYPE_CHECKING:
    from pbem.player.mail.imap import ImapMailbox
    from pbem.player.mail.smtp import SmtpOutgoing


def first_start(home: Path | None, ask: Asking) -> Identity:
    """Ask what must be known, make the identity and the settings; the identity, open.

    What cannot be is asked again. Nothing is written before the last answer is there.
    """
    ask.say(sentence("Welcome. Setting up takes about two minutes. Ctrl-C quits without saving."))
    place = ask.until_right(
        sentence("1. Your name, as the others read it"), lambda text: place_for(home, text, None, "player")
    )
    address = ask.until_right(sentence("2. Your email address"), check_address)
    ways = [
        sentence("pbem fetches and sends them by itself (IMAP and SMTP)"),
        sentence("I save them into a folder, and send my files myself"),
    ]
    ask.say(sentence("3. How do emails come?"))
    mail = ask_servers(address, ask) if ask.which(sentence("Number"), ways) == 0 else None
    keyring = SystemKeyring(print_notice)
    passphrase = _passphrase(keyring, ask)
    identity, paper = make_identity(place, passphrase)
    folder = place.keyring.folder
    if mail is not None:
        write_private(folder / OWN_MAIL, _mail_file(address, mail, identity), replace=True)
    kept = "always" if passphrase.startswith(_GENERATED) else "session" if keyring.usable else "never"
    settings = Settings(kept, address=address)
    write_settings(folder, settings)
    if keyring.usable:
        keyring.keep(identity, until_of(settings, now()))
    closing = sentence(
        "Recovery words. They are kept nowhere else: write them down. They give you your "
        "seats back if this computer is lost."
    )
    say(f"\n{ask.language.translate(closing)}\n\n{paper}\n")
    ask.text(sentence("Enter when it is written down"))
    return identity


def seat_again(home: Path | None, ask: Asking) -> Identity:
    """The identity of somebody who has a seat already, from the words of the paper or a backup's file; open.

    One question, and the new passphrase for this device.
    """

    def read(text: str) -> tuple[Identity, bytes | None]:
        place = Path(text).expanduser()
        is_file = place.is_file() and len(text) < _LONGEST_NAME
        words = read_input(place, limit=_LONGEST_PAPER).decode(errors="replace") if is_file else text
        try:
            return identity_on_paper(words)
        except PbemError as fault:
            raise UsageProblem(
                str(fault), hint=sentence("Type your recovery words as you wrote them down.")
            ) from None

    identity, recovery = ask.until_right(sentence("Your recovery words, or the file of a backup"), read)
    keyring = SystemKeyring(print_notice)
    place = place_for(home, sentence("player"), None, "player", free=False)
    put_back(place, identity, _passphrase(keyring, ask), recovery)
    return identity


_LONGEST_NAME: Final = 1000
_LONGEST_PAPER: Final = 64 * 1024
_GENERATED: Final = "made-by-pbem-"


def _passphrase(keyring: SystemKeyring, ask: Asking) -> str:
    """A passphrase typed twice; or one that nobody has to know, where the system's keyring keeps the identity open."""
    question = (
        sentence("A passphrase for your keys (Enter: none to remember, this computer's keyring keeps them)")
        if keyring.usable
        else sentence("A passphrase for your keys")
    )
    while True:
        typed = ask.secret(question)
        if not typed and keyring.usable:
            return _GENERATED + secrets.token_urlsafe(24)
        if not typed:
            print_notice(sentence("without a passphrase whoever gets the file plays in your name; type one"))
        elif ask.secret(sentence("The same again")) == typed:
            return typed
        else:
            print_notice(sentence("the two passphrases differ"))


@dataclass(frozen=True, slots=True)
class MailServers:
    """Both servers, tried, with the password that opens both."""

    imap: Server
    smtp: Server
    password: str


def ask_servers(address: str, ask: Asking) -> MailServers | None:
    """Ask for both servers and try them; None if nobody wants to try again."""
    domain = address.rpartition("@")[2]
    read, send = f"imap.{domain}", f"smtp.{domain}"
    while True:
        read = ask.text(sentence("   The server that your email arrives at"), read)
        send = ask.text(sentence("   The server that sends your email"), send)
        password = ask.secret(sentence("   Your password there (Google, Microsoft, Apple: an app password)"))
        try:
            imap = _tried(read, address, password, _IMAP, mailbox_at)
            smtp = _tried(send, address, password, _SMTP, outgoing_at)
            return MailServers(imap, smtp, password)
        except PbemError as fault:
            fail(fault)
        if not ask.yes(sentence("Try again?")):
            print_notice(
                sentence(
                    "then save the emails in the match folder yourself; pbem mail init sets email up later"
                )
            )
            return None


_Ways = dict[int, Tls]
_IMAP: Final[_Ways] = {993: "implicit", 143: "starttls"}
_SMTP: Final[_Ways] = {465: "implicit", 587: "starttls"}


def _tried(
    text: str,
    user: str,
    password: str,
    ways: _Ways,
    make: Callable[[Callable[[], Account]], ImapMailbox | SmtpOutgoing],
) -> Server:
    """The first way in that works: the usual ports, or the one behind a colon with either kind of TLS."""
    host, _, port = text.partition(":")
    if not host or (port and not port.isdecimal()):
        raise UsageProblem(
            sentence("{text!r} is not a server; expected a name like imap.example.org", text=text)
        )
    kinds: tuple[Tls, ...] = ("implicit", "starttls")
    tries = [(int(port), kind) for kind in kinds] if port else list(ways.items())
    faults: list[MailTrouble] = []
    for number, kind in tries:
        server = Server(host, number, user, Secret("given", password), kind)
        box = make(lambda server=server: replace(server.account(Path(), {}), timeout=_PATIENCE))  # type: ignore[misc]
        try:
            box.connect()
        except LoginRefused as fault:
            raise LoginRefused(
                sentence("{host} does not let {user} in with this password", host=host, user=user),
                hint=sentence(
                    "Google, Microsoft and Apple want an app password. Make one in your account there."
                ),
            ) from fault
        except MailTrouble as fault:
            faults.append(fault)
        else:
            return server
        finally:
            box.close()
    raise faults[0]


_PATIENCE: Final = 15.0


def _mail_file(address: str, mail: MailServers, identity: Identity) -> bytes:
    sealed = sealed_password(identity, mail.password)
    lines = [f"address = {json.dumps(address)}"]
    for name, server in (("imap", mail.imap), ("smtp", mail.smtp)):
        values = [f"{name} = {json.dumps(getattr(server, name))}" for name in ("host", "port", "tls", "user")]
        lines += ["", f"[{name}]", *values, sealed]
    return "\n".join(lines).encode() + b"\n"


# --- questions to a person at a terminal ------------------------------------------------------------------

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Asking:
    """Questions to a person at a terminal, in their language."""

    language: Language

    def say(self, words: str) -> None:
        """Print this."""
        say(self.language.translate(words))

    def text(self, question: str, default: str = "") -> str:
        """What the person types; ``default`` is what Enter says."""
        answer = typer.prompt(
            self.language.translate(question), default=default, show_default=bool(default), err=True
        )
        return str(answer).strip()

    def secret(self, question: str) -> str:
        """What the person types unseen; may be empty. Raises: ``typer.Abort`` at the end of input or Ctrl-C."""
        try:  # typer's prompt shows the question first, and throws away what was typed since
            return getpass.getpass(f"{self.language.translate(question)}: ")
        except (KeyboardInterrupt, EOFError):
            typer.echo(err=True)
            raise typer.Abort from None

    def until_right(self, question: str, read: Callable[[str], T]) -> T:
        """What ``read`` makes of the answer; what it refuses is said, and asked again."""
        while True:
            try:
                return read(self.text(question))
            except (UsageProblem, FormatError) as fault:
                fail(fault)

    def yes(self, question: str, *, default: bool = True) -> bool:
        """Yes or no."""
        return bool(typer.confirm(self.language.translate(question), default=default, err=True))

    def which(self, question: str, rows: Sequence[str]) -> int:
        """The number of the row that the person chooses, from 0 on; one row is chosen by itself."""
        if len(rows) == 1:
            return 0
        for number, row in enumerate(rows, 1):
            say(f"  {number}  {self.language.translate(row)}")
        while True:
            answer = self.text(question, "1")
            if answer.isdecimal() and 1 <= int(answer) <= len(rows):
                return int(answer) - 1
            print_notice(sentence("type a number from 1 to {last}", last=len(rows)))
