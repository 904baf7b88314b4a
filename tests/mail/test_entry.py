"""A deadline in a calendar: two libraries that never saw ours written read the same out of it, and it stays small."""

from __future__ import annotations

import email
import email.policy
from dataclasses import replace
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage

import pytest
import vobject
from icalendar import Calendar

from pbem.host.letter_mail import to_eml
from pbem.player.letters.letter import Deadline
from pbem.player.mail import content_of
from pbem.player.mail.outgoing import AttachedFile, MailHead, calendar_entry
from tests.letters.test_golden import LETTERS

AT = datetime(2026, 11, 21, 18, 0, tzinfo=UTC)
DUE = datetime(2026, 11, 24, 18, 0, tzinfo=UTC)
HOST = Address("Hanna, Müller; & Söhne", addr_spec="games@example.org")
LONG = "Samstag, 20 Uhr; „Räuber\\Gendarm“: du bist dran, bis Dienstag 19:00 " + "ä" * 60


def entry(number: int = 7, *, holds: bool = True) -> AttachedFile:
    return calendar_entry("anna.7q3kdw1x@d", number, DUE, LONG, "Told.\n", holds=holds, at=AT, by=HOST)


def test_two_readers_read_what_was_written() -> None:
    raw = entry().data
    (event,) = Calendar.from_ical(raw).walk("VEVENT")
    assert (str(event["UID"]), event.decoded("SEQUENCE"), str(event["SUMMARY"])) == (
        "anna.7q3kdw1x@d",
        7,
        LONG,
    )
    assert (event.decoded("DTEND"), event.decoded("DTSTAMP"), str(event["STATUS"])) == (DUE, AT, "CONFIRMED")
    other = vobject.readOne(raw.decode())
    assert other.method.value == "PUBLISH"
    assert (other.vevent.summary.value, other.vevent.dtend.value) == (LONG, DUE)
    assert (other.vevent.organizer.value, other.vevent.organizer.params["CN"]) == (
        "mailto:games@example.org",
        [HOST.display_name],
    )
    assert all(len(line) <= 75 for line in raw.split(b"\r\n"))


def test_it_is_taken_away_under_the_same_uid_with_a_higher_number() -> None:
    added, gone = (vobject.readOne(written.data.decode()) for written in (entry(7), entry(9, holds=False)))
    assert added.vevent.uid.value == gone.vevent.uid.value
    assert int(gone.vevent.sequence.value) > int(added.vevent.sequence.value)
    assert (gone.method.value, gone.vevent.status.value) == ("CANCEL", "CANCELLED")


@pytest.mark.parametrize("holds", [True, False])
def test_a_letter_with_it_is_a_letter_still_and_hardly_longer(holds: bool) -> None:
    deadline = Deadline("anna.7q3kdw1x@d", 7, "2026-11-24T18:00:00Z", LONG, "Told.", holds=holds)
    letter = replace(LETTERS["earp_turn_end"](), deadline=None)
    head = MailHead(HOST, "anna@example.org", "", "<g7.t3@pbem.example>", AT)
    plain, raw = to_eml(letter, head), to_eml(replace(letter, deadline=deadline), head)
    assert len(raw) - len(plain) < 2000
    assert content_of(raw) == content_of(plain), "who takes a letter in, takes in the same"
    message = email.message_from_bytes(raw, policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    parts = {part.get_content_type(): part for part in message.iter_attachments()}
    part = parts["text/calendar"]
    method = part["Content-Type"].params["method"]
    assert (part.get_filename(), part.get_content_disposition()) == ("deadline.ics", "attachment")
    assert (method, part["Content-Type"].params["charset"]) == ("PUBLISH" if holds else "CANCEL", "utf-8")
    assert vobject.readOne(part.get_payload(decode=True).decode()).method.value == method  # type: ignore[union-attr]
