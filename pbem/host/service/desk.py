"""Who answers a mail by which somebody asks this service for a table or a seat."""

from __future__ import annotations

from typing import Any

from pbem.host.database.database import Transaction
from pbem.host.database.mail import SHUNTED
from pbem.host.database.matches import Matches
from pbem.host.database.notes import MailNotes
from pbem.host.service.context import ServiceContext
from pbem.host.service.letters import Letterbox
from pbem.host.store import Answered
from pbem.player.mail.look import Looked


class DeskClerk:
    """At work within one transaction; ``name`` is that of the mail."""

    def __init__(self, context: ServiceContext, transaction: Transaction, name: str) -> None:
        self._context = context
        self._transaction = transaction
        self._notes = MailNotes(transaction)
        self._matches = Matches(transaction)
        self._letters = Letterbox(context, transaction)
        self._name = name

    def turned_away(self, mail: Looked, what: str) -> tuple[str, str] | None:
        """State and reason for the mail's row, if this service does not answer its sender when he asks for ``what``."""
        tables, sender = self._context.tables, mail.sender
        known = tables.who == "known" and bool(self._matches.seats_of(sender))
        if not mail.quiet and (known or (tables.who == "list" and sender in tables.listed)):
            return None
        return SHUNTED, mail.quiet or f"{what}, from somebody who may not ask for one"

    def say(self, mail: Looked, letter: str, subject: str, **told: Any) -> None:
        """Answer the sender by a letter of this kind."""
        answered = Answered(mail.message_id, mail.sender)
        self._letters.answer(mail.sender, letter, self._name, answered, subject, **told)
