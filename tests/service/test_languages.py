"""What the service answers is in the language of whom it answers; whoever it does not know is answered in English."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pbem.base.language import ENGLISH, Language, language_of
from pbem.game import JsonObject
from pbem.protocol.client import compose_join
from tests.service.people import Player, parse
from tests.service.table import Table

ABOUT = "This is a program that runs matches of Wyatt Earp and Way Out West by email."


def join(player: Player, word: str, lang: str) -> JsonObject:
    """A join that asks for emails in a language."""
    return compose_join(
        player.record,
        player.identity,
        player.seat,
        name=player.seat.title(),
        lang=lang,
        mail=player.address,
        word=word,
    )


def said(table: Table, seat: str) -> tuple[str, str]:
    """Subject and text of the newest mail to a seat, each on one line."""
    newest = parse(table.mail.letters(table.players[seat].address)[-1])
    body = newest.get_body(("plain",))
    assert body is not None
    return str(newest["Subject"]), re.sub(r"[ \r\n]+", " ", body.get_content())


def holds(text: str, message: str, language: Language) -> bool:
    """Whether the text says this message in this language."""
    return language.gettext(message) in text


@pytest.mark.parametrize("code", ["fr", "it", "de"])
def test_a_seat_is_answered_in_the_language_of_its_join(tmp_path: Path, code: str) -> None:
    table, language = Table(tmp_path).invite(), language_of(code)
    anna, burt = table.players.values()
    table.send(anna.mail(join(anna, table.words["anna"], f"{code}-CH")))
    table.send(burt.mail(join(burt, table.words["burt"], "en")))
    for player, spoken in ((anna, language), (burt, ENGLISH)):
        table.send(player.write("HELP\n"))
        subject, text = said(table, player.seat)
        assert subject == spoken.gettext("help").capitalize()
        assert holds(text, ABOUT, spoken)
        table.send(player.write("REMIND never\n"))
        subject, text = said(table, player.seat)
        assert subject == spoken.gettext("reminders").capitalize()
        assert holds(text, "never reminded", spoken)
        table.send(player.write("REMIND often\n"))
        assert holds(said(table, player.seat)[1], "A number below 0 means after it.", spoken)
    assert language.gettext(ABOUT) != ABOUT


def test_the_word_behind_a_subject_is_in_the_seats_language(tmp_path: Path) -> None:
    table, german = Table(tmp_path).invite(), language_of("de")
    anna, burt = table.players.values()
    table.send(anna.mail(join(anna, table.words["anna"], "de")))
    assert said(table, "anna")[0].startswith(german.gettext("You have joined") + " (Wyatt Earp)")
    table.send(burt.mail(join(burt, table.words["burt"], "nl")))
    assert said(table, "burt")[0].startswith("Press Ready, by ")
    assert said(table, "anna")[0].startswith(german.gettext("Press Ready"))


def test_who_has_not_joined_is_answered_in_english(tmp_path: Path) -> None:
    table = Table(tmp_path).invite()
    table.send(table.players["anna"].write("HELP\n"))
    subject, text = said(table, "anna")
    assert subject == "Help"
    assert ABOUT in text
