"""The links by which friends take their seats: given, seen who took one, withdrawn and given again until the deal.

A link is one seat's. Its code takes the seat, again from another browser too, until the seat's first turn stands in the
record (``access_codes``); who holds it, the host first, could take the seat until then, and labels and table of
cheats say so.
"""

from __future__ import annotations

from pbem.base.errors import RefusedError, UsageProblem
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.game import Seat
from pbem.host.database.database import Transaction
from pbem.host.database.matches import BY_LINK, Matches, MatchRow
from pbem.host.database.push import ApiRows
from pbem.host.service.access_codes import AccessCodes
from pbem.host.service.context import ServiceContext
from pbem.host.service.webhooks import Webhooks
from pbem.protocol.crypto.digest import fingerprint
from pbem.protocol.record import Record
from pbem.protocol.record.kinds import KINDS


@dataclass(frozen=True, slots=True)
class SeatLink:
    """One seat of a match as its organiser sees it.

    ``url`` is the link, or what stands behind the page's address where there is no page; empty once it is spent.
    ``name`` and ``fingerprint`` are of who took the seat, at ``at``; empty while it is free.
    """

    seat: str
    address: str
    url: str
    name: str = ""
    fingerprint: str = ""
    at: str = ""


class SeatLinks:
    """What an organiser does with links, each in one transaction."""

    def __init__(self, context: ServiceContext) -> None:
        self._context = context

    def give(self, short: str, seats: list[str]) -> list[SeatLink]:
        """Invite these seats by link alone: nothing is mailed.

        Raises:
            UsageProblem: no such match or seat, or one that is taken.
        """
        with self._context.database.transaction() as transaction:
            match, record = self._match(transaction, short)
            for seat in seats:
                Matches(transaction).required_seat(match, seat)
                if Seat(seat) in record.ledger.players:
                    raise UsageProblem(sentence("seat {seat} is taken already", seat=seat))
                Matches(transaction).invite(match.game, seat, BY_LINK, "")
                ApiRows(transaction).invite(match.game, seat)
        return [seat_link for seat_link in self.all(short) if seat_link.seat in seats]

    def all(self, short: str) -> list[SeatLink]:
        """Every seat of a match, in the order of the seats."""
        with self._context.database.reading() as transaction:
            match, record = self._match(transaction, short)
            return [self._seat_link(transaction, match, record, str(seat)) for seat in record.seats]

    def renew(self, short: str, seat: str) -> SeatLink:
        """Withdraw the link of a seat and give another one; who holds the old one can do nothing with it any more.

        Somebody who has taken the seat with the old one keeps it until somebody takes it with the new one.

        Raises:
            RefusedError: the first deal was made, or the seat was never invited.
        """
        with self._context.database.transaction() as transaction:
            match, record = self._match(transaction, short)
            row = Matches(transaction).required_seat(match, seat)
            if any(line.kind == "open" for line in record.lines):
                raise RefusedError(
                    sentence("the first deal was made: seat {seat} keeps its player", seat=seat),
                    hint=sentence(
                        "A new player: pbem host invite {short} {seat}=ADDRESS --substitute",
                        short=short,
                        seat=seat,
                    ),
                )
            if not row.invited:
                Matches(transaction).invite(match.game, seat, BY_LINK, "")
            AccessCodes(self._context, transaction).renew(row)
            Webhooks(self._context, transaction).forget(record, seat)
            return self._seat_link(transaction, match, record, seat)

    def _seat_link(self, transaction: Transaction, match: MatchRow, record: Record, seat: str) -> SeatLink:
        row = Matches(transaction).seats(match.game)[seat]
        link = AccessCodes(self._context, transaction).link(row, joined=False)
        url = "" if link is None else link.url or link.fragment
        player = record.ledger.players.get(Seat(seat))
        if player is None:
            return SeatLink(seat, row.reach, url)
        at = next(
            line.at
            for line in reversed(record.lines)
            if KINDS[line.kind].newcomer and line.body["msg"]["body"]["seat"] == seat
        )
        return SeatLink(seat, row.reach, url, player.name, fingerprint(player.sign), at)

    def _match(self, transaction: Transaction, short: str) -> tuple[MatchRow, Record]:
        matches = Matches(transaction)
        match = matches.required(short)
        return match, self._context.records.load(matches, match)
