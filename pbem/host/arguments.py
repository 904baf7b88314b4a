"""The arguments of a host's commands: addresses, titles, seats and times, checked; and what they mean at a match.

A match may lie in a folder or with a service: what is asked of either is ``Client``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol

from pbem.base.errors import RefusedError, UsageProblem
from pbem.base.language import ENGLISH, Language
from pbem.base.sentences import sentence
from pbem.game import JsonObject, Seat
from pbem.host.letter_mail import Contacts
from pbem.player.mail.outgoing import check_address
from pbem.protocol.formats.strict_json import forbidden
from pbem.protocol.record.deadlines import format_time, parse_time, plus_hours

_LONGEST: Final = 80
"""Characters of a title: a line of an email."""


def checked_contacts(
    name: str, mail: str | None, title: str, lang: str, pairs: Sequence[str], seats: Sequence[str]
) -> Contacts:
    """The contacts of what a host typed; ``pairs`` are ``SEAT=ADDRESS``.

    Raises:
        UsageProblem: an address is none, a seat is not in the match, or the title is no line.
    """
    addresses: dict[str, str] = {}
    for text in pairs:
        seat, sign, address = text.partition("=")
        if not sign or seat not in seats:
            raise UsageProblem(
                sentence(
                    "expected SEAT=ADDRESS with a seat of {seats}, found {text!r}",
                    seats=", ".join(seats),
                    text=text,
                ),
                hint=sentence("For example: --to anna=anna@example.org"),
            )
        addresses[seat] = check_address(address)
    return Contacts(name, check_address(mail) if mail else "", checked_title(title), lang, addresses)


def seat_addresses(texts: Sequence[str]) -> dict[str, str]:
    """The addresses by seat that ``SEAT=ADDRESS`` says; ``UsageProblem`` at what says none, or a seat twice."""
    addresses: dict[str, str] = {}
    for text in texts:
        seat, _, address = text.partition("=")
        if not (seat and address) or seat in addresses:
            raise UsageProblem(sentence("expected SEAT=ADDRESS, found {wrong!r}", wrong=text))
        addresses[seat] = address
    return addresses


def checked_title(title: str) -> str:
    """A title that can stand in a line of an email; ``UsageProblem`` if it cannot."""
    if len(title) > _LONGEST or forbidden(title):
        raise UsageProblem(
            sentence(
                "a title is one line of at most {longest} characters, found {title!r}",
                longest=_LONGEST,
                title=title,
            )
        )
    return title.strip()


class Client(Protocol):
    """What is asked of a host's client here (``FolderHost``, ``ServiceClient``)."""

    def status(self, language: Language = ENGLISH) -> JsonObject:
        """See ``HostedMatch.status``."""

    def rewrite_letters(self, seats: Sequence[Seat] = ()) -> tuple[str, ...]:
        """See ``HostedMatch.rewrite_letters``."""

    def where(self, letter: str) -> str:
        """See ``HostedMatch.where``."""


def awaited_or_named(client: Client, words: Sequence[str]) -> Seat:
    """The seat named, or the one the match waits for.

    Raises:
        RefusedError: none was named, and nobody is awaited.
        UsageProblem: as ``seat_named``.
    """
    if words:
        return seat_named(client, words)
    waiting = client.status().get("waiting")
    if waiting is None:
        raise RefusedError(
            sentence("the match waits for no seat to act"),
            hint=sentence("'pbem host status' says what it waits for."),
        )
    return Seat(waiting["seat"])


def seat_named(client: Client, words: Sequence[str]) -> Seat:
    """The one seat that was named.

    Raises:
        UsageProblem: none was, or several, or the match has no such seat.
    """
    seats = [seat["seat"] for seat in client.status()["seats"]]
    if len(words) != 1 or words[0] not in seats:
        text = " ".join(words) or sentence("nothing")
        raise UsageProblem(
            sentence("expected one seat of {seats}; found {found}", seats=", ".join(seats), found=text)
        )
    return Seat(words[0])


def moment_behind(text: str, since: Callable[[], str]) -> str:
    """A time as records write it, or ``+24h`` and ``+3d`` behind ``since``.

    Raises:
        UsageProblem: it is nothing of that.
    """
    try:
        if text[:1] == "+" and text[-1:] in ("h", "d"):
            hours = int(text[1:-1]) * (24 if text.endswith("d") else 1)
            return plus_hours(since(), hours)
        return format_time(parse_time(text))
    except ValueError:
        raise UsageProblem(
            sentence("expected a time like 2026-12-01T18:00:00Z, or +24h, +3d; found {text!r}", text=text)
        ) from None


def started(client: Client, language: Language = ENGLISH) -> JsonObject:
    """The roster once everybody has joined, as ``status`` gives it in this language, with ``letters``.

    While ready files are awaited, the emails that ask for them are made again, and ``letters`` says where they lie.

    Raises:
        RefusedError: seats are free.
    """
    facts = client.status(language)
    if facts["unjoined"]:
        raise RefusedError(
            sentence("the match waits for {names} to join", names=", ".join(facts["unjoined"])),
            hint=sentence("Add their files with: pbem host add JOIN..."),
        )
    letters = client.rewrite_letters() if facts["phase"] == "getting ready" else ()
    return facts | {"letters": [client.where(name) for name in letters]}
