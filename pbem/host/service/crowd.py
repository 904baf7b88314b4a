"""When more mail waits than is looked at in an hour: whose is taken first, and what is left on the mail server.

From proves nothing, so no mail is lost by it: what is over a limit stays where it is until there is space. But a file
whose signature fits an open match is taken whoever sends how many others: its bytes are looked at in memory, and only
it is kept. So a burst of strangers' emails costs a player the time that it takes to look past them.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, islice, zip_longest
from typing import Final

from pbem.base.errors import PbemError
from pbem.base.sentences import sentence
from pbem.game import Seat
from pbem.host.budgets import Budgets
from pbem.host.database.database import Transaction
from pbem.host.database.lists import DatabaseCounts
from pbem.host.database.matches import Matches
from pbem.host.service.alarms import Alarms
from pbem.host.service.context import ServiceContext
from pbem.player.mail.gate import may_hold_file
from pbem.player.mail.ports import Mailbox, Stop, WaitingMail
from pbem.player.mail.robot import base_address
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.formats.envelopes import verify_file
from pbem.protocol.formats.messages import Message
from pbem.protocol.record.ledger import Ledger
from pbem.protocol.record.takeover import awaited_seats
from pbem.protocol.record.verifier import awaited

CALM: Final = 200
"""So many new emails are taken as they come; of more than that so many at once."""
MOST_NEW: Final = 1000
"""Of more emails so many are looked at in a round; then what they bring is ruled on, and others' matches go on."""
_AT_ONCE: Final = 500
_JUMPS: Final = "30/hour"
"""Files of a seat that are taken before others' mail although nobody waits for them."""
_DOMAINS: Final = 5
"""In a crowd mail of strangers is looked at as if there were so many mail domains, whatever their number."""
_AGAIN: Final = 600.0
"""Seconds after which there may be space again for emails that were left on the mail server."""
_PAST: Final = 100
"""Emails that are looked past at once."""
_LOOKS: Final = 2.0
"""Seconds for which a round looks past emails; then the others' matches go on."""


class Crowd:
    """The emails of an inbox that one process left on the mail server, since they are over a limit.

    Each is judged once in a while, by its headers alone, and looked past once.
    """

    def __init__(self, context: ServiceContext) -> None:
        self._context = context
        self._left: set[str] = set()
        self._passed: set[str] = set()
        """Those that were looked past: they bring no file that fits a match."""
        self._behind: deque[str] = deque()
        """Those to be looked past, what came last first."""
        self._judged = context.elapsed()

    @property
    def whole(self) -> bool:
        """Whether no mail is left that may bring a file."""
        return not self._behind

    def forget(self) -> None:
        """The names of emails may mean others now."""
        self._left.clear()
        self._passed.clear()
        self._behind.clear()

    def new(self, mails: Sequence[WaitingMail]) -> Sequence[WaitingMail]:
        """Of these emails those that were not left where they are a while ago."""
        if self._left and self._context.elapsed() - self._judged > _AGAIN:
            self._left.clear()
            self._behind.clear()
            self._passed.intersection_update([mail.uid for mail in mails])
        if not self._left:
            self._judged = self._context.elapsed()
            return mails
        return [mail for mail in mails if mail.uid not in self._left]

    def sort(self, mails: Sequence[WaitingMail], unlisted: int) -> tuple[list[WaitingMail], bool]:
        """Of these new emails those to take now, in this order, and whether there are others for the next round.

        ``unlisted`` are in the inbox as well, not listed yet.
        """
        if len(mails) <= CALM and not self._left:
            return list(mails), unlisted > 0
        now, later = _sorted(self._context, mails, unlisted + len(self._left))
        self._left.update(mail.uid for mail in later)
        unseen = [mail.uid for mail in _from_both_ends(later) if mail.uid not in self._passed]
        self._behind.extendleft(reversed(unseen))
        return now, unlisted > 0 or len(now) + len(later) < len(mails)

    def look_past(self, box: Mailbox, stop: Stop) -> Iterator[dict[str, bytes]]:
        """For a moment, take signed files out of emails that stay where they are; each with its mail's name."""
        end = self._context.elapsed() + _LOOKS
        while self._behind and not stop():
            uids = list(islice(self._behind, _PAST))
            hints = {uid: raw for uid, raw in box.fetch(uids).items() if may_hold_file(raw)}
            with self._context.database.transaction() as transaction:
                look = Jumps(self._context, transaction)
                jumping = {uid: raw for uid, raw in hints.items() if look.jumps(raw)}
            if jumping:
                yield jumping
            self._passed.update(uids)
            for _ in uids:
                self._behind.popleft()
            if self._context.elapsed() > end:
                return


