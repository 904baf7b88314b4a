"""People who read along: the public emails and nothing else; they come and go by mail and by the host's word.

That their emails alone are a whole match is asked of the matches in ``test_matches.py``.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pbem.base.errors import UsageProblem
from pbem.host.service.client import ServiceClient
from tests.service.fakes import OPERATOR
from tests.service.people import Player, headers, lines_in, parse
from tests.service.table import Table

OLGA = "olga@elsewhere.test"


def letters(table: Table) -> list[bytes]:
    return table.mail.letters(OLGA)


def watched(folder: Path) -> Table:
    table = Table(folder).start()
    ServiceClient(table.service, table.short).observe(OLGA)
    table.pump()
    return table


def test_an_observer_gets_public_letters_only(tmp_path: Path) -> None:
    table = watched(tmp_path)
    welcome = len(letters(table))
    assert welcome == 1
    anna = table.asked()[0]
    table.send(anna.mail(anna.turn({"do": "draw", "from": "supply"})))
    assert len(letters(table)) == welcome  # a draw is sent to its sender only
    hand = anna.view.view_json["hands"][anna.seat]
    table.send(anna.mail(anna.turn({"do": "discard", "card": hand[0]})))
    assert len(letters(table)) == welcome + 1  # the end of a turn to everybody
    other = next(player for player in table.players.values() if player is not anna)
    table.send(other.mail(other.turn({"do": "discard", "card": "hideout"})))
    table.send(anna.mail(anna.turn(tell={other.seat: "psst"})))
    assert len(letters(table)) == welcome + 1  # neither refusals nor private words


def test_nothing_private_is_in_an_observers_letters(tmp_path: Path) -> None:
    """No receipt, no seat is spoken to, no word of a hand: the email is that of somebody who holds nothing."""
    table = watched(tmp_path)
    table.play(40)
    assert len(letters(table)) > 5
    for raw in letters(table):
        message = parse(raw)
        assert message["X-Pbem-Seat"] is None
        assert message["To"] == OLGA
        bodies = [message.get_body((kind,)) for kind in ("plain", "html")]
        text = " ".join(" ".join(body.get_content().split()) for body in bodies if body is not None)
        assert "You are receiving this as a spectator of match" in text
        for words in (
            "your turn",
            "Your turn to",
            "your hand",
            "Your file",
            "pbem turn",
            "sealed to your key",
        ):
            assert words not in text, words
        secret = json.dumps([player.identity.secret.hex() for player in table.players.values()])
        assert secret not in text
        for line in lines_in(raw):  # and the lines are those that all seats get, packets sealed
            assert line in table.lines
    hands = [player.view.view_json["hands"][player.seat] for player in table.players.values()]
    assert all(hands)  # there was something to be revealed


def test_a_stranger_who_asks_to_read_along_is_shown_to_the_host_and_not_answered(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    olga = Player("olga", domain="elsewhere.test")
    table.send(olga.write(f"OBSERVE {table.short}\n"))
    assert letters(table) == []
    (note,) = table.notes("observe")
    assert f"pbem host observe {table.short} {OLGA}" in note
    assert len(table.mail.letters(OPERATOR)) == 1
    table.send(olga.write(f"OBSERVE {table.short}\nplease\n"))
    assert len(table.notes("observe")) == 1  # once a day
    ServiceClient(table.service, table.short).observe(OLGA)
    table.pump()
    assert len(letters(table)) == 1
    table.send(olga.write("STATUS\n"))
    assert "you read along" in parse(letters(table)[-1]).get_content()
    table.send(olga.write("RESEND 2\n"))
    assert json.loads(lines_in(letters(table)[-1])[0])["body"]["seq"] == 2
    table.send(olga.write("LEAVE\n"))
    assert table.short in parse(letters(table)[-1]).get_content()
    count = len(letters(table))
    table.play(10)
    table.send(olga.write("STATUS\n"))
    assert len(letters(table)) == count
    ServiceClient(table.service, table.short).observe(OLGA)
    ServiceClient(table.service, table.short).observe(OLGA, remove=True)
    table.play(10)
    assert len(letters(table)) == count + 1


def test_an_observers_dead_address_is_suspended_and_the_host_learns(tmp_path: Path) -> None:
    table = watched(tmp_path)

    def bounce() -> bytes:
        own = headers(letters(table)[-1])["Message-ID"]
        text = (
            "From: MAILER-DAEMON@elsewhere.test\r\nTo: games@pbem.test\r\nReturn-Path: <>\r\nMIME-Version: 1.0\r\n"
            'Content-Type: multipart/report; report-type=delivery-status; boundary="b"\r\n\r\n'
            "--b\r\nContent-Type: text/plain\r\n\r\nno such user\r\n"
            "--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; x\r\n\r\n"
            f"Final-Recipient: rfc822; {OLGA}\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n"
            f"--b\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: {own}\r\n\r\n--b--\r\n"
        )
        return text.encode()

    table.send(bounce())  # by what others may have seen: they are asked once more
    assert not table.notes("suspended")
    table.send(bounce())
    assert OLGA in table.notes("suspended")[0]
    count = len(letters(table))
    table.play(10)
    assert len(letters(table)) == count


def test_only_so_many_read_along(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    for number in range(50):
        ServiceClient(table.service, table.short).observe(f"o{number}@elsewhere.test")
    with pytest.raises(UsageProblem, match="at most 50"):
        ServiceClient(table.service, table.short).observe(OLGA)
    with pytest.raises(UsageProblem, match="is not an email address"):
        ServiceClient(table.service, table.short).observe("olga@elsewhere.test\nBcc: x@y.z")
