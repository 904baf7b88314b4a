"""Several processes at one mailbox, or at several: which mail is whose to read, and by when all that had come was read.

Each process that reads says so in the database, and goes on saying so. An email belongs to one of those who are there,
by its sender: so what somebody sends keeps its order. When one ends, its emails alone become others'; on one machine at
once, else after ``Limits.lease`` seconds. Nothing rests on it that two see the same readers at the same time: an email
that is kept twice is one mail.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from typing import Final

from pbem.base import system
from pbem.host.database.database import Transaction
from pbem.host.database.notes import MailNotes, ReaderRows
from pbem.host.service.context import ServiceContext
from pbem.player.mail.ports import WaitingMail
from pbem.player.mail.robot import base_address
from pbem.protocol.crypto.digest import lp, sha

_SIGNS: Final = 0.15
"""Of the time for which a process is believed to be there: so much lies between two signs of life."""
_FORGOTTEN: Final = 86_400
"""Seconds after which what is left of a process of another machine is removed."""


class Readers:
    """One process among those that read a mailbox."""

    def __init__(self, context: ServiceContext) -> None:
        self._context = context
        self._mailbox = base_address(context.sender.address)
        self._owner = f"{system.node()}/{os.getpid()}/{secrets.token_hex(4)}"
        self._present: tuple[str, ...] = ()
        """Who reads this mailbox, as this process saw it when it last asked for mail."""
        self._alone = True
        """Whether no other mailbox of this service is read."""
        self.first = False
        """Whether this process keeps the time for now."""
        self.settles = False
        """Whether it looks after the emails of its mailbox whose sending was interrupted."""
        self.changed = False
        """Whether others read than before this process looked last."""
        self._lease = context.limits.lease
        self._every = _SIGNS * self._lease
        self._sign = -1.0 * self._lease
        """When it gave a sign of life last."""

    @property
    def several(self) -> bool:
        """Whether others read as well, this mailbox or another one."""
        return len(self._present) > 1 or not self._alone

    def look(self, transaction: Transaction) -> None:
        """Say that this process reads, if it has not lately; see who else does, and who keeps the time."""
        before, self._present = self._present, self._signed(transaction)
        self.changed = self._present != before

    def renew_lease(self) -> bool:
        """In long work, say now and then that this process still reads; whether others have come or gone."""
        if not self._present or self._context.elapsed() - self._sign < self._every:
            return False
        with self._context.database.transaction() as transaction:
            return self._signed(transaction) != self._present

    def _signed(self, transaction: Transaction) -> tuple[str, ...]:
        """Give a sign of life if it is time; who is there."""
        context, rows, owners = self._context, ReaderRows(transaction, self._mailbox), []
        now, long_ago = context.now(), context.later(-_FORGOTTEN)
        signed = dict(rows.all())
        believed = context.later(self._lease - self._every)
        if context.elapsed() - self._sign >= self._every or signed.get(self._owner, "") < believed:
            signed[self._owner] = context.later(self._lease)
            rows.join(self._owner, signed[self._owner])
            self._sign = context.elapsed()
        for owner, until in sorted(signed.items()):
            if until < long_ago or is_dead(owner):
                rows.leave(owner)
            elif until >= now:
                owners.append(owner)
        self.first = self._leased(transaction, "fetch")
        self.settles = self._leased(transaction, f"settle/{self._mailbox}")
        self._alone = all(box == self._mailbox for box in ReaderRows.mailboxes(transaction))
        return tuple(owners)

    def _leased(self, transaction: Transaction, task: str) -> bool:
        """Whether a task is this process's alone; it is taken or kept if it may be."""
        context, notes = self._context, MailNotes(transaction)
        holder, until = notes.taken(task)
        if holder == self._owner and until >= context.later(self._lease - self._every):
            return True
        if is_dead(holder):
            notes.release(task, holder)
        elif holder != self._owner and until >= context.now():
            return False
        return notes.lease(task, self._owner, context.now(), context.later(self._lease))

    def step_back(self) -> None:
        """As long as this process cannot read, its emails are others'."""
        self._present, self._sign = (), -1.0 * self._lease
        with self._context.database.transaction() as transaction:
            ReaderRows(transaction, self._mailbox).leave(self._owner)

    def leave(self) -> None:
        """Read no more, and be the first no more: others take over at once."""
        self._present = ()
        with self._context.database.transaction() as transaction:
            for task in ("fetch", f"settle/{self._mailbox}"):
                MailNotes(transaction).release(task, self._owner)
            ReaderRows(transaction, self._mailbox).leave(self._owner)

    def mine(self, mail: WaitingMail) -> bool:
        """Whether an email is this process's to read. Copies of this host's own emails need no order."""
        if len(self._present) < 2:
            return True
        sender = base_address(mail.sender)
        name = mail.message_id if sender == self._mailbox else sender
        return max(self._present, key=lambda owner: sha(lp(owner, name))) == self._owner

    def have_read(self, at: str) -> None:
        """What had come by ``at`` and is this process's is kept."""
        if self.several:
            with self._context.database.transaction() as transaction:
                ReaderRows(transaction, self._mailbox).note(self._owner, f"{at} {_view(self._present)}")

    def all_read(self, at: str) -> str:
        """By when everything that had come is kept, whoever reads it, if this process has read its own by ``at``.

        Empty if that is not known: somebody has not read since others read with them, or nobody reads one of the
        mailboxes now.
        """
        if not self.several:
            return at
        times, now = [at], self._context.now()
        with self._context.database.reading() as transaction:
            for mailbox in ReaderRows.mailboxes(transaction):
                rows = ReaderRows(transaction, mailbox)
                noted, all_there = rows.noted(), tuple(owner for owner, until in rows.all() if until >= now)
                owners = self._present if mailbox == self._mailbox else all_there
                if not owners:
                    return ""
                for owner in owners:
                    when, _, view = noted.get(owner, "").partition(" ")
                    if view != _view(owners):
                        return ""
                    times.append(when)
        return min(times)


def _view(owners: Sequence[str]) -> str:
    return sha(lp(*owners)).hex()[:16]


def is_dead(owner: str) -> bool:
    """Whether this owner of a lease was a process of this machine that has ended."""
    node, _, rest = owner.partition("/")
    pid = rest.partition("/")[0]
    if node != system.node() or not pid.isdigit():
        return False
    return not system.runs(int(pid))
