"""Once a day: what alerted nobody. Strangers are never answered, nor is automatic mail; the host sees both here."""

from __future__ import annotations

from typing import Final

from pbem.base.language import language_of
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.host.database.database import Transaction
from pbem.host.database.mail import InboxRow, InboxRows
from pbem.host.database.notes import MailNotes
from pbem.host.database.times import is_known
from pbem.host.service.alarms import ALARMS, Alarms
from pbem.host.service.context import ServiceContext
from pbem.player.letters.layout import fill
from pbem.player.letters.rendering import Style, environment
from pbem.player.mail.gate import peek_header, peek_sender

_DAY: Final = "digest"
MOST_LISTED: Final = 50
"""Emails of a day that the digest names; the others are counted."""


@dataclass(frozen=True, slots=True)
class Aside:
    """An email that was quarantined, as a list shows it."""

    number: int
    arrived: str
    sender: str
    subject: str
    reason: str


def aside(row: InboxRow) -> Aside:
    """What a list says of an email; its headers prove nothing."""
    subject = peek_header(row.raw, "Subject")
    return Aside(row.id, row.arrived, peek_sender(row.raw), subject[:200], row.reason)


class Digest:
    """Writes the daily digest, within one transaction."""

    def __init__(self, context: ServiceContext, transaction: Transaction) -> None:
        self._context = context
        self._transaction = transaction

    def write(self) -> int:
        """The digest of what came since the last one, if a day has begun since; how many emails are queued."""
        context, notes = self._context, MailNotes(self._transaction)
        since, now = notes.get(_DAY), context.now()
        if since[:10] == now[:10]:
            return 0
        if notes.locked(_DAY) != since:  # another worker writes it
            return 0
        notes.set(_DAY, now)
        if not since:
            return 0
        mails = [aside(row) for row in InboxRows(self._transaction).quarantined(since, limit=1000)]
        strangers = [mail for mail in mails if not is_known(self._transaction, mail.sender)]
        others = [mail for mail in mails if mail not in strangers]
        log = notes.counted(since)
        quiet = {kind: count for kind, count in log.items() if kind not in ALARMS}
        if not (mails or quiet):
            return 0
        language = language_of(context.language)
        template = environment(Style.TEXT, language).get_template("service/digest.txt.jinja")
        text = template.render(
            since=since,
            strangers=strangers[:MOST_LISTED],
            more=max(0, len(strangers) - MOST_LISTED),
            others=others[:MOST_LISTED],
            log=sorted(log.items()),
        )
        return Alarms(context, self._transaction).post(
            f"digest/{now}", sentence("What came today besides"), fill(text)
        )
