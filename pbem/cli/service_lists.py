"""Lists of the service for two hundred matches: chosen, sorted, paged; mail and letters that wait for a person."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import ceil
from pathlib import Path
from typing import Final

from pbem.cli.console import answer, shown
from pbem.cli.service_run import with_service
from pbem.cli.tables import columns
from pbem.errors import UsageProblem
from pbem.game import JsonObject
from pbem.host.service.digest import aside
from pbem.host.service.service import Service
from pbem.mail.gate import peek_header
from pbem.mail.outgoing import check_address
from pbem.store.database_lists import ORDERS, STATES, Wanted
from pbem.store.database_mail import InboxRows, OutboxRows
from pbem.store.database_matches import Matches
from pbem.store.database_times import ObserverRows
from pbem.values import dataclass

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


def matches_page(service: Service, choice: Choice) -> tuple[str, JsonObject]:
    """One page of matches in words and for programs.

    Raises:
        UsageProblem: no such state, order, or page.
    """
    _one_of("--state", choice.state, _STATES)
    _one_of("--sort", choice.sort, ORDERS)
    wanted = Wanted(
        _STATES[choice.state],
        check_address(choice.player) if choice.player else "",
        choice.game or "",
        service.office.now() if choice.late else "",
        choice.mine,
        choice.sort,
    )
    counts, letters = service.matches.counts(), service.counts()
    shorts, found = service.matches.page(wanted, (choice.page - 1) * choice.size, choice.size)
    pages = max(1, ceil(found / choice.size))
    if choice.page > pages:
        raise UsageProblem(f"there is no page {choice.page}; the last one is {pages}")
    shown = service.matches.status(shorts)
    facts: JsonObject = {
        "matches": shown,
        "outbox": letters,
        "counts": counts,
        "found": found,
        "page": choice.page,
        "pages": pages,
    }
    if (rest := service.time.resting()) is not None:
        facts["rest"] = {"since": rest.since, "until": rest.until}
    return _matches_table(facts), facts


def _one_of(option: str, value: str, allowed: Mapping[str, object]) -> None:
    if value not in allowed:
        raise UsageProblem(f"{option} must be one of {', '.join(allowed)}; found {value!r}")


def _matches_table(facts: JsonObject) -> str:
    """One line for each match."""
    found = facts["matches"]
    rows = [
        (one["match"], _named(one), _phase(one), _awaited(one), one.get("due", ""), _heard(one))
        for one in found
    ]
    table = columns(rows, ("match", "game", "phase", "awaited", "until", "last mail"))
    notes = [
        f"{one['match']}: {seat['seat']} <{seat['address']}>: {why}"
        for one in found
        for seat in one["mail"]
        if (why := seat["suspended"] or ("a join waits for 'pbem host confirm'" if seat["pending"] else ""))
    ]
    counts = ", ".join(f"{number} {state}" for state, number in facts["counts"].items())
    page = f"page {facts['page']} of {facts['pages']}, {facts['found']} found; " if facts["pages"] > 1 else ""
    letters = ", ".join(f"{number} {state}" for state, number in sorted(facts["outbox"].items())) or "none"
    rest = [f"nobody's time runs until {facts['rest']['until']}"] if "rest" in facts else []
    return "\n".join([table, *notes, f"{page}matches: {counts}", f"letters: {letters}", *rest])


def _named(facts: JsonObject) -> str:
    return f"{facts['title']}: {facts['name']}" if "name" in facts else str(facts["title"])


def _phase(facts: JsonObject) -> str:
    states = {"older": "stopped: older state", "forked": "stopped: forked"}
    return states[facts["stopped"]["state"]] if "stopped" in facts else str(facts["phase"])


def _awaited(facts: JsonObject) -> str:
    names = ", ".join(facts["awaited"])
    return f"{names} since {facts['since']}" if "waiting" in facts and names else names


def _heard(facts: JsonObject) -> str:
    return max((seat["heard"] for seat in facts["mail"]), default="")


def shunted_mail(path: Path | None, number: int | None, *, before: int, as_json: bool) -> None:
    """List what was put aside, or show one mail."""
    with with_service(path) as service, service.office.database.transaction() as transaction:
        inbox, matches = InboxRows(transaction), Matches(transaction)
        if number is not None:
            found = inbox.find(number)
            if found is None:
                raise UsageProblem(f"there is no mail {number}")
            if not found.raw:
                raise UsageProblem(f"mail {number} is no longer kept; see [keep] in service.toml")
            sys.stdout.buffer.write(shown(found.raw, terminal=sys.stdout.isatty()))
            return
        mails = [asdict(aside(row)) for row in inbox.shunted(before=before)]
        letters = []
        for row in OutboxRows(transaction).held():
            match = matches.find(row.game)
            seat = matches.seats(row.game).get(row.seat) if match is not None else None
            why = (seat.suspended if seat is not None else "") or row.state
            letters.append(
                {
                    "to": row.rcpt,
                    "match": match.short if match is not None else "",
                    "subject": peek_header(row.raw, "Subject"),
                    "created": row.created,
                    "reason": why,
                }
            )
        count = inbox.count_shunted()
    lines = [
        f"{mail['number']:>6}  {mail['arrived']}  {mail['sender'] or '?'}: {mail['subject']}  ({mail['reason']})"
        for mail in mails
    ]
    if count > len(mails):
        lines.append(
            f"{count} in all; the next page: pbem host shunted --before {mails[-1]['number'] if mails else 1}"
        )
    lines += [
        f"letter  {one['created']}  to {one['to']}: {one['subject']}  ({one['reason']})" for one in letters
    ]
    answer(
        "\n".join(lines) or "Nothing.", {"mails": mails, "letters": letters, "count": count}, as_json=as_json
    )


def released(path: Path | None, numbers: Sequence[int], letters: str | None, *, every: bool) -> str:
    """Look anew at mails, or send letters that were kept back; what was done, in words.

    Raises:
        UsageProblem: nothing was named, or there is no such mail.
    """
    if not (numbers or letters or every):
        raise UsageProblem("nothing was named", hint="NUMBER..., --all, or --letters ADDRESS.")
    told = []
    with with_service(path) as service, service.office.database.transaction() as transaction:
        inbox = InboxRows(transaction)
        for number in numbers:
            if not inbox.again(number):
                raise UsageProblem(f"there is no mail {number} that was put aside and is still kept")
        count = len(numbers) + (inbox.again_by_hand() if every else 0)
        if numbers or every:
            told.append(f"{count} mails are looked at anew in the next round.")
        if letters:
            address = check_address(letters)
            Matches(transaction).wake(address)
            ObserverRows(transaction).wake(address)
            told.append(
                f"{OutboxRows(transaction).release_to(address)} letters to {address} leave in the next round."
            )
    return "\n".join(told)


def forgotten(path: Path | None, person: str, *, even_now: bool) -> tuple[str, JsonObject]:
    """Forget an address; what went, what stays and why."""
    address = check_address(person)
    with with_service(path) as service:
        done = service.forget(address, even_now=even_now)
    counts = {"mails": done.mails, **done.counts}
    gone = ", ".join(f"{count} {name}" for name, count in counts.items())
    lines = [f"Removed of {address}: {gone}; also from the mailbox's folders."]
    if done.stays:
        lines.append(
            f"In the signed records of {', '.join(done.stays)} stay the name that he gave and his address, sealed so"
            " that only the host's key opens it: every record is signed over all before it, and the others hold copies."
        )
    lines.append(
        "Letters to others that tell of his turns stay until their time is over. Not touched: backups, the mail"
        " server's own log, your own mail. Hashes of his mails stay, so that a mailbox read again does nothing twice."
    )
    return "\n".join(lines), {"address": address, "removed": counts, "stays": list(done.stays)}
