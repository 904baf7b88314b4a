"""A player's own mail: the server that their files leave by, and the mailbox that their emails come to.

``mail.toml`` lies beside their identities::

    address = "anna@example.org"
    [smtp]                           # and [imap], if emails are to be fetched
    host = "smtp.example.org"        # members as in pbem.player.mail.servers, or password_sealed: under the identity
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.player.mail.outgoing import check_address
from pbem.player.mail.ports import OWN_MAIL, Account
from pbem.player.mail.servers import Secret, Server, read_server
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.crypto.identity import NONCE_SIZE, Identity, open_own_box, seal_own

if TYPE_CHECKING:
    from pbem.player.mail.imap import ImapMailbox
    from pbem.player.mail.smtp import SmtpOutgoing

PASSWORD_LABEL: Final = "mail password"  # noqa: S105 - what is sealed, not what it is


@dataclass(frozen=True, slots=True)
class OwnMail:
    """How a player sends, and where their emails are fetched, if they want that."""

    folder: Path
    address: str
    smtp: Server
    imap: Server | None
    environ: Mapping[str, str]
    """Where passwords may stand that the configuration names by a variable."""

    def outgoing(self) -> SmtpOutgoing:
        """The way to their server."""
        return outgoing_at(lambda: self.smtp.account(self.folder, self.environ))

    def mailbox(self) -> ImapMailbox | None:
        """The mailbox that their emails come to."""
        server = self.imap
        return None if server is None else mailbox_at(lambda: server.account(self.folder, self.environ))


def outgoing_at(account: Callable[[], Account]) -> SmtpOutgoing:
    """The server that this account sends by; its library is loaded when something leaves."""
    from pbem.player.mail.smtp import SmtpOutgoing

    return SmtpOutgoing(account)


def mailbox_at(account: Callable[[], Account]) -> ImapMailbox:
    """The mailbox of this account; its library is loaded when emails are fetched."""
    from pbem.player.mail.imap import ImapMailbox

    return ImapMailbox(account)


def read_own_mail(folder: Path, identity: Identity | None, environ: Mapping[str, str]) -> OwnMail:
    """The configuration in this folder; ``identity`` opens passwords that are sealed under it.

    Raises:
        UsageProblem: there is none, or it is not as it should be.
    """
    path = folder / OWN_MAIL
    if not path.is_file():
        raise UsageProblem(
            sentence("your email account is not set up: there is no {path}", path=path),
            hint=sentence("Make it with: pbem mail init"),
        )
    try:
        data = tomllib.loads(path.read_text("utf-8-sig"))
        smtp = _server(data["smtp"], "smtp.", 465, identity)
        imap = _server(data["imap"], "imap.", 993, identity) if "imap" in data else None
        return OwnMail(folder, check_address(str(data["address"])), smtp, imap, environ)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError) as fault:
        why = sentence("{key} is missing", key=fault.args[0]) if isinstance(fault, KeyError) else fault
        raise UsageProblem(
            sentence("{path} is not as it should be: {fault}", path=path, fault=why)
        ) from fault


def _server(table: dict[str, Any], where: str, port: int, identity: Identity | None) -> Server:
    """One server; a password that is sealed under the identity is opened."""
    sealed = table.pop("password_sealed", None)
    if sealed is None:
        return read_server(table, where, port)
    if identity is None:
        raise UsageProblem(
            sentence("the password of your email is sealed under your identity; use pbem play")
        )
    password = open_own_box(identity, PASSWORD_LABEL, unb64(str(sealed))).decode()
    server = read_server(table | {"password_env": "-"}, where, port)
    return replace(server, password=Secret("given", password))


def sealed_password(identity: Identity, password: str) -> str:
    """A password as ``mail.toml`` holds it: sealed under the identity, so that no file has it in clear."""
    box = seal_own(identity, PASSWORD_LABEL, password.encode(), os.urandom(NONCE_SIZE))
    return f'password_sealed = "{b64(box)}"'
