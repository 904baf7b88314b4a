"""Two hundred matches: chosen, sorted, by pages; what was quarantined with its sender; floods, quotas, time for all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from pbem.base.errors import UsageProblem
from pbem.host.database.driver import DatabaseDamaged
from pbem.host.database.lists import Lists, MatchSummary, Wanted
from pbem.host.database.mail import InboxRows, OutboxRows
from pbem.host.database.matches import Matches
from pbem.host.service.answers import matches_words
from pbem.host.service.lists import Choice, matches_page, notified_lately, put_aside, raw_mail, released
from pbem.protocol.record import Deadlines
from pbem.protocol.referee import MatchPlan
from tests.service.fakes import GENEROUS, OPERATOR
from tests.service.table import Table
from tests.service.test_manners import dsn, token_to
from tests.world import secret


def names(table: Table, **choice: object) -> list[str]:
    return [match["match"] for match in matches_page(table.service, Choice(**choice))["matches"]]  # type: ignore[arg-type]


def test_matches_are_chosen_sorted_and_paged(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    matches = [
        table.service.matches.create(MatchPlan(game, ["anna", "burt", "curt"]), secret(f"list {number}")[:16])
        for number, game in enumerate(["wyatt-earp", "way-out-west", "wyatt-earp"])
    ]
    everything = {table.short, *matches}
    assert set(names(table)) == everything
    assert names(table, player="anna@players.test") == [table.short]
    assert names(table, game="way-out-west") == [matches[1]]
    assert names(table, sort="due")[0] == table.short
    assert names(table, sort="name") == sorted(everything)
    assert names(table, sort="records")[0] == table.short
    assert names(table, state="over") == []
    assert names(table, late=True) == []
    pages = [names(table, sort="name", page=number, size=3) for number in (1, 2)]
    assert [len(page) for page in pages] == [3, 1]
    assert sorted(pages[0] + pages[1]) == sorted(everything)
    facts = matches_page(table.service, Choice(size=3))
    text = matches_words(facts)
    assert facts["counts"] == {"running": 4, "stopped": 0, "over": 0}
    assert "page 1 of 2, 4 found; matches: 4 running" in text
    for wrong in (Choice(page=9), Choice(state="x"), Choice(sort="x"), Choice(player="nobody")):
        with pytest.raises(UsageProblem):
            matches_page(table.service, wrong)
    assert names(table, mine=True) == []
    table.send(dsn(token_to(table, "anna@players.test"), "5.1.1"))
    assert names(table, mine=True) == [table.short]


def test_a_page_reads_no_match_but_its_own(tmp_path: Path) -> None:
    table = Table(tmp_path)
    matches = [table.short]
    for number in range(6):
        table.clock.tick(60)
        plan = MatchPlan("wyatt-earp", ["anna", "burt"])
        matches.append(table.service.matches.create(plan, secret(f"page {number}")[:16]))
    with table.service.context.database.transaction() as transaction:
        damage = "UPDATE lines SET raw = ? WHERE game IN (SELECT game FROM matches WHERE short = ?)"
        transaction.run(damage, b"x", matches[6])
    fresh = Table(tmp_path, fresh=False)  # a new process has verified nothing
    assert names(fresh, size=4) == matches[:4]
    assert names(fresh, sort="created", size=3, page=2) == matches[3:6]
    with pytest.raises(DatabaseDamaged):
        names(fresh, size=3, page=3)


CHOICES: tuple[dict[str, object], ...] = (
    {},
    {"late": True},
    {"mine": True},
    {"game": "wyatt-earp"},
    {"player": "anna@players.test"},
    {"sort": "due"},
    {"sort": "heard"},
    {"sort": "records"},
    {"late": True, "game": "wyatt-earp", "state": "open", "sort": "due"},
)


def test_a_page_costs_the_same_with_two_hundred_matches_and_with_two_thousand(tmp_path: Path) -> None:
    """Counted in instructions of the database itself; the other matches have no records at all, so none is read."""
    table = Table(tmp_path).start()
    table.clock.tick(3600 * 100)
    costs = [costs_of_pages(table, more) for more in (200, 1_800)]
    for choice, few, many in zip(CHOICES, *costs, strict=True):
        assert many - few < 1_800 * 150, choice  # a match that is read takes a hundred thousand


def costs_of_pages(table: Table, more: int) -> list[int]:
    """What a page of ten costs for each choice, once there are so many matches more."""
    with table.service.context.database.transaction() as transaction:
        for number in range(more):
            name = f"{more}{number:04}"
            Matches(transaction).add(name, f"x{name:>07}", "2030-01-01T00:00:00Z", ["anna", "burt"])
            compact_view = MatchSummary("", "way-out-west", f"20{30 + number % 60}-01-01T00:00:00Z")
            Lists(transaction).note(name, compact_view)
    costs = []
    for choice in CHOICES:
        counted = count()
        connection = table.service.context.database._driver._connection  # type: ignore[union-attr]
        connection.set_progress_handler(partial(counting, counted), 1)
        wanted = Wanted(
            rules=str(choice.get("game", "")),
            address=str(choice.get("player", "")),
            late_at=table.service.context.now() if choice.get("late") else "",
            for_host=bool(choice.get("mine")),
            order=str(choice.get("sort", "created")),
        )
        shorts, _ = table.service.matches.page(wanted, 0, 10)
        connection.set_progress_handler(None, 1)
        costs.append(next(counted))
        if set(choice) & {"late", "game", "player"}:
            assert table.service.matches.status(shorts)
            assert shorts == [table.short]
    return costs


def counting(counted: Iterator[int]) -> None:
    """One more."""
    next(counted)


def test_a_list_knows_what_time_has_changed_without_a_record(tmp_path: Path) -> None:
    """An excused miss gives more time; whoever asks for a list is informed, and so is a program that reads it cold."""
    table = Table(tmp_path, deadlines=Deadlines(hours=10, grace=2, excused=1)).start()
    for hours, late in ((9, False), (1.5, True), (2, False), (10, True)):
        table.clock.tick(3600 * hours)
        assert bool(names(table, late=True)) is late, hours
        fresh = Table(tmp_path, fresh=False)
        fresh.clock.time = table.clock.time
        assert bool(names(fresh, late=True)) is late, hours
        assert [row["due"] for row in fresh.service.matches.status()] == [due_in_list(fresh)]


def due_in_list(table: Table) -> str:
    """What the rows that lists are made from say."""
    with table.service.context.database.transaction() as transaction:
        return str(transaction.run("SELECT due FROM summaries")[0][0])


def test_everybody_gets_more_time_at_once(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    empty = table.service.matches.create(MatchPlan("wyatt-earp", ["anna", "burt"]), secret("empty")[:16])
    due = table.service.matches.status([table.short])[0]["due"]
    done, not_done = table.service.matches.extend_all(48)
    assert done == [table.short]
    assert [short for short, _ in not_done] == [empty]
    assert table.service.matches.status([table.short])[0]["due"] > due


def test_what_was_put_aside_shows_its_sender_and_is_looked_at_again(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    anna = table.players["anna"]
    table.send(anna.write("x\n", sender="mallory@example.org", subject="Money"))
    (mail,) = put_aside(table.service)["mails"]
    assert (mail["sender"], mail["subject"]) == ("mallory@example.org", "Money")
    with table.service.context.database.transaction() as transaction:
        assert InboxRows(transaction).again(mail["number"])
        assert not InboxRows(transaction).again(99)
    assert table.pump().sorted == 1


def test_letters_kept_back_are_listed_and_released(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    player = table.asked()[0]
    other = next(other for other in table.players.values() if other is not player)
    table.send(dsn(token_to(table, other.address), "5.1.1"))
    while table.asked() == [player]:
        table.send(player.mail(player.move()))
    with table.service.context.database.transaction() as transaction:
        held = OutboxRows(transaction).held()
        assert {letter.rcpt for letter in held} == {other.address}
        assert OutboxRows(transaction).release_to(other.address) == len(held)
    sent = len(other.letters)
    table.pump()
    assert len(other.letters) == sent + len(held)


def test_a_flood_is_put_aside_shown_once_and_looked_at_in_later_hours(tmp_path: Path) -> None:
    table = Table(tmp_path, limits=replace(GENEROUS, per_sender=10)).start()
    player = table.asked()[0]
    head = len(table.lines)
    for number in range(25):
        table.mail.arrive(player.write(f"flood {number}\n"))
    turn = player.mail(player.move())
    table.send(turn)
    assert sum(reason.startswith("too-many") for reason in table.quarantined()) > 10
    assert table.alarms().count("flood") == 1
    with table.service.context.database.transaction() as transaction:
        first = min(
            row.id for row in InboxRows(transaction).quarantined() if row.reason.startswith("too-many")
        )
        assert InboxRows(transaction).again(first)
    table.pump()  # what a person releases is looked at, however much came in this hour
    with table.service.context.database.transaction() as transaction:
        (released,) = [row for row in InboxRows(transaction).quarantined() if row.id == first]
    assert not released.reason.startswith("too-many")
    other = next(other for other in table.players.values() if other is not player)
    table.send(other.write("STATUS\n"))  # nobody else is kept waiting
    assert "Status" in table.subjects(other.seat)[-1]
    table.pass_time(5)
    assert len(table.lines) > head
    assert not any(reason.startswith("too-many") for reason in table.quarantined())
    assert OPERATOR


def test_one_address_sits_in_so_many_matches_and_no_more(tmp_path: Path) -> None:
    table = Table(tmp_path, limits=replace(GENEROUS, open_matches=2)).start()
    address = {"anna": "anna@players.test"}
    for number in range(2):
        short = table.service.matches.create(
            MatchPlan("wyatt-earp", ["anna", "burt"]), secret(f"q {number}")[:16]
        )
        if number == 0:
            table.service.matches.invite(short, address)
            table.service.matches.invite(short, address)  # once more, for the same seat
            continue
        with pytest.raises(UsageProblem, match="has a seat in 2 matches"):
            table.service.matches.invite(short, address)


def test_what_was_put_aside_is_listed_written_and_released(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    table.send(b"From: stranger@example.org\r\nMessage-ID: <s@x>\r\n\r\nhello\r\n")
    facts = put_aside(table.service)
    (mail,) = facts["mails"]
    assert (mail["sender"], facts["count"], facts["letters"]) == ("stranger@example.org", 1, [])
    assert put_aside(table.service, before=mail["number"])["mails"] == []
    assert b"hello" in raw_mail(table.service, mail["number"])
    with pytest.raises(UsageProblem, match="there is no email 999"):
        raw_mail(table.service, 999)
    with pytest.raises(UsageProblem, match="nothing was named"):
        released(table.service, [], None, every=False)
    with pytest.raises(UsageProblem, match="there is no email 999 that was quarantined"):
        released(table.service, [999], None, every=False)
    numbers = released(table.service, [mail["number"]], "anna@players.test", every=False)
    assert numbers.splitlines() == [
        "1 email is looked at again in the next round.",
        "0 emails to anna@players.test leave in the next round.",
    ]
    assert put_aside(table.service)["count"] == 0


def test_the_log_holds_what_was_shown_while_the_database_could_not_be_used(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    fallback_alert = {"database": ("2026-11-01T00:00:00Z", "it is gone"), "mailbox": ("", "never told")}
    (alone,) = notified_lately(fallback_alert)
    assert alone == {"at": "2026-11-01T00:00:00Z", "kind": "database", "match": "", "text": "it is gone"}
    table.send(dsn(token_to(table, "anna@players.test"), "5.1.1"))
    entries = notified_lately(fallback_alert, table.service.context)
    assert alone in entries
    assert table.short in {note["match"] for note in entries}
    assert [note["at"] for note in entries] == sorted(note["at"] for note in entries)
