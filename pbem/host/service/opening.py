"""A service put together from its configuration: database, identity, servers, what looks at mail and paints."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.base.resources import PAGE
from pbem.host.config import Config
from pbem.host.config_file import open_mailbox, open_outgoing
from pbem.host.copy_elsewhere import Elsewhere, mark_moved, refuse_moved
from pbem.host.database.database import Database
from pbem.host.database.heads import Heads
from pbem.host.service.alarms import FallbackAlert, fallback_file
from pbem.host.service.check import check_database
from pbem.host.service.context import ServiceContext
from pbem.host.service.painting import Painter
from pbem.host.service.place import AtAddress, BesideCopy, HostPlace, InMailbox, Spot, Whereabouts, place_name
from pbem.host.service.service import Service
from pbem.player.mail.confined import Confined
from pbem.player.mail.imap import ImapMailbox
from pbem.protocol.crypto.identity import Identity


def opened(
    config: Config,
    host: Identity,
    environ: Mapping[str, str],
    *,
    pictures: bool | None = None,
    checked: bool = True,
    fetches: bool = True,
    elsewhere: Elsewhere | None = None,
) -> Service:
    """The service of a configuration; the caller closes it.

    Args:
        config: where everything is.
        host: the identity that signs.
        environ: where passwords of the environment are.
        pictures: in emails, whatever the configuration says; None: as it says.
        checked: look at the database first.
        fetches: read the mailbox; otherwise it is somebody else's business.
        elsewhere: the copy on another disk; a new one if the configuration names a place for it.

    Raises:
        DatabaseDamaged: the database is not the one that this service wrote last; see ``check_database``.
    """
    refuse_moved(config)
    if elsewhere is None and config.backup_folder is not None:
        elsewhere = Elsewhere(config, host)
    context = ServiceContext(
        Database(config.database_url),
        host,
        config.sender,
        config.operator,
        limits=config.limits,
        look=Confined(),
        paint=Painter(),
        witness=config.witness,
        null_sender=config.null_sender,
        pictures=config.pictures if pictures is None else pictures,
        heads=Heads(config.heads, elsewhere or _nowhere),
        language=config.language,
        api=config.api.url,
        push=config.push,
        page=config.api.page_url or PAGE,
        mails=config.smtp is not None,
        club=config.club,
    )
    if checked:
        try:
            check_database(context, thorough=False)
        except BaseException:
            context.database.close()
            raise
    outgoing = open_outgoing(config, environ)
    mailbox = open_mailbox(config, environ) if fetches and config.imap is not None else None
    whereabouts = _whereabouts(config, context, mailbox, fetches=fetches)
    return Service(context, outgoing, mailbox, config.folders, config.keep, whereabouts)


def _whereabouts(
    config: Config, context: ServiceContext, mailbox: ImapMailbox | None, *, fetches: bool
) -> Whereabouts:
    """Where this place looks for another one that goes on."""
    inside = None if mailbox is None else InMailbox(mailbox, config.folders.processed)
    spots: list[Spot] = [] if inside is None else [inside]
    if config.backup_folder is not None:
        spots.append(BesideCopy(config.backup_folder))
    if config.api.url:
        spots.append(AtAddress(config.api.url))

    def gone(place: HostPlace) -> None:
        mark_moved(config, place.since, place.name)

    return Whereabouts(
        context, place_name(config.folder, config.database_url), spots, inside, gone, looks=fetches
    )


def _nowhere() -> None:
    """There is no copy."""


def fallback_alert_of(config: Config, environ: Mapping[str, str]) -> FallbackAlert:
    """What wakes the operator when the database cannot."""
    outgoing = open_outgoing(config, environ)
    return FallbackAlert(
        config.sender, config.operator, config.language, outgoing, fallback_file(config.heads)
    )
