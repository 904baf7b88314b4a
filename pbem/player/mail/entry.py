"""A deadline as an entry for a calendar: an iCalendar file (RFC 5545) in the shape of RFC 5546.

It is published, not requested: nobody is asked whether he comes, and no answer goes anywhere. A moved deadline is the
same UID with a higher SEQUENCE, one that holds no more is cancelled (RFC 5546 §4.1.2 and §4.1.3). The file lies beside
the letter as an attachment: as an alternative of the text, some mail programs would show it in the letter's place.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from email.headerregistry import Address
from typing import Final

from pbem.player.mail.mime import AttachedFile

NAME: Final = "deadline.ics"
LENGTH: Final = timedelta(minutes=30)
"""The entry ends when the time is up; one without a length is hardly seen in a calendar."""


def calendar_entry(
    uid: str, number: int, due: datetime, summary: str, told: str, *, holds: bool, at: datetime, by: Address
) -> AttachedFile:
    """The file for an entry that ends at ``due``; ``at`` is when this was said, ``by`` who says it.

    ``number`` must grow from one saying to the next. ``holds`` is false to take the entry away. Times are aware.
    """
    from icalendar import Calendar, Event, vCalAddress

    method = "PUBLISH" if holds else "CANCEL"
    event = Event()
    event.add("uid", uid)
    event.add("sequence", number)
    event.add("dtstamp", at)
    event.add("dtstart", due - LENGTH)
    event.add("dtend", due)
    event.add("summary", summary)
    event.add("description", told)
    event.add("status", "CONFIRMED" if holds else "CANCELLED")
    event.add("transp", "TRANSPARENT")  # whoever has a deadline is free all the same
    organizer = vCalAddress(f"mailto:{by.addr_spec}")
    if by.display_name:
        organizer.params["CN"] = by.display_name
    event["organizer"] = organizer
    calendar = Calendar()
    calendar.add("prodid", "-//pbem//deadlines//EN")
    calendar.add("version", "2.0")
    calendar.add("method", method)
    calendar.add_component(event)
    return AttachedFile(NAME, calendar.to_ical(), "calendar", "text", {"method": method, "charset": "utf-8"})
