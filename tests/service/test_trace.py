"""What became of a mail: its path from its arrival to the emails that follow from it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pbem.base.errors import UsageProblem
from pbem.host.service.trace import trace, trace_words
from pbem.player.mail.gate import peek_message_id
from tests.service.table import Table


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    table = Table(tmp_path_factory.mktemp("trace")).start()
    yield table
    table.service.context.database.close()


def delivered(table: Table, before: int) -> list[str]:
    """The Message-IDs of what left since."""
    return sorted(peek_message_id(raw) for _, raw in table.mail.delivered[before:])


def test_a_mail_is_traced_from_its_arrival_to_the_letters_that_follow(table: Table) -> None:
    player = table.asked()[0]
    raw, before = player.mail(player.move()), len(table.mail.delivered)
    table.send(raw)
    own, head = peek_message_id(raw), len(table.lines) - 1
    steps = trace(table.service, own)
    assert [step["event"] for step in steps][:2] == ["received", "ruled"]
    ruled = steps[1]
    assert (ruled["match"], ruled["seat"]) == (table.short, player.seat)
    assert ruled["record"] <= head
    letters = [step["message_id"] for step in steps if step["event"] == "sent"]
    assert sorted(letters) == delivered(table, before)
    assert trace(table.service, own.strip("<>")) == steps
    letter = next(step["message_id"] for step in steps if step["event"] == "written")
    assert [step["event"] for step in trace(table.service, letter)] == ["written", "sent"]
    words = str(trace_words(steps))
    assert own in words
    assert player.seat in words


def test_a_refused_mail_and_one_that_is_put_aside_are_shown_too(table: Table) -> None:
    other = next(player for player in table.players.values() if not player.asked)
    refused = other.mail(other.turn({"do": "draw", "from": "supply"}))
    table.send(refused)
    steps = trace(table.service, peek_message_id(refused))
    assert "turn" in steps[1]["text"]
    assert {step["seat"] for step in steps if step["event"] == "sent"} == {other.seat}
    aside = b"From: anna@players.test\r\nTo: games@pbem.test\r\nMessage-ID: <odd@x>\r\n\r\n{\r\n"
    table.send(aside)
    events = [step["event"] for step in trace(table.service, "odd@x")]
    assert events[:2] == ["received", "quarantined"]


def test_a_seat_is_shown_as_a_whole_and_nobody_is_an_error(table: Table) -> None:
    anna = trace(table.service, f"{table.short}/anna")
    assert {"received", "ruled", "written", "sent"} <= {step["event"] for step in anna}
    assert {step["seat"] for step in anna if "seat" in step} == {"anna"}
    for name in ("nobody@nowhere", "0" * 64):
        with pytest.raises(UsageProblem, match="nothing is known here of"):
            trace(table.service, name)
    with pytest.raises(UsageProblem, match="has no seat"):
        trace(table.service, f"{table.short}/zoe")
