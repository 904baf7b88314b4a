"""Several processes at one mailbox: which mail is whose to read, and by when all that had come was read.

Each process that reads says so in the database, and goes on saying so. A mail belongs to one of those who are there,
by its sender: so what somebody sends keeps its order. When one ends, its mails alone become others'; on one machine at
once, else after ``LEASE`` seconds. Nothing rests on it that two see the same readers at the same time: a mail that is
kept twice is one mail.
"""

from __future__ import annotations

import os
import secrets
from typing import Final

from pbem.base import system
from pbem.host.database.database import Transaction
from pbem.host.database.mail import MailNotes, ReaderRows
from pbem.host.service.office import Office
from pbem.player.mail.ports import WaitingMail
from pbem.player.mail.robot import base_address
from pbem.protocol.crypto.digest import lp, sha

LEASE: Final = 60
"""Seconds for which a process is believed to be there that has given no sign of life."""
_EVERY: Final = 9
"""Seconds between two such signs."""
_FORGOTTEN: Final = 86_400
"""Seconds after which what is left of a process of another machine is removed."""


class Readers:
    """One process among those that read the mailbox."""

    def __init__(self, office: Office) -> None:
        self._office = office
        self._owner = f"{system.node()}/{os.getpid()}/{secrets.token_hex(4)}"
        self._there: tuple[str, ...] = ()
        """Who reads, as this process saw it when it last asked for mail."""
        self._first = False
        self._sign = 0.0
        """When it gave a sign of life last."""

    @property
    def several(self) -> bool:
        """Whether others read as well."""
        return len(self._there) > 1

    # --- the first among them -----------------------------------------------------------------------------

    def lease(self) -> bool:
        """Whether this process is the one that keeps the time and settles letters for now."""
        with self._office.database.transaction() as transaction:
            notes = MailNotes(transaction)
            holder = notes.holder("fetch")
            if is_dead(holder):
                notes.release("fetch", holder)
            self._first = self._leased(transaction)
        return self._first

    def _leased(self, transaction: Transaction) -> bool:
        office = self._office
        return MailNotes(transaction).lease("fetch", self._owner, office.now(), office.later(LEASE))

    # --- all of them --------------------------------------------------------------------------------------

    def join(self) -> bool:
        """Say that this process reads; whether others read with it than when it said so last."""
        with self._office.database.transaction() as transaction:
            before, self._there = self._there, self._signed(transaction)
        return self._there != before

    def stay(self) -> bool:
        """In long work, say it again now and then; whether others have come or gone, which ``join`` takes note of."""
        if not self._there or self._office.elapsed() - self._sign < _EVERY:
            return False
        with self._office.database.transaction() as transaction:
            self._first = self._first and self._leased(transaction)
            return self._signed(transaction) != self._there

    def _signed(self, transaction: Transaction) -> tuple[str, ...]:
        """Give a sign of life; who is there."""
        office, rows, there = self._office, ReaderRows(transaction), []
        self._sign, now, long_ago = office.elapsed(), office.now(), office.later(-_FORGOTTEN)
        rows.join(self._owner, office.later(LEASE))
        for owner, until in rows.all():
            if until < long_ago or is_dead(owner):
                rows.leave(owner)
            elif until >= now:
                there.append(owner)
        return tuple(there)

    def step_back(self) -> None:
        """As long as this process cannot read, its mails are others'."""
        self._there = ()
        with self._office.database.transaction() as transaction:
            ReaderRows(transaction).leave(self._owner)

    def leave(self) -> None:
        """Read no more, and be the first no more: others take over at once."""
        self._there = ()
        with self._office.database.transaction() as transaction:
            MailNotes(transaction).release("fetch", self._owner)
            ReaderRows(transaction).leave(self._owner)

    def mine(self, mail: WaitingMail) -> bool:
        """Whether a mail is this process's to read. Copies of this host's own letters need no order."""
        if not self.several:
            return True
        sender = base_address(mail.sender)
        own = sender == base_address(self._office.sender.address)
        what = mail.message_id if own else sender
        return max(self._there, key=lambda owner: sha(lp(owner, what))) == self._owner

    def have_read(self, at: str) -> None:
        """What had come by ``at`` and is this process's is kept."""
        if self.several:
            with self._office.database.transaction() as transaction:
                ReaderRows(transaction).note(self._owner, f"{at} {self._view()}")

    def all_read(self, at: str) -> str:
        """By when everything that had come is kept, whoever reads it, if this process has read its own by ``at``.

        Empty if that is not known: somebody has not read since others read with him.
        """
        if not self.several:
            return at
        with self._office.database.reading() as transaction:
            noted = ReaderRows(transaction).noted()
        times = [at]
        for owner in self._there:
            when, _, view = noted.get(owner, "").partition(" ")
            if view != self._view():
                return ""
            times.append(when)
        return min(times)

    def _view(self) -> str:
        return sha(lp(*self._there)).hex()[:16]


def is_dead(owner: str) -> bool:
    """Whether this owner of a lease was a process of this machine that has ended."""
    node, _, rest = owner.partition("/")
    pid = rest.partition("/")[0]
    if node != system.node() or not pid.isdigit():
        return False
    return not system.runs(int(pid))
