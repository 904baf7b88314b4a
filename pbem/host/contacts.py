"""Who sits around a match, as its host knows it: names, mail addresses and earlier matches that no record holds.

For a match in a folder this is the note ``contacts`` in the host's private part; a service keeps the same in its
database. Letters are a function of the record and of this note, so an outbox can still be made again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, field, replace
from email.headerregistry import Address
from typing import Final, Protocol

from pbem.base.errors import PbemError, RefusedError, UsageProblem
from pbem.base.language import ENGLISH, Language
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.game import JsonObject, Seat
from pbem.player.letters.letter import LetterExtras
from pbem.player.mail.outgoing import check_address
from pbem.player.store.match_folder import PrivateNotes
from pbem.player.tally import season_of
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.envelopes import open_contact
from pbem.protocol.formats.strict_json import forbidden
from pbem.protocol.record import Record
from pbem.protocol.record.deadlines import format_time, parse_time, plus_hours

_NOTE: Final = "circle"
_LONGEST: Final = 80
"""Characters of a title: a line of a letter."""


@dataclass(frozen=True, slots=True)
class Contacts:
    """The host's ``name`` and ``mail``, the match's ``title``, the invitations' ``lang``, the address of each seat.

    ``langs`` are the languages of invitations to seats whose player the host knows already. ``season`` holds the
    matches that this one follows, in short (``pbem.player.tally.came_of``), oldest first.
    """

    name: str = ""
    mail: str = ""
    title: str = ""
    lang: str = "en"
    seats: Mapping[str, str] = field(default_factory=dict)
    langs: Mapping[str, str] = field(default_factory=dict)
    season: Sequence[JsonObject] = ()
    asker: str = ""
    """Who asked this service for the table, and has no power in it (``pbem.host.service.tables``)."""
    discreet: Sequence[str] = ()
    """Seats whose emails keep results out of their subjects."""
    channels: Sequence[JsonObject] = ()
    """Who is called besides (``pbem.host.service.channels``): ``seat`` (empty: all), ``box``, ``failures``."""
    channel_files: Mapping[str, int] = field(default_factory=dict)
    """The number of the newest file in which a seat said where its own turns are announced."""

    @classmethod
    def read(cls, notes: PrivateNotes) -> Contacts:
        """What is noted; nothing for a folder that was made without, or rebuilt."""
        return cls.from_json(notes.read(_NOTE)) if _NOTE in notes.names() else cls()

    @classmethod
    def from_json(cls, raw: bytes | str) -> Contacts:
        """What ``to_json`` wrote."""
        return cls(**json.loads(raw))

    def to_json(self) -> str:
        """The note."""
        return json.dumps(asdict(self))

    def language(self, seat: str) -> str:
        """In which language this seat is invited."""
        return self.langs.get(seat, self.lang)

    def beside(self, record: Record, first: int, last: int) -> LetterExtras:
        """What letters on records ``first`` to ``last`` say besides; the season if the match has ended in them."""
        ends = any(line.kind == "end" for line in record.lines[max(first, 0) : last + 1])
        return LetterExtras(self.title, season_of(self.season, record) if ends else None)

    def with_results(self, seat: str, *, shown: bool) -> Contacts:
        """The same, and whether subjects to this seat tell results."""
        others = [other for other in self.discreet if other != seat]
        return replace(self, discreet=others if shown else [*others, seat])

    def write(self, notes: PrivateNotes) -> None:
        """Note it, durably."""
        notes.write(_NOTE, self.to_json().encode(), replace=True)


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


def seat_addresses(texts: Sequence[str], hint: str = "") -> dict[str, str]:
    """The addresses by seat that ``SEAT=ADDRESS`` says; ``UsageProblem`` with ``hint`` at what says none."""
    addresses = {}
    for text in texts:
        seat, _, address = text.partition("=")
        if not (seat and address):
            raise UsageProblem(sentence("expected SEAT=ADDRESS, found {wrong!r}", wrong=text), hint=hint)
        addresses[seat] = address
    return addresses


def checked_title(title: str) -> str:
    """A title that can stand in a line of a letter; ``UsageProblem`` if it cannot."""
    if len(title) > _LONGEST or forbidden(title):
        raise UsageProblem(
            sentence(
                "a title is one line of at most {longest} characters, found {title!r}",
                longest=_LONGEST,
                title=title,
            )
        )
    return title.strip()


def _contact_of_join(record: Record, seat: Seat) -> str | None:
    lines = record.lines
    joins = (lines[seq].body["msg"]["body"] for seq in record.index.files_of(seat, record.head.seq))
    return next((body.get("contact") for body in joins if "name" in body), None)


def contact_of(record: Record, host: Identity, seat: Seat) -> str:
    """The mail address that this seat's player sealed to the host in his join; empty if there is none.

    To a host who took the match over it is sealed in the record that gave it to him.
    """
    player = record.ledger.players.get(seat)
    if player is None:
        return ""
    own = _contact_of_join(record, seat) if record.ledger.hosts else None
    for contact in filter(None, (player.contact, own)):
        with suppress(
            PbemError, ValueError, IndexError
        ):  # an address that is none, or sealed to another host
            mail = open_contact(record.game, seat, host.seal_key, host.seal_public, contact)
            return Address(addr_spec=mail).addr_spec
    return ""


def without(given: Mapping[str, str], seats: Mapping[str, object]) -> dict[str, str]:
    """What is noted of the other seats."""
    return {seat: text for seat, text in given.items() if seat not in seats}


# What the words of a host mean at a match: the seat he names or that is awaited, a time, the roster he
# starts.
#
# It is the same for a match folder and for a match of the service (``Client``).


class Client(Protocol):
    """What is asked of a host's client here (``HostClient``, ``ServiceClient``)."""

    def status(self, language: Language = ENGLISH) -> JsonObject:
        """See ``HostClient.status``."""

    def rewrite_letters(self, seats: Sequence[Seat] = ()) -> tuple[str, ...]:
        """See ``HostClient.rewrite_letters``."""

    def where(self, letter: str) -> str:
        """See ``HostClient.where``."""


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

    While ready files are awaited, the letters that ask for them are made again, and ``letters`` says where they lie.

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
