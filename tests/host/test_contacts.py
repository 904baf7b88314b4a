"""A match of a folder: whom its emails name and where they go."""

from __future__ import annotations

import email
import email.policy
from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem.base.errors import UsageProblem
from pbem.base.resources import INSTALL
from pbem.host import FolderHost
from pbem.host.arguments import checked_contacts
from pbem.host.letter_mail import Contacts
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.record import Deadlines
from pbem.protocol.record.deadlines import Calendar
from pbem.protocol.referee import MatchPlan
from tests.host.test_client import NOW
from tests.world import secret

SEATS = ("anna", "burt")
CONTACTS = checked_contacts("Hanna", "hanna@example.org", "Saturday", "en", ["anna=Anna@Example.org"], SEATS)
BERLIN = Calendar.from_json({
    "days": ["mon", "tue"], "from": "09:00", "to": "21:00", "zone": "Europe/Berlin",
    "offsets": [{"since": "2020-01-01T00:00:00Z", "minutes": 60}],
})  # fmt: skip


def created(folder: Path, contacts: Contacts | None) -> FolderHost:
    plan = MatchPlan("way-out-west", [*SEATS, "curt"], deadlines=Deadlines(hours=48, calendar=BERLIN))
    return FolderHost.create(
        folder, Identity(secret("host")), plan, lambda: NOW, lambda size: secret("n")[:size], contacts
    )


def letters(client: FolderHost) -> dict[str, EmailMessage]:
    box = client.folder.outbox
    raws = {name.split("-")[1]: box.read(name) for name in box.letters()}
    return {seat: email.message_from_bytes(raw, policy=email.policy.default) for seat, raw in raws.items()}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> FolderHost:
    return created(tmp_path_factory.mktemp("circle") / "m", CONTACTS)


def test_letters_go_from_the_host_to_the_players_and_answers_go_to_him(client: FolderHost) -> None:
    anna, burt = (letters(client)[seat] for seat in SEATS)
    assert anna["From"] == "Hanna <hanna@example.org>"
    assert (anna["To"], anna["Reply-To"]) == ("anna@example.org", "hanna@example.org")
    assert burt["To"] == "burt@pbem.invalid"  # nobody has said where Burt is


def test_an_invitation_says_who_invites_to_what_when_and_what_to_paste(client: FolderHost) -> None:
    message = letters(client)["anna"]
    for kind in ("plain", "html"):
        part = message.get_body((kind,))
        assert part is not None
        said = " ".join(part.get_content().replace("&lt;", "<").replace("&gt;", ">").split())
        for text in (
            *INSTALL, "Hanna <hanna@example.org>", "Saturday", "Way Out West", "Mon, Tue, from 09:00 to 21:00",
            "Europe/Berlin", "48 hours", "nobody yet", "pbem id new Anna", "--seat anna",
        ):  # fmt: skip
            assert text in said, (kind, text)
    text_part = message.get_body(("plain",))
    assert text_part is not None
    attached = next(message.iter_attachments()).get_filename()
    assert f"\n   pbem join {attached} --seat anna\n" in text_part.get_content().replace("\r\n", "\n")


def test_letters_that_were_lost_are_written_again_to_the_byte(client: FolderHost, tmp_path: Path) -> None:
    before = {name: client.folder.outbox.read(name) for name in client.folder.outbox.letters()}
    for name in before:
        client.folder.outbox.path(name).unlink()
    FolderHost(client.folder.path, Identity(secret("host")), lambda: NOW).status()
    assert {name: client.folder.outbox.read(name) for name in client.folder.outbox.letters()} == before


def test_a_folder_without_contacts_still_has_its_letters(tmp_path: Path) -> None:
    plain = letters(created(tmp_path / "m", None))["anna"]
    assert (plain["From"], plain["Reply-To"]) == ("pbem host <host@pbem.invalid>", None)


@pytest.mark.parametrize(
    ("mail", "title", "pairs", "said"),
    [
        ("anna", "t", [], "'anna' is not an email address"),
        (None, "t", ["anna=burt"], "'burt' is not an email address"),
        (None, "t", ["carl=carl@example.org"], "expected SEAT=ADDRESS with a seat of anna, burt"),
        (None, "t", ["anna@example.org"], "expected SEAT=ADDRESS"),
        (None, "two\nlines", [], "a title is one line"),
    ],
)
def test_what_is_no_address_or_title_is_refused(
    mail: str | None, title: str, pairs: list[str], said: str
) -> None:
    with pytest.raises(UsageProblem, match=said):
        checked_contacts("Hanna", mail, title, "en", pairs, SEATS)
