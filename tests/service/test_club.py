"""A club's open seats: a forged mail causes at most one email, to a listed member; a seat is taken by its code."""

from __future__ import annotations

import re
from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem.host.config import Club
from pbem.host.database.matches import Matches
from pbem.host.letter_mail import Contacts
from pbem.host.service.club import list_open, open_matches
from pbem.host.service.service import Service
from pbem.protocol.referee import MatchPlan
from tests.service.fakes import HOST, OPERATOR, FakeClock, FakeMail, fake_service
from tests.service.people import Player, parse

ASKER = "carl@example.net"


class ClubService:
    """A service with a club."""

    def __init__(self, folder: Path, club: Club | None = None) -> None:
        self.mail, self.clock = FakeMail(), FakeClock()
        self.service: Service = fake_service(
            folder, self.mail, self.clock, club=club or Club("list", (ASKER,))
        )
        self._read = 0
        self._count = 0

    def write(self, text: str, sender: str = ASKER) -> list[tuple[str, bytes]]:
        """A mail, and the emails that follow: to whom, and their bytes."""
        mail = EmailMessage()
        self._count += 1
        mail["From"], mail["To"], mail["Subject"] = sender, HOST, "a seat"
        mail["Message-ID"] = f"<{self._count}@example.net>"
        mail.set_content(text)
        self.mail.arrive(mail.as_bytes())
        return self.work()

    def work(self) -> list[tuple[str, bytes]]:
        """A round or two; the emails that left since."""
        for _ in range(2):
            self.service.run_once()
        every = [letter for letter in self.mail.delivered if letter[0] != OPERATOR]
        fresh = every[self._read :]
        self._read = len(every)
        return fresh


def text_of(raw: bytes) -> str:
    body = parse(raw).get_body(("plain",))
    assert body is not None
    return str(body.get_content())


@pytest.fixture
def members(tmp_path: Path) -> ClubService:
    return ClubService(tmp_path)


def test_whoever_may_not_ask_hears_nothing(tmp_path: Path) -> None:
    closed = ClubService(tmp_path, Club())
    assert closed.write("JOIN\n") == []
    closed.service.close()


def test_a_member_takes_a_free_seat_of_an_open_match_by_email(members: ClubService) -> None:
    short = members.service.matches.create(
        MatchPlan("wyatt-earp", ["anna", "burt"]), bytes(16), Contacts("Club", title="round 1")
    )
    assert "JOIN" not in text_of(members.write("JOIN\n")[0][1]), "nothing is open yet"
    with members.service.context.database.transaction() as transaction:
        game = Matches(transaction).named(short)
        assert game is not None
        list_open(transaction, game.game)
    ((to, raw),) = members.write("JOIN\n")
    assert to == ASKER
    assert f"JOIN {short}" in text_of(raw)
    ((to, raw),) = members.write(f"JOIN {short} burt\n")
    assert to == ASKER
    word = re.search(r"--word ([0-9a-z]+)", text_of(raw))
    assert word is not None
    assert "already" in text_of(members.write(f"JOIN {short}\n")[0][1]), "one seat in a match for each"
    assert members.write(f"JOIN {short}\n", "mallory@example.org") == [], "who may not ask hears nothing"
    with members.service.context.database.reading() as transaction:
        (open_match,) = open_matches(members.service.context, transaction)
    assert open_match["seats"] == ["anna"]
    player = Player("burt")
    player.read(raw)
    members.mail.arrive(player.mail(player.join(word[1])))
    members.work()
    (status,) = members.service.matches.status()
    assert status["unjoined"] == ["anna"]
    members.service.close()


def test_a_seat_that_was_asked_for_and_not_taken_is_free_again_after_three_days(members: ClubService) -> None:
    short = members.service.matches.create(
        MatchPlan("wyatt-earp", ["anna", "burt"]), bytes(16), Contacts("Club", title="round 1")
    )
    with members.service.context.database.transaction() as transaction:
        game = Matches(transaction).named(short)
        assert game is not None
        list_open(transaction, game.game)
    members.write(f"JOIN {short} burt\n")
    context = members.service.context
    for hours, free in ((71, ["anna"]), (2, ["anna", "burt"])):
        members.clock.tick(hours * 3600)
        with context.database.reading() as transaction:
            assert open_matches(context, transaction)[0]["seats"] == free
    with context.database.transaction() as transaction:
        list_open(transaction, game.game, shut=True)
        assert open_matches(context, transaction) == []
    members.service.close()
