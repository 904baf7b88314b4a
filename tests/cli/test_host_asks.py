"""What ``pbem host`` asks: a wrong answer is asked again, and nobody is given a link that opens nothing."""

from __future__ import annotations

import time
from collections import deque
from pathlib import Path
from typing import Any

import pytest
import typer

from pbem.base.errors import UsageProblem
from pbem.base.language import ENGLISH, language_of
from pbem.base.values import dataclass
from pbem.cli.first_start import Asking
from pbem.cli.host_here import Wishes, first_start
from pbem.cli.host_watch import Invitee, WantedMatch, Watch, ask_addresses, read_people
from pbem.web.build import HASHES


@dataclass(frozen=True, slots=True)
class Answers(Asking):
    """A person who has these answers, and leaves when there are no more."""

    left: deque[str]
    asked: list[str]

    def text(self, question: str, default: str = "") -> str:
        return self._next(question) or default

    def secret(self, question: str) -> str:
        return self._next(question)

    def yes(self, question: str, *, default: bool = True) -> bool:
        answer = self._next(question)
        return answer == "y" if answer else default

    def _next(self, question: str) -> str:
        self.asked.append(question)
        if not self.left:
            raise typer.Abort
        return self.left.popleft()


def answers(*given: str) -> Answers:
    return Answers(language_of("en"), deque(given), [])


@pytest.fixture
def page(tmp_path: Path) -> Path:
    place = tmp_path / "page"
    place.mkdir()
    (place / HASHES).write_text("{}")
    return place


def test_a_wrong_answer_is_asked_again_and_what_was_understood_is_shown(
    tmp_path: Path, page: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "friends"
    (tmp_path / "full" / "pbem-friends").mkdir(parents=True)
    (tmp_path / "full" / "pbem-friends" / "service.toml").write_text("")
    ask = answers(
        *("", "Anna"),
        *("3", "1"),
        *("", "Burt, Burt", "Anna", "y"),
        *("Burt, Curt C <curt@example.org>", "y"),
        "1",
        *("", "http://anna.example.org", "anna.example.org"),
        *(str(folder), str(tmp_path / "full"), str(tmp_path / "stick")),
        *("six", "seven", "six horses", "six horses"),
    )
    setup = first_start(folder, ask, Wishes(page=page))
    assert not ask.left
    assert setup.wanted == WantedMatch(
        "wyatt-earp", (Invitee("anna"), Invitee("burt"), Invitee("curt-c", "curt@example.org")), "anna"
    )
    assert (setup.config.api.url, setup.config.api.page) == ("https://anna.example.org", str(page))
    assert setup.config.backup == str(tmp_path / "stick" / "pbem-friends")
    captured = capsys.readouterr()
    assert "Wyatt Earp, seats anna, burt, curt-c <curt@example.org>." in captured.out
    assert "The seat anna is yours. All are told that you host and play." in captured.out
    for fault in (
        "expected a name",
        "type a number from 1 to 2",
        "nobody was named",
        "two are called Burt",
        "two are called Anna",
        "without emails friends need an address",
        "'http://anna.example.org' is not an address like https://anna.example.org",
        "is in this folder",
        "is there already",
        "the two passphrases differ",
    ):
        assert fault in captured.err, fault


def test_nothing_is_written_by_who_leaves_before_the_last_answer(tmp_path: Path, page: Path) -> None:
    folder = tmp_path / "friends"
    with pytest.raises(typer.Abort):
        first_start(folder, answers("Anna", "1", "Burt", "n", "1", "anna.example.org"), Wishes(page=page))
    assert not folder.exists()


def test_a_page_that_is_none_is_refused_before_the_first_question(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="is not a built web app"):
        first_start(tmp_path / "friends", answers(), Wishes(page=tmp_path / "nowhere"))


def test_without_a_link_every_seat_needs_an_address_that_is_not_the_hosts(
    capsys: pytest.CaptureFixture[str],
) -> None:
    wanted = WantedMatch("wyatt-earp", (Invitee("anna"), *read_people("Burt burt@example.org")), "anna")
    ask = answers("anna", "games@example.org", "anna@example.org")
    addresses = ask_addresses(ask, wanted, "games@example.org")
    assert [person.address for person in addresses.people] == ["anna@example.org", "burt@example.org"]
    assert "games@example.org is where the host's emails arrive" in capsys.readouterr().err


def test_times_on_the_hosts_screen_are_of_the_hosts_zone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    beside: Any = None  # nothing runs beside it
    monkeypatch.setenv("TZ", "Asia/Kathmandu")
    time.tzset()
    try:
        for language in (ENGLISH, language_of("de")):
            Watch(beside, language)._say("2026-11-23T18:00:00Z")
    finally:
        monkeypatch.undo()
        time.tzset()
    assert capsys.readouterr().out == "Mon 23 Nov 23:45\nMo., 23. Nov. 23:45\n"
