"""Letters leave: each exactly once, as far as a mail server lets anybody know.

A letter is marked as being sent before the server hears of it, and as sent afterwards. What was interrupted in between
is looked up: every letter also went to the service's own mailbox, in the same transaction (the **witness copy**);
if that is there, the letter left. So with witness copies a few letters are marked together. Without them each is marked
as soon as it left, and a letter may still arrive twice, under one Message-ID.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pbem.base.errors import PbemError
from pbem.base.sentences import sentence
from pbem.host.database.database import Transaction
from pbem.host.database.mail import MailNotes, OutboxRow, OutboxRows
from pbem.host.service.letters import Letterbox
from pbem.host.service.meter import known
from pbem.host.service.office import Office
from pbem.player.mail.ports import Mailbox, MailTrouble, NotSent, Outgoing, Stop, Unknown, never
from pbem.protocol.crypto.digest import short_id, unb64

BATCH: Final = 10
_PAUSES: Final = (60, 300, 1800, 7200) + (14_400,) * 17
"""Seconds between tries: 1 minute, 5, 30, 2 hours, then every 4 hours; three days in all, as mail servers do."""
_HELD_BACK: Final = 900
"""Seconds that the letters of a match wait that has had too many."""
BRAKE: Final = "brake"
RELEASED: Final = "brake-released"


def _facts(letter: OutboxRow) -> dict[str, object]:
    return known(letter=letter.id, message_id=letter.message_id, game=letter.game, seat=letter.seat)


class Postman:
    """Sends what is queued."""

    def __init__(self, office: Office, outgoing: Outgoing) -> None:
        self._office = office
        self._outgoing = outgoing

    def flush(self, stop: Stop = never, only: str = "") -> int:
        """Send what is due (to ``only``, if it is named), until ``stop`` says so; how many letters left.

        Raises:
            MailTrouble: the server cannot be reached; what was not sent stays queued.
        """
        left = 0
        while not stop() and (batch := self._claim(only)):
            taken: list[OutboxRow] = []
            try:
                for index, letter in enumerate(batch):
                    if stop():
                        self._put_back(batch[index:], "", 0)
                        break
                    try:
                        taken += [letter] if self._send(letter) else []
                    except MailTrouble as fault:
                        self._put_back(batch[index:], str(fault))
                        raise
                    if not self._office.witness:
                        left += self._mark(taken)
            finally:
                left += self._mark(taken)
        return left

    def _mark(self, taken: list[OutboxRow]) -> int:
        """These letters left; how many. The list is empty afterwards."""
        count = len(taken)
        if count:
            with self._office.database.transaction() as transaction:
                for letter in taken:
                    OutboxRows(transaction).mark_sent(letter.id, self._office.now())
                self._office.steps("marking-sent")
            for letter in taken:
                self._office.meter.event("sent", **_facts(letter))
            taken.clear()
            self._office.steps("sent")
        return count

    def _claim(self, only: str) -> list[OutboxRow]:
        """The next letters, unless a limit holds them back."""
        office, limits = self._office, self._office.limits
        with office.database.transaction() as transaction:
            outbox, notes = OutboxRows(transaction), MailNotes(transaction)
            if only or notes.get(BRAKE):
                return outbox.claim_due(office.now(), BATCH, office.operator)
            since = max(office.later(-3600), notes.get(RELEASED))
            tried, most = outbox.tried_since(since), limits.per_match
            if tried >= most:
                self._hold_back(transaction, outbox.busy_since(since, most), most)
            if tried >= limits.per_hour:
                notes.set(BRAKE, office.now())
                told = sentence(
                    "more than {most} letters in an hour: nothing is sent until 'pbem host go-on'",
                    most=limits.per_hour,
                )
                Letterbox(office, transaction).tell_operator("brake", told)
                return outbox.claim_due(office.now(), BATCH, office.operator)
            room = limits.per_minute - outbox.tried_since(office.later(-60))
            batch = outbox.claim_due(office.now(), min(room, BATCH)) if room > 0 else []
            office.steps("marking")
        if batch:
            office.steps("marked")
        return batch

    def _hold_back(self, transaction: Transaction, games: Sequence[str], most: int) -> None:
        """The letters of a match that has had too many wait a while: so one match never stops everybody's mail."""
        office = self._office
        for game in games:
            count = OutboxRows(transaction).postpone(game, office.now(), office.later(_HELD_BACK))
            if count:
                told = sentence(
                    "match {short}: more than {most} letters in an hour; {count} wait, and leave by themselves. Other"
                    " matches go on",
                    short=short_id(unb64(game, 32)),
                    most=most,
                    count=count,
                )
                Letterbox(office, transaction).tell_of_state("match-brake", told)

    def _send(self, letter: OutboxRow) -> bool:
        """Whether the server has taken the letter."""
        office = self._office
        to = [letter.rcpt, office.sender.witness()] if office.witness else [letter.rcpt]
        try:
            self._outgoing.send(letter.env_from, to, letter.raw, letter.token)
        except NotSent as fault:
            self._refused(letter, fault)
            return False
        except Unknown:
            return False  # it stays marked as being sent; ``settle`` finds out
        office.steps("taken")
        return True

    def _refused(self, letter: OutboxRow, fault: NotSent) -> None:
        with self._office.database.transaction() as transaction:
            outbox = OutboxRows(transaction)
            tries = letter.tries
            if fault.final or tries > len(_PAUSES):
                outbox.fail(letter.id, str(fault))
                told = sentence("a letter to {to} was not sent: {fault}", to=letter.rcpt, fault=str(fault))
                Letterbox(self._office, transaction).tell_operator("not-sent", told, letter.game)
            else:
                outbox.requeue(letter, self._office.later(_PAUSES[tries - 1]), str(fault))
        self._office.meter.event("not-sent", **_facts(letter), text=str(fault))

    def _put_back(self, letters: Sequence[OutboxRow], fault: str, seconds: int = 5) -> None:
        with self._office.database.transaction() as transaction:
            for letter in letters:
                OutboxRows(transaction).requeue(letter, self._office.later(seconds), fault)

    # --- after an interruption --------------------------------------------------------------------------------

    def settle(self, mailbox: Mailbox | None, folders: Sequence[str]) -> int:
        """Find out about letters whose sending was interrupted a while ago; how many there were."""
        office = self._office
        with office.database.transaction() as transaction:
            letters = OutboxRows(transaction).unsettled(office.later(-office.limits.witness_wait))
        for letter in letters:
            seen = bool(office.witness and mailbox and mailbox.holds(letter.message_id, folders))
            office.steps("witness-looked-up")
            with office.database.transaction() as transaction:
                outbox = OutboxRows(transaction)
                if seen:
                    outbox.mark_sent(letter.id, office.now())
                else:
                    outbox.requeue(letter, "", "sending was interrupted")
        return len(letters)

    def reach(self) -> None:
        """See whether letters could be sent now; ``MailTrouble`` if not."""
        self._outgoing.reach()

    def close(self) -> None:
        """Hang up."""
        try:
            self._outgoing.close()
        except PbemError:
            return
