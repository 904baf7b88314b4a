"""The database: one transaction or nothing, on SQLite; the same statements run on PostgreSQL elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pbem.base.errors import StoreError, UsageProblem
from pbem.host.budgets import Budgets, Spent
from pbem.host.database.database import Database, sqlite_path
from pbem.host.database.lists import DatabaseCounts
from pbem.host.database.mail import InboxRows, NewLetter, OutboxRows
from pbem.host.database.matches import Matches
from pbem.host.database.notes import MailNotes
from pbem.host.database.retention import Retention
from pbem.host.database.tables import OUTBOX


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(f"sqlite:///{tmp_path / 'x.db'}")
    yield database
    database.close()


def letter(effect: str, rcpt: str = "anna@players.test") -> NewLetter:
    return NewLetter(effect, f"t-{effect}", f"<{effect}@x>", "g", "anna", rcpt, "from", b"raw")


def test_a_transaction_that_raises_leaves_no_trace(database: Database) -> None:
    def broken() -> None:
        with database.transaction() as transaction:
            InboxRows(transaction).keep("name", b"raw", "2026")
            OutboxRows(transaction).add(letter("e"), "2026")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        broken()
    with database.transaction() as transaction:
        assert not InboxRows(transaction).unsorted()
        assert OutboxRows(transaction).counts() == {}


def test_the_file_is_the_hosts_alone(tmp_path: Path, database: Database) -> None:
    with database.transaction():
        pass
    assert (tmp_path / "x.db").stat().st_mode & 0o777 == 0o600


def test_the_same_mail_is_kept_once_and_the_same_effect_queued_once(database: Database) -> None:
    with database.transaction() as transaction:
        inbox, outbox = InboxRows(transaction), OutboxRows(transaction)
        assert inbox.keep("name", b"raw", "2026") == inbox.keep("name", b"raw", "2027")
        assert outbox.add(letter("e"), "2026")
        assert not outbox.add(letter("e"), "2026")
        assert outbox.counts() == {"queued": 1}


def test_lines_are_appended_only_to_the_head_that_was_read(database: Database) -> None:
    with database.transaction() as transaction:
        matches = Matches(transaction)
        matches.add("g", "short", "2026", ["anna"])
        row = matches.claim("g")
        assert row is not None
        matches.append(row, [(b"0", "h0"), (b"1", "h1")], over=False)
        assert matches.lines("g") == [b"0", b"1"]
        assert matches.lines("g", 1) == [b"1"]
    with pytest.raises(StoreError, match="somebody else appended"), database.transaction() as transaction:
        Matches(transaction).append(row, [(b"2", "h2")], over=False)
    with database.transaction() as transaction:
        assert Matches(transaction).lines("g") == [b"0", b"1"]


@pytest.mark.parametrize("other", [{"head": "h0"}, {"seq": 0}, {"game": "f"}])
def test_lines_are_not_appended_if_the_number_or_the_hash_or_the_match_is_another(
    database: Database, other: dict[str, object]
) -> None:
    """Each alone: a history that was exchanged for one of the same length has only another hash."""
    with database.transaction() as transaction:
        matches = Matches(transaction)
        for game, short in (("f", "first"), ("g", "second")):
            matches.add(game, short, "2026", ["anna"])
        row = matches.claim("g")
        assert row is not None
        matches.append(row, [(b"0", "h0"), (b"1", "h1")], over=False)
        row = matches.find("g")
        assert row is not None
        assert matches.heads(["f", "g"]) == {"f": -1, "g": 1}
        assert matches.heads(["g", "there is none"]) == {"g": 1}
    with pytest.raises(StoreError, match="somebody else appended"), database.transaction() as transaction:
        Matches(transaction).append(replace(row, **other), [(b"2", "h2")], over=False)  # type: ignore[arg-type]
    with database.transaction() as transaction:
        matches = Matches(transaction)
        assert matches.heads(["f", "g"]) == {"f": -1, "g": 1}
        assert (matches.lines("f"), matches.lines("g")) == ([], [b"0", b"1"])
        matches.append(row, [(b"2", "h2")], over=False)
        assert matches.find("g") == replace(row, seq=2, head="h2")


def test_a_history_that_is_given_up_ends_before_the_record_that_is_named(database: Database) -> None:
    with database.transaction() as transaction:
        matches = Matches(transaction)
        for game, short in (("f", "first"), ("g", "second")):
            matches.add(game, short, "2026", ["anna"])
            row = matches.claim(game)
            assert row is not None
            matches.append(row, [(b"0", "h0"), (b"1", "h1"), (b"2", "h2")], over=True)
        row = matches.find("g")
        assert row is not None
        assert row.over
        assert matches.cut(row, 1, "h0") == replace(row, seq=0, head="h0", over=False)
        assert matches.find("g") == replace(row, seq=0, head="h0", over=False)
        assert (matches.lines("f"), matches.lines("g")) == ([b"0", b"1", b"2"], [b"0"])


def test_a_lease_is_held_by_one_until_it_runs_out(database: Database) -> None:
    with database.transaction() as transaction:
        notes = MailNotes(transaction)
        assert notes.lease("fetch", "a", "2026-01", "2026-03")
        assert notes.lease("fetch", "a", "2026-02", "2026-04")
        assert not notes.lease("fetch", "b", "2026-02", "2026-05")
        assert notes.lease("fetch", "b", "2026-05", "2026-06")
        notes.release("fetch", "b")
        assert notes.lease("fetch", "a", "2026-05", "2026-06")


def test_what_a_transaction_has_read_is_read_again_once_it_changes_or_claims_something(
    database: Database,
) -> None:
    asked = []

    def read() -> int:
        asked.append(1)
        return len(asked)

    with database.transaction() as transaction:
        assert [transaction.once(OUTBOX, "a", read) for _ in range(3)] == [1, 1, 1]
        assert transaction.once(OUTBOX, "b", read) == 2
        MailNotes(transaction).set("something", "else")
        assert transaction.once(OUTBOX, "a", read) == 1
        OutboxRows(transaction).add(letter("e"), "2026")
        assert transaction.once(OUTBOX, "a", read) == 3
        OutboxRows(transaction).claim_due("2026", 10)
        assert transaction.once(OUTBOX, "a", read) == 4
    with database.transaction() as transaction:
        assert transaction.once(OUTBOX, "a", read) == 5


def test_a_letter_that_somebody_else_sends_again_is_not_put_back(database: Database) -> None:
    with database.transaction() as transaction:
        outbox = OutboxRows(transaction)
        outbox.add(letter("e"), "2026")
        (first,) = outbox.claim_due("2026", 10)
        outbox.requeue(first, "", "interrupted")
        (second,) = outbox.claim_due("2026", 10)
        outbox.requeue(first, "", "interrupted")  # too late: it is the second sending now
        assert outbox.counts() == {"sending": 1}
        outbox.mark_sent([second.id], "2026")
        assert outbox.counts() == {"sent": 1}


def test_a_budget_is_counted_for_each_person_and_begins_again_when_its_time_is_over(
    database: Database,
) -> None:
    now = [0.0]

    def later(seconds: float) -> str:
        return f"{now[0] + seconds:010.0f}"

    with database.transaction() as transaction:
        budgets = Budgets(DatabaseCounts(transaction, later))
        good, ends, over = Spent.GOOD, Spent.ENDS, Spent.OVER
        results = [budgets.spend("2/hour; 3/day", "help", "anna") for _ in range(5)]
        assert results == [good, good, ends, over, over]
        assert budgets.spend("2/hour; 3/day", "help", "burt") is good
        now[0] = 3600
        assert budgets.spend("2/hour; 3/day", "help", "anna") is over
        assert budgets.spend("2/hour", "help", "burt") is good
        now[0] = 86_401
        assert budgets.spend("2/hour; 3/day", "help", "anna") is good


def test_only_known_databases_are_opened(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem), Database("mysql://x").transaction():
        pass
    with pytest.raises(StoreError), Database("postgresql://nobody@127.0.0.1:1/none").transaction():
        pass
    assert sqlite_path("sqlite:////a/b.db") == Path("/a/b.db")
    assert sqlite_path("postgresql://x") is None
    (tmp_path / "no.db").write_bytes(
        b"this is no database, but some text that is long enough to look like none" * 20
    )
    with pytest.raises(StoreError), Database(f"sqlite:///{tmp_path / 'no.db'}").transaction():
        pass


def test_letters_that_are_let_go_of_leave_no_page_behind(tmp_path: Path, database: Database) -> None:
    """300 emails of nine kilobytes; their tokens stay, and take a page for each dozen, not one each."""
    database.compact()
    empty = (tmp_path / "x.db").stat().st_size
    with database.transaction() as transaction:
        for number in range(300):
            OutboxRows(transaction).add(replace(letter(f"{number}"), raw=b"x" * 9000), "2026")
        transaction.run("UPDATE outbox SET state = 'sent'")
    with database.transaction() as transaction:
        before = transaction.run("SELECT id, token, message_id, state FROM outbox ORDER BY id")
        assert Retention(transaction).clear("g") == 300
        assert transaction.run("SELECT id, token, message_id, state FROM outbox ORDER BY id") == before
    database.compact()
    assert (tmp_path / "x.db").stat().st_size - empty < 60 * 4096
    with database.transaction() as transaction:
        assert OutboxRows(transaction).add(letter("new"), "2026")
        assert transaction.run("SELECT MAX(id) FROM outbox") == [(301,)]
