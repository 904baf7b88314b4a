"""The service for commands: opened from its configuration, run, asked."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Final

from pbem.base.errors import PbemError, StoreError, UsageProblem
from pbem.base.sentences import Sentence, sentence
from pbem.cli.console import print_notice
from pbem.cli.keys import keyring_at
from pbem.cli.passphrase import old_passphrase
from pbem.game import JsonObject
from pbem.host.arguments import checked_title, seat_addresses
from pbem.host.config import CONFIG_NAME, Config, read_config
from pbem.host.copy_elsewhere import Elsewhere
from pbem.host.service.alarms import fallback_file, read_fallback_alert
from pbem.host.service.answers import api_words, invited_facts, invited_words, round_words
from pbem.host.service.links import SeatLink, SeatLinks
from pbem.host.service.lists import notified_lately
from pbem.host.service.opening import fallback_alert_of, opened
from pbem.host.service.service import Service
from pbem.player.store.durable import loose_permissions
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.identity_file import read_header, read_identity

MOST_DELIVERED: Final = 32 * 1024 * 1024
TRY_AGAIN: Final = 75
"""EX_TEMPFAIL of sysexits.h: the mail server keeps the mail and tries again."""
REFUSED: Final = 69
"""EX_UNAVAILABLE: the mail server gives the mail back."""


def configuration(path: Path | None) -> Config:
    """The configuration of this command."""
    return read_config(path or Path(CONFIG_NAME))


def host_identity(config: Config) -> Identity:
    """The host's identity, opened as the configuration says, else by asking."""
    keyring = keyring_at(config.folder / Path(config.home).expanduser() if config.home else None)
    name = keyring.pick(config.identity or None)
    raw = keyring.read(name)
    if read_header(raw).kind != "host":
        raise UsageProblem(
            sentence("the identity {name} is a player's", name=name),
            hint=sentence("Make one: pbem id new --host PERSON"),
        )
    if config.passphrase is None:
        return read_identity(raw, old_passphrase(None, name))[0]
    return read_identity(raw, config.passphrase.read(config.folder, os.environ))[0]


def build_service(
    config: Config,
    *,
    pictures: bool | None = None,
    checked: bool = True,
    host: Identity | None = None,
    fetches: bool = True,
    elsewhere: Elsewhere | None = None,
) -> Service:
    """The service of a configuration, its database looked at first.

    ``host`` is the identity if it is open already; without ``fetches`` the mailbox is somebody else's business.

    Raises:
        DatabaseDamaged: the database is not the one that this service wrote last; see ``check_database``.
    """
    path = config.folder / config.file
    if path.exists() and (warning := loose_permissions(path)):
        print_notice(warning)
    return opened(
        config,
        host or host_identity(config),
        os.environ,
        pictures=pictures,
        checked=checked,
        fetches=fetches,
        elsewhere=elsewhere,
    )


def with_service(path: Path | None, *, checked: bool = True) -> AbstractContextManager[Service]:
    """The service for one command."""
    return closing(build_service(configuration(path), checked=checked))


def access_code(path: Path | None, short: str, seat: str, *, new: bool) -> tuple[Sentence, JsonObject]:
    """The access code of a seat, and the link that brings it."""
    with with_service(path) as service:
        link, code = service.matches.access_code(short, seat, new=new)
    facts = {"match": short, "seat": seat, "word": code, "link": (link.url or link.fragment) if link else ""}
    return api_words(facts, new=new), facts


def links_of(path: Path | None, short: str, seats: Sequence[str], *, new: bool) -> list[JsonObject]:
    """The links of a match, or of these seats, which are given away by it; ``new``: withdrawn and given again."""
    with with_service(path) as service:
        seat_links = SeatLinks(service.context)
        for seat in seats if new else ():
            seat_links.renew(short, seat)
        if not new and seats:
            given = [link.seat for link in seat_links.all(short) if link.url or link.name]
            seat_links.give(short, [seat for seat in seats if seat not in given])
        links = seat_links.all(short)
    return [link_facts(link) for link in links if not seats or link.seat in seats]


def link_facts(link: SeatLink) -> JsonObject:
    """A seat's link for programs."""
    facts = {name: getattr(link, name) for name in ("seat", "address", "name", "fingerprint", "at")}
    return {**facts, "link": link.url}


def one_round(path: Path | None) -> tuple[Sentence, JsonObject]:
    """One round of everything."""
    try:
        with with_service(path) as service:
            done = service.run_once()
            service.fallback_alert.ready()
            service.fallback_alert.works()
    except StoreError as fault:
        fallback_alert_of(configuration(path), os.environ).trouble(fault)
        raise
    for trouble in done.troubles:
        print_notice(trouble)
    names = ("fetched", "sorted", "ruled", "timed", "sent", "troubles")
    return round_words(done), {name: getattr(done, name) for name in names}


def deliver_one(path: Path | None, *, keep_only: bool) -> int:
    """Keep the mail on standard input; whatever fails before that, the mail server shall try again."""
    try:
        raw = sys.stdin.buffer.read(MOST_DELIVERED + 1)
        if len(raw) > MOST_DELIVERED:
            print_notice(sentence("an email of more than {most} bytes is not taken", most=MOST_DELIVERED))
            return REFUSED
        service = build_service(configuration(path))
        service.deliver(raw)
    except (PbemError, OSError) as fault:
        print_notice(str(fault))
        return TRY_AGAIN
    try:
        if not keep_only:
            service.run_once_without_mailbox()
    except StoreError as fault:
        print_notice(sentence("the email is kept; {fault}", fault=fault))
    finally:
        service.close()
    return 0


def invite_people(
    path: Path | None,
    match: str,
    seats: Sequence[str],
    title: str | None = None,
    lang: str | None = None,
    *,
    substitutes: bool = False,
) -> tuple[Sentence, JsonObject]:
    """Send invitations; a folder's match is taken over first, and its contacts say who is invited where."""
    addresses = seat_addresses(seats)
    with with_service(path) as service:
        if Path(match).is_dir():
            match = service.matches.adopt(Path(match))
            addresses = addresses or dict(service.matches.noted_addresses(match))
        invited = service.matches.invite(
            match,
            addresses,
            substitutes=substitutes,
            title=None if title is None else checked_title(title),
            lang=lang,
        )
    return invited_words(match, invited), invited_facts(match, invited)


def notes_of(path: Path | None) -> list[JsonObject]:
    """What the service had to report, oldest first; only what woke its operator if its database cannot be used."""
    config = configuration(path)
    fallback_alert = read_fallback_alert(fallback_file(config.heads))
    try:
        with with_service(path) as service:
            return notified_lately(fallback_alert, service.context)
    except StoreError as fault:
        notes = notified_lately(fallback_alert)
        if not notes:
            raise
        print_notice(str(fault))
        return notes
