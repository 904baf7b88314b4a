"""The next match of the same people: what was agreed on stays, seats and first place turn by one."""

from __future__ import annotations

from dataclasses import replace

from pbem.base.errors import RefusedError
from pbem.base.sentences import sentence
from pbem.game import Json, JsonObject
from pbem.host.letter_mail import Contacts, contact_of
from pbem.player.letters.letter import tag_of
from pbem.player.lookback.season import with_match
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.record import Deadlines, Record
from pbem.protocol.referee import MatchPlan


def plan_again(record: Record) -> MatchPlan:
    """The plan of the match after ``record``: the second seat is the first now.

    Who stands for a place in the setup (the dealer) hands it on to the next seat.

    Raises:
        RefusedError: the match is not over.
    """
    if not record.over:
        raise RefusedError(
            sentence("this match is not over yet"),
            hint=sentence("'pbem host status' says what it waits for; 'pbem host end' ends it."),
        )
    genesis, seats = record.genesis, list(map(str, record.seats))
    turned = [*seats[1:], seats[0]]
    after: dict[Json, Json] = dict(zip(seats, turned, strict=True))
    setup: JsonObject = {
        key: after.get(value, value) if isinstance(value, str) else value
        for key, value in genesis["setup"].items()
    }
    return MatchPlan(
        genesis["rules"]["id"],
        turned,
        "default",
        genesis["options"],
        setup,
        Deadlines.from_json(genesis["deadlines"], bulk=True),
        genesis["draw"]["reveal"],
        genesis["consent"],
        plays=record.ledger.host_seat,
    )


def contacts_again(record: Record, contacts: Contacts, host: Identity, title: str | None) -> Contacts:
    """The contacts of the match after ``record``: its title unless there is another, addresses of now, the season."""
    own = {str(seat): mail for seat in record.seats if (mail := contact_of(record, host, seat))}
    langs = {
        str(seat): tag_of(record, seat, record.head.seq)
        for seat in record.seats
        if seat in record.ledger.players
    }
    return replace(
        contacts,
        title=contacts.title if title is None else title,
        seats={**contacts.seats, **own},
        langs={**contacts.langs, **langs},
        season=with_match(contacts.season, record),
    )
