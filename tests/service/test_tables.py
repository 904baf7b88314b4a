"""A table at a neighbour's: a forged mail causes at most one email, to a listed asker; the asker has no power."""

from __future__ import annotations

import re
from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem.base.errors import UsageProblem
from pbem.host.config import Tables
from pbem.host.database.matches import Matches
from pbem.host.letter_mail import Contacts
from pbem.host.service.club import list_open, open_matches
from pbem.host.service.service import Service
from pbem.host.service.tables import open_tables, read_table
from pbem.protocol.record.line import read_line
from pbem.protocol.referee import MatchPlan
from tests.service.fakes import HOST, OPERATOR, FakeClock, FakeMail, fake_service
from tests.service.people import Player, lines_in, parse

ASKER = "carl@example.net"
TABLE = "TABLE wyatt-earp saturday\nanna anna@players.test\nburt burt@players.test\nhours 48\n"


class Neighbour:
    """A service that deals for others."""

    def __init__(self, folder: Path, tables: Tables | None = None) -> None:
        self.mail, self.clock = FakeMail(), FakeClock()
        self.service: Service = fake_service(
            folder, self.mail, self.clock, tables=tables or Tables("list", (ASKER,))
        )
        self._read = 0
        self._count = 0

    def write(self, text: str, sender: str = ASKER) -> list[tuple[str, bytes]]:
        """A mail, and the emails that follow: to whom, and their bytes."""
        mail = EmailMessage()
        self._count += 1
        mail["From"], mail["To"], mail["Subject"] = sender, HOST, "a table"
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

    def ask(self) -> str:
        """A table is asked for; the word of the one email."""
        ((to, raw),) = self.write(TABLE)
        assert to == ASKER
        match = re.search(r"TABLE ([0-9a-z]{10})\b", text_of(raw), re.MULTILINE)
        assert match is not None, text_of(raw)
        return match[1]


def text_of(raw: bytes) -> str:
    body = parse(raw).get_body(("plain",))
    assert body is not None
    return str(body.get_content())


@pytest.fixture
def neighbour(tmp_path: Path) -> Neighbour:
    return Neighbour(tmp_path)


def test_a_table_is_made_when_its_word_comes_back(neighbour: Neighbour) -> None:
    word = neighbour.ask()
    letters = neighbour.write(f"TABLE {word}\n")
    assert sorted(to for to, _ in letters) == ["anna@players.test", "burt@players.test"]
    (line,) = lines_in(letters[0][1])
    genesis = read_line(line).body
    assert "seat" not in genesis["host"]
    assert genesis["deadlines"]["hours"] == 48
    assert "carl@example.net has asked" in text_of(letters[0][1]).replace("\n", " ")
    assert neighbour.write(f"TABLE {word}\n") == []  # a word is good once
    with neighbour.service.context.database.reading() as transaction:
        assert open_tables(transaction) == {ASKER: 1}
    neighbour.service.close()


def test_the_seats_play_and_nobody_else_has_a_part(neighbour: Neighbour) -> None:
    letters = dict(neighbour.write(f"TABLE {neighbour.ask()}\n"))
    for seat in ("anna", "burt"):
        player = Player(seat)
        raw = letters[player.address]
        player.read(raw)
        word = re.search(r"--word ([0-9a-z]+)", text_of(raw))
        assert word is not None
        neighbour.mail.arrive(player.mail(player.join(word[1])))
        neighbour.work()
    (status,) = neighbour.service.matches.status()
    assert status["unjoined"] == []
    neighbour.service.close()


def test_a_forged_mail_causes_one_letter_to_the_listed_asker_and_none_to_others(neighbour: Neighbour) -> None:
    letters = [letter for _ in range(5) for letter in neighbour.write(TABLE)]
    assert [to for to, _ in letters] == [ASKER]  # one unanswered word a day
    assert neighbour.write(TABLE, "mallory@example.org") == []
    assert neighbour.write("TABLE aaaaaaaaaa\n") == []
    assert neighbour.service.matches.status() == []
    neighbour.service.close()


def test_nobody_may_ask_unless_it_is_set(tmp_path: Path) -> None:
    closed = Neighbour(tmp_path, Tables())
    assert closed.write(TABLE) == []
    closed.service.close()


def test_no_counts_only_with_the_word_of_the_letter(neighbour: Neighbour) -> None:
    letters = dict(neighbour.write(f"TABLE {neighbour.ask()}\n"))
    word = re.search(r"\bNO ([0-9a-z]{10})\b", text_of(letters["anna@players.test"]), re.MULTILINE)
    assert word is not None
    neighbour.write(f"NO {word[1]}\n", "burt@players.test")  # another's word
    neighbour.write("NO aaaaaaaaaa\n", "anna@players.test")
    neighbour.clock.tick(90_000)
    assert len(neighbour.write(f"TABLE {neighbour.ask()}\n")) == 2  # so far everybody is asked
    neighbour.write(f"NO {word[1]}\n", "anna@players.test")
    neighbour.clock.tick(90_000)
    ((to, raw),) = neighbour.write(f"TABLE {neighbour.ask()}\n")
    assert to == ASKER
    assert "takes part in no tables" in text_of(raw).replace("\n", " ")
    neighbour.service.close()


