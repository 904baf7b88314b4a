"""Lists of the service for two hundred matches: chosen, sorted, paged; mail and emails that wait for a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Final

from pbem.base.errors import UsageProblem
from pbem.base.sentences import Sentence, counted, joined, sentence
from pbem.base.values import dataclass
from pbem.game import JsonObject
from pbem.host.database.lists import ORDERS, STATES, Wanted
from pbem.host.database.mail import InboxRow, InboxRows, OutboxRow, OutboxRows
from pbem.host.database.matches import Matches
from pbem.host.database.notes import MailNotes
from pbem.host.database.times import ObserverRows
from pbem.host.service.context import ServiceContext
from pbem.host.service.letters import Letterbox, NotMade
from pbem.host.service.service import Service
from pbem.player.mail.gate import peek_header, peek_sender
from pbem.player.mail.outgoing import check_address
from pbem.protocol.crypto.digest import short_id, unb64

_STATES: Final = {
    **{state: (state,) for state in STATES},
    "open": ("running", "stopped"),
    "all": STATES,
}


@dataclass(frozen=True, slots=True)
class Choice:
    """Which matches a list shows, in which order, and which page of them."""

    state: str = "all"
    player: str | None = None
    game: str | None = None
    late: bool = False
    mine: bool = False
    sort: str = "created"
    page: int = 1
    size: int = 50


def matches_page(service: Service, choice: Choice) -> JsonObject:
    """One page of matches.

    Raises:
        UsageProblem: no such state, order, or page.
    """
    _one_of("--state", choice.state, _STATES)
    _one_of("--sort", choice.sort, ORDERS)
    wanted = Wanted(
        _STATES[choice.state],
        check_address(choice.player) if choice.player else "",
        choice.game or "",
        service.context.now() if choice.late else "",
        choice.mine,
        choice.sort,
    )
    counts, letters = service.matches.counts(), service.counts()
    shorts, count = service.matches.page(wanted, (choice.page - 1) * choice.size, choice.size)
    pages = max(1, ceil(count / choice.size))
    if choice.page > pages:
        raise UsageProblem(
            sentence("there is no page {page}; the last one is {pages}", page=choice.page, pages=pages)
        )
    shown = service.matches.status(shorts)
    facts: JsonObject = {
        "matches": shown,
        "outbox": letters,
        "counts": counts,
        "found": count,
        "page": choice.page,
        "pages": pages,
    }
    if (maintenance := service.time.maintenance()) is not None:
        facts["rest"] = {"since": maintenance.since, "until": maintenance.until}
    return facts


def _one_of(option: str, value: str, allowed: Mapping[str, object]) -> None:
    if value not in allowed:
        raise UsageProblem(
            sentence(
                "{option} must be one of {allowed}; found {value!r}",
                option=option,
                allowed=", ".join(allowed),
                value=value,
            )
        )


def raw_mail(service: Service, number: int) -> bytes:
    """The bytes of the email of this number in the inbox, quarantined or not.

    Raises:
        UsageProblem: there is none of this number, or it is no longer kept.
    """
    with service.context.database.transaction() as transaction:
        inbox_row = InboxRows(transaction).find(number)
    if inbox_row is None:
        raise UsageProblem(sentence("there is no email {number}", number=number))
    if not inbox_row.raw:
        raise UsageProblem(
            sentence("email {number} is no longer kept; see [keep] in service.toml", number=number)
        )
    return inbox_row.raw


def put_aside(service: Service, *, before: int = 0) -> JsonObject:
    """Emails that were quarantined, newest first, below number ``before`` if it is one; emails held back, and why."""
    with service.context.database.transaction() as transaction:
        inbox, matches = InboxRows(transaction), Matches(transaction)
        mails = [_listed(row) for row in inbox.quarantined(before=before)]
        letters, box = [], Letterbox(service.context, transaction)
        for row in OutboxRows(transaction).held():
            match = matches.find(row.game)
            seat = matches.seats(row.game).get(row.seat) if match is not None else None
            letters.append(
                {
                    "to": row.rcpt,
                    "match": match.short if match is not None else "",
                    "subject": subject_of(box, row),
                    "created": row.created,
                    "reason": (seat.suspended if seat is not None else "") or row.state,
                }
            )
        return {"mails": mails, "letters": letters, "count": inbox.count_quarantined()}


def _listed(row: InboxRow) -> JsonObject:
    """What a list says of an email; its headers prove nothing."""
    subject = peek_header(row.raw, "Subject")[:200]
    sender = peek_sender(row.raw)
    facts = {"number": row.id, "arrived": row.arrived, "sender": sender}
    return facts | {"subject": subject, "reason": row.reason}


def subject_of(box: Letterbox, row: OutboxRow) -> str:
    """The subject of an email, which is made for that; empty if it cannot be made any more."""
    try:
        return peek_header(box.ready(row, leaves=False)(), "Subject")
    except NotMade:
        return ""


def released(service: Service, numbers: Sequence[int], letters: str | None, *, every: bool) -> Sentence:
    """Look again at emails that came, or send those that were held back; what was done, in words.

    Raises:
        UsageProblem: nothing was named, or there is no such mail.
    """
    if not (numbers or letters or every):
        raise UsageProblem(
            sentence("nothing was named"), hint=sentence("NUMBER..., --all, or --letters ADDRESS.")
        )
    sentences = []
    with service.context.database.transaction() as transaction:
        inbox = InboxRows(transaction)
        for number in numbers:
            if not inbox.again(number):
                raise UsageProblem(
                    sentence(
                        "there is no email {number} that was quarantined and is still kept", number=number
                    )
                )
        count = len(numbers) + (inbox.again_by_hand() if every else 0)
        if numbers or every:
            sentences.append(
                counted(
                    "{n} email is looked at again in the next round.",
                    "{n} emails are looked at again in the next round.",
                    count,
                )
            )
        if letters:
            address = check_address(letters)
            Matches(transaction).wake(address)
            ObserverRows(transaction).wake(address)
            left = OutboxRows(transaction).release_to(address)
            sentences.append(
                counted(
                    "{n} email to {address} leaves in the next round.",
                    "{n} emails to {address} leave in the next round.",
                    left,
                    address=address,
                )
            )
    return joined(sentences, "\n")


def notified_lately(
    fallback_alert: Mapping[str, Sequence[str]], context: ServiceContext | None = None
) -> list[JsonObject]:
    """The newest lines of the service's log, oldest first, and what was noted when its database could not be used.

    ``fallback_alert`` is what ``read_fallback_alert`` gives; without ``context`` there is nothing else.
    """
    notes = [(at, kind, "", text) for kind, (at, text) in fallback_alert.items() if at]
    if context is not None:
        with context.database.transaction() as transaction:
            notes += [
                (line.at, line.kind, short_id(unb64(line.game, 32)) if line.game else "", line.text)
                for line in MailNotes(transaction).newest()
            ]
    names = ("at", "kind", "match", "text")
    return [dict(zip(names, note, strict=True)) for note in sorted(notes)]
