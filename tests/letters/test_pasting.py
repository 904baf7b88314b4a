"""Commands in the text of emails: whole on one line, whatever the kind, the language and the mail's encoding."""

from __future__ import annotations

import html
import re
from datetime import UTC, datetime
from email import message_from_bytes
from email.policy import default

import pytest

from pbem.base.language import CODES, language_of
from pbem.game import Seat
from pbem.player.letters.compose import invitation_letter
from pbem.player.letters.layout import alone, fill, held
from pbem.player.letters.letter import Kind, Letter
from pbem.player.mail.outgoing import MailHead, write_mail
from pbem.protocol.crypto.identity import Identity
from tests.letters.kinds import KINDS, written
from tests.letters.test_golden import LETTERS
from tests.world import World, accepted, secret

LONG = "oldest-gunfight1"
_CODE = re.compile(r"(<br>)?<code[^>]*>(.*?)</code>", re.DOTALL)


def commands(letter: Letter) -> list[tuple[str, bool]]:
    """What the HTML sets as typed, and whether it begins a line there."""
    matches = _CODE.findall(letter.html)
    return [(html.unescape(re.sub("<[^>]*>", "", text)), bool(first)) for first, text in matches]


def lines_of(letter: Letter) -> list[str]:
    """The lines of the text part as a mail program decodes them."""
    head = MailHead(
        "host@example.org", "anna@example.org", "a letter", "<1@x>", datetime(2026, 11, 23, tzinfo=UTC)
    )
    body = message_from_bytes(write_mail(head, letter.text, letter.html), policy=default).get_body(("plain",))
    assert body is not None
    assert body["Content-Type"].params.get("format") is None  # nobody is shown that lines may be joined
    text = body.get_content()
    assert isinstance(text, str)
    return text.splitlines()


def check(letter: Letter) -> int:
    """How many commands stand on lines of their own; every command stands whole on one line."""
    lines, own = lines_of(letter), 0
    for command, begins in commands(letter):
        assert any(command in line for line in lines), command
        if begins:
            assert any(line.strip() == command for line in lines), command
            own += 1
    assert all(len(line.encode()) <= 998 for line in lines)
    assert not re.search("[\x00-\x09\x0b-\x1f]", letter.text)
    return own


@pytest.mark.parametrize("code", CODES)
def test_every_command_of_every_kind_stands_whole_on_one_line(code: str) -> None:
    commands = {kind: check(maker(language_of(code))) for kind, maker in KINDS.items()}
    assert commands["your-turn"] == commands["map-turn"] == commands["ready"] == 1


@pytest.mark.parametrize("name", LETTERS)
def test_a_letter_of_each_golden_kind_breaks_no_command(name: str) -> None:
    check(LETTERS[name]())


@pytest.mark.parametrize("code", CODES)
def test_a_long_seat_takes_its_command_beyond_the_margin_and_not_into_two_lines(code: str) -> None:
    world = World("wyatt-earp", (LONG, "burt"))
    letter = invitation_letter(world.record, Seat(LONG), language_of(code), word="x6v46hr1r8")
    joins = [line.strip() for line in lines_of(letter) if "pbem join" in line]
    assert [line.endswith("--word x6v46hr1r8") for line in joins] == [True]
    assert len("   " + joins[0]) > 76
    check(letter)


@pytest.mark.parametrize("code", CODES)
def test_what_is_proposed_about_a_seat_says_how_to_undo_it_on_lines_of_their_own(code: str) -> None:
    world = World("wyatt-earp", ("anna", "burt", "curt")).start()
    accepted(world.agree(world.new_keys("anna", Identity(secret("new keys"))), "burt", "curt"))
    record = world.record
    letter = written(record, Seat("anna"), record.head.seq - 1, Kind.PROPOSED, language_of(code))
    lines = [line.strip() for line in lines_of(letter)]
    assert 'pbem turn COPY --say "I am here" -o here.json' in lines
    assert "pbem rekey COPY --seat anna --new NAME --recovery FILE" in lines


def test_prose_is_broken_around_a_command_and_never_within() -> None:
    command = "pbem turn COPY --say " + "a" * 90
    assert fill(f"Run this: {alone(command)} Then wait.") == f"Run this:\n   {command}\nThen wait.\n"
    assert fill(f"{'a' * 70} {held('pbem play')} there") == f"{'a' * 70}\npbem play there\n"
    assert fill(f"{'a' * 70} 'pbem legal COPY' lists") == f"{'a' * 70}\n'pbem legal COPY' lists\n"
    assert fill(alone("one") + "\n" + alone("two") + alone("three")) == "   one\n   two\n   three\n"
