"""What is no longer kept goes from database and mailbox; what must do nothing twice stays; people can be forgotten."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from pbem.base.errors import UsageProblem
from pbem.game import Seat
from pbem.host.config import Keep
from pbem.host.database.mail import InboxRows
from pbem.host.database.matches import NEVER, Matches
from pbem.host.database.times import Times
from pbem.host.service.client import ServiceClient
from pbem.protocol.client import compose_consent
from pbem.protocol.formats.armour import armour
from tests.service import many
from tests.service.table import Table
from tests.service.year import Year, bytes_kept

KEEP = Keep(mail=9, strangers=3, log=36)


def ended(folder: Path, keep: Keep = KEEP) -> Table:
    """A match that was played a little, with a refusal, words and a stranger's mail, and has ended."""
    table = Table(folder, keep=keep).start()
    table.play(3)
    other = next(player for player in table.players.values() if not player.asked)
    table.send(other.mail(other.turn({"do": "draw", "from": "supply"})))
    table.send(other.write("HELP\n"))
    table.send(other.write("buy now\n", sender="mallory@example.org"))
    for player in table.players.values():
        player.number += 1
        terms = {"kind": "end"}
        file = compose_consent(player.record, player.identity, Seat(player.seat), player.number, terms)
        table.send(player.mail(file))
    if not table.service.matches.counts()["over"]:
        ServiceClient(table.service, table.short).end("")
        table.pump()
    assert table.service.matches.counts()["over"] == 1
    return table


def kept(table: Table) -> dict[str, int]:
    with table.service.context.database.transaction() as transaction:
        return bytes_kept(transaction)


def settle(table: Table) -> None:
    while table.pump().anything:
        table.clock.tick(1)


def size(table: Table) -> int:
    return (table.folder / "service.db").stat().st_size


def days(table: Table, number: int) -> None:
    for _ in range(number * 24):
        table.clock.tick(3600)
        table.pump()
    settle(table)


def test_after_nine_days_records_stay_and_a_mailbox_read_again_does_nothing_twice(tmp_path: Path) -> None:
    table = ended(tmp_path)
    days(table, 1)
    before, lines = kept(table), table.lines
    assert min(before.values()) > 0
    box = dict(table.mail.folders["Processed"])
    days(table, 7)
    assert kept(table)["letters"] > 0
    full = size(table)
    days(table, 3)
    assert kept(table) == {"records": before["records"], "mails": 0, "letters": 0}
    assert size(table) < full  # emails were names only, so there is not much that can go
    assert table.lines == lines
    assert not any(box for name, box in table.mail.folders.items() if name != "INBOX")

    sent, rejects = len(table.mail.delivered), _ruled(table)
    for raw in box.values():  # somebody moves everything back into the inbox
        table.mail.arrive(raw)
    settle(table)
    assert not table.mail.inbox
    assert len(table.mail.delivered) == sent
    assert table.lines == lines
    assert _ruled(table) == rejects
    assert kept(table)["mails"] == kept(table)["letters"] == 0
    again = next(player for player in table.players.values() if player.files)
    table.send(again.mail(again.files[-1], "armour"))  # the same file in a new mail: known, too
    assert table.lines == lines


def _ruled(table: Table) -> list[tuple[object, ...]]:
    with table.service.context.database.transaction() as transaction:
        return transaction.run("SELECT hash, verdict, reject FROM ruled ORDER BY hash")


def test_a_match_that_goes_on_keeps_everything_and_killed_in_between_it_is_done_again(tmp_path: Path) -> None:
    table = Table(tmp_path, keep=Keep(1, 1, 1)).start()
    table.play(2)
    before = kept(table)
    days(table, 3)
    assert kept(table)["letters"] >= before["letters"]

    class Killed(Exception):
        """As if by SIGKILL."""

    def stop(step: str) -> None:
        if step == "copies-deleted":
            raise Killed

    over = ended(tmp_path / "over", Keep(mail=4, strangers=2, log=365))
    days(over, 3)
    over.service.context.steps = stop
    with pytest.raises(Killed):
        days(over, 3)
    assert kept(over)["letters"] > 0
    over.service.context.steps = lambda _: None
    days(over, 1)
    assert kept(over)["letters"] < 2000


