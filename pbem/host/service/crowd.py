"""When more mail waits than is looked at in an hour: whose is taken first, and what is left on the mail server.

From proves nothing, so no mail is lost by it: what is over a limit stays where it is until there is room. But a file
whose signature fits an open match is taken whoever sends how many others: its bytes are looked at in memory, and only
it is kept. So a burst of strangers' mails costs a player the time that it takes to look past them.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from itertools import chain, zip_longest
from typing import Final

from pbem.base.errors import PbemError
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.game import Seat
from pbem.host.budgets import Budgets
from pbem.host.database.database import Transaction
from pbem.host.database.lists import DatabaseCounts
from pbem.host.database.matches import Matches
from pbem.host.service.alarms import Alarms
from pbem.host.service.context import ServiceContext
from pbem.player.mail.gate import may_hold_file
from pbem.player.mail.ports import WaitingMail
from pbem.player.mail.robot import base_address
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.formats.envelopes import verify_file
from pbem.protocol.formats.messages import Message
from pbem.protocol.record.kinds import awaited
from pbem.protocol.record.waiting import awaited_seats

CALM: Final = 200
"""So many new mails are taken as they come."""
_AT_ONCE: Final = 500
_JUMPS: Final = "30/hour"
"""Files of a seat that are taken before others' mail although nobody waits for them."""


@dataclass(frozen=True, slots=True)
class Crowd:
    """The mails of a crowd: those to take now, in this order, and those to look past."""

    now: Sequence[WaitingMail]
    later: Sequence[WaitingMail]


def crowd_of(context: ServiceContext, waiting: Sequence[WaitingMail]) -> Crowd:
    """Sort a crowd: copies of our own letters, then those with a seat by turns, then others; each within its limits."""
    own = base_address(context.sender.address)
    mine = [mail for mail in waiting if base_address(mail.sender) == own]
    foreign = [mail for mail in waiting if base_address(mail.sender) != own]
    senders = list(dict.fromkeys(mail.sender for mail in foreign))
    with context.database.transaction() as transaction:
        registered = {
            sender
            for start in range(0, len(senders), _AT_ONCE)
            for sender in Matches(transaction).registered(senders[start : start + _AT_ONCE])
        }
        room = _Room(context, transaction)
        now = list(mine)
        later: list[WaitingMail] = []
        for known in (True, False):
            for mail in _by_turns(
                [waiting_mail for waiting_mail in foreign if (waiting_mail.sender in registered) is known]
            ):
                (now if room.has(mail.sender, of_domain=not known) else later).append(mail)
        if later:
            told = sentence(
                "{count} emails wait on the mail server, more than are looked at in an hour; signed files of players"
                " are taken out of them at once",
                count=len(later),
            )
            Alarms(context, transaction).tell_of_state("flood", told)
    return Crowd(now, list(_from_both_ends(later)))


class _Room:
    """How many more mails of a sender, and of a domain, are looked at in this hour."""

    def __init__(self, context: ServiceContext, transaction: Transaction) -> None:
        self._limits = context.limits
        self._budgets = Budgets(DatabaseCounts(transaction, context.later))
        self._left: dict[str, int] = {}

    def has(self, sender: str, *, of_domain: bool) -> bool:
        """Whether there is room for one more; it is taken."""
        names = {f"@{sender.rpartition('@')[2]}": self._limits.per_domain} if of_domain else {}
        names[sender] = self._limits.per_sender
        for name, most in names.items():  # of a domain without room no sender is asked for in the database
            if name not in self._left:
                self._left[name] = self._budgets.left(f"{most}/hour", "mails", name)
            if self._left[name] < 1:
                return False
        for name in names:
            self._left[name] -= 1
        return True


def _by_turns(mails: Sequence[WaitingMail]) -> Iterator[WaitingMail]:
    """One of each sender, then the second of each: nobody is behind all of somebody else's."""
    queues: dict[str, deque[WaitingMail]] = defaultdict(deque)
    for mail in mails:
        queues[mail.sender].append(mail)
    while queues:
        for sender in list(queues):
            yield queues[sender].popleft()
            if not queues[sender]:
                del queues[sender]


def _from_both_ends(mails: Sequence[WaitingMail]) -> Iterator[WaitingMail]:
    """The newest, the oldest, the second newest: what came last is not behind all that came before."""
    half = len(mails) // 2
    return (mail for mail in chain(*zip_longest(reversed(mails[half:]), mails[:half])) if mail is not None)


def jumps(context: ServiceContext, transaction: Transaction, raw: bytes) -> bool:
    """Whether a mail brings a new file whose signature fits its seat in an open match: then it waits for nothing.

    Files that nobody waits for jump so many times an hour; a move of who is to move, a link, an absence always.
    """
    if not may_hold_file(raw):
        return False
    try:
        messages = context.look_at(raw).intake.messages
    except PbemError:
        return False
    return any(_fits(context, transaction, message) for message in messages)


def _fits(context: ServiceContext, transaction: Transaction, message: Message) -> bool:
    matches, game = Matches(transaction), b64(message.game)
    match = matches.find(game)
    if match is None or match.over or matches.verdict(game, b64(message.hash))[0]:
        return False
    try:
        verify_file(message.kind, message.file, unb64(message.file["sig"]["key"], 32))
        ledger = context.records.load(matches, match).ledger
        seat = Seat(message.seat)
        player = ledger.players.get(seat)
        if player is None or message.n <= player.n:
            return False
        key = player.recovery if message.kind == "rekey" else player.sign
        verify_file(message.kind, message.file, key or player.sign)
    except (PbemError, KeyError, TypeError):
        return False
    if awaited(message) or seat in awaited_seats(ledger):
        return True
    return Budgets(DatabaseCounts(transaction, context.later)).take(_JUMPS, "jump", game, message.seat)
