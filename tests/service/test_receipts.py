"""A receipt that asks nothing of anybody waits ten minutes, and is spared if another email goes to that seat."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pbem.game import JsonObject
from pbem.host.service.health import health_of
from tests.service.fakes import GENEROUS
from tests.service.people import Player, headers
from tests.service.table import Table

WAIT = 600


def _table(folder: Path) -> Table:
    return Table(folder, seats=("anna", "burt", "curt"), limits=replace(GENEROUS, receipts=WAIT)).start()


def _ends_a_turn(table: Table) -> tuple[Player, JsonObject]:
    """Somebody's turn ends by email; who, and the last file. The receipt waits."""
    player = table.asked()[0]
    while "waiting" not in table.service.counts():
        file = player.move()
        table.send(player.mail(file))
    assert _healthy_counts(table) == table.service.counts()
    return player, file


def _healthy_counts(table: Table) -> dict[str, int]:
    """The states of emails as health shows them, without those that no email is in."""
    state = health_of(table.service.context.database, table.clock())["outbox"]
    return {state: count for state, count in state.items() if count}


def _came(table: Table, player: Player) -> list[str]:
    return table.subjects(player.seat)


def test_it_leaves_after_ten_minutes_if_nothing_else_does(tmp_path: Path) -> None:
    table = _table(tmp_path)
    player, _ = _ends_a_turn(table)
    before = _came(table, player)
    table.clock.tick(WAIT - 1)
    table.pump()
    assert _came(table, player) == before
    table.clock.tick(1)
    table.pump()
    assert len(_came(table, player)) == len(before) + 1
    assert "waiting" not in table.service.counts()
    assert len(player.record.lines) == len(table.lines)


def test_another_email_to_that_seat_brings_the_records_and_spares_it(tmp_path: Path) -> None:
    table = _table(tmp_path)
    player, _ = _ends_a_turn(table)
    before, spared = _came(table, player), table.service.counts().get("spared", 0)
    (other,) = table.asked()[1:] or table.asked()
    table.clock.tick(60)
    while len(_came(table, player)) == len(before):
        table.send(other.mail(other.move()))
    assert table.service.counts()["spared"] == spared + 1
    assert _healthy_counts(table) == table.service.counts()
    assert len(_came(table, player)) == len(before) + 1
    assert len(player.record.lines) == len(table.lines)
    table.clock.tick(WAIT)
    table.pump()
    assert len(_came(table, player)) == len(before) + 1
    sent = [str(headers(raw)["Message-ID"]) for _, raw in table.mail.delivered]
    references = [
        reference
        for _, raw in table.mail.delivered
        for reference in str(headers(raw)["References"] or "").split()
    ]
    ours = {reference for reference in references if reference.endswith("@pbem.test>")}
    assert ours
    assert ours <= set(sent), "no email refers to one that never left"


def test_a_refused_and_a_repeated_file_are_answered_at_once(tmp_path: Path) -> None:
    table = _table(tmp_path)
    player, last = _ends_a_turn(table)
    before = _came(table, player)
    table.send(player.mail(last))
    assert len(_came(table, player)) == len(before) + 1
    assert "waiting" not in table.service.counts()
    table.send(player.mail(player.turn({"do": "draw", "from": "supply"})))
    assert len(_came(table, player)) == len(before) + 2
