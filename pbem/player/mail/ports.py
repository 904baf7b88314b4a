"""What the service needs of the world of mail: a mailbox to read and a way to send. Tests put their own in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from datetime import date
from typing import Final, Literal, Protocol, TypeVar, runtime_checkable

from pbem.base.errors import StoreError
from pbem.base.values import dataclass

T = TypeVar("T")
Tls = Literal["implicit", "starttls"]
Auth = Literal["password", "xoauth2"]

OWN_MAIL: Final = "mail.toml"
"""Where a player's own mail is set up, beside their identities; read by ``pbem.player.mail.own``."""


@dataclass(frozen=True, slots=True)
class Account:
    """How to reach a mail server. There is no way to reach one without TLS."""

    host: str
    port: int
    user: str
    secret: str = field(repr=False)
    tls: Tls = "implicit"
    auth: Auth = "password"
    ca_file: str = ""
    timeout: float = 30.0


Stop = Callable[[], bool]
"""Whether whoever waits or works is to end soon."""


@runtime_checkable
class NewMailNotifier(Protocol):
    """A ``Stop`` that can be waited for beside a socket: there is something to read from it as soon as it says yes."""

    def __call__(self) -> bool:
        """See ``Stop``."""

    def fileno(self) -> int:
        """What to wait for."""


def never() -> bool:
    """Nobody wants this to stop."""
    return False


def always() -> bool:
    """An email may leave."""
    return True


class MailTrouble(StoreError):
    """The mail server cannot be reached or does not do what it is asked; trying again may help."""


class LoginRefused(MailTrouble):
    """The server was reached and does not let us in: a person has to look at user and password."""


class NotSent(MailTrouble):
    """The server refused an email; ``final`` if it will always do so. Nothing left."""

    def __init__(self, message: str, *, final: bool, code: int = 0) -> None:
        super().__init__(message)
        self.final = final
        self.code = code


class TooLate(MailTrouble):
    """``may`` said no: nothing left, and nothing is wrong with the server."""


class Unknown(MailTrouble):
    """The connection broke after the email was handed over: it may have left, or not."""


class Outgoing(Protocol):
    """Sends one email in one transaction."""

    def send(
        self,
        env_from: str,
        to: Sequence[str],
        raw: bytes,
        envid: str,
        may: Callable[[], bool] = always,
    ) -> None:
        """Return when the server has taken the email for all of ``to``.

        ``may`` is asked just before the server gets the first byte of it: if it says no, nothing leaves.

        Raises:
            NotSent: it left for nobody.
            TooLate: ``may`` says no.
            Unknown: nobody can know.
            MailTrouble: the server was not reached; nothing left.
        """

    def reach(self) -> None:
        """Return if the server can be reached and lets us in; ``MailTrouble`` if not."""

    def valid_until(self) -> str:
        """When the certificate of the connected server ends, as records write times; nothing if that is not known."""

    def close(self) -> None:
        """Hang up."""


@dataclass(frozen=True, slots=True)
class WaitingMail:
    """An email in the mailbox: its name there, its size, who says they sent it, and what they call it."""

    uid: str
    size: int
    sender: str = ""
    message_id: str = ""


def outermost(things: Sequence[T], most: int) -> Sequence[T]:
    """The oldest and the newest, ``most`` in all: what came last does not wait for all that came before it."""
    if len(things) <= most:
        return things
    first = most // 2
    return [*things[:first], *things[first - most :]]


class Mailbox(Protocol):
    """One mailbox. What was dealt with is moved; deleted is only what the host does not keep any longer."""

    unlisted: int
    """How many emails of the inbox the last ``waiting`` left for the next one."""

    def waiting(self, most: int = 0) -> list[WaitingMail]:
        """All emails in the inbox, oldest first.

        With ``most`` at most so many are new among them, those that ``outermost`` names.
        """

    def fetch(self, uids: Sequence[str]) -> dict[str, bytes]:
        """The raw bytes of emails, without marking them as read."""

    def fetch_head(self, uid: str) -> bytes:
        """The headers of an email that is too big to be fetched."""

    def move(self, uids: Sequence[str], folder: str) -> None:
        """Put emails away."""

    def delete(self, message_ids: Sequence[str], folders: Sequence[str]) -> int:
        """Delete the emails with these Message-IDs from these folders, for good; how many there were."""

    def holds(self, message_id: str, folders: Sequence[str]) -> bool:
        """Whether the inbox or one of these folders has an email with this Message-ID."""

    def kept(self, folders: Sequence[str], since: date) -> Iterator[bytes]:
        """Every mail in the inbox and these folders that came on this day or later, oldest first in each folder."""

    def valid_until(self) -> str:
        """See ``Outgoing``."""

    def wait(self, timeout: float, stop: Stop = never) -> bool:
        """Return when something may have arrived, after ``timeout`` seconds, or when ``stop`` says so.

        At once if that is a ``NewMailNotifier``, else within half a second.
        """

    def close(self) -> None:
        """Hang up."""
