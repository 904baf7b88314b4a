"""Deadline policies, reminders and outages for commands. Imported only by bodies of commands."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.cli.desks import clock
from pbem.cli.host_desks import ruling_json, ruling_text, told
from pbem.errors import UsageProblem
from pbem.game import BadSetup, JsonObject, Seat
from pbem.host import HostDesk
from pbem.host.reminders import USUAL, ReminderNotes, read_wish
from pbem.host.zones import calendar
from pbem.record import Deadlines
from pbem.record.deadlines import DAYS, parse_time

HOURS_OF_DAY = "00:00-24:00"


def policy_from(
    numbers: tuple[int, int, int, str, int], days: str, hours_of_day: str, zone: str | None
) -> Deadlines:
    """The deadline policy of these options; a zone is needed as soon as days or hours of the day are chosen."""
    if zone is None:
        if days or hours_of_day != HOURS_OF_DAY:
            raise UsageProblem("--days and --between need --zone", hint="For example: --zone Europe/Berlin")
        return _checked(Deadlines(*numbers))
    begin, sign, end = hours_of_day.partition("-")
    if not sign:
        raise UsageProblem(f"--between expects FROM-TO like 09:00-21:00, found {hours_of_day!r}")
    listed = [day.strip().lower() for day in days.split(",") if day.strip()] or list(DAYS)
    try:
        book = calendar(listed, (begin.strip(), end.strip()), zone, parse_time(clock()))
    except BadSetup as fault:
        raise UsageProblem(str(fault)) from fault
    return _checked(Deadlines(*numbers, calendar=book))


def _checked(policy: Deadlines) -> Deadlines:
    try:
        policy.check()
    except BadSetup as fault:
        raise UsageProblem(str(fault)) from fault
    return policy


def wish(desk: HostDesk, words: Sequence[str]) -> tuple[str, JsonObject]:
    """Show everybody's reminders, or change those of the seat that is named first."""
    notes = ReminderNotes(desk.folder.host)
    with desk.at_work() as record:
        seats = record.seats
        if words:
            if words[0] not in seats:
                raise UsageProblem(f"there is no seat {words[0]!r}", hint=f"There are {', '.join(seats)}.")
            notes.write(Seat(words[0]), read_wish(words[1:]))
        wishes = notes.read()
    facts: JsonObject = {seat: list(wishes.get(seat, USUAL)) for seat in seats}
    lines = [f"{seat}: {_said(hours)}" for seat, hours in facts.items()]
    return "\n".join(lines), facts


def _said(hours: Sequence[int]) -> str:
    words = [f"{h} h before" if h > 0 else f"{-h} h after" if h < 0 else "when the time is up" for h in hours]
    return ", ".join(words) or "never reminded"


def mended(desk: HostDesk, *, clock_is_right: bool) -> tuple[str, JsonObject]:
    """Note that the host is back, and give back the time in which he was away."""
    outcome = desk.beat(clock_is_right=clock_is_right)
    told(desk)
    if outcome is None:
        return "Nobody lost time: there was no outage, or nobody was awaited in it.", {"ruling": None}
    facts = ruling_json("outage", outcome)
    return ruling_text(facts), facts


def ticked(desk: HostDesk) -> tuple[str, list[JsonObject]]:
    """Record what is due now."""
    facts = [ruling_json("due", outcome) for outcome in desk.on_time()]
    told(desk)
    return "\n".join(map(ruling_text, facts)) or "Nothing is due now.", facts
