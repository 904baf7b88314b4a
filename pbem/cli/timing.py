"""Deadline policies, reminders and outages for commands."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pbem.base.errors import UsageProblem
from pbem.base.sentences import joined, sentence
from pbem.base.values import replace
from pbem.cli.clients import clock
from pbem.cli.host_clients import (
    AnyHostClient,
    host_client,
    is_served,
    match_folder,
    print_notices,
    served_client,
)
from pbem.cli.options import Keys
from pbem.game import BadSetup, JsonObject, Seat
from pbem.host import answers
from pbem.host import folder as folders
from pbem.host.archive import Archived, write_archive
from pbem.host.config import calendar
from pbem.host.folder_database import observers_at
from pbem.host.reminders import USUAL, read_wish, words_of_wish
from pbem.player.store import MatchFolder
from pbem.protocol.record import Deadlines
from pbem.protocol.record.deadlines import DAYS, parse_time

HOURS_OF_DAY = "00:00-24:00"


def policy_from(policy: Deadlines, days: str, hours_of_day: str, zone: str | None) -> Deadlines:
    """The policy with these days and hours; a zone is needed as soon as days or hours of the day are chosen."""
    if zone is None:
        if days or hours_of_day != HOURS_OF_DAY:
            raise UsageProblem(
                sentence("--days and --between need --zone"),
                hint=sentence("For example: --zone Europe/Berlin"),
            )
        return _checked(policy)
    begin, sign, end = hours_of_day.partition("-")
    if not sign:
        raise UsageProblem(
            sentence(
                "--between expects FROM-TO like 09:00-21:00, found {hours_of_day!r}",
                hours_of_day=hours_of_day,
            )
        )
    listed = [day.strip().lower() for day in days.split(",") if day.strip()] or list(DAYS)
    try:
        hours = calendar(listed, (begin.strip(), end.strip()), zone, parse_time(clock()))
    except BadSetup as fault:
        raise UsageProblem(str(fault)) from fault
    return _checked(replace(policy, calendar=hours))


def _checked(policy: Deadlines) -> Deadlines:
    try:
        policy.check()
    except BadSetup as fault:
        raise UsageProblem(str(fault)) from fault
    return policy


def wish(client: AnyHostClient, words: Sequence[str]) -> tuple[str, JsonObject]:
    """Show everybody's reminders, or change those of the seat that is named first."""
    seats = client.seats
    if words:
        client.wish(_seat(client, words[0]), read_wish(words[1:]))
    wishes = client.wishes()
    facts: JsonObject = {seat: list(wishes.get(seat, USUAL)) for seat in seats}
    lines = [joined((seat, words_of_wish(hours)), ": ") for seat, hours in facts.items()]
    return joined(lines, "\n"), facts


def _seat(client: AnyHostClient, word: str) -> Seat:
    if word not in client.seats:
        raise UsageProblem(
            sentence("there is no seat {seat!r}", seat=word),
            hint=sentence("There are {seats}.", seats=", ".join(client.seats)),
        )
    return Seat(word)


def discreet(client: AnyHostClient, words: Sequence[str]) -> tuple[str, JsonObject]:
    """Whether subjects show each seat results, after a change for the seat that is named first."""
    seats = client.seats
    if words:
        seat = _seat(client, words[0])
        if tuple(words[1:]) not in (("hide",), ("show",)):
            raise UsageProblem(
                sentence("after the seat comes hide or show, not {words!r}", words=" ".join(words[1:]))
            )
        client.show_results(seat, shown=words[1] == "show")
    quiet = client.discreet()
    lines = [
        joined(
            (
                seat,
                sentence("no subject tells a result") if seat in quiet else sentence("subjects tell results"),
            ),
            ": ",
        )
        for seat in seats
    ]
    return joined(lines, "\n"), {seat: seat not in quiet for seat in seats}


def outage_repaired(client: AnyHostClient, *, clock_is_right: bool) -> tuple[str, JsonObject]:
    """Note that the host is back, and give back the time in which it was away."""
    outcome = client.beat(clock_is_right=clock_is_right)
    print_notices(client)
    if outcome is None:
        return sentence("Nobody lost time: there was no outage, or the host was waiting for nobody then."), {
            "ruling": None
        }
    facts = answers.ruling_facts(sentence("outage"), outcome)
    return answers.ruling_words(facts), facts


def ticked(client: AnyHostClient) -> tuple[str, list[JsonObject]]:
    """Record what is due now."""
    facts = [answers.ruling_facts(sentence("due"), outcome) for outcome in client.on_time()]
    print_notices(client)
    return joined(map(answers.ruling_words, facts), "\n") if facts else sentence("Nothing is due now."), facts


def watched(path: Path, addresses: Sequence[str], keys: Keys, *, remove: bool) -> list[str]:
    """Change who reads along in a match, and say who does; looking at a folder needs no identity."""
    if not (addresses or is_served(path)):
        return list(observers_at(match_folder(path)))
    client = host_client(path, keys)
    for address in addresses:
        client.observe(address, remove=remove)
    return list(client.observers())


def archived_match(path: Path, output: Path | None) -> tuple[str, JsonObject]:
    """Write the archive of a match, from its folder or from the service; what was written."""
    facts = answers.archived_facts(_archive(path, output))
    return answers.archived_words(facts), facts


def _archive(path: Path, output: Path | None) -> Archived:
    if is_served(path):
        client = served_client(path)
        archive = write_archive(client.contents(), output or Path(f"{path}.tar.gz"))
        client.close()
        return archive
    folder = MatchFolder(match_folder(path))
    place = folder.path.resolve()
    return folders.archive(folder, output or place.parent / f"{place.name}.tar.gz")
