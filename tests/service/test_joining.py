"""Who may take a seat: the invite code, or the invited address and the host's yes."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.base.errors import UsageProblem
from pbem.protocol.formats.envelopes import open_contact
from pbem.protocol.record import Record
from tests.service.fakes import OPERATOR
from tests.service.people import Player
from tests.service.table import Table


def joined(table: Table) -> set[str]:
    return {str(seat) for seat in Record.load(table.lines).ledger.players}


def test_a_join_with_the_word_takes_the_seat_from_any_address(tmp_path: Path) -> None:
    table = Table(tmp_path).invite()
    anna = table.players["anna"]
    table.send(anna.mail(anna.join(table.words["anna"]), sender="anna@work.example"))
    assert joined(table) == {"anna"}
    assert table.subjects("anna")[-1].startswith("You have joined")


def test_a_join_without_the_word_from_elsewhere_is_put_aside_and_not_answered(tmp_path: Path) -> None:
    table = Table(tmp_path).invite()
    anna = table.players["anna"]
    sent = len(table.mail.delivered)
    table.send(anna.mail(anna.join(None), sender="mallory@example.org"))
    table.send(anna.mail(anna.join("wrongword0"), sender="mallory@example.org"))
    assert joined(table) == set()
    assert len(table.quarantined()) == 2
    assert [to for to, _ in table.mail.delivered[sent:]] == [OPERATOR]


def test_a_join_from_the_invited_address_waits_for_the_host(tmp_path: Path) -> None:
    table = Table(tmp_path).invite()
    anna = table.players["anna"]
    table.send(anna.mail(anna.join(None)))
    assert joined(table) == set()
    assert "waits for the host" in table.subjects("anna")[-1]
    assert table.notes("confirm")
    table.service.matches.confirm(table.short, "anna", "1")
    table.pump()
    assert joined(table) == {"anna"}
    assert table.subjects("anna")[-1].startswith("You have joined")
    with pytest.raises(UsageProblem):
        table.service.matches.confirm(table.short, "anna", "1")


def test_a_seat_is_taken_once_and_the_word_is_good_for_one_join(tmp_path: Path) -> None:
    table = Table(tmp_path).invite()
    anna = table.players["anna"]
    table.send(anna.mail(anna.join(table.words["anna"])))
    other = Player("anna", seed="mallory")
    other.read(anna.letters[0])
    table.send(other.mail(other.join(table.words["anna"])))
    record = Record.load(table.lines)
    assert record.ledger.players[record.seats[0]].sign == anna.identity.sign_public
    assert "Not taken: the seat is taken" in table.subjects("anna")[-1]


def test_a_new_invitation_makes_the_old_word_void(tmp_path: Path) -> None:
    table = Table(tmp_path).invite()
    old = table.words["anna"]
    again = table.service.matches.invite(table.short, {"anna": "anna@new.example"})
    assert again[0].word != old
    anna = table.players["anna"]
    table.send(anna.mail(anna.join(old)))
    assert joined(table) == set()
    table.send(anna.mail(anna.join(again[0].word)))
    assert joined(table) == {"anna"}


def test_the_address_is_sealed_in_the_record_and_used_from_then_on(tmp_path: Path) -> None:
    table = Table(tmp_path).invite()
    anna = table.players["anna"]
    anna.domain = "home.example"
    table.send(anna.mail(anna.join(table.words["anna"])))
    assert table.subjects("anna")[-1].startswith("You have joined")
    for raw in table.lines:
        assert b"home.example" not in raw
        assert b"players.test" not in raw
    record, host = Record.load(table.lines), table.service.context.host
    contact = record.ledger.players[record.seats[0]].contact
    assert contact is not None
    assert open_contact(record.game, "anna", host.seal_key, host.seal_public, contact) == "anna@home.example"


def test_the_word_stands_only_in_the_invitation_of_its_own_seat(tmp_path: Path) -> None:
    table = Table(tmp_path).invite()
    for seat, player in table.players.items():
        text = b"".join(player.letters).replace(b"=\r\n", b"")
        assert table.words[seat].encode() in text
        assert not any(word.encode() in text for other, word in table.words.items() if other != seat)


def test_whom_nobody_knows_is_not_invited(tmp_path: Path) -> None:
    table = Table(tmp_path)
    for addresses in ({"zoe": "zoe@players.test"}, {"anna": "no address"}):
        with pytest.raises(UsageProblem):
            table.service.matches.invite(table.short, addresses)
    with pytest.raises(UsageProblem):
        table.service.matches.invite("nomatch0", {"anna": "anna@players.test"})
