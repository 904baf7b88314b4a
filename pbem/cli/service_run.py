"""The service for commands: opened from its configuration, run, asked. Imported only by bodies of commands."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from pbem.cli.console import tell
from pbem.cli.keys import keyring_at
from pbem.cli.passphrase import old_passphrase
from pbem.crypto.digest import short_id, unb64
from pbem.crypto.identity import Identity
from pbem.errors import PbemError, StoreError, UsageProblem
from pbem.formats.identity_file import read_header, read_identity
from pbem.game import JsonObject
from pbem.host.circle import Circle, checked_title
from pbem.host.config import CONFIG_NAME, Config, read_config
from pbem.host.config_file import open_mailbox
from pbem.host.service.alarms import Siren, read_siren, siren_file
from pbem.host.service.answers import door_words, invited_facts, invited_words, round_words
from pbem.host.service.check import check_database
from pbem.host.service.meter import Meter
from pbem.host.service.office import Office
from pbem.host.service.painting import Painter
from pbem.host.service.service import Service
from pbem.mail.confined import Confined
from pbem.mail.smtp import SmtpOutgoing
from pbem.sentences import Sentence, sentence
from pbem.store import find_match_folder
from pbem.store.database import Database
from pbem.store.database_mail import MailNotes
from pbem.store.durable import loose_permissions
from pbem.store.heads import Heads

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
    thorough: bool = True,
    host: Identity | None = None,
    fetches: bool = True,
    meter: Meter | None = None,
) -> Service:
    """The service of a configuration, its database looked at first.

    ``host`` is the identity if it is open already; without ``fetches`` the mailbox is somebody else's business.

    Raises:
        DatabaseDamaged: the database is not the one that this service wrote last; see ``check_database``.
    """
    path = config.folder / config.file
    if path.exists() and (warning := loose_permissions(path)):
        tell(warning)
    office = Office(
        Database(config.database_url),
        host or host_identity(config),
        config.sender,
        config.operator,
        limits=config.limits,
        look=Confined(),
        paint=Painter(),
        witness=config.witness,
        null_sender=config.null_sender,
        pictures=config.pictures if pictures is None else pictures,
        heads=Heads(config.heads),
        language=config.language,
        door=config.door.url,
        meter=meter or Meter(),
    )
    if checked:
        try:
            check_database(office, thorough=thorough)
        except BaseException:
            office.database.close()
            raise
    outgoing = SmtpOutgoing(lambda: config.smtp.account(config.folder, os.environ))
    mailbox = open_mailbox(config, os.environ) if fetches and config.imap is not None else None
    return Service(office, outgoing, mailbox, config.folders, config.keep)


@contextmanager
def with_service(path: Path | None, *, checked: bool = True) -> Iterator[Service]:
    """The service for one command."""
    service = build_service(configuration(path), checked=checked)
    try:
        yield service
    finally:
        service.close()


def door_word(path: Path | None, short: str, seat: str, *, new: bool) -> tuple[Sentence, JsonObject]:
    """The word that opens the door for a seat, and the link that brings it."""
    with with_service(path) as service:
        link, word = service.matches.door_word(short, seat, new=new)
    facts = {"match": short, "seat": seat, "word": word, "link": (link.url or link.fragment) if link else ""}
    return door_words(facts, new=new), facts


def siren_of(config: Config) -> Siren:
    """What wakes the operator when the database cannot."""
    outgoing = SmtpOutgoing(lambda: config.smtp.account(config.folder, os.environ))
    return Siren(config.sender, config.operator, config.language, outgoing, siren_file(config.heads))


def one_round(path: Path | None) -> tuple[Sentence, JsonObject]:
    """One round of everything."""
    try:
        with with_service(path) as service:
            done = service.run_once()
    except StoreError as fault:
        siren_of(configuration(path)).trouble(fault)
        raise
    for trouble in done.troubles:
        tell(trouble)
    return round_words(done), {
        "fetched": done.fetched,
        "sorted": done.sorted,
        "ruled": done.ruled,
        "timed": done.timed,
        "sent": done.sent,
        "troubles": done.troubles,
    }


def deliver_one(path: Path | None, *, keep_only: bool) -> int:
    """Keep the mail on standard input; whatever fails before that, the mail server shall try again."""
    try:
        raw = sys.stdin.buffer.read(MOST_DELIVERED + 1)
        if len(raw) > MOST_DELIVERED:
            tell(sentence("a mail of more than {most} bytes is not taken", most=MOST_DELIVERED))
            return REFUSED
        service = build_service(configuration(path), thorough=False)
        service.deliver(raw)
    except (PbemError, OSError) as fault:
        tell(str(fault))
        return TRY_AGAIN
    try:
        if not keep_only:
            service.run_once_without_mailbox()
    except StoreError as fault:
        tell(sentence("the mail is kept; {fault}", fault=fault))
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
    """Send invitations; a folder's match is taken over first, and its circle says who is invited where."""
    pairs = [text.partition("=") for text in seats]
    wrong = [
        text
        for text, (seat, sign, address) in zip(seats, pairs, strict=True)
        if not (seat and sign and address)
    ]
    if wrong:
        raise UsageProblem(sentence("expected SEAT=ADDRESS, found {wrong!r}", wrong=wrong[0]))
    with with_service(path) as service:
        circle = Circle()
        if Path(match).is_dir():
            circle = Circle.read(find_match_folder(Path(match)).host)
            match = service.matches.adopt(Path(match))
        invited = service.matches.invite(
            match,
            {seat: address for seat, _, address in pairs} or circle.seats,
            substitutes=substitutes,
            title=None if title is None else checked_title(title),
            lang=lang,
        )
    return invited_words(match, invited), invited_facts(match, invited)


def notes_of(path: Path | None) -> list[JsonObject]:
    """The newest lines of the log, oldest first, with what was told when the database could not be used."""
    config = configuration(path)
    told = [(at, kind, "", text) for kind, (at, text) in read_siren(siren_file(config.heads)).items() if at]
    try:
        with with_service(path) as service, service.office.database.transaction() as transaction:
            told += [
                (at, kind, short_id(unb64(game, 32)) if game else "", text)
                for at, kind, game, text in MailNotes(transaction).newest()
            ]
    except StoreError as fault:
        if not told:
            raise
        tell(str(fault))
    names = ("at", "kind", "match", "text")
    return [dict(zip(names, note, strict=True)) for note in sorted(told)]