def _sorted(
    context: ServiceContext, waiting: Sequence[WaitingMail], unlisted: int
) -> tuple[list[WaitingMail], list[WaitingMail]]:
    """The emails to take now and those to leave: copies of our own emails, those with a seat by turns, then others.

    Where there are more to take than ``CALM``, some are in neither list: they are for the next round.
    """
    own = base_address(context.sender.address)
    now = [mail for mail in waiting if base_address(mail.sender) == own]
    others = [mail for mail in waiting if base_address(mail.sender) != own]
    later: list[WaitingMail] = []
    most = len(now) + CALM
    with context.database.transaction() as transaction:
        registered, senders = set[str](), list({mail.sender for mail in others})
        for start in range(0, len(senders), _AT_ONCE):
            registered |= Matches(transaction).registered(senders[start : start + _AT_ONCE])
        quota = _Quota(context, transaction)
        for strange in (False, True):
            mails = [mail for mail in others if (mail.sender not in registered) is strange]
            quota.ask(mails, strange=strange)
            for mail in _by_turns(mails):
                if len(now) >= most:
                    break
                (now if quota.has(mail.sender, strange=strange) else later).append(mail)
        quota.note()
        if later:
            text = sentence(
                "{count} emails wait on the mail server, more than are looked at in an hour. Players' signed files are "
                "taken out of them at once",
                count=len(later) + unlisted,
            )
            Alarms(context, transaction).notify_of_state("flood", text)
    return now, later


def _domain(sender: str) -> str:
    """What the mail of a domain is counted under."""
    return f"@{sender.rpartition('@')[2]}"


class _Quota:
    """How many more emails of a sender, of a domain and of all strangers are looked at in this hour."""

    def __init__(self, context: ServiceContext, transaction: Transaction) -> None:
        self._limits = context.limits
        self._budgets = Budgets(DatabaseCounts(transaction, context.later))
        self._left: dict[str, int] = {}
        self._strange = 0

    def ask(self, mails: Sequence[WaitingMail], *, strange: bool) -> None:
        """What there is space for, by one question for all; of a domain without space no sender is asked for."""
        senders = {mail.sender for mail in mails}
        if strange:
            self._ask({_STRANGERS}, _DOMAINS * self._limits.per_domain)
            self._ask({_domain(sender) for sender in senders}, self._limits.per_domain)
            senders = {sender for sender in senders if self._left[_domain(sender)] > 0}
        self._ask(senders, self._limits.per_sender)

    def _ask(self, names: Collection[str], most: int) -> None:
        self._left |= self._budgets.several(f"{most}/hour", "mails", names)

    def has(self, sender: str, *, strange: bool) -> bool:
        """Whether there is space for one more; it is taken."""
        names = (_STRANGERS, _domain(sender), sender) if strange else (sender,)
        if not all(self._left.get(name, 0) > 0 for name in names):
            return False
        for name in names:
            self._left[name] -= 1
        self._strange += strange
        return True

    def note(self) -> None:
        """Strangers' emails are counted as they are taken; whoever looks at one counts its sender and the domain."""
        if self._strange:
            most = _DOMAINS * self._limits.per_domain
            self._budgets.take(f"{most}/hour", "mails", _STRANGERS, cost=self._strange)


_STRANGERS: Final = "@"
"""What all strangers' mail is counted under."""


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


class Jumps:
    """Which emails bring a new file whose signature fits its seat in an open match: they wait for nothing.

    Files that nobody waits for jump so many times an hour; a move of who is to move, a link, an absence always. Within
    one transaction; what is asked for one mail is not asked again for the next one.
    """

    def __init__(self, context: ServiceContext, transaction: Transaction) -> None:
        self._context = context
        self._matches = Matches(transaction)
        self._budgets = Budgets(DatabaseCounts(transaction, context.later))
        self._ledgers: dict[str, Ledger | None] = {}
        """Of open matches; None: there is none that is called so."""
        self._left: dict[tuple[str, str], int] = {}
        """How many files of a seat jump in this hour still."""

    def jumps(self, raw: bytes) -> bool:
        """Whether this mail does."""
        if not may_hold_file(raw):
            return False
        try:
            messages = self._context.look_at(raw).intake.messages
        except PbemError:
            return False
        return any(self.fits(message) for message in messages)

    def _ledger(self, game: str) -> Ledger | None:
        if game not in self._ledgers:
            match = self._matches.find(game)
            going = match is not None and not match.over
            self._ledgers[game] = (
                self._context.records.load(self._matches, match).ledger if match and going else None
            )
        return self._ledgers[game]

    def fits(self, message: Message) -> bool:
        """Whether a file does. What costs least is asked first: most of a flood of files is over its limit."""
        game, seat = b64(message.game), Seat(message.seat)
        try:
            ledger = self._ledger(game)
            player = ledger.players.get(seat) if ledger is not None else None
            if ledger is None or player is None or message.n <= player.n:
                return False
            always = awaited(message) or seat in awaited_seats(ledger)
            if not always and not self._may(game, message.seat):
                return False
            verify_file(message.kind, message.file, unb64(message.file["sig"]["key"], 32))
            key = player.recovery if message.kind == "rekey" else player.sign
            verify_file(message.kind, message.file, key or player.sign)
        except (PbemError, KeyError, TypeError):
            return False
        if self._matches.verdict(game, b64(message.hash))[0]:
            return False
        return always or self._spent(game, message.seat)

    def _may(self, game: str, seat: str) -> bool:
        """Whether one more file of a seat may jump that nobody waits for."""
        if (game, seat) not in self._left:
            self._left[game, seat] = self._budgets.left(_JUMPS, "jump", game, seat)
        return self._left[game, seat] > 0

    def _spent(self, game: str, seat: str) -> bool:
        self._left[game, seat] -= 1
        return self._budgets.take(_JUMPS, "jump", game, seat)
