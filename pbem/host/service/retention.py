"""What is no longer kept: emails, in and out, and witness copies: of ended matches, and of a person who asks.

Records stay for ever, and so does what keeps anything from happening twice: the hash of every mail, the token of every
email, the verdict on every file with the host's signed refusal. First the copies in the mailbox go, then the bytes in
the database, a match in one transaction; a crash in between repeats a deletion that finds nothing.
"""

from __future__ import annotations

from typing import Final

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.host.config import FOR_EVER, Keep
from pbem.host.database.database import Transaction
from pbem.host.database.lists import forget_person
from pbem.host.database.matches import Matches
from pbem.host.database.notes import MailNotes
from pbem.host.database.retention import Retention
from pbem.host.service.context import ServiceContext
from pbem.player.mail.ports import Mailbox
from pbem.protocol.crypto.digest import short_id, unb64
from pbem.protocol.record.line import read_line

_DAY: Final = "retention"
_AT_ONCE: Final = 500
"""Emails without a match of which the bytes are let go of in one transaction."""


class Keeper:
    """Lets go of what is no longer kept, once a day and a little at a time."""

    def __init__(self, context: ServiceContext, keep: Keep) -> None:
        self._context = context
        self._keep = keep
        self._done = ""
        """The day on which nothing more is to go."""

    def work_one(self, mailbox: Mailbox | None, folders: tuple[str, ...]) -> int:
        """One match, or some emails without one; how many went, in and out. 0: there is nothing more today."""
        context = self._context
        if self._keep == FOR_EVER or self._done == context.today():
            return 0
        with context.database.transaction() as transaction:
            if MailNotes(transaction).get(_DAY) == context.today():
                self._done = context.today()
                return 0
            self._note_ends(transaction)
            game = Retention(transaction).due(self._before(self._keep.mail)) if self._keep.mail else ""
            names = self._names(transaction, game) if game else []
        if game:
            if mailbox is not None and names:
                mailbox.delete(names, folders)
            context.steps("copies-deleted")
            with context.database.transaction() as transaction:
                retention = Retention(transaction)
                gone = retention.clear(game)
                retention.cleared(game, context.now())
                context.steps("clearing")
            context.steps("cleared")
            return max(1, gone)
        return self._rest(mailbox, folders)

    def _rest(self, mailbox: Mailbox | None, folders: tuple[str, ...]) -> int:
        """What belongs to no match; when nothing of it is left, the file shrinks and the day is done."""
        context, days = self._context, self._keep.strangers
        with context.database.transaction() as transaction:
            old = Retention(transaction).without_match(self._before(days), _AT_ONCE) if days else ([], [])
        mails, letters = old
        names = [name for _, name in (*mails, *letters) if name]
        if mailbox is not None and names:
            mailbox.delete(names, folders)
        with context.database.transaction() as transaction:
            retention, gone = Retention(transaction), len(mails) + len(letters)
            retention.clear_these([number for number, _ in mails], [number for number, _ in letters])
            if self._keep.log:
                retention.clear_log(self._before(self._keep.log))
            if not gone:
                MailNotes(transaction).set(_DAY, context.today())
        if not gone:
            context.database.compact()
        return gone

    def _before(self, days: int) -> str:
        return self._context.later(-days * 86_400)

    def _note_ends(self, transaction: Transaction) -> None:
        retention, matches = Retention(transaction), Matches(transaction)
        for game, seq in retention.unnoted():
            raw = matches.line_at(game, seq)
            if raw is not None:
                retention.note(game, read_line(raw).at)

    def _names(self, transaction: Transaction, game: str) -> list[str]:
        """The Message-IDs of everything in the mailbox that belongs to a match."""
        retention = Retention(transaction)
        return [*retention.letters_of(game), *retention.mails_of(game)]


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was removed of a person, and where they stay in signed records."""

    mails: int
    counts: dict[str, int]
    stays: tuple[str, ...]
    """Matches in whose records their name and their sealed address stand."""


def forget(
    context: ServiceContext,
    address: str,
    mailbox: Mailbox | None,
    folders: tuple[str, ...],
    *,
    even_now: bool = False,
) -> Forgotten:
    """Remove the address and the mail of a person from everything but signed records.

    Raises:
        UsageProblem: they sit in a match that is not over, unless ``even_now``.
    """
    with context.database.transaction() as transaction:
        retention = Retention(transaction)
        seats = retention.seats_of(address)
        running = [short_id(unb64(game, 32)) for game, over, _ in seats if not over]
        if running and not even_now:
            raise UsageProblem(
                sentence(
                    "{address} has a seat in {running}, which goes on",
                    address=address,
                    running=", ".join(running),
                ),
                hint=sentence("Give the seat to somebody else first (pbem host substitute), or say --now."),
            )
        mails = retention.mails_from(address)
        names = [*retention.letters_to(address), *(name for _, name in mails if name)]
    if mailbox is not None and names:
        mailbox.delete(names, folders)
    with context.database.transaction() as transaction:
        retention = Retention(transaction)
        counts = retention.forget(address)
        forget_person(transaction, address)
    context.database.compact()
    stays = tuple(dict.fromkeys(short_id(unb64(game, 32)) for game, _, joined in seats if joined))
    return Forgotten(len(mails), counts, stays)