def test_a_person_is_forgotten_but_for_what_is_signed(tmp_path: Path) -> None:
    table = ended(tmp_path)
    anna = table.players["anna"]
    done = table.service.forget(anna.address)
    assert done.mails > 3
    assert done.counts["letters"] > 3
    assert done.stays == (table.short,)
    with table.service.context.database.transaction() as transaction:
        for name in ("inbox", "outbox", "seats", "observers", "notes", "counts"):
            rows = transaction.run(f"SELECT * FROM {name}")  # noqa: S608 - names stand here
            assert anna.address.encode() not in repr(rows).encode(), name
    boxes = [raw for box in table.mail.folders.values() for raw in box.values()]
    assert not [raw for raw in boxes if b"To: " + anna.address.encode() in raw]
    lines, sent = table.lines, len(table.mail.delivered)
    table.mail.arrive(anna.write("HELP\n"))  # she is a stranger now
    for raw in anna.letters:
        table.mail.arrive(b"From: games@pbem.test\r\n" + raw)
    settle(table)
    assert (table.lines, len(table.mail.delivered)) == (lines, sent)
    assert table.service.forget(anna.address).mails <= 1
    with table.service.context.database.transaction() as transaction:
        assert b"" in [
            row.raw for row in InboxRows(transaction).quarantined()
        ]  # they are listed all the same


def test_who_still_plays_is_not_forgotten_by_mistake(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    anna = table.players["anna"]
    with pytest.raises(UsageProblem, match=f"has a seat in {table.short}"):
        table.service.forget(anna.address)
    assert table.service.forget(anna.address, even_now=True).counts["letters"] > 0
    player = table.asked()[0]
    head = len(table.lines)
    table.send(player.write(armour(player.move())))
    assert len(table.lines) == head + 1


def test_a_match_that_has_ended_and_was_read_takes_the_space_of_its_game_file(tmp_path: Path) -> None:
    """Its lines are packed, but sealed orders come packed already, and the database rounds up to whole pages."""
    sizes = many.ended(tmp_path, files=16)
    assert sizes.database < 1.05 * sizes.game
    assert sizes.game < sizes.allowed
    assert sizes.backup < 1.05 * sizes.game


def test_a_small_year_the_long_one_is_a_command(tmp_path: Path) -> None:
    year = Year(tmp_path, 2, keep=2, turns=1, days=4).go()
    last = year.months[-1]
    assert last.matches == 2
    assert last.mail == 0
    assert last.records > 0


def test_a_quiet_round_costs_what_there_is_to_do_however_many_matches_there_are(tmp_path: Path) -> None:
    """Counted in instructions of the database itself: most matches are over, or to be looked at later."""
    table = Table(tmp_path).start()
    settle(table)
    few = instructions(table)
    with table.service.context.database.transaction() as transaction:
        for number in range(2_000):
            name = f"{('over', 'open')[number % 2]}-{number}"
            Matches(transaction).add(name, name, "2026-01-01T00:00:00Z", ())
            Times(transaction).look_again(name, (NEVER, "2098-01-01T00:00:00Z")[number % 2])
        transaction.run("UPDATE matches SET over = 1, seq = 0 WHERE game LIKE 'over-%'")
        transaction.run(
            "INSERT INTO retained (game, ended, cleared) SELECT game, created, created FROM matches WHERE over = 1"
        )
    assert instructions(table) <= few + 100


def instructions(table: Table) -> int:
    """Of one round in which nothing happens."""
    table.pump()
    counted = count()
    connection = table.service.context.database._driver._connection  # type: ignore[union-attr]
    connection.set_progress_handler(lambda: next(counted) and None, 1)
    assert not table.service.run_once().anything
    connection.set_progress_handler(None, 1)
    return next(counted)