def test_an_asker_has_a_few_tables_at_a_time(tmp_path: Path) -> None:
    neighbour = Neighbour(tmp_path, Tables("list", (ASKER,), most=1))
    assert len(neighbour.write(f"TABLE {neighbour.ask()}\n")) == 2
    neighbour.clock.tick(90_000)
    ((to, raw),) = neighbour.write(f"TABLE {neighbour.ask()}\n")
    assert (to, "1 open table here" in text_of(raw)) == (ASKER, True)
    neighbour.service.close()


@pytest.mark.parametrize(
    "words",
    [
        "TABLE wyatt-earp Come to my shop at example.org\nanna anna@players.test\n",
        "TABLE wyatt-earp saturday\nanna anna@players.test\nburt burt@players.test\nBuy my things\n",
        "TABLE chess saturday\nanna anna@players.test\nburt burt@players.test\n",
        "TABLE wyatt-earp saturday\nanna anna@players.test\n",
        "TABLE wyatt-earp saturday\nanna anna at players\nburt burt@players.test\n",
    ],
)
def test_no_free_text_and_no_table_that_cannot_be(words: str) -> None:
    with pytest.raises(UsageProblem):
        read_table(words)


def test_a_made_table_is_made_once_however_often_it_is_begun(neighbour: Neighbour) -> None:
    word = neighbour.ask()

    class Killed(BaseException):
        pass

    seen: list[str] = []

    def steps(name: str) -> None:
        seen.append(name)
        if name == "table-created" and seen.count(name) == 1:
            raise Killed

    neighbour.service.context.steps = steps
    with pytest.raises(Killed):
        neighbour.write(f"TABLE {word}\n")
    letters = neighbour.work()
    assert len(neighbour.service.matches.status()) == 1
    assert sorted(to for to, _ in letters) == ["anna@players.test", "burt@players.test"]
    neighbour.service.close()


def test_two_services_deal_for_each_other(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    neighbour = Neighbour(tmp_path / "one", Tables("list", ("host@two.test",)))
    two = Neighbour(tmp_path / "two", Tables("list", ("host@one.test",)))
    for service, asker in ((neighbour, "host@two.test"), (two, "host@one.test")):
        ((_, raw),) = service.write(TABLE, asker)
        word = re.search(r"TABLE ([0-9a-z]{10})\b", text_of(raw), re.MULTILINE)
        assert word is not None
        assert len(service.write(f"TABLE {word[1]}\n", asker)) == 2
        assert len(service.service.matches.status()) == 1
        service.service.close()


# --- a club -------------------------------------------------------------------------------------------------


def test_a_member_takes_a_free_seat_of_an_open_match_by_email(neighbour: Neighbour) -> None:
    short = neighbour.service.matches.create(
        MatchPlan("wyatt-earp", ["anna", "burt"]), bytes(16), Contacts("Club", title="round 1")
    )
    assert "JOIN" not in text_of(neighbour.write("JOIN\n")[0][1]), "nothing is open yet"
    with neighbour.service.context.database.transaction() as transaction:
        game = Matches(transaction).named(short)
        assert game is not None
        list_open(transaction, game.game)
    ((to, raw),) = neighbour.write("JOIN\n")
    assert to == ASKER
    assert f"JOIN {short}" in text_of(raw)
    ((to, raw),) = neighbour.write(f"JOIN {short} burt\n")
    assert to == ASKER
    word = re.search(r"--word ([0-9a-z]+)", text_of(raw))
    assert word is not None
    assert "already" in text_of(neighbour.write(f"JOIN {short}\n")[0][1]), "one seat in a match for each"
    assert neighbour.write(f"JOIN {short}\n", "mallory@example.org") == [], "who may not ask hears nothing"
    with neighbour.service.context.database.reading() as transaction:
        (open_match,) = open_matches(neighbour.service.context, transaction)
    assert open_match["seats"] == ["anna"]
    player = Player("burt")
    player.read(raw)
    neighbour.mail.arrive(player.mail(player.join(word[1])))
    neighbour.work()
    (status,) = neighbour.service.matches.status()
    assert status["unjoined"] == ["anna"]
    neighbour.service.close()


def test_a_seat_that_was_asked_for_and_not_taken_is_free_again_after_three_days(neighbour: Neighbour) -> None:
    short = neighbour.service.matches.create(
        MatchPlan("wyatt-earp", ["anna", "burt"]), bytes(16), Contacts("Club", title="round 1")
    )
    with neighbour.service.context.database.transaction() as transaction:
        game = Matches(transaction).named(short)
        assert game is not None
        list_open(transaction, game.game)
    neighbour.write(f"JOIN {short} burt\n")
    context = neighbour.service.context
    for hours, free in ((71, ["anna"]), (2, ["anna", "burt"])):
        neighbour.clock.tick(hours * 3600)
        with context.database.reading() as transaction:
            assert open_matches(context, transaction)[0]["seats"] == free
    with context.database.transaction() as transaction:
        list_open(transaction, game.game, shut=True)
        assert open_matches(context, transaction) == []
    neighbour.service.close()
