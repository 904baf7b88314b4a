"""Emails leave: each exactly once, as far as a mail server lets anybody know.

An email is marked as being sent before the server hears of it, and as sent afterwards. What was interrupted in between
is looked up: every email also went to the service's own mailbox, in the same transaction (the **witness copy**);
if that is there, the email left. So with witness copies a few emails are marked together. Without them each is marked
as soon as it left, and an email may still arrive twice, under one Message-ID.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from pbem.base.errors import PbemError
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.host.database.database import Transaction
from pbem.host.database.mail import OutboxRow, OutboxRows
from pbem.host.database.notes import MailNotes
from pbem.host.service.context import ServiceContext
from pbem.host.service.letters import Letterbox, NotMade, sender_of
from pbem.player.mail.ports import Mailbox, MailTrouble, NotSent, Outgoing, Stop, TooLate, Unknown, never
from pbem.player.mail.robot import base_address
from pbem.protocol.crypto.digest import short_id, unb64

BATCH: Final = 10
_PAUSES: Final = (60, 300, 1800, 7200) + (14_400,) * 17
"""Seconds between tries: 1 minute, 5, 30, 2 hours, then every 4 hours; three days in all, as mail servers do."""
_HELD_BACK: Final = 900
"""Seconds that the emails of a match wait that has had too many."""
_HOLDS: Final = 0.4
"""Of the time after which another process takes an email over: so long it may leave. Its server has the rest."""
BRAKE: Final = "brake"
RELEASED: Final = "brake-released"


@dataclass(frozen=True, slots=True)
class _Claimed:
    """An email that this process alone may send, and what makes it."""

    row: OutboxRow
    make: Callable[[], bytes]


class Postman:
    """Sends what is queued."""

    def __init__(self, context: ServiceContext, outgoing: Outgoing) -> None:
        self._context = context
        self._outgoing = outgoing
        self._until = 0.0
        """Until when, by the clock that nobody sets, the emails that were claimed last may leave."""

    def flush(self, stop: Stop = never, only: str = "") -> int:
        """Send what is due (to ``only``, if it is named), until ``stop`` says so; how many emails left.

        Raises:
            MailTrouble: the server cannot be reached; what was not sent stays queued.
        """
        left, more = 0, True
        while more and not stop():
            batch, more = self._claim(only)
            taken: list[OutboxRow] = []
            try:
                for index, letter in enumerate(batch):
                    if stop():
                        self._put_back(batch[index:], "", 0)
                        break
                    try:
                        taken += [letter.row] if self._send(letter, batch[index:]) else []
                    except TooLate:
                        self._put_back(batch[index:], "", 0)
                        more = True
                        break
                    except MailTrouble as fault:
                        self._put_back(batch[index:], str(fault))
                        raise
                    if not self._context.witness:
                        left += self._mark(taken)
            finally:
                left += self._mark(taken)
        return left

    def _may(self) -> bool:
        """Whether the claim on these emails still holds: far shorter than until another process would take over.

        So a process that has lost its database, or that stood still for a while, sends nothing that is sent elsewhere.
        """
        return self._context.elapsed() < self._until

    def _renewed(self, letters: Sequence[_Claimed]) -> bool:
        """Claim these again; whether they were this process's still."""
        context = self._context
        begin = context.elapsed()
        with context.database.transaction() as transaction:
            rows = [letter.row for letter in letters]
            mine = OutboxRows(transaction).renew(rows, context.now()) == len(rows)
        if mine:
            self._until = begin + context.limits.witness_wait * _HOLDS
        return mine

    def _mark(self, taken: list[OutboxRow]) -> int:
        """These emails left; how many. The list is empty afterwards."""
        count = len(taken)
        if count:
            with self._context.database.transaction() as transaction:
                OutboxRows(transaction).mark_sent([letter.id for letter in taken], self._context.now())
                self._context.steps("marking-sent")
            taken.clear()
            self._context.steps("sent")
        return count

    def _claim(self, only: str) -> tuple[list[_Claimed], bool]:
        """The next emails, unless a limit holds them back; whether there may be more behind them."""
        context = self._context
        self._until = context.elapsed() + context.limits.witness_wait * _HOLDS
        with context.database.transaction() as transaction:
            rows = self._due(transaction, only)
            box, batch = Letterbox(context, transaction), []
            for row in rows:
                try:
                    batch.append(_Claimed(row, box.ready(row)))
                except NotMade as fault:
                    OutboxRows(transaction).fail(row.id, str(fault))
            context.steps("marking")
        if rows:
            context.steps("marked")
        return batch, len(rows) == BATCH

    def _due(self, transaction: Transaction, only: str) -> list[OutboxRow]:
        context, limits = self._context, self._context.limits
        outbox, notes = OutboxRows(transaction), MailNotes(transaction)
        noted = notes.several(BRAKE, RELEASED)
        if only or noted[BRAKE]:
            return outbox.claim_due(context.now(), BATCH, context.operator)
        since = max(context.later(-3600), noted[RELEASED])
        tried, most = outbox.tried_since(since), limits.per_match
        if tried >= most:
            self._hold_back(transaction, outbox.busy_since(since, most), most)
        if tried >= limits.per_hour:
            notes.set(BRAKE, context.now())
            text = sentence(
                "more than {most} emails in an hour: nothing is sent until 'pbem host go-on'",
                most=limits.per_hour,
            )
            Letterbox(context, transaction).notify_operator("brake", text)
            return outbox.claim_due(context.now(), BATCH, context.operator)
        allowed = limits.per_minute - outbox.tried_since(context.later(-60))
        return outbox.claim_due(context.now(), min(allowed, BATCH)) if allowed > 0 else []

    def _hold_back(self, transaction: Transaction, games: Sequence[str], most: int) -> None:
        """The emails of a match that has had too many wait a while: so one match never stops everybody's mail."""
        context = self._context
        for game in games:
            count = OutboxRows(transaction).postpone(game, context.now(), context.later(_HELD_BACK))
            if count:
                text = sentence(
                    "match {short}: more than {most} emails in an hour; {count} wait, and leave by themselves. Other"
                    " matches go on",
                    short=short_id(unb64(game, 32)),
                    most=most,
                    count=count,
                )
                Letterbox(context, transaction).notify_of_state("match-brake", text)

    def _send(self, letter: _Claimed, rest: Sequence[_Claimed]) -> bool:
        """Whether the server has taken the email; ``rest`` are those that are still claimed, this one first.

        Raises:
            TooLate: the claim has run out, and somebody else may have taken the email over.
        """
        context, row = self._context, letter.row
        raw = letter.make()
        context.steps("made")
        if not self._may() and not self._renewed(rest):
            raise TooLate(row.message_id)
        to = [row.rcpt, sender_of(context, row).witness()] if context.witness else [row.rcpt]
        try:
            self._outgoing.send(row.env_from, to, raw, row.token, self._may)
        except NotSent as fault:
            self._refused(row, fault)
            return False
        except Unknown:
            return False  # it stays marked as being sent; ``settle`` finds out
        context.steps("taken")
        return True

    def _refused(self, letter: OutboxRow, fault: NotSent) -> None:
        with self._context.database.transaction() as transaction:
            outbox = OutboxRows(transaction)
            tries = letter.tries
            if fault.final or tries > len(_PAUSES):
                outbox.fail(letter.id, str(fault))
                text = sentence("an email to {to} was not sent: {fault}", to=letter.rcpt, fault=str(fault))
                Letterbox(self._context, transaction).notify_operator("not-sent", text, letter.game)
            else:
                outbox.requeue(letter, self._context.later(_PAUSES[tries - 1]), str(fault))

    def _put_back(self, letters: Sequence[_Claimed], fault: str, seconds: int = 5) -> None:
        with self._context.database.transaction() as transaction:
            for letter in letters:
                OutboxRows(transaction).requeue(letter.row, self._context.later(seconds), fault)

    def settle(self, mailbox: Mailbox | None, folders: Sequence[str]) -> int:
        """Find out about emails whose sending was interrupted a while ago; how many there were.

        None of them is made again before its copy was looked for, in the mailbox of the address that it comes from.
        """
        context = self._context
        with context.database.transaction() as transaction:
            outbox_rows = OutboxRows(transaction).unsettled(context.later(-context.limits.witness_wait))
        letters = [
            outbox_row
            for outbox_row in outbox_rows
            if sender_of(context, outbox_row).address == base_address(context.sender.address)
        ]
        for letter in letters:
            seen = bool(context.witness and mailbox and mailbox.holds(letter.message_id, folders))
            context.steps("witness-looked-up")
            with context.database.transaction() as transaction:
                outbox = OutboxRows(transaction)
                if seen:
                    outbox.mark_sent([letter.id], context.now())
                else:
                    outbox.requeue(letter, "", "sending was interrupted")
        return len(letters)

    def reach(self) -> None:
        """See whether emails could be sent now; ``MailTrouble`` if not."""
        self._outgoing.reach()

    def close(self) -> None:
        """Hang up."""
        try:
            self._outgoing.close()
        except PbemError:
            return
