"""Many matches from one file, for a club: each line a title, a game, and who sits where at which address.

::

    # title         game          seats, clockwise, each with its address
    round-1-a       wyatt-earp    anna=anna@example.org burt=burt@example.org
    round-1-b       way-out-west  curt=curt@example.org dora=dora@example.org emil=emil@example.org
"""

from __future__ import annotations

from pbem.base.errors import UsageProblem
from pbem.base.sentences import joined, sentence
from pbem.base.values import dataclass
from pbem.host.arguments import checked_title, seat_addresses
from pbem.host.letter_mail import Contacts
from pbem.host.service.begin import begin
from pbem.host.service.service import Service
from pbem.player.mail.outgoing import check_address
from pbem.protocol.crypto.identity import SECRET_SIZE, Identity
from pbem.protocol.record import Deadlines
from pbem.protocol.referee import MatchPlan, create_match


@dataclass(frozen=True, slots=True)
class OfMany:
    """One match of the file."""

    title: str
    plan: MatchPlan
    addresses: dict[str, str]


def read_many(text: str, deadlines: Deadlines) -> list[OfMany]:
    """Every match of a file; nothing is made before all of them are right.

    Raises:
        UsageProblem: a line that is none; it names the line.
    """
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            rows.append(_row(words, deadlines))
        except UsageProblem as fault:
            where = sentence("line {number}", number=number)
            raise UsageProblem(joined((where, str(fault)), ": "), hint=fault.hint) from None
    if not rows:
        raise UsageProblem(sentence("there is no match in this file"))
    return rows


def _row(words: list[str], deadlines: Deadlines) -> OfMany:
    if len(words) < 3:
        raise UsageProblem(sentence("expected a title, a game and seats like anna=anna@example.org"))
    title, game, *pairs = words
    seats = {seat: check_address(address) for seat, address in seat_addresses(pairs).items()}
    plan = MatchPlan(game, list(seats), deadlines=deadlines)
    # Whether the rules allow it.
    create_match(plan, Identity(bytes(SECRET_SIZE)), bytes(16), "2026-01-01T00:00:00Z")
    return OfMany(checked_title(title), plan, seats)


def make_many(service: Service, matches: list[OfMany], lang: str) -> list[tuple[str, str]]:
    """Make them, and invite everybody; title and short name of each."""
    name, mail = service.context.sender.name, service.context.sender.address
    return [
        (match.title, begin(service, match.plan, Contacts(name, mail, match.title, lang, match.addresses)))
        for match in matches
    ]
